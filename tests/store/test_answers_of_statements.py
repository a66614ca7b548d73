"""Which row of a financial statement is quoted, and which of its cells: asked of a report that is drawn here."""

from io import BytesIO
from uuid import UUID

import pytest
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.platypus import Paragraph, SimpleDocTemplate, Spacer, Table

from shared.answering.service import ask
from shared.domain.knowledge import AnswerSentence
from shared.domain.scope import Identity
from shared.retrieval.requests import AskRequest
from shared.runtime import Runtime
from tests.pipeline import make_knowledge_base, run_all, upload

PROSE = [
    "Total net sales increased 3% or $1.2 billion during the third quarter of 2031 compared to the same quarter in "
    "2030, driven primarily by higher net sales of Lanterns and Kettles, offset by lower net sales of Radios.",
    "Lanterns net sales decreased during the third quarter of 2031 compared to the third quarter of 2030 due "
    "primarily to lower net sales of the garden lantern.",
]
ROWS = [
    ["", "Three Months Ended", "", "Nine Months Ended", ""],
    ["", "June 30, 2031", "June 29, 2030", "June 30, 2031", "June 29, 2030"],
    ["Kettles", "$ 21,040", "$ 19,870", "$ 64,410", "$ 60,020"],
    ["Lanterns", "6,318", "6,905", "20,114", "21,377"],
    ["Radios", "4,902", "4,377", "13,250", "13,008"],
    ["Total net sales", "$ 32,260", "$ 31,152", "$ 97,774", "$ 94,405"],
]


def report() -> bytes:
    style, out = getSampleStyleSheet(), BytesIO()
    SimpleDocTemplate(out, pagesize=A4, invariant=1).build([
        Paragraph("Products and Services Performance", style["Heading1"]),
        Paragraph("Net sales by category:", style["BodyText"]),
        Table(ROWS, style=[("SPAN", (1, 0), (2, 0)), ("SPAN", (3, 0), (4, 0)), ("ALIGN", (1, 0), (-1, -1), "RIGHT"),
                           ("LINEBELOW", (0, 1), (-1, 1), 0.5, "black")]),
        *(part for text in PROSE for part in (Spacer(0, 12), Paragraph(text, style["BodyText"]))),
    ])  # fmt: skip
    return out.getvalue()


@pytest.fixture(scope="module")
def base(runtime: Runtime, identity: Identity) -> UUID:
    base = make_knowledge_base(runtime, identity, "statements")
    run_all(runtime, upload(runtime, identity, base, report(), "2031 Q3 report.pdf"))
    return base


def first(runtime: Runtime, identity: Identity, base: UUID, question: str) -> AnswerSentence:
    return ask(runtime, identity, AskRequest(question=question, knowledge_base_ids=[base])).sentences[0]


def test_the_row_that_holds_the_figure_comes_before_sentences_about_it(
    runtime: Runtime, identity: Identity, base: UUID
) -> None:
    found = first(runtime, identity, base, "What were net sales of Lanterns in the quarter?")
    assert found.text == "Lanterns | 6,318 | 6,905 | 20,114 | 21,377"
    assert [(cell.label, cell.value) for cell in found.cells if cell.answers] == [
        ("Three Months Ended June 30, 2031", "6,318"),
        ("Three Months Ended June 29, 2030", "6,905"),
    ]


def test_a_question_for_no_value_is_answered_by_a_sentence(runtime: Runtime, identity: Identity, base: UUID) -> None:
    found = first(runtime, identity, base, "Why did Lanterns decrease?")
    assert found.text == PROSE[1]
