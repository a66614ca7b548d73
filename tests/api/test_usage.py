"""Usage and costs: what an organization sees of itself, priced by the dated table, and nothing of others."""

import dataclasses
from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import Any
from uuid import UUID

import pytest

from shared.domain.model_calls import Usage
from shared.domain.plans import PlanSettings
from shared.domain.scope import Identity
from shared.plans.usage import compute_usd, forecast
from shared.runtime import Runtime
from shared.store import costs
from tests.api.conftest import Client, Run
from tests.pipeline import PRICES, make_knowledge_base, run_all, run_stage, scope_of, shards, upload

MODEL_USD = 0.75
# Two stages of the priced table, by hand: seconds, memory in GB, US dollars per GB second and per million calls.
GB_SECOND, MILLION = 0.0000133334, 0.20


@pytest.fixture(scope="module")
def base(runtime: Runtime, identity: Identity) -> UUID:
    return make_knowledge_base(runtime, identity, "Priced")


@pytest.fixture(scope="module")
def done(runtime: Runtime, identity: Identity, base: UUID) -> dict[str, Any]:
    answer = run_all(runtime, upload(runtime, identity, base, PRICES.read_bytes(), "prices.pdf"))
    owner = {name: answer[name] for name in ("organization_id", "knowledge_base_id", "document_id", "ingestion_id")}
    with runtime.database.transaction(scope_of(identity, base)) as connection:
        call = {**owner, "stage": "extract", "page": 1}
        costs.record_call(connection, call, "acme.model", Usage(input_tokens=10, output_tokens=2), MODEL_USD)
    return answer


def costs_of(client: Client, month: str | None = None) -> dict[str, Any]:
    return client.get("/v1/usage/costs", params={} if month is None else {"month": month}).json()


def test_every_stage_of_a_run_has_its_time_and_the_document_the_sum(client: Client, done: dict[str, Any]) -> None:
    found = costs_of(client)
    compute = {one["stage"]: one for one in found["stages"] if one["resource"] == "compute"}
    assert compute.keys() == {"register", "render", "parse", "extract", "finalize", "embed", "publish"}
    assert all(one["calls"] == 1 and one["seconds"] > 0 and one["usd"] is None for one in compute.values())
    (model,) = (one for one in found["stages"] if one["resource"] != "compute")
    assert (model["stage"], model["resource"], model["calls"], model["usd"]) == ("extract", "acme.model", 1, MODEL_USD)
    (document,) = found["documents"]
    assert (document["document_id"], document["name"], document["pages"]) == (done["document_id"], "prices.pdf", 3)
    assert document["seconds"] == pytest.approx(sum(one["seconds"] for one in compute.values()))
    assert (document["model_usd"], found["model_usd"], found["prices_of"]) == (MODEL_USD, MODEL_USD, None)


def test_run_time_is_priced_by_memory_seconds_and_calls(
    client: Client, runtime: Runtime, done: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runtime, "limits", PlanSettings(region="eu-central-1"))
    found = costs_of(client)
    compute = {one["stage"]: one for one in found["stages"] if one["resource"] == "compute"}
    for stage, memory_gb in (("render", 2.0), ("finalize", 3008 / 1024)):
        one = compute[stage]
        expected = one["seconds"] * memory_gb * GB_SECOND + one["calls"] * MILLION / 1_000_000
        assert one["usd"] == pytest.approx(expected)
    assert found["compute_usd"] == pytest.approx(sum(one["usd"] for one in compute.values()))
    assert found["documents"][0]["compute_usd"] == pytest.approx(found["compute_usd"])
    assert found["prices_of"] == "Lambda in eu-central-1, 2026-11-23"
    assert compute_usd({"function_gb_second": 1.0, "function_million": 0.0}, "embed", 9, 2.0) == 2.0


def test_a_failed_attempt_is_paid_for_too(
    client: Client, runtime: Runtime, identity: Identity, base: UUID, done: dict[str, Any]
) -> None:
    before = {s["stage"]: s["calls"] for s in costs_of(client)["stages"] if s["resource"] == "compute"}
    first = costs_of(client)["documents"]
    data = PRICES.read_bytes() + b"\n"
    answer = run_all(runtime, upload(runtime, identity, base, data, "again.pdf"), until="parse")
    for page in (1, 2, 3):
        runtime.blobs.delete(f"{work_of(answer)}pages/{page}.json")
    with pytest.raises(Exception, match="pages"):
        run_stage(runtime, "extract", shards(runtime, answer)[0])
    after = {s["stage"]: s["calls"] for s in costs_of(client)["stages"] if s["resource"] == "compute"}
    assert after["extract"] == before["extract"] + 1
    assert [one for one in costs_of(client)["documents"] if one["name"] == "prices.pdf"] == first, "to each its own"


def work_of(answer: dict[str, Any]) -> str:
    ids = ("organization_id", "knowledge_base_id", "document_id", "ingestion_id")
    return "work/" + "/".join(str(answer[name]) for name in ids) + "/"


