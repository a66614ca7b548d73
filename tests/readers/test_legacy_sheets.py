"""Old Excel workbooks, written here record by record ([MS-XLS]): what is shown, what is hidden, damage."""

import struct
from collections.abc import Sequence
from pathlib import Path

import pytest

from shared.domain.geometry import CellRange
from shared.domain.page import PageFile
from shared.errors import RefusedFile
from shared.readers.registry import recognise
from shared.readers.sheets import cells, legacy_formulas
from shared.rereading.sheets import reread_workbook
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


def biff(*sheets: tuple[str, bytes, bool], named: bytes = b"") -> bytes:
    """A workbook of BIFF 8: each sheet with its name, its records, and whether it is hidden. `named`: ranges' names."""
    begin = record(0x809, struct.pack("<HHHHII", 0x600, 5, 0, 0, 0, 0))
    font = record(0x31, struct.pack("<HHHHHBBBBBB", 200, 0, 0, 400, 0, 0, 0, 0, 0, 1, 0) + b"A")
    head = begin + font + xf(0) + xf(14) + named
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


@pytest.mark.parametrize("name", ["WORKBOOK", "BOOK"])
def test_a_stream_in_capitals_is_a_workbook(tmp_path: Path, name: str) -> None:
    path = tmp_path / "x.xls"
    path.write_bytes(compound({name: biff(("Tides", TIDES, False)).ljust(5_000, b"\0")}))
    assert recognise(path).source_type == "xls"
    assert any("Cuxhaven" in str(one) for one in told(pages_of(path)))


def test_a_number_whose_format_has_no_code_is_shown_as_it_is(tmp_path: Path) -> None:
    """The numbers 27 to 36 and 50 to 58 are of East Asian editions."""
    path = tmp_path / "x.xls"
    book = biff(("A", cell(0, 0, "Length") + cell(1, 0, 7.25, style=2), False), named=xf(50))
    path.write_bytes(compound({"Workbook": book.ljust(5_000, b"\0")}))
    assert any("7.25" in str(one) for one in told(pages_of(path)))


def test_each_sheet_is_read_under_its_name(tmp_path: Path) -> None:
    path = write_xls(tmp_path / "x.xls", ("Tides", TIDES, False), ("More", TIDES, False))
    assert [one[2] for one in told(pages_of(path)) if one[0] == "section"] == ["Tides", "More"]


def test_a_name_for_a_formula_that_is_no_name_s_keeps_nothing_back(tmp_path: Path) -> None:
    area = b"\x2d" + struct.pack("<4H", 0, 1, 0, 1)
    name = record(0x18, struct.pack("<HBBHHHBBBB", 0, 0, 4, len(area), 0, 0, 0, 0, 0, 0) + b"\0Area" + area)
    path = tmp_path / "x.xls"
    path.write_bytes(compound({"Workbook": biff(("Tides", TIDES, False), named=name).ljust(5_000, b"\0")}))
    assert any("Cuxhaven" in str(one) for one in told(pages_of(path)))


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


def boxed(row: int, column: int, text: str, number: int) -> bytes:
    """A box of text over the cells from one on, its letters in two bytes and in two pieces ([MS-ODRAW] 2.2.14)."""
    anchor = struct.pack("<HHI9H", 0, 0xF010, 18, 0, column, 0, row, 0, column + 1, 0, row + 2, 0)
    shape = struct.pack("<HHI", 0x0F, 0xF004, len(anchor)) + anchor
    drawn = record(0xEC, struct.pack("<HHI", 0x0F, 0xF002, len(shape)) + shape)
    what = record(0x5D, struct.pack("<HHHHH", 0x15, 18, 6, number, 0) + bytes(12) + bytes(4))
    said = struct.pack("<HH6sHHI", 0, 0, bytes(6), len(text), 16, 0)
    pieces = [record(0x3C, b"\1" + piece.encode("utf-16-le")) for piece in (text[:4], text[4:])]
    runs = record(0x3C, struct.pack("<HHI", 0, 0, 0) + struct.pack("<HHI", len(text), 0, 0))
    return (
        drawn + what + record(0xEC, struct.pack("<HHI", 0, 0xF00D, 0)) + record(0x1B6, said) + b"".join(pieces) + runs
    )


def chart(text: str) -> bytes:
    """A chart within a sheet has records of its own."""
    begin = record(0x809, struct.pack("<HHHHII", 0x600, 32, 0, 0, 0, 0))
    return begin + boxed(0, 0, text, 9) + record(0x0A)


NOTED = (
    "Tides",
    TIDES + noted(1, 1, "from the\nharbour master", 1) + chart("within") + boxed(9, 3, "Br\u00e9st \u6f6e", 2),
    False,
)


def placed(pages: Sequence[PageFile]) -> list[tuple[str, CellRange]]:
    return [(one.text, one.place) for page in pages for one in page.fragments if isinstance(one.place, CellRange)]


