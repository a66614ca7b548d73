"""Assistants connected by OAuth: the SDK's own client through the whole flow, and what must be refused."""

import base64
import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import anyio
import httpx
import httpx2
import psycopg
import pytest
from mcp.client.auth import OAuthClientProvider
from mcp.client.client import Client as McpClient
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientInformationFull, OAuthClientMetadata, OAuthToken
from pydantic import AnyUrl

from functions.api.app import create_app
from functions.api.identity import development_identity
from shared.domain.fetched import Fetched
from shared.domain.scope import Identity
from shared.people.oauth_clients import find_client, permits, register_client
from shared.runtime import Runtime
from tests.api.conftest import Client
from tests.conftest import as_superuser
from tests.live import serving
from tests.patience import PATIENCE_S
from tests.pipeline import make_knowledge_base

CALLBACK = "http://127.0.0.1:33418/callback"
DOCUMENT = "https://assistant.example/client.json"
VERIFIER = "v" * 43
CHALLENGE = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).decode().rstrip("=")


def fetch_document(url: str, target: Path, **_: Any) -> Fetched:
    """A web on which one assistant describes itself, with an address of its own machine that has no port."""
    said = {"client_id": DOCUMENT, "client_name": "Example", "redirect_uris": ["http://127.0.0.1/callback"]}
    body = json.dumps(said).encode()
    target.write_bytes(body)
    found = 200 if url == DOCUMENT else 404
    return Fetched(url, found, "application/json", None, len(body), "", None, None, None)


@pytest.fixture(scope="module")
def url(runtime: Runtime, bases: tuple[str, str]) -> Iterator[str]:
    seeing = replace(runtime, fetch=fetch_document)
    with serving(create_app(seeing, development_identity(seeing), local=True)) as address:
        yield address


@pytest.fixture(scope="module")
def bases(runtime: Runtime, identity: Identity) -> tuple[str, str]:
    one, other = (make_knowledge_base(runtime, identity, name) for name in ("bronze", "copper"))
    return str(one), str(other)


@pytest.fixture(scope="module")
def browser(url: str) -> Iterator[httpx.Client]:
    """The person's, on the machine that serves."""
    with httpx.Client(base_url=url, timeout=PATIENCE_S) as made:
        yield made


class Kept:
    """What an assistant keeps of itself."""

    def __init__(self) -> None:
        self.tokens: OAuthToken | None = None
        self.client: OAuthClientInformationFull | None = None

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info


def consent(browser: httpx.Client, address: str, **chosen: Any) -> dict[str, str]:
    """What the person's browser is sent back with, having said yes on the page at `address`."""
    page = browser.get(address, headers={"Accept": "text/html"})
    assert page.status_code == 200, page.text
    assert "Connect" in page.text
    asked = dict(parse_qsl(urlsplit(address).query))
    fields = {name: asked.get(name) for name in ("client_id", "redirect_uri", "code_challenge", "state")}
    made = browser.post("/v1/connections", json=fields | chosen)
    assert made.status_code == 201, made.text
    return dict(parse_qsl(urlsplit(made.json()["redirect_to"]).query))


def connect(
    url: str,
    browser: httpx.Client,
    kept: Kept,
    use: Callable[[McpClient], Any],
    document: str | None = None,
    **chosen: Any,
) -> Any:
    """`use` of a client that signs in as clients do: from the 401 on, by itself."""
    answered: dict[str, str] = {}

    async def open_browser(address: str) -> None:
        answered.update(consent(browser, address, **chosen))

    async def called_back() -> AuthorizationCodeResult:
        return AuthorizationCodeResult(code=answered["code"], state=answered["state"], iss=answered["iss"])

    metadata = OAuthClientMetadata(client_name="Tester", redirect_uris=[AnyUrl(CALLBACK)])
    provider = OAuthClientProvider(f"{url}/mcp", metadata, kept, open_browser, called_back, document)

    async def run() -> Any:
        async with (
            httpx2.AsyncClient(auth=provider, timeout=PATIENCE_S) as http,
            McpClient(streamable_http_client(f"{url}/mcp", http_client=http)) as client,
        ):
            return await use(client)

    return anyio.run(run)


def listed(client: McpClient) -> Any:
    return client.call_tool("list_knowledge_bases", {})


def names_of(found: Any) -> set[str]:
    return {one["name"] for one in found.structured_content["items"]}


