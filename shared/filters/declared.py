"""The attributes that the knowledge bases in scope have, with their kinds of values and units."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Final, NoReturn
from uuid import UUID

from shared.domain.attributes import DeclaredAttribute
from shared.errors import BadFilter
from shared.store.connect import Connection
from shared.store.named_queries import load_queries

_SQL = load_queries("declared")
# How many names an error lists, and how many are compared to find the nearest.
NAMED_MAX: Final = 20
COMPARED_MAX: Final = 5000
_KINDS: Final = {"number": "numbers", "text": "text", "time": "dates", "boolean": "yes or no"}


@dataclass
class Declared:
    """An attribute: the kinds of its values, and its canonical units, each with the printed units; "" for none."""

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


def refuse_unknown(connection: Connection, asked: str, name: str) -> NoReturn:
    """Raises BadFilter listing the existing names, those most similar to `name` first."""
    rows = connection.execute(_SQL["names"], {"limit": COMPARED_MAX}).fetchall()
    names = [str(row["name"]) for row in rows]
    if not names:
        raise BadFilter(f"There is no attribute `{asked}`: these knowledge bases declare none.")
    close = get_close_matches(name, names, n=NAMED_MAX, cutoff=0.5)
    listed = [*close, *(name for name in names if name not in close)][:NAMED_MAX]
    more = f" and {len(names) - len(listed)} more" if len(names) > len(listed) else ""
    raise BadFilter(f"There is no attribute `{asked}`. Declared are: {', '.join(listed)}{more}.")


def list_attributes(connection: Connection, knowledge_base_id: UUID, after: str, limit: int) -> list[DeclaredAttribute]:
    """The attributes of a knowledge base sorted by name, after the name `after`."""
    values = {"knowledge_base_id": knowledge_base_id, "after": after, "limit": limit}
    return [DeclaredAttribute.model_validate(row) for row in connection.execute(_SQL["list"], values)]
