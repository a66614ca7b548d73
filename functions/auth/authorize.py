"""API Gateway's authorizer, of both APIs: whose request is it? It reads the session's cookie or the bearer token.

It lets every request through and says who sent it, in the context that only API Gateway can write: the application
refuses those of nobody, with a page or a problem document of its own. Outside the VPC, since the hosted login has no
endpoint in it.
"""

import time
from functools import cache
from typing import Any

from functions.auth.cookies import SESSION, read_cookies
from functions.auth.groups import ToldGroups, told_groups
from functions.auth.provider import SignInRefused, refresh
from functions.auth.sessions import CONFIRM_EVERY_S, UNCONFIRMED_S, Session, Sessions
from functions.auth.settings import SignIn, read_settings
from functions.auth.tokens import verify_token
from shared.contract import API_KEY_PREFIX
from shared.errors import Unavailable

Context = dict[str, str]


def handler(event: dict[str, Any], _context: object) -> dict[str, Any]:
    """A simple response (payload 2.0) whose context is empty where nobody has signed in; the same as a policy for a
    REST API, whose events name the method that is called."""
    method = event.get("methodArn")
    if method is None:
        return {"isAuthorized": True, "context": identify(event)}
    allowed = {"Action": "execute-api:Invoke", "Effect": "Allow", "Resource": method}
    return {
        "principalId": "sender",
        "policyDocument": {"Version": "2012-10-17", "Statement": [allowed]},
        "context": identify({"headers": _headers(event)}),
    }


def _headers(event: dict[str, Any]) -> dict[str, str]:
    """Headers of a REST API's event as the HTTP API has them: in lower case, those that come twice in one."""
    several: dict[str, list[str]] = event.get("multiValueHeaders") or {}
    return {name.lower(): ("; " if name.lower() == "cookie" else ",").join(v) for name, v in several.items()}


def identify(event: dict[str, Any]) -> Context:
    """A header outweighs the cookie: who sends one means it."""
    header = (event.get("headers") or {}).get("authorization")
    if header is not None:
        return _of_bearer(header)
    session_id = read_cookies(event).get(SESSION)
    return _of_session(session_id) if session_id else {}


def _of_bearer(header: str) -> Context:
    """API keys are looked up by the application, which has the database."""
    kind, _, token = header.strip().partition(" ")
    token = token.strip()
    if kind.lower() != "bearer":
        return {}
    if token.startswith(API_KEY_PREFIX):
        return {"via": "key"}
    claims = verify_token(read_settings(), token)
    if claims is None:
        return {}
    names = ("iss", "sub", "email", "email_verified", "token_use", "scope")
    known = {name: _text(claims[name]) for name in names if name in claims}
    # What all tokens of one sign-in have in common, however often they are refreshed.
    sign_in = claims.get("origin_jti") or claims.get("auth_time")
    named = {"sign_in": _text(sign_in)} if sign_in else {}
    return {"via": "token", **known, **named, **_grouped(told_groups(claims))}


def _of_session(session_id: str) -> Context:
    session = _sessions().find(session_id)
    session = session and _confirmed(read_settings(), session)
    session = session and _sessions().touch(session)
    if not session:
        return {}
    person = session.person
    return {
        "via": "session",
        "iss": person.issuer,
        "sub": person.subject,
        "email": person.email,
        "email_verified": _text(person.email_verified),
        "csrf": session.csrf,
        "sign_in": session.name,
        **_grouped(ToldGroups(person.groups, person.groups_untold)),
    }


def _confirmed(settings: SignIn, session: Session) -> Session | None:
    """The session, confirmed by the provider within the last hour; None where it says no."""
    age = time.time() - session.confirmed
    if age < CONFIRM_EVERY_S:
        return session
    try:
        return _sessions().confirm(session, refresh(settings, session.refresh_token).person)
    except SignInRefused:
        _sessions().end(session)
        return None
    except Unavailable:
        return session if age < UNCONFIRMED_S else None


def _grouped(told: ToldGroups) -> Context:
    """Names of groups hold no spaces."""
    named = {"groups": " ".join(told.names)} if told.names else {}
    return {**named, "groups_untold": "true"} if told.untold else named


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


@cache
def _sessions() -> Sessions:
    return Sessions(read_settings().table)
