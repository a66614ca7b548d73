"""Facets against the source, and their speed: `python -m tests.bench.facets CORPORA`.

EPA's vehicles are stored as records with typed attributes, and (the first --csv of them) uploaded as a .csv file that
the stages read and type. Every count of every facet, without a filter and under filters, is compared with plain
Python over the same records. Then every chunk is put there --copies times, and facets and an order timed at several
widths of a filter.
"""

import argparse
import csv
import io
import json
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, LiteralString, cast

from shared.adapters.local.postgres import OWNER, EmbeddedPostgres
from shared.bootstrap import local_runtime
from shared.contract import STAGES
from shared.domain.facets import Facet, Facets
from shared.domain.scope import Identity, Scope
from shared.filters.facets.count import count_facets
from shared.filters.ordering import order_matches, read_order
from shared.filters.selection import Filters, select_chunks
from shared.filters.text import read_where
from shared.runtime import Runtime
from shared.store.identities import resolve_identity
from shared.store.migrate import migrate
from shared.store.provision import LOCAL_ISSUER, LOCAL_SUBJECT, provision_local
from tests.bench.filters import Record, read_vehicles, store_records
from tests.pipeline import run_stage, shards, upload
from tests.store.seeding import add_base

ALL: Final = 33_442
TEXTS: Final = ("make", "class", "trans", "drive", "fuel")
NUMBERS: Final = ("year", "cyl", "displ", "hwy", "cty")
FILTERS: Final[dict[str, Callable[[Record], bool]]] = {
    "": lambda _: True,
    "cty >= 20": lambda record: float(record.get("cty", 0)) >= 20,
    "make = Toyota and hwy < 30": lambda record: record["make"] == "Toyota" and float(record.get("hwy", 99)) < 30,
    "hwy > 1000": lambda _: False,
}
TIMED: Final = ("", "hwy >= 20", "hwy >= 30", "make = Toyota", "hwy >= 50")
ROUNDS: Final = 20


@contextmanager
def own_runtime() -> Generator[tuple[Runtime, Identity]]:
    with tempfile.TemporaryDirectory() as home, EmbeddedPostgres(Path(home) / "postgres", {"fsync": "off"}) as server:
        migrate(server.dsn(OWNER))
        provision_local(server.dsn(OWNER))
        runtime = local_runtime(server.dsn(), Path(home))
        with runtime.database:
            with runtime.database.unscoped() as connection:
                identity = resolve_identity(connection, LOCAL_ISSUER, LOCAL_SUBJECT)
            assert identity is not None
            yield runtime, identity


def store_csv(runtime: Runtime, identity: Identity, scope: Scope, records: Sequence[Record]) -> None:
    """All stages but the last two: facets need no vectors, without which nothing would be published."""
    text = io.StringIO()
    writer = csv.DictWriter(text, [*TEXTS, *NUMBERS], extrasaction="ignore")
    writer.writeheader()
    writer.writerows({n: f"{v:g}" if isinstance(v, float) else v for n, v in record.items()} for record in records)
    data = text.getvalue().encode()
    answer = run_stage(
        runtime, STAGES[0].name, upload(runtime, identity, scope.knowledge_base_ids[0], data, name="vehicles.csv")
    )
    for stage in STAGES[1:]:
        if stage.name not in ("embed", "publish"):
            for work in shards(runtime, answer) if stage.mapped else [answer]:
                run_stage(runtime, stage.name, work)
    with runtime.database.transaction(scope) as connection:
        connection.execute("update documents set serving = true, is_current = true")


def multiply(runtime: Runtime, scope: Scope, copies: int) -> None:
    """Puts each stored chunk so many times in its document, with its values."""
    columns = (
        "select attname as name from pg_attribute where attrelid = %s::regclass and attnum > 0 and attgenerated = ''"
    )
    other = {
        "id": "md5(id::text || n)::uuid", "chunk_id": "md5(chunk_id::text || n)::uuid", "occurrence": "occurrence + n",
    }  # fmt: skip
    with runtime.database.transaction(scope) as connection:
        for table in ("chunks", "chunk_attributes"):
            names = [row["name"] for row in connection.execute(columns, (table,))]
            values = ", ".join(other.get(name, name) for name in names)
            text = f"insert into {table} ({', '.join(names)}) select {values} from {table}, generate_series(1, %s) n"  # noqa: S608
            connection.execute(cast(LiteralString, text), (copies - 1,))
        connection.execute("update documents set chunk_count = chunk_count * %s", (copies,))


