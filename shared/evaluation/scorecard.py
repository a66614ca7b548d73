"""Computes a scorecard from measured questions: means with intervals, differences to a baseline, floors."""

from collections import Counter
from collections.abc import Mapping, Sequence

from shared.domain.evaluation import Floor, Kind, Level, Measured, QuestionResult, Score
from shared.errors import BadInput
from shared.evaluation.attribute_scores import attribute_scores, is_attribute_measure
from shared.evaluation.intervals import bootstrap
from shared.evaluation.metrics import measures, ndcg_at

LEVELS: tuple[Level, ...] = ("chunk", "page", "document")
INDEXES: tuple[Measured, ...] = ("fts", "vector", "hybrid", "lookup")
ANSWERS = "ask"

# Values: the measures of each question, by name. Group: (index, level, measure or "") over which they are averaged.
Values = dict[str, dict[str, float]]
Group = tuple[str, Level | None, str]


def score(results: Sequence[QuestionResult]) -> list[Score]:
    """Each measure per index, over all answerable questions and per level where the gold has several."""
    ranked = [s for group, values in _groups(results).items() for s in _scores(group, values, list(values))]
    return [*ranked, *attribute_scores(results)]


def compare(results: Sequence[QuestionResult], baseline: Sequence[QuestionResult]) -> list[Score]:
    """The paired difference to the baseline over the questions that both measured."""
    ours, theirs = _groups(results), _groups(baseline)
    found: list[Score] = []
    for group in (g for g in ours if g in theirs):
        shared = [key for key in ours[group] if key in theirs[group]]
        change = {key: _minus(ours[group][key], theirs[group][key]) for key in shared}
        found += _scores(group, change, shared)
    return found


def worst_first(results: Sequence[QuestionResult], indexes: Sequence[Measured]) -> list[QuestionResult]:
    """By nDCG@10 of the fused index where it was measured, else of the first; questions left out come last."""
    index = "hybrid" if "hybrid" in indexes else indexes[0]

    def badness(result: QuestionResult) -> tuple[bool, float]:
        if result.attribute is not None:
            places = result.attribute.places
            return False, sum(any(value.right for value in place) for place in places) / max(1, len(places))
        if result.kind == "negative":
            return False, float(result.refused is not False)
        found = result.indexes.get(index)
        return result.skipped, ndcg_at(found.ranks, result.grades, 10) if found else 1.0

    return sorted(results, key=badness)


def check_floors(floors: Mapping[str, float], scores: Sequence[Score]) -> list[Floor]:
    """Compares measures with their floors; a measure that the run does not have fails."""
    known = {s.name: s.value for s in scores}
    return [
        Floor(measure=name, least=least, value=(value := known.get(name)), met=value is not None and value >= least)
        for name, least in floors.items()
    ]


def check_measure(name: str, indexes: Sequence[str]) -> None:
    """Raises BadInput for a measure that no run over these indexes can have."""
    index, _, rest = name.partition(".")
    level, _, metric = rest.rpartition(".")
    known = list(measures([1], [1], [1]))
    if (index == ANSWERS and rest in ("refused", "answered")) or is_attribute_measure(name):
        return
    if index not in indexes or level not in ("", *LEVELS) or metric not in known:
        raise BadInput(
            f"`{name}` is no measure of this run. Write INDEX.MEASURE, such as hybrid.recall@5, with an index of"
            f" {', '.join(indexes)} and a measure of {', '.join(known)}; or ask.refused, ask.answered; or of attributes"
            " attributes.recall, attributes.NAME.precision, routes.ROUTE.precision, routes.agreement."
        )


def _groups(results: Sequence[QuestionResult]) -> dict[Group, Values]:
    """The values by question of everything that is averaged together; groups without questions are left out."""
    keyed = _keyed(results)
    answerable = {key: r for key, r in keyed.items() if r.kind == "answerable" and r.attribute is None}
    levels: list[Level | None] = [level for level in LEVELS if any(r.level == level for r in answerable.values())]
    indexes = [index for index in INDEXES if any(index in r.indexes for r in answerable.values())]
    grouped: list[Level | None] = [None, *levels] if len(levels) > 1 else [None]
    asked: dict[Group, Values] = {
        (ANSWERS, None, "refused"): _asked(keyed, "negative", "refused"),
        (ANSWERS, None, "answered"): _asked(keyed, "answerable", "answered"),
    }
    found: dict[Group, Values] = {
        (index, level, ""): {
            key: measures(r.indexes[index].ranks, r.grades, r.indexes[index].document_ranks)
            for key, r in answerable.items()
            if index in r.indexes and level in (None, r.level)
        }
        for index in indexes
        for level in grouped
    }
    return {group: values for group, values in (found | asked).items() if values}


def _keyed(results: Sequence[QuestionResult]) -> dict[str, QuestionResult]:
    """Results by the key that pairs them with another run's; a repeated question gets a key of its own."""
    found: dict[str, QuestionResult] = {}
    asked: Counter[str] = Counter()
    for result in results:
        asked[result.key] += 1
        found[f"{result.key}.{asked[result.key]}"] = result
    return found


def _asked(results: Mapping[str, QuestionResult], kind: Kind, metric: str) -> Values:
    """1 per question that was treated correctly: a negative one refused, an answerable one not."""
    tried = {key: r for key, r in results.items() if r.refused is not None and r.kind == kind}
    return {key: {metric: float(r.refused == (kind == "negative"))} for key, r in tried.items()}


def _scores(group: Group, values: Values, keys: Sequence[str]) -> list[Score]:
    if not keys:
        return []
    metrics = list(values[keys[0]])
    intervals = bootstrap([[values[key][metric] for metric in metrics] for key in keys])
    return [
        Score(index=group[0], level=group[1], metric=metric, value=i.mean, low=i.low, high=i.high, n=len(keys))
        for metric, i in zip(metrics, intervals, strict=True)
    ]


def _minus(ours: Mapping[str, float], theirs: Mapping[str, float]) -> dict[str, float]:
    return {metric: ours[metric] - theirs[metric] for metric in ours}
