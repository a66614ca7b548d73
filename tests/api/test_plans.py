"""What a plan allows is counted exactly, refused with what to do, and given by whoever operates the deployment."""

import dataclasses
import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import psycopg
import pymupdf
import pytest

from shared.domain.ids import new_id
from shared.domain.plans import PLANS, PlanSettings
from shared.domain.scope import Identity
from shared.errors import BudgetSpent, PlanExhausted
from shared.ingestion import mark_failed
from shared.ingestion.arrival.admission import arrive
from shared.ingestion.uploads import reingest
from shared.library.documents import list_documents
from shared.runtime import Runtime
from shared.store import plans
from shared.store.provision import Organization, provision
from tests.api.conftest import Client, Run
from tests.api.racing import at_once, commit_later
from tests.conftest import add_member
from tests.pipeline import make_knowledge_base, run_all, run_stage, scope_of, upload

# 50 pages a month, 1 knowledge base, 50 questions, 5,000 chunks.
FREE = PlanSettings("free")
AT_ONCE = 6


@pytest.fixture
def tenant(runtime: Runtime, owner_dsn: str, monkeypatch: pytest.MonkeyPatch) -> Identity:
    """The owner of an organization of this test's own, on the smallest plan."""
    slug = f"org-{new_id().hex[-8:]}"
    provision(owner_dsn, Organization(slug, slug, f"ada@{slug}.example"))
    monkeypatch.setattr(runtime, "limits", FREE)
    return add_member(runtime, owner_dsn, slug, "owner")


@pytest.fixture
def base(runtime: Runtime, tenant: Identity) -> UUID:
    return make_knowledge_base(runtime, tenant, "The one")


def pdf(pages: int) -> bytes:
    """Of so many pages, each with a line; other bytes each time."""
    with pymupdf.open() as document:
        for number in range(pages):
            document.new_page().insert_text((72, 100), f"C{number} {new_id().hex} is free.", fontsize=11)
        return document.tobytes()


def register(runtime: Runtime, tenant: Identity, base: UUID, pages: int) -> dict[str, Any]:
    return run_stage(runtime, "register", upload(runtime, tenant, base, pdf(pages), f"{new_id().hex[-6:]}.pdf"))


def used(client: Client, name: str) -> int:
    return next(line["used"] for line in client.get("/v1/usage").json()["lines"] if line["name"] == name)


def test_the_plans_have_the_numbers_of_the_launch_plan(owner_dsn: str) -> None:
    numbers = {n: (p.knowledge_bases, p.chunks, p.pages, p.questions, p.mcp) for n, p in PLANS.items()}
    assert numbers == {
        "free": (1, 5_000, 50, 50, False),
        "personal": (3, 50_000, 500, 500, True),
        "pro": (10, 500_000, 5_000, 2_000, True),
        "enterprise": (None, None, None, None, True),
        "unlimited": (None, None, None, None, True),
    }
    with psycopg.connect(owner_dsn) as connection:
        for name in PLANS:
            connection.execute("update organizations set plan = %s", (name,))
        with pytest.raises(psycopg.errors.CheckViolation):
            connection.execute("update organizations set plan = 'gold'")


def test_uploads_at_once_at_the_boundary_never_pass_it_together(
    runtime: Runtime, tenant: Identity, base: UUID, client_of: Callable[[Identity], Client]
) -> None:
    events = [upload(runtime, tenant, base, pdf(12), f"{n}.pdf") for n in range(AT_ONCE)]
    answers = at_once([lambda event=event: run_stage(runtime, "register", event) for event in events])
    outcomes = sorted(answer["outcome"] for answer in answers)
    assert outcomes == ["refused"] * (AT_ONCE - 4) + ["run"] * 4
    assert used(client_of(tenant), "pages") == 48
    assert register(runtime, tenant, base, 2)["outcome"] == "run"
    with pytest.raises(PlanExhausted, match="50 pages this month and 50 are used; nothing more is read"):
        upload(runtime, tenant, base, pdf(1))


