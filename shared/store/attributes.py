"""The tables of typed values and of attribute candidates; written with a document's chunks in one transaction."""

import itertools
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import UUID

from psycopg.types.json import Jsonb

from shared.domain.attributes import ATTRIBUTES_VERSION, Attribute, AttributeCandidate, UndeclaredValue
from shared.domain.draft import DocumentDraft
from shared.store.connect import Connection, Row
from shared.store.named_queries import load_queries
from shared.store.upsert import jsonb_rows

_SQL = load_queries("attributes")
MAX_EXAMPLE: Final = 200
# Rows per statement: COPY is not available under row-level security.
BATCH: Final = 2000
# Of undeclared values of one name in one document.
TEXTS_MAX: Final = 40
EXAMPLES_MAX: Final = 3


def remove_attributes(connection: Connection, document_id: UUID) -> None:
    """Removes what the document has of values and candidates; the caller has locked its row."""
    for block in ("remove", "remove_candidates", "remove_undeclared"):
        connection.execute(_SQL[block], {"document_id": document_id})


def add_attributes(
    connection: Connection,
    owner: Row,
    document_ids: Sequence[UUID],
    drafts: Sequence[tuple[Sequence[UUID], DocumentDraft]],
) -> None:
    """Stores the attributes of documents of a knowledge base that have none. `drafts` has each one's draft, and the ids
    of its chunks in order.

    `owner` holds `organization_id` and `knowledge_base_id`; no other transaction changes the documents.
    """
    documents = [(document_id, *of) for document_id, of in zip(document_ids, drafts, strict=True)]
    _add(connection, owner, (row for one in documents for row in _stamped(*one)))
    date_chunks(connection, owner["knowledge_base_id"], document_ids)
    _add_uncounted(connection, owner, documents)


def refill_attributes(
    connection: Connection, owner: Row, chunk_ids: Sequence[UUID | None], draft: DocumentDraft, names: Collection[str]
) -> None:
    """Replaces the document's values of the attributes `names` alone, and all of its candidates.

    `owner` holds the `document_id` too. A chunk of the draft that is not stored has no id. The caller has locked the
    document's row.
    """
    document_id: UUID = owner["document_id"]
    connection.execute(_SQL["remove_names"], owner | {"names": list(names)})
    _add(connection, owner, _stamped(document_id, chunk_ids, draft, names))
    date_chunks(connection, owner["knowledge_base_id"], [document_id])
    readable = (
        {"id": str(chunk_id), "attrs": {name: chunk.attrs[name] for name in names if name in chunk.attrs}}
        for chunk_id, chunk in zip(chunk_ids, draft.chunks, strict=True)
        if chunk_id is not None and not chunk.attrs.keys().isdisjoint(names)
    )
    while batch := list(itertools.islice(readable, BATCH)):
        connection.execute(_SQL["set_readable"], {"rows": Jsonb(batch)})
    for block in ("remove_candidates", "remove_undeclared"):
        connection.execute(_SQL[block], owner)
    _add_uncounted(connection, owner, [(document_id, chunk_ids, draft)])


def chunk_keys(connection: Connection, document_id: UUID) -> dict[tuple[str, int], UUID]:
    """The ids of the stored chunks by hash and occurrence."""
    rows = connection.execute(_SQL["chunk_keys"], {"document_id": document_id})
    return {(row["content_hash"], row["occurrence"]): row["id"] for row in rows}


def stored_names(connection: Connection, document_id: UUID) -> list[str]:
    """Of the attributes that the document has."""
    return [str(row["name"]) for row in connection.execute(_SQL["stored_names"], {"document_id": document_id})]


def _stamped(
    document_id: UUID, chunk_ids: Sequence[UUID | None], draft: DocumentDraft, names: Collection[str] | None = None
) -> Iterator[Row]:
    """The rows of a draft's values, with their document and the schema that they were read under."""
    stamp = {"document_id": str(document_id), "schema_version": draft.schema_version}
    return (stamp | row for row in _rows(chunk_ids, draft, names))


