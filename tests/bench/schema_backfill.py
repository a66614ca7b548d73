"""One attribute declared over many stored chunks: `python -m tests.bench.schema_backfill [--rows 1000] [--copies 100]`.

A price list is read by the stages under a schema that does not declare its colours, and then stored --copies times,
page files and all. The colour is promoted: what was estimated, what it took, and how long a filtered search took before
and meanwhile. Half-way the reading is cancelled and resumed.
"""

import argparse
import json
import random
import statistics
import sys
import threading
import time
from typing import Any, Final, LiteralString, cast
from uuid import UUID

from shared.contract import work_prefix
from shared.domain.attribute_schema import Declaration, NewSchema, Promotion
from shared.domain.scope import Identity, Scope
from shared.filters.ordering import order_matches, read_order
from shared.filters.selection import Filters, select_chunks
from shared.filters.text import read_where
from shared.ingestion.backfill import fill_next
from shared.library.curation import backfills, schemas
from shared.runtime import Runtime
from shared.store.connect import Connection
from tests.bench.facets import own_runtime
from tests.bench.schema_proposals import store_file
from tests.store.seeding import add_base

COLOURS: Final = ("red", "blue", "grey", "green")
SEARCHED: Final = "power >= 60 hp"
WANTED: Final = "colour = red"
CLONED: Final = (
    "logical_documents", "documents", "pages", "chunks", "chunk_attributes", "undeclared_values",
)  # fmt: skip
DECLARED: Final = (
    Declaration(name="power", type="number", unit="hp", synonyms=("HP",)),
    Declaration(name="flow", type="number", unit="cfm", synonyms=("CFM",)),
    Declaration(name="lubrication", type="category"),
)


def price_list(rows: int) -> bytes:
    rng = random.Random(14)
    lines = ["Model,HP,CFM,Lubrication,Colour"]
    for at in range(rows):
        power = rng.choice((3, 5, 7, 10, 15, 20, 30, 50, 75))
        kind = rng.choice(("oilless", "flooded"))
        lines.append(f"K-{at},{power},{power * 4},{kind},{rng.choice(COLOURS)}")
    return "\n".join(lines).encode()


def clone(runtime: Runtime, scope: Scope, copies: int) -> None:
    """Stores the one document of the knowledge base so many times, with its page files."""
    with runtime.database.transaction(scope) as connection:
        document = connection.execute("select id, ingestion_id from documents").fetchone()
        assert document is not None
        for table in CLONED:
            _clone_rows(connection, table, copies)
        connection.execute(
            "update documents set status = 'ready', serving = true, is_current = true,"
            " chunk_count = (select count(*) from chunks c where c.document_id = documents.id)"
        )
        ids = [row["id"] for row in connection.execute("select id from documents")]
    owner = (str(scope.organization_id), str(scope.knowledge_base_ids[0]))
    source, *_ = (work_prefix(*owner, str(document["id"]), str(document["ingestion_id"])),)
    files = [key for key in runtime.blobs.list(source) if "/ops/" in key or "/pages/" in key]
    for other in ids:
        if other != document["id"]:
            target = work_prefix(*owner, str(other), str(document["ingestion_id"]))
            for key in files:
                runtime.blobs.put(target + key.removeprefix(source), runtime.blobs.get(key))


def _clone_rows(connection: Connection, table: str, copies: int) -> None:
    columns = (
        "select attname as name from pg_attribute where attrelid = %s::regclass and attnum > 0 and attgenerated = ''"
    )
    names = [row["name"] for row in connection.execute(columns, (table,))]
    other = {name: f"md5({name}::text || n)::uuid" for name in ("id", "document_id", "chunk_id", "logical_document_id")}
    other |= {"source_hash": "md5(source_hash || n)", "section_id": "null::uuid", "table_id": "null::uuid"}
    if table == "logical_documents":
        other["name"] = "name || n"
    values = ", ".join(other.get(name, name) for name in names)
    text = f"insert into {table} ({', '.join(names)}) select {values} from {table}, generate_series(1, %s) n"  # noqa: S608
    connection.execute(cast(LiteralString, text), (copies - 1,))


def search(runtime: Runtime, scope: Scope, where: str) -> int:
    with runtime.database.transaction(scope, snapshot=True) as connection:
        selection = select_chunks(connection, Filters(where=read_where(where)))
        return len(order_matches(connection, selection, read_order("power desc"), 100))


