"""HEAD: what a GET answers, without its body."""

import asyncio
import json
from collections.abc import Callable
from typing import Any, cast

import httpx
import pytest
from fastapi import FastAPI
from mangum import Mangum
from mangum.types import LambdaContext
from starlette.types import Message, Receive, Scope, Send

from functions.api.head import ASKED_WITH, Head
from shared.domain.scope import Identity
from shared.runtime import Runtime
from tests.api.conftest import Client
from tests.api.files import three_pages
from tests.live import serving
from tests.patience import PATIENCE_S
from tests.pipeline import make_knowledge_base, run_all, upload

# Of each answer its own, or counted.
OWN = {"x-request-id", "ratelimit-remaining", "ratelimit", "ratelimit-reset", "date"}


@pytest.fixture(scope="module")
def document(runtime: Runtime, identity: Identity) -> tuple[str, bytes]:
    """The id of a document, and its file."""
    data = three_pages("bronze")
    base = make_knowledge_base(runtime, identity, "bronze")
    made = run_all(runtime, upload(runtime, identity, base, data, "bronze.pdf"))
    return made["document_id"], data


@pytest.fixture(scope="module")
def foreign(runtime: Runtime, other_identity: Identity) -> str:
    """The id of a document of another organization."""
    base = make_knowledge_base(runtime, other_identity, "theirs")
    return run_all(runtime, upload(runtime, other_identity, base, three_pages("theirs"), "theirs.pdf"))["document_id"]


def kept(answer: httpx.Response) -> dict[str, str]:
    return {name: value for name, value in answer.headers.items() if name not in OWN}


@pytest.mark.parametrize("path", [
    "/", "/kb", "/kb/bronze", "/docs", "/nothing-here", "/favicon.ico",
    "/v1/me", "/v1/health", "/v1/openapi.json", "/v1/knowledge-bases", "/v1/nothing-here",
    "/v1/documents/01900000-0000-7000-8000-000000000001", "/v1/documents?limit=x",
])  # fmt: skip
def test_pages_and_routes_answer_with_what_a_get_has_in_its_head(
    client: Client, document: tuple[str, bytes], path: str
) -> None:
    for headers in ({"Accept": "text/html"}, {"Accept-Encoding": "identity"}, {"Accept-Encoding": "gzip"}):
        named = headers | {"X-Request-Id": "same-for-both"}
        whole, head = client.get(path, headers=named), client("HEAD", path, headers=named)
        assert head.status_code == whole.status_code
        assert kept(head) == kept(whole)
        assert head.content == b""


def test_of_a_file_the_length_is_told_and_of_a_range_which(client: Client, document: tuple[str, bytes]) -> None:
    id_, data = document
    path = f"/v1/documents/{id_}/source"
    head = client("HEAD", path, headers={"Accept-Encoding": "identity"})
    assert (head.status_code, head.headers["content-length"]) == (200, str(len(data)))
    assert head.headers["accept-ranges"] == "bytes"
    part = client("HEAD", path, headers={"Accept-Encoding": "identity", "Range": "bytes=10-29"})
    assert (part.status_code, part.headers["content-length"]) == (206, "20")
    assert part.headers["content-range"] == f"bytes 10-29/{len(data)}"
    assert client("HEAD", path, headers={"Range": f"bytes={len(data)}-"}).status_code == 416


def test_over_a_connection_the_next_answer_follows_at_once(app: FastAPI, document: tuple[str, bytes]) -> None:
    with serving(app) as url, httpx.Client(base_url=url, timeout=PATIENCE_S) as one:
        for path in ("/", f"/v1/documents/{document[0]}/source", "/v1/health", "/v1/nothing-here"):
            head = one.head(path)
            assert int(head.headers["content-length"]) > 0
            assert "connection" not in head.headers
            assert one.get("/v1/health").json()["status"] == "ok"


def test_what_only_takes_a_body_takes_no_head(client: Client) -> None:
    assert client("HEAD", "/v1/search").status_code == client.get("/v1/search").status_code == 405


@pytest.mark.parametrize("path", ["/v1/health", "/docs", "/v1/nothing-here"])
def test_nothing_follows_the_head_in_lambda_either(app: FastAPI, path: str) -> None:
    # Mangum runs in the thread's loop.
    asyncio.set_event_loop(loop := asyncio.new_event_loop())
    serve = Mangum(app, lifespan="off")
    try:
        whole, head = (serve(event(method, path), cast(LambdaContext, None)) for method in ("GET", "HEAD"))
    finally:
        asyncio.set_event_loop(None)
        loop.close()
    assert whole["body"]
    assert (head["statusCode"], head["body"]) == (whole["statusCode"], "")
    assert head["headers"]["content-length"] == whole["headers"]["content-length"] != "0"


def event(method: str, path: str) -> dict[str, Any]:
    """As the HTTP API sends it (payload 2.0)."""
    http = {"method": method, "path": path, "protocol": "HTTP/1.1", "sourceIp": "127.0.0.1", "userAgent": "x"}
    return {
        "version": "2.0", "routeKey": "ANY /{proxy+}", "rawPath": path, "rawQueryString": "", "isBase64Encoded": False,
        "headers": {"host": "127.0.0.1:8000", "accept": "*/*"},
        "requestContext": {"http": http, "stage": "$default", "requestId": "edge-abcdefgh"},
    }  # fmt: skip


def test_nobody_learns_by_a_head_what_a_get_does_not_tell(
    client_of: Callable[[Identity], Client], identity: Identity, document: tuple[str, bytes], foreign: str
) -> None:
    viewer = client_of(identity.model_copy(update={"role": "viewer"}))
    assert viewer("HEAD", f"/v1/documents/{document[0]}").status_code == 200
    assert viewer("HEAD", "/v1/audit").status_code == viewer.get("/v1/audit").status_code == 403
    assert viewer("HEAD", f"/v1/documents/{foreign}").status_code == 404
    assert json.loads(viewer.get(f"/v1/documents/{foreign}").content)["status"] == 404


def test_the_application_is_asked_for_a_get_and_the_server_still_knows_what_it_was_asked() -> None:
    seen, sent = list[Scope](), list[Message]()

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        seen.append(scope)
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"whole"})

    async def send(message: Message) -> None:
        sent.append(message)

    async def receive() -> Message:
        raise AssertionError("a HEAD has no body")

    asked: Scope = {"type": "http", "method": "HEAD", "state": {"own": 1}}
    asyncio.run(Head(app)(asked, receive, send))
    assert asked == {"type": "http", "method": "HEAD", "state": {"own": 1}}
    assert seen == [{"type": "http", "method": "GET", "state": {"own": 1, ASKED_WITH: "HEAD"}}]
    assert [(one["type"], one.get("body"), one.get("more_body")) for one in sent] == [
        ("http.response.start", None, None), ("http.response.body", b"", False),
    ]  # fmt: skip
    asyncio.run(Head(app)({"type": "lifespan"}, receive, send))
    assert seen[1:] == [{"type": "lifespan"}]
