"""JSON as a tree with places, read by a loop: no nesting can exhaust the stack. Numbers stay as they are written."""

import re
from typing import Final

from shared.domain.characters import storable
from shared.readers.data.tree import MAX_VALUES, Node, group_of, list_of, scalar_of

DEEPEST: Final = 200
_TOKEN: Final = re.compile(
    r'[ \t\r\n]*+(?:"((?:[^"\\\x00-\x1f]|\\["\\/bfnrt]|\\u[0-9A-Fa-f]{4}|(?!))*+)"'
    r"|(-?(?:0|[1-9]\d*+)(?:\.\d++)?(?:[eE][+-]?\d++)?|true|false|null|NaN|-?Infinity)|([\[\]{},:]))"
)
_ESCAPE: Final = re.compile(r"\\(?:u([0-9A-Fa-f]{4})(?:\\u([Dd][C-Fc-f][0-9A-Fa-f]{2}))?|(.))")
_PLAIN: Final = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_SPACE: Final = re.compile(r"[ \t\r\n]*+")


class _Container:
    """A list or a group that is not closed; `key` waits for its value, `named` is where it begins."""

    def __init__(self, start: int, *, is_group: bool) -> None:
        self.start, self.is_group = start, is_group
        self.members: list[tuple[str, Node]] = []
        self.items: list[Node] = []
        self.key: str | None = None
        self.named = 0
        self.wants = "first"

    def closed(self, end: int) -> Node:
        return group_of(self.members, self.start, end) if self.is_group else list_of(self.items, self.start, end)

    def take(self, node: Node) -> None:
        if self.wants not in (("value",) if self.is_group else ("first", "next")):
            raise ValueError(f"out of place at {node.start}")
        if self.key is not None:
            self.members.append((self.key, node._replace(start=self.named)))
            self.key = None
        else:
            self.items.append(node)
        self.wants = "comma"


def json_of(text: str) -> Node:
    """Raises ValueError for what is no JSON, nested deeper than DEEPEST, or has more than MAX_VALUES values."""
    node, end, _ = _value_at(text, 0, MAX_VALUES)
    if _behind_space(text, end) < len(text):
        raise ValueError("something stands behind the value")
    return node


def json_lines_of(text: str) -> Node:
    """A value in each line, or one behind the other. Raises ValueError as above."""
    items: list[Node] = []
    at, left = _behind_space(text, 0), MAX_VALUES - 1
    while at < len(text):
        node, at, left = _value_at(text, at, left)
        items.append(node)
        at = _behind_space(text, at)
    return list_of(items, 0, len(text))


def _value_at(text: str, at: int, left: int) -> tuple[Node, int, int]:
    """(the value that begins behind spaces at `at`, where it ends, how many more values than it has may follow)."""
    around: list[_Container] = []
    while True:
        token = _TOKEN.match(text, at)
        if token is None:
            raise ValueError(f"no JSON at {at}")
        string, scalar, sign = token.groups()
        start, at = token.end() - len(token[0].lstrip(" \t\r\n")), token.end()
        inner = around[-1] if around else None
        node: Node | None = None
        if string is not None and inner and inner.is_group and inner.key is None:
            if inner.wants not in ("first", "next"):
                raise ValueError(f"a comma is missing at {start}")
            inner.key, inner.named, inner.wants = _unescaped(string), start, "colon"
            continue
        if string is not None or scalar is not None:
            node = scalar_of(_unescaped(string) if string is not None else scalar, start, at)
        elif sign in "{[":
            if len(around) >= DEEPEST or (inner and inner.wants not in ("first", "next", "value")):
                raise ValueError(f"too deep or out of place at {start}")
            if inner and inner.is_group and inner.key is None:
                raise ValueError(f"a name is missing at {start}")
            around.append(_Container(start, is_group=sign == "{"))
            continue
        elif inner is None:
            raise ValueError(f"no value at {start}")
        elif sign == ":" and inner.wants == "colon":
            inner.wants = "value"
            continue
        elif sign == "," and inner.wants == "comma":
            inner.wants = "next"
            continue
        elif sign == ("}" if inner.is_group else "]") and inner.wants in ("first", "comma"):
            around.pop()
            node = inner.closed(at)
            inner = around[-1] if around else None
        if node is None:
            raise ValueError(f"{sign} is out of place at {start}")
        left -= 1
        if left < 0:
            raise ValueError("too many values")
        if inner is None:
            return node, at, left
        inner.take(node)


def _unescaped(said: str) -> str:
    return storable(_ESCAPE.sub(_character, said)) if "\\" in said else said


def _character(escape: re.Match[str]) -> str:
    code, second, plain = escape.groups()
    if plain:
        return _PLAIN.get(plain, plain)
    first = int(code, 16)
    if second and 0xD800 <= first < 0xDC00:
        return chr(0x10000 + ((first - 0xD800) << 10) + int(second, 16) - 0xDC00)
    return chr(first) + (chr(int(second, 16)) if second else "")


def _behind_space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at
