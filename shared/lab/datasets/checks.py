"""What a step did that its rows do not show: which values it left out, which rows it doubled, what it put together."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, NamedTuple

from shared.domain.datasets import DatasetNote
from shared.domain.transforms import JoinStep, PivotStep
from shared.lab.datasets.relations import Column

Said = Iterable[tuple[int, str]]
# So many labels are named.
NAMED_MAX: Final = 12


class StepCheck(NamedTuple):
    """A query over the rows of a step, by its number from 1, that gives one row; and what is said of it: how many, and
    in which words."""

    step: int
    sql: str
    say: Callable[[Sequence[Any]], Said]

    def told(self, found: Sequence[Any]) -> list[DatasetNote]:
        return [DatasetNote(step=self.step, count=count, said=said) for count, said in self.say(found)]


def pivoted(step: PivotStep, before: str, index: Sequence[Column], column: Column, value: Column) -> tuple[str, Any]:
    """How many cells have several values, of which the first is taken."""
    keys = ", ".join(one.name for one in [*index, column])
    sql = (
        f"select count(*) from (select 1 from ({before}) group by {keys} "
        f"having count(distinct {value.name}) > 1 or count({value.name}) between 1 and count(*) - 1)"
    )

    def say(found: Sequence[Any]) -> Said:
        if found[0]:
            several = "cell has several values" if found[0] == 1 else "cells have several values"
            yield (
                found[0],
                f"{found[0]:,} {several} of {step.value!r}, of which the first is taken. Choose a function, such as "
                "mean, or further columns to have rows for.",
            )

    return sql, say


def joined(step: JoinStep, title: str, before: str, other: str, condition: str) -> tuple[str, Any]:
    """How many rows have several partners, and how many none."""
    sql = (
        "select count(*) filter (where c > 1), coalesce(sum(c) filter (where c > 1), 0), count(*) filter (where c = 0) "
        f"from (select count(b.o) as c from ({before}) a left join ({other}) b on {condition} group by a.o)"
    )

    def say(found: Sequence[Any]) -> Said:
        several, rows, none = (int(one) for one in found)
        if several:
            yield (
                several,
                f"{_rows(several)} {'has' if several == 1 else 'have'} several partners in {title!r}, whose key is not "
                f"unique: {'it stands' if several == 1 else 'they stand'} here as {rows:,} rows.",
            )
        if none and step.how == "inner":
            yield none, f"{_rows(none)} {'has' if none == 1 else 'have'} no partner in {title!r}, and go."
        if none and step.how == "left":
            yield none, f"{_rows(none)} {'has' if none == 1 else 'have'} no partner in {title!r}."

    return sql, say


def gone(name: str, missing: int, tables: int) -> DatasetNote:
    """Of tables that a dataset was made of and that are not there."""
    which = "its only table" if tables == 1 else f"all of its {tables} tables" if missing == tables else ""
    which = which or f"{missing:,} of its {tables:,} tables"
    said = f"{name!r} is without {which}: gone with the documents, or hidden from you."
    return DatasetNote(step=None, count=missing, said=said + (" Nothing is left of it." if missing == tables else ""))


def _rows(count: int) -> str:
    return f"{count:,} row{'' if count == 1 else 's'}"


def listed(labels: Sequence[str]) -> str:
    left = len(labels) - NAMED_MAX
    return ", ".join(labels[:NAMED_MAX]) + (f" and {left} more" if left > 0 else "")
