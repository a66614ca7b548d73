"""`/auth/login`, `/auth/callback`, `/auth/logout`: signing in by authorization code with PKCE, and out again.

State and nonce are bound to the browser by a cookie per attempt, so several tabs may sign in at once. Nothing here
shows a page: people go to the hosted login, to where they wanted to go, or to `/auth/signed-out`, which the application
serves.
"""

import json
import logging
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable
from functools import cache
from http.client import HTTPException
from typing import Any
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from functions.auth.cookies import LOGIN, SESSION, drop_cookie, read_cookies, set_cookie
from functions.auth.provider import SignInRefused, authorize_url, exchange_code, logout_url, new_verifier, revoke
from functions.auth.sessions import Session, Sessions
from functions.auth.settings import SignIn, read_settings
from shared.adapters.aws.clients import make_client
from shared.contract import LOOPBACK_PORTS, READ_SCOPE, SESSION_S, WRITE_SCOPE, loopback_callback
from shared.errors import Unavailable

logger = logging.getLogger("autri.login")

Answer = dict[str, Any]
LOGIN_S = 600
TELL_S = 6
STATE_SHOWN = 12
HEADERS = {"cache-control": "no-store", "referrer-policy": "no-referrer", "x-content-type-options": "nosniff"}


def handler(event: dict[str, Any], _context: object) -> Answer:
    """An HTTP API event (payload 2.0) to its answer."""
    method, path = event["requestContext"]["http"]["method"], str(event.get("rawPath", ""))
    route = ROUTES.get((method, path))
    if route is None:
        return _json(404, {"detail": "There is nothing at this address."})
    return route(read_settings(), event)


def start_login(settings: SignIn, event: dict[str, Any]) -> Answer:
    """To the hosted login, with what belongs to this attempt in a cookie of its own."""
    state, nonce, verifier = secrets.token_urlsafe(24), secrets.token_urlsafe(24), new_verifier()
    wanted = safe_path((event.get("queryStringParameters") or {}).get("next", "/"))
    attempt = json.dumps([state, nonce, verifier, wanted]).encode()
    cookie = set_cookie(LOGIN + state[:STATE_SHOWN], urlsafe_b64encode(attempt).decode().rstrip("="), LOGIN_S)
    return _redirect(authorize_url(settings, state, nonce, verifier), [cookie])


def finish_login(settings: SignIn, event: dict[str, Any]) -> Answer:
    """From the hosted login: the code becomes a session, whose id is new whatever the browser had."""
    query: dict[str, str] = event.get("queryStringParameters") or {}
    cookies, state = read_cookies(event), query.get("state", "")
    name = LOGIN + state[:STATE_SHOWN]
    attempt = _read_attempt(cookies.get(name, ""))
    if attempt is None or not secrets.compare_digest(attempt[0].encode(), state.encode()):
        return _refused("expired", [])
    _, nonce, verifier, wanted = attempt
    if "code" not in query:
        return _refused("refused", [drop_cookie(name)])
    try:
        signed_in = exchange_code(settings, query["code"], verifier, nonce)
    except SignInRefused:
        return _refused("expired", [drop_cookie(name)])
    except Unavailable:
        return _refused("unavailable", [drop_cookie(name)])
    _end_former(settings, cookies.get(SESSION))
    session_id, _ = _sessions().start(signed_in.person, signed_in.refresh_token or "")
    return _redirect(wanted, [drop_cookie(name), set_cookie(SESSION, session_id, SESSION_S)])


def configure(settings: SignIn, _event: dict[str, Any]) -> Answer:
    """What a program needs to sign a person in: where, as which client, and where it is sent back to."""
    return _json(
        200,
        {
            "issuer": settings.issuer,
            "login_url": settings.login_url,
            "client_id": settings.cli_client_id,
            "callbacks": [loopback_callback(port) for port in LOOPBACK_PORTS],
            "scopes": {"read": READ_SCOPE, "write": WRITE_SCOPE},
        },
    )


