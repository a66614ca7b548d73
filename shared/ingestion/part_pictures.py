"""Pictures in sources without pages: each is looked at as an image file of one page, stored, and its text recognised.

What is recognised is fragments behind the source's own, placed in their picture; the layout engine groups them there as
it groups the lines of a scanned page.
"""

from collections.abc import Callable, Iterator, Sequence
from io import BytesIO
from typing import Final

from shared.contract import picture_key
from shared.domain.geometry import PictureArea, Rect, TextRange
from shared.domain.operations import (
    Operation,
    PageOperations,
    RegisterChunk,
    RegisterFigure,
    RegisterSection,
    RegisterTable,
)
from shared.domain.page import Fragment, PageFile, PartPicture, PictureReading
from shared.errors import RefusedFile
from shared.extraction.layout import extract_page
from shared.extraction.profile import build_profile
from shared.ports import BlobStore
from shared.readers.image.document import ImageSource
from shared.readers.ocr_picture import may_hold_text
from shared.readers.parted import PartedSource
from shared.readers.pictures import PLACED_SHARE
from shared.readers.sketch import sketch_page
from shared.readers.source import PagedSource

POINTS_PER_INCH: Final = 72
# Says of a part that a picture in it may hold text, and that nobody has read it.
UNREAD: Final = "unread_pictures"
# As a page's of which a part is such a picture: `no_text_layer` in `extraction/confidence.py`, at a third.
UNREAD_CONFIDENCE: Final = 0.8
_ABOUT_OCR: Final = ("ocr", "low_ocr_confidence")
_UNREAD_FIRST: Final = frozenset({"unread", "damaged"})

Recognise = Callable[[PagedSource, PageFile], PageFile]


def read_part_pictures(
    blobs: BlobStore, work: str, source: PartedSource, file: PageFile, recognise: Recognise
) -> PageFile:
    """Stores the pictures of a part; returns its file with what is recognised in those that are drawn large."""
    pictures: list[PartPicture] = []
    fragments = list(file.fragments)
    for picture in file.pictures:
        if picture.unread is None:
            reading, words = _read(blobs, work, source, picture, recognise)
            picture = picture.model_copy(update={"reading": reading})
            fragments += _placed(words, picture, file.page, len(fragments))
        pictures.append(picture)
    own, recognised = bool(file.fragments), len(fragments) > len(file.fragments)
    route = file.route if recognised or any(map(is_unread, pictures)) else "text" if own else "empty"
    return file.model_copy(update={"pictures": pictures, "fragments": fragments, "route": route})


def is_unread(picture: PartPicture) -> bool:
    """Whether a picture that is drawn large may hold text that nobody has read."""
    outcome = picture.reading.outcome if picture.reading else "unread"
    return picture.share >= PLACED_SHARE and outcome in _UNREAD_FIRST


def add_picture_text(file: PageFile, operations: PageOperations) -> PageOperations:
    """The operations of a part with those of what was recognised in its pictures, each behind its figure. The part is
    trusted as far as its characters are, and less where a picture was not read."""
    if not file.pictures:
        return operations
    found: list[Operation] = []
    flags, lost = list(operations.flags), 0.0
    for operation in operations.operations:
        found.append(operation)
        picture = _picture_of(operation, file)
        lines = [one for one in file.fragments if picture and _is_in(one, picture)]
        if picture and lines:
            inner = _grouped(file.page, picture, lines)
            found += inner.operations
            lost += (1 - inner.confidence) * sum(len(one.text) for one in lines)
            flags += [flag for flag in inner.flags if flag in _ABOUT_OCR and flag not in flags]
    characters = sum(len(one.text) for one in file.fragments)
    confidence = operations.confidence * (1 - lost / characters if characters else 1.0)
    if any(map(is_unread, file.pictures)):
        confidence, flags = confidence * UNREAD_CONFIDENCE, [UNREAD, *flags]
    return operations.model_copy(update={"operations": found, "confidence": round(confidence, 4), "flags": flags})


def _read(
    blobs: BlobStore, work: str, source: PartedSource, picture: PartPicture, recognise: Recognise
) -> tuple[PictureReading, Sequence[Fragment]]:
    """Of a picture that is drawn small nothing is recognised; of a photograph neither."""
    try:
        with ImageSource(BytesIO(source.read_picture(picture.name))) as image:
            page = image.read_page(1)
            dpi = max(1, round(picture.width * POINTS_PER_INCH / page.width_pt))
            shown = image.render_page(1, dpi).image
            blobs.put(picture_key(work, picture.id), shown, "image/jpeg")
            if picture.share < PLACED_SHARE or not may_hold_text(shown):
                return PictureReading(outcome="shown"), ()
            page = recognise(image, page)
    except RefusedFile:
        return PictureReading(outcome="damaged"), ()
    engine = page.extractor_version.rpartition("+")[2] if page.fragments else ""
    reading = PictureReading(
        outcome="read" if page.fragments else "unread", width_pt=page.width_pt, height_pt=page.height_pt, engine=engine
    )
    return reading, page.fragments


def _placed(words: Sequence[Fragment], picture: PartPicture, page: int, before: int) -> Iterator[Fragment]:
    for number, word in enumerate(words, before + 1):
        area = PictureArea(id=picture.id, **word.box.model_dump())
        place = TextRange(start=picture.place.start, end=picture.place.end, picture=area)
        yield word.model_copy(update={"id": f"p{page}.f{number}", "place": place, "box": Rect(x=0, y=0, w=0, h=0)})


def _picture_of(operation: Operation, file: PageFile) -> PartPicture | None:
    if not isinstance(operation, RegisterFigure):
        return None
    return next((one for one in file.pictures if one.id == operation.picture), None)


def _is_in(fragment: Fragment, picture: PartPicture) -> bool:
    place = fragment.place
    return isinstance(place, TextRange) and place.picture is not None and place.picture.id == picture.id


def _grouped(page: int, picture: PartPicture, lines: Sequence[Fragment]) -> PageOperations:
    """The lines as a page of their own. A picture has no sections of the document around it."""
    reading = picture.reading
    alone = PageFile(
        page=page, width_pt=reading.width_pt if reading else 0.0, height_pt=reading.height_pt if reading else 0.0,
        route="ocr", fragments=[_on_page(one) for one in lines], extractor_version="",
    )  # fmt: skip
    grouped = extract_page(alone, build_profile([sketch_page(alone)]))
    return grouped.model_copy(update={"operations": [_within(one, grouped) for one in grouped.operations]})


def _on_page(fragment: Fragment) -> Fragment:
    area = fragment.place.picture if isinstance(fragment.place, TextRange) else None
    return fragment.model_copy(update={"place": None, "box": area or fragment.box})


def _within(operation: Operation, grouped: PageOperations) -> Operation:
    match operation:
        case RegisterSection():
            return RegisterChunk(
                fragment_ids=operation.title_fragment_ids, chunk_type="text", confidence=grouped.confidence
            )
        case RegisterChunk():
            sure = min(operation.confidence, grouped.confidence)
            return operation.model_copy(update={"section": None, "continues_previous_page": False, "confidence": sure})
        case RegisterTable():
            sure = min(operation.confidence, grouped.confidence)
            return operation.model_copy(update={"continues_previous_page": False, "confidence": sure})
        case _:
            return operation
