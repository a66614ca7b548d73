"""What a stored document may have besides passes: a caption, a heading that is printed again, an empty cell."""

import dataclasses
from collections.abc import Callable

import pytest

from shared.domain.geometry import Rect
from shared.domain.knowledge import TableCell
from shared.domain.operations import Cell, RegisterChunk, RegisterSection, RegisterTable
from shared.domain.verify import StoredAttribute, StoredChunk, StoredPage
from tests.unit.test_verify_document import CHUNKS, FIGURE, FOOTER, Document, box, cells, names, table_grid, told


def caption(document: Document) -> None:
    """The line at the foot is the caption of the table."""
    printed = StoredChunk("caption", "Page 1", "caption", [box(1, 100, 450, 160, 460, 9)])
    document.chunks = {"heading": CHUNKS["heading"], "caption": printed, **document.chunks}
    document.change_grid(caption="Page 1")
    document.pages[1] = StoredPage(1, False, "text", [])
    heading, table, text, _ = document.operations[1]
    document.operations[1] = [heading, RegisterChunk(fragment_ids=names(1, 9), chunk_type="caption"), table, text]


def running_head(document: Document) -> None:
    """It continues the section, and is left out."""
    document.pages[1] = StoredPage(1, False, "text", [dataclasses.replace(FOOTER, reason="header")])
    document.operations[1][3] = RegisterSection(address="C1", title_fragment_ids=names(1, 9), depth=1)


def empty_cell(document: Document) -> None:
    rows = table_grid().rows
    document.change_grid(rows=[*rows[:3], [*rows[3], TableCell(text="", boxes=[])]])
    document.operations[2][0] = RegisterTable(rows=[[*cells(2, 1, 2)[:2], Cell(fragment_ids=[])]])


def table_of_a_part(document: Document) -> None:
    """What the operation names by a part is all of its line."""
    document.operations[2][2] = RegisterChunk(fragment_ids=["p2.f5[0:22]"], chunk_type="text")
    document.attributes.append(StoredAttribute("text", "46 kg", ["p2.f5[17:22]"]))


PASSING: list[Callable[[Document], object]] = [caption, running_head, empty_cell, table_of_a_part]


@pytest.mark.parametrize("vary", PASSING)
def test_what_is_right_passes(vary: Callable[[Document], object]) -> None:
    document = Document()
    vary(document)
    report = document.verify()
    assert told(report) == set()
    assert report.ok


@pytest.mark.parametrize(
    ("damage", "failures"),
    [
        (lambda d: (caption(d), d.change_grid(caption="Page 2")), {("table", "table", 1)}),
        (lambda d: d.change_line(1, 5, text="X"), {("fragment", "row1", 1), ("fragment", "table", 1)}),
        (
            lambda d: d.change("figure", boxes=[CHUNKS["figure"].boxes[1], CHUNKS["figure"].boxes[0]]),
            {("box", "figure", 2), ("verbatim", "figure", 2)},
        ),
        (
            lambda d: d.change("text", boxes=[box(1, 100, 100, 320, 110, 2), box(1, 100, 450, 160, 460, 9)]),
            {("verbatim", "text", 1), ("box", "text", 1), ("claimed_twice", None, 1)},
        ),
        (
            lambda d: d.figures.__setitem__(0, dataclasses.replace(FIGURE, box=box(2, 250, 300, 350, 351))),
            {("figure", "figure", 2)},
        ),
        (lambda d: d.change_file(2, images=[]), {("box", "figure", 2)}),
        (lambda d: d.figures.append(dataclasses.replace(FIGURE, chunk_id="text")), {("figure", None, 2)}),
        (lambda d: d.change_line(3, 1, box=Rect(x=0.11, y=0.22, w=0.131, h=0.02)), {("box", "scan", 3)}),
    ],
)
def test_each_thing_that_a_damage_spoils_is_told(
    damage: Callable[[Document], object], failures: set[tuple[str, str | None, int | None]]
) -> None:
    document = Document()
    damage(document)
    found = told(document.verify())
    assert failures <= found, found
