"""JSON as the standard library reads it: each value with its name, in the order of the file. What it does not take is
text."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from shared.domain.raw_page import SecondText
from shared.rereading.data import DEEPEST, MOST, Fields, Pairs, fields_of, fields_or_text
from shared.rereading.text import reread_text

_SPACES = " \t\r\n"


def reread_json(path: Path) -> SecondText:
    def read(text: str) -> Fields:
        options: dict[str, Any] = {"object_pairs_hook": Pairs, "parse_int": str, "parse_float": str}
        decoder = json.JSONDecoder(**options, parse_constant=str)
        try:
            value = decoder.decode(text)
        except ValueError:
            value = [*_one_behind_the_other(text, decoder)]
        return _checked(value)

    return fields_or_text(reread_text(path), read)


def _one_behind_the_other(text: str, decoder: json.JSONDecoder) -> Iterator[Any]:
    """The values of a text. Raises ValueError where there are too many."""
    end, at = len(text.rstrip(_SPACES)), len(text) - len(text.lstrip(_SPACES))
    count = 0
    while at < end:
        one, at = decoder.raw_decode(text, at)
        yield one
        while at < end and text[at] in _SPACES:
            at += 1
        count += 1
        if count > MOST:
            raise ValueError("too many")


def _checked(value: Any) -> Fields:
    """The fields of a value. Raises ValueError where it is too deep, or has too many."""
    count, todo = 0, [(value, 1)]
    while todo:
        one, depth = todo.pop()
        count += 1
        if isinstance(one, list):
            if depth > DEEPEST:
                raise ValueError("too deep")
            todo += [(inner[1] if isinstance(one, Pairs) else inner, depth + 1) for inner in one]
    if count > MOST:
        raise ValueError("too many")
    return [*fields_of("", value)]
