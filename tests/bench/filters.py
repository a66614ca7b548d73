"""Attribute filters against gold, and their speed: `python -m tests.bench.filters CORPORA [--scale HOME]`.

EPA's vehicles are stored as structured chunks with typed attributes; random filters over the twelve columns are
compared with a plain evaluation of the records, by both plans. `--scale` takes a workspace of `tests.bench.scale_data`
and times the selection at shares from .1 to 50 %.
"""

import argparse
import csv
import gzip
import json
import operator
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from shared.adapters.local.postgres import OWNER, EmbeddedPostgres
from shared.bootstrap import local_runtime
from shared.domain.attributes import Attribute, Quantity
from shared.domain.draft import ChunkDraft, DocumentDraft
from shared.domain.geometry import PageBox
from shared.domain.scope import Scope
from shared.retrieval.where import read_where
from shared.runtime import Runtime
from shared.store.connect import Connection
from shared.store.draft import commit_draft
from shared.store.identities import resolve_identity
from shared.store.migrate import migrate
from shared.store.provision import LOCAL_ISSUER, LOCAL_SUBJECT, provision_local
from shared.store.selection import Filters, select_chunks
from tests.bench.attributes import NUMERIC, SEED
from tests.bench.scale_data import open_scale
from tests.store.seeding import Passage, add_base, add_document
from tests.store.selected import keep_selected

BOX: Final = PageBox(page=1, x=0, y=0, w=1, h=1)
ORDERS: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge,
}  # fmt: skip
SHARES: Final = {".1 %": "hp < 1", "1 %": "hp < 10", "10 %": "hp < 100", "50 %": "hp < 500"}
Record = dict[str, float | str]


def read_vehicles(corpora: Path, count: int) -> list[Record]:
    """Records of EPA's table, numbers as numbers; what is missing is left out."""
    with gzip.open(corpora / "attrs-fueleconomy" / "vehicles.csv.gz", "rt", encoding="utf-8") as file:
        rows = random.Random(SEED).sample(list(csv.DictReader(file)), count)
    return [
        {name: float(v) if name in NUMERIC else " ".join(v.split()) for name, v in row.items() if v not in ("", "NA")}
        for row in rows
    ]


def store_records(runtime: Runtime, scope: Scope, records: Sequence[Record], per_document: int = 1000) -> None:
    for first in range(0, len(records), per_document):
        name = f"vehicles {first}"
        document = add_document(runtime, scope, name, [Passage("nothing yet")])
        some = records[first : first + per_document]
        chunks = [
            ChunkDraft(
                section=None, chunk_type="structured", content=f"{first + place}", boxes=[BOX],
                attributes=[_attribute(name, value) for name, value in record.items()],
            )
            for place, record in enumerate(some)
        ]  # fmt: skip
        with runtime.database.transaction(scope) as connection:
            draft = DocumentDraft(sections=[], chunks=chunks, confidence=1)
            commit_draft(connection, scope, document, draft, name, "bench")
            connection.execute("update documents set chunk_count = %s where id = %s", (len(chunks), document))


def _attribute(name: str, value: float | str) -> Attribute:
    fields: dict[str, Any] = {"name": name, "raw": str(value), "fragment_ids": (), "route": "table"}
    if isinstance(value, str):
        return Attribute(**fields, text=value)
    return Attribute(**fields, quantity=Quantity(number=value, canonical_number=value))


def random_filter(rng: random.Random, records: Sequence[Record], depth: int = 2) -> dict[str, Any]:
    """A tree over the columns, with values that occur."""
    if depth and rng.random() < 0.6:
        kind = rng.choice(["all", "any", "not"])
        return {kind: [random_filter(rng, records, depth - 1) for _ in range(rng.randint(1, 3))]}
    name = rng.choice(list(records[0]))
    values = [record[name] for record in rng.choices(records, k=9) if name in record]
    if not values:
        return {"attr": name, "op": "exists"}
    number = isinstance(values[0], float)
    op = rng.choice(["eq", "ne", "in", "exists", *(["between", *ORDERS] if number else [])])
    if op == "exists":
        return {"attr": name, "op": op}
    several: list[Any] = sorted(values[:2], key=lambda value: value) if op == "between" else values[:3]
    if op == "between" and len(several) < 2:
        op = "in"
    return {"attr": name, "op": op, "value": several if op in ("in", "between") else values[0]}


