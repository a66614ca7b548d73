"""Words of a query that name documents, and what is left to be asked of them."""

from dataclasses import replace
from uuid import UUID, uuid4

import pytest

from shared.lexical.page_scores import Matches
from shared.lexical.query import LexicalQuery, Word
from shared.retrieval.naming import (
    credit_names,
    entries_of_records,
    kinds_in,
    names_in,
    without_names,
    words_written_as_names,
)

APPLE, OTHER, COVER, FIGURE, ELSEWHERE = (uuid4() for _ in range(5))
DOCUMENTS: dict[UUID, UUID] = {COVER: APPLE, FIGURE: APPLE, ELSEWHERE: OTHER}
NAMING = {"apple": frozenset({APPLE}), "income": frozenset({APPLE})}


def query(text: str, **rarities: float) -> LexicalQuery:
    words = [Word(form, {form: number}, 1, 9, rarity) for number, (form, rarity) in enumerate(rarities.items())]
    return LexicalQuery(words, {}, {}, text=text)


ASKED = query("What was the income of Apple?", income=2.0, apple=3.0)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("What was Apple's income in Q3 FY2022?", {"apple", "q3", "fy2022", "2022"}),
        ("What was the income in the third quarter of 2022?", {"q3", "2022"}),
        ("What was reported in the 10-Q or form 990-EZ?", {"10", "10.q", "990", "990.ez"}),
        ("What weighs 10-12 kg or has the code TA-37V, 800-63B, 10-q?", {"ta"}),
        ("Apple income", set[str]()),
        ("Which one is used unless I choose the Pump or I'm late?", {"pump"}),
        ("How Wide May The Rear Wing Be", set[str]()),
        ("how wide may the wing be", set[str]()),
    ],
)
def test_names_are_written_with_a_capital_inside_the_sentence(text: str, names: set[str]) -> None:
    assert words_written_as_names(text) == names


def test_where_every_noun_has_a_capital_it_makes_no_name() -> None:
    question = "Wie schwer ist das Auto und wie lang ist der Motor in 2022?"
    assert words_written_as_names(question, {"en", "de"}) == {"2022"}


def test_a_word_names_a_document_if_it_is_written_as_a_name() -> None:
    assert names_in(ASKED, NAMING) == {"apple": frozenset({APPLE})}
    assert names_in(replace(ASKED, phrases=("apple",)), NAMING) == {}


def test_of_the_words_that_name_every_document_only_numbers_of_forms_say_their_kind() -> None:
    every = frozenset({APPLE, OTHER})
    shared = dict.fromkeys(["10.q", "10", "wing", "2022"], every)
    asked = query("How wide is the Wing of 2022 in the 10-Q?")
    assert kinds_in(asked, shared) == {"10.q": every, "10": every}


@pytest.mark.parametrize("rest", ["meant", "income"])
def test_where_nothing_is_left_to_ask_a_name_is_what_is_asked(rest: str) -> None:
    assert (
        names_in(query("What is meant by Apple?", **{rest: 0.7 if rest == "income" else 9.0, "apple": 3.0}), NAMING)
        == {}
    )


def test_a_name_counts_for_every_passage_of_its_document_and_no_passage_gains_by_repeating_it() -> None:
    names = names_in(ASKED, NAMING)
    assert [word.count * word.rarity for word in without_names(ASKED, names).words] == pytest.approx(
        [2.0, 0.0], abs=1e-5
    )
    matches = Matches({ELSEWHERE: 5.0, FIGURE: 4.0, COVER: 0.0}, coverage=1.0)
    credited = credit_names(ASKED, names, matches, DOCUMENTS)
    assert credited.scores == {FIGURE: 10.0, ELSEWHERE: 5.0}
    assert list(credited.scores) == [FIGURE, ELSEWHERE]
    assert credited.coverage == pytest.approx(1.0)
    assert credit_names(ASKED, {}, matches, DOCUMENTS) == matches


def test_what_is_not_in_the_named_document_lacks_the_name() -> None:
    credited = credit_names(ASKED, names_in(ASKED, NAMING), Matches({ELSEWHERE: 5.0}, coverage=1.0), DOCUMENTS)
    assert credited.coverage == pytest.approx(2 / 5)


def test_a_word_that_stands_in_rows_alone_tells_an_entry_of_a_list() -> None:
    names = names_in(ASKED, NAMING)
    row, text = uuid4(), uuid4()
    terms = {row: frozenset({1}), text: frozenset({0})}
    assert entries_of_records(names, ASKED, Matches({}, terms, rows=frozenset({row})))
    assert not entries_of_records(names, ASKED, Matches({}, terms | {text: frozenset({1})}, rows=frozenset({row})))
    assert not entries_of_records(names, ASKED, Matches({}, {text: frozenset({0})}))
