"""Weighs the signs of tables: `python -m tests.bench.tables_learned FOLDER CORPORA [--write]`.

Examples are the tables that are found, before the decision, in the half `fit` of FOLDER (see `tables_sources`), each
right or wrong by the document's source, and the tables of the pages read by eye and of the kinds made here (see
`tables`). A logistic
regression with a quadratic penalty; a package counts by the square root of its examples, right and wrong weigh alike.
Prints how many of the wrong are refused and of the right lost, for packages that were left out of the fit in turn, and
for the half that is left out of everything. `--write` writes the weights.
"""

import argparse
import json
import tempfile
import zlib
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

from shared.domain.page import PageFile
from shared.extraction.layout import extract_page
from shared.extraction.tables import detect, plausible
from shared.extraction.tables.signs import signs_of
from tests.bench.tables import tables_of_page
from tests.bench.tables_drawn import KINDS
from tests.bench.tables_gold import Gold, docling_gold, lattice_tables, read_gold
from tests.bench.tables_kinds import SEED, make_kinds
from tests.bench.tables_score import Table, score
from tests.bench.tables_sources import Pages, documents, judged, read

SETS = ("left_out", "read", "aside", "further", "beyond", "apart", "kept", "fresh", "unseen", "opened")
# Tables of formulas in the web pages of these are matrices.
ASIDE = ("gap-hap",)
PENALTY, FOLDS, STEPS = 100.0, 5, 25
LIMITS = (0.3, 0.2, 0.15, 0.1)

Signs = dict[str, float]


class Example(NamedTuple):
    """The signs of a table that was found, and whether it is one."""

    package: str
    right: bool
    signs: Signs


@contextmanager
def signs_found() -> Generator[list[tuple[set[str], Signs]]]:
    """The decision refuses nothing within; the signs of each table are kept with the ids of its lines."""
    found: list[tuple[set[str], Signs]] = []

    def keep(grid: Any, region: Any, caption: Any, header: int, view: Any) -> bool:
        found.append(({line.id for line in region.lines}, signs_of(grid, region, caption, header, view)))
        return True

    with patch.object(detect, "is_plausible", keep):
        yield found


def of_sources(folder: Path, half: str) -> Iterator[Example]:
    for document in documents(folder, half):
        pages = None if document.package in ASIDE else read(document.path)
        if pages:
            with signs_found() as found:
                for table, file, said in judged(document, pages):
                    if said in ("wrong", "right"):
                        yield Example(document.package, said == "right", _signs(found, table, file))


def _signs(found: Sequence[tuple[set[str], Signs]], table: Table, file: PageFile) -> Signs:
    """The signs of the table: of those with a line at its upper left."""
    x0, y0, x1, y1 = table.box or (0, 0, 0, 0)
    w, h = file.width_pt, file.height_pt
    own = {f.id for f in file.fragments if x0 - 1 <= f.box.x * w <= x1 + 1 and y0 - 1 <= f.box.y * h <= y1 + 1}
    return max(found, key=lambda one: len(one[0] & own))[1]


def of_gold(corpora: Path, scratch: Path) -> Iterator[Example]:
    golds = [("docling", gold) for gold in docling_gold(corpora)] + [("lattice", g) for g in lattice_tables(corpora)]
    golds += [(name, gold) for name in SETS for gold in read_gold(corpora, name)]
    golds += [(kind, gold) for kind, made in make_kinds(scratch, KINDS, SEED).items() for gold in made]
    for name, gold in golds:
        pages = read(gold.path)
        for file in pages.files if pages else []:
            if pages and gold.page in (None, file.page):
                yield from _of_page(name, gold, file, pages)


def _of_page(name: str, gold: Gold, file: PageFile, pages: Pages) -> Iterator[Example]:
    tables = [table for table in gold.tables if table.page == file.page]
    if all(table.box for table in tables):
        with signs_found() as found:
            for table in tables_of_page(file, extract_page(file, pages.profile)):
                right = score(tables, [table]).found > 0
                if right or not tables:
                    yield Example(name, right, _signs(found, table, file))


