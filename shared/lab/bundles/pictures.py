"""The pictures of cited places: cut out of the pages' images, with the boxes drawn."""

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple
from uuid import UUID

from shared.domain.geometry import PageBox, union
from shared.domain.notebooks import NotebookSource
from shared.lab.notebook.kinds import CellReading
from shared.library.pages import stored_image_key
from shared.library.passages import MARGIN
from shared.store import library
from shared.store.library import DocumentPlace

if TYPE_CHECKING:
    from PIL.Image import Image as Picture

# Of the longer side; what is larger is drawn smaller.
SIDE_MAX: Final = 900
QUALITY: Final = 72
AMBER: Final = (232, 154, 5)
# Of a passage that runs over more, the first ones.
PAGES_MAX: Final = 3


class Crop(NamedTuple):
    """A part of a page, as JPEG."""

    page: int
    data: bytes


class PageImages:
    """Cuts pictures out of pages, each of which is decoded once."""

    def __init__(self, reading: CellReading) -> None:
        self._reading = reading
        self._places = dict[UUID, DocumentPlace | None]()

    def crops_of(self, sources: Sequence[NotebookSource]) -> dict[int, list[Crop]]:
        """By the number of the source; none for sources without pages, and for pages without an image."""
        wanted = dict[tuple[UUID, int], list[tuple[int, list[PageBox]]]]()
        for source in sources:
            for page, boxes in _by_page(source):
                wanted.setdefault((source.document_id, page), []).append((source.number, boxes))
        found = dict[int, list[Crop]]()
        for (document_id, page), places in wanted.items():
            for number, data in self._cut(document_id, page, places):
                found.setdefault(number, []).append(Crop(page, data))
        return {number: sorted(crops) for number, crops in sorted(found.items())}

    def _cut(
        self, document_id: UUID, page: int, places: Sequence[tuple[int, list[PageBox]]]
    ) -> list[tuple[int, bytes]]:
        from PIL import Image

        data = self._image(document_id, page)
        if data is None:
            return []
        with Image.open(io.BytesIO(data)) as opened:
            whole = opened.convert("RGB")
        return [(number, _crop(whole, boxes)) for number, boxes in places]

    def _image(self, document_id: UUID, page: int) -> bytes | None:
        if document_id not in self._places:
            self._places[document_id] = library.get_place(self._reading.connection, document_id)
        place = self._places[document_id]
        if place is None:
            return None
        key, blobs = stored_image_key(place, page, "full"), self._reading.runtime.blobs
        return blobs.get(key) if blobs.exists(key) else None


def _by_page(source: NotebookSource) -> list[tuple[int, list[PageBox]]]:
    found = dict[int, list[PageBox]]()
    for box in source.boxes:
        if isinstance(box, PageBox):
            found.setdefault(box.page, []).append(box)
    return sorted(found.items())[:PAGES_MAX]


def _crop(page: "Picture", boxes: Sequence[PageBox]) -> bytes:
    from PIL import ImageDraw

    around, (width, height) = union(boxes), page.size
    left, top = max(0, round((around.x - MARGIN) * width)), max(0, round((around.y - MARGIN) * height))
    right = min(width, max(left + 1, round((around.right + MARGIN) * width)))
    bottom = min(height, max(top + 1, round((around.bottom + MARGIN) * height)))
    cut = page.crop((left, top, right, bottom))
    draw = ImageDraw.Draw(cut)
    for box in boxes:
        corners = (box.x * width - left, box.y * height - top, box.right * width - left, box.bottom * height - top)
        draw.rectangle([round(one) for one in corners], outline=AMBER, width=3)
    cut.thumbnail((SIDE_MAX, SIDE_MAX))
    out = io.BytesIO()
    cut.save(out, "JPEG", quality=QUALITY)
    return out.getvalue()
