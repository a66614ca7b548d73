"""What the rows of a grid mean, and how tables of several pages become one: cases with their answers."""

import pytest

from shared.domain.draft import DocumentDraft
from shared.domain.geometry import PageBox, Rect
from shared.domain.operations import Cell, Operation, PageOperations, RegisterChunk, RegisterSection, RegisterTable
from shared.domain.page import Fragment, PageFile
from shared.errors import AutriError
from shared.extraction.assemble import assemble
from shared.extraction.references import Resolver
from shared.extraction.tables.assembly import TableAssembly
from shared.extraction.tables.rows import (
    Extent,
    addressed_rows,
    column_labels,
    columns_of,
    goes_on,
    is_label,
    labelled_row,
    width_of,
)
from shared.extraction.titles.tree import SectionTree

Spans = list[list[tuple[int, int]]]  # rows down, columns across


def cells(spans: Spans) -> list[list[Cell]]:
    return [[Cell(row_span=down, col_span=across) for down, across in row] for row in spans]


@pytest.mark.parametrize(
    ("spans", "places", "width"),
    [
        ([], [], 0),
        ([[(1, 1), (1, 1)]], [[(0, 1), (1, 2)]], 2),
        ([[(1, 2), (1, 1)]], [[(0, 2), (2, 3)]], 3),
        ([[(2, 1), (1, 1)], [(1, 1)]], [[(0, 1), (1, 2)], [(1, 2)]], 2),
        ([[(1, 1), (2, 1)], [(1, 1), (1, 1)]], [[(0, 1), (1, 2)], [(0, 1), (2, 3)]], 3),
        ([[(2, 2), (1, 1)], [(1, 1)], [(1, 1)]], [[(0, 2), (2, 3)], [(2, 3)], [(0, 1)]], 3),
        ([[(3, 1), (1, 1)], [(1, 1)], [(1, 1)]], [[(0, 1), (1, 2)], [(1, 2)], [(1, 2)]], 2),
        ([[(1, 1), (2, 1), (1, 1)], [(1, 1), (1, 1)]], [[(0, 1), (1, 2), (2, 3)], [(0, 1), (2, 3)]], 3),
    ],
)
def test_the_columns_of_cells_as_in_html(spans: Spans, places: list[list[tuple[int, int]]], width: int) -> None:
    assert columns_of(cells(spans)) == places
    assert width_of(cells(spans)) == width


def test_the_words_above_a_column_are_its_label() -> None:
    spans: Spans = [[(1, 1), (1, 2)], [(1, 1), (1, 1), (1, 1)], [(1, 1), (1, 1), (1, 1)]]
    texts = [["", "Crew"], ["Boat", "2025", "2024"], ["Kestrel", "5", "6"]]
    places = columns_of(cells(spans))
    assert column_labels(places, texts, 2) == ["Boat", "Crew 2025", "Crew 2024"]
    assert column_labels(places, texts, 1) == ["", "Crew", "Crew"]
    assert column_labels(places, texts, 0) == []


def test_a_row_with_its_labels() -> None:
    places = [Extent(0, 1), Extent(1, 2), Extent(2, 3)]
    assert labelled_row(places, ["a", "", "c"], ["Boat:", "Crew", "Sail"]) == "Boat: a | Sail: c"
    assert labelled_row(places, ["a", "b", "c"], ["", "Crew"]) == "a | Crew: b | c"


@pytest.mark.parametrize(
    ("texts", "width", "label"),
    [
        (["Boats", "", ""], 3, True), (["Boats"], 2, True), (["Boats"], 1, False), (["Boats", "x"], 2, False),
        (["", ""], 2, False), ([], 2, False), (["12"], 2, False), (["\u2014"], 2, False), (["$ 1,200"], 2, False),
        (["(12.5)%"], 2, False), (["12 boats"], 2, True),
    ],
)  # fmt: skip
def test_a_row_of_one_label(texts: list[str], width: int, label: bool) -> None:
    assert is_label(texts, width) is label


