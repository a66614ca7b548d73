"""Speed of full text at scale: `python -m tests.bench.scale_lexical HOME [QUESTIONS]`, HOME loaded by `scale_data`.

For each kind of question: wall and CPU (of the database's backend and of this process) of reading the query and ranking
it, the share of answers certified down to rank 10 and down to the last one, and overlap@10 with BM25 over every chunk,
computed here from the stored impacts. Then what the index costs: storage, and adding and deleting a document.
"""

import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from uuid import UUID

import numpy as np
import numpy.typing as npt
import psycopg
from psycopg.rows import DictRow, dict_row

from shared.adapters.local.postgres import SUPERUSER
from shared.domain.ids import new_id
from shared.filters.selection import Filters, Selection
from shared.lexical import index as lexical
from shared.lexical.query import LexicalQuery, read_query
from shared.lexical.search import lexical_candidates
from shared.lexical.statistics import fold_shares
from shared.store.connect import Connection
from tests.bench.scale_data import Scale, Tenant, document_terms, open_scale, warm, words
from tests.store.seeding import Passage, add_document

LIMIT = 100
Floats = npt.NDArray[np.float64]
Random = np.random.Generator


def main(home: Path, count: int) -> None:
    with open_scale(home) as scale:
        warm(scale)
        for tenant in scale.tenants[:2]:
            measure(scale, tenant, count)
        measure_costs(scale, scale.tenants[0])
        measure_updates(scale, scale.tenants[0])


def measure(scale: Scale, tenant: Tenant, count: int) -> None:
    shares = word_shares(scale, tenant)
    random = np.random.default_rng(99)
    for name, draw in KINDS.items():
        questions = [" ".join(words()[w] for w in draw(random, shares, tenant.size)) for _ in range(count)]
        figures = [ask(scale, tenant, question) for question in questions[:3] + questions][3:]
        overlaps = [overlap(scale, tenant, f) for f in figures]
        wall, cpu = [f.wall_ms for f in figures], [f.cpu_ms for f in figures]
        plans = {f.plan for f in figures}
        print(
            f"{tenant.size:7d} {name:20s} wall {np.median(wall):6.1f} / {np.percentile(wall, 95):6.1f}"
            f"  CPU {np.median(cpu):6.1f} / {np.percentile(cpu, 95):6.1f} ms"
            f"  exact to 10: {np.mean([f.exact_to_rank >= 10 for f in figures]):.2f}, to {LIMIT}:"
            f" {np.mean([f.exact for f in figures]):.2f}  overlap@10 {np.mean(overlaps):.3f} (min {min(overlaps):.1f})"
            f"  postings {np.median([f.postings for f in figures]):.0f}  {', '.join(plans)}",
            flush=True,
        )


@dataclass(frozen=True)
class Asked:
    """One question's answer and what it took."""

    query: LexicalQuery
    chunks: list[UUID]
    scores: list[float]
    wall_ms: float
    cpu_ms: float
    exact: bool
    exact_to_rank: int
    postings: int
    plan: str


def ask(scale: Scale, tenant: Tenant, question: str) -> Asked:
    with scale.runtime.database.transaction(tenant.scope) as connection:
        connection.execute("select 1")
        with Stopwatch(connection) as watch:
            query = read_query(connection, question)
            found = lexical_candidates(connection, query, Selection(Filters()), LIMIT)
    depth = len(found.candidates) if found.exact else found.figures["exact_to_rank"]
    chunks, scores = [c.chunk_id for c in found.candidates], [c.score for c in found.candidates]
    exact_to_rank = max(depth, 10 if found.exact else 0)
    postings = found.figures.get("postings", 0)
    return Asked(query, chunks, scores, watch.wall_ms, watch.cpu_ms, found.exact, exact_to_rank, postings, found.plan)


def overlap(scale: Scale, tenant: Tenant, asked: Asked, k: int = 10) -> float:
    """Share of the k best that score as high as the k-th of an exhaustive ranking."""
    vector = asked.query.vector()
    if vector is None:
        return 1.0
    with scale.runtime.database.transaction(tenant.scope) as connection:
        rows = connection.execute(
            "select -(impacts <#> %s::sparsevec) as score from chunk_lexical l join documents d on d.id = l.document_id"
            " where d.serving and d.is_current order by impacts <#> %s::sparsevec limit %s",
            (vector.to_text(), vector.to_text(), k),
        ).fetchall()
    best = [row["score"] for row in rows if row["score"] > 0]
    return sum(s >= best[-1] - 1e-3 for s in asked.scores[:k]) / len(best) if best else 1.0


def word_shares(scale: Scale, tenant: Tenant) -> Floats:
    """In which share of the chunks each word of the vocabulary occurs, from a sample of 5,000 chunks."""
    with superuser(scale) as connection:
        rows = connection.execute(
            "select index_text from chunks where knowledge_base_id = %s"
            " and id in (select id from chunks tablesample bernoulli (3) repeatable (1)) limit 5000",
            (tenant.base,),
        ).fetchall()
    places = {word: place for place, word in enumerate(words())}
    counts = np.zeros(len(places))
    for row in rows:
        for word in set(row["index_text"].split()):
            if word in places:
                counts[places[word]] += 1
    return counts / len(rows)


