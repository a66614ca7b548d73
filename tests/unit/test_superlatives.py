"""Which row has the most or the least of what is asked for, and when no row is said to."""

from collections.abc import Sequence
from uuid import UUID, uuid5

import pytest

from shared.answering.superlatives import asked_superlative, find_extreme

PUMPS = [
    ("P-10", "oil-free", "12 kg", "1.1", "940"),
    ("P-20", "oiled", "19 kg", "2.2", "1,310"),
    ("P-30", "oil-free", "44 kg", "0.9", "1,890"),
]
HEADERS = ("Model", "Type", "Mass", "Power [kW]", "Price (EUR)")


def key(name: str) -> UUID:
    return uuid5(UUID(int=0), name)


def rows(lines: Sequence[tuple[str, ...]], headers: tuple[str, ...] = HEADERS) -> dict[UUID, tuple[str, str]]:
    return {
        key(line[0]): (
            " | ".join(line),
            "Pumps\n" + " | ".join(f"{h}: {v}" for h, v in zip(headers, line, strict=True)),
        )
        for line in lines
    }


def winner(
    question: str, lines: Sequence[tuple[str, ...]], headers: tuple[str, ...] = HEADERS
) -> tuple[UUID, int] | None:
    asked = asked_superlative(question)
    found = find_extreme(asked, rows(lines, headers), "Pumps") if asked else None
    return (found.row, found.compared) if found else None


@pytest.mark.parametrize(
    ("question", "name", "compared"),
    [
        ("What is the heaviest pump?", "P-30", 3),
        ("Which pump is the lightest?", "P-10", 3),
        ("Which model has the highest power?", "P-20", 3),
        ("Which model has the lowest weight?", "P-10", 3),
        ("Which pump is the most expensive?", "P-30", 3),
        ("Which oil-free pump is the cheapest?", "P-10", 2),
    ],
)
def test_the_row_with_the_most_or_the_least_is_found_by_its_numbers(question: str, name: str, compared: int) -> None:
    assert winner(question, PUMPS) == (key(name), compared)


@pytest.mark.parametrize(
    "question",
    [
        "the heaviest pump",
        "What is the maximum mass?",
        "How heavy is the P-10?",
        "What does most of the power?",
        "Which pump is the fastest?",
        "Which model has the highest power of the year?",
        "Which oiled pump is the heaviest?",
        "Which Danish pump is the heaviest?",
    ],
)
def test_no_row_is_said_to_have_the_most_where_nothing_is_compared(question: str) -> None:
    assert winner(question, PUMPS) is None


def test_ties_other_units_and_what_is_no_plain_number_leave_it_open() -> None:
    heaviest = "What is the heaviest pump?"
    for mass in ("44 kg", "9,000 g", "40–60 kg", "9 kg (dry)", "1,234 lb"):
        assert winner(heaviest, [*PUMPS, ("P-40", "oiled", mass, "3.0", "2,100")]) is None
    # What states nothing is not compared, and a sum is no pump.
    assert winner(heaviest, [*PUMPS, ("P-40", "oiled", "on request", "3.0", "2,100")]) == (key("P-30"), 3)
    assert winner(heaviest, [*PUMPS, ("Total", "", "75 kg", "", "")]) == (key("P-30"), 3)


def test_signs_are_not_compared() -> None:
    headers = ("Model", "Power")
    assert winner("Which model has the highest power?", [("P-10", "-5"), ("P-20", "-3")], headers) is None


def test_a_measure_of_two_columns_is_not_compared() -> None:
    headers = ("Model", "Mass", "Mass with oil")
    assert winner("What is the heaviest pump?", [("P-10", "12", "13"), ("P-20", "19", "10")], headers) is None


def test_numbers_that_may_be_read_two_ways_are_compared_where_both_agree() -> None:
    headers = ("Model", "Price")
    same = [("P-10", "1,310"), ("P-20", "1,890")]
    assert winner("Which pump is the cheapest?", same, headers) == (key("P-10"), 2)
    assert winner("Which pump is the cheapest?", [*same, ("P-30", "940")], headers) is None
