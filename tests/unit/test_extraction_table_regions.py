from collections.abc import Sequence
from pathlib import Path

import pymupdf

from shared.domain.operations import PageOperations, RegisterTable, Skip
from shared.domain.page import PageFile
from shared.extraction.layout import extract_page
from shared.extraction.profile import build_profile
from shared.readers.pdf.document import open_pdf
from shared.readers.sketch import sketch_page

Text = tuple[float, float, str]
Line = tuple[float, float, float, float]


def read(path: Path, texts: list[Text], lines: Sequence[Line] = ()) -> tuple[PageFile, PageOperations]:
    document = pymupdf.open()
    drawn = document.new_page(width=595, height=842)
    for x, y, text in texts:
        drawn.insert_text((x, y), text, fontsize=9)
    for x0, y0, x1, y1 in lines:
        drawn.draw_line((x0, y0), (x1, y1), width=0.5)
    document.save(path)
    with open_pdf(path) as source:
        page = source.read_page(1)
    return page, extract_page(page, build_profile([sketch_page(page)]))


def grid_of(found: tuple[PageFile, PageOperations]) -> list[list[str]]:
    page, operations = found
    texts = {fragment.id: fragment.text for fragment in page.fragments}
    table = next(o for o in operations.operations if isinstance(o, RegisterTable))
    return [[" ".join(texts[i] for i in cell.fragment_ids) for cell in row] for row in table.rows]


def test_a_cell_without_a_rule_inside_is_one_cell_over_its_rows(tmp_path: Path) -> None:
    texts: list[Text] = [(60, 112, "Group"), (160, 112, "Item"), (260, 112, "Price"), (60, 142, "Wheels"),
             (160, 132, "Front"), (260, 132, "12"), (160, 152, "Rear"), (260, 152, "14")]  # fmt: skip
    lines: Sequence[Line] = [(50, y, 350, y) for y in (100, 120, 160)] + [(150, 140, 350, 140)]
    lines = [*lines, *[(x, 100, x, 160) for x in (50, 150, 250, 350)]]
    found = read(tmp_path / "a.pdf", texts, lines)
    assert grid_of(found) == [["Group", "Item", "Price"], ["Wheels", "Front", "12"], ["Rear", "14"]]
    table = next(o for o in found[1].operations if isinstance(o, RegisterTable))
    assert table.rows[1][0].row_span == 2


def test_lines_of_text_between_two_rules_are_one_row_of_long_cells(tmp_path: Path) -> None:
    texts: list[Text] = [(60, 112, "Part"), (200, 112, "Remark")]
    for row in range(3):
        y = 132 + 40 * row
        texts += [
            (60, y, f"wheel {'abc'[row]}"),
            (60, y + 12, "of the cart"),
            (200, y, "fits any"),
            (200, y + 12, "axle"),
        ]
    lines: Sequence[Line] = [(50, y, 350, y) for y in (100, 120, 160, 200, 240)] + [
        (x, 100, x, 240) for x in (50, 190, 350)
    ]
    assert grid_of(read(tmp_path / "a.pdf", texts, lines))[1:] == [
        [f"wheel {letter} of the cart", "fits any axle"] for letter in "abc"
    ]


def test_a_currency_sign_in_a_place_of_its_own_joins_its_number(tmp_path: Path) -> None:
    texts: list[Text] = [(240, 100, "2025"), (340, 100, "2024")]
    for row, (label, one, two) in enumerate((("Revenue", "5,931", "7,103"), ("Costs", "2,754", "2,472"))):
        texts += [(60, 114 + 14 * row, label), (250, 114 + 14 * row, one), (350, 114 + 14 * row, two)]
    texts += [
        (220, 114, "$"),
        (320, 114, "$"),
        (220, 142, "$"),
        (320, 142, "$"),
        (60, 142, "Profit"),
        (250, 142, "3,177"),
        (350, 142, "4,631"),
    ]
    assert grid_of(read(tmp_path / "a.pdf", texts)) == [
        ["", "2025", "2024"], ["Revenue", "$ 5,931", "$ 7,103"], ["Costs", "2,754", "2,472"],
        ["Profit", "$ 3,177", "$ 4,631"],
    ]  # fmt: skip


def test_dots_that_lead_to_figures_make_a_table_and_no_contents(tmp_path: Path) -> None:
    texts: list[Text] = []
    for row, values in enumerate((("39,924", "34,213"), ("1,478", "1,430"), ("5,181", "4,037"), ("6,582", "6,534"))):
        texts += [(60, 100 + 14 * row, "Technology " + ". " * 25), (320, 100 + 14 * row, values[0])]
        texts.append((420, 100 + 14 * row, values[1]))
    found = read(tmp_path / "a.pdf", texts)
    assert grid_of(found)[0][1:] == ["39,924", "34,213"]
    assert not any(isinstance(o, Skip) for o in found[1].operations)


def test_dots_that_lead_to_climbing_page_numbers_stay_contents(tmp_path: Path) -> None:
    texts: list[Text] = [(60, 80 + 14 * n, f"Chapter {'abcde'[n]} " + ". " * 30 + str(3 + 4 * n)) for n in range(5)]
    operations = read(tmp_path / "a.pdf", texts)[1].operations
    assert [o.reason for o in operations if isinstance(o, Skip)] == ["contents"]


def test_lines_of_an_equation_are_no_table(tmp_path: Path) -> None:
    texts: list[Text] = [(160, 100, "h"), (200, 100, "= tanh(W x + b)"), (160, 116, "c"), (200, 116, "= softmax(H a)"),
             (160, 132, "s"), (200, 132, "= argmax(p)"), (160, 148, "q"), (200, 148, "= W h + d")]  # fmt: skip
    operations = read(tmp_path / "a.pdf", texts)[1].operations
    assert not any(isinstance(o, RegisterTable) for o in operations)


def test_a_header_over_columns_of_figures_belongs_to_the_body_below_it(tmp_path: Path) -> None:
    texts: list[Text] = [
        (60, 80, "The following is a summary of the boats:"), (285, 100, "This spring"), (240, 118, "Mass"),
        (340, 118, "Price"), (280, 132, "(in thousands)"),
    ]  # fmt: skip
    for row, (label, one, two) in enumerate((("Kestrel", "5,931", "7,103"), ("Heron", "2,754", "2,472"))):
        texts += [(60, 148 + 14 * row, label), (240, 148 + 14 * row, one), (340, 148 + 14 * row, two)]
    lines = [(235, 104, 280, 104), (335, 104, 380, 104)]
    found = read(tmp_path / "a.pdf", texts, lines)
    table = next(o for o in found[1].operations if isinstance(o, RegisterTable))
    assert grid_of(found) == [
        ["", "This spring"], ["", "Mass", "Price"], ["", "(in thousands)"], ["Kestrel", "5,931", "7,103"],
        ["Heron", "2,754", "2,472"],
    ]  # fmt: skip
    assert table.header_rows == 3
    assert table.rows[0][1].col_span == 2