def _add(connection: Connection, owner: Row, rows: Iterator[Row]) -> None:
    while batch := list(itertools.islice(rows, BATCH)):
        connection.execute(_SQL["add"], owner | {"rows": jsonb_rows(batch), "version": ATTRIBUTES_VERSION})


def _add_uncounted(
    connection: Connection, owner: Row, documents: Sequence[tuple[UUID, Sequence[UUID | None], DocumentDraft]]
) -> None:
    """What no filter finds: candidates, and values that are not declared."""
    counted = [{"document_id": str(one)} | row for one, _, draft in documents for row in _counted(draft.candidates)]
    if counted:
        connection.execute(_SQL["add_candidates"], owner | {"rows": Jsonb(counted)})
    summed = [
        owner | {"document_id": one} | row for one, ids, draft in documents for row in _summed(draft.undeclared, ids)
    ]
    if summed:
        with connection.cursor() as cursor:
            cursor.executemany(_SQL["add_undeclared"], summed)


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


def _rows(
    chunk_ids: Sequence[UUID | None], draft: DocumentDraft, names: Collection[str] | None = None
) -> Iterator[Row]:
    """Of all names, or of `names` alone."""
    for chunk_id, chunk in zip(chunk_ids, draft.chunks, strict=True):
        seen: Counter[str] = Counter()
        for attribute in chunk.attributes if chunk_id is not None else ():
            if names is not None and attribute.name not in names:
                continue
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
        "role": attribute.role,
    }


def _counted(candidates: Sequence[AttributeCandidate]) -> list[Row]:
    counts = Counter(candidate.name for candidate in candidates)
    examples = {candidate.name: candidate.raw[:MAX_EXAMPLE] for candidate in reversed(candidates)}
    return [{"name": name, "count": count, "example": examples[name]} for name, count in sorted(counts.items())]


@dataclass
class _Sum:
    """Values of one name and kind, refused for one reason."""

    count: int = 0
    labelled: int = 0
    low: float | None = None
    high: float | None = None
    texts: Counter[str] = field(default_factory=Counter[str])
    examples: list[Row] = field(default_factory=list[Row])

    def add(self, one: Attribute, chunk_id: UUID | None) -> None:
        self.count += 1
        self.labelled += one.route != "text"
        if one.quantity:
            number, upper = one.quantity.canonical_number, one.quantity.canonical_upper
            self.low = number if self.low is None else min(self.low, number)
            self.high = max(number if upper is None else upper, number if self.high is None else self.high)
        elif one.text and (len(self.texts) < TEXTS_MAX or one.text in self.texts):
            self.texts[one.text] += 1
        if chunk_id is not None and len(self.examples) < EXAMPLES_MAX:
            self.examples.append({"raw": one.raw[:MAX_EXAMPLE], "chunk_id": str(chunk_id)})


def _summed(refused: Sequence[UndeclaredValue], chunk_ids: Sequence[UUID | None]) -> Iterator[Row]:
    sums: dict[tuple[str, ...], _Sum] = {}
    for value in refused:
        one, unit, printed = value.attribute, "", ""
        if one.quantity:
            unit, printed = one.quantity.canonical_unit or "", one.quantity.unit or ""
        key = one.name, value.declared, value.reason, kind_of(one), unit, printed
        sums.setdefault(key, _Sum()).add(one, chunk_ids[value.chunk])
    columns = ("name", "declared", "reason", "kind", "unit", "printed_unit")
    for key, own in sums.items():
        figures: dict[str, Any] = {"count": own.count, "labelled": own.labelled, "low": own.low, "high": own.high}
        yield dict(zip(columns, key, strict=True)) | figures | {
            "texts": Jsonb(dict(own.texts)), "examples": Jsonb(own.examples)
        }  # fmt: skip


def kind_of(one: Attribute) -> str:
    """As the summaries of values name it."""
    if one.quantity:
        return "number"
    if one.time:
        return "time"
    return "boolean" if one.boolean is not None else "text"
