"""The second reading of a page, through PyMuPDF's `rawdict`: what `verify` compares chunks against."""

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
    matrix = page.rotation_matrix
    width, height = float(page.rect.width) or 1.0, float(page.rect.height) or 1.0
    blocks: list[dict[str, Any]] = page.get_textpage(flags=_FLAGS).extractRAWDICT()["blocks"]
    spans = [span for block in blocks for line in block.get("lines", ()) for span in line["spans"]]
    return [_placed(c, matrix, width, height) for span in spans for c in span["chars"] if not c["c"].isspace()]


def _placed(char: dict[str, Any], matrix: pymupdf.Matrix, width: float, height: float) -> PageCharacter:
    x0, y0, x1, y1 = char["bbox"]
    middle = pymupdf.Point((x0 + x1) / 2, (y0 + y1) / 2) * matrix
    return PageCharacter(storable(str(char["c"])), float(middle.x) / width, float(middle.y) / height)
