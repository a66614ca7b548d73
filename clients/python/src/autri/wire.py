"""What goes over the wire, without a connection: operations, how answers are read, and when to try again."""

import json
import random
import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cache
from typing import Any, Final, Generic, TypeVar

import httpx
from pydantic import TypeAdapter

from autri.errors import BY_STATUS, ApiError, TooMany, Unreachable

T = TypeVar("T")

# Tries in all, and seconds between them: exponential backoff with full jitter (Brooker, "Exponential Backoff And
# Jitter", AWS Architecture Blog, 2015). A server that says when to come back is believed, up to `LONGEST_S`.
TRIES: Final = 4
FIRST_S: Final = 0.25
LONGEST_S: Final = 60.0
# Too often, a gateway whose server is away, a database that wakes up.
AGAIN: Final = frozenset({429, 502, 503, 504})
# Of these, those after which it may have been done all the same.
LOST: Final = frozenset({502, 504})
PAGE_ITEMS: Final = 100
Params = Mapping[str, Any]


@dataclass(frozen=True)
class Operation(Generic[T]):
    """One request of the API, and how its answer is read. Paths begin behind `/v1`."""

    method: str
    path: str
    read: Callable[[httpx.Response], T]
    params: Params = field(default_factory=dict)
    body: Any = None
    # Whether it may be sent again although it may have been done: not where that costs twice.
    repeatable: bool = True
    headers: Mapping[str, str] = field(default_factory=dict)

    def all_headers(self) -> dict[str, str]:
        """The same for each try: a request that changes something has a key, so that it acts once."""
        key = {} if self.method == "GET" else {"Idempotency-Key": str(uuid.uuid4())}
        return {**self.headers, **key}


@dataclass(frozen=True)
class Listing(Generic[T]):
    """A list that is fetched page by page."""

    path: str
    of: type[T]
    params: Params = field(default_factory=dict)

    def page(self, cursor: str | None) -> Operation[tuple[list[T], str | None]]:
        """One page: its items, and the cursor of the next one or None."""
        params = {"limit": PAGE_ITEMS, **self.params} | ({"cursor": cursor} if cursor else {})
        return Operation("GET", self.path, self.read, params)

    def read(self, answer: httpx.Response) -> tuple[list[T], str | None]:
        """The same of an answer."""
        page = answer.json()
        return _adapter(list[self.of]).validate_python(page["items"]), page["next_cursor"]


def given(**values: Any) -> dict[str, Any]:
    """The arguments that are not None."""
    return {name: value for name, value in values.items() if value is not None}


def json_of(of: Callable[..., T] | Any) -> Callable[[httpx.Response], T]:
    """Reads an answer as JSON of a type."""
    return lambda answer: _adapter(of).validate_json(answer.content)


@cache
def _adapter(of: Any) -> TypeAdapter[Any]:
    return TypeAdapter(of)


def checked(answer: httpx.Response) -> httpx.Response:
    """The answer, if it is one. Raises ApiError for what the server refuses, Unreachable where no Autri answered."""
    if answer.is_success:
        return answer
    if answer.is_redirect:
        leads = answer.headers.get("location", "elsewhere")
        raise Unreachable(f"{answer.url.host} is not an Autri server: it leads to {leads}. Check the address.")
    problem = _problem(answer)
    detail = problem.get("detail") or f"{answer.url.host} answered {answer.status_code} {answer.reason_phrase}."
    error = BY_STATUS.get(answer.status_code, ApiError)(answer.status_code, detail, problem)
    if isinstance(error, TooMany):
        error.retry_after_s = retry_after(answer)
    raise error


def _problem(answer: httpx.Response) -> Mapping[str, Any]:
    if not answer.headers.get("content-type", "").startswith("application/problem+json"):
        return {}
    try:
        return json.loads(answer.content)
    except ValueError:
        return {}


def waits() -> Iterator[float]:
    """Seconds to wait after each try that may be repeated."""
    for tried in range(TRIES - 1):
        yield random.uniform(0, FIRST_S * 2**tried)  # noqa: S311 jitter, no secret


def retry_after(answer: httpx.Response) -> float | None:
    """Seconds, from a number or a date (RFC 9110, 10.2.3); None where the server does not say or it cannot be read."""
    said = answer.headers.get("retry-after")
    if said is None:
        return None
    try:
        return max(0.0, float(said))
    except ValueError:
        pass
    try:
        return max(0.0, (parsedate_to_datetime(said) - datetime.now(UTC)).total_seconds())
    except (TypeError, ValueError):
        return None


def worth_waiting(answer: httpx.Response, planned: float, repeatable: bool) -> float | None:
    """Seconds until the next try; None where another one is of no use, or is too far away. A conflict that says when to
    return is with the same request, which still runs."""
    asked = retry_after(answer)
    again = AGAIN if repeatable else AGAIN - LOST
    if answer.status_code not in again and not (answer.status_code == 409 and asked is not None):
        return None
    wait = max(planned, asked or 0.0)
    return wait if wait <= LONGEST_S else None


def worth_sending_again(error: httpx.TransportError, repeatable: bool) -> bool:
    """Whether a request without an answer is sent again."""
    if isinstance(error, httpx.UnsupportedProtocol):
        return False
    return repeatable or isinstance(error, httpx.ConnectError | httpx.ConnectTimeout)
