"""Small numbers in words and in digits are the same where they count something."""

import pytest

from shared.lexical.number_words import counting_words
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
