"""Recency halves with every half-life."""

from datetime import UTC, datetime, timedelta

import pytest

from shared.domain.ids import new_id
from shared.retrieval.recency import boost_recent, recency_factor

NOW = datetime(2026, 6, 1, tzinfo=UTC)


@pytest.mark.parametrize(("days", "factor"), [(0, 1), (30, 0.5), (60, 0.25), (-10, 1)])
def test_the_factor_halves_with_every_half_life(days: int, factor: float) -> None:
    assert recency_factor(NOW - timedelta(days=days), NOW, 30) == pytest.approx(factor)


def test_ranks_before_and_after_are_told() -> None:
    old, new = new_id(), new_id()
    dates = {old: NOW - timedelta(days=60), new: NOW}
    scores, boosts = boost_recent({old: 1.0, new: 0.9}, dates, NOW, 30)
    assert list(scores) == [new, old]
    assert scores[old] == pytest.approx(0.25)
    assert [(boosts[i].from_rank, boosts[i].to_rank) for i in (old, new)] == [(1, 2), (2, 1)]


def test_age_lowers_a_negative_score_too() -> None:
    old, new = new_id(), new_id()
    dates = {old: NOW - timedelta(days=300), new: NOW}
    scores, _ = boost_recent({new: -0.1, old: -0.2}, dates, NOW, 30)
    assert list(scores) == [new, old]
    assert scores[old] < -0.2
