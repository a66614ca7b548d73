"""Which rows of a table sum up others, and what becomes of their values."""

from typing import Any

import pytest

from shared.extraction.attributes.labels import Scale
from shared.extraction.attributes.tables import table_attributes
from shared.extraction.tables.totals import summary_rows
from shared.values.quantities import NumberReading
from shared.values.totals import is_total
from tests.unit.test_values_tables import short, table

BILL = [
    ["1", "Brake", "50", "100"],
    ["2", "Chain", "7", "21"],
    ["", "", "Subtotal", "121"],
    ["", "", "Freight", "9"],
    ["", "", "Net payable", "130"],
]


def number(text: str) -> float | None:
    return float(text) if text.isdecimal() else None


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (BILL, {2: 2, 3: 2, 4: 2}),
        ([["North", "5"], ["South", "7"], ["Total", "12"], ["East", "3"], ["Summe:", "3"]], {2: 0, 4: 0}),
        # Called a total with other words, it is one where it is the sum.
        ([["North", "5", "2"], ["South", "7", "3"], ["Total of coasts", "12", "5"]], {2: 0}),
        ([["North", "5", "2"], ["South", "7", "3"], ["Total station", "9", "5"]], {}),
        ([["Total", "n/a"], ["South", "7"]], {}),
        # A row that lacks its first cells is none where its column has words.
        ([["1", "Brake", "5"], ["2", "Chain", "7"], ["", "Wheel", "9"]], {}),
        ([["1", "50", "5"], ["", "Freight", "9"], ["2", "7", "7"]], {}),
        ([["1", "50", "5", "x"], ["", "Freight", "9", "y"]], {}),
        ([["", "Freight", "9"], ["1", "50", "5"]], {}),
        ([], {}),
    ],
)
def test_rows_that_sum_up_others(rows: list[list[str]], expected: dict[int, int]) -> None:
    assert summary_rows(rows, number) == expected


def test_cells_are_read_once_and_only_where_a_row_may_sum_up_others() -> None:
    asked: list[str] = []

    def heard(text: str) -> float | None:
        asked.append(text)
        return number(text)

    assert summary_rows([["North", "5"], ["South", "7"]] * 50, heard) == {}
    assert asked == []
    assert summary_rows(BILL, heard) == {2: 2, 3: 2, 4: 2}
    assert sorted(asked) == sorted(text for row in BILL for text in row if text)


def test_where_the_body_ends_is_looked_for_once() -> None:
    looked = [0]

    class Counted(list[str]):
        def __getitem__(self, at: Any) -> Any:
            looked[0] += 1
            return super().__getitem__(at)

    costs: list[int] = []
    for length in (40, 320):
        looked[0] = 0
        body = [Counted(["a", "b", "1"]), Counted(["", "Freight", "9"])] * (length // 2)
        assert summary_rows(body, number) == {}
        costs.append(looked[0])
    assert costs[1] < 10 * costs[0]


@pytest.mark.parametrize(
    "word", ["Total", "TOTAL:", "Grand total", "Sub-total", "Subtotal", "Zwischensumme", "Gesamt", "Sum"]
)
def test_words_for_a_total(word: str) -> None:
    assert is_total(word)


@pytest.mark.parametrize("word", ["Total station", "Summer", "Gesamtkosten je Jahr", "Totality", ""])
def test_other_words(word: str) -> None:
    assert not is_total(word)


def test_a_foot_is_named_by_its_labels_and_leaves_the_columns_their_numbers() -> None:
    made = table([["Item", "Name", "Unit price", "Amount (EUR)"], *BILL])
    found = [short(row, one) for row, one in table_attributes(made, Scale(), NumberReading())]
    named = {name for _, name, *_ in found if name in ("unit_price", "amount")}
    assert named == {"unit_price", "amount"}
    assert [one[:5] for one in found if one[0] > 2] == [
        (3, "subtotal", "121", 121.0, "EUR"),
        (4, "freight", "9", 9.0, "EUR"),
        (5, "net_payable", "130", 130.0, "EUR"),
    ]
    assert [one[3] for one in found if one[1] == "unit_price"] == [50.0, 7.0]


def test_a_total_of_columns_has_no_values() -> None:
    made = table([["Plant", "Output", "Stops"], ["North", "5", "2"], ["South", "7", "3"], ["Total", "12", "5"]])
    assert {row for row, _ in table_attributes(made, Scale(), NumberReading())} == {1, 2}
