"""Splits a chunk into sentences, as verbatim slices of its content."""

import re

# Longer sentences are lists of items without full stops; they are split at the item marks.
SENTENCE_MAX = 600

# The separator between the cells of a row's content.
CELL_SEPARATOR = " | "

# Not between others' names and their year: "Smith et al. (1992)". The mark of an item begins one, too.
_END = re.compile(
    r"(?<=[.!?])(?!(?<=\bet al\.),?\s+[(\[]?(?:19|20)\d\d)[\"'”’)\]]*\s+(?=[\"'“‘(\[]?[A-Z0-9•]|[*+-]\s)|[。！？]"
)
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|cf|vs|approx|no|nos|fig|figs|sec|art|ch|p|pp|dr|mr|mrs|ms|st|inc|ltd|co|corp|u\.s)"
    r"|\b[A-Z]|(?:^|\s)\d{1,3})\.$",
    re.IGNORECASE,
)
# Five words or more, then a full stop.
_TOLD = re.compile(r"\s*+(?:\S++\s++){4}(?s:.)*?[^\W\d_]{2}[.!][\"'”’)\]]*+(?:\s|$)")
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


def split_row(content: str) -> list[str]:
    """The sentences in a row's cells, without cells that are numbers or short remarks; a row of values is returned
    whole."""
    cells = [cell.strip() for cell in content.split(CELL_SEPARATOR)]
    told = [cell for cell in cells if _TOLD.match(cell)]
    return [sentence for cell in told for sentence in split_sentences(cell)] or [content.strip()]
