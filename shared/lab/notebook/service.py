"""Notebooks: begun, listed, read, changed cell by cell, restored. Every change is a version; none is lost.

A change of a cell names the cell's state that it was decided on, one of the whole notebook its version. Changes of a
notebook take turns by its row's lock, so that each is made upon the one before.
"""

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import NamedTuple
from uuid import UUID

from shared.access import READ_ONLY, changing, check_knowledge_base, reading
from shared.domain.ids import new_id
from shared.domain.notebooks import (
    CELLS_MAX,
    CellChange,
    CellContent,
    CellMove,
    NewCell,
    NewNotebook,
    NotebookChange,
    NotebookRow,
    NotebookVersion,
    WholeNotebook,
)
from shared.domain.scope import Identity
from shared.errors import BadInput, ChangedMeanwhile, Forbidden, NotFound
from shared.lab.notebook.kinds import CellReading, HeldCell
from shared.lab.notebook.registry import KINDS
from shared.lab.notebook.showing import draw_cells
from shared.runtime import Runtime
from shared.store import notebooks as rows
from shared.store import permissions
from shared.store.audit import note
from shared.store.connect import Connection, Row

UNNAMED_STATE = "Say by `If-Match` which state you have changed: {}. So nobody's change is lost."
CHANGED = "Somebody has changed this {} since you read it. Read it again, and make your change upon what is there now."


class ChangedNotebook(NamedTuple):
    """A version to be: what its cells hold, and what was done to which of them."""

    contents: list[UUID]
    act: str
    cell_id: UUID | None = None
    title: str | None = None
    restored: int | None = None


def create_notebook(runtime: Runtime, identity: Identity, new: NewNotebook) -> WholeNotebook:
    """Empty. Raises NotFound and Forbidden of the knowledge base."""
    base = new.knowledge_base_id
    with changing(runtime, identity, [base]) as connection:
        check_knowledge_base(connection, base)
        made = rows.add_notebook(connection, identity, base, new.title)
        rows.add_version(connection, identity, _locked(connection, made), new.title, [], "create")
        note(connection, identity, "notebook.create", made, base)
    return get_notebook(runtime, identity, made)


def list_notebooks(
    runtime: Runtime, identity: Identity, knowledge_base_id: UUID, after: UUID | None, limit: int
) -> list[NotebookRow]:
    """Of a knowledge base, oldest first. Raises NotFound."""
    with reading(runtime, identity) as connection:
        check_knowledge_base(connection, knowledge_base_id)
        return [NotebookRow(**row) for row in rows.list_notebooks(connection, knowledge_base_id, after, limit)]


def get_notebook(runtime: Runtime, identity: Identity, notebook_id: UUID, revision: int | None = None) -> WholeNotebook:
    """A version of it, the latest one unless another is asked for, as whoever asks may see what it shows. Raises
    NotFound."""
    with reading(runtime, identity, snapshot=True) as connection:
        found = find_notebook(connection, notebook_id)
        may_write = may_change(connection, identity, found)
        return show_version(CellReading(runtime, identity, connection), found, revision, may_write=may_write)


def show_version(shown: CellReading, notebook: Row, revision: int | None, *, may_write: bool = False) -> WholeNotebook:
    """In the open scope. Raises NotFound for a version that there is not."""
    version, contents = read_version(shown.connection, notebook, revision)
    drawing = draw_cells(shown, contents)
    return WholeNotebook(
        id=notebook["id"],
        knowledge_base_id=notebook["knowledge_base_id"],
        title=version["title"],
        revision=version["revision"],
        latest=notebook["revision"],
        may_write=may_write,
        author=version["author"],
        created_at=notebook["created_at"],
        updated_at=version["created_at"],
        cells=drawing.cells,
        sources=drawing.sources,
    )


def read_version(connection: Connection, notebook: Row, revision: int | None) -> tuple[Row, list[Row]]:
    """The version's row, and what its cells hold. Raises NotFound."""
    number = revision or notebook["revision"]
    version = rows.get_version(connection, notebook["id"], number)
    if version is None:
        raise NotFound(f"The notebook has no version {number}. Its history lists those there are.")
    return version, rows.list_contents(connection, notebook["id"], number)


