"""JSON with the place of each value in its text."""

import json
import re
from typing import Any, Final, NamedTuple

from shared.domain.geometry import TextRange
from shared.errors import RefusedFile

DEEPEST: Final = 8
_SPACES: Final = frozenset(" \t\r\n")
_SPACE: Final = re.compile(r"[ \t\r\n]*")
_SCALAR: Final = json.JSONDecoder(parse_float=str, parse_int=str)


class Placed(NamedTuple):
    """A value: an object's members by name, a list's items, or a scalar; numbers as they are written. `start` is where
    its name begins, of what has none it itself."""

    value: Any
    start: int
    end: int
    is_number: bool = False

    @property
    def place(self) -> TextRange:
        return TextRange(start=self.start, end=self.end)


def parse_placed(text: str, whole: frozenset[str] = frozenset()) -> Placed:
    """Members of the outermost object that are named in `whole` are values without places inside, numbers as they are
    written. Raises RefusedFile for what is no JSON, or nested deeper than DEEPEST."""
    try:
        return _value(text, 0, 0, whole)
    except (ValueError, IndexError):
        raise RefusedFile("The stored record is no JSON; post it again.") from None


def _value(text: str, at: int, depth: int, whole: frozenset[str] = frozenset()) -> Placed:
    at = _skip(text, at)
    if depth > DEEPEST:
        raise ValueError("too deep")
    if text[at] == "{":
        return _object(text, at, depth, whole)
    if text[at] == "[":
        return _list(text, at, depth)
    value, end = _SCALAR.raw_decode(text, at)
    return Placed(value, at, end, text[at] in "-0123456789")


def _object(text: str, start: int, depth: int, whole: frozenset[str]) -> Placed:
    members: dict[str, Placed] = {}
    at = _skip(text, start + 1)
    while text[at] != "}":
        named = at
        name, at = _SCALAR.raw_decode(text, at)
        at = _skip(text, at)
        member = _whole(text, at + 1) if name in whole else _value(text, at + 1, depth + 1)
        members[name] = member._replace(start=named)
        at = _behind(text, member.end)
    return Placed(members, start, at + 1)


def _whole(text: str, at: int) -> Placed:
    at = _skip(text, at)
    value, end = _SCALAR.raw_decode(text, at)
    return Placed(value, at, end)


def _list(text: str, start: int, depth: int) -> Placed:
    items: list[Placed] = []
    at = _skip(text, start + 1)
    while text[at] != "]":
        items.append(_value(text, at, depth + 1))
        at = _behind(text, items[-1].end)
    return Placed(items, start, at + 1)


def _behind(text: str, at: int) -> int:
    at = _skip(text, at)
    return _skip(text, at + 1) if text[at] == "," else at


def _skip(text: str, at: int) -> int:
    if text[at : at + 1] not in _SPACES:
        return at
    found = _SPACE.match(text, at)
    return found.end() if found else at
