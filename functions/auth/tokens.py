"""Bearer tokens of the user pool: signature, issuer, audience, use, expiry, scope."""

import json
import time
from functools import cache
from typing import Any
from urllib.request import urlopen

import jwt

from functions.auth.settings import SignIn

TIMEOUT_S = 5
# A token may name a key that is not known yet; forged ones do so too, and must not make us ask each time.
ASK_AGAIN_S = 60
ALGORITHM = "RS256"


class KeySet:
    """The pool's public keys by their id, fetched once and again for an id that is not known."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._keys: dict[str, jwt.PyJWK] = {}
        self._asked = 0.0

    def find(self, key_id: str) -> jwt.PyJWK | None:
        if key_id not in self._keys and time.monotonic() - self._asked > ASK_AGAIN_S:
            with urlopen(self._url, timeout=TIMEOUT_S) as answer:  # noqa: S310 the deployment's own address
                listed: list[dict[str, Any]] = json.loads(answer.read())["keys"]
            self._asked = time.monotonic()
            self._keys = {str(key["kid"]): jwt.PyJWK(key, ALGORITHM) for key in listed}
        return self._keys.get(key_id)


@cache
def key_set(url: str) -> KeySet:
    return KeySet(url)


def verify_token(settings: SignIn, token: str) -> dict[str, Any] | None:
    """The claims of an ID or access token of this deployment's own clients; None for any other text.

    An access token names its client in `client_id`, an ID token in `aud`.
    """
    try:
        key = key_set(settings.keys_url).find(str(jwt.get_unverified_header(token).get("kid", "")))
        if key is None:
            return None
        claims: dict[str, Any] = jwt.decode(
            token,
            key,
            algorithms=[ALGORITHM],
            issuer=settings.issuer,
            options={"require": ["exp", "iss", "sub", "token_use"], "verify_aud": False},
        )
    except jwt.InvalidTokenError:
        return None
    audience = {"id": "aud", "access": "client_id"}.get(str(claims["token_use"]))
    ours = (settings.client_id, settings.cli_client_id)
    return claims if audience is not None and claims.get(audience) in ours else None
