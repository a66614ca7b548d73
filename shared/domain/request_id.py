"""The id of the current request, as a context variable: available to logs and traces without being passed as a
parameter."""

from contextvars import ContextVar

REQUEST_ID: ContextVar[str | None] = ContextVar("request_id", default=None)
