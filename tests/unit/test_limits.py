"""What a question says that values are to be above or below, and which statements and rows meet it."""

import math
from collections.abc import Sequence
from uuid import UUID, uuid4

import pytest

from shared.answering.asked_limit import asked_limits
from shared.answering.limits import Limit
from shared.answering.rows import AnsweringCell

INF = math.inf


def limit(question: str) -> Limit:
    found = asked_limits(question)
    assert found is not None
    assert len(found.parts) == 1
    return found.parts[0]


@pytest.mark.parametrize(
    ("question", "low", "high", "is_open", "unit", "counted"),
    [
        ("Which pools have at least 6 lanes?", 6, INF, False, "", ("lane",)),
        ("Which pools have at most six lanes?", -INF, 6, False, "", ("lane",)),
        ("Which pool has fewer than 4 swimming lanes?", -INF, 4, True, "", ("swim", "lane")),
        ("How many pools have more than three lanes?", 3, INF, True, "", ("lane",)),
        ("Which door weighs under 20 kg?", -INF, 20, True, "kg", ()),
        ("Which disk has more than 2 GB?", 1.6e10, INF, True, "bit", ()),
        ("Which pool is cheaper than EUR 30?", -INF, 30, True, "EUR", ()),
        ("Which beam is longer than 200 cm?", 2, INF, True, "m", ()),
        ("Which pools are between 30 and 60 cm deep?", 0.3, 0.6, False, "m", ("deep",)),
        ("Which pools are between 30 cm and 60 cm deep?", 0.3, 0.6, False, "m", ("deep",)),
        ("Which pools opened between 1990 and 2000?", 1990, 2001, False, "date", ()),
        ("Which pools opened before 2000?", -INF, 2000, True, "date", ()),
        ("Which pools opened after 2000?", 2001, INF, True, "date", ()),
        ("Which pools were open until 2000?", -INF, 2001, False, "date", ()),
        ("Which pools were open by 2000?", -INF, 2001, False, "date", ()),
        # Not by whom.
        ("Which pools were built by 3 firms before 2000?", -INF, 2000, True, "date", ()),
        ("Who has been a member since 2000?", 2000, INF, False, "date", ()),
        ("Who has been a member from 2000 on?", 2000, INF, False, "date", ()),
        ("Who was a member from 1990 to 1995?", 1990, 1996, False, "date", ()),
        # Behind its number.
        ("Which pools have 6 or more lanes?", 6, INF, False, "", ("lane",)),
        ("Which pools have six lanes or more?", 6, INF, False, "", ("lane",)),
        ("Which doors weigh 20 kg or less?", -INF, 20, False, "kg", ()),
        ("Which pools cost EUR 30 or less?", -INF, 30, False, "EUR", ()),
        ("Who is 18 and over?", 18, INF, False, "", ()),
        ("Which pools opened in 2000 or later?", 2000, INF, False, "date", ()),
        ("Which pools opened in 2000 or earlier?", -INF, 2001, False, "date", ()),
        ("Which towns have 2000 people or more?", 2000, INF, False, "", ("peopl",)),
        # The opposite of what is written.
        ("Which parcels do not exceed 20 kg?", -INF, 20, False, "kg", ()),
        ("Which pools are no longer than 25 m?", -INF, 25, False, "m", ()),
        ("Which pools aren't under 2 m deep?", 2, INF, False, "m", ("deep",)),
        ("Which pools opened no later than 2000?", -INF, 2001, False, "date", ()),
        ("Which pools were not built before 2000?", 2000, INF, False, "date", ()),
        ("Which pools are not heated and under 2 m?", -INF, 2, True, "m", ()),
        # What a thing is said to have, with a unit, is no whole cell.
        ("Which pumps have 15 kW?", 15_000, 15_000, False, "W", ()),
        ("Which pumps with exactly 1.5 kW are painted?", 1_500, 1_500, False, "W", ()),
        ("Which doors weigh 20 kg?", 20, 20, False, "kg", ()),
        ("Which pumps have 15 to 22 kW?", 15_000, 22_000, False, "W", ()),
        ("Which pumps have 15 kW or more?", 15_000, INF, False, "W", ()),
        # Numbers that could be years.
        ("Which halls hold up to 2000 people?", -INF, 2000, False, "", ("peopl",)),
        ("Which loans are up to 2000 EUR?", -INF, 2000, False, "EUR", ()),
        ("Which towns have between 1000 and 2000 inhabitants?", 1000, 2000, False, "", ("inhabit",)),
        ("Which towns have over 1.5 million inhabitants?", 1.5e6, INF, True, "", ("inhabit",)),
    ],
)
def test_a_limit_is_read_with_what_it_measures(
    question: str, low: float, high: float, is_open: bool, unit: str, counted: tuple[str, ...]
) -> None:
    found = limit(question)
    assert (found.low, found.high) == (pytest.approx(low), pytest.approx(high))
    assert (found.open, found.unit, found.counted) == (is_open, unit, counted)


