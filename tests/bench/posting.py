"""How long what is posted takes until it is found, and how many records a minute are stored.

`python -m tests.bench.posting`: a knowledge base is filled with records first, so that searches and indexes have
something to do. Each note and each record is posted by the service that the API calls, and searched for by a word that
it alone has; the time is that of both. Records a minute are those of batches, with an embedder that costs nothing.
"""

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any, Final
from uuid import UUID

import numpy as np

from shared.adapters.local.postgres import OWNER, EmbeddedPostgres
from shared.bootstrap import local_runtime
from shared.domain.notes import NewNote
from shared.domain.records import KindSchema, NewRecord
from shared.domain.scope import Identity
from shared.ingestion.posting.notes import post_note
from shared.ingestion.posting.records import post_records, put_kind
from shared.ingestion.worker_pool import WorkerPool
from shared.ports import Spent, Vectors, for_nothing
from shared.retrieval.requests import SearchRequest
from shared.retrieval.service import search
from shared.runtime import Embedders, Runtime
from shared.store.identities import resolve_identity
from shared.store.migrate import migrate
from shared.store.provision import LOCAL_ISSUER, LOCAL_SUBJECT, provision_local
from tests.pipeline import make_knowledge_base

PARTS: Final = (
    "pump",
    "seal",
    "rotor",
    "valve",
    "gasket",
    "bearing",
    "motor",
    "coupling",
    "filter",
    "housing",
    "impeller",
)
CITIES: Final = ("Leeds", "Oslo", "Turin", "Lyon", "Graz", "Porto", "Ghent", "Malmo", "Cork", "Basel")
FIELD: Final = {"type": "string"}
QUOTE: Final[dict[str, Any]] = {
    "type": "object",
    "title": "Quote",
    "properties": {
        "number": FIELD,
        "issued": {"type": "string", "format": "date"},
        "customer": {"type": "object", "properties": {"name": FIELD, "city": FIELD, "contact": FIELD}},
        "pump": {
            "type": "object",
            "properties": {"model": FIELD, "power": {"type": "number", "x-unit": "kW"}, "material": FIELD},
        },
        "terms": {"type": "object", "properties": {"price": {"type": "number", "x-unit": "EUR"}, "delivery": FIELD}},
    },
}


class Nothing:
    """An embedder that costs nothing."""

    version = "nothing/1"
    dimensions = 384

    def embed_passages(self, texts: Sequence[str], spent: Spent = for_nothing) -> Vectors:
        return np.tile(self.embed_query(""), (len(texts), 1))

    def embed_query(self, text: str) -> Vectors:
        return np.eye(1, self.dimensions, dtype=np.float32)[0]


def quote(number: int, random: Random) -> dict[str, Any]:
    """A quote with a word of its own."""
    city, part = random.choice(CITIES), random.choice(PARTS)
    return {
        "number": f"Q-{number}",
        "issued": f"2026-{random.randint(1, 12):02}-{random.randint(1, 28):02}",
        "customer": {"name": f"{city} {part} works {number}", "city": city, "contact": f"contact{number}x"},
        "pump": {"model": f"M{random.randint(100, 999)}", "power": random.randint(2, 90) / 2, "material": "cast iron"},
        "terms": {"price": random.randint(200, 90_000) / 4, "delivery": f"{random.randint(1, 12)} weeks after order"},
    }


def note(number: int, random: Random) -> str:
    words = " ".join(random.choice(PARTS) for _ in range(60))
    return f"Visit {number} of noted{number}x in {random.choice(CITIES)}.\n\nSeen: {words}.\n\n- replaced {words[:40]}"


def percentiles(seconds: list[float]) -> dict[str, float]:
    cuts = statistics.quantiles(seconds, n=100)
    shown = {"n": len(seconds), "median": cuts[49], "p95": cuts[94], "p99": cuts[98], "max": max(seconds)}
    return {name: round(value, 4) for name, value in shown.items()}


def timed_until_found(runtime: Runtime, identity: Identity, base: UUID, post: Callable[[], UUID], word: str) -> float:
    started = time.perf_counter()
    made = post()
    found = search(runtime, identity, SearchRequest(query=word, knowledge_base_ids=[base], k=3))
    seconds = time.perf_counter() - started
    if made not in {hit.document.id for hit in found.hits}:
        raise AssertionError(f"{word} is not found")
    return seconds


