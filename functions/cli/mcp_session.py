"""The messages of one `autri mcp`: each is sent on by itself, so that a slow call holds up no other."""

import json
from collections.abc import Callable, Iterable
from functools import partial
from threading import BoundedSemaphore, Lock, Thread
from typing import Any, Final

from shared.domain.listening import Listening, listened_to_by

CALLS_MAX: Final = 8
PARSE_ERROR, INTERNAL_ERROR = -32700, -32603
# Where revisions since 2026-07-28 say in each message which one it is of.
VERSION_IN_MESSAGE: Final = "io.modelcontextprotocol/protocolVersion"
Message = dict[str, Any]
# The message, the revision that was negotiated before it, and what to call with all that is told before the answer; to
# what the server says (None: nothing).
Ask = Callable[[Message, str | None, Callable[[Message], None]], Message | None]


class McpSession:
    """`ask` is called in threads, `calls` of them at a time. `write` is given each answer, never two at once, in the
    order in which they come."""

    def __init__(self, ask: Ask, write: Callable[[dict[str, Any]], None], calls: int = CALLS_MAX) -> None:
        self._ask, self._write = ask, write
        self._turn, self._lock = BoundedSemaphore(calls), Lock()
        # Who waits for calls whose answer is wanted, by their ids as JSON: 1 is another one than "1".
        self._open: dict[str, Listening] = {}
        self._threads: list[Thread] = []
        self._negotiated: str | None = None

    @property
    def busy(self) -> bool:
        """Whether a call is under way, one that was cancelled too."""
        return any(thread.is_alive() for thread in self._threads)

    def run(self, lines: Iterable[str]) -> None:
        """Until the lines end and all of them are answered."""
        for line in lines:
            if line.strip():
                self._take(line)
            self._threads = [thread for thread in self._threads if thread.is_alive()]
        for thread in self._threads:
            thread.join()

    def _take(self, line: str) -> None:
        try:
            message = json.loads(line)
        except ValueError:
            return self._say(failure(None, PARSE_ERROR, "This line is no JSON."))
        if not isinstance(message, dict):
            return self._say(failure(None, PARSE_ERROR, "A message is one JSON object."))
        method = message.get("method")
        if method == "notifications/cancelled":
            return self._cancel(params_of(message).get("requestId"))
        if method == "ping" and "id" in message and own_version(message) is None:
            # Not sent on: it asks whether this process lives, also where the calls under way are all that fit.
            return self._say({"jsonrpc": "2.0", "id": message["id"], "result": {}})
        thread = Thread(target=self._call, args=(message,), daemon=True)
        if message.get("id") is not None:
            with self._lock:
                self._open[json.dumps(message["id"])] = Listening()
        self._threads.append(thread)
        thread.start()
        if method == "initialize":
            thread.join()  # What follows is of the revision that is agreed on here.
        return None

    def _call(self, message: dict[str, Any]) -> None:
        asked = message.get("id")
        with self._turn:
            waiting = Listening() if asked is None else self._waiting_for(asked)
            if waiting is None:
                return
            try:
                with listened_to_by(waiting):
                    said = self._ask(message, self._negotiated, partial(self._tell, asked))
            except Exception as error:  # noqa: BLE001 whatever it is, the call ends with an answer
                said = failure(asked, INTERNAL_ERROR, f"The answer could not be read ({type(error).__name__}).")
        if asked is None or said is None:
            return
        if message.get("method") == "initialize" and "result" in said:
            self._negotiated = said["result"]["protocolVersion"]
        with self._lock:
            if json.dumps(asked) in self._open:
                del self._open[json.dumps(asked)]
                self._write(said)

    def _waiting_for(self, asked: Any) -> Listening | None:
        with self._lock:
            return self._open.get(json.dumps(asked))

    def _tell(self, asked: Any, told: Message) -> None:
        with self._lock:
            if json.dumps(asked) in self._open:
                self._write(told)

    def _cancel(self, asked: Any) -> None:
        """One that waits is not sent; with one that was sent the connection is ended, and by that its work."""
        with self._lock:
            waiting = self._open.pop(json.dumps(asked), None)
        if waiting is not None:
            waiting.leave()

    def _say(self, answer: dict[str, Any]) -> None:
        with self._lock:
            self._write(answer)


def params_of(message: dict[str, Any]) -> dict[str, Any]:
    params = message.get("params")
    return params if isinstance(params, dict) else {}


def own_version(message: dict[str, Any]) -> str | None:
    """The revision that the message says it is of."""
    meta = params_of(message).get("_meta")
    return meta.get(VERSION_IN_MESSAGE) if isinstance(meta, dict) else None


def failure(asked: Any, code: int, message: str) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": asked, "error": {"code": code, "message": message}}
