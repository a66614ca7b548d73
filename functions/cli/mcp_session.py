"""The messages of one `autri mcp`: each is sent on by itself, so that a slow call holds up no other."""

import json
from collections.abc import Callable, Iterable
from threading import BoundedSemaphore, Lock, Thread
from typing import Any, Final

CALLS_MAX: Final = 8
PARSE_ERROR, INTERNAL_ERROR = -32700, -32603
# Where revisions since 2026-07-28 say in each message which one it is of.
VERSION_IN_MESSAGE: Final = "io.modelcontextprotocol/protocolVersion"
# The message and the revision that was negotiated before it, to what the server says (None: nothing).
Ask = Callable[[dict[str, Any], str | None], dict[str, Any] | None]


class McpSession:
    """`ask` is called in threads, `calls` of them at a time. `write` is given each answer, never two at once, in the
    order in which they come."""

    def __init__(self, ask: Ask, write: Callable[[dict[str, Any]], None], calls: int = CALLS_MAX) -> None:
        self._ask, self._write = ask, write
        self._turn, self._lock = BoundedSemaphore(calls), Lock()
        # Ids of calls whose answer is wanted, as JSON: 1 is another one than "1".
        self._open: set[str] = set()
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
                self._open.add(json.dumps(message["id"]))
        self._threads.append(thread)
        thread.start()
        if method == "initialize":
            thread.join()  # What follows is of the revision that is agreed on here.
        return None

    def _call(self, message: dict[str, Any]) -> None:
        asked = message.get("id")
        with self._turn:
            if asked is not None and not self._is_wanted(asked):
                return
            try:
                said = self._ask(message, self._negotiated)
            except Exception as error:  # noqa: BLE001 whatever it is, the call ends with an answer
                said = failure(asked, INTERNAL_ERROR, f"The answer could not be read ({type(error).__name__}).")
        if asked is None or said is None:
            return
        if message.get("method") == "initialize" and "result" in said:
            self._negotiated = said["result"]["protocolVersion"]
        with self._lock:
            if json.dumps(asked) in self._open:
                self._open.remove(json.dumps(asked))
                self._write(said)

    def _is_wanted(self, asked: Any) -> bool:
        with self._lock:
            return json.dumps(asked) in self._open

    def _cancel(self, asked: Any) -> None:
        """One that waits is not sent; one that was sent goes on at the server, and its answer is not passed on."""
        with self._lock:
            self._open.discard(json.dumps(asked))

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
