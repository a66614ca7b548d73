"""Codes that a query contains, and the candidates that have them."""

from uuid import UUID, uuid4

import pytest

from shared.retrieval.codes import CHUNKS_MAX, count_codes, written_codes

A, B, C = UUID(int=1), UUID(int=2), UUID(int=3)
GUIDE, SHEET = UUID(int=8), UUID(int=9)


@pytest.mark.parametrize(
    ("query", "codes"),
    [
        ("TA-37V", {"ta.37v"}),
        ("what does the TA\u201137V cost?", {"ta.37v"}),
        ("N5921D crashed, or C300/4", {"n5921d", "c300.4"}),
        ("revenue in Q3 FY2023, FY22 and H1", set[str]()),
        ("12 kg at 98.5 dB in 2009", set[str]()),
        ("70 m3/h, as the M3", {"m3"}),
        ("an M12x1.25 bolt", {"m12"}),
        ("the rear wing", set[str]()),
    ],
)
def test_a_code_begins_with_a_letter_and_has_a_digit(query: str, codes: set[str]) -> None:
    assert written_codes(query) == codes


@pytest.mark.parametrize("content", ["Model TA-37V", "ta 37v,", "(TA37V)", "TA\u201137V: 5"])
def test_what_has_the_code_counts_however_it_is_joined(content: str) -> None:
    assert count_codes({"ta.37v"}, {A: content, B: "It costs more."}, {}, {}) == {A: 1}


@pytest.mark.parametrize("content", ["TA-37W", "TA-37V2", "BETA-37V", "TA and 37V"])
def test_another_code_does_not_count(content: str) -> None:
    assert count_codes({"ta.37v"}, {A: content}, {}, {}) == {}


def test_a_code_that_many_candidates_have_identifies_nothing() -> None:
    many = {UUID(int=n): "TA-37V" for n in range(CHUNKS_MAX + 1)}
    assert count_codes({"ta.37v"}, dict(list(many.items())[:-1]), {}, {}).total() == CHUNKS_MAX
    assert count_codes({"ta.37v"}, many, {}, {}) == {}


def test_a_code_that_names_a_document_counts_for_all_of_its_passages_and_twice_for_those_that_have_it() -> None:
    contents, documents = {A: "TA-37V", B: "cost", C: "TA-37V"}, {A: GUIDE, B: SHEET, C: SHEET}
    found = count_codes({"ta.37v"}, contents, {"ta.37v": frozenset({SHEET})}, documents)
    assert found == {A: 1, B: 1, C: 2}


def test_of_the_documents_of_a_code_that_something_else_is_asked_of_no_passage_gains_by_having_it() -> None:
    document = uuid4()
    placed, named = {A: document, B: document}, {"n5032q": frozenset({document})}
    contents = {A: "Registration N5032Q", B: "Wind speed"}
    assert count_codes({"n5032q"}, contents, named, placed) == {A: 2, B: 1}
    assert count_codes({"n5032q"}, contents, named, placed, {"n5032q"}) == {A: 1, B: 1}
