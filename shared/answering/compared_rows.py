"""Rows of whole tables that a question compares: those that have the most or the least, and those that it means."""

from collections.abc import Mapping, Sequence
from typing import Final
from uuid import UUID

from shared.answering.asked_limit import asked_limits
from shared.answering.composing import unfound_hit
from shared.answering.evidence import CHUNKS_READ, titles_of
from shared.answering.limits import Compared
from shared.answering.quoting import MEETING_MAX
from shared.answering.selecting import of_nearest_table, select_rows, selects
from shared.answering.superlatives import Extreme, asked_superlative, cells_of, find_extreme
from shared.domain.datasets import SHEETS
from shared.domain.knowledge import Hit
from shared.lexical.tokenizer import tokenize
from shared.store.connect import Connection
from shared.store.search import (
    FoundChunk,
    announced_chunks,
    answering_chunks,
    load_chunks,
    row_contexts,
    rows_of_tables,
    tables_with_spans,
    windows_of_tables,
)

# Of so many rows of the tables among the hits the one with the most is found; of more none.
ROWS_COMPARED: Final = 1000


def extremes_of(connection: Connection, hits: Sequence[Hit], question: str) -> list[tuple[Hit, Extreme]]:
    """As rows may answer: a table of which people rejected some is not compared. Of several tables those that the
    question's words stand nearest above: accessories in a list of compressors are none."""
    asked = asked_superlative(question)
    above = {hit.chunk.table_id: hit for hit in hits[:CHUNKS_READ] if hit.chunk.table_id} if asked else {}
    if asked is None or not above:
        return []
    placed = _rows_of_whole(connection, above, ROWS_COMPARED + 1)
    answering = (
        answering_chunks(connection, [row for row, _ in placed]) if len(placed) <= ROWS_COMPARED else set[UUID]()
    )
    whole = [key for key in above if all(row in answering for row, table in placed if table == key)]
    labelled, _ = row_contexts(connection, [row for row, table in placed if table in whole])
    there = load_chunks(connection, list(labelled))
    known = {hit.chunk.id: hit for hit in hits}
    found: list[tuple[int, Extreme]] = []
    for key in whole:
        rows = cells_of(
            {r: (there[r].chunk.content, labelled[r]) for r, table in placed if table == key and r in there}
        )
        far = ((n, find_extreme(asked, rows, title)) for n, title in enumerate(("", _title_above(above[key]))))
        found += [(n, extreme) for n, extreme in far if extreme][:1]
    nearest = min((n for n, _ in found), default=0)
    # A file may lie in several knowledge bases, and an edition repeat another.
    extremes = {there[one.row].chunk.content: one for n, one in reversed(found) if n == nearest}
    return [(known.get(one.row) or unfound_hit(there[one.row]), one) for one in reversed(extremes.values())]


def compared_rows(connection: Connection, hits: Sequence[Hit], question: str) -> dict[UUID, Compared]:
    """Where it is asked which things there are, the rows of the tables that the best hits stand in or announce which
    tell whether they are meant. Of a table of which people rejected some, the others are compared. They are not
    counted, nor those of a table that was read in part, or with cells that stand for several rows."""
    limits = asked_limits(question)
    if limits is None and not selects(question):
        return {}
    placed = _rows_of_near(connection, hits[:CHUNKS_READ])
    answering = answering_chunks(connection, [row for row, _ in placed]) if placed else set[UUID]()
    labelled, _ = row_contexts(connection, [*answering]) if answering else ({}, {})
    there = load_chunks(connection, [*labelled])
    partly = {table for row, table in placed if row not in there}
    partly |= {placed[-1][1]} if len(placed) == ROWS_COMPARED else set()
    partly |= tables_with_spans(connection, [*{table for _, table in placed} - partly]) if there else set()
    found: dict[UUID, Compared] = {}
    for table in dict.fromkeys(table for _, table in placed):
        rows = {row: (there[row].chunk.content, labelled[row]) for row, of in placed if of == table and row in there}
        if not rows:
            continue
        above = titles_of(unfound_hit(there[next(iter(rows))])).split("\n")
        meant = select_rows(question, limits, cells_of(rows), above[::-1])
        for row, one in meant.items():
            found[row] = one._replace(table=table, meeting=None if table in partly else one.meeting)
    return of_nearest_table(found)


def rows_meeting(
    connection: Connection, read: Sequence[Hit], compared: Mapping[UUID, Compared], question: str
) -> list[Hit]:
    """Of the rows that meet a limit those that are not read yet, the first of those with most words of the question."""
    known = {hit.chunk.id for hit in read}
    meeting = [row for row, one in compared.items() if one.met and row not in known]
    there = load_chunks(connection, meeting) if meeting else {}
    words = tokenize(question).counts.keys()
    rows = [there[row] for row in meeting if row in there]
    rows.sort(key=lambda row: -len(words & tokenize(row.chunk.content).counts.keys()))
    return [unfound_hit(row) for row in rows[:MEETING_MAX]]


def _rows_of_near(connection: Connection, best: Sequence[Hit]) -> list[tuple[UUID, UUID]]:
    """(row, table) of the tables that the hits stand in or announce."""
    announced = announced_chunks(connection, [hit.chunk.id for hit in best], ["table"])
    behind = load_chunks(connection, [one for chunks in announced.values() for one in chunks]) if announced else {}
    tables = {one.chunk.table_id: one for one in [*best, *behind.values()] if one.chunk.table_id}
    return _rows_of_whole(connection, tables, ROWS_COMPARED)


def _rows_of_whole(
    connection: Connection, tables: Mapping[UUID, Hit | FoundChunk], limit: int
) -> list[tuple[UUID, UUID]]:
    """(row, table) of tables that are given with a chunk of theirs each, in the order of reading; of a sheet's long one
    those of all its windows, as rows of one of them."""
    if not tables:
        return []
    documents = {key: one.chunk.document_id for key, one in tables.items()}
    sheets = [key for key, one in tables.items() if one.document.source_type in SHEETS]
    windows = windows_of_tables(connection, sheets) if sheets else {}
    asked = {
        key: documents[windows.get(key, key)] for key in [*documents, *windows] if key in windows or key not in sheets
    }
    placed = rows_of_tables(connection, asked, limit)
    return [(row, windows.get(table, table)) for row, table in placed]


def _title_above(hit: Hit) -> str:
    """The innermost: cases in a chapter of pumps are no pumps. Not what is a section by its number alone, as a row may
    be. Where there is none, the document's name is one."""
    path = hit.chunk.section.path if hit.chunk.section else []
    return next((step.title for step in reversed(path) if step.title), hit.document.name)
