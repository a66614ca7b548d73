"""Paginated lists: `{items, next_cursor}` with opaque cursors that encode a position, never a scope."""

import base64
import binascii
import json
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Annotated, Any, Generic, Protocol, TypeVar
from uuid import UUID

from fastapi import Query
from pydantic import BaseModel

from shared.domain.storable import is_storable
from shared.errors import BadInput


class WithId(Protocol):
    """An item that its id orders."""

    @property
    def id(self) -> UUID: ...


T = TypeVar("T")
Identified = TypeVar("Identified", bound=WithId)
DEFAULT_LIMIT = 100
MAX_LIMIT = 500

Cursor = Annotated[str | None, Query(max_length=1000, description="`next_cursor` of the page before")]
Limit = Annotated[int, Query(ge=1, le=MAX_LIMIT, description="how many items at most")]


class PageOf(BaseModel, Generic[T]):
    """A page of a list; `next_cursor` is null on the last."""

    items: list[T]
    next_cursor: str | None


def page_of(listing: str, found: Sequence[T], limit: int, position: Callable[[T], list[Any]]) -> PageOf[T]:
    """The first `limit` items of `found`, which has one more item if the list continues."""
    items = list(found[:limit])
    more = len(found) > limit
    return PageOf(items=items, next_cursor=_encode([listing, *position(items[-1])]) if more else None)


def listed(
    listing: str, cursor: str | None, limit: int, read: Callable[[UUID | None, int], Sequence[Identified]]
) -> "PageOf[Identified]":
    """A page of a list sorted by id: `read` gets the id after which to begin and the greatest number of items.

    Raises BadInput for a cursor of another list. The return type is quoted, as pydantic would want a schema of it.
    """
    behind = None if cursor is None else _to_uuid(_decode(listing, cursor, 1)[0])
    return page_of(listing, read(behind, limit + 1), limit, lambda item: [item.id])


def text_cursor(listing: str, cursor: str | None) -> str:
    """The text that a cursor encodes; empty at the beginning."""
    if cursor is None:
        return ""
    (value,) = _decode(listing, cursor, 1)
    if not isinstance(value, str) or not is_storable(value):
        raise _not_ours()
    return value


def number_cursor(listing: str, cursor: str | None) -> int:
    """The number that a cursor encodes; 0 at the beginning."""
    return 0 if cursor is None else _to_number(_decode(listing, cursor, 1)[0])


def number_position(listing: str, number: int) -> str:
    """The cursor that `number_cursor` reads this from."""
    return _encode([listing, number])


def ordinal_cursor(listing: str, cursor: str | None) -> tuple[int, UUID] | None:
    """The ordinal and id that a cursor encodes."""
    if cursor is None:
        return None
    ordinal, row_id = _decode(listing, cursor, 2)
    return _to_number(ordinal), _to_uuid(row_id)


def path_cursor(listing: str, cursor: str | None) -> tuple[UUID, str] | None:
    """The id and path that a cursor encodes."""
    if cursor is None:
        return None
    row_id, path = _decode(listing, cursor, 2)
    if not isinstance(path, str) or not is_storable(path):
        raise _not_ours()
    return _to_uuid(row_id), path


def is_cursor_of(listing: str, cursor: str) -> bool:
    """Whether a cursor belongs to that list, of those that go on with another."""
    try:
        _decode(listing, cursor, 2)
    except BadInput:
        return False
    return True


def time_cursor(listing: str, cursor: str | None) -> tuple[datetime, UUID] | None:
    """The time and id that a cursor encodes."""
    if cursor is None:
        return None
    written, row_id = _decode(listing, cursor, 2)
    try:
        moment = datetime.fromisoformat(written)
    except (TypeError, ValueError) as error:
        raise _not_ours() from error
    if moment.tzinfo is None:
        raise _not_ours()
    return moment, _to_uuid(row_id)


def review_cursor(listing: str, cursor: str | None) -> tuple[float, UUID, int, int] | None:
    """The confidence, document, page (0: none) and ordinal (-1: the page itself) that a cursor encodes."""
    if cursor is None:
        return None
    worst, document_id, page, ordinal = _decode(listing, cursor, 4)
    if type(worst) not in (int, float) or not 0 <= worst <= 1:
        raise _not_ours()
    return float(worst), _to_uuid(document_id), _to_number(page), -1 if ordinal == -1 else _to_number(ordinal)


def _encode(position: list[Any]) -> str:
    raw = json.dumps(position, default=str, separators=(",", ":")).encode()
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def _decode(listing: str, cursor: str, length: int) -> list[Any]:
    try:
        padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
        name, *position = json.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
    except (binascii.Error, ValueError, TypeError, RecursionError) as error:
        raise _not_ours() from error
    if name != listing or len(position) != length:
        raise _not_ours()
    return position


def _to_uuid(value: Any) -> UUID:
    try:
        return UUID(str(value))
    except ValueError as error:
        raise _not_ours() from error


def _to_number(value: Any) -> int:
    if type(value) is not int or not 0 <= value < 2**31:
        raise _not_ours()
    return value


def _not_ours() -> BadInput:
    return BadInput("This cursor does not belong to this list. Take `next_cursor` of a page as it is, or leave it out.")
