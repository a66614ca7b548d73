"""Whether a file is a PDF, by its bytes."""

from pathlib import Path

# The header may stand anywhere in the first 1,024 bytes (ISO 32000-1, annex H, implementation note 13).
HEADER_WITHIN = 1024
SEARCHED_FOR_OBJECTS = 1 << 20


def is_pdf(path: Path, head: bytes) -> bool:
    """`head` are the first bytes of the file at `path`. Some writers leave the header out; objects and a trailer still
    make it a PDF that can be repaired."""
    if b"%PDF-" in head[:HEADER_WITHIN]:
        return True
    with path.open("rb") as stream:
        data = stream.read(SEARCHED_FOR_OBJECTS)
    return b" obj" in data and (b"/Catalog" in data or b"trailer" in data)
