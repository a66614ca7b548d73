"""Weighted reciprocal rank fusion."""

import pytest

from shared.retrieval.fuse import RANK_CONSTANT, fuse


def test_scores_are_the_sum_of_weighted_reciprocal_ranks() -> None:
    fused = fuse({"fts_search": ["a", "b"], "vector_search": ["b"]}, {"fts_search": 1.0, "vector_search": 0.5})
    assert fused == pytest.approx(
        {"a": 1 / (RANK_CONSTANT + 1), "b": 1 / (RANK_CONSTANT + 2) + 0.5 / (RANK_CONSTANT + 1)}
    )
    assert list(fused) == ["b", "a"]


def test_an_index_of_weight_nothing_changes_no_order() -> None:
    fused = fuse({"fts_search": ["a", "b"], "vector_search": ["b", "c"]}, {"fts_search": 1.0, "vector_search": 0.0})
    assert list(fused)[:2] == ["a", "b"]


def test_equal_scores_keep_the_order_in_which_they_came() -> None:
    assert list(fuse({"fts_search": ["a"], "vector_search": ["b"]}, {"fts_search": 1, "vector_search": 1})) == [
        "a",
        "b",
    ]
