"""Reads what is posted together: on a machine with a core to spare the next slice in a process beside this one, while
this one writes the last."""

import tempfile
import time
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from datetime import UTC, datetime
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID

from shared.contract import source_key
from shared.domain.attribute_schema import AttributeSchema
from shared.domain.document_date import DocumentDate
from shared.domain.draft import DocumentDraft
from shared.domain.ids import new_id
from shared.domain.operations import PageOperations
from shared.domain.page import PageFile
from shared.errors import AutriError
from shared.extraction.document_date import read_document_date
from shared.extraction.profile import build_profile
from shared.extraction.structure import operations_of_structure
from shared.ingestion import extract, parse
from shared.ingestion.assembly import assemble_document, page_columns
from shared.ingestion.event import Event
from shared.ingestion.posting.announced import Announced, Posting
from shared.ingestion.register import plan_files, storable
from shared.readers.registry import find_format
from shared.runtime import Runtime


class Read(NamedTuple):
    """A posting as it was read: its run's event, its facts, the document that it makes, the columns of each page's row
    by number, and what the stages keep of it, by key."""

    posting: Posting
    event: Event
    title: str | None
    draft: DocumentDraft
    date: DocumentDate | None
    version: str
    pages: dict[int, dict[str, Any]]
    objects: dict[str, bytes]

    @property
    def id(self) -> UUID:
        return self.event.document_id

    @property
    def run(self) -> UUID:
        return self.event.ingestion_id


class Slice(NamedTuple):
    """What was read of some postings, and the seconds that it took."""

    read: list[Read]
    seconds: float


def read_in_turn(
    runtime: Runtime,
    organization_id: UUID,
    slices: Sequence[Sequence[Announced]],
    load_schema: Callable[[], AttributeSchema],
) -> Generator[Slice]:
    """Reads each slice, with the schema that holds when its reading begins. What the stages are to refuse, or to fail
    at, is left out."""
    ahead: Future[Slice] | None = None
    for some, following in zip_longest(slices, slices[1:]):
        waited, ahead = ahead, None
        if runtime.beside and following:
            ahead = runtime.beside.call(read_slice, organization_id, load_schema(), following)
        yield _answer_of(waited) or read_slice(organization_id, load_schema(), some)


def _answer_of(ahead: "Future[Slice] | None") -> Slice | None:
    """None where there is no process beside, or it has ended."""
    with suppress(BrokenProcessPool):
        return ahead.result() if ahead else None


def read_slice(organization_id: UUID, schema: AttributeSchema, some: Sequence[Announced]) -> Slice:
    started = time.perf_counter()
    found = [_read(organization_id, schema, one) for one in some]
    return Slice([one for one in found if one is not None], time.perf_counter() - started)


def _read(organization_id: UUID, schema: AttributeSchema, announced: Announced) -> Read | None:
    """None for what the stages are to refuse, or to fail at."""
    run_id, posting = announced
    event = Event(
        organization_id=organization_id,
        knowledge_base_id=posting.knowledge_base_id,
        document_id=new_id(),
        ingestion_id=run_id,
    )
    form = find_format(posting.posted["source_type"])
    try:
        with tempfile.NamedTemporaryFile() as file:
            file.write(posting.data)
            file.flush()
            with form.open(Path(file.name), None) as source:
                files = [source.read_page(page) for page in range(1, source.page_count + 1)]
                title, made = storable(source.title), source.made
        pages = [(one, operations_of_structure(one)) for one in files]
        for page, operations in pages:
            extract.check_operations(page, operations)
        numbers = [page.page for page in files]
        draft, _ = assemble_document(lambda page: pages[page - 1], numbers, [], schema)
    except (AutriError, ValueError):
        return None
    if not draft.chunks or made is not None:
        return None
    date = read_document_date(files[0], posting.title, None, datetime.now(UTC).date())
    told = dict(page_columns(draft))
    columns = {
        page.page: {**parse.columns_of(page), **extract.columns_of(operations), **told[page.page]}
        for page, operations in pages
    }
    return Read(posting, event, title, draft, date, form.version(), columns, _objects(posting, event, pages))


def _objects(posting: Posting, event: Event, pages: Sequence[tuple[PageFile, PageOperations]]) -> dict[str, bytes]:
    """What the stages keep of it, by key."""
    found = {source_key(*(str(one) for one in (*event.ids[:2], event.ingestion_id))): posting.data}
    found |= plan_files(event, len(pages), [])
    found[f"{event.work}profile.json"] = build_profile([], []).model_dump_json().encode()
    for page, operations in pages:
        found[f"{event.work}pages/{page.page}.json"] = page.model_dump_json().encode()
        found[f"{event.work}ops/{page.page}.json"] = operations.model_dump_json().encode()
    return found