@pytest.mark.parametrize(
    "question",
    [
        "Which pools have 6 lanes?",
        # What is done above a value, or happens, and which column of a row is meant.
        "What happens if it is over 3 km/h?",
        "Which cars may weigh more than 900 kg?",
        "In which year were sales less than 70 thousand?",
        "What is the fee for more than 20 kg?",
        "Is any pool longer than 20 m?",
        "Which sales grew over 3 years?",
        "Which pools opened after the flood?",
        # Of the steps of a scale none above the value applies.
        "Which discount applies to orders over 100 EUR?",
        "Which fee is due for more than 10 days?",
        # No value that they have.
        "Which pumps have about 15 kW?",
        "Which doors weigh 20 kg more than the oak door?",
        "Which doors cost 20 EUR less money than the oak door?",
        # Of that year, and of numbers in words those that are read.
        "Who wrote the report from 2019?",
        "Which doors weigh over two hundred grams?",
        "Who was hired between 1 and 15 March 2021?",
    ],
)
def test_other_questions_have_none(question: str) -> None:
    assert asked_limits(question) is None


@pytest.mark.parametrize(
    ("question", "spans", "counted", "written", "either"),
    [
        (
            "Which pools have at least 6 lanes and opened before 2000?",
            [(6, INF), (-INF, 2000)], [("lane",), ()], "at least 6 lanes and before 2000", False,
        ),
        (
            "Which pools are shorter than 30 m or have over 8 lanes?",
            [(-INF, 30), (8, INF)], [(), ("lane",)], "shorter than 30 m or over 8 lanes", True,
        ),
        # What is said once.
        (
            "Which pools have more than 4 and fewer than 8 lanes?",
            [(4, INF), (-INF, 8)], [("lane",), ("lane",)], "more than 4 and fewer than 8 lanes", False,
        ),
        ("Which doors weigh over 20 kg and under 30 kg?", [(20, INF), (-INF, 30)], [(), ()], None, False),
        # A further thing that is said is no limit, and no second part of one.
        ("Which rooms between 20 and 30 m2 have 2 or more windows?", [(20, 30), (2, INF)], None, None, False),
        (
            "Which cars have between 4 and 6 cylinders and more than 200 hp, and weigh under 3000?",
            [(4, 6), (149139.974316, INF), (-INF, 3000)], [("cylind",), (), ()], None, False,
        ),
    ],
)  # fmt: skip
def test_several_limits_are_read(
    question: str, spans: list[tuple[float, float]], counted: list[tuple[str, ...]] | None, written: str | None,
    either: bool,
) -> None:  # fmt: skip
    found = asked_limits(question)
    assert found is not None
    assert [(one.low, one.high) for one in found.parts] == [pytest.approx(span) for span in spans]
    assert counted is None or [one.counted for one in found.parts] == counted
    assert written in (None, found.written)
    assert found.either is either


def test_what_joins_limits_stands_before_the_second() -> None:
    found = asked_limits("Which clerks earned more than 5 million in 2019 or 2020 and were hired before 1990?")
    assert found is not None
    assert not found.either


