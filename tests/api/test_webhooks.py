"""Webhooks: who may make one, what it is told, how that is signed, tried again and given up."""

import base64
import hashlib
import hmac
import json
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
import pytest

from functions import send
from shared.adapters.web import WebPoster
from shared.contract import SENDING_DUE
from shared.domain.evaluation import GoldInput, GoldPlace, Parameters
from shared.domain.notes import NewNote
from shared.domain.plans import PlanSettings
from shared.domain.scope import Identity
from shared.domain.webhooks import EVENTS, asked_wait, signed_headers
from shared.errors import BadInput, NotFound, Unavailable
from shared.evaluation.runs import continue_run, start_run
from shared.ingestion import mark_failed
from shared.ingestion.posting.notes import post_note
from shared.library.webhook_sending import WebhookSender
from shared.runtime import Runtime
from shared.store import ingestions, webhooks
from tests.api.conftest import Client, Run
from tests.conftest import add_member, as_superuser
from tests.patience import PATIENCE_S
from tests.pipeline import make_knowledge_base, scope_of, upload

NUMBERS = count(1)


@dataclass
class Receiver:
    """What arrived, and what is answered: by path a status, or a function that is called with the request."""

    port: int
    got: list[tuple[str, dict[str, str], bytes]] = field(default_factory=list[Any])
    answers: dict[str, int | Callable[[], int]] = field(default_factory=dict[str, Any])
    retry_after: dict[str, str] = field(default_factory=dict[str, str])

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.port}{path}"

    def told(self, path: str) -> list[dict[str, Any]]:
        return [json.loads(body) for there, _, body in self.got if there == path]

    def ids(self, path: str) -> list[str]:
        return [headers["webhook-id"] for there, headers, _ in self.got if there == path]


@pytest.fixture(scope="module")
def receiver(runtime: Runtime) -> Iterator[Receiver]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            made.got.append((self.path, {name.lower(): value for name, value in self.headers.items()}, body))
            answer = made.answers.get(self.path, 204)
            status = answer() if callable(answer) else answer
            try:
                self.send_response(status)
                self.send_header("Location", made.url("/elsewhere"))
                if wanted := made.retry_after.get(self.path):
                    self.send_header("Retry-After", wanted)
                self.end_headers()
            except OSError:
                return

        def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    made = Receiver(server.server_port)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    runtime.post = WebPoster([f"127.0.0.1:{server.server_port}"], total_s=0.5)
    yield made
    server.shutdown()
    server.server_close()
    thread.join()


@dataclass
class Clock:
    now: datetime

    def __call__(self) -> datetime:
        return self.now

    def goes(self, **by: float) -> None:
        self.now += timedelta(**by)


class Desk:
    """A knowledge base with a webhook of its own path, and who sends at a time of the test's choice."""

    def __init__(self, runtime: Runtime, identity: Identity, client: Client, receiver: Receiver, name: str) -> None:
        self.runtime, self.identity, self.client, self.receiver = runtime, identity, client, receiver
        self.base, self.path = make_knowledge_base(runtime, identity, name), f"/{name}"
        self.clock = Clock(datetime.now(UTC) + timedelta(hours=1))
        self.made = self.add(self.path)

    def add(self, path: str, **more: Any) -> dict[str, Any]:
        body = {"knowledge_base_id": str(self.base), "url": self.receiver.url(path), **more}
        answer = self.client.post("/v1/webhooks", json=body)
        assert answer.status_code == 201, answer.text
        return answer.json()

    def note(self, text: str) -> UUID:
        return post_note(self.runtime, self.identity, self.base, NewNote(text=text)).id

    def send(self) -> None:
        with WebhookSender(self.runtime, self.clock, lambda: 0.5) as sending:
            assert not sending.send_due(20)

    def ask(self, method: str, path: str = "", **options: Any) -> Any:
        answer = self.client(method, f"/v1/webhooks/{self.made['id']}{path}", **options)
        assert answer.status_code < 300, answer.text
        return answer.json()

    def deliveries(self) -> list[dict[str, Any]]:
        return self.ask("GET", "/deliveries")["items"]


@pytest.fixture
def desk(runtime: Runtime, identity: Identity, client: Client, receiver: Receiver) -> Iterator[Desk]:
    made = Desk(runtime, identity, client, receiver, f"desk-{next(NUMBERS)}")
    yield made
    client.delete(f"/v1/webhooks/{made.made['id']}")


