"""Forms among tables: which cells are labels, which value belongs to each, and how such rows are indexed and typed."""

import pytest

from shared.domain.draft import DocumentDraft
from shared.domain.geometry import Rect
from shared.domain.operations import Cell, PageOperations, RegisterTable
from shared.domain.page import Fragment, PageFile
from shared.extraction.assemble import assemble
from shared.extraction.attributes.document import AttributePass

# `**x**` is set in bold.
COLONS = [
    ["Site:", "Dock 4, Marrow", "Certificate No.:", "C-7781"],
    ["Year of Manufacture:", "", "Maximum Load:", "12.5 t"],
    ["Owner:", "Marrow Harbour Ltd", "Hook Height:", ""],
]
BOLD = [
    ["**Model**", "K 110 Front", "**Maximum temperature**", "1,320 °C"],
    ["**Weight**", "210 kg", "**Door**", ""],
]


def assembled(rows: list[list[str]], header_rows: int = 0, number: int = 1) -> DocumentDraft:
    return assemble([drawn(rows, header_rows, number)])


def drawn(rows: list[list[str]], header_rows: int, number: int = 1) -> tuple[PageFile, PageOperations]:
    fragments: list[Fragment] = []
    cells: list[list[Cell]] = []
    for r, row in enumerate(rows):
        cells.append([])
        for c, text in enumerate(row):
            name = f"p{number}.f{len(fragments) + 1}"
            if text:
                box = Rect(x=0.1 + 0.2 * c, y=0.1 + 0.05 * r, w=0.1, h=0.02)
                fragments.append(Fragment(id=name, text=text.strip("*"), box=box, size=10, bold=text.startswith("**")))
            cells[-1].append(Cell(fragment_ids=[name] if text else []))
    page = PageFile(page=number, width_pt=600, height_pt=800, route="text", fragments=fragments, extractor_version="t")
    table = RegisterTable(header_rows=header_rows, rows=cells)
    return page, PageOperations(page=number, operations=[table], engine="test", engine_version="1")


def stacked(rows: list[list[tuple[str, str]]], labels: int = 7, values: int = 11) -> tuple[PageFile, PageOperations]:
    """Cells of a label and its value below it, in types of these sizes, in points."""
    fragments: list[Fragment] = []
    cells: list[list[Cell]] = []
    for r, row in enumerate(rows):
        cells.append([])
        for c, cell in enumerate(row):
            ids: list[str] = []
            for at, text in enumerate(one for one in cell if one):
                box = Rect(x=0.1 + 0.2 * c, y=0.1 + 0.05 * r + 0.02 * at, w=0.1, h=0.02)
                ids.append(f"p1.f{len(fragments) + 1}")
                fragments.append(Fragment(id=ids[-1], text=text, box=box, size=values if at else labels))
            cells[-1].append(Cell(fragment_ids=ids))
    page = PageFile(page=1, width_pt=600, height_pt=800, route="text", fragments=fragments, extractor_version="t")
    table = RegisterTable(header_rows=1, rows=cells)
    return page, PageOperations(page=1, operations=[table], engine="test", engine_version="1")


ORDER = [
    [("Order number", "PO-88213"), ("Ordered by", "Petra Lindqvist")],
    [("Currency", "EUR"), ("Carrier", "")],
]


def labelled(draft: DocumentDraft) -> list[str]:
    return [chunk.labelled for chunk in draft.chunks if chunk.chunk_type == "table_row"]


def attributes(page: tuple[PageFile, PageOperations]) -> list[dict[str, str]]:
    reading = AttributePass()
    draft = assemble(reading.watch([page]))
    reading.attach(draft)
    rows_of = [chunk for chunk in draft.chunks if chunk.chunk_type == "table_row"]
    return [{one.name: one.raw for one in chunk.attributes} for chunk in rows_of]


def test_each_label_is_read_with_its_value_and_without_one_not_at_all() -> None:
    assert labelled(assembled(COLONS)) == [
        "Site: Dock 4, Marrow | Certificate No.: C-7781",
        "Maximum Load: 12.5 t",
        "Owner: Marrow Harbour Ltd",
    ]


def test_what_is_printed_stays_as_it_is() -> None:
    rows = [chunk.content for chunk in assembled(COLONS).chunks if chunk.chunk_type == "table_row"]
    assert rows[1] == "Year of Manufacture: | Maximum Load: | 12.5 t"


