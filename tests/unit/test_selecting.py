"""Rows that a question selects by what their cells say, and those that it only seems to."""

from collections.abc import Sequence
from uuid import UUID, uuid4

import pytest

from shared.answering.asked_limit import asked_limits
from shared.answering.limits import Compared, Meeting
from shared.answering.rows import AnsweringCell
from shared.answering.saying import Saying
from shared.answering.selecting import select_rows, selects

HEADER = ("Ship", "Berth", "Origin", "Bound for", "Length [m]", "Cargo", "Crew", "Kind")
SHIPS = (
    ("Aurora", "North B", "Oslo", "Turku", "182", "grain", "12", "ship"),
    ("Bella", "North A", "Oslo", "Riga", "95", "timber", "9", "barge"),
    ("Cygnus", "North", "Riga", "Oslo", "210", "cement", "20", "ship"),
    ("Dora", "North B", "Turku", "Gdynia", "140", "timber", "12", "barge"),
)


def table(*rows: Sequence[str]) -> dict[UUID, tuple[AnsweringCell, ...]]:
    cells = [tuple(AnsweringCell(*cell, answers=False) for cell in zip(HEADER, row, strict=True)) for row in rows]
    return {uuid4(): row for row in cells}


def select(question: str, above: Sequence[str] = ("Harbour log.csv",)) -> dict[str, Compared]:
    """What was told of each ship."""
    rows = table(*SHIPS)
    found = select_rows(question, asked_limits(question), rows, above)
    return {cells[0].value: found[row] for row, cells in rows.items() if row in found}


def meant(question: str, above: Sequence[str] = ("Harbour log.csv",)) -> set[str]:
    return {ship for ship, told in select(question, above).items() if told.met and told.whole}


@pytest.mark.parametrize(
    ("question", "ships"),
    [
        ("Which ships used North B?", {"Aurora", "Dora"}),
        ("How many ships carried timber?", {"Bella", "Dora"}),
        ("List all ships with timber", {"Bella", "Dora"}),
        ("Which ships carried timber or grain?", {"Aurora", "Bella", "Dora"}),
        ("Which timber ships used North B?", {"Dora"}),
        ("Which timber ships are longer than 100 m?", {"Dora"}),
        ("Which ships have a crew of 12?", {"Aurora", "Dora"}),
        ("How many things used North B?", {"Aurora", "Dora"}),
        ("How many barges used North B?", {"Dora"}),
        # The header that the question names, where two columns have it.
        ("Which ships of Oslo origin carried timber?", {"Bella"}),
        # North is not North B, and a value that no row has selects nothing.
        ("Which ships used North?", {"Cygnus"}),
        ("Which ships used North C?", set()),
        # Another thing, or something that the table does not say.
        ("How many boats used North B?", set()),
        ("Which ships sank at North B?", set()),
        ("How many sailors of ships with timber drowned?", set()),
        # What is asked for is the number in a cell.
        ("How many crew does the Bella have?", set()),
        # 12 of what?
        ("Which ships are 12?", set()),
        # Of ships nothing is said but that they are: none is meant more than others.
        ("Which ships are there?", set()),
        # Two columns have towns: from Oslo is not for Oslo.
        ("Which ships used Oslo?", set()),
        # No question of which things there are.
        ("Is North B for timber?", set()),
        ("What is the crew of ships with timber?", set()),
    ],
)
def test_the_rows_with_the_cells_that_a_question_says_are_meant(question: str, ships: set[str]) -> None:
    assert meant(question) == ships


def test_what_stands_above_the_table_names_its_things() -> None:
    assert meant("How many vessels used North B?", ["Vessels of the harbour.csv"]) == {"Aurora", "Dora"}


def test_a_cell_with_the_number_of_a_limit_is_not_what_the_question_says() -> None:
    rows = {
        uuid4(): tuple(AnsweringCell(*cell, answers=False) for cell in (("Ship", ship), ("Built", built)))
        for ship, built in (("A", "1969"), ("B", "1970"), ("C", "1968"))
    }
    question = "Which ships were built before 1970?"
    found = select_rows(question, asked_limits(question), rows, ())
    assert [one.meeting for one in found.values()] == [Meeting(2, 3, ("before 1970",))] * 3


