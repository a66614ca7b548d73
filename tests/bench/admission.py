"""The schedule that admission makes of a flood: the real SQL decides, the stages are faked, time is simulated.

`python -m tests.bench.admission [--documents 10000] [--tier shared]` queues so many documents of 20 pages of one
organization at once, then one of 5,000 pages and a trickle of single documents of other organizations, and plays what
follows as discrete events: whenever a run ends or a file arrives, `admit_run` is asked for the next ones. It prints per
organization how long files waited for their slot, when all was done, and how many connections the stages had at most.

How long a stage takes for a page is assumed (`SECONDS`); a range of pages waits for one of the run's lanes, as the
distributed map makes it wait. What the figures show is the policy and the bounds, not how fast AWS is.
"""

import argparse
import heapq
import json
import random
import tempfile
import time
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from statistics import quantiles
from typing import Any
from uuid import UUID

import psycopg

from functions.local import local_store
from shared.contract import PAGES_PER_SHARD, STAGES
from shared.domain.ids import new_id
from shared.store.admission import Slots
from stacks.grouping import group_stages
from stacks.tiers import TIERS, Tier, TierName

# Seconds per page of mapped stages, and per document of the others (the fixed part, then what each page adds). Assumed,
# of the order that local runs show; finalize as measured on 5,000 pages. Change them to ask another question.
SECONDS = {"render": 0.4, "parse": 0.3, "extract": 1.5}
FIXED = {"register": (2.0, 0.002), "finalize": (1.0, 0.1), "embed": (2.0, 0.15), "publish": (1.0, 0.0)}
# Every so often the model throttles a range, which then waits as the state machine does.
THROTTLED, WAIT_S = 0.05, 150.0
TRICKLE_EVERY_S, TRICKLE = 600.0, 40
SEED = 7


@dataclass
class Load:
    """One document that is sent at `at` (seconds)."""

    organization: str
    at: float
    pages: int
    id: UUID = field(default_factory=new_id)


@dataclass
class Measured:
    """What happened: seconds from queued to admitted by organization, and the largest numbers at once."""

    waits: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list[float]))
    ends: dict[str, float] = field(default_factory=dict[str, float])
    connections: int = 0
    runs: int = 0
    admit_ms: list[float] = field(default_factory=list[float])


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--documents", type=int, default=10_000)
    parser.add_argument("--tier", choices=sorted(TIERS), default="shared")
    arguments = parser.parse_args()
    print(json.dumps(simulate(arguments.tier, arguments.documents), indent=1), flush=True)


def simulate(tier_name: TierName, documents: int) -> dict[str, Any]:
    """Plays the load on a database of its own; returns the report."""
    tier = TIERS[tier_name]
    loads = make_loads(documents)
    with tempfile.TemporaryDirectory(prefix="autri-") as folder, local_store(Path(folder) / "home") as system:
        with psycopg.connect(system.owner_dsn, autocommit=True) as owner:
            places = {name: _add_organization(owner, name) for name in sorted({load.organization for load in loads})}
        with psycopg.connect(system.dsn, autocommit=True) as connection:
            measured = _play(connection, loads, places, tier)
    return _report(tier, measured)


def make_loads(documents: int) -> list[Load]:
    flood = [Load("flood", 0.0, 20) for _ in range(documents)]
    long = [Load("long", 300.0, 5000)]
    trickle = [
        Load(name, 60.0 + n * TRICKLE_EVERY_S + offset, 20)
        for offset, name in enumerate(("trickle-a", "trickle-b", "trickle-c"))
        for n in range(TRICKLE)
    ]
    return sorted([*flood, *long, *trickle], key=lambda load: load.at)


