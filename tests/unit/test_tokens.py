"""Tokens that the pool itself has signed and that are no sign-in all the same: a forger's own key never gets so far."""

import json
import time
from pathlib import Path
from typing import Any

import jwt
import jwt.algorithms
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from jwt.algorithms import RSAAlgorithm

from functions.auth.settings import SignIn
from functions.auth.tokens import verify_token

POOL = rsa.generate_private_key(public_exponent=65537, key_size=2048)
OTHER = rsa.generate_private_key(public_exponent=65537, key_size=2048)
ISSUER = "https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_Ours"
HOUR = 3600


@pytest.fixture
def settings(tmp_path: Path) -> SignIn:
    listed = json.loads(RSAAlgorithm.to_jwk(POOL.public_key()))
    file = tmp_path / "jwks.json"
    file.write_text(json.dumps({"keys": [listed | {"kid": "pool", "alg": "RS256", "use": "sig"}]}))
    origin = "https://autri.example"
    return SignIn(origin, "https://login.example", ISSUER, file.as_uri(), "web", "terminal", "sessions", origin)


def token(key: rsa.RSAPrivateKey = POOL, left_out: str = "", kid: str = "pool", **claims: Any) -> str:
    right = {"iss": ISSUER, "sub": "s", "aud": "web", "token_use": "id", "exp": int(time.time()) + HOUR}
    said = {name: value for name, value in (right | claims).items() if name != left_out}
    return jwt.encode(said, key, "RS256", {"kid": kid})


@pytest.mark.parametrize("claims", [{}, {"aud": "terminal"}, {"token_use": "access", "client_id": "web", "aud": None}])
def test_a_token_of_our_own_clients_is_one(settings: SignIn, claims: dict[str, Any]) -> None:
    found = verify_token(settings, token(**claims))
    assert found is not None
    assert found["sub"] == "s"


@pytest.mark.parametrize(
    "claims",
    [
        {"exp": int(time.time()) - 1},
        {"exp": 1},
        {"nbf": int(time.time()) + HOUR},
        {"iss": ISSUER + "2"},
        {"aud": "another"},
        {"aud": ["another"]},
        {"token_use": "access"},
        {"token_use": "access", "client_id": "another"},
        {"token_use": "refresh"},
        {"left_out": "exp"},
        {"left_out": "iss"},
        {"left_out": "sub"},
        {"left_out": "token_use"},
        {"left_out": "aud"},
        {"key": OTHER},
        {"kid": "unknown"},
    ],
)
def test_what_the_pool_has_signed_for_another_time_or_purpose_is_none(settings: SignIn, claims: dict[str, Any]) -> None:
    assert verify_token(settings, token(**claims)) is None


@pytest.mark.parametrize("text", ["", "x", "a.b.c", jwt.encode({"sub": "s"}, "", "none", {"kid": "pool"})])
def test_other_text_is_none(settings: SignIn, text: str) -> None:
    assert verify_token(settings, text) is None
