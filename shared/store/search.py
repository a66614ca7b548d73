"""Reads what retrieval needs from the store: sections by address, chunks by date, the full chunks of hits; and the
result of one index, as it is passed on to fusion."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any, NamedTuple, Protocol
from uuid import UUID

from psycopg import sql
from pydantic import BaseModel

from shared.domain.knowledge import Chunk, DocumentRef, FoundSection, Hit, Section, VersionEnvelope
from shared.domain.operations import ChunkType
from shared.store.connect import Connection, Row
from shared.store.named_queries import load_queries
from shared.values.hyphenation import printed_once

_SQL = load_queries("search")

SECTIONS_MAX = 100
SECTION_CHUNKS_MAX = 2000


class Candidate(NamedTuple):
    """A chunk with its score in one index: BM25, or cosine; higher is better.

    Scores compare within one `space`: the embedder version of a cosine, '' of everything else.
    """

    chunk_id: UUID
    document_id: UUID
    score: float
    space: str = ""


@dataclass(frozen=True)
class Ranking:
    """The candidates of one index, best first. `plan` describes how it was read; `exact` is False where a better chunk
    may have been missed; `figures` are counts and bounds for the trace."""

    candidates: list[Candidate]
    plan: str
    exact: bool
    figures: dict[str, Any] = field(default_factory=dict[str, Any])


class Selected(Protocol):
    """Which chunks may be ranked: a condition on the rows of `alias`, which have `chunk_id` and `document_id`, and its
    parameters."""

    def condition(self, alias: str) -> sql.Composed: ...

    def values(self) -> Row: ...


class FoundChunk(BaseModel):
    """A chunk with what a hit shows of its document and version; the SHA-256 of its document's file, the name of its
    knowledge base, and whether notes correct some version of its document (`noted`)."""

    chunk: Chunk
    document: DocumentRef
    version: VersionEnvelope
    source_hash: str
    knowledge_base: str
    noted: bool = False


_CHUNK_COLUMNS = [name for name in Chunk.model_fields if name not in ("section", "section_id", "table")]


def known_documents(connection: Connection, ids: Sequence[UUID]) -> set[UUID]:
    return {row["id"] for row in connection.execute(_SQL["known_documents"], {"ids": list(ids)})}


def newest_candidates(connection: Connection, selection: Selected, by_date: bool, limit: int) -> list[UUID]:
    """What is selected: newest first when `by_date`, otherwise in document order."""
    query = sql.SQL(_SQL["newest_candidates"]).format(selected=selection.condition("n"))
    values = selection.values() | {"by_date": by_date, "limit": limit}
    return [row["chunk_id"] for row in connection.execute(query, values)]


def chunk_dates(connection: Connection, ids: Sequence[UUID]) -> dict[UUID, datetime]:
    """Returns the date that recency is counted from: the chunk's own, else the document's, else when the document was
    added."""
    return {row["chunk_id"]: row["date"] for row in connection.execute(_SQL["dates"], {"ids": list(ids)})}


def document_dates(connection: Connection, ids: Sequence[UUID]) -> dict[UUID, date]:
    """The dates of those documents that have one: printed, from the file, or said by people."""
    rows = connection.execute(_SQL["document_dates"], {"ids": list(ids)})
    return {row["id"]: row["document_date"] for row in rows if row["document_date"] is not None}


def earlier_versions(connection: Connection) -> dict[UUID, list[UUID]]:
    """For each current version those before it that may answer, the last first; only of documents that have any."""
    earlier: dict[UUID, list[UUID]] = {}
    for row in connection.execute(_SQL["earlier_versions"]):
        earlier.setdefault(row["current"], []).append(row["earlier"])
    return earlier


def known_versions(connection: Connection, patterns: Sequence[str]) -> list[Row]:
    """The versions that may answer of documents that have several, and the single documents whose name or title is
    like one of `patterns` (SQL's `like`, upper and lower case alike)."""
    return connection.execute(_SQL["known_versions"], {"patterns": list(patterns)}).fetchall()


def load_chunks(connection: Connection, ids: Sequence[UUID]) -> dict[UUID, FoundChunk]:
    """By id. Chunks of one document share its `document` and `version`, those of one section its `section`."""
    documents: dict[UUID, tuple[DocumentRef, VersionEnvelope]] = {}
    sections: dict[UUID | None, Section | None] = {None: None}
    found: dict[UUID, FoundChunk] = {}
    for row in connection.execute(_SQL["hits"], {"ids": list(ids)}):
        if row["document_id"] not in documents:
            documents[row["document_id"]] = _document(row), _version(row)
        if row["section_uuid"] not in sections:
            sections[row["section_uuid"]] = _section(row, "section_uuid")
        document, version = documents[row["document_id"]]
        columns = {name: row[name] for name in _CHUNK_COLUMNS} | {"labelled": labelled_of(row)}
        chunk = Chunk(**columns, section_id=row["address"], section=sections[row["section_uuid"]])
        told = {name: row[name] for name in ("source_hash", "knowledge_base", "noted")}
        found[row["id"]] = FoundChunk(chunk=chunk, document=document, version=version, **told)
    return found


def load_rows(connection: Connection, hits: Sequence[Hit], *, answering: bool = False) -> dict[UUID, FoundChunk]:
    """Those of `hits` that are rows of long tables and no passages, by the id of their chunk, as far as their tables
    are there and may be read; with `answering` only of documents that answer."""
    rows = [hit for hit in hits if hit.kept_row]
    ids = [*{hit.chunk.table_id for hit in rows}]
    tables = {row["id"]: row for row in connection.execute(_SQL["tables_of_rows"], {"ids": ids})} if ids else {}
    found = dict[UUID, FoundChunk]()
    for hit in rows:
        table = tables.get(hit.chunk.table_id)
        if table and (table["answers"] or not answering):
            told = {name: table[name] for name in ("source_hash", "knowledge_base")}
            document, version = _document(table), _version(table)
            found[hit.chunk.id] = FoundChunk(chunk=hit.chunk, document=document, version=version, **told)
    return found


def answering_chunks(connection: Connection, ids: Sequence[UUID]) -> set[UUID]:
    """Those of `ids` that a search may find: of documents that answer, and that nobody rejected."""
    return {row["id"] for row in connection.execute(_SQL["answering"], {"ids": list(ids)})}


def sections_by_address(connection: Connection, keys: Sequence[str], wanted: Row) -> list[FoundSection]:
    """Returns the sections with one of the addresses `keys`, each once; printed addresses are preferred to aliases per
    document.

    `wanted` says of which documents: `documents` (None for all that are served) and `superseded`.
    """
    values = wanted | {"keys": list(keys), "limit": SECTIONS_MAX}
    return [
        FoundSection(section=_section(row, "id"), document=_document(row), version=_version(row), exact=row["exact"])
        for row in connection.execute(_SQL["sections_by_address"], values)
    ]


def section_chunks(connection: Connection, sections: Sequence[FoundSection], recursive: bool) -> list[UUID]:
    """Returns the chunks of the sections, with those of what is below them that no address reaches (with `recursive` of
    all that is below), in the order of `sections` and then of the document."""
    documents = list(dict.fromkeys(s.document.id for s in sections))
    values: Row = {"ids": [s.section.id for s in sections], "documents": documents, "recursive": recursive}
    rows = connection.execute(_SQL["section_chunks"], values | {"limit": SECTION_CHUNKS_MAX}).fetchall()
    return [row["chunk_id"] for row in rows]


def titles_of_chunks(connection: Connection, chunk_ids: Sequence[UUID]) -> dict[UUID, str]:
    """The titles of the sections that chunks stand in, by section, in the order of the chunks; not of pictures."""
    rows = connection.execute(_SQL["titles_of_chunks"], {"ids": list(chunk_ids)}).fetchall()
    return {row["id"]: row["title"] for row in rows}


def first_of_sections(
    connection: Connection, sections: Sequence[UUID], selection: Selected, places: int, each: int
) -> list[UUID]:
    """Returns the first `each` selected chunks of each of the first `places` sections that have any, subsections
    included.

    The first chunk of every section comes before the second chunk of any.
    """
    return _first_of_each(connection, "in_sections", {"ids": list(sections)}, selection, places, each)


def first_of_pages(
    connection: Connection, document_id: UUID, pages: Sequence[int], selection: Selected, places: int, each: int
) -> list[UUID]:
    """The same for the document's `pages`: chunks with a box on the page."""
    asked: Row = {"document_id": document_id, "pages": list(pages)}
    return _first_of_each(connection, "on_pages", asked, selection, places, each)


def _first_of_each(
    connection: Connection, block: str, asked: Row, selection: Selected, places: int, each: int
) -> list[UUID]:
    query = sql.SQL(_SQL["first_of_each"]).format(places=sql.SQL(_SQL[block]), selected=selection.condition("n"))
    rows = connection.execute(query, asked | selection.values() | {"places": places, "each": each})
    return list(dict.fromkeys(row["chunk_id"] for row in rows))


def announced_chunks(
    connection: Connection, ids: Sequence[UUID], types: Sequence[ChunkType], limit: int = 1
) -> dict[UUID, list[UUID]]:
    """For those chunks that end in a colon, or announce what follows ("… are shown below."), and have one of `types`
    behind them: that, and the chunks of its type that follow it, in the order of reading, up to `limit`."""
    found: dict[UUID, list[UUID]] = {}
    for row in connection.execute(_SQL["announced"], {"ids": list(ids), "types": list(types), "limit": limit}):
        found.setdefault(row["id"], []).append(row["announced"])
    return found


def answers_of_questions(connection: Connection, ids: Sequence[UUID]) -> dict[UUID, str]:
    """By passage the question that stands right before it, where either is one of these chunks."""
    return {row["answer"]: row["question"] for row in connection.execute(_SQL["answered"], {"ids": list(ids)})}


def windows_of_tables(connection: Connection, tables: Sequence[UUID]) -> dict[UUID, UUID]:
    """Some tables of sheets, and the further windows of long ones, in order, each with one of `tables`; nothing of a
    table with rows that are no passages."""
    found = connection.execute(_SQL["windows_of_tables"], {"ids": list(tables)}).fetchall()
    going_on = {row["asked"] for row in found if row["goes_on"]}
    windows: dict[UUID, UUID] = {}
    for row in found:
        if row["asked"] not in going_on:
            windows.setdefault(row["id"], windows.get(row["asked"], row["asked"]))
    return windows


def tables_with_spans(connection: Connection, tables: Sequence[UUID]) -> set[UUID]:
    """Those with a cell that stands for several rows of the body, of which only the first has it."""
    return {row["id"] for row in connection.execute(_SQL["tables_with_spans"], {"ids": list(tables)})}


def rows_of_tables(connection: Connection, tables: Mapping[UUID, UUID], limit: int) -> list[tuple[UUID, UUID]]:
    """(row's chunk, table) of tables, which are given with their documents, in the order of reading; of no table that
    has rows which are no passages."""
    asked = {"ids": list(tables), "document_ids": list({*tables.values()}), "limit": limit}
    return [(row["id"], row["table_id"]) for row in connection.execute(_SQL["rows_of_tables"], asked)]


def row_contexts(connection: Connection, ids: Sequence[UUID]) -> tuple[dict[UUID, str], dict[UUID, UUID]]:
    """For those chunks that are table rows, returns (text with each cell after its column header, id of the table's
    chunk)."""
    rows = connection.execute(_SQL["row_contexts"], {"ids": list(ids)}).fetchall()
    labelled = {row["id"]: row["index_text"].partition("\n")[2] for row in rows}
    return labelled, {row["id"]: row["table_chunk"] for row in rows if row["table_chunk"]}


def labelled_of(row: Row) -> str | None:
    """Of a row of a table what is `labelled` in its index text, as printed; None where that says no more than its
    content."""
    printed = printed_once(row["labelled"], row["content"]) if row["labelled"] else None
    return None if printed == row["content"] else printed


def _section(row: Row, id_column: str) -> Section:
    fields = {name: row[name] for name in ("address", "title", "path", "depth")}
    return Section.model_validate({"id": row[id_column], **fields})


def _document(row: Row) -> DocumentRef:
    document_id = row["document_id"]
    return DocumentRef(id=document_id, name=row["document_name"], source_type=row["source_type"])


def _version(row: Row) -> VersionEnvelope:
    return VersionEnvelope(
        label=row["version_label"],
        index=row["version_index"],
        is_current=row["is_current"],
        logical_document_name=row["logical_document_name"],
    )
