"""From the bytes of a text file to its characters."""

import codecs

from shared.errors import RefusedFile

# UTF-32 before UTF-16: its mark begins with the other's.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF32_LE, "utf-32"), (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"),
)  # fmt: skip
# Windows-1252 leaves five bytes without a meaning; Latin-1 reads any byte.
_FALLBACKS = ("utf-8", "cp1252", "latin-1")


def decode(data: bytes) -> str:
    """The text, without a byte order mark, line ends as they are. Raises RefusedFile for what is no text."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _decoded(data, encoding)
    if b"\0" in data:
        raise RefusedFile("The file has bytes that no text has; check that it is the right file and upload it again.")
    for encoding in _FALLBACKS:
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    raise AssertionError("latin-1 reads any byte")


def _decoded(data: bytes, encoding: str) -> str:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        raise RefusedFile(f"The file says that it is {encoding} and is not; save it again as UTF-8.") from None
