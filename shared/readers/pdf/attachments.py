"""Files attached to a PDF: those of the document, which a portfolio shows as its content, those that notes on its pages
hold, and those associated with either (ISO 32000-2, 7.11.4, 12.5.6.15 and 14.13)."""

from collections.abc import Iterator
from pathlib import Path, PurePath
from typing import Final, NamedTuple

from pymupdf import mupdf

from shared.readers.pdf.document import READ_ERRORS, open_pdf

# Of so many files the bytes are read; of the others the names.
READ_MAX: Final = 1_000
# The names that a file may have and the streams that hold it, the best first.
_KEYS: Final = ("UF", "F", "Unix", "DOS", "Mac")
_DAMAGED: Final = "It is damaged in the PDF; open the PDF in a viewer, save the file from there and upload it itself."
_ERRORS: Final = (*READ_ERRORS, MemoryError, OverflowError)


class PdfAttachment(NamedTuple):
    """A file within a PDF, without folders in its name. `refusal`: why it cannot be taken out; then it has no data."""

    name: str
    data: bytes
    refusal: str | None = None


def pdf_attachments(path: Path, most: int) -> Iterator[PdfAttachment]:
    """Each file once, however many places of the PDF refer to it. Of one that inflates to more than is left of `most`
    bytes one byte more than that is read. Raises RefusedFile where the PDF cannot be opened without a password."""
    with open_pdf(path) as source:
        pdf = mupdf.pdf_document_from_fz_document(source.document.this)
        seen = set[int]()
        for said in _specifications(pdf, source.page_count):
            held = _first(mupdf.pdf_dict_gets(said, "EF"), _KEYS)
            # What has no number stands nowhere else.
            number = mupdf.pdf_to_num(held)
            if mupdf.pdf_is_null(held) or number in seen:
                continue
            seen.update([number] if number else [])
            name = _name(said) or f"attachment {len(seen)}"
            one = _read(held, name, most) if len(seen) <= READ_MAX else PdfAttachment(name, b"")
            most = max(0, most - len(one.data))
            yield one


def _specifications(pdf: "mupdf.PdfDocument", pages: int) -> Iterator["mupdf.PdfObj"]:
    """What describes files: of the document and of its pages, in their order. A damaged page has none."""
    catalog = mupdf.pdf_dict_gets(mupdf.pdf_trailer(pdf), "Root")
    tree = mupdf.pdf_load_name_tree(pdf, mupdf.pdf_new_name("EmbeddedFiles"))
    yield from (mupdf.pdf_dict_get_val(tree, at) for at in range(mupdf.pdf_dict_len(tree)))
    yield from _items(catalog, "AF")
    for at in range(pages):
        try:
            page = mupdf.pdf_lookup_page_obj(pdf, at)
        except READ_ERRORS:
            continue
        yield from _items(page, "AF")
        yield from (mupdf.pdf_dict_gets(note, "FS") for note in _items(page, "Annots"))


def _items(owner: "mupdf.PdfObj", key: str) -> Iterator["mupdf.PdfObj"]:
    found = mupdf.pdf_dict_gets(owner, key)
    yield from (mupdf.pdf_array_get(found, at) for at in range(mupdf.pdf_array_len(found)))


def _first(owner: "mupdf.PdfObj", keys: tuple[str, ...]) -> "mupdf.PdfObj":
    found = (mupdf.pdf_dict_gets(owner, key) for key in keys)
    return next((one for one in found if not mupdf.pdf_is_null(one)), mupdf.PdfObj())


def _name(said: "mupdf.PdfObj") -> str:
    found = _first(said, _KEYS)
    # Bytes that are no letters come as halves of pairs, which cannot be stored.
    text = "" if mupdf.pdf_is_null(found) else str(mupdf.pdf_to_text_string(found))
    return PurePath(text.encode("utf-8", "ignore").decode().replace("\\", "/")).name


def _read(held: "mupdf.PdfObj", name: str, most: int) -> PdfAttachment:
    """A stream that inflates to more is not inflated further."""
    try:
        stream = mupdf.fz_open_null_filter(mupdf.pdf_open_stream(held), most + 1, 0)
        return PdfAttachment(name, bytes(stream.fz_read_all(1024).fz_buffer_extract()))
    except _ERRORS:
        return PdfAttachment(name, b"", _DAMAGED)
