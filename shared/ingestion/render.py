"""Stage 2: an image and a thumbnail of every page; a source without pages has none."""

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import Any

from shared.ingestion.event import ShardEvent
from shared.ingestion.pages import PageWork, run_pages
from shared.ingestion.source import check_stored_source, open_stored_source
from shared.readers.source import PagedSource
from shared.runtime import Runtime

DPI = 200


def run(runtime: Runtime, event: Mapping[str, Any]) -> dict[str, Any]:
    return run_pages(runtime, event, "render", "rendered", _open)


@contextmanager
def _open(runtime: Runtime, shard: ShardEvent) -> Generator[PageWork]:
    if not check_stored_source(runtime, shard):
        yield lambda _: {}  # what has no pages is not opened: that takes seconds for a large table
        return
    with open_stored_source(runtime, shard) as source:

        def render(page: int) -> dict[str, Any]:
            if not isinstance(source, PagedSource):
                return {}
            rendered = source.render_page(page, DPI)
            runtime.blobs.put(f"{shard.work}images/{page}.jpg", rendered.image, "image/jpeg")
            runtime.blobs.put(f"{shard.work}thumbs/{page}.jpg", rendered.thumbnail, "image/jpeg")
            # Until `parse` has read the page's size, the page strip uses the image's proportions.
            return {"width_pt": rendered.width * 72 / DPI, "height_pt": rendered.height * 72 / DPI}

        yield render
