"""Which questions the header of a message answers, and what it says."""

import pytest

from shared.answering.messages import asked_field, asks_what_was_asked, field_of
from tests.unit.test_answer_evidence import hit


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("Who reported that the pump runs dry?", "From"),
        ("Who has also asked for a bearing?", "From"),
        ("Who wants to know when it ships?", "From"),
        ("Who wrote about the bearing?", "From"),
        ("Who is travelling to Bergen?", ""),
        ("Who reads what was reported?", ""),
        ("When did Ada Lind suggest a new pump?", "Date"),
        ("On which day was the failure reported?", "Date"),
        ("When does the pump run?", ""),
        ("What was reported?", ""),
        ("Whose pump was reported?", ""),
    ],
)
def test_a_header_answers_who_wrote_and_when(question: str, name: str) -> None:
    assert asked_field(question) == name


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("Who asked for a bearing?", True),
        ("When did Ada want to know this?", True),
        ("What did Ada ask?", True),
        ("Who sent a bearing?", False),
        ("Is a bearing asked for?", False),
    ],
)
def test_what_somebody_asked_may_be_a_question(question: str, asked: bool) -> None:
    assert asks_what_was_asked(question) is asked


def test_a_field_is_told_as_it_is_printed() -> None:
    header = hit("From: Ada <ada@example.org> Date: Tue, 3 Mar 2026 09:15", "list")
    attrs = {"from": {"raw": "Ada <ada@example.org>"}, "date": {"raw": "3 March"}}
    told = header.model_copy(update={"chunk": header.chunk.model_copy(update={"attrs": attrs})})
    assert field_of(told, "From") == "From: Ada <ada@example.org>"
    assert (field_of(told, "Date"), field_of(told, "To"), field_of(header, "From")) == ("", "", "")
