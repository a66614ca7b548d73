"""Old Excel workbooks, written here record by record ([MS-XLS]): what is shown, what is hidden, damage."""

import struct
from pathlib import Path

import pytest

from shared.errors import RefusedFile
from shared.readers.registry import recognise
from tests.readers.compound import compound
from tests.readers.structured import opened, pages_of
from tests.readers.test_text import told

Cells = list[tuple[int, int, str | float]]
DATE, GENERAL = 1, 0


def record(number: int, data: bytes = b"") -> bytes:
    return struct.pack("<HH", number, len(data)) + data


def xf(number_format: int) -> bytes:
    return record(0xE0, struct.pack("<HHH", 0, number_format, 1) + bytes(14))


def cell(row: int, column: int, value: str | float, style: int = GENERAL) -> bytes:
    if isinstance(value, str):
        said = value.encode("utf-16-le")
        return record(0x204, struct.pack("<HHHHB", row, column, style, len(value), 1) + said)
    return record(0x203, struct.pack("<HHHd", row, column, style, value))


def biff(*sheets: tuple[str, bytes, bool]) -> bytes:
    """A workbook of BIFF 8: each sheet with its name, its records, and whether it is hidden."""
    begin = record(0x809, struct.pack("<HHHHII", 0x600, 5, 0, 0, 0, 0))
    font = record(0x31, struct.pack("<HHHHHBBBBBB", 200, 0, 0, 400, 0, 0, 0, 0, 0, 1, 0) + b"A")
    head = begin + font + xf(0) + xf(14)
    parts = [record(0x809, struct.pack("<HHHHII", 0x600, 16, 0, 0, 0, 0)) + one + record(0x0A) for _, one, _ in sheets]
    names = [bytes([len(name), 0]) + name.encode("latin-1") for name, _, _ in sheets]
    at = len(head) + sum(4 + 6 + len(name) for name in names) + 4
    listed = b""
    for name, (_, _, hidden), part in zip(names, sheets, parts, strict=True):
        listed += record(0x85, struct.pack("<IBB", at, int(hidden), 0) + name)
        at += len(part)
    return head + listed + record(0x0A) + b"".join(parts)


def write_xls(path: Path, *sheets: tuple[str, bytes, bool]) -> Path:
    # A stream below 4,096 bytes would be stored as a small one, which old programs do not write.
    path.write_bytes(compound({"Workbook": biff(*sheets).ljust(5_000, b"\0")}))
    return path


TIDES = (
    cell(0, 0, "Harbour") + cell(0, 1, "Tide [m]") + cell(0, 2, "Since")
    + cell(1, 0, "Br\u00e9st \u6f6e") + cell(1, 1, 6.9) + cell(1, 2, 44_000.0, DATE)
    + cell(2, 0, "Cuxhaven") + cell(2, 1, 2.9) + cell(2, 2, 44_001.0, DATE)
)  # fmt: skip


def test_cells_are_read_as_they_are_shown(tmp_path: Path) -> None:
    path = write_xls(tmp_path / "x.xls", ("Tides", TIDES, False))
    assert recognise(path, "anything").source_type == "xls"
    rows = [one for one in told(pages_of(path)) if one[0] == "table"]
    assert rows == [
        (
            "table",
            1,
            [
                [["Harbour"], ["Tide [m]"], ["Since"]],
                [["Br\u00e9st \u6f6e"], ["6.9"], ["2020-06-18"]],
                [["Cuxhaven"], ["2.9"], ["2020-06-19"]],
            ],
        )
    ]


def test_each_sheet_is_read_under_its_name(tmp_path: Path) -> None:
    path = write_xls(tmp_path / "x.xls", ("Tides", TIDES, False), ("More", TIDES, False))
    assert [one[2] for one in told(pages_of(path)) if one[0] == "section"] == ["Tides", "More"]


def test_a_locked_workbook_says_so(tmp_path: Path) -> None:
    locked = biff(("A", TIDES, False))
    begin = 4 + 16
    locked = locked[:begin] + record(0x2F, struct.pack("<HHH", 1, 1, 1) + bytes(48)) + locked[begin:]
    path = tmp_path / "x.xls"
    path.write_bytes(compound({"Workbook": locked.ljust(5_000, b"\0")}))
    with pytest.raises(RefusedFile, match="encrypted; save it without a password"):
        opened(path)


@pytest.mark.parametrize("cut", [1_024, 1_600, 3_000])
def test_a_cut_workbook_is_refused(tmp_path: Path, cut: int) -> None:
    path = write_xls(tmp_path / "x.xls", ("Tides", TIDES, False))
    path.write_bytes(path.read_bytes()[:cut] + b"Workbook".decode().encode("utf-16-le") + b"\0\0")
    with pytest.raises(RefusedFile):
        opened(path)


def noted(row: int, column: int, text: str, number: int) -> bytes:
    """The drawn object of a note, its text, and where it is ([MS-XLS] 2.4.181, 2.4.329, 2.4.179)."""
    drawn = record(0x5D, struct.pack("<HHHHH", 0x15, 18, 25, number, 0) + bytes(12) + bytes(4))
    said = struct.pack("<HH6sHHI", 0, 0, bytes(6), len(text), 16, 0)
    runs = struct.pack("<HHI", 0, 0, 0) + struct.pack("<HHI", len(text), 0, 0)
    words = record(0x1B6, said) + record(0x3C, b"\0" + text.encode("latin-1")) + record(0x3C, runs)
    return drawn + words + record(0x1C, struct.pack("<HHHHHB", row, column, 0, number, 1, 0) + b"A\0")


def test_notes_that_are_not_read_are_named(tmp_path: Path) -> None:
    sheets = ("Tides", TIDES + noted(1, 1, "from the harbour master", 1), False), ("More", TIDES, False)
    assert [page.label for page in pages_of(write_xls(tmp_path / "x.xls", *sheets))] == [
        "Tides, not read: 1 note on cells", "More"
    ]  # fmt: skip