def list_versions(
    runtime: Runtime, identity: Identity, notebook_id: UUID, before: int | None, limit: int
) -> list[NotebookVersion]:
    """Newest first. Raises NotFound."""
    with reading(runtime, identity) as connection:
        find_notebook(connection, notebook_id)
        return [NotebookVersion(**row) for row in rows.list_versions(connection, notebook_id, before, limit)]


def delete_notebook(runtime: Runtime, identity: Identity, notebook_id: UUID) -> None:
    """With its history and its links. Raises NotFound."""
    with changing(runtime, identity) as connection:
        found = _locked(connection, notebook_id)
        rows.remove_notebook(connection, notebook_id)
        note(connection, identity, "notebook.delete", notebook_id, found["knowledge_base_id"])


def rename_notebook(
    runtime: Runtime, identity: Identity, notebook_id: UUID, change: NotebookChange, state: str | None
) -> WholeNotebook:
    """`state` is the version that the change is about. Raises NotFound, BadInput without it, ChangedMeanwhile."""

    def act(_: Connection, notebook: Row, contents: Sequence[Row]) -> ChangedNotebook:
        _check_state(state, str(notebook["revision"]), "notebook")
        return ChangedNotebook([row["id"] for row in contents], "rename", title=change.title)

    return _change(runtime, identity, notebook_id, act)


def add_cell(runtime: Runtime, identity: Identity, notebook_id: UUID, new: NewCell) -> WholeNotebook:
    """Adding loses nothing of anybody's: it names no state. Raises NotFound, also for what is pinned and not there."""
    held, cell_id = _hold(runtime, identity, notebook_id, new.content), new_id()

    def act(connection: Connection, notebook: Row, contents: Sequence[Row]) -> ChangedNotebook:
        if len(contents) >= CELLS_MAX:
            raise BadInput(f"A notebook holds {CELLS_MAX} cells. Begin another one, or delete cells.")
        at = _place(contents, new.before)
        content = _add(connection, identity, notebook, cell_id, new.content.kind, held)
        ids = [row["id"] for row in contents]
        return ChangedNotebook([*ids[:at], content, *ids[at:]], "add", cell_id)

    return _change(runtime, identity, notebook_id, act)


def change_cell(
    runtime: Runtime, identity: Identity, notebook_id: UUID, cell_id: UUID, change: CellChange, state: str | None
) -> WholeNotebook:
    """Raises NotFound, ChangedMeanwhile, BadInput for what is only pinned."""
    held = _hold(runtime, identity, notebook_id, change.content)

    def act(connection: Connection, notebook: Row, contents: Sequence[Row]) -> ChangedNotebook:
        at = _find_cell(contents, cell_id, state)
        kind = change.content.kind
        if contents[at]["kind"] != kind or not KINDS[kind].edited:
            raise BadInput("What a cell of this kind shows is not changed here. Delete it, and pin what you want.")
        ids = [row["id"] for row in contents]
        ids[at] = _add(connection, identity, notebook, cell_id, kind, held)
        return ChangedNotebook(ids, "edit", cell_id)

    return _change(runtime, identity, notebook_id, act)


def move_cell(
    runtime: Runtime, identity: Identity, notebook_id: UUID, cell_id: UUID, move: CellMove, state: str | None
) -> WholeNotebook:
    """Raises NotFound, also where the cell to stand before is gone; ChangedMeanwhile."""

    def act(_: Connection, __: Row, contents: Sequence[Row]) -> ChangedNotebook:
        _place(contents, move.before)
        cell = contents[_find_cell(contents, cell_id, state)]
        if move.before == cell_id:
            raise BadInput("A cell cannot stand before itself. Name another one, or none for the end.")
        left = [row for row in contents if row["cell_id"] != cell_id]
        at = _place(left, move.before)
        return ChangedNotebook([row["id"] for row in (*left[:at], cell, *left[at:])], "move", cell_id)

    return _change(runtime, identity, notebook_id, act)


def delete_cell(
    runtime: Runtime, identity: Identity, notebook_id: UUID, cell_id: UUID, state: str | None
) -> WholeNotebook:
    """It stays in the versions before. Raises NotFound, ChangedMeanwhile."""

    def act(_: Connection, __: Row, contents: Sequence[Row]) -> ChangedNotebook:
        _find_cell(contents, cell_id, state)
        return ChangedNotebook([row["id"] for row in contents if row["cell_id"] != cell_id], "delete", cell_id)

    return _change(runtime, identity, notebook_id, act)


