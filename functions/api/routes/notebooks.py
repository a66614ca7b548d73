"""Notebooks of knowledge bases: cells, history, links; and bundles of them and of documents."""

from functools import partial
from typing import Annotated, Any
from uuid import UUID

from fastapi import Header, Query, Response
from fastapi.responses import JSONResponse
from pydantic import BaseModel

from functions.api.caller import Reader
from functions.api.idempotency import Change
from functions.api.pagination import DEFAULT_LIMIT, Cursor, Limit, PageOf, listed, number_cursor, page_of
from functions.api.routing import v1_router
from shared.answering.threads.shapes import MadeShare, NewShare, Share
from shared.domain.notebooks import (
    CellChange,
    CellMove,
    NewCell,
    NewNotebook,
    NotebookChange,
    NotebookRestoring,
    NotebookRow,
    NotebookVersion,
    WantedBundle,
    WholeNotebook,
)
from shared.lab.bundles import service as bundles
from shared.lab.notebook import links, service

router = v1_router("notebooks")
VERSIONS = "notebook-versions"
NOTEBOOK = "/notebooks/{notebook_id}"
State = Annotated[
    str | None,
    Header(
        alias="If-Match",
        max_length=100,
        description="The state that the change was decided on: a cell's `state`, of the whole notebook its `revision`",
    ),
]
FILES: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The file, as an attachment",
        "content": {"text/html": {}, "application/pdf": {}, "application/zip": {}},
    },
}


class RemovedNotebook(BaseModel):
    """What is no longer there."""

    id: UUID


@router.get("/notebooks")
def list_notebooks(
    caller: Reader,
    knowledge_base_id: Annotated[UUID, Query()],
    cursor: Cursor = None,
    limit: Limit = DEFAULT_LIMIT,
) -> PageOf[NotebookRow]:
    """The notebooks of a knowledge base, oldest first."""
    read = partial(service.list_notebooks, caller.runtime, caller.identity, knowledge_base_id)
    return listed("notebooks", cursor, limit, read)


@router.post("/notebooks", status_code=201, response_model=WholeNotebook)
def create_notebook(change: Change, body: NewNotebook) -> JSONResponse:
    """Begin a notebook."""
    return change.answer(201, lambda: service.create_notebook(change.runtime, change.identity, body), body)


@router.get(NOTEBOOK)
def get_notebook(
    caller: Reader,
    notebook_id: UUID,
    response: Response,
    revision: Annotated[int | None, Query(ge=1, lt=2**31, description="a version; left out: the latest")] = None,
) -> WholeNotebook:
    """A notebook with its cells, drawn as you may see them now, and the passages that they cite. `ETag` is its
    `revision`."""
    found = service.get_notebook(caller.runtime, caller.identity, notebook_id, revision)
    response.headers["ETag"] = f'"{found.revision}"'
    return found


@router.patch(NOTEBOOK, response_model=WholeNotebook)
def change_notebook(change: Change, notebook_id: UUID, body: NotebookChange, state: State = None) -> JSONResponse:
    """Rename it."""
    who = (change.runtime, change.identity, notebook_id)
    return change.answer(200, lambda: service.rename_notebook(*who, body, state), body)


@router.delete(NOTEBOOK, response_model=RemovedNotebook)
def delete_notebook(change: Change, notebook_id: UUID) -> JSONResponse:
    """Delete it, with its history and its links."""

    def act() -> RemovedNotebook:
        service.delete_notebook(change.runtime, change.identity, notebook_id)
        return RemovedNotebook(id=notebook_id)

    return change.answer(200, act)


@router.post(f"{NOTEBOOK}/cells", status_code=201, response_model=WholeNotebook)
def add_cell(change: Change, notebook_id: UUID, body: NewCell) -> JSONResponse:
    """Write or pin a cell: words, a note, a passage, an answer of a conversation of yours, a dataset, a plot, an
    experiment summary, one of several documents."""
    who = (change.runtime, change.identity, notebook_id)
    return change.answer(201, lambda: service.add_cell(*who, body), body)


