"""Sign-ins as the gateway passes them on, and invitations."""

from typing import Any, Protocol

import httpx
import psycopg
from fastapi import FastAPI

from functions.api.app import create_app
from functions.api.identity import CloudIdentity
from shared.domain.ids import new_id
from shared.runtime import Runtime
from tests.api import one_loop
from tests.api.described import check_described

BASE = "http://127.0.0.1:8000"
Claims = dict[str, Any]


class SignedIn(Protocol):
    """A request with these claims, or this token; it may ask for an organization. Without a path: `GET /v1/me`."""

    def __call__(
        self, claims: Claims | None, organization: str | None = None, method: str = "GET", path: str = "/v1/me",
        body: Any = None, bearer: str | None = None, cookie: str | None = None, headers: dict[str, str] | None = None,
    ) -> httpx.Response: ...  # fmt: skip


class EventTransport(httpx.ASGITransport):
    """As Mangum does: the gateway's event, with what the authorizer says, is in the scope."""

    def __init__(self, app: FastAPI, claims: Claims | None) -> None:
        authorizer = {} if claims is None else {"lambda": {"via": "token", **claims}}
        event = {"requestContext": {"requestId": "edge-abcdefgh", "authorizer": authorizer}}

        async def with_event(scope: Any, receive: Any, send: Any) -> None:
            await app(scope | {"aws.event": event}, receive, send)

        super().__init__(app=with_event)


def cloud_requests(runtime: Runtime) -> SignedIn:
    app = create_app(runtime, CloudIdentity(runtime, BASE), local=False)

    def request(
        claims: Claims | None, organization: str | None = None, method: str = "GET", path: str = "/v1/me",
        body: Any = None, bearer: str | None = None, cookie: str | None = None, headers: dict[str, str] | None = None,
    ) -> httpx.Response:  # fmt: skip
        sent = dict(headers or {})
        sent |= {"X-Autri-Organization": organization} if organization else {}
        sent |= {} if bearer is None else {"Authorization": f"Bearer {bearer}"}
        sent |= {} if cookie is None else {"Cookie": cookie}

        async def send() -> httpx.Response:
            async with httpx.AsyncClient(transport=EventTransport(app, claims), base_url=BASE) as client:
                answer = await client.request(method, path, headers=sent, json=body)
            check_described(app, method, path, answer)
            return answer

        return one_loop.run(send())

    return request


def claims_of(email: str, verified: str = "true") -> Claims:
    return {"iss": "https://login.example", "sub": new_id().hex, "email": email, "email_verified": verified}


def invite(owner_dsn: str, email: str, role: str = "editor", organization: str = "kestrel") -> None:
    with psycopg.connect(owner_dsn) as connection:
        connection.execute(
            "insert into users (organization_id, id, email, role, invited_at)"
            " select id, %s, %s, %s, now() from organizations where slug = %s",
            (new_id(), email, role, organization),
        )
