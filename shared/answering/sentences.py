"""Sentences of a chunk as verbatim slices of its content."""

import re

# Longer ones are runs of items without a full stop; they are cut at the item marks.
SENTENCE_MAX = 600

_END = re.compile(r"(?<=[.!?])[\"'”’)\]]*\s+(?=[\"'“‘(\[]?[A-Z0-9•])|[。！？]")
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|cf|vs|approx|no|nos|fig|figs|sec|art|ch|p|pp|dr|mr|mrs|ms|st|inc|ltd|co|corp|u\.s)"
    r"|\b[A-Z]|(?:^|\s)\d{1,3})\.$",
    re.IGNORECASE,
)
_ITEM = re.compile(r"\s+(?=[•▪◦‣]\s)")


def split_sentences(content: str) -> list[str]:
    """Slices of `content` in order, without the space around them; empty for blank content."""
    parts: list[str] = []
    start = 0
    for match in _END.finditer(content):
        if not _ABBREVIATION.search(content[start : match.start()]):
            parts.append(content[start : match.end()])
            start = match.end()
    parts.append(content[start:])
    items = [item for part in parts for item in (_ITEM.split(part) if len(part) > SENTENCE_MAX else [part])]
    return [item.strip() for item in items if item.strip()]
