"""Tables whose truth is known because they are drawn here: every cell, its place, its spans, the header."""

import pytest

from shared.domain.draft import DocumentDraft, TableDraft
from shared.extraction.assemble import assemble
from shared.extraction.layout import extract_page
from shared.extraction.profile import build_profile
from shared.readers.pdf.document import open_pdf
from shared.readers.sketch import sketch_page
from tests.bench.tables_made import Made, make_documents
from tests.bench.tables_score import Table

COUNT = 30
# (document, table) read otherwise than drawn. In all but two an upper header of a table without rules stands over two
# columns: nothing that is drawn says so. In 5 and 26 words of a crowded header run into each other.
MISREAD = {(1, 0), (5, 0), (11, 0), (16, 1), (21, 1), (24, 0), (26, 1), (29, 1)}

Placed = list[tuple[int, int, str, int, int]]


@pytest.fixture(scope="module")
def documents(tmp_path_factory: pytest.TempPathFactory) -> list[Made]:
    return make_documents(tmp_path_factory.mktemp("tables"), COUNT)


def draft_of(made: Made) -> DocumentDraft:
    with open_pdf(made.path) as source:
        pages = [source.read_page(n) for n in range(1, source.page_count + 1)]
        profile = build_profile(map(sketch_page, pages), source.outline)
        return assemble((page, extract_page(page, profile)) for page in pages)


def drawn(table: Table) -> Placed:
    return sorted((c.row, c.column, plain(c.text), c.row_span, c.col_span) for c in table.cells if plain(c.text))


def read(table: TableDraft) -> Placed:
    """Rows, columns and spans counted here, by filling a grid as HTML does."""
    filled: set[tuple[int, int]] = set()
    found: Placed = []
    for at, row in enumerate(table.rows):
        column = 0
        for cell in row:
            while (at, column) in filled:
                column += 1
            filled |= {(at + r, column + c) for r in range(cell.row_span) for c in range(cell.col_span)}
            if plain(cell.text):
                found.append((at, column, plain(cell.text), cell.row_span, cell.col_span))
            column += cell.col_span
    return sorted(found)


def plain(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("number", range(COUNT))
def test_every_table_is_read_cell_by_cell_as_it_was_drawn(documents: list[Made], number: int) -> None:
    made = documents[number]
    found = draft_of(made).tables
    assert len(found) == len(made.whole)
    wrong = {(number, at) for at, whole in enumerate(made.whole) if read(found[at]) != drawn(whole)}
    assert wrong == {one for one in MISREAD if one[0] == number}
    assert [table.header_rows for table in found] == made.heads


@pytest.mark.parametrize("number", range(COUNT // 3))
def test_prose_lists_and_references_hold_no_table(documents: list[Made], number: int) -> None:
    assert draft_of(documents[COUNT + number]).tables == []
