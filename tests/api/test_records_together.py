"""A batch stores what posting one by one stores: every row of every table but ids and times, and every object that is
read again."""

import json
import os
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from threading import Event, current_thread
from typing import Any, Final, ParamSpec, TypeVar
from uuid import UUID

import pytest
from psycopg import sql

from shared.domain.records import KindSchema, NewRecord, PostedRecord
from shared.domain.scope import Identity, Scope
from shared.ingestion.posting import reading, walk
from shared.ingestion.posting.records import post_records, put_kind
from shared.ingestion.worker_pool import WorkerPool
from shared.lexical.fields import weigh_fields
from shared.library.verification import verify_stored_document
from shared.runtime import Runtime
from tests.api.test_records import QUOTE, VALUES
from tests.patience import PATIENCE_S
from tests.pipeline import make_knowledge_base

P = ParamSpec("P")
T = TypeVar("T")
# What differs between two runs of the same: when, and how long.
TIMES: Final = re.compile(
    r".*_at$|seconds$|^at$|^lease_(owner|until)$|^queued_at$|^attempts$|^(tokenizer_version)$|^folded$"
)
# Sums of the whole organization, the audit log, and what only one knowledge base of them has.
ASIDE: Final = {"spending", "audit_events", "knowledge_bases", "lexical_removed", "counted_pages"}
# What the stages of one run tell each other: a run that takes over or reads again writes it anew.
HANDED_ON: Final = ("/plan.json", "/outline.json", "/profile.json")
_ID: Final = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}")


def records_of(seed: int) -> list[list[NewRecord]]:
    """Batches: new records, then some of them changed, some the same, some new."""
    numbers = random.Random(seed)
    first = [record(f"R-{n}", numbers) for n in range(23)]
    second = [*first[:5], *(record(f"R-{n}", numbers) for n in range(5, 16)), record("R-99", numbers)]
    return [first, second]


def record(key: str, numbers: random.Random) -> NewRecord:
    values = json.loads(json.dumps(VALUES))
    values |= {"number": key, "issued": f"2026-0{numbers.randint(1, 9)}-1{numbers.randint(0, 9)}"}
    values["customer"]["name"] = " ".join(numbers.choices(["Müller", "Ltd", "łódź", "ポンプ", "A&B", '"x"'], k=3))
    values["pump"] = {"power": numbers.randint(1, 999) / 4, "weight": numbers.randint(1, 9)}
    values["line_items"] = [
        {"part": numbers.choice(["Seal", "Rotor"]), "price": numbers.random() * 1e4}
        for _ in range(numbers.randint(0, 4))
    ]
    if numbers.random() < 0.3:
        values["remarks"] = "Long text. " * numbers.randint(1, 40)
    return NewRecord(kind="quote", values=values)


def base_with_kind(runtime: Runtime, identity: Identity, name: str) -> UUID:
    base = make_knowledge_base(runtime, identity, name)
    put_kind(runtime, identity, base, "quote", KindSchema(json_schema=QUOTE, key_field="number"))
    return base


def rows_of(runtime: Runtime, identity: Identity, base: UUID) -> dict[str, Counter[str]]:
    """Every row of the knowledge base by table, with ids named by what they belong to and without times."""
    with runtime.database.transaction(identity.scope(base)) as connection:
        tables = connection.execute(
            "select table_name as name from information_schema.columns"
            " where table_schema = 'public' and column_name = 'knowledge_base_id'"
        ).fetchall()
        found = {
            str(table["name"]): connection.execute(
                sql.SQL("select to_jsonb(t) as row from {} t where knowledge_base_id = %s").format(
                    sql.Identifier(table["name"])
                ),
                (base,),
            ).fetchall()
            for table in tables
            if table["name"] not in ASIDE
        }
    names = named_ids(found)
    return {table: Counter(written(one["row"], names) for one in rows) for table, rows in found.items()}


def named_ids(found: dict[str, list[dict[str, Any]]]) -> dict[str, str]:
    names = {one["row"]["document_id"]: f"{one['row']['key']}:{one['row']['values_hash']}" for one in found["records"]}
    for one in found["documents"]:
        names[one["row"]["run_id"]] = f"run of {names[one['row']['id']]}"
        names[one["row"]["logical_document_id"]] = f"logical {names[one['row']['id']].partition(':')[0]}"
    for table, column in (("sections", "section_hash"), ("tables", "content_hash"), ("chunks", "content_hash")):
        for one in found[table]:
            row = one["row"]
            names[row["id"]] = f"{table} {names[row['document_id']]} {row[column]} {row['occurrence']}"
    return names


