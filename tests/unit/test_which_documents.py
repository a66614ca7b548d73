"""Which documents a query means: against numbers worked out by hand."""

from uuid import UUID

import pytest

from shared.domain.ids import new_id
from shared.lexical.keys import slot
from shared.lexical.profiles import NamingProfile
from shared.lexical.query import Word
from shared.retrieval.documents import prefer_documents, weigh_documents

ACME, BOLT, CRANE = new_id(), new_id(), new_id()
NUMBER = 4711
SLOT = slot(NUMBER)


def weigh(profiles: dict[UUID, NamingProfile], frequency: int = 10, words: int = 1) -> list[float]:
    """Evidence for Acme, Bolt and Crane out of a scope of 1,000 chunks of which `frequency` have the word."""
    word = Word("acme", {"acme": NUMBER}, 1, frequency, 3.0)
    found = weigh_documents([word] * words, 1000, profiles)
    return [found[document] for document in (ACME, BOLT, CRANE)]


def profiles(named: str) -> dict[UUID, NamingProfile]:
    """50 of Acme's 100 chunks have the word, none of Bolt's 100 and of Crane's 900; `named` says whose name has it."""
    return {
        ACME: NamingProfile(100, {SLOT: 50}, frozenset({SLOT} if "a" in named else ())),
        BOLT: NamingProfile(100, {}, frozenset({SLOT} if "b" in named else ())),
        CRANE: NamingProfile(900, {}, frozenset({SLOT} if "c" in named else ())),
    }


def test_evidence_is_how_much_denser_a_naming_word_is_than_in_the_scope_within_bounds() -> None:
    # ln((50 + 100 x .01) / (100 + 100) / .01) = 3.24, cut to 2; ln(.005 / .01); ln(.001 / .01) = -2.3, cut to -2
    assert weigh(profiles("a")) == pytest.approx([2.0, -0.693147, -2.0], abs=1e-5)
    assert weigh(profiles("ab")) == pytest.approx([2.0, -0.693147, -2.0], abs=1e-5)
    # ln((50 + 100 x .2) / 200 / .2) = .559616
    assert weigh(profiles("a"), frequency=200) == pytest.approx([0.559616, -0.693147, -2.0], abs=1e-5)
    assert weigh(profiles("a"), words=2) == pytest.approx([4.0, -1.386294, -4.0], abs=1e-5)


@pytest.mark.parametrize(("named", "frequency"), [("", 10), ("abc", 10), ("a", 0)])
def test_a_word_that_names_none_or_all_or_that_nobody_has_says_nothing(named: str, frequency: int) -> None:
    assert weigh(profiles(named), frequency) == [0.0, 0.0, 0.0]


def test_scores_grow_by_the_exponential_of_a_part_of_the_evidence_and_others_stay() -> None:
    one, two, three, unknown = (new_id() for _ in range(4))
    documents = {one: ACME, two: BOLT, three: CRANE}
    scores = {two: 0.03, one: 0.02, three: 0.02, unknown: 0.02}
    preferred = prefer_documents(scores, {ACME: 2.0, BOLT: -2.0}, documents)
    # exp(.3) = 1.349859, exp(-.3) = .740818
    assert preferred == pytest.approx({one: 0.0269972, two: 0.0222245, three: 0.02, unknown: 0.02}, abs=1e-6)
    assert list(preferred) == [one, two, three, unknown]