def test_what_was_deleted_stays_in_the_sums_and_in_the_days_budget(
    client: Client, runtime: Runtime, identity: Identity, base: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = PRICES.read_bytes() + b"\n\n"
    answer = run_all(runtime, upload(runtime, identity, base, data, "gone.pdf"))
    owner = {name: answer[name] for name in ("organization_id", "knowledge_base_id", "document_id", "ingestion_id")}
    with runtime.database.transaction(scope_of(identity, base)) as connection:
        costs.record_call(connection, {**owner, "stage": "embed", "page": 0}, "gone.model", Usage(), 0.5)
    before = client.get("/v1/usage").json()
    assert client.delete(f"/v1/documents/{answer['document_id']}").status_code in (200, 204)
    after = client.get("/v1/usage").json()
    assert after["model_usd_today"] == before["model_usd_today"] >= 0.5
    pages = [next(line["used"] for line in one["lines"] if line["name"] == "pages") for one in (before, after)]
    assert pages[0] == pages[1] > 0
    assert {s["resource"]: s["usd"] for s in costs_of(client)["stages"]}["gone.model"] == 0.5
    assert "gone.pdf" not in {one["name"] for one in costs_of(client)["documents"]}


def test_months_are_apart(client: Client, done: dict[str, Any]) -> None:
    now = datetime.now(UTC)
    assert costs_of(client, f"{now:%Y-%m}")["documents"] == costs_of(client)["documents"] != []
    earlier = costs_of(client, f"{now.year - 1}-{now:%m}")
    assert (earlier["stages"], earlier["documents"], earlier["model_usd"]) == ([], [], 0)
    assert client.get("/v1/usage/costs", params={"month": "2026-13"}).status_code == 422


def test_another_organization_sees_nothing_of_it_and_no_viewer_what_it_cost(
    other_identity: Identity, viewer: Identity, done: dict[str, Any], client_of: Callable[[Identity], Client]
) -> None:
    theirs = client_of(other_identity)
    usage = theirs.get("/v1/usage").json()
    assert {line["name"]: line["used"] for line in usage["lines"]} == {
        "pages": 0, "questions": 0, "chunks": 0, "knowledge_bases": 0,
    }  # fmt: skip
    assert (usage["days"], usage["model_usd_today"]) == ([], 0)
    assert (costs_of(theirs)["stages"], costs_of(theirs)["documents"]) == ([], [])
    colleague = client_of(viewer)
    assert colleague.get("/v1/usage").json()["lines"][0]["used"] >= 3
    assert colleague.get("/v1/usage/costs").status_code == 403


def test_each_day_has_its_pages_answers_and_models(client: Client, base: UUID, done: dict[str, Any]) -> None:
    client.post("/v1/ask", json={"question": "What does a bolt cost?", "knowledge_base_ids": [str(base)]})
    (day,) = client.get("/v1/usage").json()["days"]
    assert day["day"] == f"{datetime.now(UTC):%Y-%m-%d}"
    assert (day["pages"] >= 3, day["questions"], day["usd"] >= MODEL_USD) == (True, 1, True)


@pytest.mark.parametrize(
    ("used", "limit", "day", "seconds", "end", "out"),
    [
        (100, 500, date(2026, 11, 10), 10 * 86400.0, 300, None),
        (100, 200, date(2026, 11, 10), 10 * 86400.0, 300, date(2026, 11, 20)),
        (100, 300, date(2026, 11, 10), 10 * 86400.0, 300, date(2026, 11, 30)),
        (100, 310, date(2026, 11, 10), 10 * 86400.0, 300, None),
        (200, 200, date(2026, 11, 10), 10 * 86400.0, 600, None),
        (10, None, date(2026, 2, 14), 14 * 86400.0, 20, None),
        (5, 50, date(2026, 12, 1), 60.0, 155, date(2026, 12, 10)),
        (0, 50, date(2026, 12, 31), 30.5 * 86400.0, 0, None),
    ],
)
def test_the_pace_so_far_leads_to_the_months_end(
    used: int, limit: int | None, day: date, seconds: float, end: int, out: date | None
) -> None:
    line = forecast("pages", used, limit, day, seconds)
    assert (line.forecast, line.runs_out_on) == (end, out)


def test_costs_by_the_command_line(run: Run) -> None:
    found = run("usage", "--costs", "--json").json
    assert (found["stages"], found["documents"], found["prices_of"]) == ([], [], None)
    shown = run("usage", "--costs")
    assert shown.code == 0
    assert "models $0.0000, run time is free." in shown.out


def test_a_daily_budget_is_shown_beside_what_is_spent(
    client: Client, runtime: Runtime, done: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runtime, "limits", dataclasses.replace(runtime.limits, model_usd_per_day=4.0))
    found = client.get("/v1/usage").json()
    assert found["model_usd_per_day"] == 4.0
    assert found["model_usd_today"] >= MODEL_USD
