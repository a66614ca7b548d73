"""What both sign-in functions read from their environment."""

import os
from dataclasses import dataclass
from functools import cache

from shared.contract import Env


@dataclass(frozen=True)
class SignIn:
    """`origin` is where people open Autri (`https://…`, without a path), `login_url` the hosted login's address.

    `issuer` is the user pool's, as its tokens name it; `keys_url` is where its public keys are published.
    `client_id` is the pages' client, `cli_client_id` that of programs on a person's machine.
    `api_url` is the application's address without CloudFront before it.
    """

    origin: str
    login_url: str
    issuer: str
    keys_url: str
    client_id: str
    cli_client_id: str
    table: str
    api_url: str

    @property
    def callback(self) -> str:
        return f"{self.origin}/auth/callback"

    @property
    def signed_out(self) -> str:
        """Where the hosted login sends people after it has signed them out itself."""
        return f"{self.origin}/auth/signed-out"

    @property
    def pool_id(self) -> str:
        return self.issuer.rpartition("/")[2]


@cache
def read_settings() -> SignIn:
    """The environment's; KeyError names a variable that is missing."""
    issuer = os.environ[Env.ISSUER]
    return SignIn(
        origin=os.environ[Env.PUBLIC_ORIGIN],
        login_url=os.environ[Env.LOGIN_URL],
        issuer=issuer,
        keys_url=os.environ.get(Env.TOKEN_KEYS_URL, f"{issuer}/.well-known/jwks.json"),
        client_id=os.environ[Env.CLIENT_ID],
        cli_client_id=os.environ[Env.CLI_CLIENT_ID],
        table=os.environ[Env.SESSIONS_TABLE],
        api_url=os.environ[Env.API_URL],
    )
