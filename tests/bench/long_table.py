"""How long a file with a table of a million rows takes, from the upload to a plot: `python -m tests.bench.long_table`,
with another number of rows behind it."""

import random
import resource
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any
from uuid import UUID

from shared.contract import STAGES
from shared.domain.datasets import NewDataset
from shared.domain.plots import PlotChannel, PlotForm, PlotPreview, PlotSpec
from shared.domain.scope import Identity
from shared.domain.transforms import FilterStep, SortStep
from shared.errors import StillReading
from shared.lab.datasets import profiles, resolve_cells, run_dataset, service
from shared.lab.datasets.found import list_tables
from shared.lab.plots.service import preview_plot
from shared.library.verification import verify_stored_document
from shared.retrieval.requests import SearchRequest
from shared.retrieval.service import search
from shared.runtime import Runtime
from tests.bench.facets import own_runtime
from tests.pipeline import make_knowledge_base, run_stage, shards, upload

ROWS = 1_000_000
CITIES = ("Basel", "Bern", "Chur", "Genf", "Luzern", "Zug", "Thun", "Olten")
NOTES = ("", "", "", "", "", "", "express", "gift wrap", '"returned, damaged"', "call first")


def main(rows: int) -> None:
    with own_runtime() as (runtime, identity):
        base = make_knowledge_base(runtime, identity, "bench")
        event = upload(runtime, identity, base, written(rows), "orders.csv")
        answer = timed("register", lambda: run_stage(runtime, "register", event))
        for stage in STAGES[1:]:
            works = shards(runtime, answer) if stage.mapped else [answer]
            timed(stage.name, partial(run_over, runtime, stage.name, works))
        searched(runtime, identity, base, rows)
        (table,) = timed("tables", lambda: list_tables(runtime, identity, base, None, superseded=False))
        new = NewDataset(knowledge_base_id=base, table_ids=[table.table_id])
        made = timed("dataset", lambda: service.make_dataset(runtime, identity, new))
        who = (runtime, identity, made.id)
        timed("first window", lambda: again(lambda: run_dataset(*who, limit=100)))
        timed("window once more", lambda: run_dataset(*who, limit=100))
        far = timed("window at the end", lambda: run_dataset(*who, offset=made.rows - 100, limit=100))
        timed("profiles of 10 columns", lambda: profiles.profile_dataset(*who))
        few = FilterStep(op="filter", where='note = "call first"')
        most = SortStep(op="sort", column="total", descending=True)
        timed("filtered and sorted", lambda: run_dataset(*who, [few, most], limit=100))
        form = PlotForm(mark="bar", x=PlotChannel(field="city"), y=PlotChannel(field="total", aggregate="mean"))
        wanted = PlotPreview(dataset_id=made.id, spec=PlotSpec(form=form))
        timed("plot", lambda: preview_plot(runtime, identity, wanted))
        (cell,) = timed("printed cell", lambda: resolve_cells(runtime, identity, far.cells(99, 0)))
        sys.stdout.write(f"the last row's first cell is {cell.text} at {cell.box}\n")
        proved = timed("verify", lambda: verify_stored_document(runtime, identity, answer["document_id"]))
        sys.stdout.write(f"{made.rows} rows; {proved.chunks} chunks, failures: {proved.failures}\n")


def searched(runtime: Runtime, identity: Identity, base: UUID, rows: int) -> None:
    """Searches with and without words of rows that are no passages, the fastest of five each."""
    code, rare = f"ORD-{rows * 3 // 4:07d}", "Which pump has the longest warranty?"
    for query in (rare, code, f"When was {code} sent?", "C04711", "Bern express", "call first Chur 2019"):
        request = SearchRequest(query=query, knowledge_base_ids=[base])
        runs = list[tuple[float, float]]()
        for _ in range(5):
            wall, cpu = time.monotonic(), time.process_time()
            behind = search(runtime, identity, request).rows_behind
            runs.append((time.monotonic() - wall, time.process_time() - cpu))
        wall, cpu = min(runs)
        found = [one.row for one in behind.hits] if behind else []
        sys.stdout.write(f"{query!r}: {wall * 1000:.0f} ms, {cpu * 1000:.0f} CPU ms in this process; rows {found}\n")
    with runtime.database.transaction(identity.scope(base)) as connection:
        size = connection.execute(
            "select sum(octet_length(filter)) as size, count(*) as blocks from kept_words"
        ).fetchone()
    sys.stdout.write(f"filters: {size}\n")


def run_over(runtime: Runtime, stage: str, works: Sequence[Mapping[str, Any]]) -> None:
    for work in works:
        run_stage(runtime, stage, work)


def written(rows: int) -> bytes:
    drawn = random.Random(1)
    lines = ["order_id,date,city,customer,product,quantity,unit_price,discount,total,note"]
    for at in range(rows):
        count, price = drawn.randint(1, 40), drawn.uniform(1, 90)
        lines.append(
            f"ORD-{at:07d},20{drawn.randint(10, 25)}-{drawn.randint(1, 12):02d}-{drawn.randint(1, 28):02d},"
            f"{drawn.choice(CITIES)},C{drawn.randint(1, 50_000):05d},P-{drawn.randint(1, 900):03d},{count},{price:.2f},"
            f"{drawn.choice((0, 5, 10))}%,{count * price:.2f},{drawn.choice(NOTES)}"
        )
    return "\n".join(lines).encode()


def again(act: Callable[[], Any]) -> Any:
    while True:
        with suppress(StillReading):
            return act()


def timed(name: str, act: Callable[[], Any]) -> Any:
    wall, cpu = time.monotonic(), time.process_time()
    found = act()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    said = f"{name:24} {time.process_time() - cpu:7.1f} CPU s {time.monotonic() - wall:7.1f} s, peak {peak} MB\n"
    sys.stdout.write(said)
    sys.stdout.flush()
    return found


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else ROWS)
