"""Convex fusion: each index's shares, added up."""

from uuid import UUID

import pytest

from shared.retrieval.fuse import fuse, shares_of_best, shares_of_distance
from shared.store.search import Candidate

A, B, C, D = (UUID(int=n) for n in range(1, 5))
DOCUMENT = UUID(int=9)


def near(*cosines: float, space: str = "e") -> list[Candidate]:
    return [Candidate(UUID(int=n), DOCUMENT, cosine, space) for n, cosine in enumerate(cosines, start=1)]


def test_scores_are_the_sum_of_shares() -> None:
    fused = fuse({"fts_search": {"a": 0.8, "b": 0.4}, "vector_search": {"b": 0.5, "c": 0.2}})
    assert fused == pytest.approx({"b": 0.9, "a": 0.8, "c": 0.2})
    assert list(fused) == ["b", "a", "c"]


def test_words_count_as_a_share_of_the_best_score() -> None:
    assert shares_of_best({A: 8.0, B: 2.0, C: 0.0}, 1.0) == {A: 1.0, B: 0.25, C: 0.0}
    assert shares_of_best({A: 8.0, B: 2.0}, 0.4) == pytest.approx({A: 0.4, B: 0.1})
    assert shares_of_best({A: 0.0}, 1.0) == {A: 0.0}
    assert shares_of_best({}, 0.0) == {}


def test_nearness_is_the_share_of_the_farthest_distance_that_is_saved() -> None:
    # Distances .1, .3, .4 of at most .5
    assert shares_of_distance(near(0.9, 0.7, 0.6, 0.5)) == pytest.approx({A: 0.8, B: 0.4, C: 0.2, D: 0.0})


def test_a_list_whose_cosines_hardly_differ_decides_little_and_one_that_stands_out_much() -> None:
    flat, steep = shares_of_distance(near(0.62, 0.61, 0.60)), shares_of_distance(near(0.9, 0.5, 0.3))
    assert flat[A] < 0.06
    assert steep[A] > 0.8


def test_what_a_list_has_beyond_its_hundredth_changes_no_share() -> None:
    hundred = [0.9 - n / 1000 for n in range(100)]
    assert shares_of_distance(near(*hundred, 0.2, 0.1))[A] == shares_of_distance(near(*hundred))[A]


def test_chunks_of_two_embedders_are_each_compared_with_their_own() -> None:
    wide, narrow = near(0.9, 0.5), [Candidate(C, DOCUMENT, 0.99, "n"), Candidate(D, DOCUMENT, 0.95, "n")]
    shares = shares_of_distance([wide[0], narrow[0], wide[1], narrow[1]])
    assert shares == pytest.approx({A: 0.8, C: 0.8, B: 0.0, D: 0.0})


def test_nothing_found_and_nothing_but_equals_have_no_share() -> None:
    assert shares_of_distance([]) == {}
    assert shares_of_distance(near(1.0, 1.0)) == {A: 0.0, B: 0.0}


def test_equal_scores_keep_the_order_in_which_they_came() -> None:
    assert list(fuse({"fts_search": {"a": 0.5, "b": 0.5}})) == ["a", "b"]
