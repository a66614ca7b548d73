"""Resolves the caller's identity: development sign-in on one machine, the authorizer's claims in the cloud.

A client may ask for an organization by its slug; whether the subject belongs to it decides, and nothing else.
"""

import os
from collections.abc import Callable
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from starlette.requests import Request

from functions.api.errors import NotSignedIn
from shared.domain.scope import Identity
from shared.errors import Forbidden
from shared.people.keys import identity_of_key
from shared.people.sign_in import CHOOSE, SignIn, sign_in
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
        with runtime.database.unscoped() as connection:
            found = identities.resolve_identity(connection, LOCAL_ISSUER, LOCAL_SUBJECT, wish)
        if found is None and wish:
            raise Forbidden(f"You do not belong to an organization `{wish}`. `autri organizations list` shows yours.")
        if found is None:
            raise NotSignedIn("The local user does not exist yet. Run `autri migrate`.")
        return found

    return identify


def cloud_identity(runtime: Runtime) -> Identify:
    """The user behind the claims that API Gateway's JWT authorizer has verified."""

    def identify(request: Request) -> Identity:
        claims = _claims(request.scope.get("aws.event") or {})
        issuer, subject = str(claims.get("iss", "")), str(claims.get("sub", ""))
        if not issuer or not subject:
            raise NotSignedIn("Sign in first: the request carries no verified token.")
        email, verified = _email(claims)
        return sign_in(runtime, SignIn(issuer, subject, email, verified, wished_organization(request)))

    return identify


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


def _claims(event: dict[str, Any]) -> dict[str, Any]:
    authorizer = (event.get("requestContext") or {}).get("authorizer") or {}
    return (authorizer.get("jwt") or {}).get("claims") or {}


def _email(claims: dict[str, Any]) -> tuple[str | None, bool]:
    """(address, whether the provider has verified it). Claims arrive as strings."""
    return str(claims.get("email") or "") or None, str(claims.get("email_verified", "")).lower() == "true"


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
    if request.method not in SAFE_METHODS:
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
