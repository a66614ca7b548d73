"""The words of rows that are kept beside their documents: a filter for each block, and what a search reads of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from shared.contract import work_prefix
from shared.domain.knowledge import DocumentRef, VersionEnvelope
from shared.store.connect import Connection, Row
from shared.store.named_queries import load_queries

_SQL = load_queries("kept_words")


@dataclass(frozen=True)
class WordsOfBlock:
    """A block of the part `page` with `rows` rows; `work` is the prefix of its document's files. `lines` has, for each
    word that was asked for, the line of its filter, None where the words of the block are not known."""

    table_id: UUID
    knowledge_base_id: UUID
    document: DocumentRef
    version: VersionEnvelope
    page: int
    rows: int
    work: str
    lines: list[bytes] | None


def store_words(connection: Connection, owner: Row, filters: Mapping[int, bytes]) -> None:
    """Replaces those of a document by filters by part. `owner` has the ids of the document, its run (`ingestion_id`)
    and what it is in."""
    connection.execute(_SQL["forget_words"], owner)
    for page, words in filters.items():
        connection.execute(_SQL["add_words"], owner | {"page": page, "filter": words})


def blocks_of(connection: Connection, selected: Row, numbers: Sequence[int]) -> list[WordsOfBlock]:
    """The blocks in the scope that `selected` leaves (`documents` and `superseded`, as filters of a search have them),
    in the order of their documents, with the lines of words that have these numbers."""
    rows = connection.execute(_SQL["blocks"], {**selected, "numbers": list(numbers)}).fetchall()
    return [_block(row, bool(numbers)) for row in rows]


def heads_of(connection: Connection, table_ids: Sequence[UUID]) -> dict[UUID, tuple[Any, int]]:
    """By table its first rows, those of the header at least, and how many these are."""
    rows = connection.execute(_SQL["heads"], {"ids": list(table_ids)})
    return {row["id"]: (row["head"], row["header_rows"]) for row in rows}


def _block(row: Row, asked: bool) -> WordsOfBlock:
    ids = (str(row[name]) for name in ("organization_id", "knowledge_base_id", "document_id", "ingestion_id"))
    version = VersionEnvelope(
        label=row["version_label"],
        index=row["version_index"],
        is_current=row["is_current"],
        logical_document_name=row["logical_document_name"],
    )
    document = DocumentRef(id=row["document_id"], name=row["name"], source_type=row["source_type"])
    lines = row["lines"] if asked else []
    base, page, rows = row["knowledge_base_id"], row["first_page"], row["kept_rows"]
    return WordsOfBlock(row["id"], base, document, version, page, rows, work_prefix(*ids), lines)
