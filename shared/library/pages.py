"""Pages of a document: the page strip, one page with everything on it, and the keys of its images and of figures."""

import json
from collections.abc import Mapping
from typing import Any, Literal
from uuid import UUID

from pydantic import TypeAdapter

from shared.access import find_place, reading
from shared.contract import figure_key, picture_key
from shared.domain.geometry import FigureBox, TextBox
from shared.domain.inspect import InspectedPage, PageRow
from shared.domain.kept_rows import KeptRows
from shared.domain.knowledge import Chunk
from shared.domain.scope import Identity
from shared.errors import NotFound
from shared.library.kept_rows import show_window
from shared.library.operations import applied_edits, damaged, load_operations
from shared.runtime import Runtime
from shared.store import library
from shared.store.library import DocumentPlace

_FIGURE_BOX: TypeAdapter[FigureBox] = TypeAdapter(FigureBox)
ImageSize = Literal["full", "thumb"]
IMAGE_FOLDERS: dict[ImageSize, str] = {"full": "images", "thumb": "thumbs"}


def list_pages(
    runtime: Runtime, identity: Identity, document_id: UUID, after: int = 0, limit: int = 100
) -> list[PageRow]:
    """From behind page `after`; raises NotFound."""
    with reading(runtime, identity) as connection:
        find_place(connection, document_id)
        return library.list_pages(connection, document_id, after, limit)


def list_chunks(
    runtime: Runtime,
    identity: Identity,
    document_id: UUID,
    after: library.Position | None = None,
    limit: int = 100,
) -> list[Chunk]:
    """In document order, each with its section's path; raises NotFound."""
    with reading(runtime, identity) as connection:
        find_place(connection, document_id)
        return library.list_chunks(connection, document_id, after, limit)


def view_page(
    runtime: Runtime,
    identity: Identity,
    document_id: UUID,
    page: int,
    *,
    fragments: bool,
    operations: bool,
    row: int | None = None,
) -> InspectedPage:
    """One page with its chunks and what was skipped, while its document is read for the first time with drafts of its
    chunks; the page file and the operations when asked for. `row`: with rows that are kept beside it, from that one on.

    Raises NotFound for an unknown document or page, Damaged where what is stored of it cannot be read.
    """
    with reading(runtime, identity) as connection:
        place = find_place(connection, document_id)
        stored = library.get_page(connection, document_id, page)
        items = library.list_chunks(connection, document_id, None, None, page)
        applied = applied_edits(connection, place) if operations else []
    if stored is None:
        raise _no_page(document_id, page)
    drafts = [] if items else _drafts(runtime, place, page)
    found = load_operations(runtime, place, page, applied) if operations else None
    images: dict[str, Any] = {
        "image_url": _image_url(runtime, place, page, "full"),
        "thumbnail_url": _image_url(runtime, place, page, "thumb"),
        **(_read(runtime, place, page) if fragments else {}),
        "operations": [o.model_dump(mode="json") for o in found.operations] if found else [] if operations else None,
    }
    shown = {"document_id": document_id, "items": items or drafts, "provisional": bool(drafts)}
    if row is not None and fragments and operations:
        kept = _kept(runtime, place, page)
        images |= show_window(runtime.blobs, place.work, page, kept, row, images) if kept else {}
    return InspectedPage.model_validate(stored | images | shown)


def image_key(runtime: Runtime, identity: Identity, document_id: UUID, page: int, size: ImageSize) -> str:
    """The stored image's key; raises NotFound also while the page is not rendered yet."""
    with reading(runtime, identity) as connection:
        place = find_place(connection, document_id)
        if not library.has_page(connection, document_id, page):
            raise _no_page(document_id, page)
    key = stored_image_key(place, page, size)
    if not runtime.blobs.exists(key):
        raise NotFound(f"Page {page} has no image yet. It appears when the page has been rendered.")
    return key


def figure_image_key(runtime: Runtime, identity: Identity, document_id: UUID, chunk_id: UUID) -> str:
    """The key of a figure's cut-out image; raises NotFound for a chunk that is no figure of the document, or has no
    image."""
    with reading(runtime, identity) as connection:
        place = find_place(connection, document_id)
        figure = library.find_figure(connection, document_id, chunk_id)
    if figure is None:
        raise NotFound(f"Document {document_id} has no figure {chunk_id}.")
    key = key_of_figure(place.work, figure)
    if not runtime.blobs.exists(key):
        raise NotFound(f"Figure {chunk_id} has no image. Process the document again to get one.")
    return key


def key_of_figure(work: str, box: Mapping[str, Any]) -> str:
    """Where the image of a figure with this box is, if there is one."""
    found = _FIGURE_BOX.validate_python(box)
    if isinstance(found, TextBox):
        return picture_key(work, found.picture.id if found.picture else "")
    return figure_key(work, found.page, (found.x, found.y, found.w, found.h))


def _no_page(document_id: UUID, page: int) -> NotFound:
    return NotFound(f"Document {document_id} has no page {page}.")


def stored_image_key(place: DocumentPlace, page: int, size: ImageSize) -> str:
    """Where the image is, once the page is rendered."""
    return f"{place.work}{IMAGE_FOLDERS[size]}/{page}.jpg"


def _image_url(runtime: Runtime, place: DocumentPlace, page: int, size: ImageSize) -> str | None:
    """The image's address contains the run, so that a browser may cache it until another run replaces it."""
    if not runtime.blobs.exists(stored_image_key(place, page, size)):
        return None
    wanted = "&size=thumb" if size == "thumb" else ""
    return f"/v1/documents/{place.id}/pages/{page}/image?run={place.ingestion_id}{wanted}"


def _read(runtime: Runtime, place: DocumentPlace, page: int) -> dict[str, Any]:
    """The page's fragments, a sheet's formulas, a part's pictures; empty before the stage that writes them has run.
    Raises Damaged."""
    file = _file(runtime, place, page)
    empty: dict[str, Any] = {"fragments": [], "formulas": [], "uncalculated": 0, "pictures": [], "left_out": {}}
    return empty | {name: file[name] for name in empty if name in file}


def _kept(runtime: Runtime, place: DocumentPlace, page: int) -> KeptRows | None:
    """What the part says of rows that are kept beside it. Raises Damaged."""
    try:
        found = _file(runtime, place, page).get("kept")
        return KeptRows.model_validate(found) if found else None
    except ValueError:
        raise damaged(place) from None


def _file(runtime: Runtime, place: DocumentPlace, page: int) -> dict[str, Any]:
    key = f"{place.work}pages/{page}.json"
    if not runtime.blobs.exists(key):
        return {}
    try:
        found = json.loads(runtime.blobs.get(key))
        return found | {"fragments": found["fragments"]}
    except (ValueError, TypeError, KeyError):
        raise damaged(place) from None


def _drafts(runtime: Runtime, place: DocumentPlace, page: int) -> list[Chunk]:
    """Of a document that is still read; what assembles them is loaded with the first."""
    from shared.library.drafts import draft_chunks

    return draft_chunks(runtime, place, page)
