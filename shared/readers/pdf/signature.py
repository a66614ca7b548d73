"""Whether a file is a PDF, by its bytes."""

import re
from pathlib import Path
from typing import Final

# The header may stand anywhere in the first 1,024 bytes (ISO 32000-1, annex H, implementation note 13).
HEADER_WITHIN = 1024
SEARCHED_FOR_OBJECTS = 1 << 20
# As they are written in a PDF: prose has objects and trailers, too.
_OBJECT: Final = re.compile(rb"(?<!\d)\d{1,10}\s{1,9}\d{1,5}\s{1,9}obj(?![A-Za-z])")
_TRAILER: Final = re.compile(rb"/Catalog(?![A-Za-z])|(?<![^\r\n])trailer(?![A-Za-z])")


def is_pdf(path: Path, head: bytes) -> bool:
    """`head` are the first bytes of the file at `path`. Some writers leave the header out; objects and a trailer still
    make it a PDF that can be repaired."""
    if b"%PDF-" in head[:HEADER_WITHIN]:
        return True
    with path.open("rb") as stream:
        data = stream.read(SEARCHED_FOR_OBJECTS)
    return bool(_TRAILER.search(data) and _OBJECT.search(data))
