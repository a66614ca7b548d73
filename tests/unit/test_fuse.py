"""Weighted reciprocal rank fusion."""

import pytest

from shared.domain.knowledge import IndexName
from shared.retrieval.fuse import fuse
from shared.retrieval.hybrid import WEIGHTS


def test_scores_are_the_sum_of_weighted_reciprocal_ranks() -> None:
    fused = fuse({"fts_search": ["a", "b"], "vector_search": ["b"]}, {"fts_search": 1.0, "vector_search": 0.5})
    # 1/61; 1/62 + .5/61
    assert fused == pytest.approx({"a": 0.01639344, "b": 0.02432575}, abs=1e-8)
    assert list(fused) == ["b", "a"]


def test_the_three_rankings_weigh_what_the_decision_says() -> None:
    rankings: dict[IndexName, list[str]] = {
        "fts_search": ["a", "b", "c"],
        "vector_search": ["c", "b", "d"],
        "lookup_section": ["d"],
    }
    # d: .7/63 + 1.7/61; c: 1/63 + .7/61; b: 1/62 + .7/62; a: 1/61
    assert list(fuse(rankings, WEIGHTS).items()) == [
        ("d", pytest.approx(0.03897996, abs=1e-8)),
        ("b", pytest.approx(0.02741935, abs=1e-8)),
        ("c", pytest.approx(0.02734842, abs=1e-8)),
        ("a", pytest.approx(0.01639344, abs=1e-8)),
    ]


def test_an_index_of_weight_nothing_changes_no_order() -> None:
    fused = fuse({"fts_search": ["a", "b"], "vector_search": ["b", "c"]}, {"fts_search": 1.0, "vector_search": 0.0})
    assert list(fused)[:2] == ["a", "b"]


def test_equal_scores_keep_the_order_in_which_they_came() -> None:
    assert list(fuse({"fts_search": ["a"], "vector_search": ["b"]}, {"fts_search": 1, "vector_search": 1})) == [
        "a",
        "b",
    ]
