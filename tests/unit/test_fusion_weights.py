"""How much the vector index weighs in a hybrid search."""

import pytest

from shared.retrieval.hybrid import VECTOR_WEIGHTS, vector_weight


@pytest.mark.parametrize(("share", "weight"), [(0.5, 0.75), (0.75, 0.25), (0.3, 1.75)])
def test_vectors_weigh_by_the_odds_that_words_are_missing(share: float, weight: float) -> None:
    assert vector_weight(share) == pytest.approx(weight)


def test_neither_index_is_ever_silenced() -> None:
    assert (vector_weight(1.0), vector_weight(0.0)) == VECTOR_WEIGHTS


def test_the_more_words_are_found_the_less_vectors_weigh() -> None:
    weights = [vector_weight(share / 20) for share in range(21)]
    assert weights == sorted(weights, reverse=True)