def compare(runtime: Runtime, scope: Scope, records: Sequence[Record]) -> dict[str, int]:
    """How many counts were compared, and how many were wrong."""
    found: Counter[str] = Counter()
    for where, holds in FILTERS.items():
        kept = [record for record in records if holds(record)]
        facets = facets_of(runtime, scope, where, [*TEXTS, *NUMBERS])
        if not kept:
            found["wrong"] += facets.attributes != []
        for facet in facets.attributes:
            right = _right(facet, [record[facet.name] for record in kept if facet.name in record])
            found["counts"] += len(right)
            found["wrong"] += sum(not one for one in right)
    return dict(found)


def _right(facet: Facet, values: Sequence[float | str]) -> list[bool]:
    """Whether each count is that of the records, and whether as many have the attribute at all."""
    if facet.kind == "category":
        counts = Counter(" ".join(str(value).split()).lower() for value in values)
        listed = {" ".join(one.value.split()).lower(): one.count for one in facet.values}
        least = min(listed.values())
        best = {value for value, count in counts.items() if count > least}
        shown = [counts[value] == count for value, count in listed.items()]
        return [*shown, facet.chunks == len(values), best <= set(listed), facet.further == len(counts) - len(listed)]
    numbers = [float(value) for value in values]
    ends = [(float(str(one.low)), float(str(one.high)), one.count) for one in facet.ranges]
    inside = [sum(low <= number < high for number in numbers) == count for low, high, count in ends]
    return [*inside, facet.chunks == len(numbers), sum(count for *_, count in ends) == len(numbers)]


def facets_of(runtime: Runtime, scope: Scope, where: str, names: list[str] | None) -> Facets:
    with runtime.database.transaction(scope, snapshot=True) as connection:
        selection = select_chunks(connection, Filters(where=read_where(where or None)))
        return count_facets(connection, selection, None, names)


def order_first(runtime: Runtime, scope: Scope, where: str) -> int:
    with runtime.database.transaction(scope, snapshot=True) as connection:
        selection = select_chunks(connection, Filters(where=read_where(where or None)))
        return len(order_matches(connection, selection, read_order("hwy desc"), 100))


def timed(act: Callable[[], object]) -> dict[str, float]:
    act()
    times: list[float] = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        act()
        times.append(1000 * (time.perf_counter() - started))
    return {"p50 ms": round(statistics.median(times)), "p95 ms": round(sorted(times)[int(0.95 * ROUNDS) - 1])}


def measure(corpora: Path, csv_rows: int, count: int, copies: int) -> dict[str, Any]:
    records = read_vehicles(corpora, count)
    said: dict[str, Any] = {}
    with own_runtime() as (runtime, identity):
        if csv_rows:
            scope = add_base(runtime, identity, "vehicles as a file")
            store_csv(runtime, identity, scope, records[:csv_rows])
            said["csv"] = {"rows": csv_rows, **compare(runtime, scope, records[:csv_rows])}
        scope = add_base(runtime, identity, "vehicles as records")
        store_records(runtime, scope, records)
        said["records"] = {"rows": count, **compare(runtime, scope, records)}
        print(json.dumps(said), file=sys.stderr)
        if copies > 1:
            multiply(runtime, scope, copies)
        for where in TIMED if copies else ():
            of = facets_of(runtime, scope, where, None)
            said[f"facets of {of.chunks:,} of {count * copies:,}, {where or 'no filter'}"] = {
                "attributes": len(of.attributes),
                **timed(lambda where=where: facets_of(runtime, scope, where, None)),
                "sorted": timed(lambda where=where: order_first(runtime, scope, where)),
            }
            print(json.dumps(said), file=sys.stderr)
    return said


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpora", type=Path)
    parser.add_argument("--csv", type=int, default=5000)
    parser.add_argument("--records", type=int, default=ALL)
    parser.add_argument("--copies", type=int, default=3)
    asked = parser.parse_args()
    json.dump(measure(asked.corpora, asked.csv, asked.records, asked.copies), sys.stdout, indent=2)
    print()


if __name__ == "__main__":
    main()
