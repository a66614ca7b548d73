"""What meets a limit answers, of a whole table; what does not is no answer; and each of two things is answered."""

from uuid import UUID

import pytest

from functions.cli.commands.retrieval import print_answer
from functions.mcp.shapes import answered
from shared.answering.service import ask
from shared.domain.knowledge import Answer, RowsMeeting
from shared.domain.review import NewDecision
from shared.domain.scope import Identity
from shared.library.reviews import decide
from shared.readers.sheets import cells
from shared.retrieval.requests import AskRequest
from shared.runtime import Runtime
from tests.pipeline import make_knowledge_base, run_all, upload
from tests.readers.workbooks import Made, workbook

FURTHER = "\n".join(
    f"| Pond {number} | {number % 3 + 1} | 12 m | EUR {50 + number} | 19{50 + number} |" for number in range(30)
)
TEXT = f"""# Places to hire

## Swimming pools

| Pool | Lanes | Length | Price per hour | Opened |
| --- | --- | --- | --- | --- |
| North Baths | 4 | 25 m | EUR 40 | 1998 |
| Harbour Pool | 8 | 50 m | EUR 95 | 2012 |
| Lido | 6 | 33 m | EUR 60 | 2021 |
{FURTHER}

## Rooms

The meeting room has 12 seats. The hall has 120 seats and the cellar has 35 seats.

| Room | Class | Limit |
| --- | --- | --- |
| Attic | S | 30 km/h |
| Barn | E | 50 km/h |
| Cabin | A | 70 km/h |

The workshop holds five machines and two benches. The store has 7 ladders.

## Start of the day

- Unlock the till and count the float.
- Switch on the ovens at the back.

## Harbour

| Ship | Berth | Cargo |
| --- | --- | --- |
| Aurora | North B | grain |
| Bella | North A | timber |
| Cygnus | North | cement |
| Dora | North B | timber |
| Fjord | North B | fish |
| Juno | North B | grain |

## Pumps

| Code | Price |
| --- | --- |
| P-1 | EUR 400 |
| P-2 | EUR 900 |

### Spare parts

| Code | Price |
| --- | --- |
| S-1 | EUR 40 |
| S-2 | EUR 90 |

## Shelves

| Shelf | Filled with | Amount |
| --- | --- | --- |
| Top | Newspapers | 40 |
| Middle | Sandwiches | 25 |
"""


@pytest.fixture(scope="module")
def base(runtime: Runtime, identity: Identity) -> UUID:
    base = make_knowledge_base(runtime, identity, "compared")
    run_all(runtime, upload(runtime, identity, base, TEXT.encode(), "places.md"))
    return base


def answer(runtime: Runtime, identity: Identity, base: UUID, question: str) -> Answer:
    return ask(runtime, identity, AskRequest(question=question, knowledge_base_ids=[base]))


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("Which pools have at least 6 lanes?", {"Harbour Pool", "Lido"}),
        ("Which pools have more than three lanes?", {"North Baths", "Harbour Pool", "Lido"}),
        ("Which pools opened after 2000?", {"Harbour Pool", "Lido"}),
        ("Which pool is cheaper than EUR 50?", {"North Baths"}),
        ("Which pools are longer than 30 m?", {"Harbour Pool", "Lido"}),
        ("Which pools opened before 1957?", {f"Pond {number}" for number in range(7)}),
    ],
)
def test_the_rows_that_meet_a_limit_are_quoted_and_no_others(
    runtime: Runtime, identity: Identity, base: UUID, question: str, rows: set[str]
) -> None:
    found = answer(runtime, identity, base, question)
    assert {one.text.partition(" | ")[0] for one in found.sentences} == rows


@pytest.mark.parametrize(
    ("question", "cell"),
    [("Which pool is cheaper than EUR 50?", "EUR 40"), ("Which pools have at least 7 lanes?", "8")],
)
def test_the_cell_that_was_compared_answers(
    runtime: Runtime, identity: Identity, base: UUID, question: str, cell: str
) -> None:
    (found,) = answer(runtime, identity, base, question).sentences
    assert [one.value for one in found.cells if one.answers] == [cell]


def test_ten_rows_at_most_are_quoted(runtime: Runtime, identity: Identity, base: UUID) -> None:
    assert len(answer(runtime, identity, base, "Which pools opened before 1970?").sentences) == 10


def test_a_sentence_that_does_not_meet_it_is_not_quoted(runtime: Runtime, identity: Identity, base: UUID) -> None:
    (found,) = answer(runtime, identity, base, "Which room has more than 30 seats?").sentences
    assert found.text.startswith("The hall has 120 seats")


