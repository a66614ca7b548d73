"""Reads what a new version of a schema declares in documents that are there, from their stored page files.

A document is one transaction: what is read of it is there, and noted, or neither. A run may be killed at any moment;
the next one goes on with what is left. Only values of attributes that changed since the document was read are replaced.
"""

import time
from collections import Counter
from collections.abc import Sequence
from typing import Final
from uuid import UUID

from shared.access import changing, check_knowledge_base, reading
from shared.contract import work_prefix
from shared.domain.attribute_schema import AttributeSchema, Backfill, changed_names
from shared.domain.draft import DocumentDraft
from shared.domain.scope import Identity, Scope
from shared.errors import Damaged, NotFound
from shared.ingestion.assembly import assemble_document, page_loader
from shared.runtime import Runtime
from shared.store import attribute_schema as rows
from shared.store import documents, edits
from shared.store.attributes import chunk_keys, refill_attributes, stored_names
from shared.store.connect import Connection, Row
from shared.store.draft import hash_text

# A chunk of the draft by which it is found among the stored ones.
_Key = tuple[str, int]
_UNREADABLE: Final = (Damaged, NotFound, ValueError)
# What a request reads at most: no document is begun after so many seconds, and none that would outlast the request.
REQUEST_S: Final = 3.0
REQUEST_CHUNKS: Final = 1_000


def continue_backfill(runtime: Runtime, identity: Identity, knowledge_base_id: UUID) -> Backfill | None:
    """Reads for a few seconds what is left, without waiting for the background's turn; returns how far it is.

    Documents of more than `REQUEST_CHUNKS` chunks are left to the background. Raises NotFound.
    """
    with changing(runtime, identity) as connection:
        check_knowledge_base(connection, knowledge_base_id)
    scope = Scope(organization_id=identity.organization_id, knowledge_base_ids=(knowledge_base_id,))
    started = time.monotonic()
    while time.monotonic() - started < REQUEST_S and fill_next(runtime, scope, REQUEST_CHUNKS):
        continue
    with reading(runtime, identity) as connection:
        return rows.find_backfill(connection, knowledge_base_id)


def fill_next(runtime: Runtime, scope: Scope, chunks_max: int | None = None) -> int:
    """Reads the next document that is left, of at most `chunks_max` chunks; returns how many it has, 0 where none is
    left or people stopped it.

    A document whose stored files cannot be read is counted and left out: its next run reads it.
    """
    (base,) = scope.knowledge_base_ids
    started = time.perf_counter()
    with runtime.database.transaction(scope) as connection:
        backfill = rows.find_backfill(connection, base)
        if backfill is None or backfill.status != "running":
            return 0
        found = rows.next_behind(connection, base, chunks_max)
        if found is None:
            if rows.count_behind(connection, base)["documents"] == 0:
                rows.set_status(connection, base, "done", ("running",))
            return 0
        opened = _open(connection, found["id"])
        schema = rows.load_schema(connection, base)
        former = rows.schema_at(connection, base, found["schema_version"])
    draft, error = _read(runtime, opened, schema)
    names = changed_names(former.attributes if former else (), schema.attributes)
    with runtime.database.transaction(scope) as connection:
        now = rows.lock_document(connection, opened["id"])
        if now is None or any(
            now[column] != opened[column] for column in ("revision", "ingestion_id", "schema_version")
        ):
            # It was ingested, edited or read by another one meanwhile: the next turn sees what is left.
            return 1
        if draft is not None:
            _store(connection, opened, draft, names, whole=now["schema_version"] is None)
        rows.note_read(connection, base, [opened["id"]], schema.version)
        count = _count(draft, names)
        seconds = time.perf_counter() - started
        rows.add_progress(
            connection, base, chunks=opened["chunk_count"], found=count["found"], refused=count["refused"],
            unread=int(draft is None), seconds=seconds, error=error,
        )  # fmt: skip
    return max(1, opened["chunk_count"])


def _open(connection: Connection, document_id: UUID) -> Row:
    row = documents.find_document(connection, document_id) or {}
    pages = edits.read_pages(connection, document_id)
    return row | {"pages": pages, "edits": [one.edit for one in edits.active_edits(connection, document_id)]}


def _read(runtime: Runtime, opened: Row, schema: AttributeSchema) -> tuple[DocumentDraft | None, str | None]:
    """The document with its attributes; or why it cannot be read."""
    columns = ("organization_id", "knowledge_base_id", "id", "ingestion_id")
    load = page_loader(runtime, work_prefix(*(str(opened[column]) for column in columns)), opened["pages"])
    try:
        return assemble_document(load, opened["pages"], opened["edits"], schema).draft, None
    except _UNREADABLE as reason:
        return None, f"{opened['name']}: {reason}"[:500]


def _store(connection: Connection, opened: Row, draft: DocumentDraft, names: Sequence[str], *, whole: bool) -> None:
    owner: Row = {column: opened[column] for column in ("organization_id", "knowledge_base_id")}
    owner["document_id"] = opened["id"]
    known = chunk_keys(connection, opened["id"])
    ids = [known.get(key) for key in _keys(draft)]
    # Read before anything was declared: every name that it has counts otherwise now.
    replaced = {*names, *stored_names(connection, opened["id"])} if whole else set(names)
    refill_attributes(connection, owner, ids, draft, replaced)


def _keys(draft: DocumentDraft) -> list[_Key]:
    seen: Counter[str] = Counter()
    keys: list[_Key] = []
    for chunk in draft.chunks:
        value = hash_text(chunk.chunk_type, chunk.content)
        keys.append((value, seen[value]))
        seen[value] += 1
    return keys


def _count(draft: DocumentDraft | None, names: Sequence[str]) -> dict[str, int]:
    if draft is None:
        return {"found": 0, "refused": 0}
    wanted = set(names)
    return {
        "found": sum(one.name in wanted and not one.role for chunk in draft.chunks for one in chunk.attributes),
        "refused": sum(one.declared in wanted for one in draft.undeclared),
    }
