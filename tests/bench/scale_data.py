"""Knowledge bases of 100 to 500,000 chunks for speed: `python -m tests.bench.scale_data HOME 100k|500k|index`.

`index` brings the lexical index of a loaded workspace up to date, after a change of it.

Text is Zipf-Mandelbrot over 200,000 invented words, with a topic per document and bursts; vectors (384) fall into 1,000
uneven clusters of low rank; each chunk has three attributes. Speed depends on these shapes and not on meaning, which is
measured on real documents elsewhere. Rows are copied as the superuser; the lexical index is made by the real code, and
vector indexes by the maintenance that every installation runs.
"""

import hashlib
import sys
import time
from collections.abc import Generator, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from uuid import UUID

import numpy as np
import numpy.typing as npt
import psycopg
from pgvector import HalfVector
from pgvector.psycopg import register_vector
from psycopg import sql
from psycopg.rows import DictRow, dict_row
from psycopg.types.json import Jsonb

from shared.adapters.local.embedder import load_embedder
from shared.adapters.local.postgres import OWNER, SUPERUSER, EmbeddedPostgres
from shared.bootstrap import local_runtime
from shared.domain.ids import new_id
from shared.domain.scope import Identity, Scope
from shared.lexical import index as lexical
from shared.runtime import Runtime
from shared.store.connect import Connection
from shared.store.migrate import migrate
from shared.store.provision import Organization, provision, provision_local

SIZES: dict[str, list[int]] = {
    "10k": [10_000, *[3_000] * 2, *[100] * 5],
    "100k": [100_000, *[3_000] * 5, *[100] * 50],
    "500k": [500_000, 50_000, *[3_000] * 10, *[100] * 200],
}
# A fast load is worth more than a durable one; the buffers are the product's own.
SERVER = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "maintenance_work_mem": "3GB",
    "max_wal_size": "16GB",
    "autovacuum": "off",
}
# Whole B-trees with their tables and columns.
WARMED = """
select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns
from pg_index i join pg_class c on c.oid = i.indrelid join pg_class x on x.oid = i.indexrelid
  join pg_am m on m.oid = x.relam join pg_attribute a on a.attrelid = x.oid and a.attnum <= i.indnkeyatts
where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relname <> 'retrieval_log'
  and m.amname = 'btree' and i.indpred is null and i.indexprs is null
group by x.oid, c.relname, c.oid order by pg_relation_size(c.oid)"""
VOCABULARY = 200_000
CHUNKS_PER_DOCUMENT = 200
SECTIONS_PER_DOCUMENT = 10
SUPERSEDED_SHARE = 0.05
CLUSTERS, RANK, DIMENSIONS = 1000, 48, 384
COLOURS = ("red", "blue", "green", "black", "white")
DOCUMENTS_PER_BATCH = 25

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]
Rows = list[tuple[Any, ...]]


@dataclass(frozen=True)
class Tenant:
    """An organization with one knowledge base of `size` chunks, and its owner."""

    identity: Identity
    base: UUID
    size: int

    @property
    def scope(self) -> Scope:
        return Scope(organization_id=self.identity.organization_id, user_id=None, knowledge_base_ids=(self.base,))


@dataclass(frozen=True)
class Scale:
    """A loaded workspace; the tenants largest first. The first one is the organization that development signs in to."""

    server: EmbeddedPostgres
    runtime: Runtime
    tenants: list[Tenant]


@contextmanager
def open_scale(home: Path) -> Generator[Scale]:
    """What `main` loaded."""
    home.mkdir(parents=True, exist_ok=True)
    with EmbeddedPostgres(home / "postgres", SERVER) as server:
        migrate(server.dsn(OWNER))
        runtime = local_runtime(server.dsn(), home)
        with runtime.database, _superuser(server) as connection:
            rows = connection.execute(
                "select u.organization_id, u.id as user_id, u.role, k.id as base, sum(d.chunk_count)::int as size"
                " from knowledge_bases k join users u using (organization_id)"
                " join documents d on d.knowledge_base_id = k.id"
                " where k.slug = 'scale' group by 1, 2, 3, 4 order by size desc, base"
            ).fetchall()
            yield Scale(server, runtime, [_tenant(row) for row in rows])


