"""The pages of a shard that the model groups: the requests, their costs, and the time limits.

A page's request depends only on its own page file, the document's profile and bookmarks, and the previous page's file,
not on the result for any other page. So shards may run in any order.
"""

import time
from collections.abc import Iterable, Mapping
from typing import Any, Final

from shared.domain.model_calls import Grouping, GroupingContext
from shared.domain.operations import PageOperations, RegisterChunk
from shared.domain.page import OutlineEntry, PageFile
from shared.domain.sketch import Profile
from shared.errors import NotFound
from shared.extraction.engine_choice import MAX_FRAGMENTS, fits_model, wants_image
from shared.extraction.layout import extract_page
from shared.extraction.references import Resolver, claimed_references
from shared.ingestion.event import ShardEvent
from shared.ingestion.former_pages import FormerPages
from shared.ingestion.grouping import fall_back, group_page, shrink_image
from shared.ingestion.pages import read_page_file
from shared.ingestion.source import open_stored_source
from shared.runtime import Runtime
from shared.store import costs, documents

STAGE: Final = "extract"
# Two calls of 90 s and the waits between them; a page that takes even longer is ended by the kernel.
PAGE_BUDGET_S: Final = 200.0
MODEL_PAGE_S: Final = 230.0
# Below the stage's 600 s (a test compares): the pages left over are done by the next run of the shard.
SHARD_BUDGET_S: Final = 480.0
TAIL_CHARACTERS: Final = 160


class ModelPages:
    """Groups pages of one shard; `started` is when its work began (`time.monotonic`, seconds)."""

    def __init__(
        self, runtime: Runtime, shard: ShardEvent, profile: Profile, outline: list[OutlineEntry], started: float
    ) -> None:
        self._runtime, self._shard, self._profile, self._outline = runtime, shard, profile, outline
        self._deadline = started + SHARD_BUDGET_S
        with runtime.database.transaction(shard.scope) as connection:
            self._document = documents.logical_name(connection, shard.document_id)
        self._former = FormerPages(runtime, shard, runtime.grouper.version)

    def group(self, file: PageFile, layout: PageOperations) -> tuple[PageFile, PageOperations]:
        """Returns the page's file and operations, those of a former run where the page is the same; the file has the
        character edges that references to parts of fragments need.

        Raises Unavailable where the model stays busy; BadInput where it cannot be used at all.
        """
        if not fits_model(file):
            return file, fall_back(layout, f"More than {MAX_FRAGMENTS} fragments: too many for one answer of a model.")
        if (known := self._former.find(file)) is not None:
            self._store(known[0])
            return known
        exact = self._with_edges(file)
        operations = group_page(
            self._runtime.grouper,
            exact,
            self._image(file),
            self._context(file.page),
            min(self._deadline, time.monotonic() + PAGE_BUDGET_S),
            layout,
            lambda answer: self._record(file.page, answer),
        )
        return self._keep_edges(file, exact, operations), operations

    def _with_edges(self, file: PageFile) -> PageFile:
        """The page file with character edges, read from the source again where the text is the same (an OCR page has
        none)."""
        with open_stored_source(self._runtime, self._shard) as source:
            read = {f.id: f for f in source.read_page(file.page, characters=True).fragments}
        edges = {f.id: read[f.id].char_x for f in file.fragments if f.id in read and read[f.id].text == f.text}
        return with_edges(file, edges)

    def _keep_edges(self, file: PageFile, exact: PageFile, operations: PageOperations) -> PageFile:
        """The page file to be stored from now on: with character edges for those fragments that are divided."""
        references = (r for operation in operations.operations for r in claimed_references(operation))
        divided = {r.partition("[")[0] for r in references if "[" in r}
        if not divided:
            return file
        found = with_edges(file, {f.id: f.char_x for f in exact.fragments if f.id in divided})
        self._store(found)
        return found

    def _store(self, file: PageFile) -> None:
        key = f"{self._shard.work}pages/{file.page}.json"
        self._runtime.blobs.put(key, file.model_dump_json().encode(), "application/json")

    def _image(self, file: PageFile) -> bytes | None:
        if not wants_image(file):
            return None
        return shrink_image(self._runtime.blobs.get(f"{self._shard.work}images/{file.page}.jpg"))

    def _context(self, page: int) -> GroupingContext:
        sizes = {float(style.style.rpartition("|")[2]) for style in self._profile.headings}
        return GroupingContext(
            document=self._document,
            sections=open_bookmarks(self._outline, page),
            previous_tail=self._last_words(page - 1),
            heading_sizes=tuple(sorted(sizes, reverse=True)),
        )

    def _last_words(self, page: int) -> str:
        """The last words of a page's body as the layout engine finds it; empty where the page cannot be read."""
        try:
            file = read_page_file(self._runtime, self._shard.work, page)
        except NotFound:
            return ""
        operations = extract_page(file, self._profile).operations
        chunks = [o for o in operations if isinstance(o, RegisterChunk) and o.chunk_type in ("text", "list")]
        parts = Resolver(file).resolve_all(chunks[-1].fragment_ids) if chunks else []
        return " ".join(part.text for part in parts)[-TAIL_CHARACTERS:]

    def _record(self, page: int, answer: Grouping) -> None:
        shard = self._shard
        owner: dict[str, Any] = {
            "organization_id": shard.organization_id,
            "knowledge_base_id": shard.knowledge_base_id,
            "document_id": shard.document_id,
            "ingestion_id": shard.ingestion_id,
            "stage": STAGE,
            "page": page,
        }
        with self._runtime.database.transaction(shard.scope) as connection:
            costs.record_call(connection, owner, self._runtime.grouper.version, answer.usage, answer.usd)


def open_bookmarks(outline: Iterable[OutlineEntry], page: int) -> tuple[str, ...]:
    """The titles of the bookmarks that are open where `page` begins, outermost first."""
    path: list[OutlineEntry] = []
    for entry in outline:
        if entry.page >= page:
            continue
        path = [*(above for above in path if above.level < entry.level), entry]
    return tuple(entry.title for entry in path)


def with_edges(file: PageFile, edges: Mapping[str, tuple[float, ...]]) -> PageFile:
    fragments = [f.model_copy(update={"char_x": edges[f.id]}) if f.id in edges else f for f in file.fragments]
    return file.model_copy(update={"fragments": fragments})
