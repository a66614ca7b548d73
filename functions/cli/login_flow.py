"""Signing in from a terminal: authorization code with PKCE, the browser coming back to this machine (RFC 8252)."""

import base64
import hashlib
import json
import secrets
import time
import webbrowser
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any, Final, cast
from urllib.parse import parse_qs, urlencode, urlsplit

from functions.cli.credentials import TIMEOUT_S, Credentials, ask_login, made_of
from functions.cli.options import LOGIN
from shared.errors import BadInput, Unavailable

# How long the person may take in the browser.
WAIT_S: Final = 300
# Browsers open connections that they may never use; one that says nothing must not keep the answer waiting.
SILENT_S: Final = 1
LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})
DONE: Final = b"<!doctype html><meta charset=utf-8><title>Autri</title><p>You are signed in. Close this window.</p>"
Say = Callable[[str], None]
Ask = Callable[[], str]


@dataclass(frozen=True)
class Attempt:
    """One sign-in: what the browser is sent to, and what has to come back."""

    configuration: dict[str, Any]
    callback: str
    scopes: str
    state: str
    nonce: str
    verifier: str

    @property
    def address(self) -> str:
        challenge = base64.urlsafe_b64encode(hashlib.sha256(self.verifier.encode()).digest()).rstrip(b"=").decode()
        query = {
            "response_type": "code",
            "client_id": self.configuration["client_id"],
            "redirect_uri": self.callback,
            "scope": self.scopes,
            "state": self.state,
            "nonce": self.nonce,
            "code_challenge": challenge,
            "code_challenge_method": "S256",
        }
        return f"{self.configuration['login_url']}/oauth2/authorize?{urlencode(query)}"


def read_configuration(url: str) -> dict[str, Any]:
    """What the server says of signing in. Raises BadInput for one where nobody does, Unavailable."""
    import httpx

    _require_safe(url)
    try:
        answer = httpx.get(f"{url.rstrip('/')}/auth/configuration", timeout=TIMEOUT_S, auth=LOGIN.get())
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise Unavailable(f"No answer from {url} ({error}). Check the address.") from error
    if not answer.is_success or not answer.headers.get("content-type", "").startswith("application/json"):
        raise BadInput(f"Nobody signs in at {url}: it is one machine's own server, or not Autri's.")
    configuration = answer.json()
    _require_safe(configuration["login_url"])
    return configuration


def sign_in_by_browser(configuration: dict[str, Any], *, reading: bool, say: Say) -> Credentials:
    """Opens the hosted login, and waits until it sends the browser back. Raises BadInput where it does not."""
    with _listening(configuration["callbacks"]) as server:
        attempt = _begin(configuration, server.callback, reading)
        say(f"Sign in here, if no browser opens:\n{attempt.address}")
        webbrowser.open(attempt.address)
        return _finish(attempt, server.wait(attempt.state), reading)


def sign_in_by_hand(configuration: dict[str, Any], *, reading: bool, say: Say, ask: Ask) -> Credentials:
    """The person opens the address in a browser of another machine, and pastes the address that it ends at."""
    attempt = _begin(configuration, configuration["callbacks"][0], reading)
    say(f"Open this in any browser and sign in:\n{attempt.address}")
    say("It ends at an address that does not open. Paste that address, or the code in it:")
    pasted = ask().strip()
    said = parse_qs(urlsplit(pasted).query) if "code=" in pasted else {"code": [pasted], "state": [attempt.state]}
    return _finish(attempt, {name: values[0] for name, values in said.items()}, reading)


def _begin(configuration: dict[str, Any], callback: str, reading: bool) -> Attempt:
    scopes = f"openid email profile {configuration['scopes']['read' if reading else 'write']}"
    return Attempt(
        configuration,
        callback,
        scopes,
        secrets.token_urlsafe(24),
        secrets.token_urlsafe(24),
        secrets.token_urlsafe(48),
    )


def _finish(attempt: Attempt, said: dict[str, str], reading: bool) -> Credentials:
    if not secrets.compare_digest(said.get("state", "").encode(), attempt.state.encode()):
        raise BadInput("That belongs to another sign-in. Begin again: autri login")
    if not said.get("code"):
        why = said.get("error_description") or said.get("error", "no code")
        raise BadInput(f"The sign-in was not finished: {why}. Begin again: autri login")
    login_url, client_id = attempt.configuration["login_url"], attempt.configuration["client_id"]
    form = {"grant_type": "authorization_code", "code": said["code"], "redirect_uri": attempt.callback}
    answer = ask_login(login_url, "token", form | {"client_id": client_id, "code_verifier": attempt.verifier})
    if answer is None or _nonce(answer["id_token"]) != attempt.nonce:
        raise BadInput("The code is spent, or of another sign-in. Begin again: autri login")
    return made_of(answer, login_url, client_id, reading=reading)


def _nonce(token: str) -> str:
    """Of a token that came from the token endpoint itself, which vouches for it (OpenID Connect Core 3.1.3.7)."""
    body = token.split(".")[1]
    return str(json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4))).get("nonce", ""))


def _require_safe(url: str) -> None:
    """Raises BadInput for an address that others could read along."""
    parts = urlsplit(url)
    if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in LOOPBACK):
        raise BadInput(f"{url} is not an https address: tokens would be readable on the way.")


class _Loopback(HTTPServer):
    """On this machine alone, for one answer."""

    said: dict[str, str] | None = None
    callback = ""
    expected = ""

    def wait(self, state: str) -> dict[str, str]:
        self.expected = state
        deadline = time.monotonic() + WAIT_S
        self.timeout = 1
        while self.said is None and time.monotonic() < deadline:
            self.handle_request()
        if self.said is None:
            raise BadInput("Nobody signed in within five minutes. Begin again: autri login")
        return self.said


class _Answer(BaseHTTPRequestHandler):
    timeout = SILENT_S

    def do_GET(self) -> None:
        server = cast(_Loopback, self.server)
        parts = urlsplit(self.path)
        said = {name: values[0] for name, values in parse_qs(parts.query).items()}
        # Any page may send a browser here; what does not know this attempt's state is not its answer.
        known = secrets.compare_digest(said.get("state", "").encode(), server.expected.encode())
        if parts.path != "/callback" or not known:
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Referrer-Policy", "no-referrer")
        self.end_headers()
        self.wfile.write(DONE)
        server.said = said

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 the parameter's name in http.server
        """Nothing: the path holds the code."""


def _listening(callbacks: list[str]) -> _Loopback:
    """On the first port of the list that is free. Raises BadInput where none is."""
    for callback in callbacks:
        with suppress(OSError):
            server = _Loopback(("127.0.0.1", urlsplit(callback).port or 0), _Answer)
            server.callback = callback
            return server
    ports = ", ".join(str(urlsplit(callback).port) for callback in callbacks)
    raise BadInput(f"The ports {ports} are all in use. Free one, or use --no-browser.")