def warm(scale: Scale) -> None:
    """Have the rows and their B-trees in the buffers, as a database has that is asked all day; GIN and HNSW come with
    the questions before the measured ones.

    Rows are read in the order of each index: what a sequential scan reads of a large table does not stay.
    """
    with _superuser(scale.server) as connection:
        for setting in ("enable_seqscan", "enable_bitmapscan", "enable_indexonlyscan", "enable_sort"):
            connection.execute(sql.SQL("set {} = off").format(sql.Identifier(setting)))
        for row in connection.execute(WARMED).fetchall():
            statement = sql.SQL("select count(*) from (select from {} order by {} offset 0) rows")
            columns = sql.SQL(", ").join(map(sql.Identifier, row["columns"]))
            connection.execute(statement.format(sql.Identifier(row["name"]), columns))


@cache
def words() -> list[str]:
    """The vocabulary, most frequent first. Each begins with z, so that none is a stop word."""
    random, letters = np.random.default_rng(7), np.array(list("abcdefghijklmnopqrstuvwxyz"))
    made: dict[str, None] = {}
    while len(made) < VOCABULARY:
        made["z" + "".join(letters[random.integers(0, 26, random.integers(3, 8))])] = None
    return list(made)


def document_terms(number: int, chunks: int) -> list[Ints]:
    """Ranks of the words of each chunk of document `number`: two thirds of the language, one third of its topic."""
    random = np.random.default_rng(1000 + number)
    topic = _ranks(random, 300)
    lengths = np.clip(random.lognormal(np.log(112), 0.4, chunks), 15, 400).astype(int)
    total = int(lengths.sum())
    of_topic = topic[np.minimum(np.searchsorted(_topic_shares(), random.random(total)), 299)]
    drawn = np.where(random.random(total) < 0.7, _ranks(random, total), of_topic)
    repeated = np.flatnonzero(random.random(total) < 0.12)
    repeated = repeated[repeated > 20]
    drawn[repeated] = drawn[repeated - random.integers(1, 20, len(repeated))]
    return np.split(drawn, np.cumsum(lengths)[:-1])


def draw_vectors(tenant: int, count: int, seed: int) -> tuple[Floats, Ints]:
    """(unit vectors of shape (count, 384), the cluster of each). Tenants lie in clusters of their own choice."""
    random, (centres, mix) = np.random.default_rng(seed), _space()
    own = _clusters_of(tenant)
    shares = 1 / np.sqrt(np.arange(1, len(own) + 1))
    chosen = random.choice(own, count, p=shares / shares.sum())
    low = centres[chosen] + 0.5 * random.standard_normal((count, RANK), dtype=np.float32)
    made = low @ mix + 0.05 * random.standard_normal((count, DIMENSIONS), dtype=np.float32)
    return made / np.linalg.norm(made, axis=1, keepdims=True), chosen


def load(home: Path, size: str) -> None:
    """Fill an empty workspace."""
    home.mkdir(parents=True, exist_ok=True)
    with EmbeddedPostgres(home / "postgres", SERVER) as server:
        migrate(server.dsn(OWNER))
        provision_local(server.dsn(OWNER))
        version = load_embedder(home / "models").version
        with _superuser(server) as connection:
            register_vector(connection)
            connection.execute("set session_replication_role = replica")
            for number, chunks in enumerate(SIZES[size]):
                organization = _organization(server, connection, number)
                _load_tenant(connection, organization, number, chunks, version)
            connection.execute("set session_replication_role = origin")
            connection.execute("analyze")


def index(home: Path) -> None:
    """The lexical index of every document, by two processes."""
    with EmbeddedPostgres(home / "postgres", SERVER) as server:
        migrate(server.dsn(OWNER))
        with _superuser(server) as connection:
            rows = connection.execute("select organization_id, knowledge_base_id, id from documents order by id")
            jobs = [(row["organization_id"], row["knowledge_base_id"], row["id"]) for row in rows]
        with ProcessPoolExecutor(2) as pool:
            list(pool.map(_index_documents, [server.dsn()] * 2, [home] * 2, [jobs[::2], jobs[1::2]]))
        with _superuser(server) as connection:
            connection.execute("vacuum analyze")


