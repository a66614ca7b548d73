"""Resolves the caller's identity: development sign-in on one machine, what the authorizer says in the cloud.

A client may ask for an organization by its slug; whether the subject belongs to it decides, and nothing else.
"""

import os
from collections.abc import Callable
from hmac import compare_digest
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from starlette.requests import Request

from functions.api.cross_origin import ALLOWED
from functions.api.errors import NotSignedIn
from functions.api.organization_choice import chosen_organization
from shared.contract import READ_SCOPE, WRITE_SCOPE
from shared.domain.scope import Identity
from shared.errors import Forbidden
from shared.people.audit import SignInNotes
from shared.people.keys import identity_of_key
from shared.people.sign_in import CHOOSE, SignInClaims, sign_in
from shared.runtime import Runtime
from shared.store import identities
from shared.store.provision import LOCAL_ISSUER, LOCAL_SUBJECT

Identify = Callable[[Request], Identity]

LOCAL_HOSTS = frozenset({"127.0.0.1", "localhost", "::1"})
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
FORWARDED = ("forwarded", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip", "via")


def development_identity(runtime: Runtime, hosts: frozenset[str] = LOCAL_HOSTS) -> Identify:
    """Treats every request from this machine as the local developer's; raises Forbidden for requests from elsewhere."""
    if "AWS_LAMBDA_FUNCTION_NAME" in os.environ:
        raise Forbidden("Development sign-in is for one machine and never starts in a Lambda function.")

    def identify(request: Request) -> Identity:
        _require_this_machine(request, hosts)
        presented, wish = presented_token(request), wished_organization(request)
        if presented is not None:
            return identity_of_presented(runtime, presented, wish)
        with runtime.database.alone() as connection:
            chosen = chosen_organization(request)
            found = identities.resolve_identity(connection, LOCAL_ISSUER, LOCAL_SUBJECT, wish, chosen)
        if found is None and wish:
            raise Forbidden(f"You do not belong to an organization `{wish}`. `autri organizations list` shows yours.")
        if found is None:
            raise NotSignedIn("The local user does not exist yet. Run `autri migrate`.")
        return found

    return identify


class CloudIdentity:
    """The user behind what the authorizer says of the request; `origin` is where the pages of this deployment are.

    A session's cookie comes with every request that any page makes the browser send, so its changes need the pages'
    own origin and the session's token. An access token may do what its scopes say.
    """

    def __init__(self, runtime: Runtime, origin: str) -> None:
        self._runtime, self._origin = runtime, origin
        self._notes = SignInNotes()

    def __call__(self, request: Request) -> Identity:
        said = sent_by(request)
        if said.get("via") == "key":
            return identity_of_presented(self._runtime, presented_token(request) or "", wished_organization(request))
        found = sign_in(self._runtime, self.recognize(request))
        found = _within_scopes(found, said) if said.get("token_use") == "access" else found
        if said.get("sign_in"):
            self._notes.note(self._runtime, found, said["via"], said["sign_in"])
        return found

    def recognize(self, request: Request) -> SignInClaims:
        """The person, who need not belong to an organization. Raises NotSignedIn, also for a key."""
        said = sent_by(request)
        if not said.get("iss") or not said.get("sub"):
            raise NotSignedIn("Sign in first: the request carries neither a session nor a valid token.")
        if said.get("via") == "session" and request.method not in SAFE_METHODS:
            _require_own_page(request, self._origin, said.get("csrf", ""))
        return SignInClaims(
            issuer=said["iss"],
            subject=said["sub"],
            email=said.get("email") or None,
            verified=said.get("email_verified", "").lower() == "true",
            organization=wished_organization(request),
            chosen=chosen_organization(request) if said.get("via") == "session" else None,
            groups=tuple(said.get("groups", "").split()),
            groups_untold=said.get("groups_untold") == "true",
        )


def sent_by(request: Request) -> dict[str, str]:
    """What the authorizer says of the request's sender; empty where nobody has signed in, and on one machine."""
    event: dict[str, Any] = request.scope.get("aws.event") or {}
    authorizer = (event.get("requestContext") or {}).get("authorizer") or {}
    return {name: str(value) for name, value in (authorizer.get("lambda") or {}).items()}


def require_sender(request: Request) -> None:
    """Raises NotSignedIn where nobody has signed in, whether or not they belong to an organization."""
    if not request.app.state.local and not sent_by(request):
        raise NotSignedIn("Sign in first. `/v1/health` is open to everybody.")


def _require_own_page(request: Request, origin: str, csrf: str) -> None:
    if request.headers.get("origin") != origin:
        raise Forbidden("A page of another origin may not change anything here.")
    if not csrf or not compare_digest(request.headers.get("x-csrf-token", "").encode(), csrf.encode()):
        raise Forbidden("This page is of another session. Reload it, then try again.")


def _within_scopes(identity: Identity, said: dict[str, str]) -> Identity:
    """Raises Forbidden for an access token that was not asked for Autri at all."""
    scopes = set(said.get("scope", "").split())
    if WRITE_SCOPE in scopes:
        return identity
    if READ_SCOPE in scopes:
        return identity.model_copy(update={"role": "viewer", "read_only": True})
    raise Forbidden(
        f"The access token lacks the scope {READ_SCOPE} or {WRITE_SCOPE}. Ask for one, or send the ID token."
    )


def presented_token(request: Request) -> str | None:
    """The bearer token of the request; None where it has none."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else None


def identity_of_presented(runtime: Runtime, presented: str, organization: str | None) -> Identity:
    """Who acts with this API key. Raises NotSignedIn for one that is not in force, Forbidden where it is of another
    organization than the client asks for."""
    found = identity_of_key(runtime, presented, organization)
    if found is None:
        raise NotSignedIn(
            "This API key is not in force: it is mistyped, revoked or expired. Make one: autri keys create"
        )
    return found


def wished_organization(request: Request) -> str | None:
    """The slug or id of the organization that the client asks for; None where it leaves that open."""
    return request.headers.get(CHOOSE) or None


def _require_this_machine(request: Request, hosts: frozenset[str]) -> None:
    """Requires a loopback peer, a known Host (against DNS rebinding), no proxy in between, and no foreign page behind a
    write."""
    if request.client is None or not _is_loopback(request.client.host):
        raise Forbidden("Development sign-in works on this machine only. Open http://127.0.0.1 on it.")
    if any(name in request.headers for name in FORWARDED):
        raise Forbidden("Development sign-in does not work behind a proxy. Open the server's own address.")
    host = request.headers.get("host", "")
    if _hostname(f"//{host}") not in hosts:
        raise Forbidden("Development sign-in does not answer to this host name. Use http://127.0.0.1.")
    if request.method not in SAFE_METHODS and not request.scope["state"].get(ALLOWED):
        _require_same_origin(request, host)


def _require_same_origin(request: Request, host: str) -> None:
    """Compares the Origin that browsers send with a write; programs other than browsers send none."""
    origin = request.headers.get("origin")
    foreign = origin is not None and origin != f"{request.url.scheme}://{host}"
    if foreign or request.headers.get("sec-fetch-site", "none") not in {"same-origin", "none"}:
        raise Forbidden("A page of another origin may not change anything here.")


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _hostname(url: str) -> str | None:
    try:
        return urlsplit(url).hostname
    except ValueError:
        return None
