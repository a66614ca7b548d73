"""Assembles a document from its pages and people's edits, and stores it; used by ingestion runs and by edits."""

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple
from uuid import UUID

from pydantic import ValidationError

from shared.domain.attribute_schema import AttributeSchema
from shared.domain.draft import DocumentDraft
from shared.domain.edits import Edit
from shared.domain.operations import PageOperations
from shared.domain.page import PageFile
from shared.errors import Damaged
from shared.extraction.assemble import assemble
from shared.extraction.attributes.document import AttributePass
from shared.extraction.edits.marks import apply_marks
from shared.extraction.edits.replay import LoadPage, Replay, replay
from shared.runtime import Runtime
from shared.store import documents
from shared.store.connect import Connection

EXTENSION = re.compile(r"\.[A-Za-z0-9]{1,5}$")


class Assembled(NamedTuple):
    """A document, and by edit id why an edit does not apply to it."""

    draft: DocumentDraft
    stale: dict[UUID, str]


def page_loader(runtime: Runtime, work: str, pages: Sequence[int]) -> LoadPage:
    """Returns a function that loads the files of a page; it raises KeyError for a page that is not among those that
    were read."""
    known = set(pages)

    def load(page: int) -> tuple[PageFile, PageOperations]:
        if page not in known:
            raise KeyError(page)
        operations = runtime.blobs.get(f"{work}ops/{page}.json")
        try:
            file = PageFile.model_validate_json(runtime.blobs.get(f"{work}pages/{page}.json"))
            return file, PageOperations.model_validate_json(operations)
        except ValidationError:
            raise Damaged(f"What was stored of page {page} is damaged. Reingest the document.") from None

    return load


def assemble_document(
    load: LoadPage, pages: Sequence[int], edits: Sequence[Edit], schema: AttributeSchema | None = None
) -> Assembled:
    """Assembles the document with `edits` applied, its attributes as `schema` declares them.

    Raises ValueError when a page or a fragment is missing.
    """
    replayed = replay(load, edits)
    draft = assemble_replayed(load, pages, replayed, schema)
    return Assembled(draft, replayed.stale | apply_marks(draft, replayed.marks))


def assemble_replayed(
    load: LoadPage, pages: Sequence[int], replayed: Replay, schema: AttributeSchema | None = None
) -> DocumentDraft:
    """Assembles the document, without marks. Pages are read one by one, so that memory does not grow with their
    number."""
    attributes = AttributePass(schema)
    draft = assemble(attributes.watch(_edited(load, pages, replayed.edited_pages.edited)))
    _check_counts(draft, pages)
    attributes.attach(draft)
    return draft


def store_pages(connection: Connection, document_id: UUID, draft: DocumentDraft) -> None:
    """Stores the draft's figures about each page."""
    for page, values in page_columns(draft):
        documents.update_page(connection, document_id, page, "ready", values)


def page_columns(draft: DocumentDraft) -> Iterator[tuple[int, dict[str, Any]]]:
    """What the row of each page says of the draft."""
    skipped: dict[int, list[dict[str, Any]]] = {}
    for item in draft.skipped:
        skipped.setdefault(item.page, []).append(item.model_dump(mode="json"))
    for page in draft.pages:
        yield (
            page.page,
            {
                "confidence": page.confidence,
                "flags": page.flags,
                "fragments": page.fragments,
                "unclaimed": page.unclaimed,
                "skipped": skipped.get(page.page, []),
            },
        )


def display_name(filename: str) -> str:
    """A file's name as context for search: without extension, words separated by spaces."""
    return " ".join(EXTENSION.sub("", filename).replace("_", " ").split())


def _edited(
    load: LoadPage, pages: Sequence[int], edited: dict[int, PageOperations]
) -> Iterator[tuple[PageFile, PageOperations]]:
    for page in pages:
        file, operations = load(page)
        yield file, edited.get(page, operations)


def _check_counts(draft: DocumentDraft, pages: Sequence[int]) -> None:
    found = [summary.page for summary in draft.pages]
    if found != list(pages):
        raise ValueError(f"{len(pages)} pages went in and {len(found)} came out")
    unclaimed = {summary.page: summary.unclaimed for summary in draft.pages if summary.unclaimed}
    if unclaimed:
        raise ValueError(f"fragments that no operation claims, by page: {unclaimed}")
