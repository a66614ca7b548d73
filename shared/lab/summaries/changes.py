"""What differs between two versions of a summary."""

from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import zip_longest

from shared.domain.experiments import FIELDS, SummaryBody, SummaryChange, SummaryChanges, SummaryField, SummaryStatement


def list_changes(former: SummaryBody, later: SummaryBody, numbers: tuple[int, int]) -> SummaryChanges:
    """`numbers` are those of the two versions. Statements with the same id are the same."""
    before, after = (Counter(cell.model_dump_json() for cell in body.cells) for body in (former, later))
    return SummaryChanges(
        former=numbers[0],
        later=numbers[1],
        changes=[change for field in FIELDS for change in _changes(field, former.statements, later.statements)],
        cells_added=(after - before).total(),
        cells_removed=(before - after).total(),
    )


def _changes(
    field: SummaryField, former: Sequence[SummaryStatement], later: Sequence[SummaryStatement]
) -> Iterator[SummaryChange]:
    old, new = ([one for one in side if one.field == field] for side in (former, later))
    codes = SequenceMatcher(None, [one.id for one in old], [one.id for one in new], autojunk=False).get_opcodes()
    for tag, old_from, old_to, new_from, new_to in codes:
        if tag == "equal":
            continue
        for before, after in zip_longest(old[old_from:old_to], new[new_from:new_to]):
            kind = "added" if before is None else "removed" if after is None else "changed"
            yield SummaryChange(kind=kind, field=field, before=before, after=after)
