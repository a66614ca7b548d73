"""What a bundle is made of: a version of a notebook, or a document, as whoever asks may see it, with the picture of
every cited place."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final
from uuid import UUID

from markupsafe import Markup

from shared.access import find_document, reading
from shared.answering.threads.shapes import ShownAnswer
from shared.domain.knowledge import Chunk, Document
from shared.domain.notebooks import NotebookSource, ShownCell
from shared.domain.scope import Identity
from shared.lab.bundles.pictures import Crop, PageImages
from shared.lab.notebook.kinds import CellReading, CellSheet, DrawnCell
from shared.lab.notebook.markup import element, grid_table, paragraphs
from shared.lab.notebook.pinned import draw_answer
from shared.lab.notebook.service import find_notebook, read_version
from shared.lab.notebook.showing import DrawnNotebook, draw_cells, sheet_of
from shared.runtime import Runtime
from shared.store import library, threads
from shared.store.connect import Connection, Row

CHUNKS_AT_ONCE: Final = 500
# Rows stand in their tables.
LEFT_OUT: Final = ("table_row",)


@dataclass(frozen=True)
class Content:
    """`made_at` is when what it shows was made, in UTC: the only time that a bundle tells. `crops` are by the number of
    the source; `files` are data behind cells, by name; `data` is what the bundle's JSON says beside its sources."""

    title: str
    lead: str
    made_at: datetime
    blocks: list[Markup]
    sources: list[NotebookSource]
    crops: Mapping[int, Sequence[Crop]]
    data: dict[str, Any]
    files: Mapping[str, bytes] = field(default_factory=dict[str, bytes])


def notebook_content(
    runtime: Runtime, identity: Identity, notebook_id: UUID, revision: int | None, *, files: bool
) -> Content:
    """`files`: with the data behind cells. Raises NotFound."""
    with reading(runtime, identity, snapshot=True) as connection:
        notebook = find_notebook(connection, notebook_id)
        return content_of_version(CellReading(runtime, identity, connection), notebook, revision, files=files)


def content_of_version(reading_: CellReading, notebook: Row, revision: int | None, *, files: bool) -> Content:
    """As `notebook_content`, in the open scope. Raises NotFound."""
    version, contents = read_version(reading_.connection, notebook, revision)
    drawing = draw_cells(reading_, contents)
    made_at = version["created_at"].astimezone(UTC)
    told = f"Notebook, version {version['revision']} of {made_at:%Y-%m-%d %H:%M} UTC, by {version['author']}"
    return Content(
        title=version["title"],
        lead=told,
        made_at=made_at,
        blocks=[_block(cell) for cell in drawing.cells],
        sources=drawing.sources,
        crops=PageImages(reading_).crops_of(drawing.sources),
        data={
            "kind": "notebook",
            "id": str(notebook["id"]),
            "title": version["title"],
            "revision": version["revision"],
            "made_at": made_at.isoformat(),
            "author": version["author"],
            "cells": [cell.model_dump(mode="json", exclude={"html"}) for cell in drawing.cells],
            "documents": _documents(reading_.connection, drawing.sources),
        },
        files=_files(drawing) if files else {},
    )


def document_content(runtime: Runtime, identity: Identity, document_id: UUID) -> Content:
    """With one's own answers that quote it. Raises NotFound."""
    with reading(runtime, identity, snapshot=True) as connection:
        document = find_document(connection, document_id)
        chunks = [one for one in _chunks(connection, document_id) if one.chunk_type not in LEFT_OUT]
        answers = [(row, ShownAnswer.model_validate(row["answer"])) for row in threads.quoting(connection, document_id)]
        cited = [chunk for _, answer in answers for one in answer.sentences for chunk in one.citations]
        shown = list(dict.fromkeys([*(chunk.id for chunk in chunks), *cited]))
        kept = [hit for _, answer in answers for hit in answer.citations if hit.kept_row]
        sheet = sheet_of(connection, shown, kept)
        reading_ = CellReading(runtime, identity, connection)
        sources = sheet.sources(reading_)
        made_at = (document.published_at or document.created_at).astimezone(UTC)
        questions = [element("article", draw_answer(row["question"], answer, sheet)) for row, answer in answers]
        heading = [element("h2", "Answers that quote it")] if questions else []
        return Content(
            title=document.name,
            lead=f"{version_words(document.version.label, document.version.index)}, read {made_at:%Y-%m-%d %H:%M} UTC",
            made_at=made_at,
            blocks=[*(_passage(chunk, sheet) for chunk in chunks), *heading, *questions],
            sources=sources,
            crops=PageImages(reading_).crops_of(sources),
            data={
                "kind": "document",
                "id": str(document.id),
                "title": document.name,
                "made_at": made_at.isoformat(),
                "answers": [{"id": str(row["id"]), "question": row["question"]} for row, _ in answers],
                "documents": _documents(connection, sources),
            },
        )


def version_words(label: str | None, index: int) -> str:
    return label or f"version {index}"


def _block(cell: ShownCell) -> Markup:
    # What cells are drawn as is escaped where it is made: shared.lab.notebook.markup.
    return element("article", Markup(cell.html), class_=f"cell {cell.kind}")  # noqa: S704


def _passage(chunk: Chunk, sheet: CellSheet) -> Markup:
    pill = sheet.cite(chunk.id)
    if chunk.table is not None:
        return element("article", grid_table(chunk.table), element("p", pill, class_="cell-cites"))
    text = chunk.marked or chunk.content
    if chunk.chunk_type == "heading":
        return element("h2", text, " ", pill)
    if chunk.chunk_type == "code":
        return element("article", element("pre", text), element("p", pill, class_="cell-cites"))
    return element("article", paragraphs(text), element("p", pill, class_="cell-cites"), class_=chunk.chunk_type)


def _chunks(connection: Connection, document_id: UUID) -> list[Chunk]:
    found, after = list[Chunk](), None
    while page := library.list_chunks(connection, document_id, after, CHUNKS_AT_ONCE):
        found += page
        after = (page[-1].ordinal, page[-1].id)
    return found


def _documents(connection: Connection, sources: Sequence[NotebookSource]) -> list[dict[str, Any]]:
    """The versions of what is cited, and of what read it."""
    ids = dict.fromkeys(source.document_id for source in sources)
    found = [document for one in ids if (document := library.get_document(connection, one)) is not None]
    return [_version_of(document) for document in found]


def _version_of(document: Document) -> dict[str, Any]:
    names = {"id", "name", "source_type", "source_hash", "version", "engine", "extractor_version", "embedder_version"}
    return document.model_dump(mode="json", include=names | {"revision", "published_at"})


def _files(drawing: DrawnNotebook) -> dict[str, bytes]:
    pairs: list[tuple[int, DrawnCell]] = list(enumerate(drawing.drawn, 1))
    return {f"data/cell-{at}.{ending}": data for at, one in pairs for ending, data in one.files().items()}
