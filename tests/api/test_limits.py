"""What comes in is bounded however it is cut, and what goes out carries exactly these headers."""

import asyncio
import hashlib
import re
from collections.abc import AsyncIterator, Sequence
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from fastapi import FastAPI

from tests.api.conftest import BASE, Client

LIMIT = 1_000_000
EVERYWHERE = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
OF_THE_API = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
OF_PAGES = (
    "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' data:{0};"
    " connect-src 'self'{0}; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
BROWSER = {"Accept": "text/html"}


def send(app: FastAPI, method: str, path: str, pieces: Sequence[bytes]) -> httpx.Response:
    """A body that arrives in these pieces, its length unsaid."""

    async def body() -> AsyncIterator[bytes]:
        for piece in pieces:
            yield piece

    async def request() -> httpx.Response:
        transport = httpx.ASGITransport(app=app, client=("127.0.0.1", 40000), raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url=BASE) as client:
            return await client.request(method, path, content=body(), headers={"Content-Type": "application/json"})

    return asyncio.run(request())


SEARCH = b'{"query": "wing", "index": "fts"'


def searching(size: int) -> bytes:
    """A request of exactly so many bytes that can be answered."""
    return SEARCH + b" " * (size - len(SEARCH) - 1) + b"}"


@pytest.mark.parametrize("pieces", [1, 2, 3, 11, 100])
@pytest.mark.parametrize(("size", "status"), [(LIMIT - 1, 200), (LIMIT, 200), (LIMIT + 1, 413), (2 * LIMIT, 413)])
def test_a_body_is_bounded_by_all_its_pieces_together(app: FastAPI, size: int, status: int, pieces: int) -> None:
    body = searching(size)
    width = -(-size // pieces)
    answer = send(app, "POST", "/v1/search", [body[start : start + width] for start in range(0, size, width)])
    assert answer.status_code == status, answer.text
    if status == 413:
        assert answer.headers["content-type"] == "application/problem+json"


def test_what_is_larger_than_other_bodies_may_be_is_taken_as_the_content_of_an_upload_alone(
    app: FastAPI, client: Client
) -> None:
    base = client.post("/v1/knowledge-bases", json={"name": "large"}).json()["id"]
    pieces = [b"x" * 500_000] * 3
    sha256 = hashlib.sha256(b"".join(pieces)).hexdigest()
    announced = {"filename": "a.pdf", "size": LIMIT + 500_000, "sha256": sha256, "knowledge_base_id": base}
    ticket = client.post("/v1/uploads", json=announced).json()
    assert send(app, "POST", "/v1/uploads", pieces).status_code == 413
    for wrong in ([*pieces, b"x"], pieces[:2], [*pieces[:2], b"x"], []):
        assert send(app, "PUT", ticket["url"], wrong).status_code == 422
    assert send(app, "PUT", ticket["url"], pieces).status_code == 204


def headers_of(answer: httpx.Response, *names: str) -> dict[str, str | None]:
    return {name: answer.headers.get(name) for name in names}


@pytest.mark.parametrize(
    ("path", "status"), [("/v1/health", 200), ("/v1/nothing-here", 404), ("/v1/documents/no-id", 422)]
)
def test_every_answer_of_the_api_has_exactly_these_headers(client: Client, path: str, status: int) -> None:
    answer = client.get(path)
    assert answer.status_code == status
    assert headers_of(answer, *EVERYWHERE) == EVERYWHERE
    assert headers_of(answer, "content-security-policy", "cache-control", "strict-transport-security") == {
        "content-security-policy": OF_THE_API,
        "cache-control": "no-store",
        "strict-transport-security": None,
    }


def test_over_https_nothing_else_is_to_be_used(client: Client) -> None:
    answer = client.get("https://127.0.0.1:8000/v1/health")
    assert answer.headers["strict-transport-security"] == "max-age=63072000; includeSubDomains"


@pytest.mark.parametrize("storage", ["", "https://bucket.example"])
@pytest.mark.parametrize("path", ["/", "/kb/acme", "/playground", "/nothing-here"])
def test_every_page_loads_our_own_files_alone_and_is_framed_by_nobody(
    app: FastAPI, client: Client, path: str, storage: str
) -> None:
    client.post("/v1/knowledge-bases", json={"name": "Acme"})
    app.state.storage = storage
    page = client.get(path, headers=BROWSER)
    assert page.status_code == (404 if path == "/nothing-here" else 200)
    app.state.storage = ""
    assert headers_of(page, *EVERYWHERE) == EVERYWHERE
    # An error's page is made without a request at hand and loads nothing from storage.
    allowed = f" {storage}" if storage and path != "/nothing-here" else ""
    assert page.headers["content-security-policy"] == OF_PAGES.format(allowed)
    assert not re.search(r"<script(?![^>]*\ssrc=)|\son\w+=|javascript:|<style|\sstyle=", page.text)


def test_static_files_are_cached_for_ever_and_taken_for_what_they_say_they_are(client: Client) -> None:
    page = client.get("/", headers=BROWSER).text
    for ending, kind in (
        (".js", "text/javascript; charset=utf-8"),
        (".css", "text/css; charset=utf-8"),
        (".woff2", "font/woff2"),
    ):
        address = re.search(rf'(?:src|href)="(/static/[^"]+\{ending})"', page)
        assert address is not None
        file = client.get(address[1])
        assert file.status_code == 200
        assert headers_of(file, "cache-control", "content-type", "x-content-type-options") == {
            "content-type": kind,
            "cache-control": "public, max-age=31536000, immutable",
            "x-content-type-options": "nosniff",
        }


MARKUP = '"><img src=x onerror=alert(1)>'


def test_what_a_name_and_an_address_say_is_text_in_the_page(client: Client) -> None:
    unknown = client.get(f"/kb/{quote(MARKUP)}", headers=BROWSER)
    assert unknown.status_code == 404
    assert "<img" not in unknown.text
    name = client.get("/v1/me").json()["organization"]["name"]
    assert client("PATCH", "/v1/organization", json={"name": MARKUP}).status_code == 200
    page = client.get("/", headers=BROWSER)
    client("PATCH", "/v1/organization", json={"name": name})
    assert "<img" not in page.text
    assert "&lt;img src=x onerror=alert(1)&gt;" in page.text


def routes_taking(app: FastAPI, method: str) -> list[str]:
    paths: dict[str, Any] = app.openapi()["paths"]
    return [path for path, operations in paths.items() if method.lower() in operations]


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_a_page_of_another_origin_changes_nothing_by_any_method(app: FastAPI, client: Client, method: str) -> None:
    for template in routes_taking(app, method):
        path = re.sub(r"{\w+}", "01900000-0000-7000-8000-000000000000", template)
        for headers in ({"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "same-site"}):
            assert client(method, path, json={}, headers=headers).status_code == 403, path


@pytest.mark.parametrize(
    "name", ["Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-IP", "Via"]
)
def test_nobody_is_the_local_developer_through_a_proxy(client: Client, name: str) -> None:
    assert client.get("/v1/me", headers={name: "127.0.0.1"}).status_code == 403