def log_out(settings: SignIn, event: dict[str, Any]) -> Answer:
    """Ends this session, or with `?everywhere=true` all of the person; tells where to go, and forgets cached pages."""
    headers: dict[str, str] = event.get("headers") or {}
    if headers.get("origin") != settings.origin:
        return _json(403, {"detail": "A page of another origin may not sign anybody out."})
    session_id = read_cookies(event).get(SESSION)
    session = _sessions().find(session_id) if session_id else None
    if session is not None:
        if not secrets.compare_digest(headers.get("x-csrf-token", "").encode(), session.csrf.encode()):
            return _json(403, {"detail": "Open the page again, then sign out."})
        everywhere = (event.get("queryStringParameters") or {}).get("everywhere") == "true"
        _tell(settings, str(session_id), session, everywhere)
        if everywhere:
            _end_everywhere(settings, session)
        _end(settings, session)
    answer = _json(200, {"location": logout_url(settings)}, [drop_cookie(SESSION)])
    answer["headers"]["clear-site-data"] = '"cache"'
    return answer


def safe_path(wanted: str) -> str:
    """A path of this site, else the first page: never another site's address."""
    try:
        parts = urlsplit(wanted)
    except ValueError:
        return "/"
    own = not parts.scheme and not parts.netloc and wanted.startswith("/") and not wanted.startswith(("//", "/\\"))
    plain = wanted.isascii() and wanted.isprintable() and "\\" not in wanted and not parts.path.startswith("/auth/")
    return wanted if own and plain else "/"


def _read_attempt(value: str) -> tuple[str, str, str, str] | None:
    """State, nonce, verifier and path, as `start_login` wrote them."""
    try:
        state, nonce, verifier, wanted = json.loads(urlsafe_b64decode(value + "=" * (-len(value) % 4)))
    except (ValueError, TypeError):
        return None
    return str(state), str(nonce), str(verifier), safe_path(str(wanted))


def _end_former(settings: SignIn, session_id: str | None) -> None:
    """Of the browser that signs in anew."""
    former = _sessions().find(session_id) if session_id else None
    if former is not None:
        _end(settings, former)


def _end(settings: SignIn, session: Session) -> None:
    """The session first: it has ended even if the provider does not answer."""
    _sessions().end(session)
    try:
        revoke(settings, session.refresh_token)
    except (SignInRefused, Unavailable):
        return


def _tell(settings: SignIn, session_id: str, session: Session, everywhere: bool) -> None:
    """Tells the application, which keeps the audit log, in the person's name and while the session still is one.

    The sign-out does not wait for a database that sleeps: it is then not in the log.
    """
    headers = {
        "Cookie": f"{SESSION}={session_id}",
        "Origin": settings.origin,
        "X-CSRF-Token": session.csrf,
        "Content-Type": "application/json",
    }
    body = json.dumps({"everywhere": everywhere}).encode()
    request = Request(f"{settings.api_url}/v1/sign-out", body, headers)  # noqa: S310 the deployment's own address
    try:
        with urlopen(request, timeout=TELL_S):  # noqa: S310 the same
            pass
    except (OSError, HTTPException) as error:
        logger.warning("a sign-out is not in the audit log: %s", error)


def _end_everywhere(settings: SignIn, session: Session) -> None:
    _sessions().end_everywhere(session.person)
    provider = make_client("cognito-idp", attempts=2)
    provider.admin_user_global_sign_out(UserPoolId=settings.pool_id, Username=session.person.subject)


def _refused(reason: str, cookies: list[str]) -> Answer:
    return _redirect(f"/auth/signed-out?reason={reason}", cookies)


def _redirect(location: str, cookies: list[str]) -> Answer:
    return {"statusCode": 302, "headers": {**HEADERS, "location": location}, "cookies": cookies, "body": ""}


def _json(status: int, body: dict[str, Any], cookies: list[str] | None = None) -> Answer:
    headers = {**HEADERS, "content-type": "application/json"}
    return {"statusCode": status, "headers": headers, "cookies": cookies or [], "body": json.dumps(body)}


ROUTES: dict[tuple[str, str], Callable[[SignIn, dict[str, Any]], Answer]] = {
    ("GET", "/auth/login"): start_login,
    ("GET", "/auth/callback"): finish_login,
    ("GET", "/auth/configuration"): configure,
    ("POST", "/auth/logout"): log_out,
}


@cache
def _sessions() -> Sessions:
    return Sessions(read_settings().table)
