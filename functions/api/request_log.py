"""One structured log line and one span per request: which route, how it ended, how long. Ids only, never content."""

import logging
import time
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from functions.api.envelope import request_id_of
from functions.api.head import asked_method
from shared import telemetry

logger = logging.getLogger("autri.requests")
# What no route matched: its path is whatever somebody typed.
UNMATCHED = "unmatched"


class RequestLog:
    """Middleware, inside of what gives requests their ids."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started, status = time.perf_counter(), 500

        async def noting_send(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        with telemetry.request(UNMATCHED) as span:
            try:
                await self._app(scope, receive, noting_send)
            finally:
                said = describe(scope) | {"status": status}
                if span is not None:
                    span.name = f"{said['method']} {said['route']}"
                    span.annotations |= {"status": status, "request_id": said["request_id"]}
                milliseconds = round(1000 * (time.perf_counter() - started), 1)
                logger.info("request", extra={**said, "milliseconds": milliseconds})


def describe(scope: Scope) -> dict[str, Any]:
    """Method, the route's template, request id, and whose request it was where that is known."""
    # FastAPI keeps the path with its routers' prefixes apart from the route, whose own path is without them.
    context = scope.get("fastapi", {}).get("effective_route_context")
    route = getattr(context, "path_format", None) or getattr(scope.get("route"), "path", None)
    state = scope.get("state", {})
    identity = state.get("identity")
    return {
        "method": asked_method(scope),
        "route": route or ("/static" if scope["path"].startswith("/static/") else UNMATCHED),
        "request_id": request_id_of(scope),
        "organization_id": str(identity.organization_id) if identity is not None else None,
    }
