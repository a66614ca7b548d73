"""Commits an edited document: embeds new texts first, then changes everything in one transaction."""

from collections.abc import Callable
from dataclasses import dataclass
from uuid import UUID

import numpy as np

from shared.domain.attribute_schema import AttributeSchema
from shared.domain.draft import ChunkDraft, DocumentDraft
from shared.domain.edits import Edit
from shared.domain.scope import Scope
from shared.errors import Conflict
from shared.ingestion.assembly import store_pages
from shared.lexical import index as lexical
from shared.ports import Vectors
from shared.runtime import Runtime
from shared.store import attribute_schema, edits, library, reviews
from shared.store.connect import Connection
from shared.store.draft import commit_draft, hash_text, index_texts
from shared.vectors import rows as vectors
from shared.vectors.embedders import serving_version

# How many texts are embedded before the commit: an edit makes a dozen new chunks. Chunks of which only the context has
# changed (a heading above them) keep their old vector until they are embedded, right after the commit.
EMBED_FIRST = 64
ALL = 1_000_000


@dataclass(frozen=True)
class OpenedDocument:
    """What an edit read of its document at the beginning: one revision of it, in `scope`."""

    place: library.DocumentPlace
    scope: Scope
    name: str
    version: str
    pages: list[int]
    active: list[edits.ActiveEdit]
    schema: AttributeSchema

    @property
    def row(self) -> dict[str, UUID]:
        """The columns that name the document."""
        place = self.place
        return {
            "organization_id": place.organization_id,
            "knowledge_base_id": place.knowledge_base_id,
            "document_id": place.id,
        }


def check_revision(place: library.DocumentPlace, revision: int, status: str) -> None:
    """Raises Conflict where the document is at another revision, a run is under way, or the last run failed."""
    if status in ("queued", "running"):
        raise Conflict(f"{place.name} is being ingested. Edit it when it is ready.")
    if status not in ("ready", "ready_with_errors"):
        raise Conflict(f"The last run of {place.name} did not end well. Reingest it, then edit it.")
    if place.revision != revision:
        raise Conflict(
            f"{place.name} has changed since you loaded it (revision {revision}, now {place.revision})."
            " Load it again and look whether your edit is still needed."
        )


def commit(
    runtime: Runtime,
    opened: OpenedDocument,
    edit: Edit,
    draft: DocumentDraft,
    stale: dict[UUID, str],
    record: Callable[[Connection], None],
) -> int:
    """Stores the document, and what `record` stores of the edit, in one transaction; returns the new revision.

    Raises Conflict when another edit or run came first; then nothing has changed. The chunks with the edit's fragments
    are embedded before the new revision is served.
    """
    made = _embed_new(runtime, opened, draft, {r for change in edit.changes for r in change.passage.fragment_ids})
    document_id = opened.place.id
    with runtime.database.transaction(opened.scope) as connection:
        version = serving_version(connection, document_id, runtime.embedders.default)
        locked = edits.lock_revision(connection, document_id)
        if locked is None or locked != (opened.place.revision, opened.place.status):
            raise Conflict(f"{opened.place.name} was changed by somebody else meanwhile. Load it again and look.")
        before, former = edits.row_keys(connection, document_id), edits.former_rows(connection, document_id)
        commit_draft(connection, opened.scope, document_id, draft, opened.name, opened.version, former)
        attribute_schema.note_read(connection, opened.place.knowledge_base_id, [document_id], draft.schema_version)
        now = edits.row_keys(connection, document_id)
        store_pages(connection, document_id, draft)
        edits.set_stale(connection, document_id, opened.active, stale)
        reviews.refit(connection, document_id)
        vectors.reuse(connection, [document_id], version)
        ready = [row for row in vectors.missing(connection, [document_id], version, ALL) if row[2] in made]
        if ready:
            vectors.store(connection, version, ready, np.stack([made[row[2]] for row in ready]))
        lexical.index_chunks(connection, opened.place.knowledge_base_id, document_id)
        record(connection)
        gone = {key: row for key, row in before.items() if key not in now}
        edits.add_former(connection, document_id, edit.id, gone)
        return edits.set_edited(connection, document_id, draft.confidence)


def _embed_new(runtime: Runtime, opened: OpenedDocument, draft: DocumentDraft, touched: set[str]) -> dict[str, Vectors]:
    """Returns vectors by index hash, for index texts that have none in the knowledge base; the edit's own chunks
    first."""
    texts = {hash_text(text): text for text in _own_first(draft, index_texts(opened.name, draft), touched)}
    with runtime.database.transaction(opened.scope) as connection:
        version = serving_version(connection, opened.place.id, runtime.embedders.default)
        known = edits.known_hashes(connection, opened.place.knowledge_base_id, version, list(texts))
    new = {key: text for key, text in texts.items() if key not in known}
    wanted = dict(list(new.items())[:EMBED_FIRST])
    found = runtime.embedders.get(version).embed_passages(list(wanted.values())) if wanted else []
    return dict(zip(wanted, found, strict=True))


def _own_first(draft: DocumentDraft, texts: list[str], touched: set[str]) -> list[str]:
    def is_other(chunk: ChunkDraft) -> bool:
        return all(touched.isdisjoint(box.fragment_ids) for box in chunk.boxes)

    ordered = sorted(zip(draft.chunks, texts, strict=True), key=lambda one: is_other(one[0]))
    return [text for _, text in ordered]
