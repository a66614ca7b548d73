"""Operators at every tenant size, and what policies cost: `python -m tests.bench.scale HOME`.

HOME is loaded by `tests.bench.scale_data`. Clients are processes with a runtime of their own, and every call is the
service's: scope, trace and, where there is a question, embedding count. The policies' cost is the same statements as
the application's role, and as a role that policies do not hold for over views with the scope written out; in turns, in
CPU of the database process.
"""

import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from uuid import UUID

import numpy as np
from psycopg import sql

from shared.adapters.local.postgres import SUPERUSER
from shared.bootstrap import local_runtime
from shared.domain.scope import Scope
from shared.filters.selection import Filters, Selection
from shared.lexical.query import read_query
from shared.lexical.search import lexical_candidates
from shared.library.traces import get_trace
from shared.retrieval.requests import LookupRequest, SearchRequest
from shared.retrieval.service import lookup, search
from shared.runtime import Runtime
from shared.store.connect import Connection, Database
from shared.vectors.search import vector_candidates
from tests.bench.load import questions
from tests.bench.scale_data import Scale, Tenant, open_scale, warm
from tests.bench.scale_lexical import Stopwatch

CALLS, WARM_UP = 60, 30
Call = Callable[[Runtime, Tenant, str], UUID]
Times = dict[str, tuple[list[float], set[str]]]


def main(home: Path) -> None:
    with open_scale(home) as scale:
        warm(scale)
        tenants = list({tenant.size: tenant for tenant in scale.tenants}.values())
        print("| chunks | operator | 1 client, ms p50 / p95 | 2 clients, ms p50 / p95 | plans |\n|---|---|---|---|---|")
        for tenant in tenants:
            report(tenant.size, *(run_clients(scale, home, tenant, count) for count in (1, 2)))
        print("\n| chunks | index | CPU ms with policies | without | ratio |\n|---|---|---|---|---|")
        for tenant in tenants:
            compare_policies(scale, tenant)


def report(size: int, alone: Times, together: Times) -> None:
    for name, (times, plans) in alone.items():
        both = (f"{median(ms):.1f} / {np.quantile(ms, 0.95):.1f}" for ms in (times, together[name][0]))
        print(f"| {size:,} | {name} | {' | '.join(both)} | {'; '.join(sorted(plans))} |", flush=True)


def run_clients(scale: Scale, home: Path, tenant: Tenant, count: int) -> Times:
    """Latencies of all clients together, and the plans they were answered by."""
    with ProcessPoolExecutor(count, mp_context=get_context("spawn")) as pool:
        jobs = [pool.submit(run_client, scale.server.dsn(), home, tenant, number) for number in range(count)]
        found = [job.result() for job in jobs]
    return {
        name: ([ms for one in found for ms in one[name][0]], {plan for one in found for plan in one[name][1]})
        for name in CALLED
    }


def run_client(dsn: str, home: Path, tenant: Tenant, number: int) -> Times:
    asked = questions(WARM_UP + CALLS, seed=100 + number)
    runtime = local_runtime(dsn, home)
    with runtime.database:
        named = _addresses(runtime.database, tenant, len(asked))
        return {
            name: _times(call, runtime, tenant, named if name == "lookup_section" else asked)
            for name, call in CALLED.items()
        }


def _addresses(database: Database, tenant: Tenant, count: int) -> list[str]:
    with database.transaction(tenant.scope) as connection:
        rows = connection.execute("select address from sections order by md5(id::text) limit 1000").fetchall()
    return [rows[number % len(rows)]["address"] for number in range(count)]


def _times(call: Call, runtime: Runtime, tenant: Tenant, asked: Sequence[str]) -> tuple[list[float], set[str]]:
    times: list[float] = []
    plans: set[str] = set()
    for number, question in enumerate(asked):
        started = time.perf_counter()
        trace_id = call(runtime, tenant, question)
        times.append((time.perf_counter() - started) * 1000)
        if number % 10 == 0:
            plans |= {index.plan for index in get_trace(runtime, tenant.identity, trace_id).indexes}
    return times[WARM_UP:], plans


def _look_up(runtime: Runtime, tenant: Tenant, address: str) -> UUID:
    return lookup(runtime, tenant.identity, LookupRequest(address=address, knowledge_base_ids=[tenant.base])).trace_id


def _search(**wish: str) -> Call:
    def call(runtime: Runtime, tenant: Tenant, question: str) -> UUID:
        request = SearchRequest.model_validate({"query": question, "knowledge_base_ids": [tenant.base], **wish})
        return search(runtime, tenant.identity, request).trace_id

    return call


CALLED: dict[str, Call] = {
    "lookup_section": _look_up,
    "fts_search": _search(index="fts"),
    "vector_search": _search(index="vector"),
    "fts_search, hp < 10": _search(index="fts", where="hp < 10"),
    "vector_search, hp < 10": _search(index="vector", where="hp < 10"),
    "hybrid_search": _search(),
    "hybrid_search, hp < 100": _search(where="hp < 100"),
}


def compare_policies(scale: Scale, tenant: Tenant) -> None:
    asked = questions(CALLS, seed=7)
    vectors = {question: scale.runtime.embedder.embed_query(question) for question in asked}
    version = scale.runtime.embedder.version

    def by_words(connection: Connection, question: str) -> None:
        lexical_candidates(connection, read_query(connection, question), Selection(Filters()), 100)

    def by_meaning(connection: Connection, question: str) -> None:
        vector_candidates(connection, {version: vectors[question]}, Selection(Filters()), 100)

    statements = {"full text": by_words, "vectors": by_meaning}
    with (
        Database(scale.server.dsn(SUPERUSER)) as superuser,
        scale.runtime.database.transaction(tenant.scope) as held,
        superuser.transaction(tenant.scope) as free,
    ):
        write_scope(free, tenant.scope)
        for name, run in statements.items():
            # In the second round every page is in the buffers; each goes first at every other question, for the
            # second one finds the question's rows in the cache.
            times = {held: list[float](), free: list[float]()}
            for number, question in enumerate([*asked, *asked]):
                for connection in (held, free) if number % 2 else (free, held):
                    times[connection].append(_backend_ms(connection, run, question))
            with_policies, without = (median(times[connection][len(asked) :]) for connection in (held, free))
            ratio = with_policies / without
            print(f"| {tenant.size:,} | {name} | {with_policies:.1f} | {without:.1f} | {ratio:.2f} |", flush=True)


def write_scope(connection: Connection, scope: Scope) -> None:
    """Views of the session in place of the tables, with the scope written out: what a careful `where` would cost."""
    tables = connection.execute(
        "select distinct table_name as name from information_schema.columns join pg_class on relname = table_name"
        " where table_schema = 'public' and column_name = 'knowledge_base_id' and relkind in ('r', 'p')"
        " and not relispartition"
    ).fetchall()
    for table in tables:
        view = sql.SQL(
            "create temp view {name} as select * from public.{name}"
            " where organization_id = {organization} and knowledge_base_id = any ({bases}::uuid[])"
        )
        connection.execute(
            view.format(
                name=sql.Identifier(table["name"]),
                organization=sql.Literal(scope.organization_id),
                bases=sql.Literal(list(scope.knowledge_base_ids)),
            )
        )


def _backend_ms(connection: Connection, run: Callable[[Connection, str], None], question: str) -> float:
    with Stopwatch(connection) as watch:
        run(connection, question)
    return watch.backend_ms


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