def fitted(examples: Sequence[Example]) -> Callable[[Sequence[Example]], NDArray[np.float64]]:
    """The probabilities of examples, by weights fitted to these."""
    centre, weights = weigh(examples)
    return lambda others: 1 / (1 + np.exp(-(_matrix(others) - centre) @ weights[1:] - weights[0]))


def weigh(examples: Sequence[Example]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The means of the signs, and the weights: a constant, then one per sign. Newton's method."""
    values = _matrix(examples)
    centre, scale = values.mean(0), values.std(0) + 1e-9
    inputs = np.hstack([np.ones((len(values), 1)), (values - centre) / scale])
    wanted = np.array([float(one.right) for one in examples])
    count = Counter((one.package, one.right) for one in examples)
    share = np.array([count[one.package, one.right] ** -0.5 for one in examples])
    for side in (0.0, 1.0):
        share[wanted == side] *= len(examples) / 2 / share[wanted == side].sum()
    penalty = np.diag([0.0, *[PENALTY] * values.shape[1]])
    weights = np.zeros(inputs.shape[1])
    for _ in range(STEPS):
        chance = 1 / (1 + np.exp(-inputs @ weights))
        slope = inputs.T @ (share * (wanted - chance)) - penalty @ weights
        weights += np.linalg.solve((inputs.T * (share * chance * (1 - chance))) @ inputs + penalty, slope)
    return centre, np.array([weights[0], *(weights[1:] / scale)])


def _matrix(examples: Sequence[Example]) -> NDArray[np.float64]:
    return np.array([[one.signs[name] for name in sorted(one.signs)] for one in examples])


def report(name: str, examples: Sequence[Example], chance: NDArray[np.float64]) -> None:
    right = np.array([one.right for one in examples])
    for limit in LIMITS:
        refused = {one.package for one, p in zip(examples, chance, strict=True) if not one.right and p < limit}
        packages = {one.package for one in examples if not one.right}
        print(
            f"{name}, below {limit}: {(chance[~right] < limit).sum()} of {(~right).sum()} wrong refused (in"
            f" {len(refused)} of {len(packages)} packages), {(chance[right] < limit).sum()} of {right.sum()} right lost"
        )


def in_turn(sources: Sequence[Example], others: Sequence[Example]) -> NDArray[np.float64]:
    """The probabilities of the examples of sources, each by weights in which its package has no part."""
    fold = np.array([zlib.crc32(f"fold {one.package}".encode()) % FOLDS for one in sources])
    chance = np.zeros(len(sources))
    for turn in range(FOLDS):
        left = [one for one, at in zip(sources, fold, strict=True) if at == turn]
        names = {one.package for one in left}
        used = [one for one in [*sources, *others] if one.package not in names]
        if left:
            chance[fold == turn] = fitted(used)(left)
    return chance


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("corpora", type=Path)
    parser.add_argument("--write", action="store_true")
    a = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        gold = list(of_gold(a.corpora, Path(scratch)))
    sources, left = (list(of_sources(a.folder, half)) for half in ("fit", "left out"))
    report("packages in turn", sources, in_turn(sources, gold))
    report("gold by sources alone", gold, fitted(sources)(gold))
    examples = [*sources, *gold]
    report("left out", left, fitted(examples)(left))
    if a.write:
        centre, weights = weigh(examples)
        names = sorted(examples[0].signs)
        found = {
            name: [round(float(c), 4), round(float(w), 4)]
            for name, c, w in zip(names, centre, weights[1:], strict=True)
        }
        signs = {"": [0.0, round(float(weights[0]), 4)], **found}
        lines = [f" {json.dumps(name)}: {json.dumps(numbers)}" for name, numbers in signs.items()]
        plausible.WEIGHTS.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")


if __name__ == "__main__":
    main()
