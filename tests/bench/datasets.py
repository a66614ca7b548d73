"""How long a dataset of a million rows takes: made, read, profiled, grouped: `python -m tests.bench.datasets`.

The rows are put into the database as a spreadsheet's reader stores them, in windows of 200.
"""

import json
import random
import statistics
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import psycopg

from shared.adapters.local.postgres import SUPERUSER, EmbeddedPostgres
from shared.bootstrap import local_runtime
from shared.domain.datasets import NewDataset
from shared.domain.ids import new_id
from shared.domain.transforms import Aggregate, DeriveStep, FilterStep, GroupStep
from shared.errors import StillReading
from shared.lab.datasets import profiles, run_dataset, service
from shared.store.identities import resolve_identity
from shared.store.migrate import migrate
from shared.store.provision import LOCAL_ISSUER, LOCAL_SUBJECT, provision_local
from tests.pipeline import make_knowledge_base, run_all, upload

ROWS = 1_000_000
WINDOW = 200
ROUNDS = 5
HEADER = ("id", "group", "x", "y (kg)")


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="autri-bench-") as folder, EmbeddedPostgres(Path(folder) / "pg") as server:
        server.create_database("bench")
        migrate(server.dsn("autri_owner", "bench"))
        provision_local(server.dsn("autri_owner", "bench"))
        runtime = local_runtime(server.dsn(database="bench"), Path(folder))
        with runtime.database:
            with runtime.database.unscoped() as connection:
                identity = resolve_identity(connection, LOCAL_ISSUER, LOCAL_SUBJECT)
            assert identity is not None
            base = make_knowledge_base(runtime, identity, "bench")
            run_all(runtime, upload(runtime, identity, base, b"id,group,x,y (kg)\nr,a,1,2\n", "big.csv"))
            with psycopg.connect(server.dsn(SUPERUSER, "bench")) as connection:
                table = fill(connection)
            made = once("made", lambda: service.make_dataset(runtime, identity, wanted(base, table)))
            who = (runtime, identity, made.id)
            once("first window after a restart", lambda: run_dataset(*who, limit=100))
            often("window at row 900,000", lambda: run_dataset(*who, offset=900_000, limit=100))
            often("profiles of 4 columns", lambda: profiles.profile_dataset(*who))
            mean = GroupStep(op="group", by=["group"], aggregates=[Aggregate(function="mean", column="x")])
            above = FilterStep(op="filter", where="x > 0")
            steps = [above, DeriveStep(op="derive", name="z", expression="x * 2"), mean]
            often("filter, derive, group", lambda: run_dataset(*who, steps))


def wanted(base: Any, table: Any) -> NewDataset:
    return NewDataset(knowledge_base_id=base, table_ids=[table])


def fill(connection: psycopg.Connection) -> Any:
    """Windows of a table with ROWS rows beside the ingested one; its id."""
    drawn = random.Random(1)
    found = connection.execute("select organization_id, knowledge_base_id, document_id from tables").fetchone()
    assert found is not None
    connection.execute("delete from chunks")
    connection.execute("delete from tables")
    columns = "organization_id, knowledge_base_id, document_id, id, content_hash, occurrence, header_rows, caption, "
    with connection.cursor().copy(f"copy tables ({columns} first_page, last_page, grid) from stdin") as copy:
        for window in range(ROWS // WINDOW):
            rows = [HEADER] + [
                (f"r{window * WINDOW + at}", drawn.choice("abc"), f"{drawn.gauss(0, 1):.4f}", f"{drawn.random():.5f}")
                for at in range(WINDOW)
            ]
            grid = [[cell(text, at, column) for column, text in enumerate(row)] for at, row in enumerate(rows)]
            copy.write_row((*found, new_id(), new_id().hex, 0, 1, "", window + 1, window + 1, json.dumps(grid)))
    connection.commit()
    row = connection.execute("select id from tables order by id limit 1").fetchone()
    assert row is not None
    return row[0]


def cell(text: str, row: int, column: int) -> dict[str, Any]:
    box = {"kind": "sheet", "sheet": "big", "range": f"{'ABCD'[column]}{row + 1}", "page": 1, "fragment_ids": ["p1.f1"]}
    return {"text": text, "boxes": [box], "row_span": 1, "col_span": 1}


def once(name: str, act: Callable[[], Any]) -> Any:
    """As a page asks: again while a long table is read."""
    began, longest = time.perf_counter(), 0.0
    for requests in range(1, 100):
        asked = time.perf_counter()
        with suppress(StillReading):
            found = act()
            longest = max(longest, time.perf_counter() - asked)
            print(
                f"{name}: {time.perf_counter() - began:.2f} s, {requests} requests, {longest:.2f} s at most", flush=True
            )
            return found
        longest = max(longest, time.perf_counter() - asked)
    raise AssertionError(f"{name}: it is never read")


def often(name: str, act: Callable[[], Any]) -> None:
    took: list[float] = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        act()
        took.append(time.perf_counter() - began)
    print(f"{name}: median {statistics.median(took):.2f} s of {ROUNDS}, {max(took):.2f} s at most", flush=True)


if __name__ == "__main__":
    main()
