"""Attribute filters against gold, and their speed: `python -m tests.bench.filters CORPORA [--scale HOME]`.

EPA's vehicles are stored as structured chunks with typed attributes; random filters over the twelve columns are
compared with a plain evaluation of the records, by both plans. MeasEval's paragraphs are set as pages and read: bounds
at quantiles of the annotated quantities, each asked in every unit of its kind, select pages; precision and recall
are against the annotations, so what the extraction misses counts. `--scale` takes a workspace of
`tests.bench.scale_data` and times the selection at shares from .1 to 50 %.
"""

import argparse
import csv
import gzip
import json
import math
import operator
import random
import re
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, NamedTuple
from uuid import UUID

from shared.adapters.local.postgres import OWNER, EmbeddedPostgres
from shared.bootstrap import local_runtime
from shared.domain.attributes import Attribute, Quantity
from shared.domain.draft import ChunkDraft, DocumentDraft
from shared.domain.geometry import PageBox
from shared.domain.scope import Scope
from shared.filters.selection import Filters, select_chunks
from shared.filters.text import read_where
from shared.runtime import Runtime
from shared.store.connect import Connection
from shared.store.draft import commit_draft
from shared.store.identities import resolve_identity
from shared.store.migrate import migrate
from shared.store.provision import LOCAL_ISSUER, LOCAL_SUBJECT, provision_local
from tests.bench.attributes import NUMERIC, SEED, Gold, draft_of, quantities, set_paragraphs
from tests.bench.scale_data import open_scale
from tests.store.seeding import Passage, add_base, add_document
from tests.store.selected import keep_selected

BOX: Final = PageBox(page=1, x=0, y=0, w=1, h=1)
ORDERS: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge,
}  # fmt: skip
# Kind, as the extractor names quantities in text → unit as annotated: factor and offset to the first of them.
UNITS: Final[dict[str, dict[str, tuple[float, float]]]] = {
    "length": {
        "m": (1, 0), "km": (1e3, 0), "cm": (1e-2, 0), "mm": (1e-3, 0), "μm": (1e-6, 0), "nm": (1e-9, 0),
        "Å": (1e-10, 0),
    },
    "temperature": {"K": (1, 0), "°C": (1, 273.15)},
    "duration": {
        "s": (1, 0), "ms": (1e-3, 0), "min": (60, 0), "minutes": (60, 0), "h": (3600, 0), "hours": (3600, 0),
        "day": (86400, 0), "days": (86400, 0), "week": (604800, 0), "weeks": (604800, 0), "month": (2629800, 0),
        "months": (2629800, 0), "year": (31557600, 0), "years": (31557600, 0), "yr": (31557600, 0),
        "ka": (31557600e3, 0), "Ma": (31557600e6, 0),
    },
    "mass": {"kg": (1, 0), "g": (1e-3, 0), "mg": (1e-6, 0), "μg": (1e-9, 0)},
    "pressure": {
        "Pa": (1, 0), "kPa": (1e3, 0), "MPa": (1e6, 0), "GPa": (1e9, 0), "bar": (1e5, 0), "mbar": (1e2, 0),
        "μbar": (0.1, 0),
    },
}  # fmt: skip
QUANTILES: Final = (0.1, 0.25, 0.5, 0.75, 0.9)
_NUMBER: Final = re.compile(r"(?<![\w.])[-−]?\d+(?:\.\d+)?")
_OVER: Final = re.compile(r"[>≥]|above|over|more than|at least|greater|exceed")
_UNDER: Final = re.compile(r"[<≤]|below|under|less than|up to|at most")
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


def store_records(
    runtime: Runtime, scope: Scope, records: Sequence[Record], per_document: int = 1000, prefix: str = "vehicles"
) -> None:
    for first in range(0, len(records), per_document):
        name = f"{prefix} {first}"
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
    with own_base() as (runtime, scope):
        store_records(runtime, scope, records)
        with runtime.database.transaction(scope) as connection:
            return _compare(connection, records, [random_filter(rng, records) for _ in range(filters)])


@contextmanager
def own_base() -> Generator[tuple[Runtime, Scope]]:
    """An empty knowledge base in a database of its own."""
    with tempfile.TemporaryDirectory() as home, EmbeddedPostgres(Path(home) / "postgres", {"fsync": "off"}) as server:
        migrate(server.dsn(OWNER))
        provision_local(server.dsn(OWNER))
        runtime = local_runtime(server.dsn(), Path(home))
        with runtime.database:
            with runtime.database.unscoped() as connection:
                identity = resolve_identity(connection, LOCAL_ISSUER, LOCAL_SUBJECT)
            assert identity is not None
            yield runtime, add_base(runtime, identity, "filters")


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


