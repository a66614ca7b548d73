"""Picks, from what the API says, pages of the sample documents that show what a test needs."""

import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import quote

import httpx

from tests.patience import PATIENCE_S

Json = dict[str, Any]


@dataclass(frozen=True)
class Sample:
    """The largest current document of the system and its pages."""

    api: httpx.Client
    knowledge_base: Json
    document: Json

    @cached_property
    def views(self) -> list[Json]:
        base = f"/v1/documents/{self.document['id']}/pages"
        return [read(self.api, f"{base}/{number}") for number in range(1, self.document["pages"] + 1)]

    def page(self, wanted: Callable[[Json], int]) -> Json:
        """The page view that has most of what `wanted` counts; fails when no page has any."""
        best = max(self.views, key=wanted)
        assert wanted(best) > 0
        return best

    @property
    def richest(self) -> Json:
        return self.page(lambda view: len(view["items"]))

    @property
    def with_rows(self) -> Json:
        return self.page(lambda view: count_type(view, "table_row"))

    def path(self, view: Json, chunk: str | None = None) -> str:
        path = f"/documents/{self.document['id']}?page={view['page']}"
        return f"{path}&chunk={chunk}" if chunk else path

    @cached_property
    def addressed(self) -> Json:
        """A chunk that bears an address of its own."""
        return next(c for v in self.views for c in v["items"] if c["section_id"] and c["chunk_type"] != "heading")

    def playground(self, query: str, mode: str) -> str:
        """With scores and trace, which are one click away otherwise."""
        return f"/playground?scores=yes&mode={mode}&kb={quote(self.knowledge_base['slug'])}&q={quote(query)}"


def read(api: httpx.Client, path: str) -> Json:
    answer = api.get(path)
    answer.raise_for_status()
    return answer.json()


def ingest(api: httpx.Client, knowledge_base: str, name: str, data: bytes, **more: str) -> str:
    """Sends a file and waits until it is read; the document's id. `more` is said of it, as `version_of`."""
    announced = {
        "filename": name,
        "size": len(data),
        "sha256": hashlib.sha256(data).hexdigest(),
        "knowledge_base_id": knowledge_base,
    } | more
    ticket = api.post("/v1/uploads", json=announced).json()
    api.put(ticket["url"], content=data, headers=ticket["headers"]).raise_for_status()
    deadline = time.monotonic() + PATIENCE_S
    while (run := read(api, f"/v1/ingestions/{ticket['upload_id']}"))["status"] != "ready":
        assert time.monotonic() < deadline, run
        time.sleep(0.2)
    return run["document_id"]


def count_type(view: Json, chunk_type: str) -> int:
    return sum(chunk["chunk_type"] == chunk_type for chunk in view["items"])


def find_sample(api: httpx.Client) -> Sample:
    """The current document with most chunks, of the knowledge base with most chunks."""
    bases = read(api, "/v1/knowledge-bases")["items"]
    base = max(bases, key=lambda item: item["chunks"])
    documents = read(api, f"/v1/documents?knowledge_base_id={base['id']}")["items"]
    current = [document for document in documents if document["version"]["is_current"]]
    return Sample(api, base, max(current, key=lambda item: item["chunks"]))
