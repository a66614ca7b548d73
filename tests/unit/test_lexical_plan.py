"""Which lists are read: the strongest first, within the budget, and what is left is bounded."""

import random
from uuid import UUID

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.lexical import plan as lexical_plan
from shared.lexical.keys import LEVELS, base_number, bound_below, keys_of, level_of, slot
from shared.lexical.plan import plan_reading
from shared.lexical.query import Term

BASE, OTHER = UUID(int=1), UUID(int=2)
WIDTH = 2.2 / 16  # of a level


def histogram(**counts: int) -> list[int]:
    """Counts by level: l15=3 is three chunks of the strongest."""
    made = [0] * LEVELS
    for level, count in counts.items():
        made[int(level[1:])] = count
    return made


@given(st.floats(0, 2.2, exclude_max=True))
def test_an_impact_is_below_the_bound_of_the_next_level(impact: float) -> None:
    assert 0 <= level_of(impact) < LEVELS
    assert impact <= bound_below(level_of(impact) + 1) + 1e-9


@given(st.integers(0, 999_999_999), st.integers(0, LEVELS - 1))
def test_slots_are_32_bit_and_a_terms_slots_follow_each_other(term: int, level: int) -> None:
    assert -(2**31) <= slot(term, level) < 2**31
    assert slot(term, level) & -LEVELS == slot(term)


def test_keys_of_two_knowledge_bases_differ() -> None:
    assert keys_of(17, [(5, 1.0)]) != keys_of(18, [(5, 1.0)])


def test_everything_is_read_where_the_budget_allows() -> None:
    terms = [Term(1, "en", 2.0), Term(2, "en", 1.0)]
    histograms = {1: {BASE: histogram(l15=5, l3=5)}, 2: {BASE: histogram(l8=10)}}
    reading = plan_reading(terms, histograms, [BASE], 20)
    assert (len(reading.keys), reading.postings, reading.bound) == (3, 20, 0.0)


def test_a_rare_term_is_read_before_a_common_one_and_the_rest_is_the_bound() -> None:
    terms = [Term(1, "en", 8.0), Term(2, "en", 0.5)]
    histograms = {1: {BASE: histogram(l10=10)}, 2: {BASE: histogram(l9=1000)}}
    reading = plan_reading(terms, histograms, [BASE], 100)
    assert reading.postings == 10
    assert abs(reading.bound - 0.5 * bound_below(10)) < 1e-3


@pytest.mark.parametrize(
    ("other", "first"),
    [
        # Below level 10 there is nothing left: reading it drops eleven levels, reading level 15 above 14 only one.
        ({"l15": 10, "l14": 10}, True),
        ({"l15": 10}, False),
        ({"l15": 10, "l1": 10}, False),
        ({"l9": 5}, False),
        ({"l10": 11}, True),
    ],
)
def test_what_lowers_the_bound_most_for_a_posting_is_read_first(other: dict[str, int], first: bool) -> None:
    histograms = {1: {BASE: histogram(l10=10)}, 2: {BASE: histogram(**other)}}
    reading = plan_reading([Term(1, "en", 1.0), Term(2, "en", 1.0)], histograms, [BASE], 10)
    assert bool(reading.keys.keys() & set(keys_of(base_number(BASE), [(1, 10.5 * WIDTH)]))) is first


def test_of_equal_lists_that_of_the_weightier_term_is_read_first() -> None:
    histograms = {n: {BASE: histogram(l10=10)} for n in (1, 2)}
    for weights in ((1.0, 2.0), (2.0, 1.0)):
        terms = [Term(n, "en", weight) for n, weight in enumerate(weights, start=1)]
        reading = plan_reading(terms, histograms, [BASE], 10)
        assert reading.postings == 10
        assert reading.bound == pytest.approx(11 * WIDTH, abs=1e-3)


def test_no_more_is_read_than_brings_the_bound_down_to_what_is_enough() -> None:
    histograms = {1: {BASE: histogram(l15=5, l9=5, l3=5)}}
    reading = plan_reading([Term(1, "en", 1.0)], histograms, [BASE], 100, enough=bound_below(8))
    assert (reading.postings, reading.bound) == (10, pytest.approx(bound_below(4), abs=1e-3))
    assert plan_reading([Term(1, "en", 1.0)], histograms, [BASE], 100).postings == 15


