"""Labelled values, and statements of scale that apply to a whole table.

A label is printed beside its value (`CAPACITY: 31.2 SCFM`), as the first of two pieces of a line, or before dot
leaders. A scale is stated above a table (`(in millions, except per share amounts)`).
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from shared.domain.draft import DocumentDraft
from shared.extraction.attributes.values import MAX_TEXT, ReadValue, is_code, read_values
from shared.values.names import NO_HINT, Hint, hint_of, read_label
from shared.values.quantities import NumberReading

MAX_LABEL: Final = 40
MAX_LABEL_WORDS: Final = 6
# With at least this many labelled lines a block is a form, in which values may be any short text.
FORM_LINES: Final = 2
MAX_TEXT_WORDS: Final = 8
_LABEL = r"(?P<label>[^\W\d_][^:：;?!]{0,60}?)"
# A form numbers its fields, and marks those that must be filled in: "* 10. Name of Federal Agency:". A number alone is
# a step's as well, "3. Caution: wear gloves"; one with the mark or with a letter, "8a.", is a field's.
_FIELD = r"(?:(?P<numbered>\*\s?\d{1,3}[a-z]?\.\s+|\d{1,3}[a-z]\.\s+)|\d{1,3}\.\s+|\*\s?)?"
# Strong text in Markdown, whose marks are on either side of the colon: `- **Capacity:** 95 cfm`.
_STRONG = r"(?:\*\*|__)?"
_COLON = re.compile(
    rf"\s*(?:[•▪◦‣·–-]\s|\*\s(?=\*\*|__))?{_STRONG}{_FIELD}{_LABEL}{_STRONG}\s?[:：]{_STRONG}(?:\s+|$)(?P<value>.*)$",
    re.S,
)
_MARKED = re.compile(rf"\s*{_FIELD}(?=[^\W\d_])")
_NUMBERED = re.compile(r"\s*(?:\*\s?)?\d{1,3}[a-z]?\.\s")
# The mark of a footnote behind a heading; a page number behind leaders is none either.
_NOTE = re.compile(r"\s*\(\d{1,2}\)\s*")
_LEADERS = re.compile(rf"\s*{_LABEL}\s?(?:\.\s?){{4,}}\s?(?P<value>.+)$", re.S)


class Labelled(NamedTuple):
    """A labelled value; positions of `value` are offsets in the block's text. None if a number was found that is
    ambiguous or unreadable."""

    name: str
    value: ReadValue | None
    raw: str


def without_number(label: str) -> str:
    """The label of a form's field without its number and mark."""
    found = _MARKED.match(label)
    return label[found.end() :] if found else label


def know_none(_: str) -> bool:
    """Where nobody declared an attribute."""
    return False


def find_labelled(
    lines: Sequence[tuple[int, str]], reading: NumberReading, knows: Callable[[str], bool] = know_none
) -> Iterator[Labelled]:
    """Yields the labelled values of a block's `lines`, each given with its offset in the block's text.

    Numbers, dates and booleans are accepted on any line, texts only in a form, behind a label that is marked as a
    field's, or one that `knows` a declared attribute. A label whose line ends with the colon takes the next line as its
    value, if that has neither a label nor a number of its own.
    """
    pairs = list(_pairs(lines))
    form = len(pairs) >= FORM_LINES and len(pairs) >= 0.5 * len(lines)
    for label, start, text, numbered in pairs:
        name, hint = read_label(label, reading.plain_dollar)
        values = read_values(text, reading, hint) if name else []
        if name and not values and len(text) <= MAX_TEXT and re.search(r"\d", text):
            yield Labelled(name, None, text.strip())
        for value in values if name else ():
            said = text[value.start : value.end]
            if name and (value.typed or is_code(said) or ((form or numbered or knows(name)) and _is_short(said))):
                yield Labelled(name, _moved(value, start), text[value.start : value.end])