def test_what_is_said_once_names_the_column_of_both() -> None:
    rows = table(("Door", "Weight", "Load"), ("A", "25 kg", "40 kg"), ("B", "35 kg", "25 kg"))
    found = asked_limits("Which doors have a load over 20 kg and under 30 kg?")
    assert found is not None
    assert [one.met for one in found.compare(rows).values()] == [False, True]


def test_the_columns_that_tell_that_either_limit_is_met_answer() -> None:
    found = asked_limits("Which pools have at least 6 lanes or opened before 2000?")
    assert found is not None
    assert [one.labels for one in found.compare(POOLS).values()] == [("Opened",), ("Lanes",), ("Opened",)]


def test_a_header_that_may_be_a_unit_or_something_else_states_none() -> None:
    rows = table(("Run", "time_min"), ("A", "3"), ("B", "9"))
    assert limit("Which runs have a time under 5 min?").compare(rows) == {}
    rows = table(("Model", "Size(B)"), ("A", "3"), ("B", "9"))
    assert limit("Which models have a size over 5 bytes?").compare(rows) == {}
    rows = table(("Run", "time_s"), ("A", "3"), ("B", "9"))
    assert [one.met for one in limit("Which runs have a time under 5 s?").compare(rows).values()] == [True, False]


def test_limits_joined_by_and_and_by_or_are_not_told() -> None:
    assert asked_limits("Which pools have over 6 lanes or under 3 lanes and opened before 2000?") is None


def test_each_limit_is_of_the_column_that_its_own_words_name() -> None:
    rows = table(("Car", "Weight", "Price"), ("A", "1900", "9000"), ("B", "1900", "12000"), ("C", "2100", "12000"))
    found = asked_limits("Which cars weigh under 2000 and have a price over 10000?")
    assert found is not None
    assert [one.met for one in found.compare(rows).values()] == [False, True, False]


@pytest.mark.parametrize(
    ("question", "met"),
    [
        ("Which pools have at least 6 lanes and opened before 2000?", [False, False, None]),
        ("Which pools have at least 6 lanes or opened before 2000?", [True, True, True]),
        ("Which pools have at least 4 lanes and opened before 2000?", [True, False, None]),
        ("Which pools have at least 9 lanes or a length under 10 m?", [False, False, None]),
    ],
)
def test_rows_meet_all_limits_or_either_and_what_tells_too_little_is_not_known(
    question: str, met: list[bool | None]
) -> None:
    found = asked_limits(question)
    assert found is not None
    told = found.compare(POOLS)
    assert [told[row].met if row in told else None for row in POOLS] == met


def test_a_statement_meets_all_limits() -> None:
    found = asked_limits("Which doors weigh under 20 kg and are over 2 m high?")
    assert found is not None
    assert found.is_met_in("It weighs 18 kg and is 2.2 m high.") is True
    assert found.is_met_in("It weighs 18 kg and is 1.9 m high.") is False
    assert found.is_met_in("It weighs 18 kg.") is None
    assert found.is_met_in("It weighs 21 kg.") is False


def test_a_limit_is_told_as_it_is_written() -> None:
    assert limit("Which pools have more than 20 lanes?").written == "more than 20 lanes"
    assert limit("Which pools do not have over 20 lanes?").written == "not have over 20 lanes"
    assert limit("Which pumps do not have 15 kW?").written == "not have 15 kW"


