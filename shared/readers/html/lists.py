"""The numbers and bullets that browsers show in front of the items of a list, which stand in no text (HTML 4.4.5 to
4.4.8; CSS Counter Styles 3, 6.1)."""

import re
from collections.abc import Callable
from typing import Any, Final

from shared.values.numerals import letters, roman

_STYLE: Final = re.compile(r"(?:^|;)\s*list-style(?:-type)?\s*:\s*([^;]{0,100})", re.I)
_TYPES: Final = {"1": "decimal", "a": "lower-alpha", "A": "upper-alpha", "i": "lower-roman", "I": "upper-roman"}
_NAMES: Final = frozenset({
    "decimal", "decimal-leading-zero", "lower-alpha", "lower-latin", "upper-alpha", "upper-latin", "lower-roman",
    "upper-roman", "none",
})  # fmt: skip


BULLET: Final = "\u2022"


def bullets_of(unordered: Any, is_unseen: Callable[[Any], bool]) -> dict[Any, str]:
    """A bullet for each item of a `ul`, by its element; none where its style is none."""
    items = [one for one in unordered.iterchildren("li") if not is_unseen(one)]
    kind = _kind(unordered, "disc")
    return {item: BULLET for item in items if _kind(item, kind) != "none"}


def numbers_of(ordered: Any, is_unseen: Callable[[Any], bool]) -> dict[Any, str]:
    """The numbers of the items of an `ol`, by their elements; none where the list has another style of its own."""
    items = [one for one in ordered.iterchildren("li") if not is_unseen(one)]
    backwards = "reversed" in ordered.attrib
    number = _number(ordered.get("start", ""))
    if number is None:
        number = len(items) if backwards else 1
    kind = _kind(ordered, "decimal")
    found: dict[Any, str] = {}
    for item in items:
        said = _number(item.get("value", ""))
        number = number if said is None else said
        if shown := _shown(number, _kind(item, kind)):
            found[item] = shown
        number += -1 if backwards else 1
    return found


def _kind(element: Any, usual: str) -> str:
    """How its numbers are written: by its style, else by its attribute, else as usual; empty for what is not known."""
    styled = _STYLE.search(element.get("style", ""))
    if styled:
        words = styled[1].lower().split()
        return next((word for word in words if word in _NAMES), "" if words else usual)
    return _TYPES.get(element.get("type", "").strip(), usual)


def _shown(number: int, kind: str) -> str:
    match kind:
        case "" | "none":
            return ""
        case "decimal-leading-zero":
            return f"{number:03}." if number < 0 else f"{number:02}."
        case "lower-roman" | "upper-roman" if 0 < number < 4000:
            said = roman(number)
        case "lower-alpha" | "lower-latin" | "upper-alpha" | "upper-latin" if number > 0:
            said = letters(number)
        case _:
            return f"{number}."
    return f"{said.upper() if kind.startswith('upper') else said}."


def _number(said: str) -> int | None:
    """A number as HTML reads one: what follows its digits does not count. One of more than nine digits is none."""
    found = re.match(r"\s{0,20}([+-]?[0-9]{1,9})(?![0-9])", said)
    return int(found[1]) if found else None
