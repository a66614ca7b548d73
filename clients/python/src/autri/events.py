"""An answer while it is made: the server's events, one by one."""

import json
from dataclasses import dataclass
from typing import Any, Final

import httpx

from autri import models
from autri.errors import BY_STATUS, ApiError, Unreachable

TYPE: Final = "text/event-stream"


@dataclass(frozen=True)
class Event:
    """One step: `plan`, each `tool`, `hits`, `evidence`, each `sentence`, `widening`, `rows`, and `final` with the
    whole answer. `data` is the step's JSON."""

    name: str
    data: dict[str, Any]

    @property
    def answer(self) -> models.Answer | None:
        """The whole answer, in `final`."""
        return models.Answer.model_validate(self.data) if self.name == "final" else None


class EventReader:
    """Reads the lines of a stream. Its end is an event named `final`, or an error."""

    def __init__(self, answer: httpx.Response) -> None:
        self._host, self._name, self._data, self._whole = answer.url.host, "", list[str](), False
        if not answer.headers.get("content-type", "").startswith(TYPE):
            raise Unreachable(f"{self._host} answered no events. Check the address.")

    def read(self, line: str) -> Event | None:
        """The event that this line ends. Raises ApiError for what the server refuses meanwhile."""
        field, _, value = line.partition(":")
        if field == "event":
            self._name = value.strip()
        elif field == "data":
            self._data.append(value.removeprefix(" "))
        elif not line and self._data:
            event = Event(self._name, json.loads("\n".join(self._data)))
            self._name, self._data, self._whole = "", [], event.name == "final"
            if event.name == "error":
                status = event.data["status"]
                raise BY_STATUS.get(status, ApiError)(status, event.data["detail"], event.data)
            return event
        return None

    def end(self) -> None:
        """Raises Unreachable where the answer is not whole."""
        if not self._whole:
            raise Unreachable(f"{self._host} broke off its answer. Ask again.")
