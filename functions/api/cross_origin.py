"""Pages of other origins that may call `/v1` and `/mcp` from a browser (CORS): those that a setting lists, by a token.

Never by a cookie, and on one machine never as its developer: a request of a listed origin without a bearer token is
refused, and no answer allows credentials. Of origins that are not listed nothing changes: browsers keep answers from
them.
"""

from collections.abc import Sequence
from typing import Any, Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from functions.api.errors import problem_response
from shared.contract import MCP_PATH
from shared.errors import BadInput

METHODS: Final = "GET, POST, PUT, PATCH, DELETE"
# What a request may carry beside what browsers send by themselves.
SENT: Final = (
    "Accept, Authorization, Content-Type, Idempotency-Key, Last-Event-ID, Mcp-Method, Mcp-Name, MCP-Protocol-Version,"
    " Mcp-Session-Id, X-Autri-Organization, X-Autri-Ticket, X-Request-Id"
)
TOLD: Final = (
    "Content-Disposition, Idempotent-Replayed, Location, Mcp-Session-Id, Retry-After, WWW-Authenticate, X-Request-Id"
)
# Seconds for which a browser remembers what it may do.
REMEMBERED_S: Final = 600
# Where the scope's state says that a listed origin's page sent the request, with a token.
ALLOWED: Final = "cross_origin"


def read_origins(setting: str) -> tuple[str, ...]:
    """The origins of `AUTRI_CORS_ORIGINS`, with commas between them. Raises BadInput for what is none."""
    found = tuple(one.strip() for one in setting.split(",") if one.strip())
    for one in found:
        parts = urlsplit(one)
        if (
            parts.scheme not in ("http", "https")
            or not parts.netloc
            or one != f"{parts.scheme}://{parts.netloc}"
            or "@" in one
            or "*" in one
        ):
            raise BadInput(
                f"AUTRI_CORS_ORIGINS names {one}, which is no origin. Write each as https://HOST or https://HOST:PORT,"
                " with commas between them; all origins cannot be allowed at once."
            )
    return found


class CrossOrigin:
    """Middleware, inside of the envelope. Without origins it does nothing."""

    def __init__(self, app: ASGIApp, origins: Sequence[str] = ()) -> None:
        self._app, self._origins = app, frozenset(origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not self._origins or not _is_open(scope["path"]):
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        origin = headers.get("origin", "")
        listed = origin in self._origins

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                added = MutableHeaders(scope=message)
                added.add_vary_header("Origin")
                if listed:
                    added["Access-Control-Allow-Origin"] = origin
                    added["Access-Control-Expose-Headers"] = TOLD
            await send(message)

        answer = self._answer(scope, headers, listed=listed)
        if answer is not None:
            await answer(scope, receive, send_with_headers)
            return
        if listed:
            scope.setdefault("state", {})[ALLOWED] = True
        await self._app(scope, receive, send_with_headers)

    def _answer(self, scope: Scope, headers: Headers, *, listed: bool) -> Response | None:
        """What is answered at once: to a browser that asks what it may do, and to who brings no token."""
        if not listed:
            return None
        if scope["method"] == "OPTIONS" and "access-control-request-method" in headers:
            allowed = {"Access-Control-Allow-Methods": METHODS, "Access-Control-Allow-Headers": SENT}
            return Response(status_code=204, headers=allowed | {"Access-Control-Max-Age": str(REMEMBERED_S)})
        bearer = headers.get("authorization", "").lower().startswith("bearer ")
        if bearer and not _by_cookie(scope):
            return None
        return problem_response(
            Request(scope), 401, "A page of another origin needs a token: send an API key as Authorization: Bearer …."
        )


def _is_open(path: str) -> bool:
    return path.startswith("/v1/") or path == MCP_PATH


def _by_cookie(scope: Scope) -> bool:
    """Whether the authorizer let the request in by its session's cookie."""
    event: dict[str, Any] = scope.get("aws.event") or {}
    said = ((event.get("requestContext") or {}).get("authorizer") or {}).get("lambda") or {}
    return said.get("via") == "session"
