"""Codes that a query contains, and the candidates that have them."""

from uuid import UUID

import pytest

from shared.lexical.query import LexicalQuery, Word
from shared.lexical.tokenizer import term_number
from shared.retrieval.codes import CHUNKS_MAX, count_codes, written_codes

A, B = UUID(int=1), UUID(int=2)
GUIDE, SHEET = UUID(int=8), UUID(int=9)
TERM = term_number("ta.37v")


@pytest.mark.parametrize(
    ("query", "codes"),
    [
        ("TA-37V", {"ta.37v"}),
        ("what does the TA\u201137V cost?", {"ta.37v"}),
        ("N5921D crashed, or C300/4", {"n5921d", "c300.4"}),
        ("revenue in Q3 FY2023, FY22 and H1", set[str]()),
        ("12 kg at 98.5 dB in 2009", set[str]()),
        ("the rear wing", set[str]()),
    ],
)
def test_a_code_begins_with_a_letter_and_has_a_digit(query: str, codes: set[str]) -> None:
    assert written_codes(query) == codes


def query(frequency: int) -> LexicalQuery:
    word = Word("ta.37v", {"": TERM}, 1, frequency, 5.0)
    other = Word("cost", {"en": term_number("cost")}, 1, 9, 2.0)
    return LexicalQuery([word, other], {}, {})


def test_what_has_the_code_counts_and_a_common_word_does_not() -> None:
    terms = {A: {TERM}, B: {term_number("cost")}}
    assert count_codes("TA-37V cost", query(2), terms, {}, {}) == {A: 1}


def test_a_code_that_many_chunks_have_identifies_nothing() -> None:
    terms = {A: {TERM}}
    assert count_codes("TA-37V cost", query(CHUNKS_MAX), terms, {}, {}) == {A: 1}
    assert count_codes("TA-37V cost", query(CHUNKS_MAX + 1), terms, {}, {}) == {}


def test_a_code_that_names_a_document_counts_for_all_of_its_passages() -> None:
    terms, documents = {A: {TERM}, B: set[int]()}, {A: GUIDE, B: SHEET}
    found = count_codes("TA-37V cost", query(2), terms, {"ta.37v": frozenset({SHEET})}, documents)
    assert found == {A: 1, B: 1}