def rows_of(header: Sequence[str], *rows: Sequence[str]) -> dict[UUID, tuple[AnsweringCell, ...]]:
    made = [tuple(AnsweringCell(*cell, answers=False) for cell in zip(header, row, strict=True)) for row in rows]
    return {uuid4(): row for row in made}


def test_a_verb_asks_for_the_measure_of_a_limit() -> None:
    rows = rows_of(("Penguin", "Island", "Body mass [g]"), ("A", "Dream", "3500"), ("B", "Biscoe", "3600"))
    question = "Which penguins on Dream weigh over 3000 g?"
    found = select_rows(question, asked_limits(question), rows, ())
    assert [(one.met, one.whole) for one in found.values()] == [(True, True), (False, True)]


def test_a_cell_that_has_the_name_of_all_things_there_is_not_said_of_them() -> None:
    rows = rows_of(("Who", "Type"), ("A", "Death"), ("B", "Homicide"), ("C", "Homicide"))
    found = select_rows("How many deaths were homicides?", None, rows, ["deaths.csv"])
    assert {one.meeting for one in found.values()} == {Meeting(2, 3, ("Type: Homicide",))}


def test_rows_of_the_column_that_is_named_are_meant() -> None:
    assert meant("Which ships of Oslo origin are there?") == {"Aurora", "Bella"}


def test_a_limit_that_no_row_meets_with_what_else_is_said_is_met_by_none() -> None:
    told = select("Which grain ships are longer than 200 m?")
    assert {one.met for one in told.values()} == {False}
    # What two columns say may be meant otherwise than of one row.
    assert select("Which ships of Turku origin carried cement?") == {}


def test_how_many_are_meant_is_told_with_what_was_compared() -> None:
    told = select("How many timber ships are longer than 100 m?")
    assert {one.meeting for one in told.values()} == {Meeting(1, 4, ("Cargo: timber", "longer than 100 m"))}
    assert [ship for ship, one in told.items() if one.met is False] == ["Aurora", "Bella", "Cygnus"]
    assert told["Dora"].labels == ("Length [m]",)
    # Of one that is quoted nothing is counted.
    assert {one.meeting for one in select("Which timber ships are longer than 100 m?").values()} == {None}


def test_limits_tell_which_things_are_meant_whatever_they_are_called() -> None:
    told = select("Which freighters are longer than 150 m?")
    assert {ship for ship, one in told.items() if one.met} == {"Aurora", "Cygnus"}
    assert {one.meeting for one in told.values()} == {Meeting(2, 4, ("longer than 150 m",))}
    assert not any(one.whole for one in told.values())


def test_of_a_question_that_says_more_than_the_table_its_limits_are_compared_and_nothing_is_counted() -> None:
    told = select("Which insured ships of Lloyd are longer than 150 m?")
    assert {ship for ship, one in told.items() if one.met} == {"Aurora", "Cygnus"}
    assert {(one.meeting, one.whole) for one in told.values()} == {(None, False)}


def test_a_row_that_does_not_tell_a_limit_is_not_known_to_meet_it() -> None:
    rows = table(*SHIPS, ("Elbe", "North B", "Oslo", "Kiel", "", "timber", "7", "ship"))
    question = "Which timber ships are longer than 100 m?"
    found = select_rows(question, asked_limits(question), rows, ())
    assert {cells[0].value: found[row].met for row, cells in rows.items() if row in found} == {
        "Aurora": False, "Bella": False, "Cygnus": False, "Dora": True
    }  # fmt: skip


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("Which ships are there?", True),
        ("In what towns are they?", True),
        ("How many are there?", True),
        ("What is a berth?", False),
        ("Which is the longest?", False),
        ("Are there ships?", False),
    ],
)
def test_which_things_there_are_is_asked(question: str, asked: bool) -> None:
    assert selects(question) is asked


