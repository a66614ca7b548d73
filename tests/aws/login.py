"""Signing in as a person does: the hosted page, an authorization code, PKCE."""

import base64
import hashlib
import html
import re
import secrets
from dataclasses import dataclass
from urllib.parse import parse_qs, urlencode, urlsplit

import httpx

from tests.aws.emulator import Emulator
from tests.patience import PATIENCE_S

SCOPES = "openid email profile"
PASSWORD = "Correct-horse-7-battery"


@dataclass(frozen=True)
class Tokens:
    """What the token endpoint answers."""

    id_token: str
    access_token: str


def create_person(emulator: Emulator, pool: str, email: str, verified: bool = True) -> None:
    """What the stack's `UserPoolUser` does, with a password that is final at once."""
    cognito = emulator.client("cognito-idp")
    attributes = {"email": email, "email_verified": str(verified).lower()}
    cognito.admin_create_user(
        UserPoolId=pool,
        Username=email,
        UserAttributes=[{"Name": name, "Value": value} for name, value in attributes.items()],
        MessageAction="SUPPRESS",
    )
    cognito.admin_set_user_password(UserPoolId=pool, Username=email, Password=PASSWORD, Permanent=True)


def enter(url: str, email: str) -> str:
    """Address and password on the hosted page at `url`; where it sends the browser then, with a code."""
    with httpx.Client(timeout=PATIENCE_S) as browser:
        page = browser.get(url, follow_redirects=True)
        page.raise_for_status()
        form = {name: html.unescape(v) for name, v in re.findall(r'name="([^"]+)"[^>]*value="([^"]*)"', page.text)}
        answer = browser.post(page.url.join("/login"), data={**form, "username": email, "password": PASSWORD})
        return answer.headers["location"]


def sign_in(emulator: Emulator, client_id: str, callback: str, email: str, scope: str = SCOPES) -> Tokens:
    """Through the hosted page."""
    verifier = secrets.token_urlsafe(48)
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
    query = {
        "response_type": "code",
        "client_id": client_id,
        "redirect_uri": callback,
        "scope": scope,
        "state": secrets.token_urlsafe(8),
        "code_challenge": challenge,
        "code_challenge_method": "S256",
    }
    returned = parse_qs(urlsplit(enter(f"{emulator.url}/oauth2/authorize?{urlencode(query)}", email)).query)
    assert returned["state"] == [query["state"]]
    exchange = {
        "grant_type": "authorization_code",
        "client_id": client_id,
        "code": returned["code"][0],
        "redirect_uri": callback,
    }
    answer = httpx.post(
        f"{emulator.url}/oauth2/token", data={**exchange, "code_verifier": verifier}, timeout=PATIENCE_S
    )
    answer.raise_for_status()
    tokens = answer.json()
    return Tokens(tokens["id_token"], tokens["access_token"])
