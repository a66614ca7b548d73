"""Files that arrive, notifications that come twice, late or never, runs that nobody ends: a queued row is the truth."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
import pytest

from functions import admit
from shared.contract import MAX_UPLOAD_BYTES, REFUSED_SUFFIX, STAGES, incoming_key
from shared.domain.ids import new_id
from shared.domain.scope import Identity
from shared.errors import BadInput, Unavailable
from shared.ingestion import embed, register
from shared.ingestion.arrival import admission
from shared.ingestion.arrival.drops import HOW, DropPlace
from shared.ingestion.uploads import get_ingestion, list_ingestions, reingest
from shared.library.documents import get_document
from shared.runtime import Runtime
from shared.store.admission import Slots
from tests.e2e.test_ingestion import small_pdf
from tests.pipeline import RULES_2025, make_knowledge_base, run_all, run_stage, scope_of, upload
from tests.store.test_retention import announce


@dataclass
class Machine:
    """Executions that are started and do nothing; `ends` says how they ended."""

    started: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    ends: dict[str, str | None] = field(default_factory=dict[str, str | None])
    broken: bool = False
    quiet: bool = False
    leases = False

    def start(self, event: Mapping[str, Any]) -> None:
        if self.broken:
            raise Unavailable("The ingestion cannot be started: no machine")
        self.started.append(json.loads(json.dumps(event)))

    def end_of(self, ingestion_id: UUID) -> str | None:
        return self.ends.get(str(ingestion_id))

    def idle(self, seconds: float) -> bool:
        return self.quiet and seconds >= 60


@pytest.fixture
def machine() -> Machine:
    return Machine()


@pytest.fixture
def cloud(runtime: Runtime, machine: Machine, owner_dsn: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Runtime]:
    """The runtime as on AWS, with room for two runs; nothing of one test waits or runs in the next."""
    made = replace(runtime, workflow=machine, slots=Slots(total=3, per_organization=2))
    monkeypatch.setattr(admit, "process_runtime", lambda: made)
    yield made
    with psycopg.connect(owner_dsn) as connection:
        connection.execute("delete from knowledge_bases")
    for prefix in ("incoming/", "drop/"):
        runtime.blobs.delete_prefix(prefix)


@pytest.fixture
def base(runtime: Runtime, identity: Identity) -> UUID:
    return make_knowledge_base(runtime, identity, new_id().hex)


def created(key: str, size: int = 1, version: str | None = None) -> dict[str, Any]:
    """What EventBridge tells of a new object."""
    found: dict[str, Any] = {"key": key, "size": size} | ({"version-id": version} if version else {})
    return {"source": "aws.s3", "detail-type": "Object Created", "detail": {"bucket": {"name": "b"}, "object": found}}


def ended(status: str, event: Mapping[str, Any]) -> dict[str, Any]:
    detail = {"status": status, "input": json.dumps(dict(event))}
    return {"source": "aws.states", "detail-type": "Step Functions Execution Status Change", "detail": detail}


def tell(*messages: Any) -> list[str]:
    """Gives the function a batch; returns the places of the messages that are to come again."""
    bodies = [message if isinstance(message, str) else json.dumps(message) for message in messages]
    records = [{"messageId": str(place), "body": body} for place, body in enumerate(bodies)]
    return [one["itemIdentifier"] for one in admit.handler({"Records": records}, None)["batchItemFailures"]]


def drop(cloud: Runtime, key: str, data: bytes) -> dict[str, Any]:
    cloud.blobs.put(key, data)
    return created(key, len(data))


def refusal(cloud: Runtime, key: str) -> str:
    said = json.loads(cloud.blobs.get(key + REFUSED_SUFFIX))
    assert said["file"] == key
    return said["refused"]


def arrived(cloud: Runtime, identity: Identity, base: UUID) -> str:
    """The key of an announced file that has come."""
    ticket = announce(cloud, identity, base, 0)
    key = incoming_key(str(identity.organization_id), str(base), str(ticket.upload_id))
    cloud.blobs.put(key, b"abc")
    return key


def test_a_file_that_arrives_is_queued_and_its_run_started_once_however_often_it_is_told(
    cloud: Runtime, identity: Identity, base: UUID, machine: Machine
) -> None:
    key = arrived(cloud, identity, base)
    assert tell(created(key), created(key)) == []
    assert tell(created(key)) == []
    (event,) = machine.started
    upload_id = key.split("/")[3]
    assert event == {
        "schema": 1, "organization_id": str(identity.organization_id), "knowledge_base_id": str(base),
        "ingestion_id": upload_id, "key": key,
    }  # fmt: skip
    assert cloud.blobs.exists(key)


def test_an_end_that_is_told_before_the_beginning_and_ends_in_any_order_change_nothing_else(
    cloud: Runtime, identity: Identity, base: UUID, machine: Machine
) -> None:
    keys = [arrived(cloud, identity, base) for _ in range(4)]
    assert tell(*map(created, keys)) == []
    assert [event["key"] for event in machine.started] == keys[:2]
    first, second = machine.started
    assert tell(ended("FAILED", second), ended("FAILED", second), ended("SUCCEEDED", second)) == []
    assert tell(ended("ABORTED", first)) == []
    assert [event["key"] for event in machine.started] == keys
    states = [get_ingestion(cloud, identity, UUID(key.split("/")[3])) for key in keys]
    assert [one.status for one in states] == ["failed", "failed", "queued", "queued"]
    assert "stopped from outside" in (states[0].error or "")


def test_a_message_that_nobody_can_read_comes_again_alone_and_stops_no_other(
    cloud: Runtime, identity: Identity, base: UUID, machine: Machine
) -> None:
    key = arrived(cloud, identity, base)
    assert tell("no json", {"detail-type": "Surprise"}, created(key), created("incoming/x")) == ["0", "1", "3"]
    assert [event["key"] for event in machine.started] == [key]


def test_where_nothing_can_be_started_the_messages_come_again_and_the_run_waits(
    cloud: Runtime, identity: Identity, base: UUID, machine: Machine
) -> None:
    key, machine.broken = arrived(cloud, identity, base), True
    with pytest.raises(Unavailable):
        tell(created(key))
    machine.broken = False
    assert tell(created(key)) == []
    assert [event["key"] for event in machine.started] == [key]


def test_what_nobody_announced_and_what_comes_too_late_is_deleted_unread(
    cloud: Runtime, identity: Identity, base: UUID, machine: Machine
) -> None:
    stray = incoming_key(str(identity.organization_id), str(base), str(new_id()))
    cloud.blobs.put(stray, b"abc")
    event = upload(cloud, identity, base, small_pdf("late"))
    run_all(cloud, event, until="register")
    cloud.blobs.put(event["key"], b"forged")
    assert tell(created(stray), created(event["key"])) == []
    assert machine.started == []
    assert not cloud.blobs.exists(stray)
    assert not cloud.blobs.exists(event["key"])


def test_a_further_run_waits_for_a_slot_like_any_other(
    cloud: Runtime, identity: Identity, base: UUID, machine: Machine
) -> None:
    event = upload(cloud, identity, base, small_pdf("again"))
    document = UUID(run_all(cloud, event)["document_id"])
    assert tell(*(created(arrived(cloud, identity, base)) for _ in range(2))) == []
    again = reingest(cloud, identity, document)
    assert (again.status, len(machine.started)) == ("queued", 2)
    tell(ended("FAILED", machine.started[0]))
    assert machine.started[2]["document_id"] == str(document)
    assert machine.started[2]["ingestion_id"] == str(again.id)


def test_a_further_run_that_cannot_be_started_has_failed_and_webhooks_are_told_so(
    cloud: Runtime, identity: Identity, base: UUID, machine: Machine
) -> None:
    document = UUID(run_all(cloud, upload(cloud, identity, base, small_pdf("not again")))["document_id"])
    machine.broken, woken = True, list[bool]()
    cloud.wake_sending = lambda: woken.append(True)
    with pytest.raises(Unavailable):
        reingest(cloud, identity, document)
    assert woken == [True]
    assert get_document(cloud, identity, document).status == "ready"


def test_a_run_whose_end_nobody_told_is_found_within_minutes_and_its_slot_is_free(
    cloud: Runtime, identity: Identity, base: UUID, machine: Machine, owner_dsn: str
) -> None:
    keys = [arrived(cloud, identity, base) for _ in range(3)]
    tell(*map(created, keys))
    gone, running = (event["ingestion_id"] for event in machine.started)
    machine.ends = {gone: "TIMED_OUT"}
    assert admit.handler({"detail-type": "Scheduled Event"}, None) == {"ended": 0}, "its end may still be told"
    with psycopg.connect(owner_dsn) as connection:
        connection.execute(
            "update ingestions set admitted_at = now() - interval '6 minutes' where admitted_at is not null"
        )
    machine.quiet = True
    assert admit.handler({"detail-type": "Scheduled Event"}, None) == {"ended": 0}, "nothing runs: nobody is woken"
    machine.quiet, woken = False, list[bool]()
    cloud.wake_sending = lambda: woken.append(True)
    assert admit.handler({"detail-type": "Scheduled Event"}, None) == {"ended": 1}
    assert woken == [True]
    found = get_ingestion(cloud, identity, UUID(gone))
    assert (found.status, "longer than 7 days" in (found.error or "")) == ("failed", True)
    assert get_ingestion(cloud, identity, UUID(running)).status == "queued"
    assert [event["key"] for event in machine.started] == [*keys]


def test_what_nobody_was_told_of_is_found_by_a_redrive_which_may_be_repeated(
    cloud: Runtime, identity: Identity, base: UUID, machine: Machine
) -> None:
    key = arrived(cloud, identity, base)
    dropped = f"drop/{base}/unheard.pdf"
    cloud.blobs.put(dropped, small_pdf("unheard"))
    cloud.blobs.put("incoming/odd", b"abc")
    assert admit.handler({"redrive": True}, None)["files"] == 3
    assert admit.handler({"redrive": True}, None)["files"] == 3
    assert sorted(event["key"] for event in machine.started) == [dropped, key]


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("drop/{base}/a b.pdf", ("a b.pdf", None, None)),
        ("drop/{base}/Rules/2026.pdf", ("2026.pdf", "Rules", "2026")),
        ("drop/{base}/Rules/v1.2", ("v1.2", "Rules", "v1.2")),
        ("drop/{base}/Rules/2026.PDF", ("2026.PDF", "Rules", "2026")),
    ],
)
def test_the_key_says_name_document_and_label(key: str, expected: tuple[str, str | None, str | None]) -> None:
    base = new_id()
    assert DropPlace.from_key(key.format(base=base)) == (base, *expected)


@pytest.mark.parametrize(
    "key",
    ["drop/a.pdf", "drop/rules/a.pdf", "drop/{base}/a/b/c.pdf", "drop/{base}//a.pdf", "drop/{base}/{long}.pdf", "x/a"],
)
def test_a_key_that_says_nothing_is_refused_with_how_it_should_be(key: str) -> None:
    with pytest.raises(BadInput):
        DropPlace.from_key(key.format(base=new_id(), long="a" * 256))


def test_a_dropped_file_becomes_a_document_and_is_taken_away(
    cloud: Runtime, identity: Identity, base: UUID, machine: Machine
) -> None:
    key, data = f"drop/{base}/notes.pdf", small_pdf("dropped")
    cloud.blobs.put(key + REFUSED_SUFFIX, b"{}")
    message = drop(cloud, key, data)
    assert tell(message, message) == []
    (event,) = machine.started
    answer = run_all(cloud, event)
    document = get_document(cloud, identity, UUID(answer["document_id"]))
    assert (document.name, document.status) == ("notes.pdf", "ready")
    assert list(cloud.blobs.list("drop/")) == []
    copies = list(cloud.blobs.list(f"sources/{identity.organization_id}/{base}/"))
    assert [cloud.blobs.get(copy) for copy in copies] == [data]
    assert tell(message) == [], "told once more after it is gone"
    assert len(machine.started) == 1


def test_the_same_bytes_dropped_twice_are_one_document(
    cloud: Runtime, identity: Identity, base: UUID, machine: Machine
) -> None:
    data = small_pdf("same")
    for name in ("one.pdf", "two.pdf"):
        assert tell(drop(cloud, f"drop/{base}/{name}", data)) == []
    first, second = machine.started
    document = run_all(cloud, first)["document_id"]
    assert run_all(cloud, second) == {"outcome": "duplicate", "document_id": document}
    assert list(cloud.blobs.list("drop/")) == []
    assert [one.duplicate for one in list_ingestions(cloud, identity, base)] == [True, False]


def test_files_of_one_folder_are_versions_of_one_document_with_their_labels(
    cloud: Runtime, identity: Identity, base: UUID, machine: Machine
) -> None:
    for label in ("2025", "2026"):
        assert tell(drop(cloud, f"drop/{base}/Rule book/{label}.pdf", small_pdf(label))) == []
    found = [get_document(cloud, identity, UUID(run_all(cloud, event)["document_id"])) for event in machine.started]
    versions = [document.version for document in found]
    assert [v and (v.label, v.index, v.logical_document_name) for v in versions] == [
        ("2025", 1, "Rule book"),
        ("2026", 2, "Rule book"),
    ]


@pytest.mark.parametrize(
    ("name", "size", "reason"),
    [
        ("huge.pdf", MAX_UPLOAD_BYTES + 1, "the limit is"),
        ("empty.pdf", 0, "is empty"),
        ("table.numbers", 9, "spreadsheet"),
        ("a/b/c.pdf", 9, HOW),
    ],
)
def test_what_cannot_be_taken_in_is_refused_unread_and_stays(
    cloud: Runtime, base: UUID, machine: Machine, name: str, size: int, reason: str
) -> None:
    key = f"drop/{base}/{name}"
    cloud.blobs.put(key, b"bytes")
    assert tell(created(key, size)) == []
    assert reason in refusal(cloud, key)
    assert tell(created(key + REFUSED_SUFFIX)) == [], "what is said starts nothing"
    assert machine.started == []
    assert cloud.blobs.get(key) == b"bytes"


@pytest.mark.parametrize("base_name", ["0190a1b2-0000-7000-8000-000000000001", "rules"])
def test_a_file_for_no_knowledge_base_is_refused_and_stays(cloud: Runtime, machine: Machine, base_name: str) -> None:
    key = f"drop/{base_name}/a.pdf"
    assert tell(drop(cloud, key, small_pdf("lost"))) == []
    assert "knowledge base" in refusal(cloud, key)
    assert machine.started == []
    assert cloud.blobs.exists(key)


def test_a_dropped_file_that_cannot_be_opened_is_refused_beside_it_every_time_it_is_dropped(
    cloud: Runtime, identity: Identity, base: UUID, machine: Machine
) -> None:
    data = b"%PDF-1.7 and nothing else"
    for name in ("broken.pdf", "again.pdf"):
        key = f"drop/{base}/{name}"
        tell(drop(cloud, key, data))
        run_all(cloud, machine.started[-1])
        assert "PDF" in refusal(cloud, key)
        assert cloud.blobs.get(key) == data
        assert register.run(cloud, machine.started[-1])["outcome"] == "duplicate", "the stage may run twice"
        assert cloud.blobs.exists(key)
    assert {one.status for one in list_ingestions(cloud, identity, base)} == {"refused"}


def test_a_dropped_file_whose_run_fails_stays_and_says_so_until_it_is_dropped_again(
    cloud: Runtime, identity: Identity, base: UUID, machine: Machine
) -> None:
    key, data = f"drop/{base}/late.pdf", small_pdf("late")
    tell(drop(cloud, key, data))
    tell(ended("TIMED_OUT", machine.started[0]))
    said = refusal(cloud, key)
    assert "took longer than" in said
    assert "put it there again" in said
    assert cloud.blobs.get(key) == data
    assert tell({**created(key, len(data), "second"), "again": True}) == []
    run_all(cloud, {**machine.started[1]})
    assert list(cloud.blobs.list("drop/")) == []


def test_of_a_dropped_file_in_custody_nothing_is_said_beside_where_it_was(
    cloud: Runtime, identity: Identity, base: UUID, machine: Machine
) -> None:
    tell(drop(cloud, f"drop/{base}/taken.pdf", small_pdf("taken")))
    registered = run_stage(cloud, "register", machine.started[0])
    tell(ended("ABORTED", {**machine.started[0], **registered}))
    assert [one.status for one in list_ingestions(cloud, identity, base)] == ["failed"]
    assert list(cloud.blobs.list("drop/")) == []


def test_a_stage_that_dies_while_it_takes_a_dropped_file_goes_on_where_it_was(
    cloud: Runtime, identity: Identity, base: UUID, machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    key, data = f"drop/{base}/killed.pdf", small_pdf("killed")
    tell(drop(cloud, key, data))
    monkeypatch.setattr(register, "format_of", lambda *_: Path("/nowhere").read_bytes())
    with pytest.raises(FileNotFoundError):
        register.run(cloud, machine.started[0])
    assert cloud.blobs.get(key) == data
    monkeypatch.undo()
    answer = run_all(cloud, machine.started[0])
    assert get_document(cloud, identity, UUID(answer["document_id"])).status == "ready"
    assert not cloud.blobs.exists(key)


def test_embedding_that_takes_longer_than_its_time_stores_what_it_has_and_goes_on(
    cloud: Runtime, identity: Identity, base: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = run_all(cloud, upload(cloud, identity, base, RULES_2025.read_bytes()), until="finalize")
    monkeypatch.setattr(embed, "BUDGET_S", 0.0)
    for _ in range(2):
        with pytest.raises(Unavailable, match="follows in the next"):
            embed.run(cloud, answer)
    monkeypatch.undo()
    with cloud.database.transaction(scope_of(identity, base)) as connection:
        row = connection.execute("select count(*) as many from chunk_vectors").fetchone()
    assert row == {"many": 2 * embed.BATCH}
    assert embed.run(cloud, answer)["embedded"] > 0
    assert run_stage(cloud, "publish", answer)["status"] == "ready"
    (stage,) = (stage for stage in STAGES if stage.name == "embed")
    assert stage.timeout_s > embed.BUDGET_S + 240


def test_on_one_machine_nothing_is_dispatched(runtime: Runtime, identity: Identity, base: UUID) -> None:
    upload(runtime, identity, base, small_pdf("here"))
    assert (admission.dispatch(runtime), admission.look(runtime)) == (0, 0)
