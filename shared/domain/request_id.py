"""The id of the request that is being served: from the edge into logs and traces, without a parameter on every way."""

from contextvars import ContextVar

REQUEST_ID: ContextVar[str | None] = ContextVar("request_id", default=None)