class Searching:
    """Searches again and again in a thread of its own."""

    def __init__(self, runtime: Runtime, scope: Scope) -> None:
        self.times: list[float] = []
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(runtime, scope))

    def _run(self, runtime: Runtime, scope: Scope) -> None:
        while not self._stop.is_set():
            started = time.perf_counter()
            assert search(runtime, scope, SEARCHED) > 0
            self.times.append(1000 * (time.perf_counter() - started))
            self._stop.wait(0.05)

    def __enter__(self) -> "Searching":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def said(self) -> dict[str, float]:
        times = sorted(self.times)
        return {
            "n": len(times),
            "p50 ms": round(statistics.median(times)),
            "p95 ms": round(times[int(0.95 * len(times))]),
        }


def plan_of(connection: Connection, base: UUID) -> list[str]:
    """The indexes that a search for one value of the new attribute reads."""
    rows = connection.execute(
        "explain select chunk_id from chunk_attributes where knowledge_base_id = %s and name = 'colour'"
        " and text_key = 'red' and text_key is not null", (base,),
    )  # fmt: skip
    return sorted({word for row in rows for word in row["QUERY PLAN"].split() if word.startswith("chunk_attributes_")})


def say_progress(runtime: Runtime, identity: Identity, base: UUID, started: float) -> None:
    """What is read so far, so that a long run which is ended early has said something."""
    state = backfills.get_backfill(runtime, identity, base)
    assert state is not None
    seconds = time.perf_counter() - started
    print(json.dumps({"chunks": state.chunks_done, "seconds": round(seconds, 1)}), file=sys.stderr, flush=True)


def measure(rows: int, copies: int) -> dict[str, Any]:
    said: dict[str, Any] = {}
    with own_runtime() as (runtime, identity):
        scope = add_base(runtime, identity, "prices")
        base = scope.knowledge_base_ids[0]
        schemas.put_schema(runtime, identity, base, NewSchema(version=0, attributes=DECLARED))
        store_file(runtime, identity, scope, "prices.csv", price_list(rows))
        clone(runtime, scope, copies)
        with runtime.database.transaction(scope) as connection:
            counted = connection.execute("select count(*) as n from chunks").fetchone()
            connection.execute("select 1")
        said["chunks"] = counted["n"] if counted else 0
        print(json.dumps(said), file=sys.stderr, flush=True)
        with Searching(runtime, scope) as before:
            time.sleep(15)
        said["searches before"] = before.said()
        said |= _promote(runtime, identity, scope)
    return said


def _promote(runtime: Runtime, identity: Identity, scope: Scope) -> dict[str, Any]:
    base, said = scope.knowledge_base_ids[0], dict[str, Any]()
    present = schemas.get_schema(runtime, identity, base)
    wanted = (*present.attributes, Declaration(name="colour", type="category"))
    estimate = schemas.preview_schema(runtime, identity, base, NewSchema(version=1, attributes=wanted)).estimate
    assert estimate is not None
    said["estimate"] = estimate.model_dump()
    started = time.perf_counter()
    state = schemas.promote(runtime, identity, base, Promotion(name="colour", why="bench"))
    said["promote ms"] = round(1000 * (time.perf_counter() - started))
    assert state.backfill is not None
    with Searching(runtime, scope) as meanwhile:
        started = time.perf_counter()
        for _ in range(state.backfill.documents // 2):
            fill_next(runtime, scope)
            say_progress(runtime, identity, base, started)
        stopped = backfills.cancel_backfill(runtime, identity, base)
        assert fill_next(runtime, scope) == 0
        said["stopped at"] = {"documents": stopped.documents_done, "found": search(runtime, scope, WANTED)}
        backfills.resume_backfill(runtime, identity, base)
        while fill_next(runtime, scope):
            say_progress(runtime, identity, base, started)
        seconds = time.perf_counter() - started
    done = backfills.get_backfill(runtime, identity, base)
    assert done is not None
    said["backfill"] = done.model_dump(
        include={"status", "documents_done", "chunks_done", "found", "refused", "cost_usd"}
    )
    said["backfill"] |= {"seconds": round(seconds, 1), "chunks per second": round(done.chunks_done / seconds)}
    said["searches meanwhile"] = meanwhile.said()
    again = schemas.preview_schema(runtime, identity, base, NewSchema(version=2, attributes=wanted[:3])).estimate
    said["estimate of the next one"] = again.seconds if again else None
    with runtime.database.transaction(scope) as connection:
        said["read by"] = plan_of(connection, base)
    return said


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--copies", type=int, default=100)
    asked = parser.parse_args()
    json.dump(measure(asked.rows, asked.copies), sys.stdout, indent=2)
    print()


if __name__ == "__main__":
    main()