def restore_version(
    runtime: Runtime, identity: Identity, notebook_id: UUID, revision: int, state: str | None
) -> WholeNotebook:
    """A further version with title and cells of that one; nothing is lost. Raises NotFound, ChangedMeanwhile."""

    def act(connection: Connection, notebook: Row, _: Sequence[Row]) -> ChangedNotebook:
        _check_state(state, str(notebook["revision"]), "notebook")
        version, contents = read_version(connection, notebook, revision)
        return ChangedNotebook([row["id"] for row in contents], "restore", title=version["title"], restored=revision)

    return _change(runtime, identity, notebook_id, act)


def find_notebook(connection: Connection, notebook_id: UUID) -> Row:
    """Raises NotFound, the same for one of somebody else."""
    found = rows.get_notebook(connection, notebook_id)
    if found is None:
        raise _no_notebook(notebook_id)
    return found


def may_change(connection: Connection, identity: Identity, notebook: Row) -> bool:
    """Whether whoever reads may change it, too."""
    if identity.role == "viewer" or identity.read_only:
        return False
    permissions.narrow_to_writable(connection)
    kept = permissions.read_only(connection)
    permissions.widen_to_readable(connection)
    return notebook["knowledge_base_id"] not in kept


@contextmanager
def changing_notebook(runtime: Runtime, identity: Identity, notebook_id: UUID) -> Generator[tuple[Connection, Row]]:
    """The notebook, held until the transaction ends. Raises NotFound; Forbidden where one may only read."""
    with changing(runtime, identity) as connection:
        yield connection, _locked(connection, notebook_id)


def _change(
    runtime: Runtime,
    identity: Identity,
    notebook_id: UUID,
    act: Callable[[Connection, Row, Sequence[Row]], ChangedNotebook],
) -> WholeNotebook:
    with changing_notebook(runtime, identity, notebook_id) as (connection, notebook):
        contents = rows.list_contents(connection, notebook_id, notebook["revision"])
        made = act(connection, notebook, contents)
        title = made.title or notebook["title"]
        revision = rows.add_version(
            connection, identity, notebook, title, made.contents, made.act, made.cell_id, made.restored
        )
        base = notebook["knowledge_base_id"]
        note(connection, identity, "notebook.change", notebook_id, base, what=made.act, revision=revision)
    return get_notebook(runtime, identity, notebook_id)


def _hold(runtime: Runtime, identity: Identity, notebook_id: UUID, content: CellContent) -> HeldCell:
    """What the cell is to store, of what whoever pins it sees."""
    with reading(runtime, identity) as connection:
        find_notebook(connection, notebook_id)
        return KINDS[content.kind].hold(CellReading(runtime, identity, connection), content)


def _add(connection: Connection, identity: Identity, notebook: Row, cell_id: UUID, kind: str, held: HeldCell) -> UUID:
    return rows.add_content(connection, identity, notebook, cell_id, kind, held.body, held.documents)


def _locked(connection: Connection, notebook_id: UUID) -> Row:
    found = rows.lock_notebook(connection, notebook_id)
    if found is None:
        if permissions.widen_to_readable(connection) and rows.get_notebook(connection, notebook_id) is not None:
            raise Forbidden(READ_ONLY)
        raise _no_notebook(notebook_id)
    return found


def _place(contents: Sequence[Row], before: UUID | None) -> int:
    if before is None:
        return len(contents)
    for at, row in enumerate(contents):
        if row["cell_id"] == before:
            return at
    raise NotFound(f"There is no cell {before} to stand before: it may have been deleted. Read the notebook again.")


def _find_cell(contents: Sequence[Row], cell_id: UUID, state: str | None) -> int:
    for at, row in enumerate(contents):
        if row["cell_id"] == cell_id:
            _check_state(state, str(row["id"]), "cell")
            return at
    raise NotFound(f"The notebook has no cell {cell_id}: it may have been deleted. Read the notebook again.")


def _check_state(named: str | None, there: str, what: str) -> None:
    if named is None:
        raise BadInput(UNNAMED_STATE.format("the cell's `state`" if what == "cell" else "the notebook's `revision`"))
    if named.strip().removeprefix("W/").strip('"') != there:
        raise ChangedMeanwhile(CHANGED.format(what))


def _no_notebook(notebook_id: UUID) -> NotFound:
    return NotFound(f"There is no notebook {notebook_id}. List those you can see, and take an id of them.")
