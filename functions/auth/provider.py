"""The hosted login's endpoints: authorization code with PKCE (RFC 7636), refresh, revocation (RFC 7009)."""

import base64
import hashlib
import json
import secrets
import time
from dataclasses import dataclass
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

from functions.auth.groups import told_groups
from functions.auth.settings import SignIn
from shared.errors import AutriError, Unavailable

SCOPES = "openid email profile"
TIMEOUT_S = 5


class SignInRefused(AutriError):
    """The provider does not take this code or token (any more): the person has to sign in again."""


@dataclass(frozen=True)
class Person:
    """Who signed in, as the ID token says."""

    issuer: str
    subject: str
    email: str
    email_verified: bool
    groups: tuple[str, ...] = ()
    groups_untold: bool = False


@dataclass(frozen=True)
class SignedIn:
    """The answer of the token endpoint; a refresh brings no new refresh token."""

    person: Person
    refresh_token: str | None


def new_verifier() -> str:
    """A PKCE code verifier of 384 random bits."""
    return secrets.token_urlsafe(48)


def authorize_url(settings: SignIn, state: str, nonce: str, verifier: str) -> str:
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
    query = {
        "response_type": "code",
        "client_id": settings.client_id,
        "redirect_uri": settings.callback,
        "scope": SCOPES,
        "state": state,
        "nonce": nonce,
        "code_challenge": challenge,
        "code_challenge_method": "S256",
    }
    return f"{settings.login_url}/oauth2/authorize?{urlencode(query)}"


def logout_url(settings: SignIn) -> str:
    """Ends the hosted login's own session, so that the next sign-in asks for a password again."""
    query = {"client_id": settings.client_id, "logout_uri": settings.signed_out}
    return f"{settings.login_url}/logout?{urlencode(query)}"


def exchange_code(settings: SignIn, code: str, verifier: str, nonce: str) -> SignedIn:
    """Raises SignInRefused for a code that is spent, expired or somebody else's; Unavailable where nobody answers."""
    form = {"grant_type": "authorization_code", "code": code, "redirect_uri": settings.callback}
    answer = _post(settings, "token", form | {"code_verifier": verifier})
    claims = _claims(settings, str(answer["id_token"]))
    if not secrets.compare_digest(str(claims.get("nonce", "")).encode(), nonce.encode()):
        raise SignInRefused("The answer belongs to another sign-in.")
    return SignedIn(_person(claims), str(answer["refresh_token"]))


def refresh(settings: SignIn, refresh_token: str) -> SignedIn:
    """Asks whether the person may still sign in; raises as `exchange_code` does."""
    answer = _post(settings, "token", {"grant_type": "refresh_token", "refresh_token": refresh_token})
    return SignedIn(_person(_claims(settings, str(answer["id_token"]))), None)


def revoke(settings: SignIn, refresh_token: str) -> None:
    """The token, and all that were made with it, are void."""
    _post(settings, "revoke", {"token": refresh_token})


def _claims(settings: SignIn, token: str) -> dict[str, Any]:
    """The ID token's claims. It comes from the token endpoint itself over TLS, which vouches for it in the place of the
    signature (OpenID Connect Core 3.1.3.7, point 6)."""
    body = token.split(".")[1]
    claims: dict[str, Any] = json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))
    right = (
        claims.get("iss") == settings.issuer
        and claims.get("aud") == settings.client_id
        and claims.get("token_use") == "id"
        and float(claims.get("exp", 0)) > time.time()
    )
    if not right:
        raise SignInRefused("The token is not meant for this deployment.")
    return claims


def _person(claims: dict[str, Any]) -> Person:
    """Federated providers' `email_verified` arrives as text."""
    verified = str(claims.get("email_verified", "")).lower() == "true"
    told = told_groups(claims)
    return Person(
        str(claims["iss"]), str(claims["sub"]), str(claims.get("email", "")), verified, told.names, told.untold
    )


def _post(settings: SignIn, endpoint: str, form: dict[str, str]) -> dict[str, Any]:
    body = urlencode({**form, "client_id": settings.client_id}).encode()
    headers = {"Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json"}
    request = Request(f"{settings.login_url}/oauth2/{endpoint}", body, headers)  # noqa: S310 the deployment's own address
    try:
        with urlopen(request, timeout=TIMEOUT_S) as answer:  # noqa: S310 the same
            return json.loads(answer.read() or b"{}")
    except HTTPError as error:
        if error.code in (400, 401, 403):
            raise SignInRefused("The sign-in has expired.") from error
        raise Unavailable("The sign-in service does not answer. Try again in a minute.") from error
    except (OSError, HTTPException) as error:
        raise Unavailable("The sign-in service does not answer. Try again in a minute.") from error
