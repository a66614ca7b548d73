"""What choosing a value or a range makes of the filter; and the filter without what it says of an attribute."""

import re
from collections.abc import Sequence
from typing import Any, Final

from shared.domain.facets import FacetRange, FacetValue
from shared.filters.tree import ORDERINGS, Comparison, Filter, Op, Scalar
from shared.filters.written import conjuncts, join_parts, write_filter
from shared.values.names import name_of, read_label

BOUNDS: Final = (*ORDERINGS, "between")
_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}")


class Choices:
    """The parts of a filter that must all hold, to which others are put and from which they are taken."""

    def __init__(self, tree: Filter | None) -> None:
        self._parts = conjuncts(tree)

    def rest(self, name: str) -> str:
        """The filter without the comparisons of the attribute."""
        return _text([part for part in self._parts if not _names(part, name)])

    def speaks_of(self, name: str) -> bool:
        return any(_names(part, name) for part in self._parts)

    def value(self, name: str, value: str, count: int, *, boolean: bool = False) -> FacetValue:
        wanted: Scalar = value == "true" if boolean else value
        held = [part for part in self._parts if _names(part, name) and _equals(part, wanted)]
        if held:
            where = _text([part for part in self._parts if part not in held])
        else:
            where = _text([*self._parts, Comparison(attr=name, op="eq", value=wanted)])
        return FacetValue(value=value, count=count, where=where, chosen=bool(held))

    def range(self, name: str, bounds: tuple[Scalar, Scalar], unit: str | None, shown: FacetRange) -> FacetRange:
        """`shown` with the filter that has these bounds, too; those of before that they imply are left out."""
        low = Comparison(attr=name, op="ge", value=bounds[0], unit=unit)
        high = Comparison(attr=name, op="lt", value=bounds[1], unit=unit)
        held = [part for part in self._parts if _names(part, name) and _is_bound(part)]
        chosen = len(held) == 2 and all(_same(*pair) for pair in zip(held, (low, high), strict=True))
        left = [part for part in self._parts if part not in held or not (chosen or _implied(part, low, high))]
        where = _text(left if chosen else [*left, low, high])
        return shown.model_copy(update={"where": where, "chosen": chosen})


def _text(parts: Sequence[Filter]) -> str:
    joined = join_parts(parts)
    return write_filter(joined) if joined is not None else ""


def _names(part: Filter, name: str) -> bool:
    return isinstance(part, Comparison) and name in (name_of(part.attr), read_label(part.attr)[0])


def _equals(part: Filter, value: Scalar) -> bool:
    if not isinstance(part, Comparison) or part.op != "eq":
        return False
    if isinstance(part.value, str) and isinstance(value, str):
        return " ".join(part.value.split()).lower() == " ".join(value.split()).lower()
    return part.value is value


def _is_bound(part: Filter) -> bool:
    return isinstance(part, Comparison) and part.op in BOUNDS


def _implied(part: Filter, low: Comparison, high: Comparison) -> bool:
    """Whether whatever lies from `low` to before `high` fulfils this bound; of units or dates told otherwise it is not
    known."""
    if not isinstance(part, Comparison) or part.unit != low.unit:
        return False
    first, last = _key(part.values[0]), _key(part.values[-1])
    start, end = _key(low.value), _key(high.value)
    if None in (first, last, start, end) or not type(first) is type(last) is type(start) is type(end):
        return False
    return _reaches(part.op, (first, last), (start, end))


def _reaches(op: Op, given: tuple[Any, Any], wanted: tuple[Any, Any]) -> bool:
    from_start = {"ge": given[0] <= wanted[0], "gt": given[0] < wanted[0], "between": given[0] <= wanted[0]}
    to_end = given[1] >= wanted[1]
    return from_start.get(op, True) and (op in ("ge", "gt") or to_end)


def _key(value: object) -> float | str | None:
    """What compares as the values do: a number, or a whole day as text."""
    if isinstance(value, str):
        return value if _DAY.fullmatch(value) else None
    return value if isinstance(value, float) else None


def _same(part: Filter, other: Comparison) -> bool:
    return isinstance(part, Comparison) and (part.op, part.value, part.unit) == (other.op, other.value, other.unit)