@pytest.mark.parametrize(
    ("last", "row", "rest"),
    [
        (["Brake", "fits all of", "12"], ["", "the wheels", ""], True),
        (["Brake", "fits all,", "12"], ["", "The wheels", ""], True),
        (["Brake", "fits all", "12"], ["", "The wheels", ""], False),
        (["Brake", "fits all", "12"], ["of", "the wheels", ""], True),
        (["Brake", "fits all", "12"], ["Of", "the wheels", ""], False),
        (["Brake", "fits all", "12"], ["of", "the wheels", "now"], False),  # as many cells
        (["Brake", "fits all", "12"], ["", "", ""], False),
        (["Brake", "fits all", "12"], ["", "13", ""], False),
        (["Brake", "", "12"], ["", "the wheels", ""], False),
        (["Brake", "well-", "12"], ["", "Made", ""], True),
        (["Brake", "(", "12"], ["", "Made", ""], True),
    ],
)
def test_a_row_after_a_page_break_is_the_rest_of_the_last_one(last: list[str], row: list[str], rest: bool) -> None:
    assert goes_on(last, row) is rest


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([["5.3.1", "all boats sail"]], ["5.3.1"]),
        ([["5.3.1", "all boat"]], [None]),  # seven letters
        ([["5.3.1", "all boats"]], ["5.3.1"]),
        ([["5.3.1"]], [None]),
        ([["5.3.1 Boats", "all boats sail"]], [None]),
        ([["5", "all boats sail"]], [None]),
        ([["V5.3", "all boats sail"]], ["V5.3"]),
        ([["Boats", "all boats sail"]], [None]),
        ([["Part A", "all boats sail"]], [None]),
        ([["1.5", "all boats sail"], ["1.6", "all boats sail"]], ["1.5", "1.6"]),
        ([["1.6", "all boats sail"], ["1.5", "all boats sail"]], [None, None]),
        ([["1.5", "all boats sail"], ["1.5", "all boats sail"]], [None, None]),
        ([["1.9", "all boats sail"], ["1.10", "all boats sail"]], ["1.9", "1.10"]),
        ([["1.6", "all boats sail"], ["1.5", "all boats sail"], ["2.1.1", "all boats sail"]], [None, None, "2.1.1"]),
        ([["", "5.3.1", "all boats sail"]], ["5.3.1"]),
        # A column of codes is addressable as a whole, with rows that only label others between.
        (
            [["Screws", ""], ["SC-07", "7 bar"], ["Dryers", ""], ["DR-01", "a dryer for cold air"], ["DR-02", ""]],
            [None, "SC-07", None, "DR-01", None],
        ),
        ([["SC-07", "7 bar"], ["SC-07", "10 bar"], ["DR-01", "a dryer for cold air"]], [None, None, "DR-01"]),
        ([["SC-07", "7 bar"], ["SC-10", "10 bar"]], [None, None]),
        ([["5.3.1", "7 bar"], ["5.3.2", "a dryer for cold air"]], [None, "5.3.2"]),
    ],
)
def test_rows_that_bear_an_address(rows: list[list[str]], expected: list[str | None]) -> None:
    assert addressed_rows(rows) == expected


Rows = list[list[str]]


def page(
    number: int, rows: Rows, header: int = 0, *, x: float = 0.125, before: list[Operation] | None = None,
    words: tuple[str, ...] = (), caption: str = "", ocr: bool = False, spans: dict[str, tuple[int, int]] | None = None,
    **more: object,
) -> tuple[PageFile, PageOperations]:  # fmt: skip
    """A page of a table, `words` before it (f1, f2 …), each line an eighth wide and a 64th high."""
    found: list[Fragment] = []

    def add(text: str, left: float, top: float) -> str:
        name = f"p{number}.f{len(found) + 1}"
        box = Rect(x=left, y=top, w=0.125, h=1 / 64)
        found.append(Fragment(id=name, text=text, box=box, font="Sans", size=10, ocr=ocr))
        return name

    for at, word in enumerate(words):
        add(word, 0.125, at / 32)
    captions = [add(caption, 0.125, 0.25)] if caption else []
    grid = [
        [
            Cell(
                fragment_ids=[add(text, x + 0.1875 * c, 0.375 + r / 32)] if text else [],
                row_span=(spans or {}).get(text, (1, 1))[0],
                col_span=(spans or {}).get(text, (1, 1))[1],
            )
            for c, text in enumerate(row)
        ]
        for r, row in enumerate(rows)
    ]
    made: dict[str, object] = {"header_rows": header, "rows": grid, "caption_fragment_ids": captions}
    table = RegisterTable.model_validate(made | more)
    file = PageFile(page=number, width_pt=600, height_pt=800, route="text", fragments=found, extractor_version="t")
    operations = [*(before or []), table]
    flags = ["uncertain_tables", "ocr"]
    return file, PageOperations(
        page=number, operations=operations, engine="t", engine_version="1", flags=flags, confidence=0.75
    )


