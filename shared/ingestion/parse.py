"""Stage 3: a page file for every page (fragments with bounding boxes, rules, images) and its sketch for the profile.

Text that is only in pictures is read by OCR, if an engine is installed; it is loaded for the first page that needs it.
"""

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any

from shared import telemetry
from shared.contract import kept_key
from shared.domain.page import PageFile, TickBox
from shared.domain.turned import as_read
from shared.ingestion.event import ShardEvent
from shared.ingestion.limits import page_deadline
from shared.ingestion.page_facts import columns_of_file
from shared.ingestion.pages import PAGE_TIMEOUTS_S, PageWork, run_pages
from shared.ingestion.part_pictures import read_part_pictures
from shared.ingestion.source import open_stored_source
from shared.ports import Ocr, OcrWord
from shared.readers.ocr_page import add_turned_words, place_words, regions_to_read
from shared.readers.ocr_picture import cut_region, may_hold_text
from shared.readers.ocr_turn import read_upright, turned_back
from shared.readers.parted import PartedSource
from shared.readers.scan_boxes import add_scanned_boxes, place_boxes, read_with_boxes
from shared.readers.sketch import sketch_page
from shared.readers.source import PagedSource
from shared.runtime import Runtime

# A higher resolution than the stored image's would fit 10 pt letters to the recogniser's size, at twice the work.
OCR_DPI, POINTS_PER_INCH = 200, 72
# Only OCR needs the stage's own time limit; without it, a page that hangs is given up sooner.
READ_TIMEOUT_S = 12


def run(runtime: Runtime, event: Mapping[str, Any]) -> dict[str, Any]:
    return run_pages(runtime, event, "parse", "parsed", _open)


@contextmanager
def _open(runtime: Runtime, shard: ShardEvent) -> Generator[PageWork]:
    measured = telemetry.work("pdf.parse", document_id=shard.document_id, ingestion_id=shard.ingestion_id)
    with measured as span, open_stored_source(runtime, shard) as source:
        span.note(first_page=shard.first_page, last_page=shard.last_page, paged=isinstance(source, PagedSource))

        def parse(page: int) -> dict[str, Any]:
            with page_deadline(READ_TIMEOUT_S):
                file = source.read_page(page)
            if isinstance(source, PartedSource) and (kept := source.read_kept(page)):
                runtime.blobs.put(kept_key(shard.work, page), kept.packed())
            if isinstance(source, PartedSource) and file.pictures:
                with page_deadline(PAGE_TIMEOUTS_S["parse"]):
                    file = read_part_pictures(
                        runtime.blobs, shard.work, source, file, partial(read_pictures, lambda: runtime.ocr)
                    )
            if isinstance(source, PagedSource):
                with page_deadline(PAGE_TIMEOUTS_S["parse"]):
                    file = read_pictures(lambda: runtime.ocr, source, file)
                runtime.blobs.put(
                    f"{shard.work}sketches/{page}.json", sketch_page(as_read(file)).model_dump_json().encode()
                )
            runtime.blobs.put(f"{shard.work}pages/{page}.json", file.model_dump_json().encode(), "application/json")
            return columns_of_file(file)

        yield parse


def read_pictures(load_ocr: Callable[[], Ocr | None], source: PagedSource, file: PageFile) -> PageFile:
    """Returns the page file with the text that OCR finds in its pictures; unchanged where there are no pictures or no
    engine."""
    regions = regions_to_read(file)
    if not regions:
        return file
    image = source.render_page(file.page, OCR_DPI).image
    pictures = [(region, cut_region(image, region)) for region in regions]
    if file.route == "mixed" and not (pictures := [one for one in pictures if may_hold_text(one[1])]):
        return file.model_copy(update={"route": "text"})
    ocr = load_ocr()
    if ocr is None:
        return file
    words: list[OcrWord] = []
    boxes: list[TickBox] = []
    turn = 0
    for region, picture in pictures:
        found, turn = read_upright(ocr, picture) if file.route == "ocr" else (ocr.read(picture), 0)
        found, seen = read_with_boxes(ocr, turned_back(picture, turn), found, OCR_DPI / POINTS_PER_INCH)
        boxes += place_boxes(seen, region, turn)
        words += place_words(found, region, len(words))
    if not words and file.route == "ocr" and may_hold_text(pictures[0][1]):
        # Perhaps a script that the engine does not know: the page is then flagged as unread instead of taken for empty.
        return file
    return add_turned_words(add_scanned_boxes(file, boxes), words, ocr.version, turn)