def test_a_run_beyond_the_plan_is_refused_before_a_page_is_rendered_and_says_what_to_do(
    runtime: Runtime, tenant: Identity, base: UUID
) -> None:
    answer = register(runtime, tenant, base, 51)
    assert answer["outcome"] == "refused"
    now = datetime.now(UTC)
    first = f"{now.year + now.month // 12}-{now.month % 12 + 1:02}-01"
    assert answer["error"] == (
        "The plan free includes 50 pages this month and 0 are used; this file has 51 pages."
        f" Wait until {first} (UTC), ask for a page pack, or ask whoever runs this deployment for a larger plan."
    )
    (document,) = list_documents(runtime, tenant, base)
    assert (document.status, document.error) == ("refused", answer["error"])


def test_a_dropped_file_beyond_the_plan_stays_and_says_beside_it_why(
    runtime: Runtime, tenant: Identity, base: UUID
) -> None:
    key = f"drop/{base}/long.pdf"
    runtime.blobs.put(key, pdf(51))
    arrive(runtime, key, len(runtime.blobs.get(key)), None)
    with runtime.database.transaction(scope_of(tenant, base)) as connection:
        row = connection.execute("select id from ingestions where source_key = %s", (key,)).fetchone()
    assert row is not None
    ids = {"organization_id": str(tenant.organization_id), "knowledge_base_id": str(base)}
    answer = run_stage(runtime, "register", {"key": key, **ids, "ingestion_id": str(row["id"])})
    assert answer["outcome"] == "refused"
    said = json.loads(runtime.blobs.get(f"{key}.refused.json"))
    assert said["refused"] == answer["error"]
    assert "50 pages this month and 0 are used; this file has 51 pages" in said["refused"]
    assert runtime.blobs.exists(key)


def test_the_refused_file_is_read_when_it_is_sent_again_and_there_is_room(
    runtime: Runtime, tenant: Identity, base: UUID, owner_dsn: str
) -> None:
    data = pdf(51)
    assert run_stage(runtime, "register", upload(runtime, tenant, base, data))["outcome"] == "refused"
    with psycopg.connect(owner_dsn) as connection:
        connection.execute("update organizations set plan = 'pro' where id = %s", (tenant.organization_id,))
    assert run_stage(runtime, "register", upload(runtime, tenant, base, data))["outcome"] == "run"


def test_a_run_that_fails_gives_its_pages_back_and_one_that_repeats_takes_none(
    runtime: Runtime, tenant: Identity, base: UUID, client_of: Callable[[Identity], Client]
) -> None:
    client = client_of(tenant)
    event = upload(runtime, tenant, base, pdf(30))
    answer = run_stage(runtime, "register", event)
    run_stage(runtime, "register", event)  # the bucket told of it twice
    assert used(client, "pages") == 30
    mark_failed.run(runtime, {**answer, "error": {"Cause": "The model is not opened"}})
    assert used(client, "pages") == 0
    done = run_all(runtime, upload(runtime, tenant, base, pdf(20)))
    again = reingest(runtime, tenant, UUID(done["document_id"]))
    ids = {name: done[name] for name in ("schema", "organization_id", "knowledge_base_id", "document_id")}
    run_stage(runtime, "register", {**ids, "ingestion_id": str(again.id)})
    assert used(client, "pages") == 20
    mark_failed.run(runtime, {**ids, "ingestion_id": str(again.id), "error": {"Cause": "It failed"}})
    assert used(client, "pages") == 20, "the second run failed; the first one's pages were read"


