"""Stage 3: a page file for every page (fragments with boxes, rules, images) and its sketch for the profile."""

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import Any

from shared.ingestion.event import ShardEvent
from shared.ingestion.pages import PageWork, run_pages
from shared.ingestion.source import open_stored_source
from shared.readers.pdf import read_page, sketch_page
from shared.runtime import Runtime


def run(runtime: Runtime, event: Mapping[str, Any]) -> dict[str, Any]:
    return run_pages(runtime, event, "parse", "parsed", _open)


@contextmanager
def _open(runtime: Runtime, shard: ShardEvent) -> Generator[PageWork]:
    with open_stored_source(runtime, shard) as source:

        def parse(page: int) -> dict[str, Any]:
            file = read_page(source, page)
            runtime.blobs.put(f"{shard.work}sketches/{page}.json", sketch_page(file).model_dump_json().encode())
            runtime.blobs.put(f"{shard.work}pages/{page}.json", file.model_dump_json().encode(), "application/json")
            return {
                "width_pt": file.width_pt,
                "height_pt": file.height_pt,
                "rotation": file.rotation,
                "route": file.route,
                "text_density": file.text_density,
                "fragments": len(file.fragments),
                "extractor_version": file.extractor_version,
            }

        yield parse