def shown(draft: DocumentDraft) -> list[tuple[str, str]]:
    return [(chunk.chunk_type, chunk.content) for chunk in draft.chunks]


def test_a_table_in_full() -> None:
    title = RegisterSection(title_fragment_ids=["p1.f1"], depth=1)
    rows = [["Boat", "Crew"], ["Sloops", ""], ["Kestrel", "5"], ["5.3.1", "all boats sail"]]
    draft = assemble([page(1, rows, 1, before=[title], words=("Fleet",), caption="Table 3: Boats", confidence=0.5)])
    assert shown(draft) == [
        ("heading", "Fleet"), ("caption", "Table 3: Boats"),
        ("table", "Boat | Crew\nSloops\nKestrel | 5\n5.3.1 | all boats sail"),
        ("table_row", "Sloops"), ("table_row", "Kestrel | 5"), ("table_row", "5.3.1 | all boats sail"),
    ]  # fmt: skip
    assert [c.context for c in draft.chunks[1:]] == [
        "Fleet", "Fleet\nTable 3: Boats", "Fleet\nTable 3: Boats", "Fleet\nTable 3: Boats\nSloops",
        "Fleet\nTable 3: Boats\nSloops",
    ]  # fmt: skip
    assert [c.labelled for c in draft.chunks[3:]] == [
        "Boat: Sloops", "Boat: Kestrel | Crew: 5", "Boat: 5.3.1 | Crew: all boats sail",
    ]  # fmt: skip
    assert [(c.table, c.row) for c in draft.chunks] == [
        (None, None), (None, None), (0, None), (0, 1), (0, 2), (0, 3),
    ]  # fmt: skip
    assert [c.section for c in draft.chunks] == [0, 1, 1, 0, 0, 2]
    assert [(s.address, s.captioned) for s in draft.sections] == [(None, False), ("Table 3", True), ("5.3.1", False)]
    assert [c.confidence for c in draft.chunks] == [0.75, 0.5, 0.5, 0.5, 0.5, 0.5]
    assert [c.flags for c in draft.chunks[1:4]] == [[], ["uncertain_tables"], ["uncertain_tables"]]
    (table,) = draft.tables
    assert (table.header_rows, table.caption, table.first_page, table.last_page) == (1, "Table 3: Boats", 1, 1)
    assert [[cell.text for cell in row] for row in table.rows] == rows
    box = draft.chunks[2].boxes[0]
    assert isinstance(box, PageBox)
    assert (box.x, box.y, box.x + box.w, box.y + box.h) == (0.125, 0.375, 0.4375, 0.375 + 3 / 32 + 1 / 64)


def test_recognised_cells_flag_their_chunks() -> None:
    draft = assemble([page(1, [["a", "b"], ["c", "d"]], 1, ocr=True)])
    assert [(c.ocr, c.flags) for c in draft.chunks] == [(True, ["uncertain_tables", "ocr"])] * 2


def test_rows_without_text_are_left_out_and_spans_shortened() -> None:
    draft = assemble([page(1, [["A", "b"], ["", ""], ["", "c"]], spans={"A": (3, 1)})])
    (table,) = draft.tables
    assert [[(cell.text, cell.row_span) for cell in row] for row in table.rows] == [
        [("A", 2), ("b", 1)], [("", 1), ("c", 1)],
    ]  # fmt: skip
    headed = assemble([page(1, [["", ""], ["A", "b"], ["c", "d"]], 2)])
    assert headed.tables[0].header_rows == 1


HEAD, FIRST, NEXT = ["Boat", "Crew"], ["Kestrel", "5"], ["Heron", "6"]


def tables_of(*pages: tuple[PageFile, PageOperations]) -> list[tuple[int, int, int, int]]:
    """Header rows, rows, first and last page of each table."""
    return [(t.header_rows, len(t.rows), t.first_page, t.last_page) for t in assemble(pages).tables]


