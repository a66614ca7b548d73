"""From the bytes of a text file to its characters."""

import codecs
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from shared.errors import RefusedFile
from shared.readers.text.charsets import BROKEN, guess, ranked, sample

# UTF-32 before UTF-16: its mark begins with the other's.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF32_LE, "utf-32"), (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"),
)  # fmt: skip
_AT_ONCE: Final = 1 << 20


def decode(data: bytes) -> str:
    """The text, without a byte order mark, line ends as they are; U+FFFD for what is broken in UTF-8. Raises
    RefusedFile for what is no text."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _decoded(data, encoding)
    if b"\0" in data:
        try:
            return data.decode(_unmarked(data))
        except UnicodeDecodeError:
            raise _no_text() from None
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data.decode(guess(data), BROKEN)


def encoding_of(path: Path) -> str:
    """The encoding that `decode` would read the file in, with U+FFFD for what is broken in UTF-8; found without holding
    the file in memory. Raises RefusedFile as `decode` does."""
    head = next(_pieces(path), b"")
    for mark, encoding in _MARKS:
        if head.startswith(mark):
            if not _reads(path, encoding):
                raise _misnamed(encoding)
            return encoding
    if any(b"\0" in piece for piece in _pieces(path)):
        encoding = _unmarked(head)
        if not _reads(path, encoding):
            raise _no_text()
        return encoding
    if _reads(path, "utf-8"):
        return "utf-8"
    with path.open("rb") as file:
        likely = ranked(sample(file))
    return next(encoding for encoding in likely if encoding == "utf-8" or _reads(path, encoding))


def _unmarked(data: bytes) -> str:
    """Which UTF-16 bytes with zeros are in, by the side on which most zeros stand: one byte of each ASCII character is
    0, and where the other side is all ASCII every character is one. Raises RefusedFile where that is not so, or the
    text would have control characters or such as are none."""
    high, low = sorted((data[::2], data[1::2]), key=lambda side: side.count(0), reverse=True)
    encoding = "utf-16-be" if high == data[::2] else "utf-16-le"
    text = codecs.getincrementaldecoder(encoding)("replace").decode(data[:_AT_ONCE])
    even = high.count(0) == low.count(0)
    mixed = low.isascii() and high.isascii() and any(high)
    if even or mixed or any(unicodedata.category(c) in {"Cc", "Cn", "Co"} and c not in "\t\n\v\f\r" for c in text):
        raise _no_text()
    return encoding


def _pieces(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while piece := file.read(_AT_ONCE):
            yield piece


def _reads(path: Path, encoding: str) -> bool:
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        for piece in _pieces(path):
            decoder.decode(piece)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _decoded(data: bytes, encoding: str) -> str:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        raise _misnamed(encoding) from None


def _misnamed(encoding: str) -> RefusedFile:
    return RefusedFile(f"The file says that it is {encoding} and is not; save it again as UTF-8.")


def _no_text() -> RefusedFile:
    return RefusedFile("The file has bytes that no text has; check that it is the right file and upload it again.")