def test_pages_of_last_month_do_not_count_and_packs_do(
    runtime: Runtime, tenant: Identity, base: UUID, client: Client, client_of: Callable[[Identity], Client]
) -> None:
    register(runtime, tenant, base, 50)
    own = client_of(tenant)
    assert used(own, "pages") == 50
    with runtime.database.transaction(scope_of(tenant, base)) as connection:
        slug = str((connection.execute("select slug from organizations").fetchone() or {})["slug"])
    assert client("POST", "/v1/ops/packs", json={"organization": slug, "pages": 7}).status_code == 201
    assert register(runtime, tenant, base, 8)["outcome"] == "refused"
    assert register(runtime, tenant, base, 7)["outcome"] == "run"
    with runtime.database.transaction(scope_of(tenant, base)) as connection:
        rows = connection.execute("delete from counted_pages returning *").fetchall()
        for row in rows:
            row["day"] -= timedelta(days=row["day"].day)
            connection.execute(
                "insert into counted_pages (organization_id, document_id, run_id, day, pages)"
                " values (%(organization_id)s, %(document_id)s, %(run_id)s, %(day)s, %(pages)s)",
                row,
            )
    assert used(own, "pages") == 0
    limits = {line["name"]: line["limit"] for line in own.get("/v1/usage").json()["lines"]}
    assert limits["pages"] == 57


def test_knowledge_bases_at_once_at_the_boundary(
    runtime: Runtime, tenant: Identity, client_of: Callable[[Identity], Client], monkeypatch: pytest.MonkeyPatch
) -> None:
    commit_later(monkeypatch, plans, "count_stored")
    names = [f"Base {number}" for number in range(AT_ONCE)]
    made = at_once([lambda name=name: make_knowledge_base(runtime, tenant, name) for name in names])
    assert sum(isinstance(one, PlanExhausted) for one in made) == AT_ONCE - 1
    answer = client_of(tenant)("POST", "/v1/knowledge-bases", json={"name": "One more"})
    assert answer.status_code == 402
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["type"] == "urn:autri:problem:plan-exhausted"
    assert answer.json()["detail"] == (
        "The plan free includes 1 knowledge base, and you have 1. Delete one, or ask whoever runs this deployment for a"
        " larger plan."
    )


def test_what_is_restricted_to_others_counts(runtime: Runtime, tenant: Identity, base: UUID, owner_dsn: str) -> None:
    with runtime.database.transaction(scope_of(tenant, base)) as connection:
        connection.execute("update knowledge_bases set restricted = true")
        slug = str((connection.execute("select slug from organizations").fetchone() or {})["slug"])
    editor = add_member(runtime, owner_dsn, slug, "editor")
    with pytest.raises(PlanExhausted):
        make_knowledge_base(runtime, editor, "Mine")


def test_questions_at_once_at_the_boundary_and_an_answer_that_fails_is_not_counted(
    runtime: Runtime, tenant: Identity, base: UUID, client_of: Callable[[Identity], Client]
) -> None:
    client = client_of(tenant)
    asked = {"question": "What is free?", "knowledge_base_ids": [str(base)]}
    with runtime.database.transaction(tenant.scope()) as connection:
        connection.execute(
            "insert into counted_questions values (%s, (now() at time zone 'utc')::date, 47)", (tenant.organization_id,)
        )
    assert client.post("/v1/ask", json=asked | {"knowledge_base_ids": [str(new_id())]}).status_code == 404
    assert client.post("/v1/ask", json=asked | {"question": " "}).status_code == 422
    assert used(client, "questions") == 47
    codes = at_once([lambda: client.post("/v1/ask", json=asked).status_code] * AT_ONCE)
    assert sorted(codes) == [200] * 3 + [402] * (AT_ONCE - 3)
    assert used(client, "questions") == 50
    refused = client.post("/v1/ask", json=asked).json()["detail"]
    assert refused.startswith("The plan free includes 50 answers a month and all are used. Search instead, which is")
    assert client.post("/v1/search", json={"query": "free", "knowledge_base_ids": [str(base)]}).status_code == 200


