"""The tables of typed values and of attribute candidates; written with a document's chunks in one transaction."""

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final
from uuid import UUID

from psycopg.types.json import Jsonb

from shared.domain.attributes import ATTRIBUTES_VERSION, Attribute, AttributeCandidate
from shared.domain.draft import DocumentDraft
from shared.store.connect import Connection, Row
from shared.store.named_queries import load_queries

_SQL = load_queries("attributes")
MAX_EXAMPLE: Final = 200
# Rows per statement: COPY is not available under row-level security.
BATCH: Final = 2000


def store_attributes(
    connection: Connection,
    owner: Row,
    document_ids: Sequence[UUID],
    drafts: Sequence[tuple[Sequence[UUID], DocumentDraft]],
) -> None:
    """Replaces the attributes of documents of a knowledge base. `drafts` has each one's draft, and the ids of its
    chunks in order.

    `owner` holds `organization_id` and `knowledge_base_id`; the caller has locked the documents' rows.
    """
    values = owner | {"document_ids": list(document_ids)}
    connection.execute(_SQL["remove"], values)
    rows = (
        {"document_id": str(document_id)} | row
        for document_id, (chunk_ids, draft) in zip(document_ids, drafts, strict=True)
        for row in _rows(chunk_ids, draft)
    )
    while batch := list(itertools.islice(rows, BATCH)):
        connection.execute(_SQL["add"], owner | {"rows": Jsonb(batch), "version": ATTRIBUTES_VERSION})
    date_chunks(connection, owner["knowledge_base_id"], document_ids)
    connection.execute(_SQL["remove_candidates"], values)
    counted = [
        {"document_id": str(document_id)} | row
        for document_id, (_, draft) in zip(document_ids, drafts, strict=True)
        for row in _counted(draft.candidates)
    ]
    if counted:
        connection.execute(_SQL["add_candidates"], owner | {"rows": Jsonb(counted)})


def date_chunks(connection: Connection, knowledge_base_id: UUID, document_ids: Sequence[UUID] | None = None) -> None:
    """Date every chunk by the latest value of the knowledge base's date attribute; without one it has no date of its
    own. Only those of `document_ids` where they are given."""
    named = list(document_ids) if document_ids is not None else None
    connection.execute(_SQL["date_chunks"], {"knowledge_base_id": knowledge_base_id, "document_ids": named})


def date_names(connection: Connection, knowledge_base_id: UUID) -> list[str]:
    """The attributes of a knowledge base that have dates, by name."""
    rows = connection.execute(_SQL["date_names"], {"knowledge_base_id": knowledge_base_id})
    return [str(row["name"]) for row in rows]


def list_candidates(connection: Connection, knowledge_base_id: UUID, limit: int) -> list[Row]:
    """`{name, count, example}`, the most frequent first."""
    values = {"knowledge_base_id": knowledge_base_id, "limit": limit}
    return connection.execute(_SQL["list_candidates"], values).fetchall()


def _rows(chunk_ids: Sequence[UUID], draft: DocumentDraft) -> Iterator[Row]:
    for chunk_id, chunk in zip(chunk_ids, draft.chunks, strict=True):
        seen: Counter[str] = Counter()
        for attribute in chunk.attributes:
            yield {"chunk_id": str(chunk_id), "ordinal": seen[attribute.name]} | _columns(attribute)
            seen[attribute.name] += 1


def _columns(attribute: Attribute) -> Row:
    quantity = attribute.quantity
    numbers: Row = {"comparator": "="}
    if quantity:
        numbers = {
            "comparator": quantity.comparator,
            "value_number": quantity.canonical_number,
            "value_upper": quantity.canonical_upper,
            "unit": quantity.canonical_unit,
            "printed_number": quantity.number,
            "printed_upper": quantity.upper,
            "tolerance": quantity.tolerance,
            "printed_unit": quantity.unit,
        }
    return numbers | {
        "name": attribute.name,
        "route": attribute.route,
        "value_text": attribute.text,
        "value_time": attribute.time.isoformat() if attribute.time else None,
        "value_boolean": attribute.boolean,
        "raw": attribute.raw,
        "qualifier": attribute.qualifier,
        "fragment_ids": list(attribute.fragment_ids),
        "confidence": attribute.confidence,
    }


def _counted(candidates: Sequence[AttributeCandidate]) -> list[Row]:
    counts = Counter(candidate.name for candidate in candidates)
    examples = {candidate.name: candidate.raw[:MAX_EXAMPLE] for candidate in reversed(candidates)}
    return [{"name": name, "count": count, "example": examples[name]} for name, count in sorted(counts.items())]