def _pairs(lines: Sequence[tuple[int, str]]) -> Iterator[tuple[str, int, str, bool]]:
    """Yields (label, offset of the value, value, whether the label has a number)."""
    waiting, numbered = "", False
    for start, line in lines:
        matched = _COLON.match(line)
        leaders = None if matched else _LEADERS.match(line)
        found = matched or leaders
        if found and _is_label(found["label"]):
            value = found["value"]
            waiting = "" if value else found["label"]
            numbered = matched is not None and matched["numbered"] is not None
            if value.rstrip().endswith((":", "：")):
                continue  # another label
            if value and not _NOTE.fullmatch(value) and (matched or not value.strip().isdigit()):
                yield found["label"], start + found.start("value"), value, numbered
            continue
        if waiting and not found and not _NUMBERED.match(line):
            yield waiting, start, line, numbered
        waiting = ""


def _is_label(label: str) -> bool:
    return len(label) <= MAX_LABEL and len(label.split()) <= MAX_LABEL_WORDS and not label.endswith(("http", "https"))


def _is_short(text: str) -> bool:
    return len(text.split()) <= MAX_TEXT_WORDS and not text.rstrip().endswith((".", ";", ","))


def _moved(value: ReadValue, by: int) -> ReadValue:
    return value._replace(start=value.start + by, end=value.end + by)


# The statement of a scale is looked for in this many short chunks before its table.
ABOVE: Final = 2
MAX_ABOVE: Final = 300
DECIMALS: Final = re.compile(r"\d[.,]\d{1,2}\)?$")
_SAID = re.compile(r"(?:\(|(?<![^().]))(?P<said>[^().]*\bin (?:thousands|millions|billions)\b[^()]*)\)?", re.I)
_EXCEPT = re.compile(r"\b(?:except|unless|other than)\b(?P<what>.*)", re.I | re.S)
# Words in an exception's clause that do not name what is excepted.
_EMPTY: Final = frozenset({"amount", "data", "which", "number", "thousand", "million", "reflected", "where", "noted"})


@dataclass(frozen=True)
class Scale:
    """The scale stated for a table. `excepted` are words of row labels that `hint` does not apply to.

    `unclear`: other tables of the document state a scale and this one does not, so that its bare numbers are ambiguous.
    """

    hint: Hint = NO_HINT
    excepted: frozenset[str] = frozenset()
    unclear: bool = False

    def of(self, words: str, cell: str, decimals: bool) -> Hint | None:
        """The hint for a cell with these labels; None where it may not apply: the labels name an exception, or the cell
        has decimals and its column does not."""
        if self.unclear:
            return None
        if self.excepted and (self.excepted & _singular(words) or (DECIMALS.search(cell) and not decimals)):
            return None
        return self.hint


def scales_of(draft: DocumentDraft, plain_dollar: bool) -> list[Scale]:
    """For each table, the scale that its header, its caption or the lines above it state; else that of the previous
    table if it has the same header."""
    found: list[Scale | None] = []
    before: tuple[list[str], Scale | None] = ([], None)
    wholes = {c.table: at for at, c in enumerate(draft.chunks) if c.chunk_type == "table" and c.table is not None}
    for number, table in enumerate(draft.tables):
        at = wholes.get(number, 0)
        above = [c.content for c in draft.chunks[max(0, at - ABOVE) : at] if len(c.content) <= MAX_ABOVE]
        header = [cell.text for row in table.rows[: table.header_rows] for cell in row]
        scale = _stated([*header, table.caption, *reversed(above)], plain_dollar)
        scale = scale or (before[1] if header == before[0] else None)
        found.append(scale)
        before = header, scale
    other = Scale(unclear=any(scale is not None for scale in found))
    return [scale or other for scale in found]


def _stated(texts: list[str], plain_dollar: bool) -> Scale | None:
    for text in texts:
        said = _SAID.search(text)
        if said is None:
            continue
        excepted = _EXCEPT.search(said["said"])
        plain = said["said"][: excepted.start()] if excepted else said["said"]
        words = _singular(excepted["what"]) - _EMPTY if excepted else frozenset[str]()
        return Scale(hint_of(plain.strip(" ,;"), plain_dollar), words)
    return None


def _singular(text: str) -> frozenset[str]:
    """The words of a text, roughly in the singular."""
    return frozenset(word.removesuffix("s") for word in re.findall(r"[a-z]{4,}", text.lower()))
