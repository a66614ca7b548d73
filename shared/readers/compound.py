"""A storage of a compound file as a compound file of its own ([MS-CFB] 2): what a document of before 2007 holds as an
object is such a storage, and a whole document."""

import struct
from collections.abc import Iterable, Mapping, Sequence
from typing import Final
from uuid import UUID

import olefile

Path = tuple[str, ...]

_FREE: Final = 0xFFFFFFFF
_END: Final = 0xFFFFFFFE
_FAT: Final = 0xFFFFFFFD
_DIFAT: Final = 0xFFFFFFFC
_SECTOR: Final = 512
_MINI: Final = 64
# Streams below it lie in the small sectors.
_CUTOFF: Final = 4096
_LISTED_IN_HEADER: Final = 109
_NUMBERS: Final = _SECTOR // 4
_STORAGE, _STREAM, _ROOT = 1, 2, 5


def streams_within(compound: "olefile.OleFileIO[str]", storages: Iterable[Path]) -> dict[Path, list[Path]]:
    """The paths of the streams of each of `storages`, none of which is within another, as they are there."""
    found: dict[Path, list[Path]] = {one: [] for one in storages}
    for path in map(tuple, compound.listdir()):
        for depth in range(1, len(path)):
            if path[:depth] in found:
                found[path[:depth]].append(path)
    return found


def size_of(compound: "olefile.OleFileIO[str]", streams: Iterable[Path]) -> int:
    """Bytes, as the directory says."""
    return sum(compound.get_size([*one]) for one in streams)


def take_out(compound: "olefile.OleFileIO[str]", storage: Path, streams: Sequence[Path]) -> bytes:
    """The compound file whose root is what `storage` is there, with its `streams`. Raises OSError where one is
    damaged."""
    kind = compound.getclsid([*storage])
    held = {one[len(storage) :]: compound.openstream([*one]).read() for one in streams}
    if sum(map(len, held.values())) != size_of(compound, streams):
        raise OSError("a stream ends before its end")
    return write_compound(held, UUID(kind).bytes_le if kind else bytes(16))


def write_compound(streams: Mapping[Path, bytes], kind: bytes = bytes(16)) -> bytes:
    """Streams by their paths; `kind` is the root's class id, 16 bytes."""
    sectors, small = _Sectors(_SECTOR), _Sectors(_MINI)
    starts = {path: (small if len(data) < _CUTOFF else sectors).add(data) for path, data in streams.items()}
    root = sectors.add(bytes(small.data))
    minis = len(small.table)
    small_table = sectors.add(_numbers(small.table))
    sizes = {path: len(data) for path, data in streams.items()} | {(): len(small.data)}
    directory = sectors.add(_directory(starts | {(): root}, sizes, kind))
    tables = lists = 0
    while tables * _NUMBERS < len(sectors.table) + tables + lists:
        tables += 1
        lists = -(-max(0, tables - _LISTED_IN_HEADER) // (_NUMBERS - 1))
    first = len(sectors.table)
    sectors.table += [_FAT] * tables + [_DIFAT] * lists
    places = [*range(first, first + tables)]
    listed, more = places[:_LISTED_IN_HEADER], places[_LISTED_IN_HEADER:]
    head = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16) + struct.pack(
        "<HHHHH6x10I", 0x3E, 3, 0xFFFE, 9, 6, 0, tables, directory, 0, _CUTOFF,
        small_table, -(-minis // _NUMBERS), first + tables if lists else _END, lists, listed[0],
    ) + _numbers(listed[1:], _LISTED_IN_HEADER - 1)  # fmt: skip
    body = bytes(sectors.data) + _numbers(sectors.table, tables * _NUMBERS)
    for number in range(lists):
        some = more[number * (_NUMBERS - 1) : (number + 1) * (_NUMBERS - 1)]
        after = first + tables + number + 1 if number + 1 < lists else _END
        body += _numbers(some, _NUMBERS - 1) + struct.pack("<I", after)
    return head + body


class _Sectors:
    """Sectors of one size, and the table that says which one follows each."""

    def __init__(self, size: int) -> None:
        self.size, self.data, self.table = size, bytearray(), list[int]()

    def add(self, data: bytes) -> int:
        """Returns where it begins."""
        if not data:
            return _END
        first, count = len(self.table), -(-len(data) // self.size)
        self.table += [*range(first + 1, first + count), _END]
        self.data += data.ljust(count * self.size, b"\0")
        return first


def _numbers(values: Sequence[int], count: int | None = None) -> bytes:
    """As they are stored, filled up to `count`, or to whole sectors."""
    filled = count if count is not None else -(-len(values) // _NUMBERS) * _NUMBERS
    return struct.pack(f"<{filled}I", *values, *[_FREE] * (filled - len(values)))


def _directory(starts: Mapping[Path, int], sizes: Mapping[Path, int], kind: bytes) -> bytes:
    paths = sorted({path[:depth] for path in starts for depth in range(len(path) + 1)})
    number = {path: place for place, path in enumerate(paths)}
    beside: dict[Path, tuple[int, int]] = {}
    within: dict[Path, list[Path]] = {}
    for path in paths[1:]:
        within.setdefault(path[:-1], []).append(path)
    first = {folder: number[_balance(sorted(held, key=_order), number, beside)] for folder, held in within.items()}
    entries = [
        _entry(
            path[-1] if path else "Root Entry",
            _ROOT if not path else _STREAM if path in starts else _STORAGE,
            (*beside.get(path, (_FREE, _FREE)), first.get(path, _FREE)),
            bytes(16) if path else kind,
            starts.get(path, 0),
            sizes.get(path, 0),
        )
        for path in paths
    ]
    return b"".join(entries) + _entry("", 0, (_FREE, _FREE, _FREE), bytes(16), 0, 0) * (-len(entries) % 4)


def _order(path: Path) -> tuple[int, str]:
    """Shorter names come first ([MS-CFB] 2.6.4)."""
    return len(path[-1].encode("utf-16-le")), path[-1].upper()


def _balance(held: Sequence[Path], number: Mapping[Path, int], beside: dict[Path, tuple[int, int]]) -> Path:
    """Notes in `beside` which entries are to the left and right of each, so that the one in the middle is the root,
    which is returned."""
    middle = len(held) // 2
    halves = (held[:middle], held[middle + 1 :])
    left, right = (number[_balance(half, number, beside)] if half else _FREE for half in halves)
    beside[held[middle]] = (left, right)
    return held[middle]


def _entry(name: str, what: int, links: tuple[int, int, int], kind: bytes, start: int, size: int) -> bytes:
    said = name.encode("utf-16-le")
    length = len(said) + 2 if said else 0
    # All entries are black, as [MS-CFB] 2.6.4 allows.
    head = said.ljust(64, b"\0") + struct.pack("<HBB3I", length, what, 1, *links)
    return head + kind + bytes(20) + struct.pack("<IQ", start, size)