def test_without_terms_there_is_nothing_to_read_and_nothing_left() -> None:
    reading = plan_reading([], {}, [BASE], 100)
    assert (reading.keys, reading.bound) == ({}, 0.0)


@pytest.mark.parametrize(("most", "keys"), [(1, 0), (2, 2), (3, 2), (4, 4), (20_000, 4)])
def test_no_more_keys_are_asked_for_than_the_database_takes(
    monkeypatch: pytest.MonkeyPatch, most: int, keys: int
) -> None:
    monkeypatch.setattr(lexical_plan, "KEYS_MAX", most)
    both = histogram(l9=1, l5=1)
    reading = plan_reading([Term(1, "en", 1.0)], {1: {BASE: both, OTHER: both}}, [BASE, OTHER], 100)
    assert len(reading.keys) == keys


def test_terms_of_two_languages_are_not_added_up() -> None:
    terms = [Term(1, "en", 1.0), Term(2, "de", 1.0), Term(3, "", 1.0)]
    histograms = {n: {BASE: histogram(l3=1000)} for n in (1, 2, 3)}
    assert abs(plan_reading(terms, histograms, [BASE], 10).bound - 2 * bound_below(4)) < 1e-3


def test_only_the_wanted_knowledge_bases_are_read() -> None:
    histograms = {1: {BASE: histogram(l5=3), OTHER: histogram(l5=4, l7=1)}}
    assert plan_reading([Term(1, "en", 1.0)], histograms, [BASE], 100).postings == 3
    assert len(plan_reading([Term(1, "en", 1.0)], histograms, [BASE, OTHER], 100).keys) == 3


LANGUAGES = {1: "", 2: "en", 3: "en", 4: "de", 5: "de"}


def random_chunk(choose: random.Random) -> tuple[dict[int, float], UUID]:
    """Impacts anywhere and at the edges of levels, where a bound that is a level off, or a little too low, is wrong."""
    language = choose.choice(["en", "de"])
    terms = [term for term, own in LANGUAGES.items() if own in ("", language)]
    edge = choose.randint(1, 15) * WIDTH
    kinds = [choose.uniform(0.001, 2.199), edge, edge - 1e-9, 2.1999]
    chosen = choose.sample(terms, choose.randint(1, len(terms)))
    return {term: choose.choice(kinds) for term in chosen}, choose.choice([BASE, OTHER])


@pytest.mark.parametrize("seed", range(40))
def test_no_chunk_outside_the_lists_that_are_read_scores_above_the_bound(seed: int) -> None:
    choose = random.Random(seed)
    for _ in range(25):
        chunks = [random_chunk(choose) for _ in range(choose.randint(1, 20))]
        weights = {term: choose.uniform(0.01, 12) for term in LANGUAGES}
        histograms = {term: {base: [0] * 16 for base in (BASE, OTHER)} for term in LANGUAGES}
        for terms, base in chunks:
            for term, impact in terms.items():
                histograms[term][base][min(15, int(impact / WIDTH))] += 1
        asked = [Term(term, LANGUAGES[term], weight) for term, weight in weights.items()]
        budgets = sorted(choose.randint(0, 40) for _ in range(2))
        first, second = (plan_reading(asked, histograms, [BASE, OTHER], budget) for budget in budgets)
        # Scores are of 32-bit numbers.
        for reading in (first, second, first.joined(second), second.joined(first)):
            unread = [t for t, base in chunks if not reading.keys.keys() & set(keys_of(base_number(base), t.items()))]
            scores = (sum(weights[n] * float(np.float32(impact)) for n, impact in t.items()) for t in unread)
            highest = max(scores, default=0.0)
            assert highest <= reading.bound
        assert first.joined(second).bound == second.joined(first).bound == min(first.bound, second.bound)
        assert all(reading.postings <= budget for reading, budget in zip((first, second), budgets, strict=True))
        everything = plan_reading(asked, histograms, [BASE, OTHER], 10_000)
        assert (everything.bound, everything.postings) == (0, sum(len(terms) for terms, _ in chunks))
