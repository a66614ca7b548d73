"""The loopback sign-in of the command line, against a hosted login that plays false."""

import base64
import json
import socket
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import httpx
import pytest

from functions.cli import credentials, login_flow
from functions.cli.credentials import Credentials
from shared.errors import BadInput
from tests.processes import free_port

CLIENT = "client-of-the-test"


def token(nonce: str) -> str:
    body = base64.urlsafe_b64encode(json.dumps({"nonce": nonce}).encode()).decode().rstrip("=")
    return f"head.{body}.signature"


@pytest.fixture
def configuration() -> dict[str, Any]:
    return {
        "login_url": "https://login.example",
        "client_id": CLIENT,
        "callbacks": [f"http://localhost:{free_port()}/callback"],
        "scopes": {"read": "autri/read", "write": "autri/write"},
    }


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What the token endpoint was asked; `nonce` is that of its answer."""
    seen: dict[str, Any] = {}

    def answer(_login_url: str, _endpoint: str, form: dict[str, str]) -> dict[str, Any]:
        seen.update(form)
        return {"id_token": token(seen["nonce"]), "access_token": "a", "refresh_token": "r", "expires_in": 60}

    monkeypatch.setattr(login_flow, "ask_login", answer)
    return seen


def browsing(
    monkeypatch: pytest.MonkeyPatch, asked: dict[str, Any], answer: Callable[[dict[str, str]], list[dict[str, str]]]
) -> list[int]:
    """A browser that comes back with these queries, one after the other; the statuses that it gets."""
    statuses: list[int] = []

    def open_(address: str) -> bool:
        query = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
        asked["nonce"] = query["nonce"]
        callback = query["redirect_uri"].replace("localhost", "127.0.0.1")

        def come_back() -> None:
            statuses.extend(httpx.get(f"{callback}?{urlencode(one)}", timeout=10).status_code for one in answer(query))

        threading.Thread(target=come_back, daemon=True).start()
        return True

    monkeypatch.setattr("webbrowser.open", open_)
    return statuses


def sign_in(configuration: dict[str, Any]) -> Credentials:
    return login_flow.sign_in_by_browser(configuration, reading=False, say=lambda _: None)


def test_the_code_of_this_attempt_becomes_tokens_and_no_other_does(
    configuration: dict[str, Any], asked: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    statuses = browsing(
        monkeypatch,
        asked,
        lambda query: [
            {"code": "the attacker's", "state": "guessed"},
            {"code": "the attacker's"},
            {"code": "mine", "state": query["state"]},
        ],
    )
    found = sign_in(configuration)
    assert statuses[:2] == [404, 404]
    assert (asked["code"], asked["client_id"]) == ("mine", CLIENT)
    assert (found.bearer, found.refresh_token) == (token(asked["nonce"]), "r")


def test_a_connection_that_says_nothing_does_not_keep_the_answer_waiting(
    configuration: dict[str, Any], asked: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    port = urlsplit(configuration["callbacks"][0]).port
    silent = socket.socket()
    given_up = threading.Timer(8, silent.close)

    def answer(query: dict[str, str]) -> list[dict[str, str]]:
        silent.connect(("127.0.0.1", port or 0))
        given_up.start()
        return [{"code": "mine", "state": query["state"]}]

    browsing(monkeypatch, asked, answer)
    assert sign_in(configuration).bearer == token(asked["nonce"])
    assert given_up.is_alive()
    given_up.cancel()
    silent.close()


def test_a_token_of_another_sign_in_is_not_taken(
    configuration: dict[str, Any], asked: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def answer(query: dict[str, str]) -> list[dict[str, str]]:
        asked["nonce"] = "another"
        return [{"code": "mine", "state": query["state"]}]

    browsing(monkeypatch, asked, answer)
    with pytest.raises(BadInput, match="another sign-in"):
        sign_in(configuration)


def test_who_breaks_off_is_told_why(
    configuration: dict[str, Any], asked: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    browsing(monkeypatch, asked, lambda query: [{"error": "access_denied", "state": query["state"]}])
    with pytest.raises(BadInput, match="access_denied"):
        sign_in(configuration)


def test_a_pasted_address_of_another_attempt_is_not_taken(configuration: dict[str, Any], asked: dict[str, Any]) -> None:
    def ask() -> str:
        return "http://localhost:1/callback?code=c&state=another\n"

    with pytest.raises(BadInput, match="another sign-in"):
        login_flow.sign_in_by_hand(configuration, reading=True, say=lambda _: None, ask=ask)
    assert asked == {}


@pytest.mark.parametrize("url", ["http://autri.example.com", "ftp://localhost", "autri.example.com"])
def test_tokens_go_over_no_wire_in_clear(url: str) -> None:
    with pytest.raises(BadInput, match="not an https address"):
        login_flow.read_configuration(url)


def test_what_is_kept_is_for_its_owner_alone_and_goes_to_its_server_alone(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    one = Credentials(login_url="https://l", client_id="c", bearer="b", refresh_token="r", expires=9e9, reading=False)
    credentials.store("https://one.example/", one)
    file = credentials.credentials_file()
    assert (file.stat().st_mode & 0o777, file.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    assert credentials.find_token("https://one.example") == "b"
    assert credentials.find_token("https://one.example.evil.example") is None
    assert [path.name for path in file.parent.iterdir()] == [file.name]
    credentials.forget("https://one.example")
    assert credentials.find_token("https://one.example") is None