@router.put(f"{NOTEBOOK}/cells/{{cell_id}}", response_model=WholeNotebook)
def change_cell(
    change: Change, notebook_id: UUID, cell_id: UUID, body: CellChange, state: State = None
) -> JSONResponse:
    """Change what a cell says. 412 where somebody else has changed it since."""
    who = (change.runtime, change.identity, notebook_id, cell_id)
    return change.answer(200, lambda: service.change_cell(*who, body, state), body)


@router.post(f"{NOTEBOOK}/cells/{{cell_id}}/move", response_model=WholeNotebook)
def move_cell(change: Change, notebook_id: UUID, cell_id: UUID, body: CellMove, state: State = None) -> JSONResponse:
    """Put a cell before another one, or at the end."""
    who = (change.runtime, change.identity, notebook_id, cell_id)
    return change.answer(200, lambda: service.move_cell(*who, body, state), body)


@router.delete(f"{NOTEBOOK}/cells/{{cell_id}}", response_model=WholeNotebook)
def delete_cell(change: Change, notebook_id: UUID, cell_id: UUID, state: State = None) -> JSONResponse:
    """Delete a cell; it stays in the versions before."""
    who = (change.runtime, change.identity, notebook_id, cell_id)
    return change.answer(200, lambda: service.delete_cell(*who, state))


@router.get(f"{NOTEBOOK}/versions")
def list_versions(
    caller: Reader, notebook_id: UUID, cursor: Cursor = None, limit: Limit = DEFAULT_LIMIT
) -> PageOf[NotebookVersion]:
    """What was done to it, when, and by whom; newest first."""
    before = number_cursor(VERSIONS, cursor) or None
    found = service.list_versions(caller.runtime, caller.identity, notebook_id, before, limit + 1)
    return page_of(VERSIONS, found, limit, lambda item: [item.revision])


@router.post(f"{NOTEBOOK}/restore", response_model=WholeNotebook)
def restore_version(change: Change, notebook_id: UUID, body: NotebookRestoring, state: State = None) -> JSONResponse:
    """Make a further version with the title and the cells of an earlier one."""
    who = (change.runtime, change.identity, notebook_id, body.revision)
    return change.answer(200, lambda: service.restore_version(*who, state), body)


@router.get(f"{NOTEBOOK}/shares")
def list_shares(caller: Reader, notebook_id: UUID) -> PageOf[Share]:
    """The links to it, ended ones too, oldest first; without their secrets. Whoever may change the notebook sees
    everybody's, others those that they made."""
    return PageOf(items=links.list_shares(caller.runtime, caller.identity, notebook_id), next_cursor=None)


@router.post(f"{NOTEBOOK}/shares", status_code=201, response_model=MadeShare)
def create_share(change: Change, notebook_id: UUID, body: NewShare) -> JSONResponse:
    """A link that shows the notebook, as it is now, to whoever has it, and gives its bundle: no more of it than you may
    see at the time. The answer has the link once."""

    def without_secret(made: MadeShare) -> MadeShare:
        return made.model_copy(update={"path": None})

    who = (change.runtime, change.identity, notebook_id)
    return change.answer(201, lambda: links.create_share(*who, body), body, without_secret)


@router.post(f"{NOTEBOOK}/shares/{{share_id}}/revoke", response_model=Share)
def revoke_share(change: Change, notebook_id: UUID, share_id: UUID) -> JSONResponse:
    """From the next request on the link shows nothing. Whoever may change the notebook takes back anybody's."""
    who = (change.runtime, change.identity, notebook_id, share_id)
    return change.answer(200, lambda: links.revoke_share(*who))


@router.post("/bundles", response_class=Response, responses=FILES)
def make_bundle(caller: Reader, body: WantedBundle) -> Response:
    """A notebook, or a document with its passages and tables and your answers from it, as one file to keep: with every
    cited passage's document, version, page, boxes and picture. The same state gives the same bytes."""
    return bundle_response(bundles.make_bundle(caller.runtime, caller.identity, body))


def bundle_response(made: bundles.Bundle) -> Response:
    headers = {
        "Content-Disposition": f'attachment; filename="{made.filename}"',
        "Digest": f"sha-256={made.digest}",
        "Cache-Control": "private, no-store",
    }
    return Response(made.data, media_type=made.media, headers=headers)