@pytest.mark.parametrize(
    ("question", "text", "met"),
    [
        ("Which room has more than 30 seats?", "The hall has 35 seats and the cellar has 12 seats.", True),
        ("Which room has more than 30 seats?", "The hall has thirty seats.", False),
        ("Which room has more than 30 seats?", "The hall has 35 windows.", None),
        ("Which room has at least 30 seats?", "The hall has thirty seats.", True),
        ("Which room has more than 30 seats?", "The hall has more than 30 seats.", True),
        ("Which room has more than 30 seats?", "The hall has up to 30 seats.", False),
        ("How many children under 5 died?", "12 children under 5 died.", True),
        ("Which towns have over 1.5 million people?", "Oslo has 2 million people.", True),
        ("Which towns have over 1.5 million people?", "Faro has 60,000 people.", False),
        ("Which door weighs under 20 kg?", "It weighs 20 kg.", False),
        ("Which door weighs under 20 kg?", "It weighs 19,500 g.", True),
        ("Which door weighs under 20 kg?", "It is 2 m high.", None),
        # Of a range a part is enough.
        ("Which bags weigh over 20 kg?", "Bags from 15 to 25 kg cost more.", True),
        ("Which bags weigh over 20 kg?", "Bags up to 15 kg are free.", False),
        ("Which bags weigh over 20 kg?", "Bags up to 25 kg are free.", True),
        ("Which bags weigh under 20 kg?", "Bags up to 25 kg are free.", True),
        ("Which bags weigh under 20 kg?", "Bags of more than 25 kg cost more.", False),
        ("Which pools opened before 2000?", "It opened in 1999.", True),
        ("Which pools opened before 2000?", "It opened in 2000.", False),
        ("Which pools opened after 2000?", "It opened in 2000.", False),
        ("Which pools opened after 2000?", "It opened on 3 May 2001.", True),
        ("Which pools opened before 5 May 2001?", "It opened on 3 May 2001.", True),
        ("Which pools opened before 3 May 2001?", "It opened on 5 May 2001.", False),
        ("Which pools opened after 5 May 2001?", "It opened on 3 May 2001.", False),
        ("Which pools opened before 2000?", "It is 25 m long.", None),
    ],
)
def test_a_statement_meets_it_with_any_of_its_values(question: str, text: str, met: bool | None) -> None:
    assert limit(question).is_met_in(text) is met


def table(header: Sequence[str], *rows: Sequence[str]) -> dict[UUID, tuple[AnsweringCell, ...]]:
    cells = [tuple(AnsweringCell(*cell, answers=False) for cell in zip(header, row, strict=True)) for row in rows]
    return {uuid4(): row for row in cells}


POOLS = table(
    ("Pool", "Lanes", "Length", "Depth [m]", "Price", "Opened"),
    ("North", "4", "25 m", "2", "EUR 40", "1998"),
    ("Lido", "~6", "3,300 cm", "1.8", "EUR 60", "2021"),
    ("School", "", "n/a", "0.9", "EUR 25", "1975"),
)


@pytest.mark.parametrize(
    ("question", "label", "met"),
    [
        ("Which pools have at least 6 lanes?", "Lanes", [False, True, None]),
        ("Which pools have a length over 30 m?", "Length", [False, True, None]),
        ("Which pools have a depth under 1 m?", "Depth [m]", [False, False, True]),
        ("Which pool is cheaper than EUR 30?", "Price", [False, False, True]),
        ("Which pools opened before 2000?", "Opened", [True, False, True]),
        # Two columns have metres, and none dollars or windows.
        ("Which pools have over 30 m?", "", [None] * 3),
        ("Which pool is cheaper than $ 30?", "", [None] * 3),
        ("Which pools have at least 6 windows?", "", [None] * 3),
    ],
)
def test_the_column_is_compared_that_is_named_or_alone_has_such_values(
    question: str, label: str, met: list[bool | None]
) -> None:
    found = limit(question).compare(POOLS)
    assert [found[row].met if row in found else None for row in POOLS] == met
    assert {label for one in found.values() for label in one.labels} == ({label} if label else set())


def test_what_is_counted_names_the_column_before_any_other_word() -> None:
    rows = table(("Car model", "Params"), ("12", "39 M"), ("74", "5 M"), ("80", "39 K"))
    found = limit("Which car model has more than 20 M params?").compare(rows)
    assert [found[row].met if row in found else None for row in rows] == [True, False, False]


def test_numbers_of_things_are_scaled_by_their_cell_or_else_by_its_header() -> None:
    rows = table(("City", "Inhabitants (millions)"), ("Oslo", "1.1"), ("Rome", "2.8"), ("Faro", "60 thousand"))
    found = limit("Which city has more than 2 million inhabitants?").compare(rows)
    assert [found[row].met if row in found else None for row in rows] == [False, True, False]


