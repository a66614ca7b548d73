"""Vector search at scale: `python -m tests.bench.scale_vectors HOME` after `tests.bench.scale_data HOME SIZE`.

Per tenant size, filter and number of candidates (30 is what `vector_search` reads for ten hits, 100 what fusion takes):
latency of `vector_candidates`, and recall@10 against an exact scan, as the application role under row-level security.
CPU is the database process' own, from the kernel: on a busy machine wall times say more about its other users.
"""

import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from uuid import UUID

import numpy as np
import psycopg

from shared.adapters.local.postgres import SUPERUSER
from shared.domain.scope import Scope
from shared.filters.selection import Filters, select_chunks
from shared.ports import Vectors
from shared.retrieval.requests import SearchRequest
from shared.store.connect import Database
from shared.vectors import search as vector_search
from shared.vectors.search import vector_candidates
from tests.bench.scale_data import open_scale, warm

QUERIES = 40
WANTED = (30, 100)
# `hp` is even over 0 to 999; `family` follows the clusters, so that all of it or nothing is near a query.
FILTERS = (None, "hp < 1", "hp < 10", "hp < 100", "hp < 500", "family = 3")


@dataclass
class Measured:
    """Milliseconds per query, and what was found."""

    wall: list[float] = field(default_factory=list[float])
    cpu: list[float] = field(default_factory=list[float])
    found: list[list[UUID]] = field(default_factory=list[list[UUID]])
    plans: set[str] = field(default_factory=set[str])

    def row(self, exact: "Measured") -> str:
        shares = [
            len({*a[:10]} & {*b[:10]}) / len(b[:10]) if b else float(not a)
            for a, b in zip(self.found, exact.found, strict=True)
        ]
        wall, cpu = (f"{median(ms):.1f} / {np.quantile(ms, 0.95):.1f}" for ms in (self.wall, self.cpu))
        return f"{wall} | {cpu} | {np.mean(shares):.3f} | {', '.join(sorted(self.plans))}"


def main(home: Path) -> None:
    """Every knowledge base of another size in the workspace at `home`, one of each."""
    print("| chunks | filter | candidates | wall ms p50 / p95 | CPU ms p50 / p95 | recall@10 | plan |")
    print("|---" * 7 + "|")
    with open_scale(home) as scale, psycopg.connect(scale.server.dsn(SUPERUSER)) as owner:
        warm(scale)
        version, database = scale.runtime.embedder.version, scale.runtime.database
        for tenant in {tenant.size: tenant for tenant in scale.tenants}.values():
            queries = near_stored(owner, tenant.base)
            for where in FILTERS:
                filters = SearchRequest(query="x", where=where).filters()
                exact = measure(database, tenant.scope, queries, version, filters, max(WANTED), exactly=True)
                for wanted in WANTED:
                    measure(database, tenant.scope, queries, version, filters, wanted)
                    found = measure(database, tenant.scope, queries, version, filters, wanted)
                    print(f"| {tenant.size:,} | {where or 'none'} | {wanted} | {found.row(exact)} |", flush=True)


def near_stored(owner: psycopg.Connection, base: UUID) -> list[Vectors]:
    """Stored vectors with noise, as a question lies near its answer."""
    statement = "select embedding::real[] from chunk_vectors where knowledge_base_id = %s order by chunk_id limit 2000"
    stored = np.array([row[0] for row in owner.execute(statement, (base,))], np.float32)
    rng = np.random.default_rng(0)
    chosen = stored[rng.integers(0, len(stored), QUERIES)]
    made = chosen + rng.normal(0, 0.5 / chosen.shape[1] ** 0.5, chosen.shape)
    return list((made / np.linalg.norm(made, axis=1, keepdims=True)).astype(np.float32))


def measure(
    database: Database,
    scope: Scope,
    queries: Sequence[Vectors],
    version: str,
    filters: Filters,
    wanted: int,
    exactly: bool = False,
) -> Measured:
    """One after the other; every query in a transaction of its own, as requests are. The selection counts."""
    measured = Measured()
    for query in queries:
        with database.transaction(scope) as connection:
            before, started = _cpu_ms(connection.info.backend_pid), time.perf_counter()
            selection = select_chunks(connection, filters)
            if exactly:
                made = vector_search._Query(version, query, wanted)  # noqa: SLF001
                part = vector_search._exact(connection, made, scope.knowledge_base_ids, selection)  # noqa: SLF001
                measured.found.append([row["chunk_id"] for row in part.rows])
            else:
                ranking = vector_candidates(connection, {version: query}, selection, wanted)
                measured.found.append([c.chunk_id for c in ranking.candidates])
                measured.plans.add(ranking.plan)
            measured.wall.append((time.perf_counter() - started) * 1000)
            measured.cpu.append(_cpu_ms(connection.info.backend_pid) - before)
    return measured


def _cpu_ms(process: int) -> float:
    return int(Path(f"/proc/{process}/schedstat").read_text().split()[0]) / 1e6


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
