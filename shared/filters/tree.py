"""The attribute filter: a typed tree over the attributes of chunks, as the API takes it and traces store it.

`{"all": [...]}`, `{"any": [...]}` and `{"not": [...]}` (none of them) over comparisons `{attr, op, value, unit}`. The
meaning of comparisons with inexact values: docs/decisions/0020-attribute-filters.md. The written form: `text.py`.
"""

from collections.abc import Iterator
from typing import Annotated, Any, Final, Literal, Self, cast

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from shared.errors import BadFilter

Op = Literal["eq", "ne", "in", "lt", "le", "gt", "ge", "between", "exists"]
Scalar = (
    bool
    | Annotated[float, Field(ge=-1e50, le=1e50)]
    | Annotated[str, Field(min_length=1, max_length=200, pattern=r"\S")]
)
DEPTH_MAX: Final = 12
NODES_MAX: Final = 200
LIST_MAX: Final = 500
ORDERINGS: Final = ("lt", "le", "gt", "ge")
_GROUPS: Final = ("all", "any", "not")
# One message in place of pydantic's errors for each type of the union.
_VALUES: Final = (
    f"a value is a number up to 1e50, a text of at most 200 characters, true or false, or a list of up to {LIST_MAX}"
)


class _Node(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False, populate_by_name=True)


class Comparison(_Node):
    """One attribute against one value: a list for `in`, two values for `between`, none (or false) for `exists`."""

    attr: str = Field(min_length=1, max_length=200, pattern=r"\S")
    op: Op
    value: Scalar | Annotated[list[Scalar], Field(min_length=1, max_length=LIST_MAX)] | None = None
    unit: str | None = Field(default=None, min_length=1, max_length=60, pattern=r"\S")

    @property
    def values(self) -> tuple[bool | float | str, ...]:
        """All of them, in the order given."""
        if self.value is None:
            return ()
        return tuple(self.value) if isinstance(self.value, list) else (self.value,)

    @model_validator(mode="after")
    def _fits_its_operator(self) -> Self:
        problem = _problem(self)
        if problem:
            raise PydanticCustomError("filter", "{problem}", {"problem": problem})
        return self


class AllOf(_Node):
    """Every one of them holds."""

    all: tuple["Filter", ...] = Field(min_length=1, strict=False)


class AnyOf(_Node):
    """At least one of them holds."""

    any: tuple["Filter", ...] = Field(min_length=1, strict=False)


class NoneOf(_Node):
    """None of them holds."""

    none: tuple["Filter", ...] = Field(min_length=1, strict=False, alias="not")


def _kind(value: Any) -> str:
    given: set[str] = set(cast(dict[str, Any], value)) if isinstance(value, dict) else set()
    names = {"all": AllOf, "any": AnyOf, "not": NoneOf}
    return next((name for name, kind in names.items() if name in given or isinstance(value, kind)), "comparison")


Filter = Annotated[
    Annotated[AllOf, Tag("all")]
    | Annotated[AnyOf, Tag("any")]
    | Annotated[NoneOf, Tag("not")]
    | Annotated[Comparison, Tag("comparison")],
    Discriminator(_kind),
]
for _group in (AllOf, AnyOf, NoneOf):
    _group.model_rebuild()


class _Where(BaseModel):
    where: Filter


def read_filter(tree: object) -> Filter:
    """The tree that JSON holds. Raises BadFilter, saying where in it something is wrong and what would be right."""
    _check_size(tree)
    try:
        return _Where.model_validate({"where": tree}).where
    except ValidationError as error:
        first = error.errors()[0]
        location, said = first["loc"], _message(first["type"], first["msg"])
        if "value" in location:
            location, said = location[: location.index("value") + 1], _VALUES
        raise BadFilter(f"The filter cannot be used: {_path(location)}: {said}.") from error


def comparisons(tree: Filter) -> Iterator[Comparison]:
    """Every comparison in it, from left to right."""
    if isinstance(tree, Comparison):
        yield tree
        return
    for child in children(tree):
        yield from comparisons(child)


def children(tree: AllOf | AnyOf | NoneOf) -> tuple[Filter, ...]:
    match tree:
        case AllOf():
            return tree.all
        case AnyOf():
            return tree.any
        case NoneOf():
            return tree.none


def check_counts(nodes: int, depth: int) -> None:
    """Raises BadFilter for a filter with more nodes or levels than the limits."""
    if depth > DEPTH_MAX:
        raise BadFilter(f"The filter is nested more than {DEPTH_MAX} levels deep. Write it flatter.")
    if nodes > NODES_MAX:
        raise BadFilter(f"The filter has more than {NODES_MAX} conditions. Use `in` for lists of values, or split it.")


def _check_size(tree: object) -> None:
    """Checks the size iteratively, before any recursive code runs on the tree."""
    nodes, level = 0, [tree]
    for depth in range(1, DEPTH_MAX + 2):
        nodes += len(level)
        check_counts(nodes, depth)
        level = [child for node in level for child in _raw_children(node)]
        if not level:
            return
    check_counts(nodes, DEPTH_MAX + 1)


def _raw_children(node: object) -> list[object]:
    if not isinstance(node, dict):
        return []
    groups = [cast(dict[str, object], node).get(name) for name in _GROUPS]
    return [child for group in groups if isinstance(group, (list, tuple)) for child in cast(list[object], group)]


def _problem(one: Comparison) -> str | None:
    given = one.values
    if one.op == "exists":
        if isinstance(one.value, bool | None) and one.unit is None:
            return None
        return "`exists` takes no value (or true or false) and no unit"
    if not given:
        return f"`{one.op}` needs a `value`"
    if isinstance(one.value, list) != (one.op in ("in", "between")):
        wanted = "a list of values" if one.op == "in" else "a list of two" if one.op == "between" else "one value"
        return f"the value of `{one.op}` is {wanted}"
    if one.op == "between" and len(given) != 2:
        return f"the value of `between` is a list of two, the lower and the upper bound; here it has {len(given)}"
    if one.unit is not None and not all(_is_number(value) for value in given):
        return "a unit belongs to numbers, and the value is none"
    if one.op in (*ORDERINGS, "between") and any(isinstance(value, bool) for value in given):
        return f"true and false have no order, so `{one.op}` does not apply to them; use `eq`"
    if one.op == "between" and not _in_order(*given):
        return "the lower bound of `between` comes first, and both are of one type"
    return None


def _is_number(value: object) -> bool:
    return isinstance(value, float | int) and not isinstance(value, bool)


def _in_order(low: object, high: object) -> bool:
    if isinstance(low, str) and isinstance(high, str):
        return True
    return isinstance(low, float) and isinstance(high, float) and low <= high


def _path(location: tuple[int | str, ...]) -> str:
    """`where.all[1].op`; the names of the union's branches are ours and not the caller's."""
    parts = [part for part in location if part != "comparison"]
    named = [part for part, following in zip(parts, [*parts[1:], None], strict=True) if part != following]
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in named).lstrip(".")


def _message(kind: str, text: str) -> str:
    if kind == "missing":
        return "it is missing; a comparison has `attr`, `op` and `value`, a group is one of `all`, `any`, `not`"
    if kind == "extra_forbidden":
        return "there is no such field; a comparison has `attr`, `op`, `value` and `unit`, a group has one list"
    if kind in ("model_type", "model_attributes_type"):
        return 'a condition is an object such as {"attr": "mass", "op": "ge", "value": 10, "unit": "kg"}'
    return text[:1].lower() + text[1:]
