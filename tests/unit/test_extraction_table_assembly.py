from shared.domain.draft import DocumentDraft
from shared.domain.geometry import PageBox, Rect
from shared.domain.operations import Cell, PageOperations, RegisterTable
from shared.domain.page import Fragment, PageFile
from shared.extraction.assemble import assemble
from shared.store.draft import index_text

Rows = list[list[str]]


def page(
    number: int, rows: Rows, header_rows: int, spans: dict[str, tuple[int, int]] | None = None
) -> tuple[PageFile, PageOperations]:
    fragments: list[Fragment] = []
    cells: list[list[Cell]] = []
    for r, row in enumerate(rows):
        cells.append([])
        for c, text in enumerate(row):
            ids: list[str] = []
            if text:
                ids = [f"p{number}.f{len(fragments) + 1}"]
                box = Rect(x=0.1 + 0.2 * c, y=0.1 + 0.05 * r, w=0.1, h=0.02)
                fragments.append(Fragment(id=ids[0], text=text, box=box, font="Helvetica", size=10))
            down, across = (spans or {}).get(text, (1, 1))
            cells[-1].append(Cell(fragment_ids=ids, row_span=down, col_span=across))
    file = PageFile(
        page=number, width_pt=600, height_pt=800, route="text", fragments=fragments, extractor_version="test"
    )
    table = RegisterTable(header_rows=header_rows, rows=cells)
    return file, PageOperations(page=number, operations=[table], engine="test", engine_version="1")


def rows_of(draft: DocumentDraft) -> list[str]:
    return [chunk.content for chunk in draft.chunks if chunk.chunk_type == "table_row"]


def test_a_header_repeated_on_the_next_page_is_skipped_and_the_table_goes_on() -> None:
    header = ["Item", "Price"]
    draft = assemble([page(1, [header, ["Brake", "12"]], 1), page(2, [header, ["Chain", "9"]], 1)])
    assert [len(table.rows) for table in draft.tables] == [3]
    assert (draft.tables[0].first_page, draft.tables[0].last_page) == (1, 2)
    assert rows_of(draft) == ["Brake | 12", "Chain | 9"]
    assert [(s.page, s.reason, s.text) for s in draft.skipped] == [(2, "repeated_table_header", "Item | Price")]


def test_a_row_that_a_page_break_divides_is_one_row_with_boxes_on_both_pages() -> None:
    first = page(1, [["Item", "Remarks", "Price"], ["Brake", "fits all wheels of", "12"]], 1)
    second = page(2, [["", "the larger size", ""], ["Chain", "none", "9"]], 0)
    draft = assemble([first, second])
    assert rows_of(draft) == ["Brake | fits all wheels of the larger size | 12", "Chain | none | 9"]
    divided = next(chunk for chunk in draft.chunks if chunk.chunk_type == "table_row")
    assert [box.page for box in divided.boxes if isinstance(box, PageBox)] == [1, 1, 2, 1]
    assert [box.page for box in draft.tables[0].rows[1][1].boxes] == [1, 2]


def test_a_first_row_of_numbers_is_never_the_rest_of_the_row_before() -> None:
    draft = assemble([page(1, [["Item", "Price"], ["Brake", "12"]], 1), page(2, [["", "9"], ["Chain", "7"]], 0)])
    assert rows_of(draft) == ["Brake | 12", "9", "Chain | 7"]


def test_a_row_is_indexed_with_its_headers_and_the_label_of_its_part() -> None:
    rows = [["", "Net sales", ""], ["Segment", "2025", "2024"], ["Europe:", "", ""], ["Wheels", "12", ""]]
    spans = {"Net sales": (1, 2)}
    file, operations = page(1, rows, 2, spans)
    table = operations.operations[0]
    assert isinstance(table, RegisterTable)
    shorter = table.model_copy(update={"rows": [table.rows[0][:2], *table.rows[1:]]})
    draft = assemble([(file, operations.model_copy(update={"operations": [shorter]}))])
    wheels = draft.chunks[-1]
    assert wheels.content == "Wheels | 12"
    assert index_text("annual report", wheels) == "annual report\nEurope:\nSegment: Wheels | Net sales 2025: 12"
    assert wheels.row == 3


def test_rows_without_text_leave_the_grid_and_the_cells_that_reach_over_them_shrink() -> None:
    rows = [["Group", "Item"], ["All", "Brake"], ["", ""], ["", "Chain"]]
    file, operations = page(1, rows, 1, {"All": (3, 1)})
    table = operations.operations[0]
    assert isinstance(table, RegisterTable)
    cut = [*table.rows[:2], table.rows[2][1:], table.rows[3][1:]]
    draft = assemble([(file, operations.model_copy(update={"operations": [table.model_copy(update={"rows": cut})]}))])
    assert [len(row) for row in draft.tables[0].rows] == [2, 2, 1]
    assert draft.tables[0].rows[1][0].row_span == 2
    assert draft.chunks[-1].labelled == "Group: All | Item: Chain"


def test_another_table_on_top_of_the_next_page_stays_a_table_of_its_own() -> None:
    draft = assemble(
        [page(1, [["Item", "Price"], ["Brake", "12"]], 1), page(2, [["Rider", "Points"], ["Ann", "9"]], 1)]
    )
    assert [len(table.rows) for table in draft.tables] == [2, 2]


def test_fields_are_labels_beside_values_below_a_header_that_names_them_too() -> None:
    rows = [["Model", "KX-15"], ["Motor power", "15 hp"], ["Weight", "210 kg"]]
    (bare,) = assemble([page(1, rows, 0)]).tables
    assert [(row, one.label, one.cell) for row, values in bare.values.items() for one in values] == [
        (0, "Model", 1), (1, "Motor power", 1), (2, "Weight", 1),
    ]  # fmt: skip
    draft = assemble([page(1, [["Property", "Value"], *rows], 1)])
    assert [(row, one.label) for row, values in draft.tables[0].values.items() for one in values] == [
        (1, "Model"), (2, "Motor power"), (3, "Weight"),
    ]  # fmt: skip
    labelled = [one.labelled for one in draft.chunks if one.chunk_type == "table_row"]
    assert labelled == [
        "Property: Model | Value: KX-15",
        "Property: Motor power | Value: 15 hp",
        "Property: Weight | Value: 210 kg",
    ]
    (prices,) = assemble([page(1, [["Model", "Price"], ["Brake", "12 EUR"], ["Chain", "9 EUR"]], 1)]).tables
    assert prices.values == {}
