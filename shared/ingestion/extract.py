"""Stage 4: operations for every page. An engine groups fragments; only operations that pass validation are stored."""

import io
import json
import time
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any

from PIL import Image

from shared.contract import figure_key
from shared.domain.geometry import Rect
from shared.domain.operations import PageOperations, RegisterFigure
from shared.domain.page import OutlineEntry, PageFile
from shared.domain.sketch import PageSketch, Profile
from shared.extraction.engine_choice import Engine, wants_model
from shared.extraction.layout import extract_page
from shared.extraction.profile import build_profile
from shared.extraction.structure import operations_of_structure
from shared.ingestion.event import Event, ShardEvent
from shared.ingestion.model_pages import MODEL_PAGE_S, ModelPages
from shared.ingestion.page_facts import check_operations, columns_of_operations
from shared.ingestion.pages import PageWork, read_page_file, run_pages
from shared.ingestion.part_pictures import add_picture_text
from shared.plans.quota import check_budget
from shared.runtime import Runtime
from shared.store import ingestions

# JPEG quality, above the page image's 80, as the figure is encoded a second time.
JPEG_QUALITY = 85
MIN_PIXELS = 2


def run(runtime: Runtime, event: Mapping[str, Any]) -> dict[str, Any]:
    """Raises BudgetSpent, which ends the run, before pages that a model would be paid for."""
    shard = ShardEvent.model_validate(event)
    engine = _engine(runtime, shard)
    if engine != "layout" and not shard.alone:
        with runtime.database.transaction(shard.scope) as connection:
            check_budget(connection, runtime.limits)
    work = partial(_open, engine=engine)
    if engine == "layout":
        return run_pages(runtime, event, "extract", "extracted", work)
    return run_pages(runtime, event, "extract", "extracted", work, MODEL_PAGE_S, patient=True)


def load_profile(runtime: Runtime, event: Event) -> Profile:
    """Returns the document-wide profile; the first process that needs it builds and stores it, and all get the same."""
    key = event.work + "profile.json"
    if runtime.blobs.exists(key):
        return Profile.model_validate_json(runtime.blobs.get(key))
    sketches = (
        PageSketch.model_validate_json(runtime.blobs.get(k)) for k in runtime.blobs.list(event.work + "sketches/")
    )
    profile = build_profile(sketches, load_outline(runtime, event))
    runtime.blobs.put(key, profile.model_dump_json().encode(), "application/json")
    return profile


def load_outline(runtime: Runtime, event: Event) -> list[OutlineEntry]:
    return [OutlineEntry.model_validate(o) for o in json.loads(runtime.blobs.get(event.work + "outline.json"))]


def _engine(runtime: Runtime, shard: ShardEvent) -> Engine:
    with runtime.database.transaction(shard.scope) as connection:
        row = ingestions.find_ingestion(connection, shard.ingestion_id)
    return row["engine"] if row else "layout"


@contextmanager
def _open(runtime: Runtime, shard: ShardEvent, engine: Engine) -> Generator[PageWork]:
    profile, started = load_profile(runtime, shard), time.monotonic()
    models = ModelPages(runtime, shard, profile, load_outline(runtime, shard), started) if engine != "layout" else None

    def extract(page: int) -> dict[str, Any]:
        file = read_page_file(runtime, shard.work, page)
        operations = extract_page(file, profile) if file.structure is None else _structure(file)
        if models and file.structure is None and wants_model(engine, file, operations):
            file, operations = models.group(file, operations)
        _store(runtime, shard, file, operations)
        store_figures(runtime, shard.work, operations)
        return columns_of_operations(operations)

    yield extract


def _structure(file: PageFile) -> PageOperations:
    return add_picture_text(file, operations_of_structure(file))


def _store(runtime: Runtime, shard: ShardEvent, file: PageFile, operations: PageOperations) -> None:
    check_operations(file, operations)
    key = f"{shard.work}ops/{file.page}.json"
    runtime.blobs.put(key, operations.model_dump_json().encode(), "application/json")


def store_figures(runtime: Runtime, work: str, operations: PageOperations) -> int:
    """Stores one image per figure of the page; returns how many.

    No image is opened for a page without figures. Where the page's image could not be rendered, its figures have none
    either.
    """
    boxes = list(_boxes(operations))
    key = f"{work}images/{operations.page}.jpg"
    if not boxes or not runtime.blobs.exists(key):
        return 0
    with Image.open(io.BytesIO(runtime.blobs.get(key))) as image:
        for box in boxes:
            place = figure_key(work, operations.page, (box.x, box.y, box.w, box.h))
            runtime.blobs.put(place, _cut(image, box), "image/jpeg")
    return len(boxes)


def _boxes(operations: PageOperations) -> Iterator[Rect]:
    """Of a picture of its own nothing is cut out."""
    figures = (one for one in operations.operations if isinstance(one, RegisterFigure))
    return (figure.box for figure in figures if figure.picture is None)


def _cut(image: Image.Image, box: Rect) -> bytes:
    left, top = int(box.x * image.width), int(box.y * image.height)
    right, bottom = round(box.right * image.width), round(box.bottom * image.height)
    area = (left, top, max(right, left + MIN_PIXELS), max(bottom, top + MIN_PIXELS))
    stream = io.BytesIO()
    image.crop(area).convert("RGB").save(stream, "JPEG", quality=JPEG_QUALITY)
    return stream.getvalue()
