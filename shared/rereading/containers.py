"""The streams of a compound file (MS-CFB), read by the format's own description: sector after sector."""

import struct
from typing import Final, NamedTuple

_FREE: Final = 0xFFFFFFFA
_ROOT: Final = 5
_STORAGE: Final = 1


class _Entry(NamedTuple):
    name: str
    kind: int
    left: int
    right: int
    child: int
    start: int
    size: int


class CompoundFile:
    """Streams and storages by their paths. What leads nowhere is not there."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._sector = 1 << struct.unpack_from("<H", data, 30)[0]
        first, _, self._cutoff, mini, _, extra = struct.unpack_from("<IIIIII", data, 48)
        listed = list(struct.unpack_from("<109I", data, 76))
        width = self._sector // 4
        while extra < _FREE and len(listed) * self._sector < len(data) * 2:
            more = struct.unpack(f"<{width}I", self._at(extra))
            listed, extra = [*listed, *more[:-1]], more[-1]
        self._table: list[int] = []
        for sector in (one for one in listed if one < _FREE):
            self._table += struct.unpack(f"<{width}I", self._at(sector))
        self._entries = [_entry(raw) for raw in _pieces(self._chain(first), 128)]
        mini_table = self._chain(mini) if mini < _FREE else b""
        self._mini_table = list(struct.unpack(f"<{len(mini_table) // 4}I", mini_table))
        root = self._entries[0]
        self._mini = self._chain(root.start) if root.start < _FREE else b""
        self._paths: dict[tuple[str, ...], _Entry] = {}
        self._walk((), root.child, set())

    def children(self, at: tuple[str, ...]) -> list[str]:
        return sorted(path[-1] for path in self._paths if path[:-1] == at)

    def read(self, at: tuple[str, ...]) -> bytes:
        """A stream's bytes; none of what is not there."""
        entry = self._paths.get(at)
        if entry is None or entry.kind == _STORAGE or not entry.size:
            return b""
        if entry.size >= self._cutoff:
            return self._chain(entry.start)[: entry.size]
        found, sector = bytearray(), entry.start
        while sector < len(self._mini_table) and len(found) < entry.size:
            found += self._mini[sector * 64 : sector * 64 + 64]
            sector = self._mini_table[sector]
        return bytes(found[: entry.size])

    def _at(self, sector: int) -> bytes:
        return self._data[(sector + 1) * self._sector : (sector + 2) * self._sector].ljust(self._sector, b"\0")

    def _chain(self, sector: int) -> bytes:
        found = bytearray()
        while sector < len(self._table) and len(found) <= len(self._data):
            found += self._at(sector)
            sector = self._table[sector]
        return bytes(found)

    def _walk(self, at: tuple[str, ...], first: int, seen: set[int]) -> None:
        stack = [first]
        while stack:
            number = stack.pop()
            if number >= len(self._entries) or number in seen:
                continue
            seen.add(number)
            entry = self._entries[number]
            self._paths[(*at, entry.name)] = entry
            stack += [entry.left, entry.right]
            if entry.kind == _STORAGE:
                self._walk((*at, entry.name), entry.child, seen)


def _pieces(data: bytes, size: int) -> list[bytes]:
    return [data[at : at + size] for at in range(0, len(data) - size + 1, size)]


def _entry(raw: bytes) -> _Entry:
    length = min(max(struct.unpack_from("<H", raw, 64)[0] - 2, 0), 64)
    left, right, child = struct.unpack_from("<III", raw, 68)
    start, size = struct.unpack_from("<II", raw, 116)
    return _Entry(raw[:length].decode("utf-16-le", "replace"), raw[66], left, right, child, start, size)
