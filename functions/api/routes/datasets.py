"""Datasets: tables of documents with typed columns and declared steps.

DuckDB is loaded by the first of these requests: most processes of the API never see one.
"""

from typing import TYPE_CHECKING, Annotated, Literal
from uuid import UUID

from fastapi import Query, Response
from fastapi.responses import JSONResponse
from pydantic import BaseModel

from functions.api.caller import Reader
from functions.api.idempotency import Change
from functions.api.pagination import DEFAULT_LIMIT, Cursor, Limit, PageOf, listed, number_cursor, page_of
from functions.api.routing import v1_router
from shared.domain.datasets import (
    CellSources,
    Dataset,
    DatasetChange,
    DatasetProfile,
    DatasetRevision,
    DatasetSummary,
    DatasetTable,
    FoundTable,
    NewDataset,
    PreviewRequest,
    SourcesRequest,
)

if TYPE_CHECKING:
    from shared.lab.datasets.exporting import ExportedFile

router = v1_router("datasets")
Offset = Annotated[int, Query(ge=0, le=10_000_000, description="how many rows to pass over")]
Window = Annotated[int, Query(ge=1, le=1_000, description="how many rows at most")]
Revision = Annotated[int | None, Query(ge=1, lt=2**31, description="else the newest")]
ExportFormat = Literal["csv", "xlsx", "parquet"]
DatasetFormat = Literal["csv", "xlsx", "parquet", "json"]


class RemovedDataset(BaseModel):
    """What is no longer there."""

    id: UUID


@router.get("/knowledge-bases/{knowledge_base_id}/tables")
def list_tables(
    caller: Reader,
    knowledge_base_id: UUID,
    document_id: Annotated[UUID | None, Query(description="of this document alone")] = None,
    superseded: Annotated[bool, Query(description="those of older versions too")] = False,
    cursor: Cursor = None,
    limit: Limit = DEFAULT_LIMIT,
) -> PageOf[FoundTable]:
    """The tables of its documents, of which datasets can be made, in the order of documents and pages."""
    from shared.lab.datasets import found

    begin = number_cursor("tables", cursor)
    every = found.list_tables(caller.runtime, caller.identity, knowledge_base_id, document_id, superseded)
    return page_of("tables", every[begin : begin + limit + 1], limit, lambda _: [begin + limit])


@router.get("/datasets")
def list_datasets(
    caller: Reader,
    knowledge_base_id: Annotated[UUID | None, Query(description="of this one; else of all")] = None,
    cursor: Cursor = None,
    limit: Limit = DEFAULT_LIMIT,
) -> PageOf[DatasetSummary]:
    """Newest first."""
    from shared.lab.datasets import service

    def read(behind: UUID | None, most: int) -> list[DatasetSummary]:
        return service.list_datasets(caller.runtime, caller.identity, knowledge_base_id, behind, most)

    return listed("datasets", cursor, limit, read)


@router.post("/datasets", status_code=201, response_model=Dataset)
def create_dataset(change: Change, body: NewDataset) -> JSONResponse:
    """Make a dataset of tables. Types and units of its columns are read from what is printed; correct them by PATCH."""
    from shared.lab.datasets import service

    return change.answer(201, lambda: service.make_dataset(change.runtime, change.identity, body), body)


@router.get("/datasets/{dataset_id}")
def get_dataset(caller: Reader, dataset_id: UUID) -> Dataset:
    """Its columns, its steps, and the documents that it is made of."""
    from shared.lab.datasets import service

    return service.get_dataset(caller.runtime, caller.identity, dataset_id)


@router.patch("/datasets/{dataset_id}", response_model=Dataset)
def change_dataset(change: Change, dataset_id: UUID, body: DatasetChange) -> JSONResponse:
    """Rename it, correct its columns, or replace its steps. Other columns or steps are a new revision; steps that do
    not fit are refused."""
    from shared.lab.datasets import service

    return change.answer(200, lambda: service.change_dataset(change.runtime, change.identity, dataset_id, body), body)


