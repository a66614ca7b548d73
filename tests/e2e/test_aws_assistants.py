"""An assistant connects to a deployment and answers with a citation; answers leave it while they are made."""

import json
from collections.abc import Generator
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import anyio
import httpx
import httpx2
import pytest
from mcp.client.auth import OAuthClientProvider
from mcp.client.client import Client as McpClient
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientMetadata
from pydantic import AnyUrl

from shared.contract import MCP_PATH
from tests.api.test_mcp_oauth import CALLBACK, Kept
from tests.aws.browsing import Browser
from tests.aws.customer import OWNER, ok
from tests.aws.front import Front
from tests.aws.login import enter
from tests.aws.system import System
from tests.patience import PATIENCE_S

pytestmark = pytest.mark.aws
NOTE = "The wing of the Kestrel glider may be at most 1050 mm wide. Its tail weighs 12 kg."
SECRET = "The launch code of the osprey drone is 7431."


class ToFront(httpx2.AsyncHTTPTransport):
    """The distribution's name leads to this machine, and its certificate is taken."""

    def __init__(self, front: Front) -> None:
        super().__init__(verify=False)
        self._front = front
        self.asked: list[tuple[str, str, int]] = []

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        assert str(request.url).startswith(self._front.origin), "an assistant is led away from the deployment"
        path = request.url.path
        here = request.url.copy_with(host="127.0.0.1", port=self._front.port)
        sent = httpx2.Request(
            request.method, here, headers=request.headers, stream=request.stream, extensions=request.extensions
        )
        answer = await super().handle_async_request(sent)
        self.asked.append((request.method, path, answer.status_code))
        return answer


@pytest.fixture(scope="module")
def bases(owner: httpx.Client) -> tuple[str, str]:
    """One that the assistant may see, and one that it may not; each has a note."""
    made = [
        str(ok(owner.post("/v1/knowledge-bases", json={"name": name, "description": "For assistants"}))["id"])
        for name in ("Gliders", "Drones")
    ]
    for base, text in zip(made, (NOTE, SECRET), strict=True):
        ok(owner.post(f"/v1/knowledge-bases/{base}/notes", json={"text": text}))
    return made[0], made[1]


@pytest.fixture(scope="module")
def browser(front: Front) -> Generator[Browser]:
    with front.client() as client:
        yield Browser(client, {})


def consent(front: Front, browser: Browser, address: str, base: str) -> dict[str, str]:
    """The person is led to the hosted login first, comes back to the page, and says yes for one knowledge base."""
    page = address.removeprefix(front.origin)
    if not browser.cookies:
        to_login = browser.send("GET", page)
        assert to_login.status_code in (302, 303, 307)
        assert to_login.headers["location"].startswith("/auth/login?next=")
        hosted = browser.send("GET", to_login.headers["location"]).headers["location"]
        back = urlsplit(enter(hosted, OWNER))
        led = browser.send("GET", f"{back.path}?{back.query}").headers["location"]
        assert led.removeprefix(front.origin) == page
    shown = browser.send("GET", page)
    assert "Connect an assistant" in shown.text, shown.text
    asked = dict(parse_qsl(urlsplit(address).query))
    fields = {name: asked.get(name) for name in ("client_id", "redirect_uri", "code_challenge", "state")}
    own = {"Origin": front.origin, "X-CSRF-Token": browser.csrf}
    said = browser.send("POST", "/v1/connections", json=fields | {"knowledge_base_ids": [base]}, headers=own)
    assert said.status_code == 201, said.text
    return dict(parse_qsl(urlsplit(said.json()["redirect_to"]).query))


