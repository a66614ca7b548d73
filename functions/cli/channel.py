"""How commands reach a server: one request, one answer."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

if TYPE_CHECKING:
    from functions.cli.heard import Tell

# No further headers.
NONE: Final[Mapping[str, str]] = {}
ASKING_FOR_EVENTS: Final[Mapping[str, str]] = {"Accept": "text/event-stream"}


@dataclass(frozen=True)
class HttpAnswer:
    """What a server said; names of headers are in lower case."""

    host: str
    status: int
    reason: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def is_redirect(self) -> bool:
        return 300 <= self.status < 400 and "location" in self.headers

    def is_of(self, content_type: str) -> bool:
        return self.headers.get("content-type", "").startswith(content_type)

    def json(self) -> Any:
        return json.loads(self.body)

    def text(self) -> str:
        return self.body.decode()


class Channel(Protocol):
    """A connection to one server. What cannot be sent is a BadInput, where nobody answers is Unavailable."""

    @property
    def base(self) -> str: ...

    @property
    def concurrent(self) -> bool:
        """Whether several threads may send at once."""
        ...

    def send(
        self, method: str, path: str, body: Any, query: Mapping[str, Any], headers: Mapping[str, str] = NONE
    ) -> HttpAnswer: ...

    def send_for_events(
        self, path: str, body: Any, tell: "Tell", headers: Mapping[str, str] = ASKING_FOR_EVENTS
    ) -> HttpAnswer:
        """A POST whose steps are told as they come; its whole answer, or its problem. Where `listening` is told that
        nobody waits any more, it may end before."""
        ...

    def send_file(self, ticket: Mapping[str, Any], path: Path) -> HttpAnswer:
        """Send a file as its upload ticket says: a PUT, or a form with the ticket's fields (S3)."""
        ...

    def close(self) -> None: ...


def asking_for(organization: str | None) -> dict[str, str]:
    """The header that asks for an organization."""
    return {"X-Autri-Organization": organization} if organization else {}


def refused(error: Exception) -> str:
    return f"This cannot be sent: {error}."


def unanswered(base: str, error: Exception) -> str:
    return f"No answer from {base} ({error}). Check the address and that it runs."
