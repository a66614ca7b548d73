"""One request of MCP and its answer: whole where it is soon there, else as events, so that nothing between the two that
waits for the next byte gives up: progress, what shows that work goes on, and the answer in the end."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from contextvars import ContextVar
from typing import Any, Final

import anyio
from starlette.types import Message, Receive, Scope, Send

from functions.api.caller import Caller
from functions.api.kept_streams import Stream, still_at_work

EVENTS: Final = "text/event-stream"
SESSION: Final = "mcp-session-id"
START: Final[Message] = {
    "type": "http.response.start",
    "status": 200,
    "headers": [(b"content-type", EVENTS.encode()), (b"cache-control", b"no-store, no-transform")],
}
# A JSON-RPC message of MCP that asks for an answer.
Asked = dict[str, Any]
Serve = Callable[[Scope, Receive, Send], Awaitable[None]]


class PendingRequest:
    """What is under way for `asked`. `tell` alone is for other threads than the event loop's."""

    def __init__(self, asked: Asked) -> None:
        self.stream = Stream(numbered=False)
        self.whole: list[Message] = []
        self._token, self._told = progress_token(asked), 0
        self._loop = asyncio.get_running_loop()

    @property
    def wants_progress(self) -> bool:
        return self._token is not None

    def tell(self, words: str) -> None:
        """A step of the work, to whoever wants to hear of progress. Raises HungUp where nobody waits."""
        self.stream.listening.check()
        if self.wants_progress:
            self._loop.call_soon_threadsafe(lambda: self.stream.add(self._progress(words)))

    def beat(self) -> str:
        """What is sent while nothing happens: clients that count how long they wait begin anew with progress alone."""
        return self._progress("still at work") if self.wants_progress else still_at_work()

    async def work(self, serve: Serve, scope: Scope, body: bytes) -> None:
        """Has the request served and its answer added as the last event."""

        async def send(message: Message) -> None:
            self.whole.append(message)

        try:
            await serve(scope, _once(body), send)
            self.stream.add(_event(b"".join(part.get("body", b"") for part in self.whole).decode()))
        finally:
            self.stream.end()

    async def answer(self, send: Send, heartbeat_s: float, begin: Callable[[], str]) -> None:
        """Sends the answer, whole if nothing is told before. `begin` is called where it is going to be events, and
        gives what comes first."""
        begun = False
        async with aclosing(self.stream.read(heartbeat_s=heartbeat_s, beat=self.beat)) as events:
            async for event in events:
                if not begun and self.whole and not self._told:
                    break
                if not begun:
                    begun = True
                    await send(START)
                    event = begin() + event
                await send(_part(event))
        for message in [_part("", more=False)] if begun else self.whole:
            await send(message)

    def _progress(self, words: str) -> str:
        self._told += 1
        told = {"progressToken": self._token, "progress": self._told, "message": words}
        return _event(json.dumps({"jsonrpc": "2.0", "method": "notifications/progress", "params": told}))


# Who asks, and whoever waits for the tool that runs. Set where the request arrives; the SDK runs its handlers in copies
# of that context.
CALLER: ContextVar[Caller] = ContextVar("mcp_caller")
EXCHANGE: ContextVar[PendingRequest | None] = ContextVar("mcp_exchange", default=None)


async def until_left(receive: Receive, scope: anyio.CancelScope) -> None:
    """Cancels once nobody takes the answer any more."""
    while (await receive())["type"] != "http.disconnect":
        pass
    scope.cancel()


def progress_token(asked: Asked) -> str | int | None:
    """What names this request in notifications of progress; None where nobody wants any."""
    meta = params_of(asked).get("_meta")
    token = meta.get("progressToken") if isinstance(meta, dict) else None
    return token if isinstance(token, str | int) else None


def params_of(asked: Asked) -> dict[str, Any]:
    params = asked.get("params")
    return params if isinstance(params, dict) else {}


def _once(body: bytes) -> Receive:
    """The body, and nothing after it: whoever leaves is noticed elsewhere."""
    parts = [body]

    async def receive() -> Message:
        if not parts:
            await asyncio.Event().wait()
        return {"type": "http.request", "body": parts.pop(), "more_body": False}

    return receive


def _part(text: str, more: bool = True) -> Message:
    return {"type": "http.response.body", "body": text.encode(), "more_body": more}


def _event(message: str) -> str:
    """JSON has no line breaks but between its parts."""
    line = message.replace("\r", " ").replace("\n", " ")
    return f"event: message\ndata: {line}\n\n"