def run_profile(pages: int, lanes: int, dice: random.Random) -> list[tuple[float, int]]:
    """The steps of one run in order: seconds, and the connections that it has meanwhile."""
    steps: list[tuple[float, int]] = []
    for group in group_stages(STAGES):
        if not group[0].mapped:
            fixed, more = FIXED[group[0].name]
            steps.append((fixed + more * pages, 1))
            continue
        busy = [0.0] * min(lanes, -(-pages // PAGES_PER_SHARD))
        for first in range(0, pages, PAGES_PER_SHARD):
            size = min(PAGES_PER_SHARD, pages - first)
            seconds = sum(SECONDS[stage.name] * size for stage in group)
            seconds += WAIT_S if group[0].name == "extract" and dice.random() < THROTTLED else 0.0
            heapq.heapreplace(busy, busy[0] + seconds)
        steps.append((max(busy), len(busy)))
    return steps


def _play(
    connection: psycopg.Connection[Any], loads: list[Load], places: dict[str, tuple[UUID, UUID]], tier: Tier
) -> Measured:
    slots = Slots(tier.run_slots, tier.run_slots_per_organization)
    dice, measured, known = random.Random(SEED), Measured(), {load.id: load for load in loads}
    coming, happening = list(reversed(loads)), list[tuple[float, int, UUID, int]]()
    steps, holding, order = dict[UUID, list[tuple[float, int]]](), dict[UUID, int](), 0
    while coming or happening:
        now = min(coming[-1].at if coming else float("inf"), happening[0][0] if happening else float("inf"))
        arrived = list[Load]()
        while coming and coming[-1].at <= now:
            arrived.append(coming.pop())
        ended = list[UUID]()
        while happening and happening[0][0] <= now:
            _, _, run, step = heapq.heappop(happening)
            if step < len(steps[run]):
                holding[run] = steps[run][step][1]
                heapq.heappush(happening, (now + steps[run][step][0], order := order + 1, run, step + 1))
            else:
                del steps[run], holding[run]
                ended.append(run)
                measured.ends[known[run].organization] = now
        _store(connection, arrived, ended, known, places)
        while (arrived or ended) and (admitted := _admit(connection, slots, measured)) is not None:
            load = known[admitted]
            measured.waits[load.organization].append(now - load.at)
            steps[admitted], holding[admitted] = run_profile(load.pages, tier.map_concurrency, dice), 0
            heapq.heappush(happening, (now, order := order + 1, admitted, 0))
        measured.connections = max(measured.connections, sum(holding.values()))
        measured.runs = max(measured.runs, len(holding))
    return measured


def _store(
    connection: psycopg.Connection[Any],
    arrived: list[Load],
    ended: list[UUID],
    known: dict[UUID, Load],
    places: dict[str, tuple[UUID, UUID]],
) -> None:
    """Queues what arrived and finishes what ended, each within its organization's scope."""
    for load in arrived:
        _scoped(
            connection,
            places[load.organization],
            "insert into ingestions (organization_id, knowledge_base_id, id, source_key, filename, engine, status,"
            " queued_at) values (%s, %s, %s, 'k', 'f', 'layout', 'queued', clock_timestamp())",
            (*places[load.organization], load.id),
        )
    for run in ended:
        statement = "update ingestions set status = 'ready', finished_at = now() where id = %s"
        _scoped(connection, places[known[run].organization], statement, (run,))


def _scoped(connection: psycopg.Connection[Any], place: tuple[UUID, UUID], statement: str, values: Any) -> None:
    with connection.transaction():
        connection.execute(
            "select set_config('app.organization_id', %s, true), set_config('app.kb_ids', %s, true)",
            (str(place[0]), f"{{{place[1]}}}"),
        )
        connection.execute(statement.encode(), values)


def _admit(connection: psycopg.Connection[Any], slots: Slots, measured: Measured) -> UUID | None:
    started = time.perf_counter()
    row = connection.execute("select ingestion_id from admit_run(%s, %s)", (slots.total, slots.per_organization))
    found = row.fetchone()
    measured.admit_ms.append(1000 * (time.perf_counter() - started))
    return found[0] if found else None


def _add_organization(owner: psycopg.Connection[Any], name: str) -> tuple[UUID, UUID]:
    organization, base = new_id(), new_id()
    owner.execute("insert into organizations (id, slug, name) values (%s, %s, %s)", (organization, name, name))
    owner.execute(
        "insert into knowledge_bases (organization_id, id, slug, name, description) values (%s, %s, 'k', 'k', 'k')",
        (organization, base),
    )
    return organization, base


def _report(tier: Tier, measured: Measured) -> dict[str, Any]:
    def spread(values: list[float]) -> dict[str, float]:
        cuts = quantiles(values, n=20) if len(values) > 1 else values * 19
        return {"p50": round(cuts[9], 1), "p95": round(cuts[18], 1), "max": round(max(values), 1)}

    return {
        "tier": tier.name,
        "slots": [tier.run_slots, tier.run_slots_per_organization, tier.map_concurrency],
        "waiting_s": {name: {"files": len(w), **spread(w)} for name, w in sorted(measured.waits.items())},
        "done_after_h": {name: round(end / 3600, 2) for name, end in sorted(measured.ends.items())},
        "peak_runs": measured.runs,
        "peak_stage_connections": measured.connections,
        "bound_of_connections": tier.run_slots * tier.map_concurrency,
        "admit_ms": spread(measured.admit_ms),
    }


if __name__ == "__main__":
    main()