class Span(NamedTuple):
    """What an annotated quantity stands for, in the first unit of its kind."""

    kind: str
    low: float
    high: float


def read_span(gold: Gold) -> Span | None:
    """The numbers that are written, as one range; none for units that are not asked about here."""
    kind = next((kind for kind, units in UNITS.items() if gold.unit in units), None)
    numbers = [float(found.replace("−", "-")) for found in _NUMBER.findall(gold.text)]
    if kind is None or not numbers:
        return None
    factor, offset = UNITS[kind][gold.unit]
    values = [number * factor + offset for number in numbers]
    over, under = _OVER.search(gold.text), _UNDER.search(gold.text)
    return Span(kind, -math.inf if under else min(values), math.inf if over else max(values))


def measure_measeval(corpora: Path) -> dict[str, Any]:
    """Pages right, wrong and missing over all bounds of all kinds, and whether the unit of a bound changes anything."""
    annotated = sorted((corpora / "attrs-measeval").glob("*/tsv/*.tsv"))
    texts = [(path.parents[1] / "text" / f"{path.stem}.txt").read_text(encoding="utf-8") for path in annotated]
    spans = [[read_span(gold) for gold in quantities(path)] for path in annotated]
    known = {page: [span for span in some if span] for page, some in enumerate(spans, 1)}
    counts: dict[str, Counter[str]] = {kind: Counter() for kind in UNITS}
    with tempfile.TemporaryDirectory() as place, own_base() as (runtime, scope):
        draft = draft_of(set_paragraphs(texts, Path(place) / "paragraphs.pdf"))
        document = add_document(runtime, scope, "paragraphs", [Passage("nothing yet")])
        with runtime.database.transaction(scope) as connection:
            commit_draft(connection, scope, document, draft, "paragraphs", "bench")
            connection.execute("update documents set chunk_count = %s where id = %s", (len(draft.chunks), document))
            rows = connection.execute("select id from chunks order by ordinal").fetchall()
            pages = {row["id"]: _page_of(chunk) for row, chunk in zip(rows, draft.chunks, strict=True)}
            for kind, op, bound in _bounds(known):
                gold = {page for page, some in known.items() if any(_reaches(s, kind, op, bound) for s in some)}
                answers = [_pages(connection, pages, one) for one in _asked(kind, op, bound)]
                counts[kind]["bounds"] += 1
                counts[kind]["units agree"] += all(answer == answers[0] for answer in answers)
                counts[kind]["right"] += len(answers[0] & gold)
                counts[kind]["wrong"] += len(answers[0] - gold)
                counts[kind]["missing"] += len(gold - answers[0])
    return {kind: _with_rates(found) for kind, found in {**counts, "all": sum(counts.values(), Counter())}.items()}


def _with_rates(found: Counter[str]) -> dict[str, Any]:
    right = found["right"]
    precision, recall = right / max(1, right + found["wrong"]), right / max(1, right + found["missing"])
    return {**found, "precision": round(precision, 3), "recall": round(recall, 3)}


def _bounds(known: Mapping[int, Sequence[Span]]) -> Iterator[tuple[str, str, float]]:
    for kind in UNITS:
        values = sorted(s.low for some in known.values() for s in some if s.kind == kind and math.isfinite(s.low))
        for share in QUANTILES:
            bound = values[round(share * (len(values) - 1))]
            yield from ((kind, op, bound) for op in ("ge", "le"))


def _reaches(span: Span, kind: str, op: str, bound: float) -> bool:
    if span.kind != kind:
        return False
    near = math.isclose(bound, span.high if op == "ge" else span.low, rel_tol=1e-9)
    return near or (span.high > bound if op == "ge" else span.low < bound)


def _asked(kind: str, op: str, bound: float) -> Iterator[dict[str, Any]]:
    """The same bound in every unit of its kind, the one it was measured in first."""
    for unit, (factor, offset) in UNITS[kind].items():
        yield {"attr": kind, "op": op, "value": (bound - offset) / factor, "unit": unit}


def _pages(connection: Connection, pages: Mapping[UUID, int], tree: dict[str, Any]) -> set[int]:
    selection = select_chunks(connection, Filters(where=read_where(tree)))
    return {pages[chunk] for chunk in keep_selected(connection, selection, list(pages))}


def _page_of(chunk: ChunkDraft) -> int:
    return next(box.page for box in chunk.boxes if box.kind == "page")


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
    print(json.dumps({"measeval": measure_measeval(given.corpora)}, indent=1))
    print(json.dumps({"vehicles": measure_vehicles(given.corpora, given.records, given.filters)}, indent=1))
    if given.scale:
        print(json.dumps({"scale": measure_scale(given.scale)}, indent=1))


if __name__ == "__main__":
    main()
