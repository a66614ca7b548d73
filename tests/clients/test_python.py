"""The Python client against a running server, and against one that fails."""

import asyncio
import inspect
import json
import re
import uuid
from base64 import b64encode
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID

import httpx
import pytest
from fastapi import FastAPI, Request, Response
from starlette.datastructures import Headers

from autri import (
    ApiError,
    AsyncClient,
    Client,
    Conflict,
    Event,
    IngestionFailed,
    InvalidRequest,
    NotFound,
    NotSignedIn,
    TooMany,
    Unreachable,
    administration,
    conversations,
    curation,
    lab,
    operations,
    uploads,
    wire,
)
from autri.models import Backfill, Chunk, ExportJob
from autri.uploads import Pause
from clients.generate import MODELS, api_document, python_models
from functions.api.app import create_app
from shared.archive.erasure_run import run_erasure
from shared.domain.scope import Identity
from shared.runtime import Runtime
from shared.store.identities import note_waiting
from tests.api.test_roles import ADMINISTRATION, OWNERSHIP
from tests.erasing import by_nobody
from tests.live import serving
from tests.web_server import running_site

Reply = Callable[[httpx.Request], httpx.Response]
# Headers without which a request is as good as with them.
CHOICES = {"If-Match", "Last-Event-ID"}


@pytest.fixture(scope="module")
def client(live_server: str) -> Iterator[Client]:
    with Client(live_server) as opened:
        yield opened


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Waits that are noted and not waited for."""
    waited: list[float] = []

    async def at_once(seconds: float) -> None:
        waited.append(seconds)

    monkeypatch.setattr("autri.client.sleep", waited.append)
    monkeypatch.setattr("autri.client.sleep_awaited", at_once)
    return waited


def test_the_models_are_those_of_the_api_as_it_is() -> None:
    assert MODELS.read_text() == python_models(api_document()), "run: make clients"


def test_a_search_gives_typed_hits_with_their_places(client: Client) -> None:
    found = client.search("What does the TA-37V cost?", k=3)
    assert 0 < len(found.hits) <= 3
    assert found.hits[0].chunk.boxes
    assert found.hits[0].document.name
    assert client.trace(found.trace_id).id == found.trace_id


def test_an_answer_bears_citations_and_a_section_is_found_by_address(client: Client) -> None:
    answer = client.ask("What does the TA-37V cost?")
    assert "27,950" in answer.answer
    cited = {hit.chunk.id for hit in answer.citations}
    assert all(set(one.citations) <= cited for one in answer.sentences)
    addressed = next(
        section.address
        for document in client.documents()
        for section in client.sections(document.id)
        if section.address
    )
    assert client.lookup(addressed).hits


def test_an_answer_is_heard_while_it_is_made_by_either_client(client: Client, live_server: str) -> None:
    async def listen() -> list[Event]:
        async with AsyncClient(live_server) as opened:
            return [event async for event in opened.ask_events("What does the TA-37V cost?")]

    for heard in (list(client.ask_events("What does the TA-37V cost?")), asyncio.run(listen())):
        assert [event.name for event in heard][:2] == ["plan", "hits"]
        assert "sentence" in {event.name for event in heard}
        assert [event.answer is not None for event in heard] == [False] * (len(heard) - 1) + [True]
        whole = heard[-1].answer
        assert whole is not None
        assert "27,950" in whole.answer


@pytest.mark.parametrize(
    ("said", "error", "words"),
    [
        (': still at work\n\nevent: error\ndata: {"status": 404, "detail": "Gone."}\n\n', NotFound, "Gone"),
        ("id: 1\nevent: plan\ndata: {}\n\n", Unreachable, "broke off"),
        ("id: 1\nevent: plan\ndata: {}\n\nevent: final\ndata: {", Unreachable, "broke off"),
        (None, Unreachable, "no events"),
    ],
)  # fmt: skip
def test_what_is_refused_or_breaks_off_meanwhile_is_raised(
    said: str | None, error: type[Exception], words: str
) -> None:
    def reply(request: httpx.Request) -> httpx.Response:
        assert request.headers["accept"] == "text/event-stream"
        return httpx.Response(200, text=said or "hello", headers={"Content-Type": "text/event-stream"} if said else {})

    with (
        Client("http://autri.example", transport=httpx.MockTransport(reply)) as client,
        pytest.raises(error, match=words),
    ):
        list(client.ask_events("Why?"))


def test_a_list_is_gone_through_to_its_end(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    document = max(client.documents(), key=lambda one: one.chunks)
    monkeypatch.setattr("autri.wire.PAGE_ITEMS", 7)
    chunks = list(client.chunks(document.id))
    assert len(chunks) == document.chunks
    assert document.chunks > 14
    assert [one.ordinal for one in chunks] == sorted({one.ordinal for one in chunks})
    assert isinstance(chunks[0], Chunk)


def test_a_file_is_uploaded_followed_read_and_given_back(client: Client, tmp_path: Path) -> None:
    base = client.create_knowledge_base(f"client {uuid.uuid4().hex[:6]}")
    file = tmp_path / "valve.md"
    text = "# Valves\n\nThe relief valve opens at 3.4 bar.\n"
    file.write_text(text)
    sent: list[tuple[int, int]] = []
    done = client.wait(client.upload(file, base.id, progress=lambda so_far, of: sent.append((so_far, of))))
    assert sent[-1] == (len(text), len(text))
    assert done.document_id is not None
    assert client.source(done.document_id) == text.encode()
    assert client.search("relief valve", knowledge_bases=[base.id]).hits[0].chunk.document_id == done.document_id
    file.write_text(text.replace("3.4", "3.6"))
    newer = client.wait(client.upload(file, base.id, version_of=done.document_id))
    assert newer.document_id is not None
    assert {one.id for one in client.versions(newer.document_id)} == {newer.document_id, done.document_id}
    assert "3.6" in client.ask("At which pressure does the relief valve open?", knowledge_bases=[base.id]).answer
    client.delete_knowledge_base(base.id)


def test_a_file_that_cannot_be_read_says_why(client: Client, tmp_path: Path) -> None:
    base = client.create_knowledge_base(f"client {uuid.uuid4().hex[:6]}")
    broken = tmp_path / "broken.pdf"
    broken.write_bytes(b"%PDF-1.7\nnothing of a PDF")
    with pytest.raises(IngestionFailed, match=r"broken\.pdf: .+"):
        client.wait(client.upload(broken, base.id))
    with pytest.raises(FileNotFoundError):
        client.upload(tmp_path / "missing.pdf", base.id)
    with pytest.raises(NotFound):
        client.upload(broken, uuid.uuid4())
    client.delete_knowledge_base(base.id)


def test_notes_are_found_at_once_and_names_are_taken_once(client: Client) -> None:
    name = f"client {uuid.uuid4().hex[:6]}"
    base = client.create_knowledge_base(name)
    note = client.add_note(base.id, "The hatch sticks in frost.", tags=["hatch"])
    assert [one.id for one in client.notes(base.id)] == [note.id]
    assert client.search("hatch frost", knowledge_bases=[base.id]).hits
    with pytest.raises(Conflict):
        client.create_knowledge_base(name)
    client.delete_knowledge_base(base.id)


VALVES = """# Valves

