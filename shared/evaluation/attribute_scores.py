"""Scores of attributes: which values were read at the places of gold, and whether they are right.

Recall is per place of gold: the share at which the value was read. Precision is per value read there of the same name:
the share that is right. Both per attribute and per route; a route's recall is the share of places that it read rightly.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from shared.domain.evaluation import AttributeResult, QuestionResult, Score
from shared.evaluation.intervals import bootstrap

ATTRIBUTES: Final = "attributes"
ROUTES: Final = "routes"
MEASURES: Final = ("recall", "precision")


def attribute_scores(results: Sequence[QuestionResult]) -> list[Score]:
    """`attributes.recall`, `attributes.power.recall`, `routes.table.precision`, `routes.agreement`, …"""
    found = [result.attribute for result in results if result.attribute is not None]
    if not found:
        return []
    names = sorted({one.name for one in found})
    routes = sorted({value.route for one in found for place in one.places for value in place})
    scores = _pair(ATTRIBUTES, "", found)
    for name in names:
        scores += _pair(ATTRIBUTES, f"{name}.", [one for one in found if one.name == name])
    for route in routes:
        scores += _pair(ROUTES, f"{route}.", found, route)
    return [*scores, *_score(ROUTES, "agreement", [float(not one.disagree) for one in found])]


def _pair(index: str, prefix: str, found: Sequence[AttributeResult], route: str | None = None) -> list[Score]:
    places = [[v for v in place if route in (None, v.route)] for one in found for place in one.places]
    recall = [float(any(value.right for value in place)) for place in places]
    precision = [float(value.right) for place in places for value in place]
    return [*_score(index, f"{prefix}recall", recall), *_score(index, f"{prefix}precision", precision)]


def _score(index: str, metric: str, values: Iterable[float]) -> list[Score]:
    """None where nothing was read that could be right or wrong."""
    rows = [[value] for value in values]
    if not rows:
        return []
    (interval,) = bootstrap(rows)
    return [
        Score(
            index=index,
            level=None,
            metric=metric,
            value=interval.mean,
            low=interval.low,
            high=interval.high,
            n=len(rows),
        )
    ]


def is_attribute_measure(name: str) -> bool:
    """Whether a run with gold of attributes may have it."""
    index, _, rest = name.partition(".")
    metric = rest.rpartition(".")[2]
    return (index == ATTRIBUTES and metric in MEASURES) or (
        index == ROUTES and (rest == "agreement" or ("." in rest and metric in MEASURES))
    )
