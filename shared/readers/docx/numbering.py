"""The numbers that Word writes in front of headings, clauses and items; they stand in no text, only what makes them
does.

What is read here becomes an address or a marker, never text: a chunk stays what is written in the document.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from shared.readers.docx.elements import child, decimal, is_on, local, value
from shared.readers.docx.forms import in_form
from shared.values.addresses import components, printed_address

LEVELS: Final = 9
# No list is as long as that; a start is read from a file that anybody may have written.
NUMBER_MAX: Final = 9_999


class Level(NamedTuple):
    """How numbers of one depth are written: `text` has %1 to %9 for those of the depths. `legal`: all are decimal.
    `restart`: behind a number of how deep a level (from 1) they begin anew, 0 for never; None: of any above."""

    start: int = 1
    form: str = "decimal"
    text: str = ""
    legal: bool = False
    style: str = ""
    restart: int | None = None


class Counted(NamedTuple):
    """A number as it is displayed, and the address that it is, if it is one."""

    shown: str
    address: str | None


class NumberedParagraph(NamedTuple):
    """What a paragraph or its style says of its number; empty where it says nothing."""

    number: str = ""
    level: str = ""

    def over(self, style: "NumberedParagraph") -> "NumberedParagraph":
        return NumberedParagraph(self.number or style.number, self.level or style.level)


UNNUMBERED: Final = NumberedParagraph()
_NO_NUMBER: Final = Counted("", None)


def numbered(settings: Any) -> NumberedParagraph:
    """What a paragraph's properties say."""
    said = child(settings, "numPr")
    return NumberedParagraph(value(child(said, "numId")), value(child(said, "ilvl")))


BULLET: Final = "\u2022"
_DASHES: Final = ("-", "\u2013", "\u2014")


def bullet_of(character: str) -> str:
    """A bullet as it is shown beside its item; most characters are of a font of signs, and stand for others."""
    return character if character in _DASHES else BULLET


@dataclass
class Numbering:
    """Counts the paragraphs of a document's lists in their order. `instances` name the list that a number belongs to
    and the levels that begin anew with it; `own` are levels that are written otherwise in one of them."""

    lists: dict[str, dict[int, Level]] = field(default_factory=dict[str, dict[int, Level]])
    instances: dict[str, tuple[str, dict[int, int]]] = field(default_factory=dict[str, tuple[str, dict[int, int]]])
    own: dict[str, dict[int, Level]] = field(default_factory=dict[str, dict[int, Level]])
    _counts: defaultdict[str, list[int | None]] = field(
        default_factory=lambda: defaultdict[str, list[int | None]](lambda: [None] * LEVELS)
    )
    _begun: set[tuple[str, int]] = field(default_factory=set[tuple[str, int]])

    def count(self, said: NumberedParagraph, style: str, start: int | None = None) -> Counted:
        """The next paragraph's number or bullet. A letter alone is no address. `start`: what it says of
        itself."""
        name, starts = self.instances.get(said.number, ("", {}))
        levels = self.lists.get(name, {}) | self.own.get(said.number, {})
        at = decimal(said.level, -1) if said.level.isdecimal() else _of_style(levels, style)
        if at not in levels:
            return _NO_NUMBER
        self._advance(name, said.number, at, levels, starts)
        if start is not None:
            self._counts[name][at] = start
        written = _written(levels, at, self._counts[name]).strip()
        return Counted(written, _address(written))

    def _advance(self, name: str, number: str, at: int, levels: dict[int, Level], starts: dict[int, int]) -> None:
        counts, before = self._counts[name], self._counts[name][at]
        counts[at] = levels[at].start if before is None else min(before + 1, NUMBER_MAX)
        if at in starts and (number, at) not in self._begun:
            counts[at] = starts[at]
        self._begun.add((number, at))
        for above in range(at):
            if counts[above] is None:
                counts[above] = levels.get(above, Level()).start
        for below in range(at + 1, LEVELS):
            restart = levels.get(below, Level()).restart
            if restart is None or at < restart:
                counts[below] = None


def read_numbering(root: Any) -> Numbering:
    found = Numbering()
    linked = {said: one for one in root if (said := value(child(one, "styleLink")))}
    for one in root:
        if local(one) == "abstractNum":
            # A list that is only named after a style is written as the list that the style has.
            written = linked.get(value(child(one, "numStyleLink")), one)
            found.lists[value(one, "abstractNumId")] = _levels(written)
        elif local(one) == "num":
            starts = {
                decimal(value(over, "ilvl"), -1): _number(value(child(over, "startOverride")))
                for over in one
                if local(over) == "lvlOverride" and _has_start(over)
            }
            found.instances[value(one, "numId")] = (value(child(one, "abstractNumId")), starts)
            if own := _levels(level for over in one if local(over) == "lvlOverride" for level in over):
                found.own[value(one, "numId")] = own
    return found


def is_clause(address: str | None) -> bool:
    """Whether a paragraph's number makes it a rule with an address: 3.1 does, 3 is an item of a list."""
    return address is not None and len(components(address)) > 1


def _levels(one: Iterable[Any]) -> dict[int, Level]:
    return {
        decimal(value(level, "ilvl"), LEVELS): Level(
            start=_number(value(child(level, "start")) or "1"),
            form=value(child(level, "numFmt")) or "decimal",
            text=value(child(level, "lvlText")),
            legal=is_on(child(level, "isLgl")),
            style=value(child(level, "pStyle")),
            restart=decimal(said, 0) if (said := value(child(level, "lvlRestart"))) else None,
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
    """The number or bullet as Word writes it; empty where one of its parts is no number."""
    text = levels[at].text
    if levels[at].form == "bullet" and text:
        return bullet_of(text)
    for above in range(at + 1):
        if f"%{above + 1}" in text:
            form = "decimal" if levels[at].legal else levels.get(above, Level()).form
            part = in_form(counts[above] or 0, form)
            if part is None:
                return ""
            text = text.replace(f"%{above + 1}", part)
    return text if text != levels[at].text else ""


def _address(written: str) -> str | None:
    printed = printed_address(f"{written.strip()} ")
    return printed[0] if printed else None
