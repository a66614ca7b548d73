"""Splits a chunk into sentences, as verbatim slices of its content."""

import re
from typing import Final

# Fewer words say nothing.
WORDS_MIN: Final = 4
# Longer sentences are lists of items without full stops; they are split at the item marks.
SENTENCE_MAX = 600

# The separator between the cells of a row's content.
CELL_SEPARATOR = " | "

# Not between others' names and their year: "Smith et al. (1992)". The mark of an item begins one, too.
_END = re.compile(
    r"(?<=[.!?])(?!(?<=\bet al\.),?\s+[(\[]?(?:19|20)\d\d)[\"'”’)\]]*\s+(?=[\"'“‘(\[]?[A-Z0-9•]|[*+-]\s)|[。！？]"
)
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|cf|vs|approx|no|nos|fig|figs|sec|art|ch|p|pp|dr|mr|mrs|ms|st|inc|ltd|co|corp|u\.s|"
    r"nr|abs|bzw|ca|ggf|vgl|inkl|evtl|ziff|prof|tel|str|mio|mrd|z\.\s?b|d\.\s?h|u\.\s?a)"
    r"|\b[A-Z]|(?:^|\s)\d{1,3})\.$",
    re.IGNORECASE,
)
# Five words or more, then a full stop.
_TOLD = re.compile(r"\s*+(?:\S++\s++){4}(?s:.)*?[^\W\d_]{2}[.!][\"'”’)\]]*+(?:\s|$)")
# The first begins the passage.
_MARK = re.compile(r"(?:(?<!.)|(?<=\s))(?:(?P<sign>[-*+])|(?P<number>\d{1,3})[.)])\s++(?=\S)", re.S)
_ITEM = re.compile(r"(?<!\s)\s++(?=[•▪◦‣]\s)")


def split_sentences(content: str) -> list[str]:
    """Slices of `content` in order, without surrounding white space; empty for blank content."""
    parts: list[str] = []
    start = 0
    for match in _END.finditer(content):
        if not _ABBREVIATION.search(content[start : match.start()]):
            parts.append(content[start : match.end()])
            start = match.end()
    parts.append(content[start:])
    items = [item for part in parts for item in (_ITEM.split(part) if len(part) > SENTENCE_MAX else [part])]
    return [item.strip() for item in items if item.strip()]


def split_items(content: str) -> list[str]:
    """Slices of a passage that begins with the mark of an item (`-`, `*`, `+`, `1.`): its items, whether or not they
    end in a full stop. A mark behind fewer than WORDS_MIN words of an item is a dash: "- `name` - what it is"."""
    first = _MARK.match(content)
    if first is None:
        return [content]
    found: list[str] = []
    start, number = 0, int(first["number"] or 0)
    for mark in _MARK.finditer(content, first.end()):
        follows = number + 1 == int(mark["number"]) if mark["number"] else mark["sign"] == first["sign"]
        if follows and bool(mark["number"]) == bool(number) and len(content[start : mark.start()].split()) > WORDS_MIN:
            found.append(content[start : mark.start()].strip())
            start, number = mark.start(), int(mark["number"] or 0)
    return [*found, content[start:].strip()]


def split_row(content: str) -> list[str]:
    """The sentences in a row's cells, without cells that are numbers or short remarks; a row of values is returned
    whole."""
    cells = [cell.strip() for cell in content.split(CELL_SEPARATOR)]
    told = [cell for cell in cells if _TOLD.match(cell)]
    return [sentence for cell in told for sentence in split_sentences(cell)] or [content.strip()]
