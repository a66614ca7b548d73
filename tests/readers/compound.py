"""Compound files as [MS-CFB] describes them, written here: streams by their paths."""

import struct
from collections.abc import Mapping

FREE, END, FAT = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD
SECTOR, MINI, CUTOFF = 512, 64, 4096


def compound(streams: Mapping[str, bytes]) -> bytes:
    """`streams`: by paths whose parts are separated by slashes. A folder's entries hang together to the right."""
    names = sorted({"/".join(path.split("/")[:n]) for path in streams for n in range(1, path.count("/") + 2)})
    sectors: list[bytes] = []
    table: list[int] = []
    mini, mini_table = bytearray(), list[int]()
    starts: dict[str, int] = {}

    def put(data: bytes) -> int:
        pieces = [data[at : at + SECTOR].ljust(SECTOR, b"\0") for at in range(0, len(data), SECTOR)]
        first = len(sectors)
        sectors.extend(pieces)
        table.extend([*range(first + 1, first + len(pieces)), END])
        return first

    for path, data in streams.items():
        if len(data) >= CUTOFF:
            starts[path] = put(data)
        elif data:
            count = -(-len(data) // MINI)
            starts[path] = len(mini_table)
            mini_table.extend([*range(len(mini_table) + 1, len(mini_table) + count), END])
            mini += data.ljust(count * MINI, b"\0")
    root_start = put(bytes(mini)) if mini else END
    mini_start = put(struct.pack(f"<{len(mini_table)}I", *mini_table).ljust(SECTOR, b"\xff")) if mini_table else END
    children: dict[str, list[int]] = {}
    for number, path in enumerate(names, 1):
        children.setdefault(path.rpartition("/")[0], []).append(number)
    entries = [entry("Root Entry", 5, FREE, children.get("", [FREE])[0], root_start, len(mini))]
    for number, path in enumerate(names, 1):
        beside = children[path.rpartition("/")[0]]
        after = beside[beside.index(number) + 1 :]
        stream = path in streams
        first = FREE if stream else children[path][0]
        size = len(streams[path]) if stream else 0
        kind = 2 if stream else 1
        entries.append(
            entry(path.rpartition("/")[2], kind, after[0] if after else FREE, first, starts.get(path, END), size)
        )
    directory = put(b"".join(entries))
    tables = len(table) // 127 + 1
    at = len(sectors)
    table.extend([FAT] * tables)
    packed = struct.pack(f"<{len(table)}I", *table).ljust(tables * SECTOR, b"\xff")
    listed = [*range(at, at + tables), *[FREE] * (109 - tables)]
    head = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16)
    head += struct.pack("<HHHHH6xIIIIIIIIII", 62, 3, 0xFFFE, 9, 6, 0, tables, directory, 0, CUTOFF, mini_start,
                        len(mini_table) * 4 // SECTOR + 1 if mini_table else 0, END, 0, listed[0])  # fmt: skip
    return (head + struct.pack("<108I", *listed[1:])) + b"".join(sectors) + packed


def entry(name: str, kind: int, right: int, child: int, start: int, size: int) -> bytes:
    said = name.encode("utf-16-le")
    head = said.ljust(64, b"\0") + struct.pack("<HBBIII", len(said) + 2, kind, 1, FREE, right, child)
    return head + bytes(36) + struct.pack("<IQ", start, size)