@pytest.mark.parametrize(
    "question",
    [
        "Which ships did not use North B?",
        "Which ships are not barges?",
        "How many ships carried no timber?",
        "Which barges did not use North B and carried timber?",
        "Which ships used a berth other than North B?",
        "Which other ships used North B?",
        "Which ships used only North B?",
        "Which ships used North B most?",
        "Which ships should use North B?",
        "Which ships carried both timber and grain?",
        "How many more ships used North B than North A?",
        "Which ships came to Oslo origin?",
        "How many ships used North B each?",
    ],
)
def test_a_word_that_turns_what_is_said_is_no_mere_word(question: str) -> None:
    assert not any(one.met or one.meeting for one in select(question).values())


def test_what_is_denied_is_no_answer() -> None:
    told = select("Which ships are not barges?")
    assert {ship: one.met for ship, one in told.items()} == {"Bella": False, "Dora": False}
    assert select("Which ships of Oslo did not carry timber?") == {}
    # Nor is anything compared with a limit: it would be told of those that are not meant.
    assert select("Which ships longer than 100 m did not use North B?") == {}
    assert select("Which ships that are not insured used North B?") == {}


def test_what_ships_are_not_is_told_by_a_cell_that_says_so_and_by_no_other() -> None:
    rows = rows_of(("Task", "Status"), ("A", "Not started"), ("B", "Started"), ("C", "Done"))

    def told(question: str) -> list[bool]:
        return [one.met for one in select_rows(question, None, rows, ()).values()]

    assert told("Which tasks are not started?") == [True, False, False]
    assert told("Which tasks are started?") == [False, True, False]
    assert told("Which tasks are not done?") == [False]


def test_a_capital_that_is_a_word_of_its_own_else_names_a_thing() -> None:
    rows = rows_of(("Train", "Class"), ("Comet", "T"), ("Star", "E"))
    assert [one.met for one in select_rows("Which trains have class T?", None, rows, ()).values()] == [True, False]


def test_what_belongs_to_something_is_of_it() -> None:
    rows = rows_of(("Animal", "Order"), ("Cat", "Carnivora"), ("Rat", "Rodentia"))
    found = select_rows("How many animals belong to the order Rodentia?", None, rows, ())
    assert [one.met for one in found.values()] == [False, True]


@pytest.mark.parametrize("name", ["Total", "Grand total", "Average", "Summe:"])
def test_a_sum_of_rows_is_no_row_that_is_meant(name: str) -> None:
    rows = table(*SHIPS, ("", name, "", "", "627", "", "53", ""))
    for question in (
        "Which ships are longer than 150 m?",
        "Which freighters have a crew over 11 and a length over 150 m?",
    ):
        found = select_rows(question, asked_limits(question), rows, ())
        assert {one.meeting.compared for one in found.values() if one.meeting} == {4}
        assert [found[row].met for row, cells in rows.items() if cells[1].value == name] == [False]
        assert sum(one.met for one in found.values()) == 2


def test_which_ones_are_insured_is_not_told_by_the_header_alone() -> None:
    rows = rows_of(("Ship", "Berth", "Insured"), ("Aurora", "North B", "yes"), ("Bella", "North B", "no"))
    assert select_rows("Which insured ships used North B?", None, rows, ()) == {}
    assert len(select_rows("Which ships used North B?", None, rows, ())) == 2


def test_what_either_of_two_columns_says_selects_nothing() -> None:
    assert select("Which ships used North B or carried timber?") == {}
    assert select("Which timber or barge ships used North B?") == {}
    assert select("Which ships carried timber or are longer than 200 m?") == {}
    assert meant("Which ships with timber or grain used North B?") == {"Aurora", "Dora"}
    assert meant("Which timber ships are over 150 m or under 100 m?") == {"Bella"}


