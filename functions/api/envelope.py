"""What every response has: a request id and security headers."""

import re
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from shared.domain.ids import REQUEST_ID as CURRENT_REQUEST
from shared.domain.ids import new_id

REQUEST_ID = "X-Request-Id"
WELL_FORMED = re.compile(r"[A-Za-z0-9_.=-]{8,128}")
SECURITY_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cache-Control": "no-store",
}
# Where the request's state has the headers that say what is left of its sender's rate.
RATE_LIMIT = "rate_limit"
STRICT_TRANSPORT = "max-age=63072000; includeSubDomains"


def request_id_of(scope: Scope) -> str:
    """The id of this request; a new one where the request did not pass through the middleware."""
    state: dict[str, Any] = scope.setdefault("state", {})
    return state.setdefault("request_id", str(new_id()))


def security_headers(scope: Scope) -> dict[str, str]:
    """The headers of every response, the request id among them."""
    headers = SECURITY_HEADERS | {REQUEST_ID: request_id_of(scope)}
    headers |= scope["state"].get(RATE_LIMIT, {})
    return headers | {"Strict-Transport-Security": STRICT_TRANSPORT} if scope.get("scheme") == "https" else headers


class Envelope:
    """Middleware: takes the request id of the edge or creates one, and adds the headers that a response does not set
    itself."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request_id = _edge_request_id(scope) or str(new_id())
        scope.setdefault("state", {})["request_id"] = request_id
        CURRENT_REQUEST.set(request_id)

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in security_headers(scope).items():
                    headers.setdefault(name, value)
            await send(message)

        await self._app(scope, receive, send_with_headers)


def _edge_request_id(scope: Scope) -> str | None:
    event: dict[str, Any] = scope.get("aws.event") or {}
    given = event.get("requestContext", {}).get("requestId") or Headers(scope=scope).get(REQUEST_ID, "")
    return given if WELL_FORMED.fullmatch(given) else None