def test_an_assistant_connects_by_itself_and_cites_until_the_connection_ends(
    system: System, front: Front, owner: httpx.Client, browser: Browser, bases: tuple[str, str]
) -> None:
    kept, transport, answered = Kept(), ToFront(front), dict[str, str]()

    async def open_browser(address: str) -> None:
        answered.update(await anyio.to_thread.run_sync(consent, front, browser, address, bases[0]))

    async def called_back() -> AuthorizationCodeResult:
        return AuthorizationCodeResult(code=answered["code"], state=answered["state"], iss=answered["iss"])

    steps = list[str | None]()

    async def told(progress: float, total: float | None, message: str | None) -> None:
        steps.append(message)

    metadata = OAuthClientMetadata(client_name="Tester", redirect_uris=[AnyUrl(CALLBACK)])
    url = f"{front.origin}{MCP_PATH}"

    async def use() -> dict[str, Any]:
        provider = OAuthClientProvider(url, metadata, kept, open_browser, called_back)
        async with (
            httpx2.AsyncClient(auth=provider, timeout=PATIENCE_S, transport=transport) as http,
            McpClient(streamable_http_client(url, http_client=http)) as client,
        ):
            found: dict[str, Any] = {"tools": {tool.name for tool in (await client.list_tools()).tools}}
            for name, given in (
                ("list_knowledge_bases", {}),
                ("search", {"query": "how wide is the wing"}),
                ("search", {"query": "launch code of the osprey drone"}),
                ("ask", {"question": "How wide may the wing of the Kestrel glider be?"}),
            ):
                called = await client.call_tool(name, given, progress_callback=told)
                found[f"{name} {'secret' if 'osprey' in str(given) else ''}".strip()] = called
            return found

    found = anyio.run(use)
    # The way in: refused with a pointer, metadata of both kinds, registration, the exchange.
    paths = [(method, path, status) for method, path, status in transport.asked]
    assert paths[0] == ("POST", MCP_PATH, 401)
    assert ("GET", f"/.well-known/oauth-protected-resource{MCP_PATH}", 200) in paths
    assert ("GET", "/.well-known/oauth-authorization-server", 200) in paths
    assert ("POST", "/oauth/register", 201) in paths
    assert ("POST", "/oauth/token", 200) in paths
    # What was allowed, and nothing beside it.
    assert {"search", "look_up", "ask", "get_chunk"} <= found["tools"]
    assert [one["name"] for one in found["list_knowledge_bases"].structured_content["items"]] == ["Gliders"]
    assert "1050 mm" in json.dumps(found["search"].structured_content)
    assert "7431" not in json.dumps(found["search secret"].structured_content)
    answer = found["ask"].structured_content
    assert "1050 mm" in json.dumps(answer)
    assert answer["citations"]
    assert [one for one in steps if one != "still at work"][:1] + steps[-1:] == [
        "searching 1 knowledge base",
        "answered",
    ]
    assert "Gliders" in json.dumps(answer) or bases[0] in json.dumps(answer)

    # Refresh, as the client does when its token has expired; revocation by the person; then the door is shut.
    first, client = kept.tokens, kept.client
    assert first is not None
    assert client is not None
    with front.client("application/json") as plain:
        asked = {"grant_type": "refresh_token", "client_id": client.client_id, "refresh_token": first.refresh_token}
        second = plain.post("/oauth/token", data=asked)
        assert second.status_code == 200, second.text
        assert knocked(plain, first.access_token).status_code == 401
        assert knocked(plain, second.json()["access_token"]).status_code == 200
        (connection,) = ok(owner.get("/v1/connections"))["items"]
        assert (connection["client_name"], connection["knowledge_base_ids"]) == ("Tester", [bases[0]])
        assert plain.post("/oauth/revoke", data={"token": second.json()["refresh_token"]}).status_code == 200
        refused = knocked(plain, second.json()["access_token"])
        assert refused.status_code == 401
        assert (
            f'resource_metadata="{front.origin}/.well-known/oauth-protected-resource{MCP_PATH}"'
            in (refused.headers["WWW-Authenticate"])
        )
    kept_hashes = system.rows("select count(*) from api_keys where prefix = %s", first.access_token[:12])
    assert kept_hashes == [(0,)]


def test_an_assistant_of_a_document_asks_for_a_further_token_by_itself_and_is_disconnected_by_the_person(
    system: System, front: Front, owner: httpx.Client, browser: Browser, bases: tuple[str, str]
) -> None:
    """As current assistants come: by the address of a document about them, which the deployment fetches."""
    document = f"{system.secure_site.url}/tester.json"
    about = {"client_id": document, "client_name": "Documented", "redirect_uris": [CALLBACK]}
    about |= {"grant_types": ["authorization_code", "refresh_token"], "token_endpoint_auth_method": "none"}
    system.secure_site.put("/tester.json", json.dumps(about), "application/json")
    kept, transport, answered = Kept(), ToFront(front), dict[str, str]()

    async def open_browser(address: str) -> None:
        answered.update(await anyio.to_thread.run_sync(consent, front, browser, address, bases[0]))

    async def called_back() -> AuthorizationCodeResult:
        return AuthorizationCodeResult(code=answered["code"], state=answered["state"], iss=answered["iss"])

    metadata = OAuthClientMetadata(client_name="Documented", redirect_uris=[AnyUrl(CALLBACK)])
    url = f"{front.origin}{MCP_PATH}"

    async def use() -> list[Any]:
        provider = OAuthClientProvider(url, metadata, kept, open_browser, called_back, document)
        async with (
            httpx2.AsyncClient(auth=provider, timeout=PATIENCE_S, transport=transport) as http,
            McpClient(streamable_http_client(url, http_client=http)) as client,
        ):
            first = await client.call_tool("search", {"query": "how wide is the wing"})
            # An hour later, as its own clock has it.
            provider.context.token_expiry_time = 1.0
            return [first, await client.call_tool("search", {"query": "how wide is the wing"})]

    for found in anyio.run(use):
        assert "1050 mm" in json.dumps(found.structured_content)
    asked = [path for _, path, _ in transport.asked]
    assert "/oauth/register" not in asked
    assert asked.count("/oauth/token") == 2
    assert [path for path, _ in system.secure_site.asked] == ["/tester.json"] * len(system.secure_site.asked) != []
    (connection,) = [one for one in ok(owner.get("/v1/connections"))["items"] if one["client_id"] == document]
    assert (connection["client_name"], connection["knowledge_base_ids"]) == ("Documented", [bases[0]])
    assert kept.tokens is not None
    with front.client("application/json") as plain:
        assert knocked(plain, kept.tokens.access_token).status_code == 200
        ok(owner.post(f"/v1/connections/{connection['id']}/end"))
        assert knocked(plain, kept.tokens.access_token).status_code == 401
        spent = {"grant_type": "refresh_token", "client_id": document, "refresh_token": kept.tokens.refresh_token}
        assert plain.post("/oauth/token", data=spent).json()["error"] == "invalid_grant"