def ticks_of(process: Path, parent: int) -> int:
    """Of a process below /proc, if it is `parent` or a child of it that lives; of `parent` with its ended children."""
    try:
        fields = (process / "stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return 0
    if int(process.name) == parent:
        return sum(int(fields[at]) for at in (11, 12, 13, 14))
    return int(fields[11]) + int(fields[12]) if int(fields[1]) == parent else 0


def cpu_of(parent: int, without: int = 0) -> float:
    """Processor seconds that a process and its children have used, ended ones included; `without` is one left out."""
    processes = (one for one in Path("/proc").glob("[0-9]*") if int(one.name) != without)
    return sum(ticks_of(one, parent) for one in processes) / os.sysconf("SC_CLK_TCK")


def server_pid(data: Path) -> int:
    return int((data / "postmaster.pid").read_text().split("\n", 1)[0])


def server_cpu(data: Path) -> float:
    """Processor seconds that the server of the folder `data` and its backends have used."""
    return cpu_of(server_pid(data))


def rate(runtime: Runtime, identity: Identity, records: int, batch: int, data: Path) -> dict[str, Any]:
    """Records a minute, without the embedder, and what processor time one takes (the process beside is the client's):
    neighbours do not count in that."""
    nothing = replace(runtime, embedders=Embedders(lambda: Nothing.version, lambda _: Nothing()))
    base, random = make_knowledge_base(nothing, identity, f"rate {time.monotonic_ns()}"), Random(1)
    put_kind(nothing, identity, base, "quote", KindSchema(json_schema=QUOTE, key_field="number"))
    seconds: list[float] = []
    client, server = cpu_of(os.getpid(), server_pid(data)), server_cpu(data)
    for start in range(0, records, batch):
        wanted = [NewRecord(kind="quote", values=quote(start + one, random)) for one in range(batch)]
        seconds.append(post_records(nothing, identity, base, wanted).seconds)
    per_minute = [round(60 * batch / one) for one in seconds]
    client, server = cpu_of(os.getpid(), server_pid(data)) - client, server_cpu(data) - server
    used = {"client_ms": round(1000 * client / records, 2), "postgres_ms": round(1000 * server / records, 2)}
    return {"records": records, "batch": batch, **used, "per_minute": round(60 * records / sum(seconds)),
            "first_batch": per_minute[0], "last_batch": per_minute[-1]}  # fmt: skip


def latencies(runtime: Runtime, identity: Identity, filled: int, posts: int) -> dict[str, Any]:
    base, random = make_knowledge_base(runtime, identity, "latency"), Random(2)
    put_kind(runtime, identity, base, "quote", KindSchema(json_schema=QUOTE, key_field="number"))
    for start in range(0, filled, 500):
        wanted = [NewRecord(kind="quote", values=quote(n, random)) for n in range(start, min(start + 500, filled))]
        post_records(runtime, identity, base, wanted)

    def of_note(number: int) -> Callable[[], UUID]:
        text = note(number, random)
        return lambda: post_note(runtime, identity, base, NewNote(text=text)).id

    def of_record(number: int) -> Callable[[], UUID]:
        wanted = NewRecord(kind="quote", values=quote(number, random))
        return lambda: post_records(runtime, identity, base, [wanted]).records[0].id

    notes = [timed_until_found(runtime, identity, base, of_note(n), f"noted{n}x") for n in range(posts)]
    first = filled + 1_000_000
    records = [
        timed_until_found(runtime, identity, base, of_record(first + n), f"contact{first + n}x") for n in range(posts)
    ]
    with runtime.database.transaction(identity.scope(base)) as connection:
        row = connection.execute("select count(*) as chunks from chunks").fetchone() or {}
    return {"chunks": row["chunks"], "notes": percentiles(notes), "records": percentiles(records)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--posts", type=int, default=200)
    parser.add_argument("--filled", type=int, default=500)
    parser.add_argument("--records", type=int, default=1_000)
    parser.add_argument("--batch", type=int, default=500)
    wanted = parser.parse_args()
    with ExitStack() as stack:
        home = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="autri-")))
        server = stack.enter_context(EmbeddedPostgres(home / "postgres"))
        server.create_database("bench")
        migrate(server.dsn(OWNER, "bench"))
        provision_local(server.dsn(OWNER, "bench"))
        beside = stack.enter_context(WorkerPool(1, {}))
        runtime = replace(local_runtime(server.dsn(database="bench"), home), beside=beside)
        stack.enter_context(runtime.database)
        with runtime.database.unscoped() as connection:
            identity = resolve_identity(connection, LOCAL_ISSUER, LOCAL_SUBJECT)
        if identity is None:
            raise AssertionError("the local user is missing")
        found = {"rate": rate(runtime, identity, wanted.records, wanted.batch, server.data)}
        sys.stdout.write(f"{json.dumps(found)}\n")
        found = latencies(runtime, identity, wanted.filled, wanted.posts)
        sys.stdout.write(f"{json.dumps(found)}\n")


if __name__ == "__main__":
    main()