@pytest.mark.parametrize("document", [None, DOCUMENT], ids=["registers itself", "has a document"])
def test_the_sdks_client_connects_by_itself_and_sees_what_was_allowed(
    url: str, browser: httpx.Client, bases: tuple[str, str], document: str | None
) -> None:
    kept = Kept()
    found = connect(url, browser, kept, listed, document, knowledge_base_ids=[bases[0]])
    assert names_of(found) == {"bronze"}
    assert kept.tokens is not None
    assert kept.tokens.scope == "autri/read"
    last = browser.get("/v1/connections").json()["items"][-1]
    assert (last["client_name"], last["scope"]) == ("Example" if document else "Tester", "read")
    assert last["knowledge_base_ids"] == [bases[0]]
    keys = browser.get("/v1/keys").json()["items"]
    assert last["client_name"] not in {key["name"] for key in keys}


def test_an_expired_token_is_refreshed_and_a_spent_one_ends_the_connection(
    url: str, browser: httpx.Client, owner_dsn: str
) -> None:
    kept = Kept()
    assert names_of(connect(url, browser, kept, listed)) == {"bronze", "copper"}
    first, client = kept.tokens, kept.client
    assert first is not None
    assert client is not None
    with psycopg.connect(as_superuser(owner_dsn), autocommit=True) as connection:
        connection.execute("update api_keys set expires_at = now() where prefix = %s", [first.access_token[:12]])
    refused = browser.post("/mcp", json={}, headers={"Authorization": f"Bearer {first.access_token}"})
    assert refused.status_code == 401
    assert 'error="invalid_token"' in refused.headers["WWW-Authenticate"]
    asked = {"grant_type": "refresh_token", "refresh_token": first.refresh_token, "client_id": client.client_id}
    second = browser.post("/oauth/token", data=asked)
    assert second.status_code == 200, second.text
    assert works(browser, second.json()["access_token"])
    again = browser.post("/oauth/token", data=asked)
    assert (again.status_code, again.json()["error"]) == (400, "invalid_grant")
    assert not works(browser, second.json()["access_token"])
    follow = browser.post("/oauth/token", data=asked | {"refresh_token": second.json()["refresh_token"]})
    assert follow.json()["error"] == "invalid_grant"
    entry = browser.get("/v1/audit").json()["items"][0]
    assert (entry["act"], entry["details"]) == ("connection.end", {"why": "a code or token was sent twice"})


def works(browser: httpx.Client, token: str) -> bool:
    return browser.get("/v1/me", headers={"Authorization": f"Bearer {token}"}).status_code == 200


def registered(browser: httpx.Client) -> str:
    made = browser.post("/oauth/register", json={"client_name": "Tester", "redirect_uris": [CALLBACK]})
    assert made.status_code == 201, made.text
    return made.json()["client_id"]


def asking(client_id: str, **more: str) -> str:
    fields = {"response_type": "code", "client_id": client_id, "redirect_uri": CALLBACK, "state": "s"}
    fields |= {"code_challenge": CHALLENGE, "code_challenge_method": "S256"}
    return f"/oauth/authorize?{urlencode(fields | more)}"


def allowed(browser: httpx.Client, **chosen: Any) -> dict[str, str]:
    """What the exchange of a fresh code wants."""
    client_id = registered(browser)
    answered = consent(browser, asking(client_id), **chosen)
    form = {"grant_type": "authorization_code", "code": answered["code"], "client_id": client_id}
    return form | {"redirect_uri": CALLBACK, "code_verifier": VERIFIER}


def test_a_code_is_exchanged_once_and_a_second_time_ends_what_it_gave(browser: httpx.Client) -> None:
    form = allowed(browser)
    first = browser.post("/oauth/token", data=form)
    assert first.status_code == 200
    assert first.headers["Cache-Control"] == "no-store"
    assert works(browser, first.json()["access_token"])
    assert browser.post("/oauth/token", data=form).json()["error"] == "invalid_grant"
    assert not works(browser, first.json()["access_token"])


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("code_verifier", "w" * 43),
        ("code_verifier", "short"),
        ("redirect_uri", "http://127.0.0.1:33418/other"),
        ("client_id", DOCUMENT),
        ("code", "unknown"),
    ],
)
def test_a_code_serves_only_who_asked_for_it(browser: httpx.Client, field: str, value: str) -> None:
    refused = browser.post("/oauth/token", data=allowed(browser) | {field: value})
    assert (refused.status_code, refused.json()["error"]) == (400, "invalid_grant")


def refreshed(browser: httpx.Client, tokens: dict[str, str], client_id: str | None = None) -> str | None:
    """The error of a refresh; None where there is none."""
    form = {"grant_type": "refresh_token", "refresh_token": tokens["refresh_token"]}
    return browser.post("/oauth/token", data=form | {"client_id": client_id or registered(browser)}).json().get("error")


