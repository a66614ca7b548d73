"""Whether an answer's `confidence` is the share of questions that are answerable: `python -m tests.bench.calibration
WORKSPACE [rules northwind …]`, or `… docs/benchmarks/questions.md` of the confidences that stand there.

Fill the workspace first, as for `tests.bench.retrieval_abstention`, whose questions these are: with gold, and with
nothing that answers. For each collection the confidences are put into bins beside the share of questions with gold, as
they are and mapped by `1 / (1 + exp(-(a + b·logit)))`, whose two numbers are fitted on the other collections alone.
Expected calibration error: the mean distance between both, weighted by the questions of a bin. Questions with and
without gold weigh the same in each collection, however many there are. Printed as Markdown.
"""

import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import numpy as np

from tests.bench.retrieval_abstention import CASES, put
from tests.bench.retrieval_data import open_workspace

BINS: Final = 5
Pairs = np.ndarray
Map = Callable[[np.ndarray], np.ndarray]


def main(home: Path, names: Sequence[str]) -> None:
    report(printed(home) if home.is_file() else asked(home, names))


def printed(tables: Path) -> dict[str, Pairs]:
    """Of `tests.bench.own_questions`, by document: a question that is refused rightly, or wrongly answered, has no
    gold."""
    measured, pairs, name = dict[str, Pairs](), list[tuple[float, bool]](), ""
    for line in [*tables.read_text(encoding="utf-8").splitlines(), "## "]:
        if line.startswith("## "):
            if pairs:
                measured[name] = weighted(pairs)
            pairs, name = [], line[3:].partition(" (")[0]
        cells = [cell.strip() for cell in line.split("|")][1:-1]
        if len(cells) >= 5 and re.fullmatch(r"[01]\.\d+", cells[-1]):
            pairs.append((float(cells[-1]), cells[1] not in ("✓ refused", "not refused")))
    return measured


def asked(home: Path, names: Sequence[str]) -> dict[str, Pairs]:
    """What `ask` is confident of, by collection."""
    measured = dict[str, Pairs]()
    with open_workspace(home) as workspace:
        for name in names:
            answers = put(workspace, name).answers
            measured[name] = weighted([(answer.confidence, case.answered) for case, answer in answers])
    return measured


def report(measured: dict[str, Pairs]) -> None:
    print("| left out | questions | with gold | error as it is | error mapped | a | b |\n|---|---|---|---|---|---|---|")
    for name, pairs in measured.items():
        others = [found for other, found in measured.items() if other != name]
        a, b = fit(np.concatenate(others)) if others else (0.0, 1.0)
        mapped = pairs.copy()
        mapped[:, 0] = apply(pairs[:, 0], a, b)
        print(
            f"| {name} | {len(pairs)} | {pairs[:, 1].mean():.2f} | {error(pairs):.3f} | {error(mapped):.3f} |"
            f" {a:.2f} | {b:.2f} |"
        )
    print("\n| collection | bin | questions | mean confidence | share with gold |\n|---|---|---|---|---|")
    for name, pairs in measured.items():
        for low, high, found in bins(pairs):
            said, true = (np.average(found[:, column], weights=found[:, 2]) for column in (0, 1))
            print(f"| {name} | {low:.1f} to {high:.1f} | {len(found)} | {said:.2f} | {true:.2f} |")
    if len(measured) > 1:
        every = np.concatenate([*measured.values()])
        for low, high, found in bins(every):
            said, true = (np.average(found[:, column], weights=found[:, 2]) for column in (0, 1))
            print(f"| all | {low:.1f} to {high:.1f} | {len(found)} | {said:.2f} | {true:.2f} |")
        print(f"\nerror over all, as it is: {error(every):.3f}")
        print("\nfitted on all: a = {:.3f}, b = {:.3f}".format(*fit(np.concatenate([*measured.values()]))))


def weighted(pairs: Sequence[tuple[float, bool]]) -> Pairs:
    """Confidence, truth and weight of each question."""
    found = np.array(pairs, dtype=float)
    share = found[:, 1].mean()
    return np.column_stack([found, np.where(found[:, 1] == 1, 0.5 / share, 0.5 / (1 - share))])


def bins(pairs: Pairs) -> list[tuple[float, float, Pairs]]:
    """The bins that are not empty, with their bounds."""
    place = np.minimum((pairs[:, 0] * BINS).astype(int), BINS - 1)
    return [(at / BINS, (at + 1) / BINS, pairs[place == at]) for at in range(BINS) if (place == at).any()]


def error(pairs: Pairs) -> float:
    apart = (abs(((one[:, 0] - one[:, 1]) * one[:, 2]).sum()) for *_, one in bins(pairs))
    return float(sum(apart) / pairs[:, 2].sum())


def apply(confidence: np.ndarray, a: float, b: float) -> np.ndarray:
    inside = np.clip(confidence, 1e-4, 1 - 1e-4)
    return 1 / (1 + np.exp(-(a + b * np.log(inside / (1 - inside)))))


def fit(pairs: Pairs) -> tuple[float, float]:
    """Logistic regression of the truth on the confidence's logit by Newton's steps, drawn weakly to no change (0, 1),
    as few questions may be separable; `b` is not negative, so that the order stays."""
    inside = np.clip(pairs[:, 0], 1e-4, 1 - 1e-4)
    features = np.stack([np.ones(len(pairs)), np.log(inside / (1 - inside))], axis=1)
    weights = pairs[:, 2]
    unchanged = found = np.array([0.0, 1.0])
    for _ in range(50):
        said = 1 / (1 + np.exp(-features @ found))
        slope = features.T @ (weights * (pairs[:, 1] - said)) - (found - unchanged)
        curve = (features * (weights * said * (1 - said))[:, None]).T @ features + np.eye(2)
        found = found + np.linalg.solve(curve, slope)
    return float(found[0]), max(0.0, float(found[1]))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:] or [*CASES])