def use_tool(client: httpx.Client, headers: dict[str, str], name: str, **given: Any) -> Any:
    """What a tool answers whoever `/v1` knows."""
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": given}}
    own = {"MCP-Protocol-Version": "2025-06-18", "Accept": "application/json, text/event-stream"}
    answer = ok(client.post("/v1/mcp", json=body, headers=own | headers, timeout=PATIENCE_S))
    assert not answer["result"].get("isError"), answer
    return answer["result"]["structuredContent"]


def test_an_assistant_that_may_write_notes_a_thing_once(
    system: System, front: Front, owner: httpx.Client, bases: tuple[str, str]
) -> None:
    headers = {"Authorization": owner.headers["Authorization"]}
    denied = len(system.guard.denied)
    with front.client() as client:
        noted = [
            use_tool(client, headers, "add_note", knowledge_base=bases[0], text="The tail is red.") for _ in range(2)
        ]
        found = use_tool(client, headers, "search", query="which colour has the tail", knowledge_bases=[bases[0]])
    assert noted[0]["document_id"] == noted[1]["document_id"]
    assert noted[0]["document_id"] in {one["document_id"] for one in found["passages"]}
    assert system.guard.denied[denied:] == []


def knocked(plain: httpx.Client, token: str) -> httpx.Response:
    """One request of an assistant."""
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    headers = {
        "Authorization": f"Bearer {token}",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": "2025-06-18",
    }
    return plain.post(MCP_PATH, json=body, headers=headers)


@pytest.mark.parametrize("way", ["session", "token"])
def test_an_answers_events_come_one_by_one(
    front: Front, owner: httpx.Client, browser: Browser, bases: tuple[str, str], way: str
) -> None:
    own = {"Authorization": owner.headers["Authorization"]}
    if way == "session":
        if not browser.cookies:
            browser.sign_in(OWNER)
        cookies = "; ".join(f"{name}={value}" for name, value in browser.cookies.items())
        own = {"Cookie": cookies, "Origin": front.origin, "X-CSRF-Token": browser.csrf}
    question = {"question": "How wide may the wing of the Kestrel glider be?", "knowledge_base_ids": [bases[0]]}
    with (
        front.client("text/event-stream") as client,
        client.stream("POST", "/v1/ask", json=question, headers=own, timeout=PATIENCE_S) as answer,
    ):
        assert answer.status_code == 200, answer.read()
        assert answer.headers["content-type"].startswith("text/event-stream")
        assert answer.headers["cache-control"] == "no-store"
        parts = [part for part in answer.iter_raw() if part.strip()]
    names = [line[7:] for part in parts for line in part.decode().splitlines() if line.startswith("event: ")]
    assert names[0] == "plan"
    assert names[-1] == "final"
    assert len(parts) >= len(names)
    assert b"1050 mm" in parts[-1]


def test_who_is_nobody_is_told_so_where_answers_stream(front: Front) -> None:
    with front.client("application/json") as client:
        for headers in ({}, {"Authorization": "Bearer autri_nothing"}, {"Cookie": "__Host-autri-session=nothing"}):
            refused = client.post("/v1/ask", json={"question": "Who?"}, headers=headers)
            assert refused.status_code == 401, refused.text
            assert refused.headers["X-Content-Type-Options"] == "nosniff"
