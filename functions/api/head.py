"""`HEAD`: the answer to a `GET` without its body (RFC 9110, section 9.3.2), for every page, route and file."""

from starlette.types import ASGIApp, Message, Receive, Scope, Send

# Where the request's state has the method that it was sent with; everything else sees a GET.
ASKED_WITH = "asked_with"


def asked_method(scope: Scope) -> str:
    """The method that a request was sent with."""
    return scope.get("state", {}).get(ASKED_WITH, scope["method"])


class Head:
    """Middleware outside of all that makes a body, whose length and encoding are told: has a HEAD answered as a GET
    and keeps the body back."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self._app(scope, receive, send)
            return
        # A copy: servers look into their own to learn whether a body follows.
        asked = {**scope, "method": "GET", "state": {**scope.get("state", {}), ASKED_WITH: "HEAD"}}

        async def send_head(message: Message) -> None:
            if message["type"] == "http.response.start":
                await send(message)
                # At once: streams that nobody hears end sooner.
                await send({"type": "http.response.body", "body": b"", "more_body": False})

        await self._app(asked, receive, send_head)
