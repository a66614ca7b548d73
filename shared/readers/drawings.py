"""The pictures that a source without pages shows: which are figures, which are left out and why, what each is.

Nothing is unpacked: a picture's size is what its first bytes say. Its text is recognised later (`ingestion/parse.py`).
"""

import hashlib
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from shared.domain.geometry import TextRange
from shared.domain.page import LeftOut, PartPicture, UnreadPicture
from shared.errors import RefusedFile
from shared.readers.blocks import Block, FigureBlock, LeftOutPicture, PlacedLine
from shared.readers.pictures import SHOWN_SHARE

# Of one document: how many pictures are figures, and how many bytes they have together.
MAX_PICTURES: Final = 1_000
MAX_BYTES: Final = 256_000_000
# The area of A4, where nothing says how large a page is; and points of a pixel, where nothing says how large a picture.
PAGE_PT2: Final = 595.0 * 842.0
POINTS_PER_PIXEL: Final = 0.75
# Commands to draw by, not pixels: EMF says so behind its first record's bounds, WMF at its begin (with a header of its
# own, or without), SVG is text; the packed ones are known by their names.
_EMF_AT: Final = 40
_COMMANDS: Final = (b"\xd7\xcd\xc6\x9a", b"\x01\x00\x09\x00", b"\x02\x00\x09\x00", b"<")
_PACKED: Final = (".wmz", ".emz", ".svgz", ".svm")
_BITMAPS: Final = (b"\x89PNG", b"\xff\xd8\xff", b"II*\0", b"MM\0*", b"GIF8", b"BM", b"RIFF")

ReadPart = Callable[[str], bytes | None]


class DrawnSize(NamedTuple):
    """In points; 0 where nothing says."""

    width: float = 0.0
    height: float = 0.0


class Drawings:
    """Makes blocks of a document's pictures, in their order. `read` gives the bytes of what the file names."""

    def __init__(self, read: ReadPart, page: float = PAGE_PT2) -> None:
        self._read, self._page = read, page
        self._names: set[str] = set()
        self._ids: set[str] = set()
        self._bytes = 0

    def blocks(
        self,
        name: str | None,
        drawn: DrawnSize,
        at: int,
        described: Sequence[PlacedLine] = (),
        page: float | None = None,
    ) -> list[Block]:
        """The figure that the picture is, else why it is none and its description. It stands before the character
        `at`. Without a name it is not in the file."""
        found = self._found(name, drawn, at, page or self._page)
        if isinstance(found, PartPicture):
            return [FigureBlock(found, (), described)]
        return [LeftOutPicture(found, described)]

    def _found(self, name: str | None, drawn: DrawnSize, at: int, page: float) -> PartPicture | LeftOut:
        share = drawn.width * drawn.height / page
        if drawn.width and drawn.height and share < SHOWN_SHARE:
            return "small"
        if name is None:
            return "remote"
        if name in self._names:
            return "repeated"
        if len(self._ids) >= MAX_PICTURES or self._bytes > MAX_BYTES:
            return "beyond"
        self._names.add(name)
        data, width, height, unread = self._look(name)
        if width and not (drawn.width and drawn.height):
            share = width * height * POINTS_PER_PIXEL**2 / page
            if share < SHOWN_SHARE:
                return "small"
        identifier = hashlib.sha256(data or name.encode()).hexdigest()
        if identifier in self._ids:
            return "repeated"
        self._ids.add(identifier)
        self._bytes += len(data)
        return PartPicture(
            id=identifier, name=name, place=TextRange(start=at, end=at), width=width, height=height, bytes=len(data),
            share=round(min(share, 1.0), 4), unread=unread,
        )  # fmt: skip

    def _look(self, name: str) -> tuple[bytes, int, int, UnreadPicture | None]:
        try:
            data = self._read(name)
        except RefusedFile:
            data = None
        if not data:
            return b"", 0, 0, "damaged"
        if data[_EMF_AT : _EMF_AT + 4] == b" EMF" or data.startswith(_COMMANDS) or name.endswith(_PACKED):
            return data, 0, 0, "vector"
        if not data.startswith(_BITMAPS):
            return data, 0, 0, "unknown"
        from shared.readers.image.frames import TooManyPixels, size_of

        try:
            return (data, *size_of(data), None)
        except TooManyPixels:
            return data, 0, 0, "too_large"
        except RefusedFile:
            return data, 0, 0, "damaged"
