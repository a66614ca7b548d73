"""Looks at the first bytes of a file and refuses what is no PDF, naming what it looks like."""

from pathlib import Path

from shared.errors import RefusedFile

# The header may stand anywhere in the first 1,024 bytes (ISO 32000-1, annex H, implementation note 13).
HEADER_WITHIN = 1024

_LOOKS = (
    (b"PK\x03\x04", "a ZIP container (such as .docx, .xlsx or .pptx)"),
    (b"\xd0\xcf\x11\xe0", "an old Microsoft Office file (.doc, .xls, .msg)"),
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"II*\x00", "a TIFF image"),
    (b"MM\x00*", "a TIFF image"),
    (b"%!PS", "a PostScript file"),
    (b"{\\rtf", "an RTF file"),
    (b"\x1f\x8b", "a gzip archive"),
)


def check_bytes(path: Path) -> None:
    """Raises RefusedFile where `path` is missing, empty or no PDF."""
    if not path.is_file():
        raise RefusedFile(f"There is no file {path.name!r}; check its name.")
    with path.open("rb") as stream:
        head = stream.read(HEADER_WITHIN)
    if not head.strip(b"\x00 \r\n\t"):
        raise RefusedFile("The file is empty; check that it was saved and upload it again.")
    if b"%PDF-" not in head and not _is_headerless_pdf(path):
        raise RefusedFile(
            f"The file is not a PDF but looks like {_looks_like(head)}; export it as PDF and upload that."
        )


def _is_headerless_pdf(path: Path) -> bool:
    """Some writers leave the header out; objects and a trailer still make it a PDF that can be repaired."""
    with path.open("rb") as stream:
        data = stream.read(1 << 20)
    return b" obj" in data and (b"/Catalog" in data or b"trailer" in data)


def _looks_like(head: bytes) -> str:
    for magic, name in _LOOKS:
        if head.startswith(magic):
            return name
    lowered = head.lstrip(b"\xef\xbb\xbf \r\n\t").lower()
    if lowered.startswith((b"<!doctype html", b"<html")):
        return "a web page (HTML)"
    if lowered.startswith(b"<?xml"):
        return "an XML file"
    return "plain text" if b"\x00" not in head and _decodes(head) else "an unknown kind of file"


def _decodes(head: bytes) -> bool:
    try:
        head.decode()
    except UnicodeDecodeError as error:
        return error.start > len(head) - 4
    return True
