"""How long plots of large datasets take: `python -m tests.bench.plots [--rows 100000] [--rounds 20]`.

A document's table is stored in parts, as spreadsheets are, made into a dataset, and drawn in every form of plot. Timed
one by one: the drawing (read, aggregated, described), the cells behind a mark, and the pictures. Prints JSON: medians
and 95th percentiles in seconds.
"""

import argparse
import json
import math
import random
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from hashlib import sha256
from typing import Any, Final
from uuid import UUID

from psycopg.types.json import Jsonb

from shared.domain.datasets import NewDataset
from shared.domain.ids import new_id
from shared.domain.plots import FileForm, PlotSpec
from shared.domain.scope import Identity, Scope
from shared.lab.datasets.service import make_dataset
from shared.lab.plots.drawing import draw, find_sources
from shared.lab.plots.rendering import render
from shared.runtime import Runtime
from tests.bench.facets import own_runtime
from tests.store.seeding import Passage, add_base, add_document

PART: Final = 2_000
MASS, SCORE = "Mass (kg)", "Score"
HEADER: Final = ["Run", "Model", "Site", MASS, SCORE, "Day"]
FORMS: Final[dict[str, dict[str, Any]]] = {
    "bars with error bars": {
        "mark": "bar", "x": {"field": "Model"}, "y": {"field": SCORE, "aggregate": "mean"}, "error_bars": "ci",
    },
    "histogram": {"mark": "bar", "x": {"field": MASS, "bins": 40}, "y": {"aggregate": "count"}},
    "lines": {
        "mark": "line", "x": {"field": "Day", "time_unit": "yearmonth"}, "y": {"field": SCORE, "aggregate": "mean"},
        "colour": {"field": "Model"},
    },
    "points": {"mark": "point", "x": {"field": MASS}, "y": {"field": SCORE}},
    "heat map": {
        "mark": "rect", "x": {"field": "Model"}, "y": {"field": "Site"},
        "colour": {"field": SCORE, "aggregate": "median"},
    },
    "boxes": {"mark": "boxplot", "x": {"field": "Model"}, "y": {"field": SCORE}},
    "panels": {
        "mark": "bar", "x": {"field": MASS, "bins": 20}, "y": {"aggregate": "count"}, "facet": {"field": "Site"},
    },
}  # fmt: skip
KINDS: Final[tuple[FileForm, ...]] = ("png", "svg", "pdf")


def store_table(runtime: Runtime, scope: Scope, rows: int, seed: int) -> list[UUID]:
    """A table of made-up runs, in parts of PART rows; their ids."""
    chance, tables = random.Random(seed), list[UUID]()
    document = add_document(runtime, scope, "runs.csv", [Passage("runs")], source_type="csv")
    with runtime.database.transaction(scope) as connection:
        for first in range(0, rows, PART):
            grid = [HEADER, *(made_row(chance, at) for at in range(first, min(first + PART, rows)))]
            values = {
                "organization_id": scope.organization_id,
                "base": scope.knowledge_base_ids[0],
                "document": document,
                "id": new_id(),
                "hash": sha256(str(first).encode()).hexdigest(),
                "grid": Jsonb([[{"text": text, "boxes": []} for text in row] for row in grid]),
            }
            connection.execute(
                "insert into tables (organization_id, knowledge_base_id, document_id, id, content_hash, occurrence,"
                " header_rows, caption, first_page, last_page, grid) values (%(organization_id)s, %(base)s,"
                " %(document)s, %(id)s, %(hash)s, 0, 1, 'Runs', 1, 1, %(grid)s)",
                values,
            )
            tables.append(values["id"])
    return tables


def made_row(chance: random.Random, at: int) -> list[str]:
    model = chance.randrange(12)
    day = f"2024-{chance.randrange(12) + 1:02d}-{chance.randrange(28) + 1:02d}"
    mass = "" if chance.random() < 0.02 else f"{chance.lognormvariate(3, 0.6):.2f}"
    return [f"r{at}", f"Model {model}", f"Site {chance.randrange(8)}", mass, f"{chance.gauss(50 + model, 8):.3f}", day]


def timed(rounds: int, act: Callable[[], object]) -> dict[str, float]:
    took: list[float] = []
    for _ in range(rounds):
        begin = time.perf_counter()
        act()
        took.append(time.perf_counter() - begin)
    p95 = sorted(took)[math.ceil(len(took) * 0.95) - 1]
    return {"median": round(statistics.median(took), 3), "p95": round(p95, 3)}


def make_runs(runtime: Runtime, identity: Identity, rows: int) -> UUID:
    """A dataset of that many rows."""
    scope = add_base(runtime, identity, "plots-bench")
    tables = store_table(runtime, scope, rows, seed=1)
    wanted = NewDataset(knowledge_base_id=scope.knowledge_base_ids[0], name="Runs", table_ids=tables)
    return make_dataset(runtime, identity, wanted).id


def draw_seconds(rows: int, rounds: int) -> tuple[float, list[float]]:
    """Seconds from a dataset of that many rows to a picture (PNG): of the first one, whose dataset nobody has read yet,
    and of each form of plot, each so often."""
    with own_runtime() as (runtime, identity):
        dataset = make_runs(runtime, identity, rows)
        forms = [PlotSpec.model_validate({"form": form}) for form in FORMS.values()]
        seconds: list[float] = []
        for spec in [*forms[:1], *rounds * forms]:
            begin = time.perf_counter()
            render(draw(runtime, identity, dataset, spec), "png", "light", None)
            seconds.append(time.perf_counter() - begin)
        return seconds[0], seconds[1:]


def measure(runtime: Runtime, identity: Identity, rows: int, rounds: int) -> dict[str, Any]:
    dataset = make_runs(runtime, identity, rows)
    # What nobody has drawn yet is read and typed first.
    spec = PlotSpec.model_validate({"form": FORMS["histogram"]})
    first = timed(1, lambda: draw(runtime, identity, dataset, spec))
    found: dict[str, Any] = {"rows": rows, "rounds": rounds, "first drawing": first["median"]}
    for name, form in FORMS.items():
        spec = PlotSpec.model_validate({"form": form})
        drawn = draw(runtime, identity, dataset, spec)
        found[name] = {
            "marks": len(drawn.vega_lite["data"]["values"]),
            "drawing": timed(rounds, lambda s=spec: draw(runtime, identity, dataset, s)),
            "cells": timed(min(rounds, 5), lambda s=spec: find_sources(runtime, identity, dataset, s, 0)),
            **{kind: timed(rounds, partial(render, drawn, kind, "light", None)) for kind in KINDS},
        }
    return found


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=20)
    options = parser.parse_args(arguments)
    with own_runtime() as (runtime, identity):
        print(json.dumps(measure(runtime, identity, options.rows, options.rounds)))


if __name__ == "__main__":
    main(sys.argv[1:])