def test_a_table_goes_on_at_the_same_place_without_a_header_of_its_own() -> None:
    first = page(1, [HEAD, FIRST], 1)
    assert tables_of(first, page(2, [NEXT])) == [(1, 3, 1, 2)]
    assert tables_of(first, page(2, [NEXT], x=0.15)) == [(1, 3, 1, 2)]
    assert tables_of(first, page(2, [NEXT], x=0.16)) == [(1, 2, 1, 1), (0, 1, 2, 2)]
    assert tables_of(first, page(3, [NEXT])) == [(1, 2, 1, 1), (0, 1, 3, 3)]
    assert tables_of(first, page(2, [[*NEXT, "7"]])) == [(1, 2, 1, 1), (0, 1, 2, 2)]
    assert tables_of(first, page(2, [["Mast", "Sail"], NEXT], 1)) == [(1, 2, 1, 1), (1, 2, 2, 2)]
    assert tables_of(first, page(2, [NEXT], caption="Table 4: Boats")) == [(1, 2, 1, 1), (0, 1, 2, 2)]
    assert tables_of(first, page(2, [HEAD, NEXT], 1)) == [(1, 3, 1, 2)]
    assert tables_of(first, page(2, [HEAD, NEXT], 0, x=0.5)) == [(1, 3, 1, 2)]
    assert tables_of(first, page(4, [HEAD, NEXT], 1)) == [(1, 3, 1, 4)]
    assert tables_of(first, page(2, [["", "x", "y"], [*NEXT, "z"]], continues_previous_page=True)) == [(1, 4, 1, 2)]
    assert tables_of(first, page(2, [NEXT]), page(3, [NEXT])) == [(1, 4, 1, 3)]


def test_text_between_two_tables_divides_them() -> None:
    first, chunk = page(1, [HEAD, FIRST], 1), RegisterChunk(fragment_ids=["p2.f1"], chunk_type="text")
    assert len(tables_of(first, page(2, [NEXT], before=[chunk], words=("So.",)))) == 2
    note = RegisterChunk(fragment_ids=["p2.f1"], chunk_type="footnote")
    assert len(tables_of(first, page(2, [NEXT], before=[note], words=("1 So.",)))) == 1
    title = RegisterSection(title_fragment_ids=["p2.f1"], depth=1)
    assert len(tables_of(first, page(2, [NEXT], before=[title], words=("So",)))) == 2
    file, operations = page(1, [HEAD, FIRST], 1)
    twice = operations.model_copy(update={"operations": operations.operations * 2})
    assert len(tables_of((file, twice))) == 2  # on one page


def test_a_repeated_header_is_skipped_with_its_box_and_compared_by_its_texts() -> None:
    draft = assemble(
        [page(1, [["Boat", "", "Crew"], ["a", "b", "c"]], 1), page(2, [["", "Boat", "Crew"], ["d", "e", "f"]])]
    )
    assert [(s.page, s.reason, s.text) for s in draft.skipped] == [(2, "repeated_table_header", "Boat | Crew")]
    box = draft.skipped[0].box
    assert isinstance(box, PageBox)
    assert (box.x, box.x + box.w, box.fragment_ids) == (0.3125, 0.625, ("p2.f1", "p2.f2"))
    assert [c.content for c in draft.chunks] == ["Boat | Crew\na | b | c\nd | e | f", "a | b | c", "d | e | f"]
    assert [box.page for box in draft.chunks[0].boxes if isinstance(box, PageBox)] == [1, 2]


def test_a_divided_row_is_joined_cell_by_cell() -> None:
    first = page(
        1,
        [
            HEAD,
            [
                "Kestrel",
                "five of",
            ],
            ["Heron", "six, and"],
        ],
        1,
    )
    draft = assemble([first, page(2, [["", "some more"], ["Swift", "7"]])])
    rows = [c for c in draft.chunks if c.chunk_type == "table_row"]
    assert [c.content for c in rows] == ["Kestrel | five of", "Heron | six, and some more", "Swift | 7"]
    assert rows[1].labelled == "Boat: Heron | Crew: six, and some more"
    assert [c.row for c in rows] == [1, 2, 3]
    spanned = page(1, [HEAD, ["Heron", "six, and"]], 1, spans={"six, and": (1, 2)})
    assert (
        len([c for c in assemble([spanned, page(2, [["", "some more"]])]).chunks if c.chunk_type == "table_row"]) == 2
    )


def test_a_row_without_a_chunk_is_an_error() -> None:
    assembly = TableAssembly(SectionTree(), chunks := [], [])
    file, operations = page(1, [HEAD, FIRST], 1)
    operation = operations.operations[0]
    assert isinstance(operation, RegisterTable)
    assembly.start_page()
    assembly.add(operation, 1, operations, Resolver(file))
    assembly.check()
    chunks.pop()
    with pytest.raises(AutriError, match="from page 1 has 2 rows, of which 1 are its header, but 0 chunks"):
        assembly.check()
