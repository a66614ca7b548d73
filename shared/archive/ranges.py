"""An object of the store as a file that is read where it is needed: an archive of any size takes no room."""

import io
from functools import lru_cache
from typing import IO, Any, Final, cast

from shared.errors import NotFound
from shared.ports import BlobStore

BLOCK: Final = 4 * 1024 * 1024
# So many members may be read in turns without any block being fetched twice (`transfers.AT_ONCE`).
BLOCKS: Final = 16


def open_object(blobs: BlobStore, key: str) -> IO[bytes]:
    """The object, to read and to seek. Raises NotFound; one that is gone meanwhile is an EOFError."""
    return io.BufferedReader(cast(io.RawIOBase, _Ranges(blobs, key)), buffer_size=64 * 1024)


class _Ranges(io.RawIOBase):
    def __init__(self, blobs: BlobStore, key: str) -> None:
        self._size, self._at = blobs.size(key), 0

        @lru_cache(maxsize=BLOCKS)
        def block(number: int) -> bytes:
            try:
                return blobs.read_range(key, number * BLOCK, BLOCK)
            except NotFound as gone:
                raise EOFError(f"{key} is gone") from gone

        self._block = block

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        self._at = max(0, start + offset)
        return self._at

    def readinto(self, buffer: Any) -> int:
        if self._at >= self._size:
            return 0
        number, skip = divmod(self._at, BLOCK)
        piece = self._block(number)[skip : skip + len(buffer)]
        buffer[: len(piece)] = piece
        self._at += len(piece)
        return len(piece)
