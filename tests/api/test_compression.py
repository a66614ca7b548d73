"""Which answers are compressed, and that none is of which another site could read a secret."""

import gzip

import httpx
import pytest

from functions.api.app import create_app
from functions.api.identity import development_identity
from shared.runtime import Runtime
from tests.api.conftest import BASE, Client

ASKED = {"Accept-Encoding": "gzip"}
COOKIE = {"Cookie": "__Host-autri-session=abc"}


@pytest.fixture(scope="module")
def client(runtime: Runtime) -> Client:
    return Client(create_app(runtime, development_identity(runtime), local=True))


@pytest.mark.parametrize("path", ["/", "/v1/openapi.json"])
def test_pages_and_json_are_compressed_and_say_what_they_say_otherwise(client: Client, path: str) -> None:
    plain = client.get(path, headers={"Accept-Encoding": "identity"})
    packed = client.get(path, headers=ASKED)
    assert "content-encoding" not in plain.headers
    assert packed.headers["content-encoding"] == "gzip"
    assert packed.content == plain.content
    assert 2 * int(packed.headers["content-length"]) < len(plain.content)
    assert int(packed.headers["content-length"]) == len(gzip.compress(plain.content, 5, mtime=0))
    assert [one.headers["vary"] for one in (plain, packed)] == ["Accept-Encoding"] * 2


@pytest.mark.parametrize(
    ("sent", "packed"),
    [
        ({}, True),
        (COOKIE | {"Sec-Fetch-Site": "same-origin"}, True),
        (COOKIE | {"Sec-Fetch-Site": "none"}, True),
        (COOKIE | {"Sec-Fetch-Site": "cross-site"}, False),
        (COOKIE | {"Sec-Fetch-Site": "same-site"}, False),
        (COOKIE, False),
    ],
    ids=["no-cookie", "own-page", "address-bar", "other-site", "other-host", "unknown"],
)
def test_what_another_site_makes_a_signed_in_browser_ask_for_is_not_compressed(
    client: Client, sent: dict[str, str], packed: bool
) -> None:
    answer = client.get("/", headers=ASKED | sent)
    assert ("content-encoding" in answer.headers) is packed


def test_short_answers_stay_as_they_are(client: Client) -> None:
    answer = client.get("/v1/health", headers=ASKED)
    assert "content-encoding" not in answer.headers
    assert answer.json()["status"] == "ok"


def test_security_headers_and_request_id_stay_with_what_is_compressed(client: Client) -> None:
    answer = client.get("/", headers=ASKED)
    assert answer.headers["content-encoding"] == "gzip"
    assert {"x-request-id", "content-security-policy", "x-frame-options"} <= set(answer.headers)


def test_a_client_that_knows_no_gzip_gets_none(client: Client) -> None:
    answer = client.get("/", headers={"Accept-Encoding": "br"})
    assert isinstance(answer, httpx.Response)
    assert "content-encoding" not in answer.headers
    assert str(answer.request.url).startswith(BASE)