def test_a_refresh_token_serves_its_own_client_and_for_a_time(browser: httpx.Client, owner_dsn: str) -> None:
    tokens = browser.post("/oauth/token", data=allowed(browser)).json()
    assert refreshed(browser, tokens, DOCUMENT) == "invalid_grant"
    assert refreshed(browser, tokens) is None
    tokens = browser.post("/oauth/token", data=allowed(browser)).json()
    with psycopg.connect(as_superuser(owner_dsn), autocommit=True) as connection:
        connection.execute("update connections set refresh_expires_at = now()")
    assert refreshed(browser, tokens) == "invalid_grant"
    tokens = browser.post("/oauth/token", data=allowed(browser)).json()
    with psycopg.connect(as_superuser(owner_dsn), autocommit=True) as connection:
        connection.execute("update users set invited_at = now() where email = 'dev@localhost'")
        try:
            assert refreshed(browser, tokens) == "invalid_grant"
        finally:
            connection.execute("update users set invited_at = null where email = 'dev@localhost'")


def test_a_late_code_is_refused(browser: httpx.Client, owner_dsn: str) -> None:
    form = allowed(browser)
    with psycopg.connect(as_superuser(owner_dsn), autocommit=True) as connection:
        connection.execute("update connections set code_expires_at = now()")
    assert browser.post("/oauth/token", data=form).json()["error"] == "invalid_grant"


@pytest.mark.parametrize(
    ("more", "error"),
    [
        ({"response_type": "token"}, "unsupported_response_type"),
        ({"code_challenge_method": "plain"}, "invalid_request"),
        ({"code_challenge": ""}, "invalid_request"),
        ({"resource": "https://other.example/mcp"}, "invalid_target"),
        ({"scope": "autri/read everything"}, "invalid_scope"),
    ],
)
def test_what_the_assistant_asks_wrongly_is_told_to_the_assistant(
    browser: httpx.Client, more: dict[str, str], error: str
) -> None:
    said = browser.get(asking(registered(browser), **more), headers={"Accept": "text/html"})
    assert said.status_code == 302
    answered = dict(parse_qsl(urlsplit(said.headers["Location"]).query))
    assert (answered["error"], answered["state"]) == (error, "s")
    assert said.headers["Location"].startswith(CALLBACK)


def test_nobody_is_led_elsewhere_by_an_address_that_anybody_registered(browser: httpx.Client) -> None:
    elsewhere = "https://evil.example/back"
    made = browser.post("/oauth/register", json={"redirect_uris": [elsewhere]}).json()["client_id"]
    said = browser.get(asking(made, redirect_uri=elsewhere, response_type="token"))
    assert (said.status_code, "Location" in said.headers) == (422, False)


@pytest.mark.parametrize("client_id", ["https://[abc/x", "https://", "registered.%%%", "x"])
def test_an_assistant_that_is_none_is_refused(browser: httpx.Client, client_id: str) -> None:
    assert browser.get(asking(client_id)).status_code == 422


@pytest.mark.parametrize("uri", ["https://evil.example/", "http://127.0.0.1:33418/other", "javascript:alert(1)", ""])
def test_nobody_is_sent_where_the_assistant_has_not_named(browser: httpx.Client, uri: str) -> None:
    client_id = registered(browser)
    assert browser.get(asking(client_id, redirect_uri=uri)).status_code == 422
    body = {"client_id": client_id, "redirect_uri": uri, "code_challenge": CHALLENGE}
    assert browser.post("/v1/connections", json=body).status_code == 422


def test_what_is_disconnected_is_refused_at_once(browser: httpx.Client) -> None:
    tokens = browser.post("/oauth/token", data=allowed(browser)).json()
    one = browser.get("/v1/connections").json()["items"][-1]
    assert browser.post(f"/v1/connections/{one['id']}/end").json()["revoked_at"] is not None
    assert not works(browser, tokens["access_token"])
    tokens = browser.post("/oauth/token", data=allowed(browser)).json()
    assert browser.post("/oauth/revoke", data={"token": tokens["refresh_token"]}).status_code == 200
    assert not works(browser, tokens["access_token"])
    tokens = browser.post("/oauth/token", data=allowed(browser)).json()
    assert browser.post("/oauth/revoke", data={"token": tokens["access_token"]}).status_code == 200
    assert not works(browser, tokens["access_token"])
    assert refreshed(browser, tokens) == "invalid_grant"
    assert browser.post("/oauth/revoke", data={"token": "whatever"}).status_code == 200


