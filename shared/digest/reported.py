"""What is no document: events that other systems report, and runs of evaluations. A unit per kind of event, and one for
all runs; what they say is made by code, from the values that are stored."""

import hashlib
import json
from collections.abc import Iterable, Sequence
from datetime import UTC
from typing import Any, Final
from uuid import UUID, uuid5

import numpy as np

from shared.digest.extracting import UnitText, shown, title_of
from shared.digest.indexing import SYSTEM
from shared.digest.lines import CitedSource, FileLine
from shared.digest.units import DigestUnit
from shared.store.connect import Connection, Row
from shared.store.digest_sources import finished_runs
from shared.store.events import latest_events

EVENTS, RUNS = "Events", "Evaluations"
OF_EACH_KIND: Final = 40
SCORES_TOLD: Final = 3


def reported_units(connection: Connection, knowledge_base_id: UUID, dimensions: int) -> list[UnitText]:
    """With what they say."""
    found = list[UnitText]()
    rows = latest_events(connection, knowledge_base_id, OF_EACH_KIND)
    for kind in dict.fromkeys(row["kind"] for row in rows):
        lines = [*_event_lines([row for row in rows if row["kind"] == kind])]
        found.append(_text(uuid5(knowledge_base_id, f"events/{kind}"), (EVENTS, kind), lines, dimensions))
    if runs := finished_runs(connection, knowledge_base_id):
        lines = [_run_line(row) for row in runs]
        found.append(_text(uuid5(knowledge_base_id, "runs"), (RUNS, RUNS), lines, dimensions))
    return found


def _text(key: UUID, titles: tuple[str, ...], lines: Sequence[FileLine], dimensions: int) -> UnitText:
    said = hashlib.sha256(json.dumps([[one.text, *(str(s.id) for s in one.sources)] for one in lines]).encode())
    unit = DigestUnit(key, None, titles, said.hexdigest(), centroid=np.zeros(dimensions, np.float32))
    heading = FileLine("heading", title_of(titles[-1]), (), "system", SYSTEM.name)
    return UnitText(unit, heading, list(lines), list(range(len(lines))))


def _event_lines(rows: Sequence[Row]) -> Iterable[FileLine]:
    """Of one kind, newest first. Where there are others between its first and the latest, their number is told."""
    for row in rows:
        if (untold := row["place"] - 1 - OF_EACH_KIND) > 0:
            words = f"{untold} more of {row['kind']} between these and the first"
            yield _line(words, CitedSource("event", row["id"]))
        values = "; ".join(f"{name} {_value(value)}" for name, value in row["values"].items())
        text = f"{row['kind']} {row['subject']}, {row['at'].astimezone(UTC):%Y-%m-%d %H:%M} UTC"
        yield _line(f"{text}: {values}" if values else text, CitedSource("event", row["id"]))


def _run_line(row: Row) -> FileLine:
    scores = "; ".join(f"{one['metric']} ({one['index']}) {one['value']:.3f}" for one in _best(row["scores"]))
    when = f"{row['finished_at'].astimezone(UTC):%Y-%m-%d}"
    text = f"Evaluation with {row['gold']}, {row['questions']} questions, {when}"
    return _line(f"{text}: {scores}" if scores else text, CitedSource("run", row["id"]))


def _best(scores: Sequence[dict[str, Any]]) -> Iterable[dict[str, Any]]:
    whole = [one for one in scores if one.get("level") is None]
    return sorted(whole, key=lambda one: one["index"] != "hybrid")[:SCORES_TOLD]


def _value(value: Any) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else "–" if value is None else str(value)


def _line(text: str, source: CitedSource) -> FileLine:
    return FileLine("statement", shown(text), (source,), "system", SYSTEM.name)