def signatures_by_hand(secret: str, headers: dict[str, str], body: bytes) -> str:
    """As the Standard Webhooks specification says it, and nothing of ours."""
    assert secret.startswith("whsec_")
    content = b".".join([headers["webhook-id"].encode(), headers["webhook-timestamp"].encode(), body])
    return "v1," + base64.b64encode(hmac.digest(base64.b64decode(secret[6:]), content, hashlib.sha256)).decode()


def test_the_published_vector_of_the_specification_is_signed_as_published() -> None:
    at = datetime.fromtimestamp(1614265330, UTC)
    secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    headers = signed_headers("msg_p5jXN8AQM9LWM0D4loKWxJek", at, b'{"test": 2432232314}', [secret])
    assert headers == {
        "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
        "webhook-timestamp": "1614265330",
        "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    }


def test_what_the_documentation_verifies_with_takes_what_is_sent_and_nothing_else() -> None:
    page = (Path(__file__).parents[2] / "docs/webhooks.md").read_text()
    named: dict[str, Any] = {}
    exec(page.split("```python\n")[1].split("```")[0], named)  # noqa: S102 the page's own lines
    body, secrets = b'{"type":"webhook.test"}', ["whsec_" + base64.b64encode(bytes([n] * 32)).decode() for n in (1, 2)]
    now = datetime.now(UTC)
    cases = [
        (secrets[1], signed_headers("a", now, body, secrets), body, True),
        (secrets[1], signed_headers("a", now, body, secrets[:1]), body, False),
        (secrets[0], signed_headers("a", now, body, secrets), body + b" ", False),
        (secrets[0], signed_headers("a", now, body, secrets) | {"webhook-id": "b"}, body, False),
        (secrets[0], signed_headers("a", now - timedelta(minutes=6), body, secrets), body, False),
    ]
    assert [named["is_genuine"](*case[:3]) for case in cases] == [case[3] for case in cases]
    told = json.dumps([[secret, headers, sent.decode()] for secret, headers, sent, _ in cases])
    script = (
        page.split("```js\n")[1].split("```")[0] + f"console.log(JSON.stringify({told}.map((c) => isGenuine(...c))))"
    )
    done = subprocess.run(["node", "--input-type=module", "-e", script], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == [case[3] for case in cases]


def test_a_document_that_is_ready_is_told_signed_and_without_its_text(desk: Desk) -> None:
    document = desk.note("# Moorings\n\nThe secret harbour lies behind the lighthouse.")
    desk.send()
    [(_, headers, body)] = [one for one in desk.receiver.got if one[0] == desk.path]
    assert headers["webhook-signature"] == signatures_by_hand(desk.made["secret"], headers, body)
    assert headers["content-type"] == "application/json"
    assert abs(int(headers["webhook-timestamp"]) - desk.clock.now.timestamp()) < 2
    told = json.loads(body)
    data = told["data"]
    assert told["type"] == "document.ready"
    assert datetime.fromisoformat(told["timestamp"]).tzinfo is not None
    assert (data["document_id"], data["knowledge_base_id"]) == (str(document), str(desk.base))
    assert (data["status"], data["pages"], data["name"]) == ("ready", 1, "Moorings")
    assert data["chunks"] >= 1
    assert desk.client.get(data["document"]).json()["id"] == str(document)
    assert desk.client.get(data["ingestion"]).json()["document_id"] == str(document)
    assert b"harbour" not in body
    [delivery] = desk.deliveries()
    assert (delivery["id"], delivery["state"], delivery["status"]) == (headers["webhook-id"], "delivered", 204)
    desk.clock.goes(days=2)
    desk.send()
    assert len(desk.receiver.told(desk.path)) == 1


def test_a_run_that_fails_is_told_once(desk: Desk) -> None:
    sent = upload(desk.runtime, desk.identity, desk.base, b"%PDF-1.7 broken", "broken.pdf")
    for _ in range(2):
        mark_failed.run(desk.runtime, {"key": sent["key"], "error": {"Cause": "the words of page 3"}})
    desk.send()
    [told] = desk.receiver.told(desk.path)
    assert (told["type"], told["data"]["status"], told["data"]["name"]) == ("document.failed", "failed", "broken.pdf")
    assert (told["data"]["document_id"], told["data"]["document"]) == (None, None)
    assert "words of page" not in json.dumps(told)


def test_what_is_rolled_back_is_not_told(desk: Desk) -> None:
    sent = upload(desk.runtime, desk.identity, desk.base, b"%PDF-1.7 broken", "broken.pdf")
    with desk.runtime.database.transaction(scope_of(desk.identity, desk.base)) as connection:
        assert ingestions.fail(connection, UUID(sent["upload_id"]), "no")
        rows = connection.execute("select event from webhook_deliveries").fetchall()
        assert [row["event"] for row in rows] == ["document.failed"]
        connection.rollback()
    desk.send()
    assert desk.receiver.told(desk.path) == []


@pytest.mark.parametrize(("least", "events"), [(1.0, ["evaluation.below_floor"]), (0.0, [])])
def test_an_evaluation_is_told_where_it_falls_below_a_floor(desk: Desk, least: float, events: list[str]) -> None:
    desk.note("# Anchors\n\nAn anchor weighs forty kilograms.")
    place = GoldPlace(document="Anchors", page=9)
    asked = [GoldInput(question="What is a submarine made of?", expected=[place])]
    parameters = Parameters(floors={"hybrid.recall@10": least}, ask=False)
    run = start_run(desk.runtime, desk.identity, desk.base, "gold.jsonl", parameters, asked)
    run = continue_run(desk.runtime, desk.identity, desk.base, run.id)
    assert run.status == "done"
    desk.send()
    told = [one for one in desk.receiver.told(desk.path) if one["type"].startswith("evaluation")]
    assert [one["type"] for one in told] == events
    for one in told:
        [below] = one["data"]["below"]
        assert (below["measure"], below["least"], one["data"]["questions"]) == ("hybrid.recall@10", 1.0, 1)
        assert desk.client.get(one["data"]["evaluation"]).json()["id"] == str(run.id)
        assert "submarine" not in json.dumps(one)


def test_what_fails_is_tried_again_under_its_id_and_then_given_up(desk: Desk) -> None:
    desk.receiver.answers[desk.path] = 500
    desk.note("# Buoys\n\nA buoy is red.")
    waits = [30, 120, 480, 1_920, 7_680, 30_720, 43_200]
    for attempts, wait in enumerate(waits, 1):
        desk.send()
        [delivery] = desk.deliveries()
        assert (delivery["attempts"], delivery["state"], delivery["status"]) == (attempts, "waiting", 500)
        assert datetime.fromisoformat(delivery["due_at"]) == desk.clock.now + timedelta(seconds=wait)
        desk.clock.goes(seconds=wait - 1)
        desk.send()
        assert len(desk.receiver.told(desk.path)) == attempts
        desk.clock.goes(seconds=1)
    desk.send()
    [delivery] = desk.deliveries()
    assert (delivery["attempts"], delivery["state"], delivery["due_at"]) == (8, "failed", None)
    assert len(set(desk.receiver.ids(desk.path))) == 1
    stamps = [int(headers["webhook-timestamp"]) for path, headers, _ in desk.receiver.got if path == desk.path]
    assert stamps[-1] - stamps[0] == sum(waits)


@pytest.mark.parametrize("form", ["seconds", "date"])
def test_a_receiver_that_names_a_time_is_left_alone_until_then(desk: Desk, form: str) -> None:
    """The first wait would be 30 s, and what else waits for the receiver would wait for 30 s."""
    until = desk.clock.now + timedelta(seconds=600)
    desk.receiver.answers[desk.path] = 503
    desk.receiver.retry_after[desk.path] = "600" if form == "seconds" else format_datetime(until, usegmt=True)
    desk.note("Oil.")
    desk.note("Water.")
    desk.send()
    assert len(desk.receiver.ids(desk.path)) == 1
    desk.receiver.answers[desk.path] = 204
    desk.clock.goes(seconds=595)
    desk.send()
    assert len(desk.receiver.ids(desk.path)) == 1
    desk.clock.goes(seconds=6)
    desk.send()
    assert len(desk.receiver.ids(desk.path)) == 3
    assert {one["state"] for one in desk.deliveries()} == {"delivered"}


@pytest.mark.parametrize(
    ("said", "seconds"),
    [
        (None, 0), ("", 0), ("0", 0), ("90", 90), (" 90 ", 90), ("-5", 0), ("1e9", 0), ("soon", 0), ("²", 0),
        ("999999999", 12 * 3600), ("9" * 64, 12 * 3600), ("Thu, 26 Nov 2026 10:01:30 GMT", 90),
        ("Thu, 26 Nov 2026 09:00:00 GMT", 0), ("Thu, 26 Nov 2099 10:01:30 GMT", 12 * 3600),
        ("Thu, 26 Nov 2026 11:01:30 +0100", 90), ("Thu, 26 Nov 99999 10:01:30 GMT", 0),
    ],
)  # fmt: skip
def test_how_long_a_receiver_is_left_alone_is_bounded(said: str | None, seconds: int) -> None:
    assert asked_wait(said, datetime(2026, 11, 26, 10, 0, tzinfo=UTC)) == timedelta(seconds=seconds)


def test_what_is_sent_again_by_hand_has_the_same_id_and_body(desk: Desk) -> None:
    desk.note("# Sails\n\nA sail is white.")
    desk.send()
    [delivery] = desk.deliveries()
    assert desk.ask("POST", f"/deliveries/{delivery['id']}/again")["state"] == "waiting"
    desk.send()
    assert desk.receiver.ids(desk.path) == [delivery["id"]] * 2
    first, second = [body for path, _, body in desk.receiver.got if path == desk.path]
    assert first == second


def test_a_slow_receiver_holds_up_no_other_and_is_tried_again(desk: Desk) -> None:
    released = threading.Event()
    desk.receiver.answers[desk.path] = lambda: 200 if released.wait(PATIENCE_S) else 500
    desk.add("/quick")
    with WebhookSender(desk.runtime, desk.clock, lambda: 0.5) as sending:
        desk.note("# Oars\n\nAn oar is long.")
        desk.note("# Ropes\n\nA rope is longer.")
        sending.send_due(20)
    released.set()
    assert len(desk.receiver.told("/quick")) == 2
    # The one that hangs has had one attempt of half a second, and is left alone for a while.
    assert len(desk.receiver.told(desk.path)) == 1
    states = {one["attempts"]: (one["state"], one["status"]) for one in desk.deliveries()}
    assert states == {1: ("waiting", None), 0: ("waiting", None)}
    desk.clock.goes(seconds=31)
    desk.send()
    assert {one["state"] for one in desk.deliveries()} == {"delivered"}


def test_a_turn_ends_with_the_attempt_under_way_once_its_time_is_over(desk: Desk) -> None:
    for number in range(3):
        desk.note(f"# Knot {number}\n\nIt is number {number}.")
    with WebhookSender(desk.runtime, desk.clock) as sending:
        assert sending.send_due(0)
    assert len(desk.receiver.told(desk.path)) == 1
    desk.send()
    assert len(desk.receiver.told(desk.path)) == 3


def test_the_function_notes_when_to_look_before_it_sends_and_for_a_day_later_at_most(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def due_at() -> datetime:
        return datetime.fromisoformat(json.loads(desk.runtime.blobs.get(SENDING_DUE))["due_at"])

    def answer() -> int:
        noted.append(due_at())
        return 204

    noted, tick = list[datetime](), {"tick": True}
    monkeypatch.setattr(send, "process_runtime", lambda: desk.runtime)
    with suppress(NotFound):
        desk.runtime.blobs.delete(SENDING_DUE)
    assert send.handler(tick, None) == {"more": False, "looked": True}
    assert timedelta() < due_at() - datetime.now(UTC) <= timedelta(days=1)
    assert send.handler(tick, None)["looked"] is False
    desk.receiver.answers[desk.path] = answer
    desk.ask("POST", "/test")
    assert send.handler({}, None)["looked"] is True
    assert [one <= datetime.now(UTC) for one in noted] == [True]
    send.handler({"detail": {"status": "TIMED_OUT"}}, None)
    assert due_at() - datetime.now(UTC) <= timedelta(minutes=1)


def test_what_a_knowledge_base_that_is_being_deleted_has_to_tell_is_not_due(desk: Desk, owner_dsn: str) -> None:
    def due() -> tuple[bool, datetime | None]:
        with desk.runtime.database.unscoped() as connection:
            found = webhooks.due_webhooks(connection, desk.clock.now, 1000)
            return UUID(desk.made["id"]) in {one.webhook_id for one in found}, webhooks.next_due(connection)

    _, before = due()
    desk.ask("POST", "/test")
    here, now = due()
    assert (here, now == before) == (True, False)
    with psycopg.connect(as_superuser(owner_dsn)) as connection:
        connection.execute("update knowledge_bases set erasing_at = now() where id = %s", (desk.base,))
    assert due() == (False, before)


def test_a_wake_that_fails_is_logged_and_what_happened_stays(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail() -> None:
        raise Unavailable("No bucket.")

    monkeypatch.setattr(desk.runtime, "wake_sending", fail)
    desk.note("# Winches\n\nA winch turns.")
    desk.ask("POST", "/test")
    assert [one.getMessage() for one in caplog.records if one.name == "autri.runtime"] == [
        "sending could not be woken: Unavailable: No bucket."
    ] * 2
    assert len(desk.deliveries()) == 2


def test_a_redirect_is_not_followed(desk: Desk) -> None:
    desk.receiver.answers[desk.path] = 302
    desk.ask("POST", "/test")
    desk.send()
    assert desk.deliveries()[0]["error"] == "The receiver answered 302."
    assert desk.receiver.told("/elsewhere") == []


def test_two_senders_at_once_send_each_thing_once(desk: Desk) -> None:
    for number in range(6):
        desk.note(f"# Note {number}\n\nIt is number {number}.")
    threads = [threading.Thread(target=desk.send) for _ in range(3)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    ids = desk.receiver.ids(desk.path)
    assert len(ids) == len(set(ids)) == 6


def test_what_a_sender_that_died_has_leased_is_sent_by_the_next(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    def die(_url: str, _body: bytes, _headers: object) -> int:
        raise SystemExit

    desk.ask("POST", "/test")
    with monkeypatch.context() as patched:
        patched.setattr(desk.runtime, "post", die)
        with WebhookSender(desk.runtime, desk.clock) as sending:
            assert sending.start_due() == 1
    desk.send()
    assert desk.receiver.told(desk.path) == []
    desk.clock.goes(seconds=91)
    desk.send()
    assert len(desk.receiver.told(desk.path)) == 1


def test_whose_receiver_takes_nothing_for_days_is_disabled_and_the_audit_log_says_so(desk: Desk) -> None:
    desk.receiver.answers[desk.path] = 503
    desk.ask("POST", "/test")
    desk.send()
    assert desk.ask("GET")["failing_since"] is not None
    desk.clock.goes(days=3, seconds=-1)
    desk.ask("POST", "/test")
    desk.send()
    assert desk.ask("GET")["disabled_at"] is None
    desk.clock.goes(seconds=60)
    desk.send()
    told = desk.ask("GET")
    assert (told["disabled_at"] is not None, told["waiting"]) == (True, 0)
    [entry] = [
        one
        for one in desk.client.get("/v1/audit?act=webhook.disable").json()["items"]
        if one["subject_id"] == desk.made["id"]
    ]
    assert (entry["user_id"], entry["details"]["why"]) == (None, "The receiver answered 503.")
    desk.note("# Hulls\n\nA hull is wet.")
    assert all(one["event"] == "webhook.test" for one in desk.deliveries())
    assert desk.client.post(f"/v1/webhooks/{desk.made['id']}/test").status_code == 409
    desk.receiver.answers[desk.path] = 200
    desk.ask("POST", "/enable")
    desk.note("# Decks\n\nA deck is dry.")
    desk.send()
    assert desk.deliveries()[0]["state"] == "delivered"
    assert desk.ask("GET")["failing_since"] is None


def test_the_audit_log_names_the_host_of_a_webhook_and_nothing_else_of_its_address(desk: Desk) -> None:
    made = desk.add("/the-secret-path")["id"]
    assert desk.client.delete(f"/v1/webhooks/{made}").is_success
    entries = [one for one in desk.client.get("/v1/audit?act=webhook").json()["items"] if one["subject_id"] == made]
    assert {(one["act"], one["details"]["host"]) for one in entries} == {
        ("webhook.add", "127.0.0.1"), ("webhook.remove", "127.0.0.1"),
    }  # fmt: skip
    assert "the-secret-path" not in json.dumps(entries)


def test_why_a_webhook_is_disabled_does_not_name_its_address(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(url: str, _body: bytes, _headers: object) -> int:
        raise Unavailable(f"{url} does not answer. Try again.")

    desk.ask("POST", "/test")
    monkeypatch.setattr(desk.runtime, "post", fail)
    desk.send()
    desk.clock.goes(days=3)
    desk.send()
    entries = desk.client.get("/v1/audit?act=webhook.disable").json()["items"]
    assert [one["details"]["why"] for one in entries if one["subject_id"] == desk.made["id"]] == [
        "127.0.0.1 does not answer."
    ]


def test_a_receiver_that_is_gone_is_disabled_at_once(desk: Desk) -> None:
    desk.receiver.answers[desk.path] = 410
    desk.ask("POST", "/test")
    desk.send()
    assert desk.ask("GET")["disabled_at"] is not None


def test_while_a_secret_is_rotated_both_sign_and_then_the_new_one_alone(desk: Desk) -> None:
    first = desk.made["secret"]
    second = desk.ask("POST", "/rotate", json={"overlap_hours": 2})["secret"]
    assert second != first
    for _ in range(2):
        desk.ask("POST", "/test")
        desk.send()
        desk.clock.goes(hours=3)
    (_, early, body), (_, late, later) = [one for one in desk.receiver.got if one[0] == desk.path]
    both = {signatures_by_hand(one, early, body) for one in (first, second)}
    assert set(early["webhook-signature"].split(" ")) == both
    assert late["webhook-signature"] == signatures_by_hand(second, late, later)


def test_without_an_overlap_the_former_secret_signs_nothing_more(desk: Desk) -> None:
    second = desk.ask("POST", "/rotate", json={"overlap_hours": 0})["secret"]
    desk.ask("POST", "/test")
    desk.send()
    [(_, headers, body)] = [one for one in desk.receiver.got if one[0] == desk.path]
    assert headers["webhook-signature"] == signatures_by_hand(second, headers, body)


def test_the_secret_is_told_once_and_kept_sealed(desk: Desk) -> None:
    secret = desk.made["secret"]
    key = {"Idempotency-Key": "once"}
    made = desk.client.post(
        "/v1/webhooks", json={"knowledge_base_id": str(desk.base), "url": "https://a.example/"}, headers=key
    )
    again = desk.client.post(
        "/v1/webhooks", json={"knowledge_base_id": str(desk.base), "url": "https://a.example/"}, headers=key
    )
    assert made.json()["secret"].startswith("whsec_")
    assert again.json() == made.json() | {"secret": None}
    assert "secret" not in desk.ask("GET")
    with desk.runtime.database.transaction(scope_of(desk.identity, desk.base)) as connection:
        stored = connection.execute("select w::text as row from webhooks w").fetchall()
    raw = secret.removeprefix("whsec_")
    assert len(stored) == 2
    assert not any(raw in row["row"] for row in stored)


def test_only_what_it_wants_to_know_is_told(desk: Desk) -> None:
    desk.add("/failures", events=["document.failed"])
    desk.note("# Keels\n\nA keel is deep.")
    desk.send()
    assert (len(desk.receiver.told(desk.path)), desk.receiver.told("/failures")) == (1, [])
    assert desk.made["events"] == list(EVENTS)


@pytest.mark.parametrize("role", ["editor", "viewer"])
def test_who_does_not_administer_neither_makes_nor_sees_one(
    desk: Desk, owner_dsn: str, client_of: Callable[[Identity], Client], role: str
) -> None:
    them = client_of(add_member(desk.runtime, owner_dsn, "local", role))
    body = {"knowledge_base_id": str(desk.base), "url": "https://a.example/"}
    assert them.post("/v1/webhooks", json=body).status_code == 403
    one = f"/v1/webhooks/{desk.made['id']}"
    for method, path in [
        ("GET", "/v1/webhooks"), ("GET", one), ("DELETE", one), ("POST", f"{one}/test"), ("GET", f"{one}/deliveries"),
        ("POST", f"{one}/enable"),
    ]:  # fmt: skip
        assert them(method, path).status_code == 403, (method, path)
    assert them.post(f"{one}/rotate", json={}).status_code == 403


def test_of_another_organization_nothing_is_there_and_nothing_is_told(
    desk: Desk, other_identity: Identity, client_of: Callable[[Identity], Client]
) -> None:
    desk.ask("POST", "/test")
    them = client_of(other_identity)
    body = {"knowledge_base_id": str(desk.base), "url": "https://a.example/"}
    assert them.post("/v1/webhooks", json=body).status_code == 404
    assert them.get("/v1/webhooks").json()["items"] == []
    one = f"/v1/webhooks/{desk.made['id']}"
    for method, path in [("GET", one), ("DELETE", one), ("POST", f"{one}/test"), ("GET", f"{one}/deliveries")]:
        assert them(method, path).status_code == 404, (method, path)
    base = make_knowledge_base(desk.runtime, other_identity, "theirs")
    post_note(desk.runtime, other_identity, base, NewNote(text="# Theirs\n\nNobody else's."))
    desk.send()
    assert [one["type"] for one in desk.receiver.told(desk.path)] == ["webhook.test"]


def test_a_plan_says_how_many(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    body = {"knowledge_base_id": str(desk.base), "url": "https://a.example/"}
    for plan, words in (("free", "does not include webhooks"), ("personal", "includes 3 webhooks")):
        monkeypatch.setattr(desk.runtime, "limits", PlanSettings(plan))
        answers = [desk.client.post("/v1/webhooks", json=body) for _ in range(4)]
        assert answers[-1].status_code == 402, answers[-1].text
        assert words in answers[-1].json()["detail"]


@pytest.mark.parametrize(
    "url",
    [
        "http://a.example/", "https://a.example:8443/", "https://127.0.0.1/", "https://[::1]/",
        "https://169.254.169.254/", "https://10.0.0.1/", "https://ada:secret@a.example/",
        "ftp://a.example/", "https://[::ffff:127.0.0.1]/", "nothing",
    ],
)  # fmt: skip
def test_an_address_that_nothing_is_sent_to_is_refused(url: str) -> None:
    with pytest.raises(BadInput):
        WebPoster().check(url)


def test_such_an_address_makes_no_webhook(desk: Desk) -> None:
    body = {"knowledge_base_id": str(desk.base), "url": "http://a.example/"}
    answer = desk.client.post("/v1/webhooks", json=body)
    assert (answer.status_code, "begins with https://" in answer.text) == (422, True)
    assert len(desk.client.get(f"/v1/webhooks?knowledge_base_id={desk.base}").json()["items"]) == 1


@pytest.mark.parametrize("address", ["127.0.0.1", "10.0.0.1", "169.254.169.254", "::1", "fd00::1", "64:ff9b::7f00:1"])
def test_a_name_that_means_one_of_our_own_hosts_is_sent_nothing(address: str) -> None:
    post = WebPoster(resolve_name=lambda _name, _port: ["1.1.1.1", address])
    with pytest.raises(BadInput, match="no host of the public internet"):
        post("https://innocent.example/", b"{}", {})


def test_an_answer_that_trickles_is_cut_off(receiver: Receiver) -> None:
    def drip() -> int:
        threading.Event().wait(3)
        return 200

    receiver.answers["/drip"] = drip
    with pytest.raises(Unavailable, match="not in time"):
        WebPoster([f"127.0.0.1:{receiver.port}"], total_s=0.2)(receiver.url("/drip"), b"{}", {})


def test_the_command_line_does_all_of_it(run: Run) -> None:
    assert run("kb", "create", "Boats", "--json").code == 0
    made = run("webhook", "add", "https://a.example/hook", "--kb", "boats", "--event", "document.ready", "--json")
    assert made.json["secret"].startswith("whsec_")
    assert made.json["events"] == ["document.ready"]
    assert "https://a.example/hook" in run("webhook", "list", "--kb", "boats").out
    assert run("webhook", "test", "https://a.example/hook").code == 0
    [told] = run("webhook", "deliveries", made.json["id"], "--json").json
    assert told["event"] == "webhook.test"
    assert run("webhook", "rotate", made.json["id"], "--json").json["secret"] != made.json["secret"]
    assert run("webhook", "remove", made.json["id"]).code == 0
    assert "No webhook yet" in run("webhook", "list").out
