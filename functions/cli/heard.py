"""Server-sent events of a request, as a command hears them: each step as it comes, and what it ends with."""

import json
from collections.abc import Callable
from typing import Any, Final

from functions.cli.channel import HttpAnswer

TYPE: Final = "text/event-stream"
# Called with an event's name and data.
Tell = Callable[[str, Any], None]


class HeardEvents:
    """Reads the lines of a stream. Whole answer and problem are kept, all else is told."""

    def __init__(self, tell: Tell) -> None:
        self._tell = tell
        self._name, self._data = "", ""
        self._answer: tuple[int, str, str] | None = None

    def hear(self, line: str) -> None:
        if line.startswith("event: "):
            self._name = line.removeprefix("event: ")
        elif line.startswith("data: "):
            self._data = line.removeprefix("data: ")
        elif not line and self._name:
            self._end(self._name, json.loads(self._data))
            self._name, self._data = "", ""

    def _end(self, name: str, data: Any) -> None:
        if name == "message" and "method" not in data:
            # MCP: all else of its messages asks for nothing.
            self._answer = (200, "application/json", self._data)
        elif name == "final":
            self._answer = (200, "application/json", self._data)
        elif name == "error":
            self._answer = (data["status"], "application/problem+json", self._data)
        else:
            self._tell(name, data)

    def answer(self, host: str) -> HttpAnswer:
        """What the stream ended with; where it broke off, a gateway that gave up."""
        status, kind, body = self._answer or (502, "text/plain", "")
        return HttpAnswer(host, status, "the answer broke off", {"content-type": kind}, body.encode())
