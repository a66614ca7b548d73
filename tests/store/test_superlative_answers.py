"""Superlatives are answered by comparing the rows of a table, wherever these stand among the hits."""

from uuid import UUID

import pytest

from functions.cli.commands.retrieval import print_answer
from functions.mcp.shapes import answered
from shared.answering.service import ask
from shared.domain.knowledge import Answer
from shared.domain.scope import Identity
from shared.retrieval.requests import AskRequest
from shared.runtime import Runtime
from tests.pipeline import make_knowledge_base, run_all, upload

ROWS = [(f"P-{number}", 10 + number * 7 % 25, number) for number in range(1, 21)]
TABLE = "\n".join(f"| {name} | {mass} | {power} |" for name, mass, power in ROWS)
# The header of the first names pumps, the second has them only in a title farther out.
PARTS = (
    "\n## Filters for a pump\n\n| Filter of a pump | Price [EUR] |\n| --- | --- |\n| F-1 | 4 |\n| F-2 | 9 |\n"
    "\n# Pumps on offer\n\n## Cases\n\n| Case | Price [EUR] |\n| --- | --- |\n| C-1 | 2 |\n| C-2 | 5 |\n"
)
TEXT = f"# Pumps\n\n| Model | Mass [kg] | Power [kW] |\n| --- | --- | --- |\n{TABLE}\n\nAll are painted grey.\n{PARTS}"


@pytest.fixture(scope="module")
def base(runtime: Runtime, identity: Identity) -> UUID:
    base = make_knowledge_base(runtime, identity, "superlatives")
    run_all(runtime, upload(runtime, identity, base, TEXT.encode(), "pumps.md"))
    return base


def answer(runtime: Runtime, identity: Identity, base: UUID, question: str) -> Answer:
    return ask(runtime, identity, AskRequest(question=question, knowledge_base_ids=[base]))


@pytest.mark.parametrize(
    ("question", "row", "cell"),
    [
        ("What is the heaviest pump?", "P-7 | 34 | 7", "34"),
        ("Which model has the highest power?", "P-20 | 25 | 20", "20"),
        ("Which pump has the lowest weight?", "P-18 | 11 | 18", "11"),
    ],
)
def test_the_row_is_quoted_alone_with_the_cell_and_how_many_were_compared(
    runtime: Runtime, identity: Identity, base: UUID, question: str, row: str, cell: str
) -> None:
    found = answer(runtime, identity, base, question)
    (quoted,) = found.sentences
    assert (quoted.text, quoted.compared) == (row, 20)
    assert [one.value for one in quoted.cells if one.answers] == [cell]
    assert {hit.chunk.content for hit in found.citations if hit.chunk.chunk_type == "table_row"} == {row}


def test_how_many_were_compared_is_told_on_the_command_line_and_by_mcp(
    runtime: Runtime, identity: Identity, base: UUID, capsys: pytest.CaptureFixture[str]
) -> None:
    found = answer(runtime, identity, base, "What is the heaviest pump?")
    print_answer(found.model_dump(mode="json"))
    assert "[1][2]\ncompared over 20 rows of its table\n" in capsys.readouterr().out
    assert [one.compared for one in answered(found).statements] == [20]


def test_what_no_comparison_tells_is_answered_as_ever(runtime: Runtime, identity: Identity, base: UUID) -> None:
    assert answer(runtime, identity, base, "Which Danish pump is the heaviest?").insufficient_evidence
    assert not any(one.compared for one in answer(runtime, identity, base, "What is the weight of the P-3?").sentences)


def test_of_several_tables_that_counts_which_the_words_stand_nearest_above(
    runtime: Runtime, identity: Identity, base: UUID
) -> None:
    (quoted,) = answer(runtime, identity, base, "Which filter for a pump is the cheapest?").sentences
    assert (quoted.text, quoted.compared) == ("F-1 | 4", 2)
    # Neither filters of pumps nor cases in a chapter of pumps are pumps.
    assert not any(one.compared for one in answer(runtime, identity, base, "Which pump is the cheapest?").sentences)


def test_a_row_that_two_documents_have_is_quoted_once(runtime: Runtime, identity: Identity, base: UUID) -> None:
    other = make_knowledge_base(runtime, identity, "superlatives again")
    run_all(runtime, upload(runtime, identity, other, f"{TEXT}\nSent by post.\n".encode(), "offer.md"))
    request = AskRequest(question="What is the heaviest pump?", knowledge_base_ids=[base, other])
    assert [one.text for one in ask(runtime, identity, request).sentences] == ["P-7 | 34 | 7"]


def test_a_file_without_titles_is_called_by_its_name(runtime: Runtime, identity: Identity) -> None:
    base = make_knowledge_base(runtime, identity, "superlatives of a file")
    lines = "\n".join(f"M-{number},{mass}" for number, mass in enumerate((12, 40, 25, 31)))
    run_all(runtime, upload(runtime, identity, base, f"Code,Mass [kg]\n{lines}\n".encode(), "pumps.csv"))
    (quoted,) = answer(runtime, identity, base, "What is the heaviest pump?").sentences
    assert (quoted.text, quoted.compared) == ("M-1 | 40", 4)


def test_rows_that_are_counted_are_several_things_and_no_number_in_them_is_the_answer(
    runtime: Runtime, identity: Identity
) -> None:
    base = make_knowledge_base(runtime, identity, "sales of a file")
    lines = "\n".join(f"{name},2024-01-0{day},{day + 3}" for day, name in enumerate(("Lamp", "Desk") * 3, start=1))
    run_all(runtime, upload(runtime, identity, base, f"Product,Date,Quantity\n{lines}\n".encode(), "sales.csv"))
    found = answer(runtime, identity, base, "How often was the lamp sold?")
    assert [one.text for one in found.sentences if one.text.startswith("Lamp")] == [one.text for one in found.sentences]
    assert (found.sentences[0].meeting and found.sentences[0].meeting.rows) == 3
    assert found.contradictions == []
    assert not any(cell.answers for one in found.sentences for cell in one.cells if cell.label != "Product")
