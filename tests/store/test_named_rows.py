"""Where a value is asked for, the rows of tables that are named as it is are read beside what a search found."""

from collections.abc import Collection, Mapping, Sequence
from uuid import UUID

import pytest

from shared.answering.found import FoundEvidence
from shared.answering.service import ask
from shared.domain.knowledge import Hit
from shared.domain.review import NewDecision
from shared.domain.scope import Identity
from shared.domain.versions import DocumentChange
from shared.filters.selection import Filters, Selection
from shared.library.reviews import decide
from shared.library.versions import change_document
from shared.retrieval.requests import AskRequest, SearchRequest
from shared.retrieval.service import search
from shared.runtime import Runtime
from tests.pipeline import make_knowledge_base, run_all, scope_of, upload

REPORT = """# {company} report

## Tax

The rates of tax of {company} were as follows:

| | 2024 | 2023 |
| --- | --- | --- |
| Provision for income taxes | $ 3,624 | $ 2,625 |
| Effective tax rate | {rate} | 10.8 % |
| Statutory rate | 21.0 % | 21.0 % |

What the effective tax rate of {company} was is asked by all who ask what {company}'s effective tax rate was:

## Effective tax rate

As our wages are, it is lower than that of others.

What was the provision of {company} for income taxes? The provision of {company} for income taxes was as follows:

## Sheet

| | 2024 | 2023 |
| --- | --- | --- |
| Cash | $ 12 | $ 14 |
| Total current assets | $ 23 | $ 28 |
| Total assets | {total} | $ 44 |
"""
ASKED = "What was Northfield's effective tax rate?"
OURS, THEIRS = "Effective tax rate | 15.7 % | 10.8 %", "Effective tax rate | 18.2 % | 10.8 %"


@pytest.fixture(scope="module")
def base(runtime: Runtime, identity: Identity) -> UUID:
    base = make_knowledge_base(runtime, identity, "named rows")
    for company, rate, total in (("Northfield", "15.7 %", "$ 40"), ("Southport", "18.2 %", "$ 90")):
        text = REPORT.format(company=company, rate=rate, total=total)
        run_all(runtime, upload(runtime, identity, base, text.encode(), f"{company}.md"))
    return base


def hits_of(runtime: Runtime, identity: Identity, base: UUID, content: str) -> list[Hit]:
    found = search(runtime, identity, SearchRequest(query=content, knowledge_base_ids=[base], k=20)).hits
    return [hit for hit in found if hit.chunk.content == content]


def beside(
    runtime: Runtime,
    identity: Identity,
    base: UUID,
    question: str,
    hits: Sequence[Hit] = (),
    naming: Mapping[str, Collection[UUID]] | None = None,
) -> list[str]:
    with runtime.database.transaction(scope_of(identity, base)) as connection:
        found = FoundEvidence.load(connection, hits, Selection(Filters()), question, naming or {})
    assert [*found.read()] == [*hits, *found.beside]
    assert {hit.chunk.id for hit in found.beside} <= found.rows.keys()
    return [hit.chunk.content for hit in found.beside]


def test_rows_are_found_by_their_names_alone(runtime: Runtime, identity: Identity, base: UUID) -> None:
    assert sorted(beside(runtime, identity, base, ASKED)) == [OURS, THEIRS]
    # "Total current assets" are others.
    totals = ["Total assets | $ 40 | $ 44", "Total assets | $ 90 | $ 44"]
    assert sorted(beside(runtime, identity, base, "What were the total assets?")) == totals


def test_of_the_documents_that_the_question_names(runtime: Runtime, identity: Identity, base: UUID) -> None:
    (ours,) = hits_of(runtime, identity, base, OURS)
    assert beside(runtime, identity, base, ASKED, naming={"northfield": [ours.document.id]}) == [OURS]
    # A word of what is asked for names no document that it is meant of.
    (theirs,) = hits_of(runtime, identity, base, THEIRS)
    naming = {"northfield": [ours.document.id], "rate": [theirs.document.id]}
    assert beside(runtime, identity, base, ASKED, naming=naming) == [OURS]


