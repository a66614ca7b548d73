"""Excel's binary workbooks, written here record by record ([MS-XLSB]): what is shown, hidden and noted; damage."""

import random
import struct
from collections.abc import Sequence
from pathlib import Path

import pytest

from shared.errors import RefusedFile
from shared.readers.registry import recognise
from shared.readers.sheets import cells
from shared.readers.sheets.binary import read_binary_workbook
from shared.readers.sheets.cells import Area, SheetCell, SheetNote
from shared.rereading.sheets import reread_workbook
from tests.readers.structured import opened, pages_of
from tests.readers.test_text import told
from tests.readers.workbooks import packed

_LINK = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
DATE, PLAIN, WEIGHT = 0, 1, 2


def record(number: int, data: bytes = b"") -> bytes:
    kind = bytes([number]) if number < 128 else bytes([number & 127 | 128, number >> 7])
    length = b""
    size = len(data)
    while size > 127:
        length += bytes([size & 127 | 128])
        size >>= 7
    return kind + length + bytes([size]) + data


def wide(text: str) -> bytes:
    return struct.pack("<I", len(text.encode("utf-16-le")) // 2) + text.encode("utf-16-le")


def cell(number: int, column: int, data: bytes, style: int = PLAIN) -> bytes:
    return record(number, struct.pack("<II", column, style) + data)


def row(number: int, *cells: bytes, hidden: bool = False) -> bytes:
    return record(0, struct.pack("<IIHBBBI", number, 0, 300, 0, 0x10 if hidden else 0, 0, 0)) + b"".join(cells)


def links(*found: tuple[str, str]) -> str:
    said = "".join(
        f'<Relationship Id="r{at}" Type="{_LINK}/{kind}" Target="{target}"/>' for at, (kind, target) in enumerate(found)
    )
    return f'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{said}</Relationships>'


def binary(
    *sheets: tuple[str, bytes, bool], strings: Sequence[str] = (), comments: bytes = b"", since_1904: bool = False
) -> bytes:
    """Each sheet with its name, its records, and whether it is hidden; the notes are the first one's."""
    listed = b"".join(
        record(156, struct.pack("<II", int(hidden), at) + wide(f"r{at}") + wide(name))
        for at, (name, _, hidden) in enumerate(sheets)
    )
    own = record(615, struct.pack("<I", 1)) + record(44, struct.pack("<H", 164) + wide('0.0" kg"')) + record(616)
    # Styles of styles come before those of cells, and are none of them.
    named = record(626) + record(47, struct.pack("<HH", 0xFFFF, 9) + bytes(12)) + record(627)
    styles = record(617, struct.pack("<I", 3)) + b"".join(
        record(47, struct.pack("<HH", 0, code) + bytes(12)) for code in (14, 0, 164)
    ) + record(618)  # fmt: skip
    workbook = (
        record(153, struct.pack("<I", int(since_1904)) + bytes(8)) + record(143) + listed + record(144) + record(132)
    )
    items = b"".join(record(19, b"\0" + wide(one)) for one in strings)
    members: dict[str, str | bytes] = {
        "_rels/.rels": links(("officeDocument", "xl/workbook.bin")),
        "xl/workbook.bin": workbook,
        "xl/_rels/workbook.bin.rels": links(
            *(("worksheet", f"worksheets/sheet{at}.bin") for at in range(len(sheets))),
            ("styles", "styles.bin"), ("sharedStrings", "sharedStrings.bin"),
        ),
        "xl/styles.bin": own + named + styles,
        "xl/sharedStrings.bin": record(159, struct.pack("<II", len(strings), len(strings))) + items,
        "xl/comments1.bin": comments,
        "xl/worksheets/_rels/sheet0.bin.rels": links(("comments", "../comments1.bin")),
    }  # fmt: skip
    for at, (_, records, _) in enumerate(sheets):
        members[f"xl/worksheets/sheet{at}.bin"] = (
            record(148, struct.pack("<4I", 0, 9, 0, 9)) + record(145) + records + record(146)
        )
    return packed(members)


CARGO = (
    row(0, cell(7, 0, bytes(4)), cell(6, 1, wide("Mass")), cell(6, 2, wide("Since")), cell(6, 3, wide("Safe")))
    + row(1, cell(7, 0, struct.pack("<I", 1)), cell(5, 1, struct.pack("<d", 3.14159), WEIGHT),
          cell(2, 2, struct.pack("<i", 44_000 << 2 | 2), DATE), cell(4, 3, b"\1"))
    + row(2, cell(8, 0, wide("Crane of 1904")), cell(9, 1, struct.pack("<d", 1e6)),
          cell(2, 2, struct.pack("<i", 123 << 2 | 3)), cell(3, 3, b"\x2a"))
)  # fmt: skip
WORDS = ("Gear", "Bré\U0001f6a2 st")


def test_cells_are_read_as_they_are_shown(tmp_path: Path) -> None:
    path = tmp_path / "x.xlsb"
    path.write_bytes(binary(("Cargo", CARGO, False), strings=WORDS))
    assert recognise(path, "anything").source_type == "xlsb"
    assert [one for one in told(pages_of(path)) if one[0] == "table"] == [
        (
            "table",
            1,
            [
                [["Gear"], ["Mass"], ["Since"], ["Safe"]],
                [["Bré\U0001f6a2 st"], ["3.1 kg"], ["2020-06-18"], ["TRUE"]],
                [["Crane of 1904"], ["1000000"], ["1.23"], ["#N/A"]],
            ],
        )
    ]


def test_every_sheet_is_read_and_dates_begin_where_the_workbook_says(tmp_path: Path) -> None:
    path = tmp_path / "x.xlsb"
    path.write_bytes(binary(("Cargo", CARGO, False), ("Kept", CARGO, True), strings=WORDS, since_1904=True))
    sheets = read_binary_workbook(path)
    assert [(one.name, one.hidden) for one in sheets] == [("Cargo", False), ("Kept", True)]
    assert sheets[0].rows[2][3] == SheetCell("2024-06-19", "date")


def test_what_is_hidden_and_merged(tmp_path: Path) -> None:
    column = record(60, struct.pack("<IIIIH", 1, 2, 0, 0, 1)) + record(60, struct.pack("<IIIIH", 3, 3, 0, 0, 0))
    merged = record(176, struct.pack("<4I", 0, 1, 2, 3))
    path = tmp_path / "x.xlsb"
    path.write_bytes(
        binary(("A", column + CARGO + row(3, cell(6, 0, wide("x")), hidden=True) + merged, False), strings=WORDS)
    )
    (sheet,) = read_binary_workbook(path)
    assert (sheet.hidden_columns, sheet.hidden_rows, sheet.merged) == ({2, 3}, {4}, [Area(1, 3, 2, 4)])


def test_cells_without_a_column_stand_in_the_next_one(tmp_path: Path) -> None:
    style = struct.pack("<I", PLAIN)
    cells = [
        cell(6, 4, wide("first")),
        record(12, style),
        record(17, style + wide("third")),
        record(18, style + bytes(4)),
    ]
    path = tmp_path / "x.xlsb"
    path.write_bytes(binary(("A", row(6, *cells, cell(62, 0, b"\1" + wide("rich"))), False), strings=WORDS))
    assert {at: one.text for at, one in read_binary_workbook(path)[0].rows[7].items()} == {
        1: "rich", 5: "first", 7: "third", 8: "Gear",
    }  # fmt: skip


def test_notes_on_cells_are_read_and_proved(tmp_path: Path) -> None:
    said = "Check it.\nAnn"
    note = record(635, struct.pack("<I4I", 0, 1, 1, 2, 2) + bytes(16)) + record(637, b"\1" + wide(said) + bytes(12))
    path = tmp_path / "x.xlsb"
    path.write_bytes(binary(("Cargo", CARGO, False), strings=WORDS, comments=note))
    assert read_binary_workbook(path)[0].notes == [SheetNote(said, Area(2, 3, 2, 3))]
    pages_of(path)
    second = reread_workbook(path).cells
    assert second is not None
    assert second.left().startswith("Ann Check it. ")


def test_a_damaged_workbook_is_refused_and_nothing_else(tmp_path: Path) -> None:
    chance = random.Random(7)
    whole = CARGO + record(176, struct.pack("<4I", 0, 1, 2, 3))
    path = tmp_path / "x.xlsb"
    refused = 0
    for _ in range(300):
        damaged = bytearray(whole)
        for _ in range(chance.randint(1, 6)):
            damaged[chance.randrange(len(damaged))] = chance.choice((0, 1, 127, 128, 255, chance.randrange(256)))
        path.write_bytes(binary(("Cargo", bytes(damaged[: chance.randint(1, len(damaged))]), False), strings=WORDS))
        try:
            opened(path)
        except RefusedFile:
            refused += 1
    assert 50 < refused < 300


def test_too_much_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.xlsb"
    far = CARGO + row(999_999, cell(6, 16_000, wide("far")))
    path.write_bytes(binary(("Cargo", far, False), strings=WORDS))
    with pytest.raises(RefusedFile, match="too far apart"):
        opened(path)
    note = record(635, bytes(36)) + record(637, b"\1" + wide("a") + bytes(12))
    path.write_bytes(binary(("Cargo", CARGO, False), strings=WORDS, comments=note))
    monkeypatch.setattr(cells, "MAX_ROWS", 4)
    opened(path)
    monkeypatch.setattr(cells, "MAX_ROWS", 3)
    with pytest.raises(RefusedFile, match="more than 3 rows"):
        opened(path)


@pytest.mark.parametrize(
    "records", [cell(6, 1 << 14, wide("far")), cell(6, 0, struct.pack("<I", 1 << 30)), b"\x06\xff\xff"]
)
def test_what_no_program_writes_is_damage(tmp_path: Path, records: bytes) -> None:
    path = tmp_path / "x.xlsb"
    path.write_bytes(binary(("Cargo", row(0) + records, False)))
    with pytest.raises(RefusedFile, match="damaged"):
        opened(path)
