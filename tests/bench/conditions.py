"""Rows that questions ask for by two conditions on values: `python -m tests.bench.conditions WORKSPACE`.

Three catalogues in three sorts of units, made by a seed, of which none was used to develop anything: a table of 60
rows below prose that says the questions' words. Each question names two values, of which one has to be equal and one
is a bound, that a single row meets. Prints in how many the first hit, or one of five, is that row, with the step and
without it, and the step's time.
"""

import random
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from unittest.mock import patch

from shared.retrieval.requests import SearchRequest
from shared.retrieval.service import embed_query, run_search
from shared.retrieval.trace import Tracer
from tests.bench.retrieval_data import Workspace, open_workspace
from tests.pipeline import scope_of

ROWS, QUESTIONS, SEED = 60, 25, 5
_BOUNDS = ("at least", "at most", "more than", "less than")


@dataclass(frozen=True)
class Column:
    """`values` are those that a row may have."""

    header: str
    unit: str
    values: Sequence[float]


@dataclass(frozen=True)
class Catalogue:
    thing: str
    prose: str
    columns: Sequence[Column]


CATALOGUES = (
    Catalogue(
        "pump",
        "A pump of 4 kW delivers at least 30 m³/h where the pressure is at most 6 bar. Which pump to choose depends on "
        "power, flow, pressure and mass.",
        (
            Column("Power (kW)", "kW", (1.5, 2.2, 3, 4, 5.5, 7.5, 11)),
            Column("Flow (m³/h)", "m³/h", range(5, 120)),
            Column("Pressure (bar)", "bar", range(2, 16)),
            Column("Mass (kg)", "kg", range(20, 400)),
        ),
    ),
    Catalogue(
        "battery",
        "Which battery fits a boat? A battery with 12 V and at least 100 Ah lasts a day; its mass is more than 20 kg.",
        (
            Column("Voltage (V)", "V", (6, 12, 24, 48)),
            Column("Mass (kg)", "kg", range(4, 90)),
            Column("Price (EUR)", "EUR", range(80, 2000, 5)),
            Column("Energy (Wh)", "Wh", range(300, 9000, 20)),
        ),
    ),
    Catalogue(
        "ladder",
        "A ladder with 4 m is handled by one person where it has less than 15 kg. Which ladder is right for a roof?",
        (
            Column("Length (m)", "m", (2, 3, 4, 5, 6, 8)),
            Column("Weight (kg)", "kg", range(5, 60)),
            Column("Price (USD)", "USD", range(60, 900, 5)),
        ),
    ),
)


def written(catalogue: Catalogue, chance: random.Random) -> tuple[str, list[tuple[str, list[float]]]]:
    """The catalogue as Markdown, and its rows: model and values."""
    names = chance.sample([f"{a}{b}" for a in ("Al", "Be", "Co", "Du", "Ef", "Fo", "Gi") for b in
                           ("ba", "do", "ka", "la", "mo", "na", "ro", "si", "ta", "vo")], ROWS)  # fmt: skip
    rows = [(name, [chance.choice(column.values) for column in catalogue.columns]) for name in names]
    headers = ["Model", *(column.header for column in catalogue.columns)]
    lines = [f"| {' | '.join(headers)} |", "|" + " --- |" * len(headers)]
    lines += [f"| {' | '.join([name, *(f'{value:g}' for value in values)])} |" for name, values in rows]
    return f"# {catalogue.thing.capitalize()} catalogue\n\n{catalogue.prose}\n\n" + "\n".join(lines) + "\n", rows


def asked(catalogue: Catalogue, rows: list[tuple[str, list[float]]], chance: random.Random) -> list[tuple[str, str]]:
    """Questions that one row alone answers, each with its model."""
    found: dict[str, str] = {}
    while len(found) < QUESTIONS:
        model, values = chance.choice(rows)
        equal, bound = chance.sample(range(len(values)), 2)
        words, limit = chance.choice(_BOUNDS), values[bound] + chance.choice((-2, -1, 0, 1, 2))
        meets = {
            "at least": lambda v, limit=limit: v >= limit,
            "at most": lambda v, limit=limit: v <= limit,
            "more than": lambda v, limit=limit: v > limit,
            "less than": lambda v, limit=limit: v < limit,
        }[words]
        meeting = [name for name, row in rows if row[equal] == values[equal] and meets(row[bound])]
        one, other = catalogue.columns[equal], catalogue.columns[bound]
        if meeting == [model] and limit > 0:
            found[f"Which {catalogue.thing} with {values[equal]:g} {one.unit} has {words} {limit:g} {other.unit}?"] = (
                model
            )
    return list(found.items())


def measure(workspace: Workspace, catalogue: Catalogue, base_name: str, questions: list[tuple[str, str]]) -> None:
    base, _ = workspace.knowledge_base(base_name)
    for shown, least in (("without", sys.maxsize), ("with", 2)):
        with patch("shared.retrieval.conditions.CONDITIONS_MIN", least):
            ranks, times = [], []
            for question, model in questions:
                request = SearchRequest(query=question, knowledge_base_ids=[base])
                tracer = Tracer("search", question, request)
                vector = embed_query(workspace.runtime, request, tracer)
                with workspace.runtime.database.transaction(scope_of(workspace.identity, base)) as connection:
                    hits = run_search(connection, request, vector, tracer)
                ranks.append(next((i for i, hit in enumerate(hits) if hit.chunk.content.startswith(model)), 99))
                times += [step.ms for step in tracer.body.steps if step.name == "meet_conditions"]
        took = f", step {median(times):.1f} ms" if times else ""
        print(
            f"{catalogue.thing}, {shown}: first {sum(r == 0 for r in ranks)}, in five {sum(r < 5 for r in ranks)}"
            f" of {len(ranks)}{took}",
            flush=True,
        )


def main(home: Path) -> None:
    with open_workspace(home) as workspace, TemporaryDirectory() as folder:
        for catalogue in CATALOGUES:
            chance = random.Random(SEED)
            text, rows = written(catalogue, chance)
            file = Path(folder) / f"{catalogue.thing}.md"
            file.write_text(text)
            name = f"catalogue of {catalogue.thing}"
            workspace.ingest(name, [file])
            measure(workspace, catalogue, name, asked(catalogue, rows, chance))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