def test_what_was_found_is_not_read_twice(runtime: Runtime, identity: Identity, base: UUID) -> None:
    assert beside(runtime, identity, base, ASKED, hits_of(runtime, identity, base, OURS)) == [THEIRS]


@pytest.mark.parametrize("question", ["What is effective tax rate?", "Is the effective tax rate low?", "Why?"])
def test_where_no_value_is_asked_for_no_row_is_read(
    runtime: Runtime, identity: Identity, base: UUID, question: str
) -> None:
    assert beside(runtime, identity, base, question) == []


def test_a_row_comes_before_the_sentence_about_it(runtime: Runtime, identity: Identity, base: UUID) -> None:
    found = ask(runtime, identity, AskRequest(question=ASKED, knowledge_base_ids=[base]))
    assert found.sentences[0].text == OURS
    assert [cell.value for cell in found.sentences[0].cells if cell.answers] == ["15.7 %", "10.8 %"]


@pytest.mark.parametrize(
    ("question", "row", "values"),
    [
        ("How high was Northfield's effective tax rate?", OURS, ["15.7 %", "10.8 %"]),
        ("How large were Southport's total assets?", "Total assets | $ 90 | $ 44", ["$ 90", "$ 44"]),
        ("How much was the cash of Northfield?", "Cash | $ 12 | $ 14", ["$ 12", "$ 14"]),
    ],
)
def test_how_high_it_was_asks_for_the_same(
    runtime: Runtime, identity: Identity, base: UUID, question: str, row: str, values: list[str]
) -> None:
    found = ask(runtime, identity, AskRequest(question=question, knowledge_base_ids=[base]))
    assert found.sentences[0].text == row
    assert [cell.value for cell in found.sentences[0].cells if cell.answers] == values


def test_how_high_a_thing_is_asks_for_a_length(runtime: Runtime, identity: Identity, base: UUID) -> None:
    found = ask(runtime, identity, AskRequest(question="How high is the canteen?", knowledge_base_ids=[base]))
    assert found.sentences == []
    assert found.insufficiency is not None
    assert (found.insufficiency.reason, found.insufficiency.missing) == ("no_value", ["length"])


def test_a_value_of_another_owner_is_none(runtime: Runtime, identity: Identity, base: UUID) -> None:
    canteen = "# Canteen\n\nA Westmoor is a cake that we offer on Mondays, and no tax is on it."
    run_all(runtime, upload(runtime, identity, base, canteen.encode(), "canteen.md"))
    for question in ("What was Westmoor's effective tax rate?", "What were the total assets of Westmoor?"):
        found = ask(runtime, identity, AskRequest(question=question, knowledge_base_ids=[base]))
        assert not any(" | " in one.text for one in found.sentences), question
    found = ask(runtime, identity, AskRequest(question="What was ANB's effective tax rate?", knowledge_base_ids=[base]))
    assert not found.sentences
    assert found.insufficiency is not None
    assert (found.insufficiency.reason, found.insufficiency.missing) == ("not_named", ["ANB"])


def test_whoever_is_named_by_the_files_name_or_in_its_text_is_the_owner(runtime: Runtime, identity: Identity) -> None:
    base = make_knowledge_base(runtime, identity, "owners")
    margin = "| | 2024 |\n| --- | --- |\n| Cash | $ 12 |\n| Gross margin | {} |\n| Debt | $ 9 |\n"
    text = f"# Report\n\n{margin.format('53.6 %')}"
    for name, written in (
        ("report.md", text),
        ("guests.md", "# Guests\n\nWestmoor was here, Northmoor and Eastbay too."),
        ("second.md", f"# Southmoor\n\nSouthmoor, says Southmoor, is Southmoor.\n\n{margin.format('48.2 %')}"),
    ):
        run_all(runtime, upload(runtime, identity, base, written.encode(), name))
    [report] = {hit.document.id for hit in hits_of(runtime, identity, base, "Gross margin | 53.6 %")}
    change_document(runtime, identity, report, DocumentChange(name="Eastbay 2024.md"))
    first, second = "Gross margin | 53.6 %", "Gross margin | 48.2 %"
    assert quoted(runtime, identity, base, "What was Eastbay's gross margin?")[:1] == [first]
    assert quoted(runtime, identity, base, "What was Southmoor's gross margin?")[:1] == [second]
    assert not {first, second} & {*quoted(runtime, identity, base, "What was Westmoor's gross margin?")}
    assert {first, second} <= {*quoted(runtime, identity, base, "What was the gross margin?")}


