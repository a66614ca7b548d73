"""Two versions of a schema compared, attribute by attribute."""

from shared.domain.attribute_schema import AttributeChange, AttributeSchema, Declaration, SchemaDiff
from shared.values.names import name_of


def diff_schemas(before: AttributeSchema, after: AttributeSchema) -> SchemaDiff:
    """In the order of `after`, what is gone last. One that has a name that is gone as a synonym was renamed."""
    old = {one.name: one for one in before.attributes}
    new = {one.name: one for one in after.attributes}
    gone = {name: one for name, one in old.items() if name not in new}
    changes: list[AttributeChange] = []
    for name, one in new.items():
        if name in old:
            fields = _fields(old[name], one)
            if fields:
                changes.append(AttributeChange(name=name, kind="changed", fields=fields, before=old[name], after=one))
            continue
        was = next((former for former in gone if former in map(name_of, (one.label, *one.synonyms))), None)
        if was:
            former = gone.pop(was)
            changes.append(
                AttributeChange(
                    name=name, kind="renamed", was=was, fields=_fields(former, one), before=former, after=one
                )
            )
        else:
            changes.append(AttributeChange(name=name, kind="added", after=one))
    changes += [AttributeChange(name=name, kind="removed", before=one) for name, one in gone.items()]
    return SchemaDiff(before=before.version, after=after.version, changes=changes)


def _fields(before: Declaration, after: Declaration) -> list[str]:
    names = ("label", "type", "unit", "bare", "values", "synonyms", "description")
    return [name for name in names if getattr(before, name) != getattr(after, name)]
