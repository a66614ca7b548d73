"""What an operator asks and does, through the API and the command line, on rows that real stages left."""

import dataclasses
import logging
from collections.abc import Callable
from time import monotonic
from typing import Any, LiteralString
from uuid import UUID

import psycopg
import pytest

from functions.cli.commands import ops
from shared.domain.ids import new_id
from shared.domain.model_calls import Usage
from shared.domain.scope import Identity
from shared.errors import BadInput, Unavailable
from shared.ingestion import mark_failed
from shared.ingestion.redrive import SOUND
from shared.library import health
from shared.ports import Grouper
from shared.runtime import Runtime
from shared.store import costs
from tests.api.conftest import Client, Run
from tests.conftest import as_superuser
from tests.pipeline import PRICES, RULES_2025, make_knowledge_base, run_all, run_stage, scope_of, upload

PARTS = ["database", "schema", "indexes", "store", "queue", "model"]


@dataclasses.dataclass(frozen=True)
class Made:
    """A knowledge base with one document that is ready, one that failed, and one under way."""

    base: UUID
    ready: dict[str, Any]
    failed: dict[str, Any]
    open: dict[str, Any]


@pytest.fixture(scope="module")
def made(runtime: Runtime, identity: Identity) -> Made:
    base = make_knowledge_base(runtime, identity, "Operated")

    def registered(data: bytes, name: str) -> dict[str, Any]:
        return run_stage(runtime, "register", upload(runtime, identity, base, data, name))

    ready = run_all(runtime, upload(runtime, identity, base, PRICES.read_bytes(), "ready.pdf"))
    failed = registered(RULES_2025.read_bytes(), "failed.pdf")
    mark_failed.run(runtime, {**failed, "error": {"Cause": "The model is not opened"}})
    under_way = registered(PRICES.read_bytes() + b"\n", "open.pdf")
    return Made(base, ready, failed, under_way)


