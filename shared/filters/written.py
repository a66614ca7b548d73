"""The written form of a filter's tree, the reverse of `text.py`; and the parts of a filter that people put together.

What is written is read again before it is given away: a tree that the grammar cannot say is given as its JSON, which
every field that takes a filter takes as well.
"""

import json
import re
from collections.abc import Iterable
from typing import Final

from shared.errors import BadFilter
from shared.filters.tree import AllOf, AnyOf, Comparison, Filter, NoneOf, Scalar

_WORDS: Final = r"(?!(?:and|or|not|in|between|exists|true|false|yes|no)$)"
_NAME: Final = re.compile(rf"{_WORDS}(?=[\w.\-]*[^\W\d_])\w[\w.\-]*", re.I)
_WORD: Final = re.compile(rf"{_WORDS}[^\W\d_][\w\-]*", re.I)
_SIGNS: Final = {"eq": "=", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}


def write_filter(tree: Filter) -> str:
    """A text that means the same: `power >= 10 hp and lubrication = oilless`."""
    from shared.filters.text import parse_filter

    plain = simplify(tree)
    text = _written(plain)
    try:
        if simplify(parse_filter(text)) == plain:
            return text
    except BadFilter:
        pass
    return json.dumps(plain.model_dump(by_alias=True, exclude_none=True), ensure_ascii=False)


def write_name(name: str) -> str:
    """The name of an attribute as a filter has it, quoted where it must be."""
    return name if _NAME.fullmatch(name) else _quoted(name)


def simplify(tree: Filter) -> Filter:
    """The same without groups of one and groups within groups of their kind; `not` with one part."""
    match tree:
        case Comparison(op="exists", value=False):
            return _negated(Comparison(attr=tree.attr, op="exists"))
        case Comparison():
            return tree if tree.op != "exists" else Comparison(attr=tree.attr, op="exists")
        case AllOf():
            return _all([part for child in tree.all for part in conjuncts(child)])
        case AnyOf():
            parts = [simplify(child) for child in tree.any]
            flat = [part for one in parts for part in (one.any if isinstance(one, AnyOf) else (one,))]
            return flat[0] if len(flat) == 1 else AnyOf(any=tuple(flat))
        case NoneOf():
            return _negated(simplify(AnyOf(any=tree.none)))


def conjuncts(tree: Filter | None) -> list[Filter]:
    """The parts that must all hold."""
    if tree is None:
        return []
    plain = simplify(tree)
    return list(plain.all) if isinstance(plain, AllOf) else [plain]


def join_parts(parts: Iterable[Filter]) -> Filter | None:
    """The filter that wants every one of `parts`, each of them once; None where there are none."""
    # Not a set: a part with a list of values has no hash.
    found: list[Filter] = []
    for part in parts:
        if part not in found:
            found.append(part)
    return _all(found) if found else None


def _all(parts: list[Filter]) -> Filter:
    return parts[0] if len(parts) == 1 else AllOf(all=tuple(parts))


def _negated(tree: Filter) -> Filter:
    return NoneOf.model_validate({"not": (tree,)})


def _written(tree: Filter) -> str:
    match tree:
        case Comparison():
            return _comparison(tree)
        case AllOf():
            return " and ".join(_bracketed(part) if isinstance(part, AnyOf) else _written(part) for part in tree.all)
        case AnyOf():
            return " or ".join(_written(part) for part in tree.any)
        case NoneOf(none=(Comparison() | NoneOf() as only,)):
            return f"not {_written(only)}"
        case NoneOf():
            return f"not {_bracketed(tree.none[0])}"


def _bracketed(tree: Filter) -> str:
    return f"({_written(tree)})"


def _comparison(one: Comparison) -> str:
    name, values = write_name(one.attr), [_value(value, one.unit) for value in one.values]
    match one.op:
        case "exists":
            return f"{name} exists"
        case "between":
            return f"{name} between {_value(one.values[0], None)} and {values[1]}"
        case "in":
            return f"{name} in ({', '.join(values)})"
        case _:
            return f"{name} {_SIGNS[one.op]} {values[0]}"


def _value(value: Scalar, unit: str | None) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value if _WORD.fullmatch(value) else _quoted(value)
    number = f"{value:.15g}"
    return f"{number} {unit}" if unit else number


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
