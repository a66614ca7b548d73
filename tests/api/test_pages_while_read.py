"""What a page shows while its document is still being read."""

from typing import Any

import pytest

from shared.domain.scope import Identity
from shared.runtime import Runtime
from tests.api.conftest import Client
from tests.pipeline import PRICES, make_knowledge_base, run_all, run_stage, upload

Json = dict[str, Any]


@pytest.fixture(scope="module")
def seen(client: Client, runtime: Runtime, identity: Identity) -> dict[str, Json]:
    """Stage → page 2 after it."""
    base = make_knowledge_base(runtime, identity, "while read")
    event = run_all(runtime, upload(runtime, identity, base, PRICES.read_bytes(), "prices.pdf"), until="parse")
    address = f"/v1/documents/{event['document_id']}/pages/2?include=fragments"
    found = {"parse": client.get(address).json()}
    run_stage(runtime, "extract", {**event, "shard": 0, "first_page": 1, "last_page": 3})
    found["extract"] = client.get(address).json()
    for stage in ("finalize", "embed", "publish"):
        run_stage(runtime, stage, event)
    return found | {"publish": client.get(address).json()}


def test_a_page_shows_its_lines_before_it_has_chunks(seen: dict[str, Json]) -> None:
    assert seen["parse"]["items"] == []
    assert seen["parse"]["fragments"]


def test_a_page_shows_drafts_of_its_chunks_as_soon_as_they_are_grouped(seen: dict[str, Json]) -> None:
    drafts, stored = seen["extract"], seen["publish"]
    assert (drafts["provisional"], stored["provisional"]) == (True, False)

    def shape(view: Json) -> list[Json]:
        # A table goes on over the page's end: its grid is whole when the last page is read.
        return [
            {key: item[key] for key in ("chunk_type", "content", "boxes")}
            for item in view["items"]
            if item["chunk_type"] != "table"
        ]

    assert shape(drafts) == shape(stored)
    ids = [item["id"] for item in drafts["items"]]
    assert len(set(ids)) == len(ids) > 10
    assert not set(ids) & {item["id"] for item in stored["items"]}
