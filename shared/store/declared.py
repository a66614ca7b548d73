"""Which attributes the knowledge bases in scope have, and whether a filter asks for what is there.

A filter that names an unknown attribute, or compares one with what it is not, is refused and says what there is: an
empty result would look like an answer.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Final, NoReturn
from uuid import UUID

from shared.domain.declared import DeclaredAttribute
from shared.domain.filters import ORDERINGS
from shared.errors import BadFilter
from shared.store.connect import Connection
from shared.store.filter_terms import Group, Term, Tree, Value, terms
from shared.store.leaves import Check, Kind, Leaf, LeafGroup, LeafTree
from shared.store.named_queries import load_queries

_SQL = load_queries("declared")
# Names that an error lists, and those that are compared for it.
NAMED_MAX: Final = 20
COMPARED_MAX: Final = 5000
_KINDS: Final = {"number": "numbers", "text": "text", "time": "dates", "boolean": "yes or no"}


@dataclass
class Declared:
    """An attribute: the kinds of its values, and its canonical units each with the units printed; "" for none."""

    name: str
    kinds: set[str] = field(default_factory=set[str])
    units: dict[str, set[str]] = field(default_factory=dict[str, set[str]])

    def describe(self) -> str:
        """`numbers (kg, [lb_av]), text`."""
        printed = sorted({unit or "without a unit" for units in self.units.values() for unit in units})
        shown = {
            kind: f"{_KINDS[kind]} ({', '.join(printed[:6])})" if kind == "number" else _KINDS[kind]
            for kind in self.kinds
        }
        return " and ".join(shown[kind] for kind in sorted(shown))


def declared_attributes(connection: Connection, names: Sequence[str]) -> dict[str, Declared]:
    """Those of `names` that the knowledge bases in scope have."""
    found: dict[str, Declared] = {}
    for row in connection.execute(_SQL["declared"], {"names": list(names)}):
        one = found.setdefault(row["name"], Declared(row["name"]))
        one.kinds.add(row["kind"])
        if row["kind"] == "number":
            one.units.setdefault(row["unit"], set()).add(row["printed_unit"])
    return found


def check_tree(connection: Connection, tree: Tree) -> LeafTree:
    """The filter as tests of stored values. Raises BadFilter naming the attributes there are, or the type of one."""
    asked = list(terms(tree))
    declared = declared_attributes(connection, sorted({name for term in asked for name in term.names}))
    for term in asked:
        if not any(name in declared for name in term.names):
            _refuse_unknown(connection, term)
    return _checked(tree, declared)


def _refuse_unknown(connection: Connection, term: Term) -> NoReturn:
    rows = connection.execute(_SQL["names"], {"limit": COMPARED_MAX}).fetchall()
    names = [str(row["name"]) for row in rows]
    if not names:
        raise BadFilter(f"There is no attribute `{term.attr}`: these knowledge bases declare none.")
    close = get_close_matches(term.names[0], names, n=NAMED_MAX, cutoff=0.5)
    listed = [*close, *(name for name in names if name not in close)][:NAMED_MAX]
    more = f" and {len(names) - len(listed)} more" if len(names) > len(listed) else ""
    raise BadFilter(f"There is no attribute `{term.attr}`. Declared are: {', '.join(listed)}{more}.")


def _checked(tree: Tree, declared: Mapping[str, Declared]) -> LeafTree:
    if isinstance(tree, Group):
        parts = [_checked(part, declared) for part in tree.parts]
        return LeafGroup(tree.kind, tuple(_together(_flat(parts)) if tree.kind == "all" else parts))
    found = next(declared[name] for name in tree.names if name in declared)
    if tree.op == "exists":
        return Leaf(found.name)
    if tree.op in ORDERINGS:
        return Leaf(found.name, tuple((check,) for check in [_ordering(tree, found)]))
    equal = Leaf(found.name, tuple((check,) for check in _equalities(tree, found)))
    return equal if tree.op != "ne" else LeafGroup("all", (Leaf(found.name), LeafGroup("none", (equal,))))


def _flat(parts: Iterable[LeafTree]) -> Iterator[LeafTree]:
    """The parts of an `all`: what stands in brackets in it, and both bounds of `between`, are its own."""
    for part in parts:
        if isinstance(part, LeafGroup) and part.kind == "all":
            yield from part.parts
        else:
            yield part


def _together(parts: Iterable[LeafTree]) -> list[LeafTree]:
    """Bounds of one attribute are for one and the same value: `mass >= 5 and mass <= 10` is not for 2 and 20."""
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


def _ordering(term: Term, found: Declared) -> Check:
    (value,) = term.values
    if value.text is None and value.number is not None and "number" in found.kinds:
        return _number(term, value, found)
    if value.time and "time" in found.kinds:
        return Check("time", term.op, (value.time,))
    return _refuse_type(term, value, found)


def _equalities(term: Term, found: Declared) -> list[Check]:
    """A test for each kind of value that is meant; a text means a date, a number or yes and no as well where the
    attribute has those."""
    checks: list[Check] = []
    for value in term.values:
        own = list(_equality(term, value, found))
        if not own:
            _refuse_type(term, value, found)
        checks += own
    merged: dict[tuple[Kind, str | None], Check] = {}
    for check in checks:
        key = check.kind, check.unit
        merged[key] = Check(
            check.kind, "eq", (*(merged[key].values if key in merged else ()), *check.values), check.unit
        )
    return list(merged.values())


def _equality(term: Term, value: Value, found: Declared) -> Iterable[Check]:
    has_text = "text" in found.kinds
    if value.text is not None and has_text:
        yield Check("text", "eq", (value.text,))
    if value.number is not None and "number" in found.kinds and (value.text is None or has_text):
        yield _number(term, value, found)
    if value.time and "time" in found.kinds and (value.text is not None or "number" not in found.kinds):
        yield Check("time", "eq", (value.time,))
    if value.boolean is not None and "boolean" in found.kinds:
        yield Check("boolean", "eq", (value.boolean,))


def _number(term: Term, value: Value, found: Declared) -> Check:
    op = term.op if term.op in ORDERINGS else "eq"
    if value.unit is None or value.canonical is None:
        return Check("printed", op, (value.number,))
    if value.unit not in found.units:
        units = sorted({unit or "no unit" for units in found.units.values() for unit in units})
        raise BadFilter(
            f"`{term.attr}` cannot be compared with {value.shown}, {value.measure}: "
            f"its values are in {', '.join(units)}. "
            "Give one of these, or leave the unit out to compare with the numbers as printed."
        )
    return Check("number", op, (value.canonical,), value.unit)


def _refuse_type(term: Term, value: Value, found: Declared) -> NoReturn:
    what = f"`{term.attr}` holds {found.describe()}"
    if term.op in ORDERINGS and not found.kinds & {"number", "time"}:
        raise BadFilter(f"{what}, which has no order: `{term.op}` does not apply. Use `=`, `!=`, `in` or `exists`.")
    hints = {
        "number": "a number, with its unit where it has one",
        "time": "a date such as 2026-03-01",
        "boolean": "true or false",
        "text": f'a text in quotes, such as "{value.shown}"',
    }
    wanted = [hints[kind] for kind in ("number", "time", "boolean", "text") if kind in found.kinds]
    raise BadFilter(f"{what}, and {value.shown} is not of that type. Write {' or '.join(wanted)}.")


def list_attributes(connection: Connection, knowledge_base_id: UUID, after: str, limit: int) -> list[DeclaredAttribute]:
    """Those of a knowledge base by name, from behind `after`."""
    values = {"knowledge_base_id": knowledge_base_id, "after": after, "limit": limit}
    return [DeclaredAttribute.model_validate(row) for row in connection.execute(_SQL["list"], values)]
