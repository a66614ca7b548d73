"""The numbers that Word writes in front of headings and clauses; they stand in no text, only what makes them does.

What is read here becomes an address, never text: a chunk stays what is written in the document.
"""

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from shared.readers.docx.elements import child, decimal, is_on, local, value
from shared.values.addresses import components, printed_address

LEVELS: Final = 9
# No list is as long as that; a start is read from a file that anybody may have written.
NUMBER_MAX: Final = 9_999
_ROMAN: Final = ((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"),
                 (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))  # fmt: skip


class Level(NamedTuple):
    """How numbers of one depth are written: `text` has %1 to %9 for those of the depths. `legal`: all are decimal."""

    start: int = 1
    form: str = "decimal"
    text: str = ""
    legal: bool = False
    style: str = ""


class NumberedParagraph(NamedTuple):
    """What a paragraph or its style says of its number; empty where it says nothing."""

    number: str = ""
    level: str = ""

    def over(self, style: "NumberedParagraph") -> "NumberedParagraph":
        return NumberedParagraph(self.number or style.number, self.level or style.level)


UNNUMBERED: Final = NumberedParagraph()


def numbered(settings: Any) -> NumberedParagraph:
    """What a paragraph's properties say."""
    said = child(settings, "numPr")
    return NumberedParagraph(value(child(said, "numId")), value(child(said, "ilvl")))


@dataclass
class Numbering:
    """Counts the paragraphs of a document's lists in their order. `instances` name the list that a number belongs to
    and the levels that begin anew with it."""

    lists: dict[str, dict[int, Level]] = field(default_factory=dict[str, dict[int, Level]])
    instances: dict[str, tuple[str, dict[int, int]]] = field(default_factory=dict[str, tuple[str, dict[int, int]]])
    _counts: defaultdict[str, list[int | None]] = field(
        default_factory=lambda: defaultdict[str, list[int | None]](lambda: [None] * LEVELS)
    )
    _begun: set[tuple[str, int]] = field(default_factory=set[tuple[str, int]])

    def count(self, said: NumberedParagraph, style: str) -> str | None:
        """The address that the next paragraph's number is, None for none: bullets, a letter alone."""
        name, starts = self.instances.get(said.number, ("", {}))
        levels = self.lists.get(name)
        if not levels:
            return None
        at = decimal(said.level, -1) if said.level.isdecimal() else _of_style(levels, style)
        if at not in levels:
            return None
        self._advance(name, said.number, at, levels, starts)
        return _address(_written(levels, at, self._counts[name]))

    def _advance(self, name: str, number: str, at: int, levels: dict[int, Level], starts: dict[int, int]) -> None:
        counts, before = self._counts[name], self._counts[name][at]
        counts[at] = levels[at].start if before is None else min(before + 1, NUMBER_MAX)
        if at in starts and (number, at) not in self._begun:
            counts[at] = starts[at]
        self._begun.add((number, at))
        for above in range(at):
            if counts[above] is None:
                counts[above] = levels.get(above, Level()).start
        counts[at + 1 :] = [None] * (LEVELS - at - 1)


def read_numbering(root: Any) -> Numbering:
    found = Numbering()
    for one in root:
        if local(one) == "abstractNum":
            found.lists[value(one, "abstractNumId")] = _levels(one)
        elif local(one) == "num":
            starts = {
                decimal(value(over, "ilvl"), -1): _number(value(child(over, "startOverride")))
                for over in one
                if local(over) == "lvlOverride" and _has_start(over)
            }
            found.instances[value(one, "numId")] = (value(child(one, "abstractNumId")), starts)
    return found


def is_clause(address: str | None) -> bool:
    """Whether a paragraph's number makes it a rule with an address: 3.1 does, 3 is an item of a list."""
    return address is not None and len(components(address)) > 1


def _levels(one: Any) -> dict[int, Level]:
    return {
        decimal(value(level, "ilvl"), LEVELS): Level(
            start=_number(value(child(level, "start")) or "1"),
            form=value(child(level, "numFmt")) or "decimal",
            text=value(child(level, "lvlText")),
            legal=is_on(child(level, "isLgl")),
            style=value(child(level, "pStyle")),
        )
        for level in one
        if local(level) == "lvl" and decimal(value(level, "ilvl"), LEVELS) < LEVELS
    }


def _has_start(over: Any) -> bool:
    return child(over, "startOverride") is not None


def _number(said: str) -> int:
    return min(decimal(said, NUMBER_MAX), NUMBER_MAX) if said.isdecimal() else 1


def _of_style(levels: dict[int, Level], style: str) -> int:
    return next((at for at, level in levels.items() if style and level.style == style), 0)


def _written(levels: dict[int, Level], at: int, counts: list[int | None]) -> str:
    """The number as Word writes it; empty where one of its parts is no number."""
    text = levels[at].text
    for above in range(at + 1):
        if f"%{above + 1}" in text:
            form = "decimal" if levels[at].legal else levels.get(above, Level()).form
            part = _in_form(counts[above] or 0, form)
            if part is None:
                return ""
            text = text.replace(f"%{above + 1}", part)
    return text if text != levels[at].text else ""


def _in_form(number: int, form: str) -> str | None:
    match form:
        case "decimal":
            return str(number)
        case "decimalZero":
            return f"{number:02}"
        case "upperLetter" | "lowerLetter" if number > 0:
            letters = chr(ord("a") + (number - 1) % 26) * ((number - 1) // 26 + 1)
            return letters.upper() if form == "upperLetter" else letters
        case "upperRoman" | "lowerRoman":
            return _roman(number).upper() if form == "upperRoman" else _roman(number)
        case _:
            return None


def _roman(number: int) -> str:
    said = ""
    for size, letters in _ROMAN:
        said += letters * (number // size)
        number %= size
    return said


def _address(written: str) -> str | None:
    printed = printed_address(f"{written.strip()} ")
    return printed[0] if printed else None