def passes(tree: dict[str, Any], record: Record) -> bool:
    for kind, every in (("all", all), ("any", any)):
        if kind in tree:
            return every(passes(part, record) for part in tree[kind])
    if "not" in tree:
        return not any(passes(part, record) for part in tree["not"])
    value, op = record.get(tree["attr"]), tree["op"]
    wanted: Any = tree.get("value")
    if value is None or op == "exists":
        return value is not None
    if op in ORDERS:
        return ORDERS[op](value, wanted)
    if op == "between":
        return wanted[0] <= value <= wanted[1]
    equal = [_folded(value) == _folded(one) for one in (wanted if isinstance(wanted, list) else [wanted])]
    return any(equal) != (op == "ne")


def _folded(value: float | str) -> float | str:
    return value.lower() if isinstance(value, str) else value


def measure_vehicles(corpora: Path, count: int, filters: int) -> dict[str, Any]:
    """Right, wrong and missing chunks over all filters, by the plan that was chosen and by testing every row."""
    records, rng = read_vehicles(corpora, count), random.Random(SEED)
    with tempfile.TemporaryDirectory() as home, EmbeddedPostgres(Path(home) / "postgres", {"fsync": "off"}) as server:
        migrate(server.dsn(OWNER))
        provision_local(server.dsn(OWNER))
        runtime = local_runtime(server.dsn(), Path(home))
        with runtime.database:
            with runtime.database.unscoped() as connection:
                identity = resolve_identity(connection, LOCAL_ISSUER, LOCAL_SUBJECT)
            assert identity is not None
            scope = add_base(runtime, identity, "vehicles")
            store_records(runtime, scope, records)
            with runtime.database.transaction(scope) as connection:
                return _compare(connection, records, [random_filter(rng, records) for _ in range(filters)])


def _compare(connection: Connection, records: Sequence[Record], filters: Sequence[dict[str, Any]]) -> dict[str, Any]:
    rows = connection.execute("select id, content from chunks order by content::integer").fetchall()
    ids = [row["id"] for row in rows]
    right = wrong = missing = listed = 0
    times: list[float] = []
    for tree in filters:
        gold = {ids[n] for n, record in enumerate(records) if passes(tree, record)}
        started = time.perf_counter()
        selection = select_chunks(connection, Filters(where=read_where(tree)))
        times.append(1000 * (time.perf_counter() - started))
        listed += selection.listed is not None
        for one in (selection, replace(selection, listed=None)):
            found = set(keep_selected(connection, one, ids))
            right, wrong = right + len(found & gold), wrong + len(found - gold)
            missing += len(gold - found)
    return {
        "records": len(records), "filters": len(filters), "listed": listed, "right": right, "wrong": wrong,
        "missing": missing, "precision": right / max(1, right + wrong), "recall": right / max(1, right + missing),
        "select p50 ms": round(statistics.median(times), 1),
    }  # fmt: skip


def measure_scale(home: Path, repeat: int = 7) -> dict[str, Any]:
    """Median milliseconds of the selection in the largest knowledge base."""
    result: dict[str, Any] = {}
    with open_scale(home) as scale, scale.runtime.database.transaction(scale.tenants[0].scope) as connection:
        for share, where in SHARES.items():
            filters, times = Filters(where=read_where(where)), list[float]()
            selection = select_chunks(connection, filters)
            for _ in range(repeat):
                started = time.perf_counter()
                selection = select_chunks(connection, filters)
                times.append(1000 * (time.perf_counter() - started))
            result[share] = {"ms": round(statistics.median(times), 1), "plan": selection.plan, **selection.figures}
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpora", type=Path)
    parser.add_argument("--scale", type=Path)
    parser.add_argument("--records", type=int, default=6000)
    parser.add_argument("--filters", type=int, default=200)
    given = parser.parse_args()
    print(json.dumps({"vehicles": measure_vehicles(given.corpora, given.records, given.filters)}, indent=1))
    if given.scale:
        print(json.dumps({"scale": measure_scale(given.scale)}, indent=1))


if __name__ == "__main__":
    main()
