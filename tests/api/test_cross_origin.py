"""Pages of other origins: none by default, those of the setting by a token alone, never as who is signed in here."""

import httpx
import pytest
from fastapi import FastAPI

from functions.api.app import create_app
from functions.api.cross_origin import read_origins
from functions.api.identity import CloudIdentity, development_identity
from shared.errors import BadInput
from shared.runtime import Runtime
from tests.api import one_loop
from tests.api.conftest import BASE, Client
from tests.api.signing import EventTransport

PAGE, OTHER = "https://app.example", "https://evil.example"
PREFLIGHT = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization,content-type"}


@pytest.fixture(scope="module")
def opened(runtime: Runtime) -> FastAPI:
    return create_app(
        runtime, development_identity(runtime), local=True, cors_origins=f"{PAGE}, https://b.example:8443"
    )


@pytest.fixture(scope="module")
def token(client: Client) -> dict[str, str]:
    made = client.post("/v1/keys", json={"name": "page", "scope": "write"}).json()
    return {"Authorization": f"Bearer {made['secret']}"}


def allowed(answer: object) -> dict[str, str]:
    headers: dict[str, str] = getattr(answer, "headers", {})
    return {name: value for name, value in headers.items() if name.startswith("access-control-")}


def test_without_the_setting_no_answer_speaks_of_origins(client: Client, token: dict[str, str]) -> None:
    asked = client("OPTIONS", "/v1/search", headers={"Origin": PAGE} | PREFLIGHT)
    read = client.get("/v1/me", headers={"Origin": PAGE} | token)
    assert (asked.status_code, allowed(asked), allowed(read)) == (405, {}, {})
    assert client.post("/v1/search", json={}, headers={"Origin": PAGE} | token).status_code == 403


def test_a_listed_page_reads_and_writes_with_a_token(opened: FastAPI, token: dict[str, str]) -> None:
    client, origin = Client(opened), {"Origin": PAGE, "Sec-Fetch-Site": "cross-site"}
    asked = client("OPTIONS", "/v1/knowledge-bases", headers=origin | PREFLIGHT)
    assert asked.status_code == 204
    assert asked.headers["access-control-allow-origin"] == PAGE
    assert {"Authorization", "Idempotency-Key"} <= set(asked.headers["access-control-allow-headers"].split(", "))
    made = client.post("/v1/knowledge-bases", json={"name": "From a page"}, headers=origin | token)
    assert (made.status_code, made.headers["access-control-allow-origin"]) == (201, PAGE)
    read = client.get("/v1/me", headers=origin | token)
    assert (read.status_code, read.headers["access-control-allow-origin"]) == (200, PAGE)
    assert "x-request-id" in read.headers["access-control-expose-headers"].lower()
    for answer in (asked, made, read):
        assert "origin" in answer.headers["vary"].lower()
        assert "access-control-allow-credentials" not in answer.headers
        assert answer.headers["x-content-type-options"] == "nosniff"
    missing = client.get("/v1/nothing-here", headers=origin | token)
    assert (missing.status_code, missing.headers["access-control-allow-origin"]) == (404, PAGE)


@pytest.mark.parametrize("headers", [{}, {"Authorization": "Basic eDp5"}, {"Cookie": "__Host-session=x"}])
def test_a_listed_page_without_a_token_is_not_the_developer_of_this_machine(
    opened: FastAPI, headers: dict[str, str]
) -> None:
    client = Client(opened)
    for answer in (
        client.get("/v1/me", headers={"Origin": PAGE} | headers),
        client.post("/v1/search", json={"query": "x"}, headers={"Origin": PAGE} | headers),
        client("OPTIONS", "/v1/me", headers={"Origin": PAGE} | headers),
    ):
        assert answer.status_code == 401
        assert "access-control-allow-credentials" not in answer.headers


@pytest.mark.parametrize(
    "origin", [OTHER, "null", f"{PAGE}.evil.example", "http://app.example", f"{PAGE}:443", PAGE.upper()]
)
def test_other_origins_are_told_nothing(opened: FastAPI, token: dict[str, str], origin: str) -> None:
    client = Client(opened)
    asked = client("OPTIONS", "/v1/search", headers={"Origin": origin} | PREFLIGHT)
    assert (asked.status_code, allowed(asked)) == (405, {})
    assert allowed(client.get("/v1/me", headers={"Origin": origin} | token)) == {}
    assert client.post("/v1/search", json={}, headers={"Origin": origin} | token).status_code == 403


def test_pages_and_the_sign_in_are_opened_to_nobody(opened: FastAPI, token: dict[str, str]) -> None:
    for path in ("/", "/docs", "/settings/keys"):
        assert allowed(Client(opened).get(path, headers={"Origin": PAGE} | token)) == {}


def test_a_session_does_not_count_as_a_token_even_beside_one(runtime: Runtime) -> None:
    app = create_app(runtime, CloudIdentity(runtime, BASE), local=False, cors_origins=PAGE)

    async def send() -> httpx.Response:
        claims = {"via": "session", "iss": "https://login.example", "sub": "ada", "csrf": "x"}
        async with httpx.AsyncClient(transport=EventTransport(app, claims), base_url=BASE) as client:
            return await client.get("/v1/me", headers={"Origin": PAGE, "Authorization": "Bearer x", "Cookie": "a=b"})

    answer = one_loop.run(send())
    assert (answer.status_code, "needs a token" in answer.json()["detail"]) == (401, True)


@pytest.mark.parametrize(
    "setting",
    ["*", "https://*.example", "app.example", f"{PAGE}/", f"{PAGE}/page", "https://a@b.example", "null", "https://"],
)
def test_what_is_no_origin_is_refused_when_the_server_starts(setting: str) -> None:
    with pytest.raises(BadInput, match="is no origin"):
        read_origins(f"{PAGE},{setting}")
    assert read_origins(f" {PAGE} ,, http://127.0.0.1:5173") == (PAGE, "http://127.0.0.1:5173")
    assert read_origins("") == ()
