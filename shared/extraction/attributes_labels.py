"""Labelled patterns: `CAPACITY: 31.2 SCFM`, a label beside its value, dotted leaders. Line by line."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from shared.extraction.attributes_names import read_label
from shared.extraction.attributes_values import MAX_TEXT, Value, read_values
from shared.values.quantities import Reading

MAX_LABEL: Final = 40
MAX_LABEL_WORDS: Final = 6
# So many labelled lines make a form, in which values may be any short text.
FORM_LINES: Final = 2
MAX_TEXT_WORDS: Final = 8
_LABEL = r"(?P<label>[^\W\d_][^:：;?!]{0,60}?)"
_COLON = re.compile(rf"\s*(?:[•▪◦‣·–-]\s)?{_LABEL}\s?[:：](?:\s+|$)(?P<value>.*)$", re.S)
# The mark of a footnote behind a heading; a page number behind leaders is none either.
_NOTE = re.compile(r"\s*\(\d{1,2}\)\s*")
_LEADERS = re.compile(rf"\s*{_LABEL}\s?(?:\.\s?){{4,}}\s?(?P<value>.+)$", re.S)


@dataclass(frozen=True)
class Labelled:
    """A labelled value; positions of `value` are in the joined text that the lines came from. None: a number is there
    and can be read in several ways, or in none."""

    name: str
    value: Value | None
    raw: str


def find_labelled(lines: Sequence[tuple[int, str]], reading: Reading) -> Iterator[Labelled]:
    """Labelled values of a block's `lines`, each with its position in the block's text.

    Numbers, dates and yes or no count on any line; texts only in a form. A label whose line ends at the colon takes
    the next line, if that has no label of its own.
    """
    pairs = list(_pairs(lines))
    form = len(pairs) >= FORM_LINES and len(pairs) >= 0.5 * len(lines)
    for label, start, text in pairs:
        name, hint = read_label(label, reading.plain_dollar)
        values = read_values(text, reading, hint) if name else []
        if name and not values and len(text) <= MAX_TEXT and re.search(r"\d", text):
            yield Labelled(name, None, text.strip())
        for value in values if name else ():
            if name and (value.typed or (form and _is_short(text))):
                yield Labelled(name, _moved(value, start), text[value.start : value.end])


def _pairs(lines: Sequence[tuple[int, str]]) -> Iterator[tuple[str, int, str]]:
    """Label, position of the value, value."""
    waiting = ""
    for start, line in lines:
        matched = _COLON.match(line)
        leaders = None if matched else _LEADERS.match(line)
        found = matched or leaders
        if found and _is_label(found["label"]):
            value = found["value"]
            waiting = "" if value else found["label"]
            if value and not _NOTE.fullmatch(value) and (matched or not value.strip().isdigit()):
                yield found["label"], start + found.start("value"), value
            continue
        if waiting and not found:
            yield waiting, start, line
        waiting = ""


def _is_label(label: str) -> bool:
    return len(label) <= MAX_LABEL and len(label.split()) <= MAX_LABEL_WORDS and not label.endswith(("http", "https"))


def _is_short(text: str) -> bool:
    return len(text.split()) <= MAX_TEXT_WORDS and not text.rstrip().endswith((".", ";", ","))


def _moved(value: Value, by: int) -> Value:
    return Value(value.start + by, value.end + by, value.quantity, value.text, value.time, value.boolean)
