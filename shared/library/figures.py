"""Where the cut-out image of a figure is."""

from uuid import UUID

from shared.contract import figure_key
from shared.domain.geometry import PageBox
from shared.domain.scope import Identity
from shared.errors import NotFound
from shared.library.access import find_place, open_library
from shared.runtime import Runtime
from shared.store import library


def figure_image_key(runtime: Runtime, identity: Identity, document_id: UUID, chunk_id: UUID) -> str:
    """Returns the stored image's key. Raises NotFound for a chunk that is not a figure of the document, or has no
    image."""
    with open_library(runtime, identity) as connection:
        place = find_place(connection, document_id)
        figure = library.find_figure(connection, document_id, chunk_id)
    if figure is None:
        raise NotFound(f"Document {document_id} has no figure {chunk_id}.")
    box = PageBox.model_validate(figure)
    key = figure_key(place.work, box.page, (box.x, box.y, box.w, box.h))
    if not runtime.blobs.exists(key):
        raise NotFound(f"Figure {chunk_id} has no image. Process the document again to get one.")
    return key
