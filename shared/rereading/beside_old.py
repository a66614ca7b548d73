"""What an old Excel workbook (BIFF 8) says beside its cells, by the format's own description ([MS-XLS])."""

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from shared.rereading.beside import Beside
from shared.rereading.containers import CompoundFile

_Record = tuple[int, bytes]
_COMPOUND: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_NAMES: Final = ("latin-1", "utf-16-le")


def read_beside_old(path: Path) -> Beside:
    """Nothing for what is no such file: then nothing agrees."""
    data = path.read_bytes()
    if not data.startswith(_COMPOUND):
        return set()
    try:
        stream = CompoundFile(data).read(("Workbook",))
        return {
            (name, row, column, line.strip())
            for name, start in _sheets(stream)
            for row, column, said in _said(list(_part(stream, start)))
            for line in said.splitlines()
            if line.strip()
        }
    except (struct.error, IndexError):
        return set()


def _part(stream: bytes, at: int) -> Iterator[_Record]:
    """From a BOF to the EOF of the same depth, without substreams in it."""
    inside = 0
    while True:
        number, size = struct.unpack("<HH", stream[at : at + 4])
        body = stream[at + 4 : at + 4 + size]
        at += 4 + size
        if number == 0x809:
            inside += 1
        elif number == 0x0A:
            inside -= 1
            if inside == 0:
                return
        elif inside == 1:
            yield number, body


def _sheets(stream: bytes) -> Iterator[tuple[str, int]]:
    for number, body in _part(stream, 0):
        if number == 0x85 and body[5] == 0:
            yield body[8:].decode(_NAMES[body[7] & 1]), int.from_bytes(body[:4], "little")


def _said(records: list[_Record]) -> Iterator[tuple[int, int, str]]:
    """Texts by the objects that they are of; where a note names its object, at its cell."""
    noted = {struct.unpack_from("<H", body, 6)[0]: struct.unpack_from("<HH", body) for n, body in records if n == 0x1C}
    place, drawn = (0, 0), 0
    for at, (number, body) in enumerate(records):
        if number == 0xEC:
            place = next(_places(body), place)
        elif number == 0x5D:
            drawn = struct.unpack_from("<H", body, 6)[0]
        elif number == 0x1B6:
            row, column = noted.get(drawn, place)
            yield row + 1, column + 1, _text(records[at + 1 :], struct.unpack_from("<H", body, 10)[0])


def _text(following: list[_Record], length: int) -> str:
    found = ""
    for number, body in following:
        if number != 0x3C or len(found) >= length:
            break
        found += body[1:].decode(_NAMES[body[0] & 1], "replace")
    return found[:length]


def _places(body: bytes) -> Iterator[tuple[int, int]]:
    """The cell at whose corner a shape begins, from the last one on."""
    found: list[tuple[int, int]] = []
    while len(body) >= 8:
        said, kind, size = struct.unpack("<HHI", body[:8])
        if kind == 0xF010:
            column, _, row = struct.unpack("<3H", body[10:16])
            found.append((row, column))
        body = body[8:] if said % 16 == 15 else body[8 + size :]
    yield from reversed(found)
