"""Recognises how a line starts or ends: bullets, list numbers, footnote marks, captions, labels, entries of a printed
table of contents."""

import re

from shared.values.fields import COLONS

BULLET = re.compile(
    r"^[\u2022\u2023\u25cf\u25cb\u25e6\u25aa\u25ab\u25a0\u25a1\u2043\u2219\u00b7\u2713\u2714\u27a2\u27a4\u2192\uf0b7\uf0a7\uf0d8\uf076o\-\u2013\u2014*](?:\s+|$)"
)
GLYPH_BULLET = re.compile(r"^[\u2022\u25cf\u25aa\u25a0\u2219\u00b7\uf0b7\uf0a7]\S")
NUMBERED = re.compile(r"^(?:\(?(?:\d{1,3}|[a-zA-Z]|[ivxlc]{1,6})\)|(?:\d{1,2}|[a-z])\.)\s+\S")
MARK_ALONE = re.compile(r"^(?:\(?(?:\d{1,3}|[a-zA-Z]|[ivxlc]{1,6})\)|(?:\d{1,2}|[a-z])\.)$")
CAPTION = re.compile(
    r"^(?P<kind>Figure|Fig\.|FIGURE|Table|TABLE|Tab\.|Exhibit|Chart|Diagram|Plate|Listing|Algorithm|Abbildung|Tabelle)"
    r"\s*(?P<number>[A-Z]{0,2}[.\-]?\d{1,3}(?:[.\-\u2013]\d{1,3})*[a-z]?|[IVXL]{1,5})\s*"
    r"(?P<end>[:.|\u2013\u2014-]|$|(?<=\s)(?![a-z,;)]))"
)
DOTTED = re.compile(r"(?:[.\u2026\u00b7_]\s*+){4}[\divxlcA-Z.\-]{0,8}$|\u2026{2,}")
CONTENTS_TITLE = re.compile(
    r"^(?:table of )?contents$|^inhalt(?:sverzeichnis)?$|^index$|^list of (?:figures|tables)$", re.I
)
FOOTNOTE = re.compile(r"^(?:\d{1,2}(?!\d)|[*\u2020\u2021\u00a7]{1,2})\s?(?=[^\d\s,.%)])")
SENTENCE_END = re.compile(r"[.!?:;\u3002\uff01\uff1f][\"')\]\u201d\u2019\u00bb]*$")
# How long a label is at most.
MAX_LABEL = 60


def starts_item(text: str) -> bool:
    """Whether a line begins a list item."""
    return bool(BULLET.match(text) or GLYPH_BULLET.match(text) or NUMBERED.match(text) or MARK_ALONE.match(text))


def caption_kind(text: str) -> str | None:
    """`table` or `figure` for a line that starts like a caption, else None."""
    matched = CAPTION.match(text)
    if matched is None:
        return None
    return "table" if matched["kind"].lower().startswith("tab") else "figure"


def ends_in_colon(text: str) -> bool:
    """Whether the text is a short label whose value is still to come."""
    return len(text) <= MAX_LABEL and text.rstrip().endswith(tuple(COLONS))
