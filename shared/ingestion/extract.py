"""Stage 4: operations for every page. An engine groups fragments; only operations that pass validation are stored."""

import json
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any

from shared.domain.operations import PageOperations
from shared.domain.page import OutlineEntry, PageFile
from shared.domain.sketch import PageSketch, Profile
from shared.extraction.engine_choice import Engine, wants_model
from shared.extraction.layout import extract_page
from shared.extraction.profile import build_profile
from shared.extraction.validate import validate_operations
from shared.ingestion.event import Event, ShardEvent
from shared.ingestion.figures import store_figures
from shared.ingestion.model_pages import MODEL_PAGE_S, ModelPages
from shared.ingestion.pages import PageWork, read_page_file, run_pages
from shared.runtime import Runtime
from shared.store import ingestions


def run(runtime: Runtime, event: Mapping[str, Any]) -> dict[str, Any]:
    engine = _engine(runtime, ShardEvent.model_validate(event))
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
        operations = extract_page(file, profile)
        if models and wants_model(engine, file, operations):
            file, operations = models.group(file, operations)
        _store(runtime, shard, file, operations)
        store_figures(runtime, shard.work, operations)
        return {
            "confidence": operations.confidence,
            "flags": operations.flags,
            "engine": operations.engine,
            "engine_version": operations.engine_version,
            "engine_note": operations.notes or None,
        }

    yield extract


def _store(runtime: Runtime, shard: ShardEvent, file: PageFile, operations: PageOperations) -> None:
    errors = validate_operations(file, operations)
    if errors:
        raise ValueError(f"page {file.page}: the operations are not valid: {'; '.join(errors[:3])}")
    key = f"{shard.work}ops/{file.page}.json"
    runtime.blobs.put(key, operations.model_dump_json().encode(), "application/json")
