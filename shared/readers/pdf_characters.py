"""Further readings of a page through PyMuPDF: what `verify` looks at beside the page file."""

from collections.abc import Callable
from typing import Any

import pymupdf

from shared.domain.characters import storable
from shared.domain.second_reading import PageCharacter

_FLAGS = (
    pymupdf.TEXT_PRESERVE_LIGATURES
    | pymupdf.TEXT_PRESERVE_WHITESPACE
    | pymupdf.TEXT_MEDIABOX_CLIP
    | pymupdf.TEXT_CID_FOR_UNKNOWN_UNICODE
)


def characters_of(page: pymupdf.Page) -> list[PageCharacter]:
    """Every character but white space, in the order of the content stream, at its middle as displayed."""
    place = _placement(page)
    blocks: list[dict[str, Any]] = page.get_textpage(flags=_FLAGS).extractRAWDICT()["blocks"]
    spans = [span for block in blocks for line in block.get("lines", ()) for span in line["spans"]]
    return [
        PageCharacter(storable(c["c"]), *place(*c["bbox"]))
        for span in spans
        for c in span["chars"]
        if not c["c"].isspace()
    ]


def text_of(page: pymupdf.Page) -> str:
    """The same characters as plain text: a tenth of the time."""
    return str(page.get_textpage(flags=_FLAGS).extractText())


def _placement(page: pymupdf.Page) -> Callable[[float, float, float, float], tuple[float, float]]:
    """From a box in the page's own coordinates to its middle in 0..1 as displayed; plain arithmetic, because it runs
    once per character."""
    a, b, c, d, e, f = (float(value) for value in page.rotation_matrix)
    width, height = float(page.rect.width) or 1.0, float(page.rect.height) or 1.0

    def middle(x0: float, y0: float, x1: float, y1: float) -> tuple[float, float]:
        x, y = (x0 + x1) / 2, (y0 + y1) / 2
        return (a * x + c * y + e) / width, (b * x + d * y + f) / height

    return middle