def _load_tenant(connection: Connection, organization: UUID, number: int, chunks: int, version: str) -> None:
    base = new_id()
    connection.execute(
        "insert into knowledge_bases (organization_id, id, slug, name, description)"
        " values (%s, %s, 'scale', %s, 'Generated for speed')",
        (organization, base, f"{chunks} chunks"),
    )
    owner = (organization, base)
    whole, first = [CHUNKS_PER_DOCUMENT] * (chunks // CHUNKS_PER_DOCUMENT), number * 1_000_000
    counts = [*whole, *([chunks % CHUNKS_PER_DOCUMENT] if chunks % CHUNKS_PER_DOCUMENT else [])]
    for start in range(0, len(counts), DOCUMENTS_PER_BATCH):
        some = counts[start : start + DOCUMENTS_PER_BATCH]
        tables: dict[str, Rows] = {name: [] for name in _COLUMNS}
        vectors, clusters = draw_vectors(number, sum(some), first + start)
        done = 0
        for place, count in enumerate(some, start=start):
            part = slice(done, done + count)
            _document(tables, owner, first + place, count, vectors[part], clusters[part], version)
            done += count
        for name, rows in tables.items():
            _copy(connection, name, rows)
        print(f"{chunks} chunks: {start + len(some)} of {len(counts)} documents", flush=True)


_COLUMNS: dict[str, dict[str, str]] = {
    "logical_documents": {"organization_id": "uuid", "knowledge_base_id": "uuid", "id": "uuid", "name": "text"},
    "documents": {
        "organization_id": "uuid", "knowledge_base_id": "uuid", "id": "uuid", "logical_document_id": "uuid",
        "name": "text", "source_type": "text", "source_hash": "text", "source_key": "text", "size": "int8",
        "status": "text", "version_index": "int4", "is_current": "bool", "serving": "bool", "page_count": "int4",
        "chunk_count": "int4",
    },
    "sections": {
        "organization_id": "uuid", "knowledge_base_id": "uuid", "document_id": "uuid", "id": "uuid",
        "section_hash": "text", "occurrence": "int4", "ordinal": "int4", "address": "text", "title": "text",
        "depth": "int4", "path": "jsonb", "page": "int4",
    },
    "section_addresses": {
        "organization_id": "uuid", "knowledge_base_id": "uuid", "document_id": "uuid", "section_id": "uuid",
        "address_key": "text", "exact": "bool",
    },
    "chunks": {
        "organization_id": "uuid", "knowledge_base_id": "uuid", "document_id": "uuid", "id": "uuid",
        "content_hash": "text", "occurrence": "int4", "ordinal": "int4", "section_id": "uuid", "chunk_type": "text",
        "content": "text", "index_text": "text", "index_hash": "text", "boxes": "jsonb", "first_page": "int4",
        "last_page": "int4", "confidence": "float8", "extractor_version": "text",
    },
    "chunk_vectors": {
        "organization_id": "uuid", "knowledge_base_id": "uuid", "document_id": "uuid", "chunk_id": "uuid",
        "embedder_version": "text", "index_hash": "text", "embedding": "halfvec",
    },
    "chunk_attributes": {
        "organization_id": "uuid", "knowledge_base_id": "uuid", "document_id": "uuid", "chunk_id": "uuid",
        "name": "text", "ordinal": "int4", "route": "text", "value_number": "float8", "printed_number": "float8",
        "value_text": "text", "raw": "text", "fragment_ids": "text[]", "confidence": "float8",
        "extractor_version": "text",
    },
}  # fmt: skip


def _document(
    tables: dict[str, Rows],
    owner: tuple[UUID, UUID],
    number: int,
    count: int,
    vectors: Floats,
    clusters: Ints,
    version: str,
) -> None:
    random = np.random.default_rng(number)
    document, logical, name = new_id(), new_id(), f"document {number}.pdf"
    current = random.random() >= SUPERSEDED_SHARE
    tables["logical_documents"].append((*owner, logical, name))
    tables["documents"].append(
        (*owner, document, logical, name, "pdf", str(number), f"scale/{number}", 1, "ready", 1, current, True,
         1 + count // 10, count)
    )  # fmt: skip
    sections = [new_id() for _ in range(SECTIONS_PER_DOCUMENT)]
    for place, section in enumerate(sections, start=1):
        address = f"D{number}.{place}"
        path = f'[{{"id": "{section}", "address": "{address}", "title": "Section {place}"}}]'
        tables["sections"].append(
            (*owner, document, section, address, 1, place, address, f"Section {place}", 1, path, 1)
        )
        tables["section_addresses"].append((*owner, document, section, address.lower(), True))
        tables["section_addresses"].append((*owner, document, section, str(place), False))
    vocabulary, power = words(), random.integers(0, 1000, count)
    for ordinal, terms in enumerate(document_terms(number, count)):
        chunk, page = new_id(), 1 + ordinal // 10
        text = " ".join([vocabulary[t] for t in terms])
        digest = hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()
        boxes = f'[{{"kind": "page", "page": {page}, "x": 0.1, "y": 0.1, "w": 0.8, "h": 0.1, "fragment_ids": []}}]'
        section = sections[ordinal * SECTIONS_PER_DOCUMENT // count]
        tables["chunks"].append(
            (*owner, document, chunk, digest, ordinal, ordinal, section, "text", text, text, digest, boxes, page, page,
             1.0, "scale")
        )  # fmt: skip
        tables["chunk_vectors"].append((*owner, document, chunk, version, digest, HalfVector(vectors[ordinal])))
        horse_power = float(power[ordinal])
        values = (("hp", horse_power, None), ("colour", None, COLOURS[int(horse_power) % 5]))
        values = (*values, ("family", float(clusters[ordinal] // 100), None))
        for attribute, value, words_ in values:
            raw = words_ or str(value)
            tables["chunk_attributes"].append(
                (*owner, document, chunk, attribute, 0, "table", value, value, words_, raw, ["p1.f1"], 1.0, "scale")
            )


def _copy(connection: Connection, table: str, rows: Iterable[tuple[Any, ...]]) -> None:
    columns = _COLUMNS[table]
    statement = sql.SQL("copy {} ({}) from stdin with (format binary)").format(
        sql.Identifier(table), sql.SQL(", ").join(map(sql.Identifier, columns))
    )
    with connection.cursor() as cursor, cursor.copy(statement) as copy:
        copy.set_types(list(columns.values()))
        for row in rows:
            copy.write_row([_jsonb(v) if t == "jsonb" else v for v, t in zip(row, columns.values(), strict=True)])


def _jsonb(text: str) -> Jsonb:
    return Jsonb(text, dumps=str)


def _organization(server: EmbeddedPostgres, connection: Connection, number: int) -> UUID:
    slug = "local" if number == 0 else f"tenant-{number}"
    if number:
        provision(server.dsn(OWNER), Organization(slug, slug, f"{slug}@scale.example"))
    row = connection.execute("select id from organizations where slug = %s", (slug,)).fetchone()
    assert row is not None
    return row["id"]


def _index_documents(dsn: str, home: Path, jobs: Sequence[tuple[UUID, UUID, UUID]]) -> None:
    runtime = local_runtime(dsn, home)
    with runtime.database:
        for done, (organization, base, document) in enumerate(jobs):
            scope = Scope(organization_id=organization, user_id=None, knowledge_base_ids=(base,))
            with runtime.database.transaction(scope) as connection:
                lexical.index_chunks(connection, base, document)
            if done % 100 == 0:
                print(f"indexed {done} of {len(jobs)}", flush=True)


def _tenant(row: dict[str, Any]) -> Tenant:
    identity = Identity(organization_id=row["organization_id"], user_id=row["user_id"], role=row["role"])
    return Tenant(identity, row["base"], row["size"])


@contextmanager
def _superuser(server: EmbeddedPostgres) -> Generator[Connection]:
    with psycopg.Connection[DictRow].connect(server.dsn(SUPERUSER), autocommit=True, row_factory=dict_row) as opened:
        yield opened


@cache
def _shares() -> npt.NDArray[np.float64]:
    weights = 1 / (np.arange(1, VOCABULARY + 1) + 2.7) ** 1.05
    return np.cumsum(weights / weights.sum())


@cache
def _topic_shares() -> npt.NDArray[np.float64]:
    weights = 1 / (np.arange(1, 301) + 5.0)
    return np.cumsum(weights / weights.sum())


def _ranks(random: np.random.Generator, count: int) -> Ints:
    return np.minimum(np.searchsorted(_shares(), random.random(count)), VOCABULARY - 1)


@cache
def _space() -> tuple[Floats, Floats]:
    """(centres of the clusters, the map from their low rank to 384 dimensions)."""
    random = np.random.default_rng(7)
    mix = random.standard_normal((RANK, DIMENSIONS)).astype(np.float32) / np.sqrt(RANK)
    return random.standard_normal((CLUSTERS, RANK)).astype(np.float32), mix


@cache
def _clusters_of(tenant: int) -> Ints:
    random = np.random.default_rng(1000 + tenant)
    return random.permutation(CLUSTERS) if tenant == 0 else random.choice(CLUSTERS, 20, replace=False)


if __name__ == "__main__":
    started = time.perf_counter()
    workspace, what = Path(sys.argv[1]), sys.argv[2]
    if what != "index":
        load(workspace, what)
    index(workspace)
    print(f"done in {time.perf_counter() - started:.0f} s")