class Collector(logging.Handler):
    """Keeps what is logged."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[dict[str, Any]] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.seen.append(record.__dict__)


def pay(runtime: Runtime, identity: Identity, made: Made, stage: str, page: int, usd: float) -> None:
    owner = {name: made.ready[name] for name in ("organization_id", "knowledge_base_id", "document_id", "ingestion_id")}
    usage = Usage(input_tokens=10, cache_read_tokens=5, output_tokens=2)
    with runtime.database.transaction(scope_of(identity, made.base)) as connection:
        costs.record_call(connection, {**owner, "stage": stage, "page": page}, "acme.model", usage, usd)


def test_status_counts_what_is_under_way_and_what_ended(client: Client, made: Made) -> None:
    found = client.get("/v1/ops/status").json()
    assert {one["status"]: one["count"] for one in found["open"]} == {"running": 1}
    assert {one["status"]: one["count"] for one in found["ended"]} == {"failed": 1, "ready": 1}
    assert all(0 <= one["oldest_seconds"] < 600 for one in (*found["open"], *found["ended"]))


def test_costs_are_summed_by_day_stage_and_model(
    client: Client, runtime: Runtime, identity: Identity, made: Made
) -> None:
    before = client.get("/v1/ops/costs").json()
    for page, usd in ((1, 0.25), (2, 0.5)):
        pay(runtime, identity, made, "extract", page, usd)
    found = client.get("/v1/ops/costs", params={"days": 1}).json()
    (line,) = (one for one in found["lines"] if one["model"] == "acme.model")
    assert (line["stage"], line["knowledge_base_id"]) == ("extract", str(made.base))
    assert (line["calls"], line["input_tokens"], line["output_tokens"], line["usd"]) == (2, 30, 4, 0.75)
    assert found["usd"] == pytest.approx(before["usd"] + 0.75)


def test_older_days_are_another_line_and_end_with_the_days_asked_for(
    client: Client, runtime: Runtime, identity: Identity, made: Made
) -> None:
    pay(runtime, identity, made, "embed", 0, 0.125)
    with runtime.database.transaction(scope_of(identity, made.base)) as connection:
        connection.execute("update costs set created_at = now() - interval '2 days' where stage = 'embed' and page = 0")

    def stages(days: int) -> set[str]:
        return {line["stage"] for line in client.get("/v1/ops/costs", params={"days": days}).json()["lines"]}

    assert "embed" in stages(3)
    assert "embed" not in stages(2)


def test_a_model_call_is_logged_with_its_cost_and_without_content(
    runtime: Runtime, identity: Identity, made: Made
) -> None:
    handler = Collector()
    logger = logging.getLogger("autri.costs")
    logger.addHandler(handler)
    level, _ = logger.level, logger.setLevel(logging.INFO)
    try:
        pay(runtime, identity, made, "extract", 3, 0.125)
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)
    (said,) = handler.seen
    assert (said["usd"], said["stage"], said["ingestion_id"]) == (0.125, "extract", str(made.ready["ingestion_id"]))


def test_what_is_stuck_is_overdue_or_has_failed(
    client: Client, runtime: Runtime, identity: Identity, made: Made
) -> None:
    def stuck(minutes: int) -> dict[str, str]:
        items = client.get("/v1/ops/stuck", params={"minutes": minutes}).json()["items"]
        return {item["filename"]: item["kind"] for item in items}

    assert stuck(60) == {"failed.pdf": "failed"}
    with runtime.database.transaction(scope_of(identity, made.base)) as connection:
        query = "update ingestions set started_at = now() - interval '2 hours' where id = %s"
        connection.execute(query, (made.open["ingestion_id"],))
    assert stuck(60) == {"failed.pdf": "failed", "open.pdf": "overdue"}
    assert stuck(180) == {"failed.pdf": "failed"}


def test_a_file_that_failed_before_it_was_a_document_is_told_apart(
    client: Client, runtime: Runtime, identity: Identity, made: Made
) -> None:
    event = upload(runtime, identity, made.base, PRICES.read_bytes() + b"\n\n", "unread.pdf")
    mark_failed.run(runtime, {**event, "error": {"Cause": "The database was away"}})
    (item,) = (i for i in client.get("/v1/ops/stuck").json()["items"] if i["filename"] == "unread.pdf")
    assert (item["kind"], item["document_id"]) == ("unread", None)
    assert "database was away" in item["error"]


def test_of_another_organization_nothing_is_seen_and_nothing_is_run_again(
    client_of: Callable[[Identity], Client], other_identity: Identity, made: Made
) -> None:
    theirs = client_of(other_identity)
    assert theirs.get("/v1/ops/status").json() == {"open": [], "ended": []}
    assert theirs.get("/v1/ops/costs").json()["lines"] == []
    assert theirs.get("/v1/ops/stuck", params={"minutes": 1}).json()["items"] == []
    assert theirs.post("/v1/ops/redrive", json={}).json() == {"items": [], "more": False}
    assert theirs.post("/v1/ops/redrive", json={"documents": [made.failed["document_id"]]}).status_code == 404


def test_health_asks_every_part_and_says_which_does_not_answer(
    client: Client, runtime: Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = client.get("/v1/ops/health").json()
    assert (found["status"], [check["name"] for check in found["checks"]]) == ("ok", PARTS)

    def away(_key: str) -> bool:
        raise Unavailable("The store is away.")

    monkeypatch.setattr(runtime.blobs, "exists", away)
    found = client.get("/v1/ops/health").json()
    assert found["status"] == "degraded"
    assert {c["name"]: c["error"] for c in found["checks"] if not c["ok"]} == {"store": "The store is away."}


def broken_part(client: Client) -> tuple[str, str]:
    found = client.get("/v1/ops/health").json()
    assert found["status"] == "degraded"
    ((name, error),) = ((check["name"], check["error"]) for check in found["checks"] if not check["ok"])
    return name, error


def test_health_names_the_migration_that_is_missing_and_is_silent_about_a_newer_one(
    client: Client, owner_dsn: str
) -> None:
    def run(statement: LiteralString) -> None:
        with psycopg.connect(owner_dsn) as connection:
            connection.execute(statement)

    run("update autri_meta.migrations set name = '9999_newer.sql' where name = '0011_health.sql'")
    try:
        name, error = broken_part(client)
        assert (name, "0011_health.sql" in error, "9999" in error) == ("schema", True, False)
    finally:
        run("update autri_meta.migrations set name = '0011_health.sql' where name = '9999_newer.sql'")
    assert client.get("/v1/ops/health").json()["status"] == "ok"


def test_health_counts_indexes_that_no_query_uses(client: Client, owner_dsn: str) -> None:
    superuser = as_superuser(owner_dsn)
    with psycopg.connect(superuser, autocommit=True) as connection:
        connection.execute("create index half_made on chunk_vectors (document_id)")
        connection.execute("update pg_index set indisvalid = false where indexrelid = 'half_made'::regclass")
        try:
            assert broken_part(client)[0] == "indexes"
        finally:
            connection.execute("drop index half_made")


def test_health_says_that_something_waits_while_nothing_runs(
    client: Client, runtime: Runtime, identity: Identity, made: Made
) -> None:
    def change(statement: LiteralString) -> None:
        with runtime.database.transaction(scope_of(identity, made.base)) as connection:
            connection.execute(statement, (made.open["ingestion_id"],))

    old = "update ingestions set created_at = created_at - interval '2 hours', status = 'queued' where id = %s"
    change(old)
    try:
        name, error = broken_part(client)
        assert (name, "120 min" in error) == ("queue", True)
        change("update ingestions set admitted_at = now() where id = %s")
        assert client.get("/v1/ops/health").json()["status"] == "ok", "what has a slot is on its way"
    finally:
        change(
            "update ingestions set created_at = created_at + interval '2 hours', status = 'running',"
            " admitted_at = null where id = %s"
        )


def test_health_says_that_the_model_does_not_answer(
    client: Client, runtime: Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(_text: str) -> None:
        raise Unavailable("The model is busy.")

    monkeypatch.setattr(runtime.embedder, "embed_query", away)
    monkeypatch.setattr(health, "MODEL_EVERY_S", 0.0)
    assert broken_part(client) == ("model", "The model is busy.")


def test_health_calls_the_model_once_a_minute_whoever_asks_and_however_often(
    client: Client, client_of: Callable[[Identity], Client], other_identity: Identity, runtime: Runtime,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    calls: list[str] = []
    clock = [monotonic() + 1_000.0]
    monkeypatch.setattr(runtime.embedder, "embed_query", calls.append)
    monkeypatch.setattr(health, "monotonic", lambda: clock[0])
    for _ in range(3):
        for someone in (client, client_of(other_identity)):
            assert someone.get("/v1/ops/health").json()["status"] == "ok"
    assert len(calls) == 1
    clock[0] += 59
    client.get("/v1/ops/health")
    assert len(calls) == 1
    clock[0] += 1
    client.get("/v1/ops/health")
    assert len(calls) == 2


def test_only_owners_and_admins_ask_for_health(client_of: Callable[[Identity], Client], viewer: Identity) -> None:
    assert client_of(viewer).get("/v1/ops/health").status_code == 403


@pytest.mark.parametrize("wish", [{"documents": []}, {"limit": 0}, {"limit": 201}, {"everything": True}])
def test_a_wish_that_makes_no_sense_is_refused(client: Client, wish: dict[str, Any]) -> None:
    assert client.post("/v1/ops/redrive", json=wish).status_code == 422


def test_what_cannot_be_started_says_why_and_stays_failed(
    client: Client, runtime: Runtime, identity: Identity, made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    def engine(name: str) -> None:
        with runtime.database.transaction(scope_of(identity, made.base)) as connection:
            values = (name, made.failed["ingestion_id"])
            connection.execute("update ingestions set engine = %s where id = %s", values)

    def none() -> Grouper:
        raise BadInput("There is no model.")

    monkeypatch.setattr(runtime, "load_grouper", none)
    engine("bedrock")
    (item,) = client.post("/v1/ops/redrive", json={}).json()["items"]
    engine("layout")
    assert (item["document_id"], item["ingestion_id"], item["error"]) == (
        made.failed["document_id"],
        None,
        "There is no model.",
    )
    assert client.get(f"/v1/documents/{made.failed['document_id']}").json()["status"] == "failed"


def test_failed_documents_are_run_again_and_no_others(client: Client, runtime: Runtime, made: Made) -> None:
    named = [made.ready["document_id"], made.open["document_id"]]
    items = client.post("/v1/ops/redrive", json={"documents": named}).json()["items"]
    assert [(i["filename"], i["ingestion_id"], i["error"]) for i in items] == [
        ("ready.pdf", None, SOUND),
        ("open.pdf", None, SOUND),
    ]
    assert client.post("/v1/ops/redrive", json={"documents": [str(new_id())]}).status_code == 404
    answer = client.post("/v1/ops/redrive", json={})
    assert answer.status_code == 202
    (item,) = answer.json()["items"]
    assert (item["document_id"], item["filename"], item["error"]) == (made.failed["document_id"], "failed.pdf", None)
    assert client.get(f"/v1/ingestions/{item['ingestion_id']}").json()["status"] == "queued"
    assert "failed.pdf" not in [i["filename"] for i in client.get("/v1/ops/stuck").json()["items"]]
    run_all(runtime, {**made.failed, "ingestion_id": item["ingestion_id"]})
    assert client.get(f"/v1/documents/{item['document_id']}").json()["status"] == "ready"


def test_the_commands_print_what_the_api_answers(run: Run) -> None:
    assert run("ops", "status", "--json").json == {"open": [], "ended": []}
    assert run("ops", "costs", "--json").json == {"days": 30, "usd": 0.0, "lines": []}
    assert (run("ops", "stuck", "--json").code, run("ops", "stuck").code) == (0, 0)
    assert run("ops", "redrive", "--json").json == {"items": [], "more": False}
    health = run("ops", "health", "--json")
    assert (health.code, health.json["status"]) == (0, "ok")
    assert "Nothing is under way" in run("ops", "status").out
    assert "together" in run("ops", "costs").out
    assert "database" in run("ops", "health").out


def test_ages_are_written_in_the_largest_unit_that_says_enough() -> None:
    assert [ops._age(s) for s in (40, 130, 7300, 200_000)] == ["40 s", "2 min", "2 h", "2 d"]  # noqa: SLF001
