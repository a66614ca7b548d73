"""Forms: boxes ruled one below the other, each with a label and perhaps its value, are no table of one column."""

import re
from collections.abc import Iterator, Sequence

from shared.domain.operations import RegisterChunk, RegisterTable
from shared.extraction.page_view import Line, PageView

# Most rows of a form that have several cells, as a share, and least that hold a label.
SEVERAL_CELLS = 0.2
LABELLED = 0.4
MIN_ROWS = 3
_NUMBERED = re.compile(r"\W{0,3}\d{1,3}[a-z]?\.\s")


def split_forms(tables: Sequence[RegisterTable], view: PageView) -> tuple[list[RegisterTable], list[RegisterChunk]]:
    """Returns (tables, one chunk per entry of the forms among them: a label with its value)."""
    lines = {line.id: line for line in view.lines}
    forms = {id(table) for table in tables if _is_form(table, lines)}
    chunks = [chunk for table in tables if id(table) in forms for chunk in _entries(table, lines)]
    return [table for table in tables if id(table) not in forms], chunks


def _is_form(table: RegisterTable, lines: dict[str, Line]) -> bool:
    filled = [sum(bool(cell.fragment_ids) for cell in row) for row in table.rows]
    labelled = sum(":" in _text(ids, lines) for ids in _rows(table))
    whole = all(reference in lines for ids in _rows(table) for reference in ids)
    return (
        whole
        and len(table.rows) >= MIN_ROWS
        and sum(cells > 1 for cells in filled) <= SEVERAL_CELLS * len(filled)
        and labelled >= LABELLED * len(filled)
    )


def _entries(table: RegisterTable, lines: dict[str, Line]) -> Iterator[RegisterChunk]:
    """A row that ends in a label is joined by the next one, unless that has a number of its own."""
    entry: list[str] = [*table.caption_fragment_ids]
    for ids in _rows(table):
        if entry and (not _text(entry, lines).endswith(":") or _NUMBERED.match(_text(ids, lines))):
            yield RegisterChunk(fragment_ids=entry, chunk_type="text")
            entry = []
        entry = [*entry, *ids]
    if entry:
        yield RegisterChunk(fragment_ids=entry, chunk_type="text")


def _rows(table: RegisterTable) -> Iterator[list[str]]:
    for row in table.rows:
        if ids := [reference for cell in row for reference in cell.fragment_ids]:
            yield ids


def _text(ids: Sequence[str], lines: dict[str, Line]) -> str:
    return " ".join(lines[reference].text for reference in ids if reference in lines)
