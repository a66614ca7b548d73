"""Recency: a factor on the fused score that halves with every half-life of a chunk's age."""

from collections.abc import Mapping
from datetime import datetime
from uuid import UUID

from shared.domain.knowledge import Boost

SECONDS_PER_DAY = 86_400


def recency_factor(date: datetime, now: datetime, half_life_days: float) -> float:
    """0.5 to the power of age / half-life; a date in the future counts as today."""
    age_days = max(0.0, (now - date).total_seconds() / SECONDS_PER_DAY)
    return 0.5 ** (age_days / half_life_days)


def boost_recent(
    scores: Mapping[UUID, float], dates: Mapping[UUID, datetime], now: datetime, half_life_days: float
) -> tuple[dict[UUID, float], dict[UUID, Boost]]:
    """Returns (scores, best first; how each chunk's score and rank changed). Ties keep their order.

    A negative score (a cosine below zero) is lowered with age, too.
    """
    factors = {chunk: recency_factor(dates[chunk], now, half_life_days) for chunk in scores}
    boosted = dict(sorted(((c, s - (1 - factors[c]) * abs(s)) for c, s in scores.items()), key=lambda item: -item[1]))
    before = {chunk: rank for rank, chunk in enumerate(scores, start=1)}
    return boosted, {
        chunk: Boost(name="recency", factor=factors[chunk], from_rank=before[chunk], to_rank=rank)
        for rank, chunk in enumerate(boosted, start=1)
    }