def test_where_most_documents_speak_of_the_owner_the_rest_is_theirs_too(runtime: Runtime, identity: Identity) -> None:
    base = make_knowledge_base(runtime, identity, "house")
    row = "| | days |\n| --- | --- |\n| Notice period | 30 days |\n| Trial period | 90 days |\n"
    texts = (
        f"# Handbook\n\n{row}",
        "# Rooms\n\nKestrel has moved to Bath.",
        "# Doors\n\nKestrel closes at six.",
    )
    for n, text in enumerate(texts):
        run_all(runtime, upload(runtime, identity, base, text.encode(), f"{n}.md"))
    assert "Notice period | 30 days" in quoted(runtime, identity, base, "What is Kestrel's notice period?")


def test_who_names_documents_owns_nothing_of_the_others_however_few(runtime: Runtime, identity: Identity) -> None:
    base = make_knowledge_base(runtime, identity, "fleet")
    table = "| | 2024 |\n| --- | --- |\n| Cash | $ 12 |\n| Gross margin | 53.6 % |\n"
    report = "# Eastbay\n\nEastbay sells cars in {}, at a margin, gross of tax."
    texts = {f"Eastbay {year}.md": report.format(year) for year in (2022, 2023)}
    for name, text in (texts | {"Southmoor 2023.md": f"# Report of Southmoor\n\n{table}"}).items():
        run_all(runtime, upload(runtime, identity, base, text.encode(), name))
    assert "Gross margin | 53.6 %" in quoted(runtime, identity, base, "What was Southmoor's gross margin?")
    assert "Gross margin | 53.6 %" not in quoted(runtime, identity, base, "What was Eastbay's gross margin?")


def test_an_owner_is_found_in_documents_of_other_languages(runtime: Runtime, identity: Identity) -> None:
    base = make_knowledge_base(runtime, identity, "deutsch")
    text = (
        "# Bericht\n\nSiemens zahlt für das vergangene Jahr eine Dividende von 4,70 Euro, und die Aktionäre haben dem "
        "auf der Versammlung mit großer Mehrheit zugestimmt. Die Auszahlung erfolgt in der Woche nach der Versammlung."
    )
    run_all(runtime, upload(runtime, identity, base, text.encode(), "bericht.md"))
    assert quoted(runtime, identity, base, "What is Siemens's Dividende?")


def test_where_every_document_is_of_another_that_is_said(runtime: Runtime, identity: Identity, base: UUID) -> None:
    guests = b"# Guests\n\nEastmoor came. Eastmoor left. Eastmoor came again, and Eastmoor was asked for by Eastmoor."
    run_all(runtime, upload(runtime, identity, base, guests, "visitors.md"))
    question = "What was Eastmoor's effective tax rate?"
    reports = {hit.document.id for hit in hits_of(runtime, identity, base, OURS)}
    found = ask(runtime, identity, AskRequest(question=question, knowledge_base_ids=[base], documents=[*reports]))
    assert found.insufficiency is not None
    assert (found.insufficiency.reason, found.insufficiency.missing) == ("not_named", ["Eastmoor"])


def quoted(runtime: Runtime, identity: Identity, base: UUID, question: str) -> list[str]:
    return [
        one.text for one in ask(runtime, identity, AskRequest(question=question, knowledge_base_ids=[base])).sentences
    ]