def written(value: Any, names: dict[str, str]) -> str:
    def plain(part: Any) -> Any:
        if isinstance(part, dict):
            return {name: plain(one) for name, one in part.items() if not TIMES.match(name)}
        if isinstance(part, list):
            return [plain(one) for one in part]
        return _ID.sub(lambda one: names.get(one[0], "an id"), part) if isinstance(part, str) else part

    # Keys of the lexical index have the number of their knowledge base in them; a model rounds by what is beside.
    value = {name: one for name, one in value.items() if name not in ("keys", "slots", "slot", "counts", "embedding")}
    return json.dumps(plain(value), sort_keys=True, ensure_ascii=False)


def objects_of(runtime: Runtime, identity: Identity, base: UUID) -> Counter[str]:
    found: Counter[str] = Counter()
    for prefix in ("sources", "work", "incoming"):
        whole = f"{prefix}/{identity.organization_id}/{base}/"
        for key in runtime.blobs.list(whole):
            if key.endswith(HANDED_ON):
                continue
            data = runtime.blobs.get(key).decode()
            found[_ID.sub("an id", key.removeprefix(whole)) + "\n" + _ID.sub("an id", data)] += 1
    return found


class Reader(WorkerPool):
    """A process beside this one that counts what it is asked to read, and may end over it."""

    def __init__(self, ends: bool) -> None:
        super().__init__(1, {})
        self.ends, self.asked = ends, 0

    def call(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> "Future[T]":
        self.asked += 1
        if self.ends:
            super().call(os._exit, 1)
        return super().call(function, *args, **kwargs)


@pytest.fixture(params=[False, True], ids=["beside", "beside, and its process ends"])
def reader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Reader]:
    monkeypatch.setattr(walk, "SLICE", 9)
    with Reader(request.param) as made:
        yield made


def test_what_is_read_beside_is_stored_as_what_is_posted_one_by_one(
    runtime: Runtime, identity: Identity, reader: Reader
) -> None:
    compare(replace(runtime, beside=reader), runtime, identity, 4 + reader.ends)
    assert reader.asked == 3


@pytest.mark.parametrize("seed", [1, 2])
def test_a_batch_stores_what_posting_one_by_one_stores(runtime: Runtime, identity: Identity, seed: int) -> None:
    compare(runtime, runtime, identity, seed)


def compare(several: Runtime, runtime: Runtime, identity: Identity, seed: int) -> None:
    together, alone = (base_with_kind(runtime, identity, f"{name} {seed}") for name in ("together", "alone"))
    for batch in records_of(seed):
        answer = post_records(several, identity, together, batch)
        singly = [post_records(runtime, identity, alone, [one]).records[0] for one in batch]
        assert [said(one) for one in answer.records] == [said(one) for one in singly]
        assert answer.stored == sum(not one.duplicate for one in singly)
    found, expected = (rows_of(runtime, identity, base) for base in (together, alone))
    assert sum(expected["chunks"].values()) > 200
    for table in expected:
        assert found[table] == expected[table], table
    assert objects_of(runtime, identity, together) == objects_of(runtime, identity, alone)


def said(one: PostedRecord) -> tuple[str, str, int, str, bool]:
    return one.key, one.title, one.revision, one.status, one.duplicate


def test_every_record_of_a_batch_is_proved(runtime: Runtime, identity: Identity) -> None:
    base = base_with_kind(runtime, identity, "proved")
    for one in post_records(runtime, identity, base, records_of(3)[0]).records:
        assert verify_stored_document(runtime, identity, one.id).ok