def test_how_many_rows_meet_it_is_told(
    runtime: Runtime, identity: Identity, base: UUID, capsys: pytest.CaptureFixture[str]
) -> None:
    found = answer(runtime, identity, base, "Which pools opened before 1970?")
    counts = RowsMeeting(rows=20, compared=33, said=["before 1970"])
    assert [one.meeting for one in found.sentences] == [counts, *[None] * 9]
    assert [one.meeting for one in answered(found).statements] == [counts, *[None] * 9]
    print_answer(found.model_dump(mode="json"))
    first, second, *_ = capsys.readouterr().out.split("\n")
    assert first == "20 of the 33 rows of the table (before 1970), 10 of them quoted:"
    assert second.startswith("Pool: Pond ")


def test_two_limits_are_met_both(runtime: Runtime, identity: Identity, base: UUID) -> None:
    found = answer(runtime, identity, base, "Which pools have at least 6 lanes and opened before 2015?")
    assert {one.text.partition(" | ")[0] for one in found.sentences} == {"Harbour Pool"}
    assert {cell.label for cell in found.sentences[0].cells if cell.answers} == {"Lanes", "Opened"}


@pytest.mark.parametrize(
    ("question", "rooms", "said"),
    [
        ("Which ships used North B?", {"Aurora", "Dora", "Fjord", "Juno"}, "Berth: North B"),
        ("How many ships carried timber?", {"Bella", "Dora"}, "Cargo: timber"),
    ],
)
def test_rows_that_are_told_by_their_cells_are_counted_and_quoted(
    runtime: Runtime, identity: Identity, base: UUID, question: str, rooms: set[str], said: str
) -> None:
    found = answer(runtime, identity, base, question)
    assert {one.text.partition(" | ")[0] for one in found.sentences} == rooms
    assert found.sentences[0].meeting == RowsMeeting(rows=len(rooms), compared=6, said=[said])
    assert {cell.label for one in found.sentences for cell in one.cells if cell.answers} == {"Ship"}


def test_of_several_tables_that_counts_which_is_named_nearest(runtime: Runtime, identity: Identity, base: UUID) -> None:
    found = answer(runtime, identity, base, "Which pumps cost less than EUR 500?")
    assert [one.text for one in found.sentences] == ["P-1 | EUR 400"]


@pytest.mark.parametrize("question", ["How many ships sank at North B?", "How many ferries used North B?"])
def test_what_the_table_does_not_say_is_refused(
    runtime: Runtime, identity: Identity, base: UUID, question: str
) -> None:
    assert answer(runtime, identity, base, question).insufficient_evidence


