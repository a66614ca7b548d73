"""Reads what is posted together and stores its objects: on a machine with a core to spare the next slices in a process
beside this one, while this one writes the last one's rows."""

import time
from collections import deque
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO, Any, Final, NamedTuple
from uuid import UUID

from shared.contract import document_prefix, source_key
from shared.domain.attribute_schema import AttributeSchema
from shared.domain.document_date import DocumentDate
from shared.domain.draft import DocumentDraft
from shared.domain.ids import new_id
from shared.domain.operations import PageOperations
from shared.domain.page import PageFile
from shared.errors import AutriError
from shared.extraction.document_date import read_document_date
from shared.extraction.structure import operations_of_structure
from shared.ingestion.assembly import assemble_document, display_name, page_columns
from shared.ingestion.event import Event
from shared.ingestion.page_facts import check_operations, columns_of_file, columns_of_operations, storable_title
from shared.ingestion.posting.announced import Announced, Posting
from shared.lexical.fields import Weighed, weigh_chunks
from shared.ports import BlobStore
from shared.readers.registry import find_format
from shared.runtime import Runtime
from shared.store.draft import index_texts

# Slices that are read ahead: the process beside has one to go on with while the last one's rows are written.
AHEAD: Final = 2


class Read(NamedTuple):
    """A posting as it was read: its run's event, its facts, the document that it makes, the columns of each page's row
    by number, its words under the name that it was posted with, and which version of its source is stored."""

    posting: Posting
    event: Event
    title: str | None
    draft: DocumentDraft
    date: DocumentDate | None
    version: str
    pages: dict[int, dict[str, Any]]
    words: Weighed
    source_version: str | None

    @property
    def id(self) -> UUID:
        return self.event.document_id

    @property
    def run(self) -> UUID:
        return self.event.ingestion_id


class Slice(NamedTuple):
    """What was read of some postings and is stored as objects, and the seconds that it took."""

    read: list[Read]
    seconds: float


def read_in_turn(
    runtime: Runtime,
    organization_id: UUID,
    slices: Sequence[Sequence[Announced]],
    load_schema: Callable[[], AttributeSchema],
) -> Generator[Slice]:
    """Reads each slice, with the schema that holds when its reading begins, and stores its objects. What the stages are
    to refuse, or to fail at, is left out. Closed before its end, it deletes what was stored ahead."""
    blobs, beside = runtime.blobs, runtime.beside
    unread = deque(range(len(slices)))
    asked: dict[int, Future[Slice]] = {}
    found: dict[int, Slice] = {}

    def read(number: int) -> Slice:
        return read_slice(blobs, organization_id, load_schema(), slices[number])

    try:
        for number in range(len(slices)):
            waited = asked.pop(number, None)
            if waited is None and number not in found:
                unread.popleft()
            while beside and unread and len(asked) < AHEAD:
                other = unread.popleft()
                asked[other] = beside.call(read_slice, blobs, organization_id, load_schema(), slices[other])
            # Instead of waiting for the process beside, what it has not been asked for is read here.
            while waited and unread and not waited.done():
                other = unread.popleft()
                found[other] = read(other)
            yield found.pop(number, None) or _answer_of(waited) or read(number)
    except GeneratorExit:
        for one in (*found.values(), *map(_answer_of, asked.values())):
            if one:
                discard(blobs, one.read)
        raise


def _answer_of(waited: "Future[Slice] | None") -> Slice | None:
    """None where there is no process beside, or it has ended."""
    with suppress(BrokenProcessPool):
        return waited.result() if waited else None


def read_slice(
    blobs: BlobStore, organization_id: UUID, schema: AttributeSchema, some: Sequence[Announced]
) -> Slice:  # fmt: skip
    started = time.perf_counter()
    with NamedTemporaryFile() as file:
        found = [one for announced in some if (one := _read(organization_id, schema, announced, file))]
    versions = blobs.put_all({key: data for _, objects in found for key, data in objects.items()})
    read = [one._replace(source_version=versions[source_of(one)]) for one, _ in found]
    return Slice(read, time.perf_counter() - started)


def source_of(one: Read) -> str:
    """The key of its source."""
    return source_key(*(str(part) for part in (*one.event.ids[:2], one.run)))


def discard(blobs: BlobStore, read: Sequence[Read]) -> None:
    """Deletes the objects of what is not to be stored as it was read."""
    for one in read:
        blobs.delete_prefix(document_prefix(*(str(part) for part in one.event.ids[:3])))


def _read(
    organization_id: UUID, schema: AttributeSchema, announced: Announced, file: IO[bytes]
) -> tuple[Read, dict[str, bytes]] | None:
    """Written to `file`, and with what the stages keep of it, by key; None for what they are to refuse, or to fail
    at."""
    run_id, posting = announced
    event = Event(
        organization_id=organization_id,
        knowledge_base_id=posting.knowledge_base_id,
        document_id=new_id(),
        ingestion_id=run_id,
    )
    form = find_format(posting.posted["source_type"])
    try:
        # In place: ext4 writes a file that was emptied first to the disk when it is closed (.15 ms, in place of .006).
        file.seek(0)
        file.write(posting.data)
        file.truncate()
        with form.open(Path(file.name), None) as source:
            files = [source.read_page(page) for page in range(1, source.page_count + 1)]
            title, made = storable_title(source.title), source.made
        pages = [(one, operations_of_structure(one)) for one in files]
        for page, operations in pages:
            check_operations(page, operations)
        numbers = [page.page for page in files]
        draft, _ = assemble_document(lambda page: pages[page - 1], numbers, [], schema)
    except (AutriError, ValueError):
        return None
    if not draft.chunks or made is not None:
        return None
    date = read_document_date(files[0], posting.title, None, datetime.now(UTC).date())
    told = dict(page_columns(draft))
    columns = {
        page.page: {**columns_of_file(page), **columns_of_operations(operations), **told[page.page]}
        for page, operations in pages
    }
    read = Read(posting, event, title, draft, date, form.version(), columns, _words(posting, draft), None)
    return read, _objects(read, pages)


def _words(posting: Posting, draft: DocumentDraft) -> Weighed:
    texts = index_texts(display_name(posting.title), draft)
    return weigh_chunks(
        [
            {"index_text": text, "content": chunk.content, "keywords": chunk.keywords}
            for text, chunk in zip(texts, draft.chunks, strict=True)
        ]
    )


def _objects(read: Read, pages: Sequence[tuple[PageFile, PageOperations]]) -> dict[str, bytes]:
    """What is kept of it, by key. What stages tell each other is not: a run that takes it over begins anew."""
    work = read.event.work
    found = {source_of(read): read.posting.data}
    for page, operations in pages:
        found[f"{work}pages/{page.page}.json"] = page.model_dump_json().encode()
        found[f"{work}ops/{page.page}.json"] = operations.model_dump_json().encode()
    return found