def test_nothing_but_such_a_value_answers(runtime: Runtime, identity: Identity, base: UUID) -> None:
    found = ask(
        runtime,
        identity,
        AskRequest(question="What was the provision of Northfield for income taxes?", knowledge_base_ids=[base]),
    )
    assert [one.text for one in found.sentences][:1] == ["Provision for income taxes | $ 3,624 | $ 2,625"]


def test_a_row_that_people_rejected_is_not_read(runtime: Runtime, identity: Identity, base: UUID) -> None:
    (ours,) = hits_of(runtime, identity, base, OURS)
    (announcing,) = hits_of(runtime, identity, base, "The rates of tax of Northfield were as follows:")
    assert beside(runtime, identity, base, ASKED, [announcing]) == [OURS, THEIRS]
    decide(runtime, identity, base, NewDecision(verdict="rejected", chunk_ids=[ours.chunk.id]))
    assert beside(runtime, identity, base, ASKED) == [THEIRS]
    assert beside(runtime, identity, base, ASKED, [announcing]) == [THEIRS]


STATEMENTS = """# Northfield report

The stock of kettles that Northfield had was sold to others in the summer, says Northfield.

## Northfield statements of cash flows

| | year 2024 | year 2023 |
| --- | --- | --- |
| Net income | $ 90 | $ 80 |
| Inventories | (18) | (4) |

## Balance sheets

| | 2024 | 2023 |
| --- | --- | --- |
| Goodwill | $ 12 | $ 14 |
| Inventories | 44 | 26 |
"""


def test_of_a_single_report_the_rows_are_its_makers_wherever_its_name_stands(
    runtime: Runtime, identity: Identity
) -> None:
    base = make_knowledge_base(runtime, identity, "single report")
    run_all(runtime, upload(runtime, identity, base, STATEMENTS.encode(), "report.md"))
    request = AskRequest(question="How much inventory does Northfield have?", knowledge_base_ids=[base])
    found = ask(runtime, identity, request)
    rows = ["Inventories | (18) | (4)", "Inventories | 44 | 26"]
    assert sorted(one.text for one in found.sentences) == rows
    told = {sentence.text: [cell.value for cell in sentence.cells if cell.answers] for sentence in found.sentences}
    assert told == {rows[0]: ["(18)", "(4)"], rows[1]: ["44", "26"]}
    # As they are cited: the first row and its table, then the second.
    cited = [one for sentence in found.sentences for one in sentence.citations]
    assert [hit.chunk.id for hit in found.citations] == cited
    assert [hit.chunk.chunk_type for hit in found.citations] == ["table_row", "table"] * 2
    assert found.contradictions == []


TRAVELS = """# Travel report of {who}

{who} travelled to {where}. {who} paid by card.

| Item | Cost |
| --- | --- |
| Hotel | {hotel} EUR |
| Meals | {meals} EUR |

The valves were shown on the first day, and all of them were bought at once by the dairies of the harbour.

{more}
"""


def test_what_somebody_spent_is_not_in_the_report_of_another_who_mentions_them(
    runtime: Runtime, identity: Identity
) -> None:
    base = make_knowledge_base(runtime, identity, "travels")
    for who, where, hotel, more in (
        ("Tom Berg", "Oslo", 420, "Ruth Klein approved the trip."),
        ("Ruth Klein", "Vienna", 260, ""),
    ):
        text = TRAVELS.format(who=who, where=where, hotel=hotel, meals=hotel // 10, more=more)
        run_all(runtime, upload(runtime, identity, base, text.encode(), f"{where}.md"))
    request = AskRequest(question="How much did Ruth Klein spend on the hotel?", knowledge_base_ids=[base])
    found = ask(runtime, identity, request)
    assert [one.text for one in found.sentences] == ["Hotel | 260 EUR"]
    assert found.contradictions == []