def test_rows_with_one_of_several_things_in_a_cell_are_not_counted_without_it() -> None:
    rows = table(*SHIPS, ("Elbe", "North A", "Kiel", "Riga", "150", "timber, grain", "7", "ship"))
    assert select_rows("How many ships carried timber?", None, rows, ()) == {}
    found = select_rows("How many ships with timber used North B?", None, rows, ())
    assert {one.meeting for one in found.values()} == {Meeting(1, 5, ("Berth: North B", "Cargo: timber"))}


def test_a_year_may_be_that_of_another_column() -> None:
    rows = rows_of(("Ship", "Built", "Arrived"), ("Aurora", "2020", "2021-03-01"), ("Bella", "2019", "2020-05-03"))
    assert select_rows("Which ships came in 2020?", None, rows, ()) == {}
    found = select_rows("Which ships were built in 2020?", None, rows, ())
    assert [one.met for one in found.values()] == [True, False]


def test_what_several_rows_are_of_is_not_counted_as_rows() -> None:
    rows = rows_of(("Ship", "Berth"), ("Aurora", "North B"), ("Aurora", "North B"), ("Bella", "North B"))
    assert select_rows("How many ships used North B?", None, rows, ()) == {}
    assert len(select_rows("Which ships used North B?", None, rows, ())) == 3
    named = rows_of(("Name of ship", "Berth"), ("Aurora", "North B"), ("Aurora", "North B"))
    assert select_rows("How many ships used North B?", None, named, ()) == {}
    dated = rows_of(("Who", "Date of ship", "Berth"), ("Aurora", "May", "North B"), ("Bella", "May", "North B"))
    assert len(select_rows("How many ships used North B?", None, dated, ())) == 2


def test_what_the_name_of_a_row_counts_is_told_by_its_cells() -> None:
    header, rows = ("Change", "Shares", "Amount"), (("Shares repurchased", "(56)", "$ 8"), ("Net income", "–", "$ 2"))
    cells = {
        uuid4(): tuple(AnsweringCell(*one, answers=False) for one in zip(header, row, strict=True)) for row in rows
    }
    assert select_rows("How many shares were repurchased?", None, cells, ()) == {}
    # How often something befell it is no amount.
    for often in ("How often", "How many times"):
        found = select_rows(f"{often} were shares repurchased?", None, cells, ())
        assert [one.met for one in found.values()] == [True, False]
    named = select_rows("Which change is shares repurchased?", None, cells, ())
    assert [one.met for one in named.values()] == [True, False]


def test_where_a_number_could_not_be_read_nothing_is_counted() -> None:
    rows = rows_of(("Ship", "Crew"), ("Aurora", "1,200"), ("Bella", "1200"), ("Cora", "900"))
    question = "How many ships have a crew of more than 1000?"
    found = select_rows(question, asked_limits(question), rows, ())
    assert [(one.met, one.meeting) for one in found.values()] == [(True, None), (False, None)]


def test_of_a_question_with_words_that_turn_it_the_limits_tell_and_nothing_is_counted() -> None:
    told = select("Which ships to Oslo are longer than 150 m?")
    assert {ship for ship, one in told.items() if one.met} == {"Aurora", "Cygnus"}
    assert {(one.meeting, one.whole) for one in told.values()} == {(None, False)}


def test_a_letter_that_stands_alone_is_no_word_that_turns() -> None:
    rows = rows_of(("Ship", "Class"), ("Aurora", "T"), ("Bella", "T"), ("Cora", "R"))
    found = select_rows("Which ships are of class T?", None, rows, ())
    assert {one.meeting for one in found.values()} == {Meeting(2, 3, ("Class: T",))}


def test_numbers_are_read_as_those_of_the_table_are_written() -> None:
    rows = rows_of(("Machine", "Mass [kg]", "Price"), ("A", "1.200", "12.500,00"), ("B", "950", "9.900,50"))
    question = "Which machines have a mass over 1000 kg?"
    found = select_rows(question, asked_limits(question), rows, ())
    assert [one.met for one in found.values()] == [True, False]


SALES = rows_of(
    ("Product", "Date", "Quantity"),
    ("Lamp", "2024-01-07 0:00:00", "5"),
    ("Desk", "07.01.2024", "9"),
    ("Lamp", "2024-01-07 12:30:00", "7"),
    ("Chair", "2024-01-20 to 2024-01-24", "3"),
    ("Lamp", "2024-01-08", "8"),
)


