"""A quoted statement that refers back is quoted with the sentence that says to whom or what."""

import numpy as np
import pytest

from shared.answering.composing import quoted_answer
from shared.answering.evidence import Sentence
from shared.answering.sufficiency import Sufficiency
from shared.domain.knowledge import AnswerSentence
from shared.retrieval.requests import AskRequest
from shared.retrieval.trace import Tracer
from tests.unit.test_answer_evidence import hit

MONKS = "Monks train the mind.  They wear no armour. They may carry 2 bags."
VECTOR = np.ones(2, np.float32)


def quoted(content: str, *statements: str, chunk_type: str = "text") -> list[AnswerSentence]:
    one = hit(content)
    one = one.model_copy(update={"chunk": one.chunk.model_copy(update={"chunk_type": chunk_type})})
    chosen = [
        Sentence(text, one, 0, 0.5, 0.5, 1.0, VECTOR, values=((text.index("2"), text.index("2") + 1),))
        if "2" in text
        else Sentence(text, one, 0, 0.5, 0.5, 1.0, VECTOR)
        for text in statements
    ]
    tracer = Tracer("ask", "which", AskRequest(question="which"))
    return quoted_answer(chosen, [one], {}, Sufficiency(0.5, 0.5, 0.5, enough=True), [], tracer).sentences


def test_the_sentence_before_a_pronoun_is_quoted_with_it_as_both_stand_there() -> None:
    (one,) = quoted(MONKS, "They wear no armour.")
    assert one.text == "Monks train the mind.  They wear no armour."


def test_values_are_marked_where_they_stand_then() -> None:
    (one,) = quoted(MONKS, "They may carry 2 bags.")
    assert one.text == "They wear no armour. They may carry 2 bags."
    assert [one.text[start:end] for start, end in one.marks] == ["2"]


def test_the_answer_in_one_piece_has_it_too() -> None:
    one = hit(MONKS)
    chosen = [Sentence("They wear no armour.", one, 1, 0.5, 0.5, 1.0, VECTOR)]
    tracer = Tracer("ask", "which", AskRequest(question="which"))
    answer = quoted_answer(chosen, [one], {}, Sufficiency(0.5, 0.5, 0.5, enough=True), [], tracer)
    assert answer.answer == "Monks train the mind.  They wear no armour."


@pytest.mark.parametrize(
    ("content", "statement"),
    [
        # Nothing stands before it.
        ("They wear no armour.", "They wear no armour."),
        ("The pump is off. Theirs is on.", "Theirs is on."),
        ("The pump is off. The lamp is on.", "The lamp is on."),
        # "It" stands for what follows.
        ("The pump is off. It is best to wait.", "It is best to wait."),
        (f"{'The pump is off ' * 40}. It is green.", "It is green."),
    ],
)
def test_what_refers_to_nothing_that_helps_is_quoted_alone(content: str, statement: str) -> None:
    assert [one.text for one in quoted(content, statement)] == [statement]


def test_what_is_quoted_itself_is_not_quoted_twice() -> None:
    both = ["They wear no armour.", "Monks train the mind."]
    assert [one.text for one in quoted(MONKS, *both)] == both


def test_an_item_is_no_sentence_before_another() -> None:
    (one,) = quoted("- A pump of steel. It is green.", "It is green.", chunk_type="list")
    assert one.text == "It is green."
