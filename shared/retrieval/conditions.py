"""Conditions on values in a query, such as "with 20 hp … at least 70 cfm": what meets them all comes first.

Neither words nor an embedding compare numbers: of twenty rows with the same headers each is as near as the next. The
conditions are tested on the attributes that the documents' values were read as, in whichever unit they are printed.
Measurements: docs/decisions/0156-conditions-on-values-and-what-late-interaction-costs.md
"""

from collections import defaultdict
from typing import Final
from uuid import UUID

from shared.domain.attributes import Comparator, Quantity
from shared.filters.declared import Declared, attributes_in_units
from shared.filters.selection import Selection, list_passing
from shared.filters.sql import Check, Leaf, LeafGroup
from shared.filters.tree import Op
from shared.retrieval.codes import CHUNKS_MAX
from shared.retrieval.trace import Tracer
from shared.store.connect import Connection
from shared.values.quantities import NumberReading, find_quantities

# One value alone does not say what it is of: "for orders above EUR 50,000" is no condition on the prices in a list.
CONDITIONS_MIN: Final = 2
_OPS: Final[dict[Comparator, Op]] = {"=": "eq", "~": "eq", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}


def read_conditions(query: str) -> dict[str, tuple[Check, ...]]:
    """By canonical unit, what one value in it has to pass; conditions of one unit are on the same value."""
    found: defaultdict[str, list[Check]] = defaultdict(list)
    for one in find_quantities(query, NumberReading()):
        if one.quantity.canonical_unit is not None:
            found[one.quantity.canonical_unit] += _checks(one.quantity, one.quantity.canonical_unit)
    return {unit: tuple(checks) for unit, checks in found.items()}


def meeting_chunks(connection: Connection, query: str, selection: Selection, tracer: Tracer) -> list[UUID]:
    """Returns the selected chunks that meet all conditions of the query, each by a value in its unit.

    [] where the query has fewer than two conditions, and where more than 30 chunks meet them: they do not tell then
    what is looked for.
    """
    conditions = read_conditions(query)
    if len(conditions) < CONDITIONS_MIN:
        return []
    with tracer.step("meet_conditions"):
        measured = attributes_in_units(connection, list(conditions))
        tests = [_any_of(measured.get(unit, ()), checks) for unit, checks in conditions.items()]
        # What equals a number is listed sooner than what is above one.
        ordered = sorted(tests, key=lambda group: any(isinstance(leaf, Leaf) and leaf.is_bound for leaf in group.parts))
        known = all(group.parts for group in tests)
        found = list_passing(connection, selection, LeafGroup("all", tuple(ordered)), CHUNKS_MAX) if known else []
    tracer.body.notes["conditions"] = {
        unit: [f"{check.op} {value:g}" for check in checks for value in check.values]
        for unit, checks in conditions.items()
    }
    return found


def _checks(quantity: Quantity, unit: str) -> list[Check]:
    number, upper = quantity.canonical_number, quantity.canonical_upper
    if upper is None:
        return [Check("number", _OPS[quantity.comparator], (number,), unit)]
    return [Check("number", "ge", (min(number, upper),), unit), Check("number", "le", (max(number, upper),), unit)]


def _any_of(attributes: tuple[Declared, ...], checks: tuple[Check, ...]) -> LeafGroup:
    return LeafGroup("any", tuple(Leaf(one.name, (checks,), one.bases) for one in attributes))
