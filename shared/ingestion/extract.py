"""Stage 4: operations for every page. An engine says what belongs together; only what validates is stored."""

import json
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import Any

from shared.domain.page import OutlineEntry
from shared.domain.sketch import PageSketch, Profile
from shared.extraction.layout import extract_page
from shared.extraction.profile import build_profile
from shared.extraction.validate import validate_operations
from shared.ingestion.event import Event, ShardEvent
from shared.ingestion.pages import PageWork, read_page_file, run_pages
from shared.runtime import Runtime


def run(runtime: Runtime, event: Mapping[str, Any]) -> dict[str, Any]:
    return run_pages(runtime, event, "extract", "extracted", _open)


def load_profile(runtime: Runtime, event: Event) -> Profile:
    """The document-wide profile. Whoever needs it first builds it; it is the same for everybody."""
    key = event.work + "profile.json"
    if runtime.blobs.exists(key):
        return Profile.model_validate_json(runtime.blobs.get(key))
    sketches = (
        PageSketch.model_validate_json(runtime.blobs.get(k)) for k in runtime.blobs.list(event.work + "sketches/")
    )
    outline = [OutlineEntry.model_validate(o) for o in json.loads(runtime.blobs.get(event.work + "outline.json"))]
    profile = build_profile(sketches, outline)
    runtime.blobs.put(key, profile.model_dump_json().encode(), "application/json")
    return profile


@contextmanager
def _open(runtime: Runtime, shard: ShardEvent) -> Generator[PageWork]:
    profile = load_profile(runtime, shard)

    def extract(page: int) -> dict[str, Any]:
        file = read_page_file(runtime, shard.work, page)
        operations = extract_page(file, profile)
        errors = validate_operations(file, operations)
        if errors:
            raise ValueError(f"page {page}: the operations are not valid: {'; '.join(errors[:3])}")
        runtime.blobs.put(f"{shard.work}ops/{page}.json", operations.model_dump_json().encode(), "application/json")
        return {"confidence": operations.confidence, "flags": operations.flags}

    yield extract
