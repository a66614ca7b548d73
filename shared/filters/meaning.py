"""Resolves a filter's tree to tests of stored values, by the attributes that the scope has.

A filter that names an unknown attribute, or compares one with a value of another type, is refused with a list of what
exists: an empty result would look like an answer.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NoReturn

from shared.errors import BadFilter
from shared.filters.declared import NAMED_MAX, Declared, declared_attributes, refuse_unknown
from shared.filters.sql import Check, Kind, Leaf, LeafGroup, LeafTree
from shared.filters.tree import ORDERINGS, AllOf, AnyOf, Comparison, Filter, NoneOf, Op, comparisons
from shared.filters.values import FilterValue, read_value
from shared.store.connect import Connection
from shared.values.names import name_of, read_label


def read_meaning(connection: Connection, tree: Filter) -> LeafTree:
    """Raises BadFilter naming the existing attributes, or the type of the one used wrongly."""
    names = {one.attr: _names(one.attr) for one in comparisons(tree)}
    found = declared_attributes(connection, sorted({name for known in names.values() for name in known}))
    declared: dict[str, Declared] = {}
    for attr, known in names.items():
        one = next((found[name] for name in known if name in found), None)
        declared[attr] = one or refuse_unknown(connection, attr, known[0])
    return _meaning(tree, declared)


def _names(attr: str) -> list[str]:
    """The normalised names that the label can mean, best first: the whole label, or the label without its unit."""
    names = list(dict.fromkeys(name for name in (name_of(attr), read_label(attr)[0]) if name))
    if not names:
        raise BadFilter(f"`{attr}` cannot name an attribute: a name has a letter.")
    return names


def _meaning(tree: Filter, declared: Mapping[str, Declared]) -> LeafTree:
    match tree:
        case Comparison():
            return _tests(tree, declared[tree.attr])
        case AnyOf(any=(only,)):
            return _meaning(only, declared)
        case AllOf():
            return _all(_meaning(part, declared) for part in tree.all)
        case AnyOf():
            return LeafGroup("any", tuple(_meaning(part, declared) for part in tree.any))
        case NoneOf():
            return LeafGroup("none", tuple(_meaning(part, declared) for part in tree.none))


def _tests(one: Comparison, found: Declared) -> LeafTree:
    present = Leaf(found.name, bases=found.bases)
    if one.op == "exists":
        return LeafGroup("none", (present,)) if one.value is False else present
    values = [read_value(value, one.unit) for value in one.values]
    match one.op:
        case "between":
            bounds: Sequence[tuple[Op, FilterValue]] = (("ge", values[0]), ("le", values[1]))
            return _all(Leaf(found.name, ((_ordering(one, op, value, found),),), found.bases) for op, value in bounds)
        case "lt" | "le" | "gt" | "ge":
            return Leaf(found.name, ((_ordering(one, one.op, values[0], found),),), found.bases)
        case _:
            equal = Leaf(found.name, tuple((check,) for check in _equalities(one, values, found)), found.bases)
            return equal if one.op != "ne" else LeafGroup("all", (present, LeafGroup("none", (equal,))))


def _all(parts: Iterable[LeafTree]) -> LeafGroup:
    return LeafGroup("all", tuple(_joined_bounds(_flattened(parts))))


def _flattened(parts: Iterable[LeafTree]) -> Iterator[LeafTree]:
    """The parts of an `all`, with nested `all`s and both bounds of `between` as parts of their own."""
    for part in parts:
        if isinstance(part, LeafGroup) and part.kind == "all":
            yield from part.parts
        else:
            yield part


def _joined_bounds(parts: Iterable[LeafTree]) -> list[LeafTree]:
    """Joins bounds on one attribute, which must hold for the same value: `mass >= 5 and mass <= 10` does not match 2
    and 20."""
    found: dict[tuple[str, tuple[Kind, ...]], Leaf] = {}
    kept: list[LeafTree] = []
    for part in parts:
        if not (isinstance(part, Leaf) and part.is_bound):
            kept.append(part)
            continue
        key = part.name, part.kinds
        both = found.get(key)
        found[key] = part if both is None else both.both(part)
    return [*found.values(), *kept]


def _ordering(one: Comparison, op: Op, value: FilterValue, found: Declared) -> Check:
    if value.text is None and value.number is not None and "number" in found.kinds:
        return _number(one, op, value, found)
    if value.time and "time" in found.kinds:
        return Check("time", op, (value.time,))
    return _refuse_type(one, op, value, found)


def _equalities(one: Comparison, values: Iterable[FilterValue], found: Declared) -> list[Check]:
    """A test for each kind of value that may be meant; a text may also mean a date, a number or a boolean where the
    attribute has those."""
    checks: list[Check] = []
    for value in values:
        checks += list(_equality(one, value, found)) or _refuse_type(one, "eq", value, found)
    merged: dict[tuple[Kind, str | None], Check] = {}
    for check in checks:
        key = check.kind, check.unit
        merged[key] = Check(
            check.kind, "eq", (*(merged[key].values if key in merged else ()), *check.values), check.unit
        )
    return list(merged.values())


def _equality(one: Comparison, value: FilterValue, found: Declared) -> Iterable[Check]:
    has_text = "text" in found.kinds
    said = value.text if value.text is not None else _digits(value)
    if said is not None and has_text:
        if meant := found.meant(said):
            yield Check("text", "eq", tuple(meant))
        elif found.kinds == {"text"}:
            _refuse_value(one, said, found)
    if value.number is not None and "number" in found.kinds and (value.text is None or has_text):
        yield _number(one, "eq", value, found)
    if value.time and "time" in found.kinds and (value.text is not None or "number" not in found.kinds):
        yield Check("time", "eq", (value.time,))
    if value.boolean is not None and "boolean" in found.kinds:
        yield Check("boolean", "eq", (value.boolean,))


def _digits(value: FilterValue) -> str | None:
    """A bare whole number as a text has it: the identifiers of some things are digits alone."""
    if value.number is None or value.unit is not None or not value.number.is_integer():
        return None
    return f"{value.number:.0f}"


def _refuse_value(one: Comparison, said: str, found: Declared) -> NoReturn:
    allowed = [value.value for category in found.categories for value in category.values]
    listed = list(dict.fromkeys(allowed))
    more = f" and {len(listed) - NAMED_MAX} more" if len(listed) > NAMED_MAX else ""
    raise BadFilter(f"`{said}` is no value of `{one.attr}`. It is one of: {', '.join(listed[:NAMED_MAX])}{more}.")


def _number(one: Comparison, op: Op, value: FilterValue, found: Declared) -> Check:
    if value.unit is None or value.canonical is None:
        return Check("printed", op, (value.number,))
    if value.unit not in found.units:
        units = sorted({unit or "no unit" for units in found.units.values() for unit in units})
        raise BadFilter(
            f"`{one.attr}` cannot be compared with {value.shown}, {value.measure}: "
            f"its values are in {', '.join(units)}. "
            "Give one of these, or leave the unit out to compare with the numbers as printed."
        )
    return Check("number", op, (value.canonical,), value.unit)


def _refuse_type(one: Comparison, op: Op, value: FilterValue, found: Declared) -> NoReturn:
    what = f"`{one.attr}` holds {found.describe()}"
    if op in ORDERINGS and not found.kinds & {"number", "time"}:
        raise BadFilter(f"{what}, which has no order: `{op}` does not apply. Use `=`, `!=`, `in` or `exists`.")
    hints = {
        "number": "a number, with its unit where it has one",
        "time": "a date such as 2026-03-01",
        "boolean": "true or false",
        "text": f'a text in quotes, such as "{value.shown}"',
    }
    wanted = [hints[kind] for kind in ("number", "time", "boolean", "text") if kind in found.kinds]
    raise BadFilter(f"{what}, and {value.shown} is not of that type. Write {' or '.join(wanted)}.")
