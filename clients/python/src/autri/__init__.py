"""Autri's client: `from autri import Client`."""

from autri.client import AsyncClient, Client
from autri.errors import (
    ApiError,
    AutriError,
    Conflict,
    Forbidden,
    IngestionFailed,
    InvalidRequest,
    NotFound,
    NotSignedIn,
    TooMany,
    Unreachable,
)
from autri.events import Event

__all__ = [
    "ApiError",
    "AsyncClient",
    "AutriError",
    "Client",
    "Conflict",
    "Event",
    "Forbidden",
    "IngestionFailed",
    "InvalidRequest",
    "NotFound",
    "NotSignedIn",
    "TooMany",
    "Unreachable",
]