def test_notes_and_boxes_of_text_are_read_at_their_cells_and_proved(tmp_path: Path) -> None:
    path = write_xls(tmp_path / "x.xls", NOTED, ("More", TIDES + noted(2, 0, "a second", 1), False))
    pages = pages_of(path)
    assert [page.label for page in pages] == ["Tides", "More"]
    found = placed(pages)
    for said in (
        ("from the", "Tides", "B2"), ("harbour master", "Tides", "B2"), ("Br\u00e9st \u6f6e", "Tides", "D10:E12"),
        ("a second", "More", "A3"),
    ):  # fmt: skip
        assert said in [(text, place.sheet, place.range) for text, place in found]
    second = reread_workbook(path).cells
    assert second is not None
    assert [second.differs(place, text) for text, place in found] == [None] * len(found)
    assert second.left() == ""


@pytest.mark.parametrize("lost", ["harbour master", "Br\u00e9st \u6f6e"])
def test_a_note_or_box_that_no_part_has_is_missed_by_the_proof(tmp_path: Path, lost: str) -> None:
    path = write_xls(tmp_path / "x.xls", NOTED)
    second = reread_workbook(path).cells
    assert second is not None
    for text, place in placed(pages_of(path)):
        if text != lost or place.range == "A2":
            second.differs(place, text)
    assert second.left() == lost


def test_a_sheet_of_notes_alone_is_read(tmp_path: Path) -> None:
    path = write_xls(tmp_path / "x.xls", ("Tides", boxed(0, 0, "nothing yet", 1), False))
    assert [one.text for page in pages_of(path) for one in page.fragments] == ["Tides", "nothing yet"]


def test_cells_are_read_although_what_is_drawn_is_damaged(tmp_path: Path) -> None:
    damaged = record(0xEC, struct.pack("<HHI", 0, 0xF010, 18))
    pages = pages_of(write_xls(tmp_path / "x.xls", ("Tides", TIDES + damaged, False)))
    assert "Cuxhaven" in [one.text for page in pages for one in page.fragments]


TIMES_TWO = "1e 0200 05"


def computed(row: int, column: int, value: float, tokens: str) -> bytes:
    """A cell with its formula's tokens ([MS-XLS] 2.4.127)."""
    said = bytes.fromhex(tokens)
    return record(0x06, struct.pack("<HHHdHIH", row, column, GENERAL, value, 0, 0, len(said)) + said)


def in_common(first: int, last: int, column: int, tokens: str) -> bytes:
    """The formula of the cells of a column, behind the first of them (2.4.277)."""
    said = bytes.fromhex(tokens)
    return record(0x4BC, struct.pack("<HHBBHH", first, last, column, column, 0, len(said)) + said)


def array(row: int, column: int, tokens: str) -> bytes:
    """The formula of an array of one cell, behind it (2.4.4)."""
    said = bytes.fromhex(tokens)
    return record(0x221, struct.pack("<HHBBHIH", row, row, column, column, 0, 0, len(said)) + said)


def place(row: int, column: int) -> str:
    """Where the formula of a cell stands that others have too: at that one."""
    return "01" + struct.pack("<HH", row, column).hex()


# B2 has a formula of its own, B3 and B4 that of B3: the cell to the left and twice as much; C2 is an array.
SUMS = (
    cell(0, 0, "Part") + cell(0, 1, "Twice") + cell(1, 0, 7.0) + cell(2, 0, 8.0) + cell(3, 0, 9.0)
    + computed(1, 1, 14.0, f"44 0100 00c0 {TIMES_TWO}")
    + computed(2, 1, 16.0, place(2, 1)) + in_common(2, 3, 1, f"4c 0000 ffc0 {TIMES_TWO}")
    + computed(3, 1, 18.0, place(2, 1))
    + computed(1, 2, 14.0, place(1, 2)) + array(1, 2, f"44 0100 00c0 {TIMES_TWO}")
)  # fmt: skip


def test_formulas_of_an_old_workbook_are_its_own_and_shared_ones_and_those_of_arrays(tmp_path: Path) -> None:
    (page,) = pages_of(write_xls(tmp_path / "x.xls", ("Sums", SUMS, False)))
    assert {one.range: one.formula for one in page.formulas} == {
        "B2": "=A2*2", "B3": "=A3*2", "B4": "=A4*2", "C2": "{=A2*2}",
    }  # fmt: skip


def test_formulas_of_an_old_workbook_are_counted_before_the_next_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[bytes] = []

    def heard(tokens: bytes, *_: object) -> str:
        made.append(tokens)
        return "=1"

    path = write_xls(tmp_path / "x.xls", ("Sums", SUMS, False))
    monkeypatch.setattr(legacy_formulas, "formula_of", heard)
    monkeypatch.setattr(cells, "MAX_CELLS", 2)
    monkeypatch.setattr(cells.Budget, "add_row", lambda *_: None)
    with pytest.raises(RefusedFile, match="more than 2 formulas"):
        opened(path)
    assert len(made) == 3
