"""Tables set sideways on their page, frames whose sides are drawn in pieces, columns that only a header fills."""

from pathlib import Path

import pymupdf
import pytest

from shared.domain.operations import RegisterTable
from shared.domain.page import PageFile
from shared.domain.turned import as_read
from shared.extraction.layout import extract_page
from shared.extraction.profile import build_profile
from shared.extraction.references import Resolver
from shared.readers.pdf.document import open_pdf
from shared.readers.sketch import sketch_page
from tests.unit.test_table_unruled_rows import Drawn

FIGURES = [("Tree", "Seeds", "Cones"), ("Oak", "1,200", "31"), ("Elm", "450", "7"), ("Ash", "9", "12")]


def sideways(degrees: int) -> pymupdf.Document:
    """Rows that read upwards (90) or downwards (270) over the page, whose number is printed upright."""
    document = pymupdf.open()
    page = document.new_page(width=400, height=500)
    for n, row in enumerate(FIGURES):
        for at, text in zip((0, 140, 240), row, strict=True):
            point = (100 + 14 * n, 400 - at) if degrees == 90 else (300 - 14 * n, 60 + at)
            page.insert_text(point, text, fontsize=9, rotate=degrees)
    page.insert_text((200, 480), "7", fontsize=9)
    return document


def tables_of(page: PageFile) -> list[list[list[str]]]:
    found = extract_page(page, build_profile([sketch_page(as_read(page))]))
    resolver = Resolver(page)
    return [
        [[" ".join(part.text for part in resolver.resolve_all(cell.fragment_ids)) for cell in row] for row in one.rows]
        for one in found.operations
        if isinstance(one, RegisterTable)
    ]


@pytest.mark.parametrize("degrees", [90, 270])
def test_a_table_set_sideways_has_its_rows(tmp_path: Path, degrees: int) -> None:
    sideways(degrees).save(tmp_path / "a.pdf")
    with open_pdf(tmp_path / "a.pdf") as source:
        page = source.read_page(1)
    assert tables_of(page) == [list(map(list, FIGURES))]
    assert not extract_page(page, build_profile([sketch_page(as_read(page))])).flags


def test_a_page_with_a_note_on_its_margin_is_read_upright(tmp_path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page(width=400, height=500)
    page.insert_text((20, 300), "a note on the margin", fontsize=9, rotate=90)
    for n in range(4):
        page.insert_text((60, 100 + 14 * n), "These are lines of the text that is read as it stands.", fontsize=9)
    document.save(tmp_path / "a.pdf")
    with open_pdf(tmp_path / "a.pdf") as source:
        assert source.read_page(1).turn == 0


def test_a_frame_whose_sides_are_drawn_in_pieces_is_one_table_without_its_notes(tmp_path: Path) -> None:
    drawn = Drawn().rows(112, FIGURES)
    drawn.text(60, 171, "Note: what stands below the last of the rules is about the table and no part of it.")
    sides: list[tuple[float, float, float, float]] = [
        (x, top, x, bottom) for x in (50, 390) for top, bottom in ((100, 116), (121, 160), (164, 176))
    ]
    drawn.rules(*[(50.0, y, 390.0, y) for y in (100, 116, 160, 176)], *sides)
    assert drawn.tables(tmp_path) == [list(map(list, FIGURES))]


def test_a_column_that_only_its_header_fills_is_a_column(tmp_path: Path) -> None:
    rows = [("Part", "L1", "L2", "L3"), *[(f"a rule of number {n} of the list", "", "x", "x") for n in range(1, 7)]]
    assert Drawn().rows(112, rows, (60, 240, 280, 320)).tables(tmp_path) == [list(map(list, rows))]


def test_lines_set_wide_are_one_cell_where_the_rows_stand_wider(tmp_path: Path) -> None:
    drawn = Drawn()
    for n in range(3):
        drawn.text(60, 100 + 40 * n, f"Tree {n}").text(120, 100 + 40 * n, "The first line of the cell")
        drawn.text(300, 100 + 40 * n, "yes").text(120, 115 + 40 * n, "Its second line, set wide")
    wanted = [[f"Tree {n}", "The first line of the cell Its second line, set wide", "yes"] for n in range(3)]
    assert drawn.tables(tmp_path) == [wanted]


def test_a_label_over_two_lines_begins_at_its_mark(tmp_path: Path) -> None:
    drawn = Drawn().rows(112, [("Seeds before", "60", "4"), ("Adjustments of the year:", "", "")], (60, 240, 320))
    drawn.rows(140, [("a. Seeds that were sown", "1,204", "8")], (60, 240, 320))
    drawn.rows(151, [("b. Seeds that were sold to the", "", "")], (60, 240, 320))
    drawn.rows(162, [("neighbours", "12", "9"), ("Seeds left", "450", "7")], (60, 240, 320))
    [table] = drawn.tables(tmp_path)
    assert [row[0] for row in table] == [
        "Seeds before", "Adjustments of the year:", "a. Seeds that were sown",
        "b. Seeds that were sold to the neighbours", "Seeds left",
    ]  # fmt: skip


def test_a_sentence_and_a_bold_header_begin_another_table(tmp_path: Path) -> None:
    drawn = Drawn().rows(112, [("Oak", "1,200", "31"), ("Elm", "450", "7"), ("Ash", "9", "12")], (60, 330, 400))
    drawn.text(60, 158, "What is known of the seeds that were sown in the year is as follows:")
    for x, text in ((330, "2024"), (400, "2023")):
        drawn.page.insert_text((x, 174), text, fontsize=9, fontname="hebo")
    drawn.rows(190, [("Fir", "88", "5"), ("Yew", "17", "3"), ("Box", "4", "1")], (60, 330, 400))
    found = drawn.tables(tmp_path)
    assert [row[0] for table in found for row in table] == ["Oak", "Elm", "Ash", "", "Fir", "Yew", "Box"]
    assert len(found) == 2
