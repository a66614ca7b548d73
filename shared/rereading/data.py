"""Data as other parsers read it: each value with its name, in the order of the file and without any layout. What they
do not take is text."""

from collections.abc import Callable, Iterator
from typing import Any

from shared.domain.characters import storable
from shared.domain.raw_page import SecondField, SecondText

DEEPEST = 200
# Values, elements or lines of a file.
MOST = 200_000
_LONGEST = 30_000_000
Fields = list[SecondField]


class Pairs(list[tuple[str, Any]]):
    """An object: names with what they say."""


def fields_or_text(plain: SecondText, read: Callable[[str], Fields]) -> SecondText:
    """What `read` finds in a text; the text as it is where that raises ValueError, or it is too long."""
    try:
        return SecondText("", fields=read(plain.text)) if len(plain.text) <= _LONGEST else plain
    except (ValueError, RecursionError):
        return plain


def fields_of(name: str, value: Any) -> Iterator[SecondField]:
    """The fields of a value of JSON, or of a property list. A list of nothing but scalars is one value, divided by
    commas."""
    if not isinstance(value, list):
        yield SecondField(name, _scalar(value))
    elif isinstance(value, Pairs) and value:
        yield SecondField(name, None)
        for own, one in value:
            yield from fields_of(own, one)
    elif any(isinstance(one, list) for one in value):
        yield SecondField(name, None)
        for one in value:
            yield from fields_of("", one)
    else:
        items = [*map(_scalar, value)] or ["{}" if isinstance(value, Pairs) else "[]"]
        yield SecondField(name, ", ".join(items), items=items)


def _scalar(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return storable(value)