def draw_words(
    random: Random, shares: Floats, ranges: list[tuple[float, float, int]], of: set[int] | None
) -> list[int]:
    """Words whose share lies in each range, of the words `of` a chunk where given; fewer where it has not as many."""
    drawn: list[int] = []
    for low, high, count in ranges:
        fitting = np.flatnonzero((shares >= low) & (shares < high))
        fitting = fitting if of is None else np.array([w for w in fitting if w in of], dtype=int)
        drawn += random.choice(fitting, min(count, len(fitting)), replace=False).tolist()
    return drawn


def some_chunk(random: Random, size: int) -> set[int]:
    """The words of a chunk of the largest tenant."""
    return set(document_terms(int(random.integers(size // 200)), 200)[int(random.integers(200))].tolist())


Draw = Callable[[Random, Floats, int], list[int]]
KINDS: dict[str, Draw] = {
    "rare": lambda r, s, _: [int(r.integers(20_000, 60_000))],
    "three mid": lambda r, s, n: draw_words(r, s, [(0.002, 0.02, 3)], some_chunk(r, n)) or [500, 700, 900],
    "six-word question": lambda r, s, n: draw_words(
        r, s, [(0.3, 1, 2), (0.01, 0.1, 2), (0.0003, 0.01, 2)], some_chunk(r, n)
    ),
    "two very common": lambda r, s, _: draw_words(r, s, [(0.4, 1, 2)], None),
    "ten words": lambda r, s, n: draw_words(r, s, [(0.1, 1, 7), (0.01, 0.1, 3)], some_chunk(r, n)),
}


def measure_costs(scale: Scale, tenant: Tenant) -> None:
    with superuser(scale) as connection:
        row = connection.execute("select count(*) n from chunk_lexical").fetchone() or {}
        per_100k = 100_000 / max(1, row["n"]) / 2**20
        for name in ("chunk_lexical", "lexical_documents", "lexical_counts", "lexical_words"):
            sizes = connection.execute(
                "select pg_table_size(%s::regclass) t, pg_indexes_size(%s::regclass) i", (name, name)
            ).fetchone() or {}  # fmt: skip
            print(f"{name}: table {sizes['t'] * per_100k:.0f}, indexes {sizes['i'] * per_100k:.0f} MB per 100k chunks")
        gin = connection.execute("select pg_relation_size('chunk_lexical_keys') s").fetchone() or {}
        print(f"of which the keys' index {gin['s'] * per_100k:.0f} MB per 100k chunks")


def measure_updates(scale: Scale, tenant: Tenant, times: int = 5) -> None:
    added: list[Stopwatch] = []
    deleted: list[Stopwatch] = []
    for number in range(times):
        vocabulary = words()
        texts = [" ".join(vocabulary[t] for t in terms) for terms in document_terms(900_000 + number, 200)]
        document = add_document(scale.runtime, tenant.scope, f"added {new_id()}", [Passage(t) for t in texts])
        with scale.runtime.database.transaction(tenant.scope) as connection:
            connection.execute("delete from chunk_lexical where document_id = %s", (document,))
        with scale.runtime.database.transaction(tenant.scope) as connection:
            with Stopwatch(connection) as watch:
                assert lexical.index_chunks(connection, tenant.base, document) == 200
            added.append(watch)
        with scale.runtime.database.transaction(tenant.scope) as connection:
            with Stopwatch(connection) as watch:
                connection.execute("delete from lexical_documents where document_id = %s", (document,))
                connection.execute("delete from chunk_lexical where document_id = %s", (document,))
            deleted.append(watch)
            connection.execute("delete from documents where id = %s", (document,))
            assert fold_shares(connection, tenant.base)
    for name, watches in (("index", added), ("take out", deleted)):
        wall, database = np.median([w.wall_ms for w in watches]), np.median([w.backend_ms for w in watches])
        cpu = np.median([w.cpu_ms for w in watches])
        print(
            f"{name} a document of 200 chunks: wall {wall:.0f}, CPU {cpu:.0f} ms, of which the database {database:.0f}"
        )


@dataclass
class Stopwatch:
    """Wall, CPU of the connection's backend, and CPU of both processes, in milliseconds."""

    connection: Connection
    wall_ms: float = 0
    backend_ms: float = 0
    cpu_ms: float = 0
    _started: tuple[float, float, float] = field(default=(0, 0, 0))

    def __enter__(self) -> "Stopwatch":
        self._started = self._now()
        return self

    def __exit__(self, *_: object) -> None:
        wall, backend, own = (b - a for a, b in zip(self._started, self._now(), strict=True))
        self.wall_ms, self.backend_ms, self.cpu_ms = wall, backend, backend + own

    def _now(self) -> tuple[float, float, float]:
        schedule = Path(f"/proc/{self.connection.info.backend_pid}/schedstat").read_text()
        return time.perf_counter() * 1e3, int(schedule.split()[0]) / 1e6, time.process_time() * 1e3


@contextmanager
def superuser(scale: Scale) -> Generator[Connection]:
    dsn = scale.server.dsn(SUPERUSER)
    with psycopg.Connection[DictRow].connect(dsn, autocommit=True, row_factory=dict_row) as connection:
        yield connection


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 30)
