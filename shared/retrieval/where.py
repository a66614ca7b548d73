"""An attribute filter read into terms: names as the extractor writes them, values in each way they can be meant."""

import json

from shared.domain.filters import AllOf, AnyOf, Comparison, Filter, NoneOf, children, read_filter
from shared.domain.filters_text import parse_filter
from shared.errors import BadFilter
from shared.retrieval.filter_values import read_value
from shared.store.filter_terms import Group, Term, Tree
from shared.values.names import name_of, read_label


def read_where(where: object) -> Tree | None:
    """The terms of a filter: written, a tree, or a tree's JSON. Raises BadFilter with the place of what is wrong."""
    if where is None:
        return None
    if not isinstance(where, str):
        return _terms_of(read_filter(where))
    return _terms_of(read_filter(_json(where)) if where.lstrip().startswith("{") else parse_filter(where))


def _json(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        problem = error.msg if isinstance(error, json.JSONDecodeError) else "it is nested too deep"
        at = f" at character {error.pos + 1}" if isinstance(error, json.JSONDecodeError) else ""
        raise BadFilter(f"The filter begins with a brace and is no JSON{at}: {problem}.") from error


def _terms_of(tree: Filter) -> Tree:
    match tree:
        case Comparison():
            return _term(tree)
        case AllOf():
            return Group("all", tuple(map(_terms_of, children(tree))))
        case AnyOf(any=(only,)):
            return _terms_of(only)
        case AnyOf():
            return Group("any", tuple(map(_terms_of, children(tree))))
        case NoneOf():
            return Group("none", tuple(map(_terms_of, children(tree))))


def _term(one: Comparison) -> Tree:
    """As the extractor names things: the whole label, or the label without the unit in it."""
    names = dict.fromkeys(name for name in (name_of(one.attr), read_label(one.attr)[0]) if name)
    if not names:
        raise BadFilter(f"`{one.attr}` cannot name an attribute: a name has a letter.")
    if one.op == "exists":
        present = Term(one.attr, tuple(names), "exists")
        return Group("none", (present,)) if one.value is False else present
    values = tuple(read_value(value, one.unit) for value in one.values)
    if one.op == "between":
        return Group(
            "all", (Term(one.attr, tuple(names), "ge", values[:1]), Term(one.attr, tuple(names), "le", values[1:]))
        )
    return Term(one.attr, tuple(names), one.op, values)
