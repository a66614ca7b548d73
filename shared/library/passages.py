"""One passage with what stands around it, and the picture of its place on the page: what an assistant asks for."""

import io
from typing import Final, NamedTuple
from uuid import UUID

from shared.access import reading
from shared.domain.geometry import Box, PageBox
from shared.domain.knowledge import Chunk, DocumentRef, VersionEnvelope
from shared.domain.scope import Identity
from shared.errors import NotFound
from shared.library.pages import image_key
from shared.runtime import Runtime
from shared.store import library
from shared.store.search import load_chunks

NEIGHBOURS_MAX: Final = 10
# Shares of the page that a crop shows around the passage, so that it is seen where it stands.
MARGIN: Final = 0.02


class PassageInPlace(NamedTuple):
    """A chunk, its document and version, and the chunks before and after it in the document's order."""

    chunk: Chunk
    document: DocumentRef
    version: VersionEnvelope
    before: list[Chunk]
    after: list[Chunk]


def get_passage(runtime: Runtime, identity: Identity, chunk_id: UUID, neighbours: int = 0) -> PassageInPlace:
    """With up to `neighbours` chunks on either side. Raises NotFound."""
    with reading(runtime, identity, snapshot=True) as connection:
        found = load_chunks(connection, [chunk_id]).get(chunk_id)
        if found is None:
            raise NotFound(f"There is no chunk {chunk_id}. Search again, and take a chunk_id of what is found.")
        chunk = found.chunk
        # A position before the first neighbour: no id is smaller than that of zeros.
        begin = (max(0, chunk.ordinal - neighbours), UUID(int=0))
        near = library.list_chunks(connection, chunk.document_id, begin, 2 * neighbours + 1) if neighbours else []
    before = [one for one in near if one.ordinal < chunk.ordinal]
    after = [one for one in near if one.ordinal > chunk.ordinal][:neighbours]
    return PassageInPlace(chunk, found.document, found.version, before, after)


def crop_passage(runtime: Runtime, identity: Identity, chunk: Chunk, side_max: int | None = None) -> bytes | None:
    """The part of the passage's first page that holds it, as JPEG, no side longer than `side_max` pixels; None for a
    source that has no pages, and for a page whose image is not there."""
    boxes = _on_first_page(chunk.boxes)
    if not boxes:
        return None
    try:
        key = image_key(runtime, identity, chunk.document_id, boxes[0].page, "full")
    except NotFound:
        return None
    from PIL import Image

    with Image.open(io.BytesIO(runtime.blobs.get(key))) as page:
        left, top = min(box.x for box in boxes) - MARGIN, min(box.y for box in boxes) - MARGIN
        right, bottom = max(box.x + box.w for box in boxes) + MARGIN, max(box.y + box.h for box in boxes) + MARGIN
        shares = (max(0.0, left), max(0.0, top), min(1.0, right), min(1.0, bottom))
        pixels = [round(share * side) for share, side in zip(shares, page.size * 2, strict=True)]
        out = io.BytesIO()
        crop = page.convert("RGB").crop((pixels[0], pixels[1], pixels[2], pixels[3]))
        if side_max is not None:
            crop.thumbnail((side_max, side_max))
        crop.save(out, "JPEG", quality=85)
        return out.getvalue()


def _on_first_page(boxes: list[Box]) -> list[PageBox]:
    paged = [box for box in boxes if isinstance(box, PageBox)]
    first = min((box.page for box in paged), default=0)
    return [box for box in paged if box.page == first]
