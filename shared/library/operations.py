"""The effective operations of a page: the engine's, with people's edits applied."""

from collections.abc import Sequence
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from shared.domain.edits import Edit
from shared.domain.operations import PageOperations
from shared.domain.page import PageFile
from shared.errors import Conflict, Damaged
from shared.extraction.edits.replay import Stale, edited_page
from shared.runtime import Runtime
from shared.store import edits
from shared.store.connect import Connection
from shared.store.library import DocumentPlace

Model = TypeVar("Model", bound=BaseModel)


def read_stored(runtime: Runtime, place: DocumentPlace, key: str, model: type[Model]) -> Model:
    """Reads a stored page file or its operations. Raises Damaged where they are invalid, without quoting them."""
    try:
        return model.model_validate_json(runtime.blobs.get(key))
    except ValidationError:
        raise damaged(place) from None


def damaged(place: DocumentPlace) -> Damaged:
    return Damaged(
        f"What was stored of a page of {place.name} is damaged and cannot be read. Reingest the document:"
        " it is made again from its source."
    )


def applied_edits(connection: Connection, place: DocumentPlace) -> list[Edit]:
    """The edits that are part of the stored chunks, oldest first."""
    return [one.edit for one in edits.active_edits(connection, place.id) if one.stale is None]


def load_operations(
    runtime: Runtime, place: DocumentPlace, page: int, applied: Sequence[Edit]
) -> PageOperations | None:
    """Returns None while the page has no operations. Raises Conflict where a run is replacing them, and Damaged."""
    key = f"{place.work}ops/{page}.json"
    if not runtime.blobs.exists(key):
        return None
    operations = read_stored(runtime, place, key, PageOperations)
    touching = [edit for edit in applied if page in edit.pages]
    if not touching:
        return operations
    try:
        return edited_page(lambda _: (load_page_file(runtime, place, page), operations), page, touching)
    except Stale as reason:
        raise Conflict(f"{place.name} is changing ({reason}). Load it again.") from reason


def load_page_file(runtime: Runtime, place: DocumentPlace, page: int) -> PageFile:
    """Raises Damaged; for a page that has operations."""
    return read_stored(runtime, place, f"{place.work}pages/{page}.json", PageFile)
