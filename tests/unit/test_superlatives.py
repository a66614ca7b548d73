"""Which row has the most or the least of what is asked for, and when no row is said to."""

from collections.abc import Sequence
from uuid import UUID, uuid5

import pytest

from shared.answering.superlatives import asked_superlative, cells_of, find_extreme

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
    found = find_extreme(asked, cells_of(rows(lines, headers)), "Pumps") if asked else None
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
        ("Which pump has the lowest mass?", "P-10", 3),
        # Whatever it does to have it.
        ("Which model reached the highest power?", "P-20", 3),
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
        "What is the largest pump?",
        "What is the lightest?",
        "Which pump is not the cheapest?",
        "Which pump without oil is the cheapest?",
        "What is the price of the heaviest pump?",
        "Which model has the highest model number?",
        "Which model in the highest power class is oiled?",
        "Which model lost the most power?",
        "Which pump in the lowest mass is oiled?",
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
    silent = [(f"P-{n}", "oiled", "on request", "3.0", "2,100") for n in (40, 50, 60)]
    assert winner(heaviest, [*PUMPS, *silent]) is None
    assert winner(heaviest, [*PUMPS, ("Total", "", "75 kg", "", "")]) == (key("P-30"), 3)


@pytest.mark.parametrize("signed", ["-{}", "−{}", "\u2011{}", "({})"])
def test_signs_are_not_compared(signed: str) -> None:
    rows = [("P-10", signed.format(50)), ("P-20", signed.format(30))]
    assert winner("Which model has the highest power?", rows, ("Model", "Power")) is None


@pytest.mark.parametrize(
    ("question", "header"),
    [
        ("What is the heaviest pump?", "Mass flow [kg/h]"),
        ("Which model is the most powerful?", "Power supply [V]"),
        ("Which model has the highest power?", "Power factor"),
        ("Which pump is the most expensive?", "Cost centre"),
        ("Which pump is the quietest?", "Noise reduction [dB]"),
    ],
)
def test_a_header_that_only_has_the_word_is_another_measure(question: str, header: str) -> None:
    assert winner(question, [("P-10", "12"), ("P-20", "19")], ("Model", header)) is None


def test_the_names_of_things_and_versions_are_not_compared() -> None:
    rows = [("101", "40"), ("102", "12")]
    assert winner("Which floor has the smallest room?", rows, ("Room", "Floor")) is None
    assert (
        winner("Which model has the highest version?", [("P-1", "1.9"), ("P-2", "2.5")], ("Model", "Version")) is None
    )


@pytest.mark.parametrize(
    ("name", "found"),
    [("Europe total", None), ("Total Quartz", None), ("Overall", ("P-30", 3)), ("Sub-total", ("P-30", 3))],
)
def test_a_sum_is_left_out_and_what_may_be_one_leaves_it_open(name: str, found: tuple[str, int] | None) -> None:
    expected = found and (key(found[0]), found[1])
    assert winner("What is the heaviest pump?", [*PUMPS, (name, "", "95 kg", "", "")]) == expected


@pytest.mark.parametrize("said", ["Total", "all"])
def test_what_another_cell_says_of_a_row_leaves_it_open(said: str) -> None:
    """ "1 | Total | 90" is a sum, "P-40 | for all | 90" is none: neither is left out unsaid."""
    assert winner("What is the heaviest pump?", [*PUMPS, ("P-40", said, "95 kg", "", "")]) is None


def test_rows_whose_cells_stand_under_no_header_are_not_left_out_in_silence() -> None:
    spanned = {key("P-40"): ("P-40 | 95 kg", "Pumps\nModel: P-40 | Type: oiled | Mass: 95 kg")}
    asked = asked_superlative("What is the heaviest pump?")
    assert asked is not None
    assert find_extreme(asked, cells_of(rows(PUMPS) | spanned), "Pumps") is None


def test_words_that_tell_which_are_meant_stand_in_one_column() -> None:
    headers = ("Model", "Stages", "Poles", "Drive", "Price")
    pumps = [("P-1", "2", "4", "belt", "100"), ("P-2", "1", "2", "belt", "200"), ("P-3", "1", "2", "direct", "300")]
    assert winner("Which pump with 2 poles is the cheapest?", pumps, headers) is None
    assert winner("Which belt pump is the cheapest?", pumps, headers) == (key("P-1"), 2)
    spelt = [("P-1", "2", "four", "belt", "100"), ("P-2", "2", "two", "belt", "200"), ("P-3", "1", "two", "-", "300")]
    assert winner("Which pump with 2 poles is the cheapest?", spelt, headers) is None
    spare = [("P-1", "belt", "100"), ("P-2", "belt", "200"), ("P-3", "direct", "50"), ("P-4", "direct", "60")]
    beside = [(*row, "belt" if row[1] == "direct" else "-") for row in spare]
    assert winner("Which belt pump is the cheapest?", beside, ("Model", "Drive", "Price", "Spare")) is None


def test_a_measure_of_two_columns_is_not_compared() -> None:
    headers = ("Model", "Mass", "Mass with oil")
    assert winner("What is the heaviest pump?", [("P-10", "12", "13"), ("P-20", "19", "10")], headers) is None


def test_numbers_that_may_be_read_two_ways_are_compared_where_both_agree() -> None:
    headers = ("Model", "Price")
    same = [("P-10", "1,310"), ("P-20", "1,890")]
    assert winner("Which pump is the cheapest?", same, headers) == (key("P-10"), 2)
    assert winner("Which pump is the cheapest?", [*same, ("P-30", "940")], headers) is None


@pytest.mark.parametrize(
    ("question", "asks"),
    [
        ("Which pump reached the highest power?", True),
        ("Which filter in the largest pump is green?", False),
        ("Which filter is the largest pump?", False),
        ("Who asked for the largest pump?", False),
    ],
)
def test_what_has_the_most_does_something_to_have_it_and_is_not_in_it(question: str, asks: bool) -> None:
    assert (asked_superlative(question) is not None) == asks