def test_a_header_states_currency_and_scale() -> None:
    rows = table(("Shop", "Sales (EUR in thousands)"), ("North", "12"), ("South", "8"))
    found = limit("Which shops have sales over EUR 10,000?").compare(rows)
    assert [found[row].met for row in rows] == [True, False]


def test_a_header_as_programs_write_it_states_a_unit_of_its_quantity() -> None:
    rows = table(("Ship", "length_m", "class_m"), ("North", "12", "9"), ("South", "8", "20"))
    found = limit("Which ships are longer than 10 m?").compare(rows)
    assert [found[row].met for row in rows] == [True, False]


def test_rows_of_which_two_columns_tell_differently_tell_nothing() -> None:
    rows = table(("Lanes indoors", "Lanes outdoors"), ("4", "8"), ("8", "8"))
    found = limit("Which pools have over 6 lanes?").compare(rows)
    assert [found[row].met if row in found else None for row in rows] == [None, True]


def test_of_many_columns_that_nothing_names_none_is_read() -> None:
    def told(columns: int) -> list[bool]:
        cells = (AnsweringCell(f"Column {n}", "20 kg" if n == 0 else "none", answers=False) for n in range(columns))
        asked = asked_limits("Which pumps are over 10 kg?")
        assert asked is not None
        return [one.met for one in asked.compare({uuid4(): tuple(cells)}).values()]

    assert told(30) == [True]
    assert told(31) == []


def test_a_long_cell_tells_no_value() -> None:
    asked = asked_limits("Which pumps have a mass over 10 kg?")
    assert asked is not None
    cells = [AnsweringCell("Mass", "20 kg" + " of the pump" * n, answers=False) for n in (0, 1, 50)]
    assert [one.met for one in asked.compare({uuid4(): (cell,) for cell in cells}).values()] == [True, True]


def test_of_many_limits_none_is_read() -> None:
    assert asked_limits("Which pumps are" + " over 1 kg and" * 3 + " over 1 kg?") is not None
    assert asked_limits("Which pumps are" + " over 1 kg and" * 300 + " over 1 kg?") is None


MOTORS = table(("Motor", "hp", "kW"), ("A", "20", "15.0"), ("B", "15", "11.0"), ("C", "100", "75.0"))


@pytest.mark.parametrize(
    ("question", "met"),
    [
        ("Which motors have 15 kW?", [True, False, False]),
        ("Which motors have 15 hp?", [False, True, False]),
        ("Which motors do not have 15 kW?", [False, True, True]),
        ("Which motors have more than 74.8 kW?", [False, False, True]),
    ],
)
def test_of_columns_of_one_kind_the_one_in_the_unit_of_the_question_is_compared(question: str, met: list[bool]) -> None:
    assert [one.met for one in limit(question).compare(MOTORS).values()] == met


def test_what_has_the_value_beside_another_has_it() -> None:
    rows = table(("Motor", "Power"), ("A", "15 kW / 18 kW"), ("B", "11 kW"), ("C", "18 kW"))
    assert [one.met for one in limit("Which motors have 15 kW?").compare(rows).values()] == [True, False, False]
    assert [one.met for one in limit("Which motors do not have 15 kW?").compare(rows).values()] == [False, True, True]


def test_a_unit_that_stands_in_a_header_here_and_in_cells_there_tells_no_column() -> None:
    rows = table(("Beam", "Length", "Depth [cm]"), ("A", "200 cm", "30"), ("B", "90 cm", "250"))
    assert limit("Which beams have over 100 cm?").compare(rows) == {}


def test_how_loud_something_is_may_be_given_in_another_weighting() -> None:
    rows = table(("Pump", "Noise [dB(A)]", "Signal [dBm]"), ("A", "72", "60"), ("B", "64", "80"))
    assert [one.met for one in limit("Which pumps are louder than 70 dB?").compare(rows).values()] == [True, False]
    # What is asked in dB(A) is no other level.
    plain = table(("Pump", "Noise [dB]"), ("A", "72"), ("B", "64"))
    assert limit("Which pumps are louder than 70 dB(A)?").compare(plain) == {}
