"""What a model said of the same page before: in the run that is shown, or in the version before. It is not asked again.

A page is the same where its lines stand as they stood, and where the model sees it, where its picture is the same too.
"""

from collections.abc import Iterator
from uuid import UUID

from pydantic import ValidationError

from shared.contract import work_prefix
from shared.domain.operations import PageOperations
from shared.domain.page import PageFile
from shared.errors import NotFound
from shared.extraction.engine_choice import wants_image
from shared.ingestion.event import ShardEvent
from shared.runtime import Runtime
from shared.store import documents
from shared.store.versions import list_members


class FormerPages:
    """Pages by their numbers; `version` is the grouper's (model and prompts): another one's answers are no answers."""

    def __init__(self, runtime: Runtime, shard: ShardEvent, version: str) -> None:
        self._runtime, self._shard, self._version = runtime, shard, version
        with runtime.database.transaction(shard.scope) as connection:
            row = documents.find_document(connection, shard.document_id)
            members = list_members(connection, row["logical_document_id"]) if row else []
            earlier = [one.id for one in members if row and one.version_index < row["version_index"]]
            shown = [documents.find_document(connection, one) for one in earlier[-1:]]
        self._works = list(self._works_of([one for one in (row, *shown) if one]))

    def find(self, file: PageFile) -> tuple[PageFile, PageOperations] | None:
        """The page file with the character edges that the operations need, and the operations."""
        for work in self._works:
            try:
                former = PageFile.model_validate_json(self._runtime.blobs.get(f"{work}pages/{file.page}.json"))
                said = PageOperations.model_validate_json(self._runtime.blobs.get(f"{work}ops/{file.page}.json"))
                same = _without_edges(former) == _without_edges(file) and self._looks_alike(work, file)
            except (NotFound, ValidationError):
                continue
            if same and said.engine_version == self._version:
                return former, said
        return None

    def _works_of(self, rows: list[dict[str, UUID]]) -> Iterator[str]:
        for row in rows:
            run = row["ingestion_id"]
            if run is not None and run != self._shard.ingestion_id:
                names = (row["organization_id"], row["knowledge_base_id"], row["id"], run)
                yield work_prefix(*(str(name) for name in names))

    def _looks_alike(self, work: str, file: PageFile) -> bool:
        if not wants_image(file):
            return True
        name = f"images/{file.page}.jpg"
        return self._runtime.blobs.get(work + name) == self._runtime.blobs.get(self._shard.work + name)


def _without_edges(file: PageFile) -> PageFile:
    fragments = [fragment.model_copy(update={"char_x": ()}) for fragment in file.fragments]
    return file.model_copy(update={"fragments": fragments})
