"""A filter's tree as text that reads back as it."""

from shared.filters.tree import AllOf, AnyOf, Comparison, Filter, NoneOf, children

WRITTEN = {"le": "<=", "ge": ">=", "ne": "!=", "eq": "=", "lt": "<", "gt": ">"}


def write_filter(tree: Filter) -> str:
    match tree:
        case Comparison():
            return _written(tree)
        case NoneOf():
            inner = tree.none[0] if len(tree.none) == 1 else AnyOf(any=tree.none)
            return f"not {_grouped(inner)}"
        case AllOf() | AnyOf():
            joiner = " and " if isinstance(tree, AllOf) else " or "
            return joiner.join(_grouped(child) for child in children(tree))


def _grouped(tree: Filter) -> str:
    return write_filter(tree) if isinstance(tree, Comparison) else f"({write_filter(tree)})"


def _written(one: Comparison) -> str:
    name, unit = _quoted(one.attr), f" {one.unit}" if one.unit else ""
    values = [_literal(value) for value in one.values]
    match one.op:
        case "exists":
            return f"not {name} exists" if one.value is False else f"{name} exists"
        case "in":
            return f"{name} in ({', '.join(value + unit for value in values)})"
        case "between":
            return f"{name} between {values[0]}{unit} and {values[1]}{unit}"
        case _:
            return f"{name} {WRITTEN[one.op]} {values[0]}{unit}"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _literal(value: bool | float | str) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return _quoted(value) if isinstance(value, str) else repr(value)