def test_consent_to_read_lets_nothing_be_written(browser: httpx.Client, bases: tuple[str, str]) -> None:
    tokens = browser.post("/oauth/token", data=allowed(browser)).json()
    head = {"Authorization": f"Bearer {tokens['access_token']}"}
    assert browser.post(f"/v1/knowledge-bases/{bases[0]}/notes", json={"text": "x"}, headers=head).status_code == 403
    assert browser.post("/v1/connections", json={}, headers=head).status_code == 422
    body = {"client_id": registered(browser), "redirect_uri": CALLBACK, "code_challenge": CHALLENGE}
    assert browser.post("/v1/connections", json=body, headers=head).status_code == 403
    tokens = browser.post("/oauth/token", data=allowed(browser, scope="write")).json()
    assert tokens["scope"] == "autri/read autri/write"


def test_a_viewer_allows_no_writing_and_nobody_sees_or_ends_anothers(
    runtime: Runtime, browser: httpx.Client, viewer: Identity, other_identity: Identity
) -> None:
    browser.post("/oauth/token", data=allowed(browser))
    one = browser.get("/v1/connections").json()["items"][-1]
    for stranger in (viewer, other_identity):
        asked = Client(create_app(runtime, lambda _, who=stranger: who, local=True))
        assert asked.get("/v1/connections").json()["items"] == []
        assert asked.post(f"/v1/connections/{one['id']}/end").status_code == 404
    asked = Client(create_app(runtime, lambda _: viewer, local=True))
    body = {"client_id": registered(browser), "redirect_uri": CALLBACK, "code_challenge": CHALLENGE}
    assert asked.post("/v1/connections", json=body | {"scope": "write"}).status_code == 403
    assert asked.post("/v1/connections", json=body).status_code == 201


def test_tokens_and_codes_are_stored_nowhere(browser: httpx.Client, owner_dsn: str) -> None:
    form = allowed(browser)
    tokens = browser.post("/oauth/token", data=form).json()
    with psycopg.connect(as_superuser(owner_dsn)) as connection:
        kept = "select string_agg(t::text, '') from (select c::text t from connections c union all select k::text from"
        kept += (
            " api_keys k union all select i::text from idempotency_keys i union all select a::text from audit_log a) x"
        )
        stored = str(connection.execute(kept).fetchall())
    family = tokens["refresh_token"].partition(".")[0]
    assert not any(
        secret in stored for secret in (form["code"], tokens["access_token"], tokens["refresh_token"], family)
    )


def test_metadata_names_endpoints_that_are_there(browser: httpx.Client, url: str) -> None:
    challenge = browser.post("/mcp", json={}).headers["WWW-Authenticate"]
    address = challenge.partition('resource_metadata="')[2].partition('"')[0]
    resource = browser.get(address).json()
    assert (resource["resource"], resource["authorization_servers"]) == (f"{url}/mcp", [url])
    server = browser.get("/.well-known/oauth-authorization-server").json()
    assert server["issuer"] == url
    for name in ("token_endpoint", "registration_endpoint", "revocation_endpoint"):
        assert browser.post(server[name]).status_code == 400
    assert server["code_challenge_methods_supported"] == ["S256"]


@pytest.mark.parametrize(
    "uris",
    [
        [],
        ["http://example.com/"],
        ["javascript:alert(1)"],
        ["https://a.example/#x"],
        ["https://user@a.example/"],
        ["data:text/html,x"],
        ["no address"],
        [7],
        "https://a.example/",
    ],
)
def test_addresses_that_a_browser_must_not_be_sent_to_are_not_registered(browser: httpx.Client, uris: Any) -> None:
    refused = browser.post("/oauth/register", json={"redirect_uris": uris})
    assert (refused.status_code, refused.json()["error"]) == (400, "invalid_redirect_uri")


def test_only_a_program_of_this_machine_may_come_back_on_another_port(runtime: Runtime) -> None:
    uris = ["http://localhost/callback", "https://a.example/back", "cursor://mcp/back"]
    client = register_client({"redirect_uris": uris})
    assert find_client(runtime, client.client_id) == client
    assert permits(client, "http://localhost:5000/callback")
    assert permits(client, "cursor://mcp/back")
    assert not permits(client, "https://a.example:444/back")
    assert not permits(client, "http://127.0.0.1:5000/callback")
    assert not permits(client, "http://localhost@evil.example/callback")
    assert not permits(client, "http://localhost:5000/callback?next=1")
