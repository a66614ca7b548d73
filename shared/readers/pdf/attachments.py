"""Files attached to a PDF: those of the document, which a portfolio shows as its content, those that notes on its pages
hold, those associated with either, and films and models that pages show (ISO 32000-2, 7.11.4, 12.5.6.15, 14.13, 13.7.2
and 13.6)."""

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
        for held, called in _streams(pdf, source.page_count):
            # What has no number stands nowhere else.
            number = mupdf.pdf_to_num(held)
            if mupdf.pdf_is_null(held) or number in seen:
                continue
            seen.update([number] if number else [])
            name = called or f"attachment {len(seen)}"
            one = _read(held, name, most) if len(seen) <= READ_MAX else PdfAttachment(name, b"")
            most = max(0, most - len(one.data))
            yield one


def _streams(pdf: "mupdf.PdfDocument", pages: int) -> "Iterator[tuple[mupdf.PdfObj, str]]":
    """What holds files, with their names: of the document and of its pages, in their order. A damaged page has none."""
    catalog = mupdf.pdf_dict_gets(mupdf.pdf_trailer(pdf), "Root")
    tree = mupdf.pdf_load_name_tree(pdf, mupdf.pdf_new_name("EmbeddedFiles"))
    yield from (_specified(mupdf.pdf_dict_get_val(tree, at)) for at in range(mupdf.pdf_dict_len(tree)))
    yield from map(_specified, _items(catalog, "AF"))
    for at in range(pages):
        try:
            page = mupdf.pdf_lookup_page_obj(pdf, at)
        except READ_ERRORS:
            continue
        yield from map(_specified, _items(page, "AF"))
        for note in _items(page, "Annots"):
            yield _specified(mupdf.pdf_dict_gets(note, "FS"))
            yield from map(_specified, _leaves(mupdf.pdf_dict_getp(note, "RichMediaContent/Assets")))
            yield _model(note)


def _specified(said: "mupdf.PdfObj") -> "tuple[mupdf.PdfObj, str]":
    return _first(mupdf.pdf_dict_gets(said, "EF"), _KEYS), _name(said)


def _leaves(tree: "mupdf.PdfObj") -> "Iterator[mupdf.PdfObj]":
    """The values of a tree of names (7.9.6), each node once."""
    nodes, seen = [tree], set[int]()
    while nodes:
        node = nodes.pop()
        number = mupdf.pdf_to_num(node)
        if number and number in seen:
            continue
        seen.add(number)
        yield from list(_items(node, "Names"))[1::2]
        nodes += reversed(list(_items(node, "Kids")))


def _model(note: "mupdf.PdfObj") -> "tuple[mupdf.PdfObj, str]":
    """A model in three dimensions, which other notes may refer to; it has no name."""
    said = mupdf.pdf_dict_gets(note, "3DD")
    held = said if mupdf.pdf_is_stream(said) else mupdf.pdf_dict_gets(said, "3DD")
    return held, f"model.{mupdf.pdf_to_name(mupdf.pdf_dict_gets(held, 'Subtype')).lower()}"


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
