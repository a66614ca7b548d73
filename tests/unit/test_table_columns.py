"""What a column of a table is, from its head and its cells."""

import pytest

from shared.library.table_columns import infer_column


@pytest.mark.parametrize(
    ("label", "cells", "kind", "unit"),
    [
        ("year", ["1997", "2015"], "integer", None),
        ("Model year", ["1997.0", "2015.0"], "integer", None),
        ("Age (years)", ["12", "40"], "quantity", "a"),
        ("Age (years)", ["12", "1997"], "quantity", "a"),
        ("Year", ["1997.5", "1998.5"], "quantity", "a"),
        ("Kept for", ["1000 years", "1200 years"], "quantity", "a"),
    ],
)
def test_years_of_the_calendar_are_no_durations(label: str, cells: list[str], kind: str, unit: str | None) -> None:
    column = infer_column(label, cells)
    assert (column.type, column.unit) == (kind, unit)
