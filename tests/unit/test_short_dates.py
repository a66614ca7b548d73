"""Dates of two-digit years in columns: what the column shows is typed, what it leaves open stays text."""

import pytest

from shared.library.table_columns import infer_column, read_cells
from shared.values.short_dates import short_dates


def days(*cells: str) -> list[str]:
    return [day.date().isoformat() for day in short_dates(cells).values()]


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        (["12/31/98", "1/2/99"], ["1998-12-31", "1999-01-02"]),
        (["31/12/98", "1/2/99"], ["1998-12-31", "1999-02-01"]),
        (["31.12.98", "01.02.99"], ["1998-12-31", "1999-02-01"]),
        (["12-31-98", "01-02-99"], ["1998-12-31", "1999-01-02"]),
        (["98-12-31", "99-01-02"], ["1998-12-31", "1999-01-02"]),
        (["1-Jan-07", "19-AUG-04"], ["2007-01-01", "2004-08-19"]),
        (["3 März 07", "1 Mai 12"], ["2007-03-03", "2012-05-01"]),
        (["12/31/98 14:30", "1/2/99 2:05 PM"], ["1998-12-31", "1999-01-02"]),
        (["29/02/00"], ["2000-02-29"]),
        (["31/12/14", "13/11/25"], ["2014-12-31", "2025-11-13"]),  # Or 1931 beside 2013, or 2031.
        (["31.12.14", "01.02.15"], ["2014-12-31", "2015-02-01"]),
        (["14/12/31", "15/01/02", "99/01/03"], ["2014-12-31", "2015-01-02", "1999-01-03"]),
    ],
)
def test_what_the_column_shows_is_the_order(cells: list[str], said: list[str]) -> None:
    assert days(*cells) == said


@pytest.mark.parametrize(
    "cells",
    [
        ["1/2/99", "12/12/98"],  # Every day is one up to the 12th.
        ["1.2.99", "12.12.98"],
        ["31/12/98", "12/31/98"],  # Two orders.
        ["29-12-11", "13-11-25"],  # Year first as well.
        ["19/01/01", "19/01/02"],
        ["13.11.14"],
        ["12/31/98", "1.2.99"],  # Two ways of writing.
        ["12/31/98", "later"],
        ["12/31/98", "3/1/1999"],
        ["30/02/98"],  # No such day.
        ["98-Jan-07", "1-Jan-07"],
        ["1-Foo-07"],
        ["1-Jan/07"],
        ["1/32/98"],
        [],
    ],
)
def test_what_it_does_not_show_stays_text(cells: list[str]) -> None:
    assert days(*cells) == []


@pytest.mark.parametrize(("year", "read"), [("00", "2000"), ("29", "2029"), ("69", "1969"), ("99", "1999")])
def test_the_century_is_that_of_posix_and_of_spreadsheets(year: str, read: str) -> None:
    assert days(f"12/31/{year}") == [f"{read}-12-31"]


@pytest.mark.parametrize("year", ["30", "45", "68"])
def test_where_these_differ_the_column_stays_text(year: str) -> None:
    assert days(f"12/31/{year}", "12/31/98") == []


def test_a_column_of_a_dataset_is_one_of_dates() -> None:
    cells = ["12/31/98", "", "1/2/99", "n/a", "1/2/99"]
    column = infer_column("Sold", cells)
    assert column.type == "date"
    assert read_cells(column, cells) == ["1998-12-31", None, "1999-01-02", None, "1999-01-02"]
    assert infer_column("Sold", ["1/2/99"]).type == "text"