def test_labels_in_bold_need_no_colon() -> None:
    assert labelled(assembled(BOLD)) == ["Model: K 110 Front | Maximum temperature: 1,320 °C", "Weight: 210 kg"]


def test_a_label_in_bold_beside_labels_with_colons_needs_none() -> None:
    row = ["**Lowest Clouds:**", "Scattered", "**Visibility**", "10 Miles"]
    assert labelled(assembled([row])) == ["Lowest Clouds: Scattered | Visibility: 10 Miles"]


@pytest.mark.parametrize(
    ("rows", "fields"),
    [
        # Whichever rows are in bold: below no header, a label beside a number is a field.
        ([["**Total**", "12"], ["Brake", "9"], ["Chain", "3"]], ["Total: 12", "Brake: 9", "Chain: 3"]),
        ([["**Brake**", "**12 EUR**"], ["**Chain**", "**9 EUR**"]], ["Brake: 12 EUR", "Chain: 9 EUR"]),
    ],
)
def test_labels_beside_numbers_below_no_header_are_fields(rows: list[list[str]], fields: list[str]) -> None:
    assert labelled(assembled(rows)) == fields


@pytest.mark.parametrize(
    "rows",
    [
        # Two values behind a label are columns.
        [["Net sales:", "12", "14"], ["Net income:", "3", "4"]],
        # A number in bold is no label.
        [["**2023**", "12"], ["**2024**", "9"]],
    ],
)
def test_other_tables_are_no_forms(rows: list[list[str]]) -> None:
    printed = [" | ".join(cell.strip("*") for cell in row if cell) for row in rows]
    assert labelled(assembled(rows)) == printed


def test_rows_under_a_header_are_no_forms() -> None:
    rows = [["Item", "Price"], ["Brake:", "12"]]
    assert labelled(assembled(rows, header_rows=1)) == ["Item: Brake: | Price: 12"]
    draft = assemble([drawn(rows, 1), drawn([["Chain:", "9"]], 0, number=2)])
    assert labelled(draft) == ["Item: Brake: | Price: 12", "Item: Chain: | Price: 9"]


def test_a_stroke_is_no_value() -> None:
    assert labelled(assembled([["Wind Speed:", "/", "Temperature:", "-13°C"]])) == ["Temperature: -13°C"]


def test_a_row_that_nobody_filled_in_is_indexed_as_printed() -> None:
    draft = assembled([["Age:", "", "Seat:", ""], ["Name:", "Joana", "Ward:", "7"]])
    assert labelled(draft) == ["Age: | Seat:", "Name: Joana | Ward: 7"]


def test_values_of_a_form_are_typed_under_their_labels() -> None:
    assert attributes(drawn(COLONS, 0)) == [
        {"site": "Dock 4, Marrow", "certificate_no": "C-7781"},
        {"maximum_load": "12.5 t"},
        {"owner": "Marrow Harbour Ltd"},
    ]
    assert attributes(drawn(BOLD, 0)) == [
        {"model": "K 110 Front", "maximum_temperature": "1,320 °C"},
        {"weight": "210 kg"},
    ]


def test_a_label_above_its_value_in_the_cell_is_read_with_it_and_no_row_is_a_header() -> None:
    draft = assemble([stacked(ORDER)])
    assert labelled(draft) == ["Order number: PO-88213 | Ordered by: Petra Lindqvist", "Currency: EUR"]
    assert draft.tables[0].header_rows == 0
    assert [c.content for c in draft.chunks if c.chunk_type == "table_row"][1] == "Currency EUR | Carrier"
    assert attributes(stacked(ORDER)) == [
        {"order_number": "PO-88213", "ordered_by": "Petra Lindqvist"},
        {"currency": "EUR"},
    ]


def test_cells_of_two_lines_in_one_type_have_no_labels() -> None:
    draft = assemble([stacked(ORDER, labels=11)])
    assert draft.tables[0].header_rows == 1


def test_a_few_cells_with_a_line_in_another_type_make_no_form() -> None:
    rows = [[("Order number", "PO-88213"), ("Ordered by", "Petra Lindqvist")], [("Currency", ""), ("Carrier", "")]]
    assert assemble([stacked(rows)]).tables[0].header_rows == 1