def test_of_a_table_that_was_read_in_part_nothing_is_counted(
    runtime: Runtime, identity: Identity, base: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shared.answering.compared_rows.ROWS_COMPARED", 33)
    found = answer(runtime, identity, base, "Which pools opened before 1970?")
    assert [one.meeting for one in found.sentences] == [None] * 10


def test_of_a_table_with_cells_for_several_rows_nothing_is_counted(runtime: Runtime, identity: Identity) -> None:
    page = (
        "<h1>House</h1><table><tr><th>Room</th><th>Floor</th></tr><tr><td>Attic</td><td{}>Upper</td></tr>"
        "<tr><td>Barn</td>{}</tr><tr><td>Cabin</td><td>Lower</td></tr></table>"
    )
    for slug, filled, meeting in (
        ("compared-spans", page.format(" rowspan=2", ""), None),
        ("compared-plain", page.format("", "<td>Upper</td>"), RowsMeeting(rows=2, compared=3, said=["Floor: Upper"])),
    ):
        base = make_knowledge_base(runtime, identity, slug)
        run_all(runtime, upload(runtime, identity, base, filled.encode(), "rooms.html"))
        found = answer(runtime, identity, base, "How many rooms are on the Upper floor?")
        assert found.sentences[0].meeting == meeting


def test_a_table_of_which_a_row_was_rejected_is_not_counted(runtime: Runtime, identity: Identity) -> None:
    base = make_knowledge_base(runtime, identity, "compared-rejected")
    run_all(runtime, upload(runtime, identity, base, TEXT.encode(), "places.md"))
    found = answer(runtime, identity, base, "How many ships carried timber?")
    assert {one.text.partition(" | ")[0] for one in found.sentences} == {"Bella", "Dora"}
    assert found.sentences[0].meeting == RowsMeeting(rows=2, compared=6, said=["Cargo: timber"])
    rejected = found.sentences[1]
    decide(runtime, identity, base, NewDecision(verdict="rejected", chunk_ids=rejected.citations[:1]))
    left = answer(runtime, identity, base, "How many ships carried timber?")
    assert [one.text for one in left.sentences] == [found.sentences[0].text]
    assert left.sentences[0].meeting is None


def test_a_long_table_of_a_sheet_is_compared_whole(runtime: Runtime, identity: Identity) -> None:
    base = make_knowledge_base(runtime, identity, "compared-long")
    lines = (f"Ship {n},{'North' if n % 5 == 0 else 'South'},{n + 10}" for n in range(450))
    run_all(runtime, upload(runtime, identity, base, "\n".join(["ship,berth,crew", *lines]).encode(), "log.csv"))
    found = answer(runtime, identity, base, "How many ships used North?")
    assert found.sentences[0].meeting == RowsMeeting(rows=90, compared=450, said=["berth: North"])
    # In another window of the table than what a search finds first.
    (most,) = answer(runtime, identity, base, "Which ship has the largest crew?").sentences
    assert (most.text, most.compared) == ("Ship 449 | South | 459", 450)


def test_sheets_with_the_same_header_are_tables_of_their_own(runtime: Runtime, identity: Identity) -> None:
    base = make_knowledge_base(runtime, identity, "compared-sheets")
    header: dict[str, str | float] = {"A1": "ship", "B1": "berth", "C1": "crew"}
    first = {"A2": "Aurora", "B2": "North B", "C2": 7, "A3": "Bella", "B3": "North A", "C3": 9}
    second = {"A2": "Dora", "B2": "North B", "C2": 8, "A3": "Elsa", "B3": "South C", "C3": 12}
    data = workbook(
        {"Jan": Made(header | first | {"A4": "Cora", "B4": "North B", "C4": 4}), "Feb": Made(header | second)}
    )
    run_all(runtime, upload(runtime, identity, base, data, "months.xlsx"))
    found = answer(runtime, identity, base, "How many ships used North B?")
    meeting = found.sentences[0].meeting
    assert meeting is not None
    assert meeting.compared == (3 if found.sentences[0].text.startswith(("Aurora", "Cora")) else 2)


def test_of_a_sheet_with_rows_that_are_no_passages_nothing_is_compared(
    runtime: Runtime, identity: Identity, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cells, "PASSAGE_ROWS", 250)
    base = make_knowledge_base(runtime, identity, "compared-longer")
    lines = (f"Ship {n},{'North' if n % 5 == 0 else 'South'},{n + 10}" for n in range(600))
    run_all(runtime, upload(runtime, identity, base, "\n".join(["ship,berth,crew", *lines]).encode(), "log.csv"))
    found = [
        answer(runtime, identity, base, one) for one in ("Which ships used North?", "Which ship has the largest crew?")
    ]
    assert [
        (one.meeting, one.compared) for each in found for one in each.sentences if one.meeting or one.compared
    ] == []


@pytest.mark.parametrize("limit", ["more than 20 lanes", "fewer than 1 lanes"])
def test_where_nothing_meets_it_that_is_said(runtime: Runtime, identity: Identity, base: UUID, limit: str) -> None:
    found = answer(runtime, identity, base, f"Which pools have {limit}?")
    assert found.insufficiency is not None
    assert (found.insufficiency.reason, found.insufficiency.missing) == ("no_value", [limit])


def test_each_of_two_things_is_answered(runtime: Runtime, identity: Identity, base: UUID) -> None:
    found = answer(runtime, identity, base, "What is the limit of class S and class E?")
    assert {one.text.partition(" | ")[0] for one in found.sentences} == {"Attic", "Barn"}
    found = answer(runtime, identity, base, "How many machines and ladders are there?")
    assert [one.text for one in found.sentences][:2] == [
        "The store has 7 ladders.", "The workshop holds five machines and two benches."
    ]  # fmt: skip


def test_a_number_is_found_in_words_and_in_digits(runtime: Runtime, identity: Identity, base: UUID) -> None:
    for question in ("Are there 5 machines?", "Where are five machines?"):
        found = answer(runtime, identity, base, question)
        assert found.sentences[0].text == "The workshop holds five machines and two benches."
    assert answer(runtime, identity, base, "Where are seven ladders?").sentences[0].text == "The store has 7 ladders."


def test_a_row_that_has_nothing_of_the_question_says_no_more_by_its_title_than_a_list(
    runtime: Runtime, identity: Identity, base: UUID
) -> None:
    found = answer(runtime, identity, base, "What must I do at the start of the day?")
    assert "Unlock the till and count the float." in [one.text for one in found.sentences]
    assert not found.sentences[0].cells