def test_what_was_read_ahead_of_a_batch_that_fails_leaves_no_objects(
    runtime: Runtime, identity: Identity, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = base_with_kind(runtime, identity, "failing")

    def fail(*_: object) -> dict[UUID, UUID]:
        raise RuntimeError("the first slice is not stored")

    monkeypatch.setattr(walk, "SLICE", 9)
    monkeypatch.setattr(walk, "store_together", fail)
    with Reader(ends=False) as beside, pytest.raises(RuntimeError, match="the first slice"):
        post_records(replace(runtime, beside=beside), identity, base, records_of(5)[0])
    assert beside.asked == 2
    prefix = f"work/{identity.organization_id}/{base}/"
    assert len({key.removeprefix(prefix).partition("/")[0] for key in runtime.blobs.list(prefix)}) == 9


def test_a_reader_sees_each_record_by_itself_whatever_was_longer_before_it(
    runtime: Runtime, identity: Identity, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = base_with_kind(runtime, identity, "by itself")
    wanted = [record(f"R-{n}", random.Random(n)) for n in range(9)]
    seen: list[Any] = []
    find = reading.find_format

    def looked_at(source_type: str) -> Any:
        form = find(source_type)

        def open_and_look(path: Path, password: str | None) -> Any:
            seen.append(json.loads(path.read_bytes())["values"])
            return form.open(path, password)

        return form._replace(open=open_and_look)

    monkeypatch.setattr(reading, "find_format", looked_at)
    post_records(runtime, identity, base, wanted)
    assert seen == [one.values for one in wanted]
    lengths = [len(json.dumps(one)) for one in seen]
    assert lengths != sorted(lengths)


class Beside(Reader):
    """Enough to stand for a process beside this one: nothing is read in it."""

    def call(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> "Future[T]":
        done: Future[T] = Future()
        done.set_result(function(*args, **kwargs))
        return done


class Late(Reader):
    """Stands for a process beside this one that has read nothing before `until`."""

    def __init__(self, until: Event) -> None:
        super().__init__(ends=False)
        self.until, self._threads = until, ThreadPoolExecutor(1)

    def call(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> "Future[T]":
        def read() -> T:
            assert self.until.wait(PATIENCE_S)
            return function(*args, **kwargs)

        return self._threads.submit(read)


@pytest.mark.parametrize("fails", [False, True])
def test_instead_of_waiting_for_the_process_beside_a_slice_is_read_here(
    runtime: Runtime, identity: Identity, monkeypatch: pytest.MonkeyPatch, fails: bool
) -> None:
    base = base_with_kind(runtime, identity, f"read here {fails}")
    read_here, here, stored, mine = Event(), list[int](), list[int](), current_thread()
    read, store = reading.read_slice, walk.store_together

    def count(*args: Any) -> Any:
        found = read(*args)
        if current_thread() is mine:
            here.append(len(args[3]))
            if len(here) == 2:
                read_here.set()
        return found

    def store_one(runtime: Runtime, scope: Scope, found: Any) -> Any:
        stored.append(len(found.read))
        if fails and len(stored) == 2:
            raise RuntimeError("the second slice is not stored")
        return store(runtime, scope, found)

    monkeypatch.setattr(walk, "SLICE", 4)
    monkeypatch.setattr(walk, "store_together", store_one)
    monkeypatch.setattr(reading, "read_slice", count)
    records = records_of(9)[0]
    with Late(read_here) as beside, pytest.raises(RuntimeError, match="second slice") if fails else nullcontext():
        post_records(replace(runtime, beside=beside), identity, base, records)
    assert len(here) >= 2
    prefix = f"work/{identity.organization_id}/{base}/"
    left = {key.removeprefix(prefix).partition("/")[0] for key in runtime.blobs.list(prefix)}
    if fails:
        assert (stored, len(left)) == ([4, 4], 8)
    else:
        assert stored == [4, 4, 4, 4, 4, 3]
        assert statuses_of(runtime, identity, base) == {"ready": 23}


def test_with_a_process_beside_a_slice_is_served_while_the_next_one_is_stored(
    runtime: Runtime, identity: Identity, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = base_with_kind(runtime, identity, "two at once")
    stored, serve, served = [Event() for _ in range(3)], walk.serve_together, list[int]()

    def store_and_say(*args: Any) -> Any:
        found = store_together(*args)
        next(one for one in stored if not one.is_set()).set()
        return found

    def wait_for_the_next(runtime: Runtime, scope: Scope, found: Sequence[Any]) -> None:
        if found and len(served) < 2:
            assert stored[len(served) + 1].wait(PATIENCE_S)
        serve(runtime, scope, found)
        served.extend([len(found)] * bool(found))

    store_together = walk.store_together
    monkeypatch.setattr(walk, "SLICE", 9)
    monkeypatch.setattr(walk, "store_together", store_and_say)
    monkeypatch.setattr(walk, "serve_together", wait_for_the_next)
    with Beside(ends=False) as beside:
        answer = post_records(replace(runtime, beside=beside), identity, base, records_of(6)[0])
    assert served == [9, 9, 5]
    assert {one.status for one in answer.records} == {"ready"}
    assert statuses_of(runtime, identity, base) == {"ready": 23}


@pytest.mark.parametrize(
    ("beside", "fails", "statuses"),
    [
        (True, 0, {"failed": 18, "running": 5}),
        (True, 1, {"ready": 9, "failed": 14}),
        (True, 2, {"ready": 18, "failed": 5}),
        (False, 1, {"ready": 9, "failed": 9, "running": 5}),
    ],
)
def test_where_a_slice_is_not_served_neither_is_one_behind_it(
    runtime: Runtime,
    identity: Identity,
    monkeypatch: pytest.MonkeyPatch,
    beside: bool,
    fails: int,
    statuses: dict[str, int],
) -> None:
    base = base_with_kind(runtime, identity, f"not served {fails} {beside}")
    serve, asked = walk.serve_together, list[int]()

    def fail(runtime: Runtime, scope: Scope, found: Sequence[Any]) -> None:
        if found:
            asked.append(len(found))
            if len(asked) == fails + 1:
                raise RuntimeError("this slice is not served")
        serve(runtime, scope, found)

    monkeypatch.setattr(walk, "SLICE", 9)
    monkeypatch.setattr(walk, "serve_together", fail)
    with Beside(ends=False) as other, pytest.raises(RuntimeError, match="not served"):
        post_records(replace(runtime, beside=other if beside else None), identity, base, records_of(7)[0])
    assert statuses_of(runtime, identity, base) == statuses


def test_a_slice_that_is_stored_is_served_where_the_next_one_fails(
    runtime: Runtime, identity: Identity, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = base_with_kind(runtime, identity, "next one fails")
    store, serve, mark_failed = walk.store_together, walk.serve_together, walk.fail_run
    failed, served, asked = Event(), Event(), list[int]()

    def mark_behind_it(*args: Any) -> None:
        assert served.is_set()
        mark_failed(*args)

    def fail_the_second(*args: Any) -> Any:
        asked.append(1)
        if len(asked) == 2:
            failed.set()
            raise RuntimeError("the second slice is not stored")
        return store(*args)

    def wait_for_that(runtime: Runtime, scope: Scope, found: Sequence[Any]) -> None:
        if found:
            assert failed.wait(PATIENCE_S)
            serve(runtime, scope, found)
            served.set()

    monkeypatch.setattr(walk, "SLICE", 9)
    monkeypatch.setattr(walk, "fail_run", mark_behind_it)
    monkeypatch.setattr(walk, "store_together", fail_the_second)
    monkeypatch.setattr(walk, "serve_together", wait_for_that)
    with Beside(ends=False) as beside, pytest.raises(RuntimeError, match="second slice"):
        post_records(replace(runtime, beside=beside), identity, base, records_of(8)[0])
    assert statuses_of(runtime, identity, base) == {"ready": 9, "failed": 9, "running": 5}


def statuses_of(runtime: Runtime, identity: Identity, base: UUID) -> dict[str, int]:
    """How many runs stand where."""
    with runtime.database.transaction(identity.scope(base)) as connection:
        rows = connection.execute(
            "select status, count(*)::int as count from ingestions where knowledge_base_id = %s group by 1", (base,)
        ).fetchall()
    return {row["status"]: row["count"] for row in rows}


def test_words_are_those_of_the_name_that_a_document_has_become(runtime: Runtime, identity: Identity) -> None:
    base = make_knowledge_base(runtime, identity, "renamed")
    kind = KindSchema(json_schema=QUOTE, key_field="number", title_field="remarks")
    put_kind(runtime, identity, base, "quote", kind)
    for title in ("Zebra", "Two tall giraffes"):
        titled = [record(f"R-{n}", random.Random(n)) for n in range(2)]
        for one in titled:
            dict.__setitem__(one.values, "remarks", title)
        post_records(runtime, identity, base, titled)
    with runtime.database.transaction(identity.scope(base)) as connection:
        rows = connection.execute(
            "select c.index_text, c.content, c.keywords, l.length from chunks c"
            " join chunk_lexical l on l.chunk_id = c.id join documents d on d.id = c.document_id"
            " where d.version_index = 2"
        ).fetchall()
    assert rows
    assert all(row["index_text"].startswith("Zebra") for row in rows)
    assert all(row["length"] == round(weigh_fields(row, "en").length) for row in rows)
