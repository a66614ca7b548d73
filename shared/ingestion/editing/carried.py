"""The edits of the version before, for a version that is read for the first time."""

from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

from shared.contract import work_prefix
from shared.domain.edits import Edit
from shared.domain.ids import new_id
from shared.errors import Damaged, NotFound
from shared.extraction.edits.carry import PageFiles, carry_edits
from shared.extraction.edits.replay import LoadPage
from shared.ingestion.assembly import page_loader
from shared.runtime import Runtime
from shared.store import documents, edits
from shared.store.connect import Connection, Row
from shared.store.edits import ActiveEdit
from shared.store.versions import list_members


class Carried(NamedTuple):
    """The edits as they refer to the new version, each with the id that it had."""

    edits: Sequence[tuple[ActiveEdit, UUID]] = ()

    @property
    def active(self) -> list[ActiveEdit]:
        return [edit for edit, _ in self.edits]

    def store(self, connection: Connection, document_id: UUID) -> None:
        for one, former in self.edits:
            edits.carry_edit(connection, document_id, one.edit, former)


class _Earlier(NamedTuple):
    """The version before that is served: its edits that apply, its pages, where its files are."""

    edits: list[Edit]
    pages: list[int]
    work: str


def find_earlier(connection: Connection, document: Row) -> _Earlier | None:
    """The latest earlier version that is served, where it has edits that apply and this document was never read."""
    if document["extractor_version"] is not None:
        return None
    members = list_members(connection, document["logical_document_id"])
    earlier = [one.id for one in members if one.version_index < document["version_index"] and one.serving]
    row = documents.find_document(connection, earlier[-1]) if earlier else None
    if row is None:
        return None
    active = [one.edit for one in edits.active_edits(connection, row["id"]) if one.stale is None]
    names = (row["organization_id"], row["knowledge_base_id"], row["id"], row["ingestion_id"])
    work = work_prefix(*(str(name) for name in names))
    return _Earlier(active, edits.read_pages(connection, row["id"]), work) if active else None


def carry(runtime: Runtime, earlier: _Earlier | None, load: LoadPage, pages: Sequence[int]) -> Carried:
    """The edits of the version before for the pages that `load` gives; none where there is no such version."""
    if earlier is None:
        return Carried()
    former = page_loader(runtime, earlier.work, earlier.pages)
    try:
        found = carry_edits(earlier.edits, _files(former, earlier.pages), _files(load, pages))
    except (Damaged, NotFound):
        # Of pages that are gone nothing is found again.
        found = carry_edits(earlier.edits, _files(load, ()), _files(load, ()))
    named = [(ActiveEdit(one.model_copy(update={"id": new_id()}), None), one.id) for one in found]
    return Carried(named)


def _files(load: LoadPage, pages: Sequence[int]) -> PageFiles:
    return lambda some: (load(page)[0] for page in pages if some is None or page in some)
