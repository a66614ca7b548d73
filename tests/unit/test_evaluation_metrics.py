"""The measures of retrieval against values worked out by hand and against trec_eval."""

import math
from typing import Any, cast

import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

from shared.evaluation.intervals import bootstrap
from shared.evaluation.metrics import hit_at, measures, ndcg_at, recall_at, reciprocal_rank

CUTS = ("recall.1,5,10", "success.1,5,10", "recip_rank", "ndcg_cut.10")
TREC = {
    **{f"recall@{k}": f"recall_{k}" for k in (1, 5, 10)},
    **{f"hit@{k}": f"success_{k}" for k in (1, 5, 10)},
    "mrr": "recip_rank",
    "ndcg@10": "ndcg_cut_10",
}


def test_recall_is_the_share_of_places_within_the_first_k() -> None:
    ranks = [1, 5, 6, None]
    assert [recall_at(ranks, k) for k in (1, 5, 10)] == [0.25, 0.5, 0.75]


def test_a_hit_is_any_place_within_the_first_k() -> None:
    assert [hit_at([6, None], k) for k in (1, 5, 10)] == [0, 0, 1]


def test_the_reciprocal_rank_is_that_of_the_first_place_found() -> None:
    assert reciprocal_rank([None, 4, 2]) == 0.5
    assert reciprocal_rank([None]) == 0


def test_ndcg_discounts_by_the_logarithm_of_the_rank() -> None:
    # Grades 3 and 1 at ranks 2 and 1: (3 / log2 3 + 1) / (3 + 1 / log2 3).
    assert ndcg_at([2, 1], [3, 1], 10) == pytest.approx((3 / math.log2(3) + 1) / (3 + 1 / math.log2(3)))
    assert ndcg_at([11], [1], 10) == 0
    assert ndcg_at([1, 2, None], [1, 1, 1], 10) == pytest.approx(1.630930 / 2.130930, abs=1e-6)


def test_two_places_in_one_chunk_do_not_make_more_than_a_perfect_ranking() -> None:
    assert ndcg_at([1, 1], [1, 1], 10) == 1


JUDGED = st.lists(st.tuples(st.integers(1, 3), st.booleans()), min_size=1, max_size=15)


@given(JUDGED, st.randoms(use_true_random=False))
def test_every_measure_is_that_of_trec_eval(judged: list[tuple[int, bool]], random: Any) -> None:
    grades = [grade for grade, _ in judged]
    order = [f"d{i}" for i, (_, found) in enumerate(judged) if found] + [f"other{i}" for i in range(12)]
    random.shuffle(order)
    ranks = [order.index(f"d{i}") + 1 if f"d{i}" in order else None for i in range(len(judged))]
    evaluator = cast(Any, pytrec_eval).RelevanceEvaluator({"q": {f"d{i}": g for i, g in enumerate(grades)}}, set(CUTS))
    theirs = evaluator.evaluate({"q": {name: 1000.0 - rank for rank, name in enumerate(order)}})["q"]
    ours = measures(ranks, grades, ranks)
    assert {name: ours[name] for name in TREC} == pytest.approx({name: theirs[TREC[name]] for name in TREC})


def test_an_interval_holds_the_mean_and_is_the_same_every_time() -> None:
    rows = [[float(i % 2), float(i % 4 == 0)] for i in range(100)]
    first = bootstrap(rows)
    assert first == bootstrap(rows)
    assert [i.mean for i in first] == [0.5, 0.25]
    # The normal approximation of a share: p ± 1.96 √(p (1 - p) / n).
    for interval, p in zip(first, (0.5, 0.25), strict=True):
        width = 1.96 * math.sqrt(p * (1 - p) / 100)
        assert interval.low == pytest.approx(p - width, abs=0.015)
        assert interval.high == pytest.approx(p + width, abs=0.015)


def test_values_that_do_not_differ_have_an_interval_of_no_width() -> None:
    [interval] = bootstrap([[0.25]] * 7)
    assert (interval.mean, interval.low, interval.high) == (0.25, 0.25, 0.25)
