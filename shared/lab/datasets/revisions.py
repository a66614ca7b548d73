"""How the revisions of a dataset differ from one another."""

from collections.abc import Sequence

from shared.domain.datasets import DatasetColumn, SchemaChange
from shared.store.connect import Row


def changes_since(older: Row | None, newer: Row) -> list[SchemaChange]:
    """From a revision to the one behind it; nothing for the first."""
    if older is None:
        return []
    before, after = ([DatasetColumn.model_validate(one) for one in row["columns"]] for row in (older, newer))
    found = [SchemaChange(kind="tables")] if older["tables_of"] != newer["tables_of"] else []
    found += _columns(before, after)
    return [*found, SchemaChange(kind="steps")] if older["steps"] != newer["steps"] else found


def _columns(before: Sequence[DatasetColumn], after: Sequence[DatasetColumn]) -> list[SchemaChange]:
    """A column of another label in the same place is the same one, where none of the two is elsewhere."""
    old, new = ({one.label: one for one in columns} for columns in (before, after))
    renamed: dict[str, str] = {}
    if len(before) == len(after):
        pairs = [(a.label, b.label) for a, b in zip(before, after, strict=True)]
        renamed = {b: a for a, b in pairs if a != b and a not in new and b not in old}
    found = [SchemaChange(kind="removed", column=one) for one in old if one not in new and one not in renamed.values()]
    for label, column in new.items():
        former = old.get(renamed.get(label, label))
        if former is None:
            found.append(SchemaChange(kind="added", column=label, after=column.type))
            continue
        if former.label != label:
            found.append(SchemaChange(kind="renamed", column=label, before=former.label, after=label))
        if former.type != column.type:
            found.append(SchemaChange(kind="type", column=label, before=former.type, after=column.type))
        if former.unit != column.unit:
            found.append(SchemaChange(kind="unit", column=label, before=former.unit, after=column.unit))
    return found
