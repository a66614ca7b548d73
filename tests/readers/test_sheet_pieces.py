"""How much is looked at to tell the pieces of a long sheet: it grows with the sheet, and not with its square."""

from typing import Any

import pytest

from shared.readers.sheets import pieces
from shared.readers.sheets.cells import Sheet, SheetCell
from shared.readers.sheets.pieces import SheetPiece, pieces_of
from shared.readers.sheets.regions import SheetGrid, SheetRegion, grid_of

PAGE = 10


def printed(pages: int) -> Sheet:
    """A list with its header again on each page."""
    header = {1: SheetCell("Part"), 2: SheetCell("Mass")}
    rows = {at: {1: SheetCell(f"Bolt {at}"), 2: SheetCell("7", "number")} for at in range(1, pages * PAGE + 1)}
    return Sheet("S", rows=rows | dict.fromkeys(range(1, pages * PAGE, PAGE), header))


def test_a_header_on_each_printed_page_is_looked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    looked, filled = [0], SheetGrid.filled

    def counted(grid: SheetGrid, row: int, region: SheetRegion) -> list[int]:
        looked[0] += 1
        return filled(grid, row, region)

    monkeypatch.setattr(SheetGrid, "filled", counted)
    costs: list[int] = []
    for pages in (10, 80):
        looked[0] = 0
        found = [*pieces_of(grid_of(printed(pages)))]
        assert [(one.header, one.rows[0]) for one in found] == [([at], at + 1) for at in range(1, pages * PAGE, PAGE)]
        costs.append(looked[0])
    assert costs[1] < 10 * costs[0]


def test_the_place_of_a_note_is_not_looked_for_among_all_above_it(monkeypatch: pytest.MonkeyPatch) -> None:
    looked = [0]

    class Counted(SheetPiece):
        def __getattribute__(self, name: str) -> Any:
            looked[0] += name == "kind"
            return super().__getattribute__(name)

    monkeypatch.setattr(pieces, "SheetPiece", Counted)
    costs: list[int] = []
    for notes in (20, 160):
        looked[0] = 0
        said = {2 * at: {1: SheetCell(f"Said in line {at}.")} for at in range(1, notes + 1)}
        assert len([*pieces_of(grid_of(Sheet("S", rows=said)))]) == notes
        costs.append(looked[0])
    assert costs[1] < 10 * costs[0]
