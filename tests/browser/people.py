"""A deployment where people sign in: the cookie `who` stands for the session that the authorizer reads."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx
from starlette.requests import HTTPConnection, Request
from starlette.types import ASGIApp, Receive, Scope, Send

from functions.api.app import create_app
from functions.api.identity import CloudIdentity
from shared.domain.scope import Identity
from shared.runtime import Runtime
from tests.api.signing import Claims, claims_of, invite
from tests.live import serving
from tests.patience import PATIENCE_S

WHO = "who"
CSRF = "a-token"


@dataclass
class People:
    """Who can sign in at `url`, by name: their addresses are `{name}@local.example`."""

    runtime: Runtime
    owner_dsn: str
    url: str = ""
    claims: dict[str, Claims] = field(default_factory=dict[str, Claims])

    def add(self, name: str, role: str, organization: str = "local") -> None:
        """Invited; they join with their first page, or where they belong to one already, by choosing this one."""
        invite(self.owner_dsn, f"{name}@local.example", role, organization)
        self.claims.setdefault(name, claims_of(f"{name}@local.example"))

    def request(
        self, who: str, method: str, path: str, body: Any = None, accept: str = "application/json"
    ) -> httpx.Response:
        """As the browser of `who` would send it."""
        headers = {"Cookie": f"{WHO}={who}", "Origin": self.url, "X-CSRF-Token": CSRF, "Accept": accept}
        return httpx.request(method, self.url + path, json=body, headers=headers, timeout=PATIENCE_S)

    def stranger(self, name: str, email: str) -> None:
        """Somebody whose provider does not vouch for their address."""
        self.claims[name] = claims_of(email, "false")


class SignIns:
    """Does what API Gateway does: writes who sent a request into the event."""

    def __init__(self, app: ASGIApp, people: People) -> None:
        self._app, self._people = app, people

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            sent = HTTPConnection(scope)
            claims = self._people.claims.get(sent.cookies.get(WHO, ""))
            said = {} if claims is None else {**claims, "via": "session", "csrf": CSRF}
            said = {"via": "key"} if "authorization" in sent.headers else said
            scope["aws.event"] = {"requestContext": {"authorizer": {"lambda": said}}}
        await self._app(scope, receive, send)


@contextmanager
def served_people(runtime: Runtime, owner_dsn: str) -> Generator[People]:
    people = People(runtime, owner_dsn)

    def identify(request: Request) -> Identity:
        return CloudIdentity(runtime, f"http://{request.headers['host']}")(request)

    app: Any = SignIns(create_app(runtime, identify, local=False), people)
    with serving(app) as url:
        people.url = url
        yield people
