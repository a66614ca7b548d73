"""What can go wrong between a client and a server."""

from collections.abc import Mapping
from typing import Any


class AutriError(Exception):
    """The base of all errors of this package."""


class Unreachable(AutriError):
    """No server answered, or what answered is no Autri server."""


class IngestionFailed(AutriError):
    """A file was refused, or reading it failed; the message is the server's."""


class ApiError(AutriError):
    """The server said no: its message is the text, `status` the HTTP status.

    `problem` is the whole body of the answer (RFC 9457), empty where it was none: `request_id` is what to quote when
    asking for help, `errors` names the fields of a request that cannot be used.
    """

    def __init__(self, status: int, detail: str, problem: Mapping[str, Any] | None = None) -> None:
        super().__init__(detail)
        self.status = status
        self.problem: Mapping[str, Any] = problem or {}


class NotSignedIn(ApiError):
    """401: no token, or one that is not accepted."""


class Forbidden(ApiError):
    """403: signed in, but this role may not do it."""


class NotFound(ApiError):
    """404: no such object that the caller can see."""


class Conflict(ApiError):
    """409: it exists already, or changed underneath."""


class InvalidRequest(ApiError):
    """400, 413, 415, 422: the request cannot be used as it is."""


class TooMany(ApiError):
    """402, 429: the plan, budget or rate is used up; `retry_after_s` is there where the server says when to return."""

    def __init__(self, status: int, detail: str, problem: Mapping[str, Any] | None = None) -> None:
        super().__init__(status, detail, problem)
        self.retry_after_s: float | None = None


BY_STATUS: Mapping[int, type[ApiError]] = {
    400: InvalidRequest, 401: NotSignedIn, 402: TooMany, 403: Forbidden, 404: NotFound, 409: Conflict,
    413: InvalidRequest, 415: InvalidRequest, 422: InvalidRequest, 429: TooMany,
}  # fmt: skip
