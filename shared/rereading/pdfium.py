"""The second reader: the characters of a page as PDFium, which shares no code with MuPDF, returns them."""

import ctypes
from pathlib import Path
from types import TracebackType

import pypdfium2
import pypdfium2.raw as pdfium

from shared.domain.raw_page import Glyph

# PDFium's code points for a hyphen at a line's end, and for a character that it could not decode.
_MARKS = {"\x02": "-", "\ufffe": "-", "\x00": "\ufffd"}
_HIGH, _LOW, _END = 0xD800, 0xDC00, 0xE000


class PdfiumReader:
    """An open PDF; `glyphs` answers None where PDFium cannot open the file or the page. Use as a context manager."""

    def __init__(self, path: Path) -> None:
        try:
            self._document: pypdfium2.PdfDocument | None = pypdfium2.PdfDocument(path)
        except pypdfium2.PdfiumError:
            self._document = None

    def glyphs(self, page: int, drawn: bool = False) -> list[Glyph] | None:
        """Every character of a page (from 1) but white space, in PDFium's order; what the crop box hides is not
        displayed and left out. `drawn`: without the replacement text (ActualText) of marked content."""
        if self._document is None:
            return None
        try:
            opened = self._open(self._document, page)
            if drawn:
                _remove_marks(opened)
            text = opened.get_textpage()
        except (pypdfium2.PdfiumError, IndexError):
            return None
        try:
            return _glyphs(text.raw, _Frame(opened))
        finally:
            text.close()
            opened.close()

    @staticmethod
    def _open(document: pypdfium2.PdfDocument, page: int) -> pypdfium2.PdfPage:
        """The page; what forms and notes draw on it is made part of it first, or it would not be read."""
        opened = document[page - 1]
        if not _has_drawn_notes(opened):
            return opened
        pdfium.FPDFPage_Flatten(opened.raw, pdfium.FLAT_NORMALDISPLAY)
        opened.close()
        return document[page - 1]

    def __enter__(self) -> "PdfiumReader":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._document is not None:
            self._document.close()


class _Frame:
    """From PDF space (origin bottom left of an unrotated page) to 0..1 of the page as displayed."""

    def __init__(self, page: pypdfium2.PdfPage) -> None:
        # Reading the page's own boxes alone would miss inherited ones.
        left, bottom, right, top = page.get_bbox()
        self._left, self._top = left, top
        self._width, self._height = (right - left) or 1.0, (top - bottom) or 1.0
        self._rotation = page.get_rotation() % 360

    def place(self, x: float, y: float) -> tuple[float, float]:
        u, v = (x - self._left) / self._width, (self._top - y) / self._height
        if self._rotation == 90:
            return 1 - v, u
        if self._rotation == 180:
            return 1 - u, 1 - v
        return (v, 1 - u) if self._rotation == 270 else (u, v)


def _remove_marks(page: pypdfium2.PdfPage) -> None:
    """Removes the marked-content marks of the page's text objects, in memory; objects in forms are listed with the
    page's own."""
    for one in page.get_objects(filter=(pdfium.FPDF_PAGEOBJ_TEXT,)):
        for index in reversed(range(pdfium.FPDFPageObj_CountMarks(one.raw))):
            pdfium.FPDFPageObj_RemoveMark(one.raw, pdfium.FPDFPageObj_GetMark(one.raw, index))


def _has_drawn_notes(page: pypdfium2.PdfPage) -> bool:
    """Whether the page has annotations beyond links and pop-ups: fields of forms, stamps, comments."""
    for index in range(pdfium.FPDFPage_GetAnnotCount(page.raw)):
        annotation = pdfium.FPDFPage_GetAnnot(page.raw, index)
        kind = pdfium.FPDFAnnot_GetSubtype(annotation)
        pdfium.FPDFPage_CloseAnnot(annotation)
        if kind not in (pdfium.FPDF_ANNOT_LINK, pdfium.FPDF_ANNOT_POPUP):
            return True
    return False


def _glyphs(text: object, frame: _Frame) -> list[Glyph]:
    found: list[Glyph] = []
    left, right, bottom, top = (ctypes.c_double() for _ in range(4))
    edges = [ctypes.byref(edge) for edge in (left, right, bottom, top)]
    count = pdfium.FPDFText_CountChars(text)
    spaced, high = False, 0
    for index in range(count):
        code = pdfium.FPDFText_GetUnicode(text, index)
        if _HIGH <= code < _LOW:
            high = code
            continue
        if _LOW <= code < _END and high:
            code, high = 0x10000 + ((high - _HIGH) << 10) + (code - _LOW), 0
        character = _MARKS.get(chr(code)) or chr(code)
        if character.isspace():
            spaced = True
            continue
        pdfium.FPDFText_GetCharBox(text, index, *edges)
        x, y = _middle(text, index, left.value, right.value, bottom.value, top.value)
        u, v = frame.place(x, y)
        if 0 <= u <= 1 and 0 <= v <= 1:
            found.append(Glyph(character, u, v, spaced))
        spaced = False
    return found


def _middle(text: object, index: int, left: float, right: float, bottom: float, top: float) -> tuple[float, float]:
    """The middle of the ink; of a character without any its origin."""
    if right > left or top > bottom:
        return (left + right) / 2, (bottom + top) / 2
    x, y = ctypes.c_double(), ctypes.c_double()
    pdfium.FPDFText_GetCharOrigin(text, index, ctypes.byref(x), ctypes.byref(y))
    return x.value, y.value
