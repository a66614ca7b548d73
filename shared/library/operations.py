"""The operations of a page as they count: what the engine said, with people's edits laid over it."""

from collections.abc import Sequence

from shared.domain.edits import Edit
from shared.domain.operations import PageOperations
from shared.domain.page import PageFile
from shared.errors import Conflict
from shared.extraction.edits import Stale, edited_page
from shared.runtime import Runtime
from shared.store import edits
from shared.store.connect import Connection
from shared.store.library import Place


def applied_edits(connection: Connection, place: Place) -> list[Edit]:
    """The edits that the stored chunks were made with, oldest first."""
    return [one.edit for one in edits.active_edits(connection, place.id) if one.stale is None]


def load_operations(runtime: Runtime, place: Place, page: int, applied: Sequence[Edit]) -> PageOperations | None:
    """None while the page has no operations. Raises Conflict where a run replaces them just now."""
    key = f"{place.work}ops/{page}.json"
    if not runtime.blobs.exists(key):
        return None
    operations = PageOperations.model_validate_json(runtime.blobs.get(key))
    touching = [edit for edit in applied if page in edit.pages]
    if not touching:
        return operations
    try:
        return edited_page(lambda _: (_page_file(runtime, place, page), operations), page, touching)
    except Stale as reason:
        raise Conflict(f"{place.name} is changing ({reason}). Load it again.") from reason


def _page_file(runtime: Runtime, place: Place, page: int) -> PageFile:
    return PageFile.model_validate_json(runtime.blobs.get(f"{place.work}pages/{page}.json"))
