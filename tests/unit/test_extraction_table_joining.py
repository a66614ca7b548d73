import pytest

from shared.domain.geometry import Rect
from shared.domain.page import Fragment, PageFile
from shared.extraction.assemble import assemble
from shared.extraction.layout import extract_page
from shared.extraction.profile import build_profile
from shared.readers.sketch import sketch_page

ROWS = [
    ("", "October 30, 2022", "", "October 31, 2021"),
    ("Revenue", "$", "5,931", "$", "7,103"),
    ("Cost of revenue", "", "2,754", "", "2,472"),
    ("Gross profit", "", "3,177", "", "4,631"),
    ("LABEL",),
    ("Basic", "$", "0.27", "$", "0.99"),
    ("Diluted", "", "0.26", "", "0.97"),
    ("Weighted", "", "2,483", "", "2,499"),
]
EDGES = (0.1, 0.5, 0.58, 0.7, 0.78)


def statement(label: str, bold: bool) -> PageFile:
    found: list[Fragment] = []
    for row, texts in enumerate(ROWS):
        for x, text in zip(EDGES, texts, strict=False):
            if text:
                shown = label if text == "LABEL" else text
                box = Rect(
                    x=x,
                    y=0.2 + 0.02 * row,
                    w=0.011 * len(shown) if x == EDGES[0] else max(0.05, 0.008 * len(shown)),
                    h=0.012,
                )
                font = "Sans-Bold" if bold and text == "LABEL" else "Sans"
                found.append(
                    Fragment(id=f"p1.f{len(found) + 1}", text=shown, box=box, font=font, size=10, bold="Bold" in font)
                )
    return PageFile(page=1, width_pt=595, height_pt=842, route="text", fragments=found, extractor_version="t")


@pytest.mark.parametrize("bold", [False, True])
def test_a_label_between_two_parts_of_a_statement_is_a_row_of_one_table(bold: bool) -> None:
    page = statement("Net income per share:", bold)
    draft = assemble([(page, extract_page(page, build_profile([sketch_page(page)])))])
    assert [len(table.rows) for table in draft.tables] == [len(ROWS)]


def test_currency_signs_stand_in_the_cell_of_their_number() -> None:
    page = statement("Net income per share:", bold=True)
    draft = assemble([(page, extract_page(page, build_profile([sketch_page(page)])))])
    assert [chunk.content for chunk in draft.chunks if "5,931" in chunk.content and chunk.row is not None] == [
        "Revenue | $ 5,931 | $ 7,103"
    ]


def test_a_sentence_between_two_tables_keeps_them_apart() -> None:
    page = statement(
        "A sentence that runs on over all of the columns of the two tables above and below it.", bold=False
    )
    draft = assemble([(page, extract_page(page, build_profile([sketch_page(page)])))])
    assert len(draft.tables) == 2


BALANCE = [
    [(0.1, "Total liabilities"), (0.78, "278,202"), (0.9, "287,912")],
    [],
    [(0.1, "Commitments and contingencies")],
    [(0.1, "Equity:")],
    [(0.1, "Common stock and additional paid-in capital, with a par value of $0.00001: 50,400,000 authorized; 378")],
    [(0.115, "and 786 shares issued and outstanding"), (0.78, "62,115"), (0.9, "57,365")],
    [(0.1, "Retained earnings"), (0.78, "5,289"), (0.9, "5,562")],
]


def balance_sheet() -> PageFile:
    """A part of a balance sheet; the long label goes on set in."""
    rows = [[(0.1, f"Debt {n}"), (0.78, f"4{n},123"), (0.9, f"5{n},456")] for n in range(4)]
    found: list[Fragment] = []
    for at, row in enumerate([*rows, *BALANCE]):
        for x, text in row:
            box = Rect(x=x, y=0.2 + 0.0125 * at, w=0.0066 * len(text), h=0.012)
            found.append(Fragment(id=f"p1.f{len(found) + 1}", text=text, box=box, font="Sans", size=8))
    return PageFile(page=1, width_pt=595, height_pt=842, route="text", fragments=found, extractor_version="t")


def test_a_label_of_two_lines_below_white_and_labels_goes_on_the_statement() -> None:
    page = balance_sheet()
    draft = assemble([(page, extract_page(page, build_profile([sketch_page(page)])))])
    rows = [chunk.content for chunk in draft.chunks if chunk.row is not None]
    assert len(draft.tables) == 1
    assert rows[4].startswith("Total liabilities | 278,202")
    assert rows[5:7] == ["Commitments and contingencies", "Equity:"]
    assert rows[7].endswith("authorized; 378 and 786 shares issued and outstanding | 62,115 | 57,365")
