"""A page's single characters as PyMuPDF returns them: the reference that `verify` compares stored text with.

Shares nothing but the library with the reader of page files: lines are not joined, split or sorted here.
"""

from collections.abc import Iterator
from typing import Any

import pymupdf

from shared.domain.raw_page import (
    Extent,
    RawCharacter,
    RawForm,
    RawLine,
    RawPage,
    RawPath,
    RawPictures,
    RawShape,
    RawSpan,
)

_FLAGS = (
    pymupdf.TEXT_PRESERVE_LIGATURES
    | pymupdf.TEXT_PRESERVE_WHITESPACE
    | pymupdf.TEXT_MEDIABOX_CLIP
    | pymupdf.TEXT_CID_FOR_UNKNOWN_UNICODE
)
_PAINTED = 16 | 32  # char_flags: filled, stroked
_WIDGET = 21  # `pymupdf.PDF_ANNOT_WIDGET`, which its type information leaves out
_HIDDEN = 2 | 32  # flags of an annotation: hidden, not shown on screens
_RADIO, _PUSH_BUTTON = 0x8000, 0x10000  # flags of a button
_GENERATIONS = 8
_MOST_SHAPES = 5000


def raw_pages_of(page: pymupdf.Page) -> Iterator[RawPage]:
    """Every character with some extent inside the page's crop box and the clips it is drawn under; several readings,
    likeliest first.

    The library can read a page directly or from a display list. Both have the same glyphs, but where these are far
    apart, only one may see a blank or a line end. Each is read with the replacement text that the file has for some
    glyphs (ActualText), and without.
    """
    for flags in (_FLAGS, _FLAGS | pymupdf.TEXT_IGNORE_ACTUALTEXT):
        yield _raw_page(page, page.get_textpage(flags=flags), flags)
        yield _raw_page(page, pymupdf.TextPage(page.get_displaylist().get_textpage(flags)), flags)


def drawn_page_of(page: pymupdf.Page) -> RawPage:
    """The drawn glyphs without replacement text; U+FFFD for each glyph whose meaning the file does not define."""
    flags = _FLAGS & ~pymupdf.TEXT_CID_FOR_UNKNOWN_UNICODE | pymupdf.TEXT_IGNORE_ACTUALTEXT
    return _raw_page(page, page.get_textpage(flags=flags), flags)


def _raw_page(page: pymupdf.Page, textpage: pymupdf.TextPage, flags: int) -> RawPage:
    blocks: list[dict[str, Any]] = textpage.extractRAWDICT()["blocks"]
    a, b, c, d, e, f = (float(value) for value in page.rotation_matrix)
    lines = [_line(raw) for block in blocks for raw in block.get("lines", ())]
    drawn = bool(flags & pymupdf.TEXT_IGNORE_ACTUALTEXT)
    width, height = float(page.rect.width), float(page.rect.height)
    return RawPage(width, height, int(page.rotation), (a, b, c, d, e, f), lines, drawn)


def pictures_of(page: pymupdf.Page) -> RawPictures:
    listed = page.get_textpage(flags=pymupdf.TEXT_PRESERVE_IMAGES | pymupdf.TEXT_MEDIABOX_CLIP)
    images: Any = listed.extractIMGINFO()
    bitmaps: list[Extent] = [tuple(image["bbox"]) for image in images]
    vectors = page.get_textpage(flags=pymupdf.TEXT_COLLECT_VECTORS | pymupdf.TEXT_MEDIABOX_CLIP)
    blocks: list[dict[str, Any]] = vectors.extractDICT()["blocks"]
    return RawPictures(bitmaps, [tuple(block["bbox"]) for block in blocks if block["type"] == 3])


def form_of(page: pymupdf.Page) -> RawForm:
    """Fields by their appearance state, `Off` or the name of what is shown; where a field has none, by its value.
    Hidden ones are left out."""
    listed = page.get_textpage(flags=pymupdf.TEXT_COLLECT_VECTORS | pymupdf.TEXT_MEDIABOX_CLIP)
    blocks: list[dict[str, Any]] = listed.extractDICT()["blocks"]
    shapes = [
        RawShape(tuple(block["bbox"]), block["stroked"], block["isrect"], block["color"])
        for block in blocks
        if block["type"] == 3 and block["alpha"]
    ]
    curved = any(not one.square_cut for one in shapes) and sum(b["type"] == 3 for b in blocks) <= _MOST_SHAPES
    return RawForm(shapes, [*_fields(page)], [*_paths(page)] if curved else ())


def _paths(page: pymupdf.Page) -> Iterator[RawPath]:
    drawings: Any = page.get_cdrawings()
    for one in drawings:
        pieces = [list(piece[1:]) for piece in one["items"] if piece[0] in "lc"]
        if pieces and len(pieces) == len(one["items"]):
            yield RawPath(one["rect"], float(one.get("width") or 0) if "s" in one["type"] else 0.0, pieces)


def _fields(page: pymupdf.Page) -> Iterator[tuple[Extent, bool]]:
    document: Any = page.parent
    for reference, kind, _ in page.annot_xrefs():
        if not reference or kind != _WIDGET:
            continue
        ticked = _ticked(document, reference)
        flags = document.xref_get_key(reference, "F")[1]
        corners = document.xref_get_key(reference, "Rect")[1].strip("[]").split()
        if ticked is None or not _are_numbers(corners) or (flags.isdigit() and int(flags) & _HIDDEN):
            continue
        box = pymupdf.Rect([float(one) for one in corners]).normalize() * page.transformation_matrix
        yield (float(box.x0), float(box.y0), float(box.x1), float(box.y1)), ticked


def _ticked(document: Any, reference: int) -> bool | None:
    """None for a push button, for what is no button, and for one of a group of radio buttons without pictures."""
    said, state = document.xref_get_key(reference, "AS")
    if said == "name":
        return bool(state != "/Off")
    line = [reference]
    while len(line) < _GENERATIONS and (parent := document.xref_get_key(line[-1], "Parent"))[0] == "xref":
        line.append(int(parent[1].partition(" ")[0]))
    own = {key: [document.xref_get_key(one, key) for one in line] for key in ("FT", "Ff", "V")}
    kind, flags, value = (next((said[1] for said in own[key] if said[0] != "null"), "") for key in own)
    bits = int(flags) if flags.isdigit() else 0
    if kind != "/Btn" or bits & _PUSH_BUTTON:
        return None
    if value[:1] != "/" or value == "/Off":
        return False
    pictured = document.xref_get_key(reference, "AP/N")[0] != "null"
    if not pictured and bits & _RADIO:
        return None
    return not pictured or bool(document.xref_get_key(reference, "AP/N" + value)[0] != "null")


def _are_numbers(corners: list[str]) -> bool:
    try:
        return len([float(one) for one in corners]) == 4
    except ValueError:
        return False


def _line(raw: dict[str, Any]) -> RawLine:
    return RawLine([_span(span) for span in raw["spans"]], tuple(raw["dir"]), raw["wmode"] == 1)


def _span(raw: dict[str, Any]) -> RawSpan:
    characters = [RawCharacter(one["c"], one["bbox"], one["origin"][1]) for one in raw["chars"]]
    drawn = bool(raw["char_flags"] & _PAINTED) and raw["alpha"] != 0
    return RawSpan(raw["font"], raw["size"], drawn, raw["bbox"], raw["origin"][1], characters)
