"""The attributes that the knowledge bases in scope have, with their kinds of values and units.

Where people declared attributes, these count and no others, under their names or any of their synonyms.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Final, NoReturn
from uuid import UUID

from shared.domain.attribute_schema import Declaration
from shared.domain.attributes import DeclaredAttribute
from shared.errors import BadFilter
from shared.extraction.attributes.declared import allowed_value, printed_names
from shared.store.attribute_schema import load_schema
from shared.store.connect import Connection
from shared.store.named_queries import load_queries
from shared.values.measures import read_measure

_SQL = load_queries("declared")
# How many names an error lists, and how many are compared to find the nearest.
NAMED_MAX: Final = 20
COMPARED_MAX: Final = 5000
# How many attributes are tested at most for a number in some unit: each is a look-up of its own in the index.
MEASURED_MAX: Final = 50
_KINDS: Final = {"number": "numbers", "text": "text", "time": "dates", "boolean": "yes or no"}
# Kinds of stored values by declared type.
KINDS: Final = {"number": "number", "category": "text", "text": "text", "date": "time", "boolean": "boolean"}
_Schemas = dict[UUID, list[Declaration] | None]


@dataclass
class Declared:
    """An attribute: the kinds of its values, and its canonical units, each with the printed units; "" for none.

    `bases` are the knowledge bases where filters may name it; None: all in scope. `categories` are its declarations
    that list which values there are; it is `free` where one in scope lists none.
    """

    name: str
    kinds: set[str] = field(default_factory=set[str])
    units: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    bases: tuple[UUID, ...] | None = None
    categories: list[Declaration] = field(default_factory=list[Declaration])
    free: bool = True

    def meant(self, said: str) -> list[str]:
        """The stored texts that a text of a filter means: those of the category, by a synonym too. [] for none."""
        allowed = [value for one in self.categories if (value := allowed_value(said, one))]
        return list(dict.fromkeys([*allowed, *([said] if self.free else [])]))

    def describe(self) -> str:
        """`numbers (kg, [lb_av]), text`."""
        printed = sorted({unit or "without a unit" for units in self.units.values() for unit in units})
        shown = {
            kind: f"{_KINDS[kind]} ({', '.join(printed[:6])})" if kind == "number" else _KINDS[kind]
            for kind in self.kinds
        }
        return " and ".join(shown[kind] for kind in sorted(shown))

    def add(self, kind: str, unit: str, printed_unit: str) -> None:
        self.kinds.add(kind)
        if kind == "number":
            self.units.setdefault(unit, set()).add(printed_unit)


def declared_attributes(connection: Connection, names: Sequence[str]) -> dict[str, Declared]:
    """Those of `names` that the knowledge bases in scope have; also by what a declaration calls a synonym."""
    schemas = _schemas(connection)
    meant = {name: _meant(name, schemas) for name in names}
    wanted = list({name for name in (*names, *meant.values()) if name})
    found: dict[str, Declared] = {}
    for row in connection.execute(_SQL["declared"], {"names": wanted}):
        one = found.setdefault(row["name"], Declared(row["name"]))
        one.add(row["kind"], row["unit"], row["printed_unit"])
    for declaration in _declarations(schemas, wanted):
        unit = read_measure(declaration.unit) if declaration.unit else None
        one = found.setdefault(declaration.name, Declared(declaration.name))
        one.add(KINDS[declaration.type], unit.canonical if unit else "", unit.code if unit else "")
        if declaration.values:
            one.categories.append(declaration)
    for one in found.values():
        one.bases = _bases(one.name, schemas)
        one.free = len(one.categories) < len(schemas if one.bases is None else one.bases)
    return found | {name: found[other] for name, other in meant.items() if name not in found and other in found}


def attributes_in_units(connection: Connection, units: Sequence[str]) -> dict[str, tuple[Declared, ...]]:
    """By canonical unit the attributes that filters may name and that have numbers in it, sorted by name; none of a
    unit that more than MEASURED_MAX have, as it does not tell what is measured."""
    schemas, found = _schemas(connection), dict[str, list[Declared]]()
    rows = connection.execute(_SQL["in_units"], {"units": list(units), "limit": MEASURED_MAX + 1}).fetchall()
    for row in rows:
        bases = _bases(row["name"], schemas)
        if bases != ():
            found.setdefault(row["unit"], []).append(Declared(row["name"], {"number"}, bases=bases))
    return {unit: tuple(named) for unit, named in found.items() if len(named) <= MEASURED_MAX}


def declared_units(connection: Connection, names: Collection[str]) -> dict[str, str]:
    """The unit in which people think of an attribute of `names`: its code, or a currency. Without those that knowledge
    bases in scope declare in different ones."""
    asked, units = frozenset(names), dict[str, set[str]]()
    for row in connection.execute(_SQL["schemas"]) if asked else ():
        for one in row["attributes"] or ():
            # As stored: most are of other names.
            measure = read_measure(one["unit"]) if one["name"] in asked and one.get("unit") else None
            if measure:
                units.setdefault(one["name"], set()).add(measure.code)
    return {name: codes.pop() for name, codes in units.items() if len(codes) == 1}


def _schemas(connection: Connection) -> _Schemas:
    """What is declared in each knowledge base in scope; None where nobody declared anything."""
    return {
        row["base"]: None
        if row["attributes"] is None
        else [Declaration.model_validate(one) for one in row["attributes"]]
        for row in connection.execute(_SQL["schemas"])
    }


def _meant(name: str, schemas: _Schemas) -> str:
    """The declared name that has `name` as a synonym; '' for none, and for several."""
    names = {
        one.name for declared in schemas.values() if declared is not None
        for one in declared if name in printed_names(one)
    }  # fmt: skip
    return names.pop() if len(names) == 1 else ""


def _declarations(schemas: _Schemas, names: Sequence[str]) -> Iterator[Declaration]:
    for declared in schemas.values():
        yield from (one for one in declared or () if one.name in names)


def _bases(name: str, schemas: _Schemas) -> tuple[UUID, ...] | None:
    """Where filters may name it; None where they may everywhere."""
    may = tuple(
        base for base, declared in schemas.items() if declared is None or any(one.name == name for one in declared)
    )
    return None if len(may) == len(schemas) else may


def refuse_unknown(connection: Connection, asked: str, name: str) -> NoReturn:
    """Raises BadFilter listing the existing names, those most similar to `name` first."""
    rows = connection.execute(_SQL["names"], {"limit": COMPARED_MAX}).fetchall()
    known = {str(row["name"]) for row in rows}
    known |= {one.name for declared in _schemas(connection).values() for one in declared or ()}
    names = sorted(known)
    if not names:
        raise BadFilter(f"There is no attribute `{asked}`: these knowledge bases declare none.")
    close = get_close_matches(name, names, n=NAMED_MAX, cutoff=0.5)
    listed = [*close, *(name for name in names if name not in close)][:NAMED_MAX]
    more = f" and {len(names) - len(listed)} more" if len(names) > len(listed) else ""
    raise BadFilter(f"There is no attribute `{asked}`. Declared are: {', '.join(listed)}{more}.")


def list_attributes(connection: Connection, knowledge_base_id: UUID, after: str, limit: int) -> list[DeclaredAttribute]:
    """The attributes of a knowledge base that filters may name, sorted by name, after the name `after`.

    The one place that says which they are: those that were read, or where people declared some, these, also without a
    value.
    """
    schema = load_schema(connection, knowledge_base_id)
    names = None if schema.is_open else [one.name for one in schema.attributes]
    values = {"knowledge_base_id": knowledge_base_id, "after": after, "limit": limit, "names": names}
    found = [DeclaredAttribute.model_validate(row) for row in connection.execute(_SQL["list"], values)]
    if names is None:
        return found
    read = {one.name: one for one in found}
    every = sorted(name for name in names if name > after)[:limit]
    declared = {one.name: one for one in schema.attributes}
    return [_as_declared(read.get(name), declared[name]) for name in every]


def _as_declared(read: DeclaredAttribute | None, declaration: Declaration) -> DeclaredAttribute:
    known = read or DeclaredAttribute(name=declaration.name, count=0, documents=0, values=[])
    return known.model_copy(
        update={"label": declaration.label, "type": declaration.type, "unit": declaration.unit,
                "allowed": [one.value for one in declaration.values], "description": declaration.description}
    )  # fmt: skip