| Valve | Opens at [bar] |
|---|---|
| RV-1 | 3.4 |
| RV-2 | 5.1 |

The relief valve RV-1 is checked every 6 months.
"""


@pytest.fixture
def valves(client: Client, tmp_path: Path) -> Iterator[tuple[UUID, UUID]]:
    """A knowledge base, and a document in it."""
    base = client.create_knowledge_base(f"client {uuid.uuid4().hex[:6]}")
    file = tmp_path / "valves.md"
    file.write_text(VALVES)
    done = client.wait(client.upload(file, base.id))
    assert done.document_id is not None
    yield base.id, done.document_id
    client.delete_knowledge_base(base.id)


def test_a_conversation_is_held_rated_shared_and_removed(client: Client, valves: tuple[UUID, UUID]) -> None:
    thread = client.create_thread("Valves", knowledge_bases=[valves[0]])
    asked = client.ask_in_thread(thread.id, "At which pressure does RV-1 open?")
    assert "3.4" in asked.answers[0].answer.answer
    assert len(client.answer_again(thread.id, asked.id).answers) == 2
    assert client.rate_answer(thread.id, asked.answers[0].id, "incomplete", "in bar?").verdict == "incomplete"
    assert client.rename_thread(thread.id, "Relief valves").title == "Relief valves"
    assert [one.id for one in client.threads("relief pressure")] == [thread.id]
    assert list(client.threads("relief pressure nowhere")) == []
    whole = client.thread(thread.id)
    rated = whole.messages[0].answers[0].feedback
    assert rated is not None
    assert (rated.verdict, rated.note) == ("incomplete", "in bar?")
    assert b"RV-1" in client.export_thread(thread.id)
    assert json.loads(client.export_thread(thread.id, "json"))
    share = client.share_thread(thread.id, days=1)
    assert share.path
    assert client.revoke_share(thread.id, share.id).revoked_at is not None
    client.delete_thread(thread.id)
    with pytest.raises(NotFound):
        client.thread(thread.id)


def test_tables_become_datasets_and_what_was_read_is_told_for_a_task(client: Client, valves: tuple[UUID, UUID]) -> None:
    base, document = valves
    (table,) = client.tables(base)
    assert b"RV-2" in client.export_tables(base, document=document)
    dataset = client.create_dataset(base, [table.table_id], name="Valves")
    assert [one.id for one in client.datasets(base)] == [dataset.id]
    assert client.dataset(dataset.id).name == "Valves"
    rows = client.dataset_rows(dataset.id, offset=1, limit=5)
    assert (rows.rows_in_all, [row[:2] for row in rows.rows]) == (2, [["RV-2", 5.1]])
    assert client.export_dataset(dataset.id).splitlines()[1].startswith(b"RV-1,3.4")
    assert client.export_dataset(dataset.id, "parquet")[:4] == b"PAR1"
    client.delete_dataset(dataset.id)
    assert list(client.datasets(base)) == []
    assert client.summarize(document).document_id == document
    assert client.summary(document).document_id == document
    assert [one.document_id for one in client.compare_summaries([document]).summaries] == [document]
    assert client.bundle(document=document, form="pdf").startswith(b"%PDF")
    assert client.update_digest(base).topics > 0
    assert client.digest(base).revision > 0
    (entry, *_) = client.digest_files(base, "description")
    assert "RV-1" in " ".join(line.text for line in client.digest_file(base, entry.id).lines)
    told = client.context("When is RV-1 checked?", budget_tokens=300, knowledge_bases=[base])
    assert "6 months" in told.text
    assert told.tokens <= 300
    event = client.report_event(base, "inspection", "RV-1", datetime.now(UTC), values={"passed": True})
    assert event.subject == "RV-1"


def test_what_is_known_is_asked_and_scored_until_all_is_measured(client: Client, valves: tuple[UUID, UUID]) -> None:
    base, _ = valves
    (hit, *_) = client.search("When is RV-1 checked?", knowledge_bases=[base]).hits
    asked = client.add_gold(base, "When is RV-1 checked?", chunks=[hit.chunk.id])
    wrong = client.add_gold(base, "Which rotor turns?", kind="negative")
    run = client.evaluate(base, indexes=["fts"], floors={"fts.hit@5": 0.5, "fts.mrr": 1.0}, baseline=True)
    assert (run.status, run.measured, run.baseline) == ("done", 2, True)
    assert {floor.measure: floor.met for floor in run.floors} == {"fts.hit@5": True, "fts.mrr": True}
    assert [one.id for one in client.evaluations(base)] == [run.id]
    assert {one.question for one in client.evaluation_results(base, run.id)} == {asked.question, wrong.question}
    client.remove_gold(base, wrong.id)
    assert [one.id for one in client.gold(base)] == [asked.id]


def test_attributes_are_proposed_and_declared_and_webhooks_kept(client: Client, valves: tuple[UUID, UUID]) -> None:
    base, _ = valves
    before = client.attribute_schema(base)
    assert client.propose_attributes(base).documents == 1
    declared = [{"name": "opens_at", "label": "Opens at", "type": "number", "unit": "bar"}]
    after = client.declare_attributes(base, declared, version=before.version, why="for filters")
    assert [one.name for one in after.attributes] == ["opens_at"]
    with pytest.raises(Conflict):
        client.declare_attributes(base, [], version=before.version)
    assert "opens_at" in {one.name for one in client.attributes(base)}
    with pytest.raises(InvalidRequest, match="nothing would change"):
        client.declare_attributes(base, declared, version=after.version)
    made = client.create_webhook(base, "https://hooks.example/autri", events=["document.ready"])
    assert made.secret
    assert [one.id for one in client.webhooks(base)] == [made.id]
    assert list(client.webhook_deliveries(made.id)) == []
    assert client.rotate_webhook(made.id, overlap_hours=0).secret != made.secret
    sent = client.try_webhook(made.id)
    assert [one.id for one in client.webhook_deliveries(made.id)] == [sent.id]
    with pytest.raises(Conflict, match="on its way"):
        client.deliver_again(made.id, sent.id)
    assert client.enable_webhook(made.id).id == client.webhook(made.id).id == made.id
    client.delete_webhook(made.id)
    assert list(client.webhooks(base)) == []


def test_documents_are_read_anew_under_what_was_declared(client: Client) -> None:
    base = client.create_knowledge_base("Pumps").id
    assert client.backfill(base) is None
    assert client.finish_backfill(base) is None
    client.add_note(base, "The power of pump P-30 is 12 kW.")
    state = client.attribute_schema(base)
    client.declare_attributes(base, [{"name": "power", "type": "number", "unit": "kW"}], version=state.version)
    asked = client.backfill(base)
    assert asked is not None
    read = client.finish_backfill(base)
    assert read is not None
    assert (read.status, read.documents_done, client.backfill(base)) == ("done", read.documents, read)
    with pytest.raises(Conflict):
        client.cancel_backfill(base)
    with pytest.raises(Conflict):
        client.resume_backfill(base)


def test_what_the_background_reads_is_asked_for_with_pauses() -> None:
    def state(done: int, status: str = "running") -> Backfill:
        return Backfill.model_construct(status=status, documents_done=done, documents=9)

    told = iter([state(3), state(5), state(5), state(5), state(9, "done")])
    steps, _ = gone_through(curation.finish_backfill(UUID(int=1)), told)
    assert [type(step).__name__ for step in steps] == [
        "Operation", "Operation", "Operation", "Pause", "Operation", "Pause", "Operation",
    ]  # fmt: skip


def test_an_export_is_waited_for() -> None:
    def job(status: str) -> ExportJob:
        return ExportJob.model_construct(id=UUID(int=7), status=status)

    steps, ended = gone_through(administration.export_archive(UUID(int=1)), iter(map(job, ("running", "failed"))))
    assert [f"{one.method} {one.path}" for one in steps if isinstance(one, wire.Operation)] == [
        "POST /exports", f"GET /exports/{UUID(int=7)}",
    ]  # fmt: skip
    assert (isinstance(steps[1], Pause), ended.status) == (True, "failed")


def gone_through(flow: uploads.Flow[Any], answers: Iterator[Any]) -> tuple[list[uploads.Step], Any]:
    """The steps that it takes where these are the answers, and how it ends."""
    steps, said = list[uploads.Step](), None
    while True:
        try:
            step = flow.send(said)
        except StopIteration as ended:
            return steps, ended.value
        steps.append(step)
        said = None if isinstance(step, Pause) else next(answers)


def test_an_organization_is_looked_after(client: Client, live_server: str) -> None:
    who = client.account()
    assert [one.id for one in client.members() if one.id == who.user.id]
    asked = client.invite("ida@example.org", "editor")
    assert [(one.email, one.role) for one in client.invitations()] == [("ida@example.org", "editor")]
    assert asked.role == "editor"
    assert client.resend_invitation(asked.id).id == asked.id
    assert client.change_role(asked.id, "viewer").role == "viewer"
    assert client.remove_member(asked.id).email == "ida@example.org"
    assert next(one.act for one in client.audit(act="member", member=who.user.id)).startswith("member")
    assert list(client.audit(until=datetime(2020, 1, 1, tzinfo=UTC))) == []
    assert next(one.act for one in client.audit()) == "member.remove"
    assert list(client.audit(member=UUID(int=1))) == list(client.audit(since=datetime(2999, 1, 1, tzinfo=UTC))) == []
    base = client.create_knowledge_base("Keyed").id
    machine = client.create_api_key("loader", "write", knowledge_bases=[base], machine=True)
    assert (machine.scope, machine.user_id, machine.knowledge_base_ids) == ("write", None, [base])
    assert machine.expires_at is None
    made = client.create_api_key("reader", expires_days=3)
    assert (made.scope, made.user_id, made.knowledge_base_ids) == ("read", who.user.id, None)
    assert made.expires_at is not None
    assert made.secret
    with Client(live_server, token=made.secret) as other:
        assert other.account().user.id == who.user.id
        assert client.revoke_api_key(made.id).id in {one.id for one in client.api_keys()}
        with pytest.raises(ApiError):
            other.account()
    assert client.usage().month == client.costs().month
    assert client.costs("2024-02").month == date(2024, 2, 1)


def test_an_organization_is_owned(client: Client) -> None:
    before = client.account().organization
    changed = client.change_organization(name="Valves and more", trace_days=9, audit_days=40).organization
    assert (changed.name, changed.trace_days, changed.audit_days) == ("Valves and more", 9, 40)
    assert client.change_organization(name=before.name).organization.trace_days == 9
    claimed = client.claim_domain("Valves.example", "editor")
    assert (claimed.domain, claimed.role, claimed.verified_at) == ("valves.example", "editor", None)
    with pytest.raises(InvalidRequest, match="no DNS records"):
        client.verify_domain(claimed.id)
    assert [one.id for one in client.domains()] == [claimed.id]
    client.remove_domain(claimed.id)
    given = client.add_group_role("fitters", "admin")
    assert [(one.group, one.role) for one in client.group_roles()] == [("fitters", "admin")]
    client.remove_group_role(given.id)
    assert list(client.domains()) == list(client.group_roles()) == []
    base = client.create_knowledge_base("Shut").id
    ida, ben = (client.invite(f"{name}@valves.example", "editor").id for name in ("ida", "ben"))
    assert client.set_access(base, restricted=True, readers=[ida], writers=[ben]).restricted
    assert {one.id: one.may_write for one in client.access(base).members} == {ida: False, ben: True}
    assert not client.set_access(base, restricted=False).restricted
    with pytest.raises(Conflict, match="does not wait for the invitation"):
        client.bind_invitation(ida, "https://login.example", "ida")
    assert client.model().model is None
    assert client.check_models() == []
    assert list(client.connections()) == []
    with pytest.raises(NotFound, match="no connected assistant"):
        client.end_connection(base)
    asked = client.delete_knowledge_base(base)
    assert [one.subject.name for one in client.erasures() if one.id == asked.id] == ["Shut"]
    assert client.erasure(asked.id, asked.ticket).subject.name == "Shut"
    with pytest.raises(NotFound, match="with this ticket"):
        client.erasure(asked.id, "another")
    with pytest.raises(InvalidRequest, match="not the organization"):
        client.erase_organization("another-one")


def test_owners_prove_domains_bind_sign_ins_end_connections_and_erase(
    runtime: Runtime, other_identity: Identity, monkeypatch: pytest.MonkeyPatch
) -> None:
    records = dict[str, list[str]]()
    monkeypatch.setattr(runtime, "look_up_txt", lambda name: records.get(name, []))
    monkeypatch.setattr(runtime, "start_erasure", by_nobody)
    with (
        serving(create_app(runtime, lambda _: other_identity, local=True)) as url,
        Client(url) as owner,
        httpx.Client(base_url=url) as browser,
    ):
        claimed = owner.claim_domain("kestrel.example")
        records[claimed.txt_name] = [claimed.txt_value]
        assert owner.verify_domain(claimed.id).verified_at is not None
        invited = owner.invite("kim@kestrel.example")
        with runtime.database.unscoped() as connection:
            note_waiting(connection, "https://login.example", "k1", "kim@kestrel.example")
        ((waiting,),) = (one.waiting for one in owner.invitations() if one.id == invited.id)
        assert owner.bind_invitation(invited.id, waiting.issuer, waiting.subject).id == invited.id
        assert invited.id not in {one.id for one in owner.invitations()}
        connect_assistant(browser)
        (connected,) = owner.connections()
        assert connected.revoked_at is None
        assert owner.end_connection(connected.id).revoked_at is not None
        asked = owner.erase_organization("kestrel")
        running = owner.erasure(asked.id, asked.ticket)
        assert (running.kind, running.status, running.certificate) == ("organization", "running", None)
        while run_erasure(runtime, other_identity.organization_id, asked.id):
            continue
        ended = owner.erasure(asked.id, asked.ticket)
        assert (ended.status, ended.certificate is not None) == ("ready", True)


def connect_assistant(browser: httpx.Client) -> None:
    """As the person at `browser` allows it; verifier and challenge are those of RFC 7636, appendix B."""
    back = "http://127.0.0.1/callback"
    asks = {"client_id": browser.post("/oauth/register", json={"redirect_uris": [back]}).json()["client_id"]}
    asks["redirect_uri"] = back
    challenge = {"code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"}
    leads = browser.post("/v1/connections", json=asks | challenge).json()["redirect_to"]
    proof = {"code": httpx.URL(leads).params["code"], "code_verifier": "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"}
    browser.post("/oauth/token", data=asks | proof | {"grant_type": "authorization_code"}).raise_for_status()


def test_plots_are_drawn_and_stand_in_notebooks(client: Client, valves: tuple[UUID, UUID]) -> None:
    base, _ = valves
    (table,) = client.tables(base)
    dataset = client.create_dataset(base, [table.table_id])
    valve, opens, *_ = client.dataset_rows(dataset.id).columns
    form = {"mark": "bar", "x": {"field": valve.label}, "y": {"field": opens.label}}
    plot = client.create_plot(dataset.id, {"form": form}, name="Opening")
    assert [one.name for one in client.plots(base, dataset=dataset.id)] == ["Opening"]
    dark, light = client.draw_plot(plot.id, "svg", theme="dark"), client.draw_plot(plot.id, "svg")
    assert dark.startswith(b"<svg")
    assert dark != light
    notebook = client.create_notebook(base, "Valves")
    first = client.add_cell(notebook.id, {"kind": "plot", "plot_id": str(plot.id)}).cells[0].id
    cells = client.add_cell(notebook.id, {"kind": "markdown", "text": "# Pressure"}, before=first).cells
    assert [one.kind for one in cells] == ["markdown", "plot"]
    assert [one.kind for one in client.notebook(notebook.id, revision=notebook.revision + 1).cells] == ["plot"]
    assert [one.title for one in client.notebooks(base)] == ["Valves"]
    client.delete_notebook(notebook.id)
    client.delete_plot(plot.id)
    assert (list(client.notebooks(base)), list(client.plots(base))) == ([], [])


def test_documents_are_named_linked_and_read_again_and_records_have_kinds(
    client: Client, valves: tuple[UUID, UUID], tmp_path: Path
) -> None:
    base, document = valves
    assert client.update_document(document, name="Valves 2025", document_date=date(2025, 3, 1)).name == "Valves 2025"
    newer = tmp_path / "valves-2026.md"
    newer.write_text(VALVES.replace("3.4", "3.6"))
    done = client.wait(client.upload(newer, base))
    assert done.document_id is not None
    linked = client.link_version(done.document_id, document)
    assert {one.id for one in linked.items} == {document, done.document_id}
    assert client.wait(client.reingest(document)).status == "ready"
    schema = {"type": "object", "properties": {"no": {"type": "string"}, "bar": {"type": "number"}}}
    assert client.put_record_kind(base, "valve", schema, key_field="no").name == "valve"
    assert client.add_records(base, "valve", [{"no": "RV-9", "bar": 7.5}]).records[0].key == "RV-9"
    with pytest.raises(ApiError):
        client.fetch_page(base, "http://127.0.0.1/never")


def test_both_clients_have_the_same_methods_and_each_asks_what_the_api_has() -> None:
    names = {name for name in vars(Client) if not name.startswith("_")} - {"close", "request"}
    assert names == {name for name in vars(AsyncClient) if not name.startswith("_")} - {"close", "request"}
    assert len(names) >= 124
    document = api_document()
    asked = set[tuple[str, str]]()
    for module in (operations, conversations, curation, lab, administration):
        for name, make in vars(module).items():
            if name not in names or not inspect.isfunction(make):
                continue
            values = dict.fromkeys(inspect.signature(make).parameters, "*")
            whole = make(**values)
            # What takes several requests is looked at in its first.
            made: Any = next(whole) if inspect.isgenerator(whole) else whole
            listed = isinstance(made, wire.Listing)
            method, body = ("GET", None) if listed else (made.method, made.body)
            known = [one for one in described(document) if one.method == method and one.path.fullmatch(made.path)]
            assert known, (name, method, made.path)
            asked |= {(method, one.path.pattern) for one in known}
            assert {*made.params} <= set().union(*(one.queries for one in known)), name
            sent = set[str]() if listed else {*made.all_headers()}
            assert set().union(*(one.headers for one in known)) - CHOICES <= sent, name
            if isinstance(body, dict):
                assert {*body} <= set().union(*(one.fields for one in known)), name
    of_owners = (*ADMINISTRATION, *OWNERSHIP)
    lacking = {
        (known.method, known.path.pattern)
        for known in described(document)
        if any(known.method == one and known.path.fullmatch(place.removeprefix("/v1")) for one, place in of_owners)
    } - asked
    assert lacking == set()


class Described(NamedTuple):
    """An operation of an OpenAPI document: its path behind `/v1`, and the names of what may stand in its query, in its
    headers and in its body."""

    method: str
    path: re.Pattern[str]
    queries: set[str]
    headers: set[str]
    fields: set[str]


def described(document: dict[str, Any]) -> Iterator[Described]:

    def found(node: dict[str, Any]) -> dict[str, Any]:
        while "$ref" in node:
            steps, node = node["$ref"].removeprefix("#/").split("/"), document
            for step in steps:
                node = node[step]
        return node

    for path, methods in document["paths"].items():
        pattern = re.compile(re.sub(r"\\{\w+\\}", "[^/]+", re.escape(path.removeprefix("/v1"))))
        for method, operation in methods.items():
            parameters = [found(one) for one in operation.get("parameters", ())]
            queries, headers = ({one["name"] for one in parameters if one["in"] == at} for at in ("query", "header"))
            content = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
            schema = found(content.get("schema", {}))
            schemas = [found(one) for one in schema.get("anyOf", [schema])]
            fields = {name for one in schemas for name in one.get("properties", ())}
            yield Described(method.upper(), pattern, queries, headers, fields)


def test_what_is_not_there_is_a_typed_error_with_the_servers_words(client: Client) -> None:
    with pytest.raises(NotFound) as refused:
        client.document(uuid.uuid4())
    assert refused.value.status == 404
    assert refused.value.problem["request_id"]
    with pytest.raises(InvalidRequest) as unusable:
        client.search("x", k=1000)
    assert unusable.value.problem["errors"]


def test_any_other_operation_goes_by_its_path(client: Client) -> None:
    assert client.request("GET", "/health")["status"]


def test_the_asynchronous_client_does_the_same(live_server: str, tmp_path: Path) -> None:
    async def use() -> tuple[list[str], str, bytes]:
        async with AsyncClient(live_server) as client:
            base = await client.create_knowledge_base(f"client {uuid.uuid4().hex[:6]}")
            file = tmp_path / "pump.md"
            file.write_text("# Pumps\n\nThe pump is primed by hand.\n")
            done = await client.wait(await client.upload(file, base.id))
            assert done.document_id is not None
            names = [one.name async for one in client.documents(base.id)]
            answer = await client.ask("How is the pump primed?", knowledge_bases=[base.id])
            source = await client.source(done.document_id)
            await client.delete_knowledge_base(base.id)
            return names, answer.answer, source

    names, answer, source = asyncio.run(use())
    assert names == ["pump.md"]
    assert "by hand" in answer
    assert source.startswith(b"# Pumps")


def replies(*said: httpx.Response | Exception) -> tuple[Reply, list[httpx.Request]]:
    left, asked = list(said), []

    def reply(request: httpx.Request) -> httpx.Response:
        asked.append(request)
        answer = left.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    return reply, asked


def busy(status: int = 503, **headers: str) -> httpx.Response:
    problem = {"type": "busy", "title": "Busy", "status": status, "detail": "Later.", "request_id": "r1"}
    kind = {"content-type": "application/problem+json"}
    return httpx.Response(status, headers=kind | {n.replace("_", "-"): v for n, v in headers.items()}, json=problem)


def test_a_change_is_tried_again_under_one_key(quick: list[float]) -> None:
    said = (httpx.ConnectError("away"), busy(retry_after="3"), httpx.Response(200, json={"made": 1}))
    reply, asked = replies(*said)
    with Client("http://autri.example", "k", transport=httpx.MockTransport(reply)) as client:
        assert client.request("POST", "/things", body={"a": 1}) == {"made": 1}
    assert len({request.headers["Idempotency-Key"] for request in asked}) == 1
    assert [json.loads(request.content) for request in asked] == [{"a": 1}] * 3
    assert {request.headers["Authorization"] for request in asked} == {"Bearer k"}
    assert quick[0] <= wire.FIRST_S
    assert quick[1] == 3.0


def test_a_change_that_still_runs_is_waited_for(quick: list[float]) -> None:
    said = (httpx.ReadTimeout("slow"), busy(409, retry_after="2"), httpx.Response(201, json={"id": 7}))
    reply, asked = replies(*said)
    with Client("http://autri.example", transport=httpx.MockTransport(reply)) as client:
        assert client.request("POST", "/things") == {"id": 7}
    assert (len(asked), quick[1]) == (3, 2.0)


def test_an_answer_that_may_have_been_paid_for_is_not_asked_for_twice(quick: list[float]) -> None:
    for lost in (httpx.ReadTimeout("slow"), busy(504)):
        reply, asked = replies(lost)
        with (
            Client("http://autri.example", transport=httpx.MockTransport(reply)) as client,
            pytest.raises((Unreachable, ApiError)),
        ):
            client.ask("Why?")
        assert len(asked) == 1
    reply, asked = replies(httpx.ConnectError("away"), busy(503), busy(422))
    with (
        Client("http://autri.example", transport=httpx.MockTransport(reply)) as client,
        pytest.raises(InvalidRequest),
    ):
        client.ask("Why?")
    assert (len(asked), len(quick)) == (3, 2)


def test_a_file_that_arrived_although_the_answer_was_lost_is_followed(quick: list[float], tmp_path: Path) -> None:
    file = tmp_path / "a.md"
    file.write_text("# A\n")
    ticket = {"upload_id": str(uuid.uuid4()), "url": "/v1/x", "method": "PUT", "headers": {}, "fields": {}}
    said = (httpx.Response(201, json=ticket), httpx.ReadTimeout("slow"), busy(409), busy(404))
    reply, asked = replies(*said)
    bodies: list[bytes] = []

    def read(request: httpx.Request) -> httpx.Response:
        bodies.append(request.read())
        return reply(request)

    with Client("http://autri.example", transport=httpx.MockTransport(read)) as client, pytest.raises(NotFound):
        client.upload(file, uuid.uuid4())
    assert [request.method for request in asked] == ["POST", "PUT", "PUT", "GET"]
    assert bodies[1:3] == [b"# A\n"] * 2
    reply, asked = replies(httpx.Response(201, json=ticket), busy(409))
    with Client("http://autri.example", transport=httpx.MockTransport(reply)) as client, pytest.raises(Conflict):
        client.upload(file, uuid.uuid4())
    assert len(quick) == 1


def test_dates_and_ids_in_records_are_sent_as_text() -> None:
    reply, asked = replies(busy(422))
    values = {"made": date(2026, 5, 4), "part": uuid.UUID(int=7)}
    with (
        Client("http://autri.example", transport=httpx.MockTransport(reply)) as client,
        pytest.raises(InvalidRequest),
    ):
        client.add_records(uuid.uuid4(), "part", [values], keys=["k"])
    sent = {"kind": "part", "key": "k", "values": {"made": "2026-05-04", "part": str(uuid.UUID(int=7))}}
    assert json.loads(asked[0].content) == {"records": [sent]}


def test_tries_end_and_the_last_answer_is_the_error(quick: list[float]) -> None:
    reply, asked = replies(*[busy(429, retry_after="1") for _ in range(9)])
    with (
        Client("http://autri.example", transport=httpx.MockTransport(reply)) as client,
        pytest.raises(TooMany) as refused,
    ):
        client.me()
    assert (len(asked), refused.value.retry_after_s, str(refused.value)) == (wire.TRIES, 1.0, "Later.")
    assert len(quick) == wire.TRIES - 1


@pytest.mark.parametrize(
    ("said", "error"),
    [
        (busy(401), NotSignedIn),
        (busy(429, retry_after="3600"), TooMany),
        (busy(500), ApiError),
        (httpx.Response(302, headers={"location": "https://login.example"}), Unreachable),
    ],
)
def test_what_another_try_cannot_mend_is_not_tried_again(
    quick: list[float], said: httpx.Response, error: type[Exception]
) -> None:
    reply, asked = replies(said)
    with Client("http://autri.example", transport=httpx.MockTransport(reply)) as client, pytest.raises(error):
        client.me()
    assert len(asked) == 1
    assert not quick


def test_the_asynchronous_client_tries_again_too(quick: list[float]) -> None:
    reply, asked = replies(busy(), httpx.ReadTimeout("slow"), httpx.Response(200, json={}))

    async def use() -> None:
        async with AsyncClient("http://autri.example", transport=httpx.MockTransport(reply)) as client:
            await client.request("GET", "/health")

    asyncio.run(use())
    assert (len(asked), len(quick)) == (3, 2)


def test_nobody_there_is_said_with_the_address(quick: list[float]) -> None:
    with running_site() as site:
        port = site.port
    with Client(f"http://127.0.0.1:{port}") as client, pytest.raises(Unreachable, match=r"No answer from 127\.0\.0\.1"):
        client.me()
    assert len(quick) == wire.TRIES - 1


def test_a_password_in_the_address_is_sent_and_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    reply, asked = replies(httpx.Response(200, json={}), httpx.UnsupportedProtocol("away"))
    with Client("http://ida:p%40ss@autri.example", transport=httpx.MockTransport(reply)) as client:
        client.request("GET", "/x")
        with pytest.raises(Unreachable) as away:
            client.request("GET", "/x", params={"a": 1})
    assert asked[0].headers["Authorization"] == f"Basic {b64encode(b'ida:p@ss').decode()}"
    assert "autri.example" in caplog.text
    assert not [one for one in ("p%40ss", "p@ss", "ida") if one in caplog.text + str(away.value)]


def test_storage_elsewhere_gets_the_file_and_never_the_token(tmp_path: Path) -> None:
    """As with S3: the ticket leads to another host, which takes a form."""
    file = tmp_path / "a.md"
    file.write_text("# A\n")
    taken: list[tuple[Headers, bytes]] = []
    asked: list[Headers] = []
    storage, api = FastAPI(), FastAPI()

    @storage.post("/bucket", status_code=204)
    async def take(request: Request) -> Response:
        taken.append((request.headers, await request.body()))
        return Response(status_code=204)

    with serving(storage) as address:
        ticket = {"upload_id": str(uuid.uuid4()), "url": f"{address}/bucket", "method": "POST", "headers": {}}

        @api.post("/v1/uploads")
        def announce(request: Request) -> dict[str, Any]:
            asked.append(request.headers)
            return ticket | {"fields": {"key": "k1", "policy": "p1"}}

        with serving(api) as url, Client(url, "secret") as client, pytest.raises(NotFound):
            client.upload(file, uuid.uuid4())  # there is no ingestion to ask for
    ((headers, body),) = taken
    assert asked[0]["authorization"] == "Bearer secret"
    assert "authorization" not in headers
    assert body.index(b'name="key"') < body.index(b"# A\n")
    assert body.count(b"\r\np1\r\n") == 1