def sold(question: str) -> tuple[list[str], set[Meeting | None]]:
    """What is sold in the rows that are meant, and what is counted."""
    found = select_rows(question, asked_limits(question), SALES, ())
    return [SALES[row][0].value for row, one in found.items() if one.met], {one.meeting for one in found.values()}


def test_a_day_is_told_by_a_cell_that_is_that_day_however_it_is_written() -> None:
    # A time of it is of that day, too: a log is not counted at midnight alone.
    assert sold("Which products were sold on 7 January 2024?")[0] == ["Lamp", "Desk", "Lamp"]
    assert sold("Which products were sold on 7 January 2024?")[1] == {Meeting(3, 5, ("Date: 2024-01-07",))}
    assert sold("Which products were sold on January 8, 2024?")[0] == ["Lamp"]
    assert sold("Which products were sold on 20 January 2024?")[0] == []


def dated(question: str, *days: str) -> list[str]:
    """The days that are meant."""
    rows = rows_of(("Sale", "Date"), *((f"S{n}", day) for n, day in enumerate(days)))
    return [rows[row][1].value for row, one in select_rows(question, None, rows, ()).items() if one.met]


def test_what_may_be_of_the_day_and_is_not_for_certain_leaves_open_how_many_are() -> None:
    question = "How many sales were on 1 February 2024?"
    assert dated(question, "2024-02-01", "2024-02-03", "01/03/2024") == ["2024-02-01"]
    for perhaps in ("01/02/2024", "2024-01-30 to 2024-02-02"):
        assert dated(question, "2024-02-01", "2024-02-03", perhaps) == []
    # Where another date tells which of its numbers is the day.
    assert dated(question, "2024-02-01", "13/03/2024", "01/02/2024") == ["2024-02-01", "01/02/2024"]
    assert dated(question, "2024-02-01", "03/13/2024", "01/02/2024") == ["2024-02-01"]


def test_a_cell_that_is_a_day_of_the_question_says_which_row_is_meant() -> None:
    saying = Saying.of("What revenue did lamps make on 7 January 2024?", frozenset())
    assert saying.says_cell(AnsweringCell("Date", "2024-01-07", answers=False), {})
    assert not saying.says_cell(AnsweringCell("Date", "2024-01-08", answers=False), {})


def test_how_often_something_was_done_is_how_many_rows_there_are() -> None:
    counted = {Meeting(3, 5, ("Product: Lamp",))}
    assert sold("How often was the lamp sold?") == (["Lamp"] * 3, counted)
    assert sold("How many times was the lamp sold?") == (["Lamp"] * 3, counted)
    # Of what is done again and again no row is an instance.
    assert not selects("How often is the lamp cleaned?")


def test_how_many_of_one_product_were_sold_is_told_by_its_quantity() -> None:
    assert sold("How many lamps were sold?") == (["Lamp"] * 3, {None})
    assert sold("How many products were sold on 8 January 2024?")[1] == {Meeting(1, 5, ("Date: 2024-01-08",))}


def test_whose_things_are_counted_is_none_of_them() -> None:
    rows = rows_of(("Employee", "Room"), ("Halden", "1"), ("Klein", "2"))
    assert select_rows("How many employees does Halden have?", None, rows, ()) == {}
    assert select_rows("How many employees are called Halden?", None, rows, ()) != {}


def test_how_many_were_sold_on_a_day_is_told_by_the_row_of_that_day() -> None:
    assert sold("How many were sold on 8 January 2024?") == (["Lamp"], {None})
    # Of what it is, and not of what was done with it, one is a number.
    rows = rows_of(("Product", "Colour"), ("Desk", "red"), ("Lamp", "red"))
    counted = Meeting(1, 2, ("Product: Desk",))
    assert {one.meeting for one in select_rows("How many were desks?", None, rows, ()).values()} == {counted}
