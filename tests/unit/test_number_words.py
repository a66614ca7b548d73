"""Small numbers in words and in digits are the same where they count something."""

import numpy as np
import pytest

from shared.answering.lacking import Ground
from shared.answering.question import Question
from shared.lexical.number_words import counting_words
from shared.lexical.query import LexicalQuery
from shared.retrieval.terms import terms_in, written_of


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("Where are five machines?", {"five": "5"}),
        ("Who works with 12 volunteers?", {"12": "twelv"}),
        ("Which has more than 30 seats?", {"30": "thirti"}),
        ("What does section 5 say?", {}),
        ("What does rule 7 of part 2 mean?", {}),
        ("Which one is it?", {}),
        ("Does it weigh in at 5 kg?", {}),
        ("Is it version 1.12 then?", {}),
    ],
)
def test_a_number_that_counts_is_known_as_it_may_be_written_otherwise(question: str, found: dict[str, str]) -> None:
    assert counting_words(question) == found


def test_a_text_has_the_number_either_way() -> None:
    weights = {"5": 1.0, "machin": 1.0}
    said = written_of("Are there 5 machines?")
    assert terms_in("It has five machines.", weights, said) == {"5", "machin"}
    assert terms_in("It has six machines.", weights, said) == {"machin"}
    assert terms_in("It has five machines.", weights, written_of("What does rule 5 say on machines?")) == {"machin"}


def test_such_a_number_is_no_measure() -> None:
    said = written_of("How high are the 5 margins?") | {"high": frozenset({"height"})}
    weights = {"high": 1.0, "5": 1.0, "margin": 1.0}
    question = Question(np.zeros(2, dtype=np.float32), weights, properties=said, sized={"margin": 1.0})
    assert question.told_by_rows(frozenset({"share"})).weights.keys() == {"5", "margin"}
    words = LexicalQuery([], {}, {}, text="How high are the 5 margins?")
    ground = Ground(words, 0.0, [], [], {}, {}, properties=said)
    assert "high" in ground.measure_terms
    assert "5" not in ground.measure_terms