@router.delete("/datasets/{dataset_id}", response_model=RemovedDataset)
def delete_dataset(change: Change, dataset_id: UUID) -> JSONResponse:
    """Delete it. The tables of its documents stay."""
    from shared.lab.datasets import service

    def act() -> RemovedDataset:
        service.delete_dataset(change.runtime, change.identity, dataset_id)
        return RemovedDataset(id=dataset_id)

    return change.answer(200, act)


@router.get("/datasets/{dataset_id}/revisions")
def list_dataset_revisions(
    caller: Reader, dataset_id: UUID, cursor: Cursor = None, limit: Limit = DEFAULT_LIMIT
) -> PageOf[DatasetRevision]:
    """What it was, newest first. To undo, PATCH the steps of an older one."""
    from shared.lab.datasets import service

    before = number_cursor("revisions", cursor) or None
    found = service.list_revisions(caller.runtime, caller.identity, dataset_id, before, limit + 1)
    return page_of("revisions", found, limit, lambda one: [one.revision])


@router.get("/datasets/{dataset_id}/rows")
def read_rows(
    caller: Reader,
    dataset_id: UUID,
    offset: Offset = 0,
    limit: Window = 100,
    revision: Revision = None,
) -> DatasetTable:
    """A window of its rows, its steps applied. `lineage` says which printed rows each is made of."""
    from shared.lab.datasets import run_dataset

    who = (caller.runtime, caller.identity, dataset_id)
    return run_dataset(*who, revision=revision, offset=offset, limit=limit)


@router.post("/datasets/{dataset_id}/preview")
def preview_dataset(caller: Reader, dataset_id: UUID, body: PreviewRequest) -> DatasetTable:
    """The same with other steps, which are not kept."""
    from shared.lab.datasets import run_dataset

    who = (caller.runtime, caller.identity, dataset_id)
    return run_dataset(*who, instead=body.steps, offset=body.offset, limit=body.limit)


@router.post("/datasets/{dataset_id}/sources")
def read_sources(caller: Reader, dataset_id: UUID, body: SourcesRequest) -> CellSources:
    """The printed cells that a cell of the result is made of: text, passage, page and box of each."""
    from shared.lab.datasets import sources_of

    return sources_of(caller.runtime, caller.identity, dataset_id, body)


@router.get("/datasets/{dataset_id}/profile")
def profile_dataset(
    caller: Reader,
    dataset_id: UUID,
    revision: Revision = None,
) -> DatasetProfile:
    """Counts, bounds and the spread of each column, over all rows."""
    from shared.lab.datasets import profiles

    return profiles.profile_dataset(caller.runtime, caller.identity, dataset_id, revision)


@router.get("/datasets/{dataset_id}/export", response_class=Response)
def export_dataset(
    caller: Reader,
    dataset_id: UUID,
    format: Annotated[DatasetFormat, Query(description="csv, xlsx, parquet or json")] = "csv",  # noqa: A002
    revision: Revision = None,
    lineage: Annotated[bool, Query(description="with document, version, page and box of each cell")] = False,
) -> Response:
    """All of its rows as a file. What a spreadsheet would compute is text in it. JSON and the footer of Parquet have
    the columns, the steps and their hash; with `lineage` every form has the printed cells too."""
    from shared.lab.datasets import exporting

    who = (caller.runtime, caller.identity, dataset_id)
    return _file(exporting.export_dataset(*who, format, revision, lineage=lineage))


@router.get("/exports/tables.{format}", response_class=Response)
def export_tables(
    caller: Reader,
    format: ExportFormat,  # noqa: A002
    knowledge_base_id: UUID,
    document_id: Annotated[UUID | None, Query(description="those of this document alone")] = None,
    lineage: Annotated[bool, Query(description="with version, page and box of each cell")] = False,
) -> Response:
    """All tables of a knowledge base, or of a document, as a file: csv and parquet have a row for each cell, with the
    passage to cite it by; xlsx has a sheet for each table. With `lineage` version, page, box and id of each cell are
    further columns, in xlsx a last sheet."""
    from shared.lab.datasets import exporting

    who = (caller.runtime, caller.identity, knowledge_base_id, document_id)
    return _file(exporting.export_tables(*who, format, lineage=lineage))


def _file(made: "ExportedFile") -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{made.name}"', "X-Content-Type-Options": "nosniff"}
    return Response(made.content, media_type=made.media_type, headers=headers)