def test_chunks_that_would_not_fit_are_not_stored(
    runtime: Runtime, tenant: Identity, base: UUID, client_of: Callable[[Identity], Client]
) -> None:
    client = client_of(tenant)
    done = run_all(runtime, upload(runtime, tenant, base, pdf(3)))
    stored = used(client, "chunks")
    assert stored >= 3
    with runtime.database.transaction(scope_of(tenant, base)) as connection:
        connection.execute("update documents set chunk_count = %s", (5_000 - stored + 1,))
    answer = run_all(runtime, upload(runtime, tenant, base, pdf(3)), until="extract")
    with pytest.raises(PlanExhausted, match="keeps 5,000 chunks; with this document there would be 5,00"):
        run_stage(runtime, "finalize", answer)
    with runtime.database.transaction(scope_of(tenant, base)) as connection:
        kept = connection.execute("select count(*) as n from chunks where document_id = %s", (answer["document_id"],))
        assert kept.fetchone() == {"n": 0}
        connection.execute("update documents set chunk_count = 5000 where id = %s", (done["document_id"],))
    with pytest.raises(PlanExhausted, match="keeps 5,000 chunks and 5,000 are stored"):
        upload(runtime, tenant, base, pdf(1))


def test_documents_finalized_at_once_at_the_boundary_do_not_both_fit(
    runtime: Runtime,
    tenant: Identity,
    base: UUID,
    client_of: Callable[[Identity], Client],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    filler = run_all(runtime, upload(runtime, tenant, base, pdf(1)))
    ready = [run_all(runtime, upload(runtime, tenant, base, pdf(2)), until="extract") for _ in range(2)]
    each = run_stage(runtime, "finalize", ready[0])["chunks"]
    with runtime.database.transaction(scope_of(tenant, base)) as connection:
        connection.execute("delete from chunks where document_id = %s", (ready[0]["document_id"],))
        connection.execute("update documents set chunk_count = 0")
        room = 5_000 - 2 * each + 1
        connection.execute("update documents set chunk_count = %s where id = %s", (room, filler["document_id"]))
    commit_later(monkeypatch, plans, "count_stored")
    done = at_once([lambda event=event: run_stage(runtime, "finalize", event) for event in ready])
    assert sum(isinstance(one, PlanExhausted) for one in done) == 1
    assert used(client_of(tenant), "chunks") == room + each


def test_a_days_budget_for_models_ends_what_would_call_them(
    runtime: Runtime, tenant: Identity, base: UUID, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(runtime, "limits", dataclasses.replace(FREE, model_usd_per_day=2.0))
    monkeypatch.setattr(runtime, "load_grouper", lambda: object())
    vars(runtime).pop("grouper", None)
    event = upload(runtime, tenant, base, pdf(2), engine="bedrock")
    late = upload(runtime, tenant, base, pdf(2), engine="bedrock")
    answer = run_all(runtime, event, until="parse")
    spent = "insert into spending values (%s, (now() at time zone 'utc')::date - %s, 'extract', 'acme', 1, 0, %s)"
    with runtime.database.transaction(tenant.scope()) as connection:
        connection.execute(spent, (tenant.organization_id, 1, 50.0))
        connection.execute(spent, (tenant.organization_id, 0, 2.0))
    shard = {**answer, "shard": 0, "first_page": 1, "last_page": 2}
    for isolated in (False, True):
        with pytest.raises(BudgetSpent, match=r"Models have cost \$2.00 today, of \$2.00 a day"):
            run_stage(runtime, "extract", {**shard, "isolated": isolated})
    refused = run_stage(runtime, "register", late)
    assert (refused["outcome"], "Run it again after midnight UTC" in refused["error"]) == ("refused", True)
    with pytest.raises(BudgetSpent):
        upload(runtime, tenant, base, pdf(1), engine="auto")
    limits = [vars(one).get("limit_usd") for one in caplog.records if one.name == "autri.plans"]
    assert limits == [2.0] * 4, "the alarm counts these lines"
    assert run_all(runtime, upload(runtime, tenant, base, pdf(1)))["outcome"] == "run", "layout calls no model"
    vars(runtime).pop("grouper", None)


@pytest.fixture
def operated(client: Client) -> Iterator[Client]:
    """The local developer, who operates this deployment; the plan of `kestrel` is taken back."""
    yield client
    client("PUT", "/v1/ops/plans", json={"organization": "kestrel", "plan": "default"})


def test_an_operator_gives_plans_and_packs_and_nobody_gives_any_to_itself(
    operated: Client, other_identity: Identity, viewer: Identity, client_of: Callable[[Identity], Client]
) -> None:
    given = operated("PUT", "/v1/ops/plans", json={"organization": "kestrel", "plan": "personal"})
    assert (given.status_code, given.json()["plan"]) == (200, "personal")
    theirs = client_of(other_identity)
    assert theirs.get("/v1/usage").json()["plan"] == "personal"
    assert operated.get("/v1/usage").json()["plan"] == "unlimited"
    for path, method, body in (
        ("plans", "PUT", {"organization": "kestrel", "plan": "enterprise"}),
        ("packs", "POST", {"organization": "kestrel", "pages": 500}),
        ("plans", "PUT", {"organization": "local", "plan": "free"}),
    ):
        refused = theirs(method, f"/v1/ops/{path}", json=body)
        assert refused.status_code == 403
        assert "whoever operates this deployment" in refused.json()["detail"]
        assert client_of(viewer)(method, f"/v1/ops/{path}", json=body).status_code == 403
    usage = theirs.get("/v1/usage").json()
    assert (usage["plan"], usage["packs"], usage["operator"]) == ("personal", [], False)
    unknown = operated("PUT", "/v1/ops/plans", json={"organization": "nobody", "plan": "pro"})
    assert unknown.status_code == 404
    assert "There is no organization `nobody`. Its members see" in unknown.json()["detail"]
    acts = [one["act"] for one in operated.get("/v1/audit", params={"act": "organization"}).json()["items"]]
    assert acts[0] == "organization.plan"


def test_plans_and_packs_by_the_command_line(run: Run) -> None:
    assert run("organizations", "create", "acme").code == 0
    assert run("ops", "plan", "set", "acme", "free").code == 0
    assert run("ops", "packs", "add", "acme", "500", "--permanent", "--json").json == {
        "organization": "acme", "plan": None, "pages": 500, "permanent": True,
    }  # fmt: skip
    found = run("--organization", "acme", "usage", "--json").json
    assert (found["plan"], found["lines"][0]["limit"], found["operator"]) == ("free", 550, False)
    shown = run("--organization", "acme", "usage")
    assert "550" in shown.out
    assert "Plan free; pages and questions begin anew on" in shown.out
    wrong = run("ops", "plan", "set", "acme", "gold")
    assert (wrong.code, "There are free, personal, pro, enterprise, unlimited, default." in wrong.err) == (1, True)
    own = run("--organization", "acme", "ops", "plan", "set", "acme", "pro")
    assert (own.code, "whoever operates this deployment" in own.err) == (1, True)


def test_the_organization_that_operates_a_deployment_begins_with_a_plan_of_its_own_and_keeps_what_it_is_given_then(
    owner_dsn: str,
) -> None:
    operator = Organization("operator", "Operator", "root@operator.example", operates=True)

    def plan_after(organization: Organization) -> str | None:
        provision(owner_dsn, organization)
        with psycopg.connect(owner_dsn) as connection:
            row = connection.execute("select plan from organizations where slug = %s", (organization.slug,)).fetchone()
        return row[0] if row else ""

    assert plan_after(operator) == "enterprise"
    with psycopg.connect(owner_dsn) as connection:
        connection.execute("update organizations set plan = 'pro' where slug = 'operator'")
    assert plan_after(operator) == "pro"
    tenant = Organization("tenant", "Tenant", "root@tenant.example")
    assert plan_after(tenant) is None
    with psycopg.connect(owner_dsn) as connection:
        connection.execute("update organizations set plan = 'pro' where slug = 'tenant'")
    assert plan_after(dataclasses.replace(tenant, operates=True)) == "pro"
