"""What happens in a deployment is told to a receiver: by the events of its own state machine and bucket, signed, and
again after a failure."""

import base64
import hashlib
import hmac
import json
import time
from dataclasses import dataclass
from typing import Any

import httpx
import pytest

from tests.api.files import three_pages
from tests.aws.customer import ok, upload, wait
from tests.aws.system import System
from tests.patience import PATIENCE_S

pytestmark = pytest.mark.aws
FRESH_S = 300


@dataclass(frozen=True)
class Hook:
    """A webhook of a knowledge base of its own, whose receiver is the test's site."""

    system: System
    base: str
    path: str
    secret: str

    def arrived(self, many: int) -> list[tuple[dict[str, str], bytes]]:
        """The first deliveries, once there are so many."""
        deadline = time.monotonic() + PATIENCE_S
        while len(found := [one[1:] for one in self.system.site.posted if one[0] == self.path]) < many:
            assert time.monotonic() < deadline, (found, self.rows(), self.system.guard.denied)
            time.sleep(0.2)
        return found[:many]

    def rows(self) -> list[tuple[Any, ...]]:
        told = "select event, attempts, status, error from webhook_deliveries where knowledge_base_id = %s"
        return sorted(self.system.rows(told, self.base))

    def noted(self, wanted: list[tuple[Any, ...]]) -> None:
        """Waits until this is what became of the deliveries: an answer is noted after it has come."""
        deadline = time.monotonic() + PATIENCE_S
        while self.rows() != wanted:
            assert time.monotonic() < deadline, self.rows()
            time.sleep(0.2)

    def is_genuine(self, headers: dict[str, str], body: bytes, at: float) -> bool:
        """As docs/webhooks.md tells receivers."""
        key = base64.b64decode(self.secret.removeprefix("whsec_"))
        head = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode()
        expected = "v1," + base64.b64encode(hmac.digest(key, head + body, hashlib.sha256)).decode()
        return expected == headers["webhook-signature"] and abs(at - int(headers["webhook-timestamp"])) < FRESH_S


@pytest.fixture(scope="module")
def hook(system: System, owner: httpx.Client) -> Hook:
    base = ok(owner.post("/v1/knowledge-bases", json={"name": "Told", "description": "To a receiver"}))["id"]
    wish = {"knowledge_base_id": base, "url": "https://hooks.example/told"}
    made = ok(owner.post("/v1/webhooks", json=wish))
    path = f"/{made['id']}"
    # No deployment takes an address that is not public, so this one is put where it stands.
    moved = "update webhooks set url = %s where id = %s returning id"
    assert len(system.rows(moved, f"{system.site.url}{path}", made["id"])) == 1
    return Hook(system, base, path, made["secret"])


def test_documents_and_evaluations_are_told_signed_and_once_more_where_the_receiver_failed(
    system: System, owner: httpx.Client, hook: Hook
) -> None:
    denied = len(system.guard.denied)
    system.site.failing.append(500)
    run = wait(owner, upload(owner, hook.base, three_pages("bronze"), "bronze.pdf"))
    assert run["status"] == "ready", run
    [(first, body)] = hook.arrived(1)
    told = json.loads(body)
    assert (told["type"], told["data"]["document_id"]) == ("document.ready", run["document_id"])
    assert ok(owner.get(told["data"]["document"]))["name"] == "bronze.pdf"
    assert hook.is_genuine(first, body, time.time())
    # A day later, at another time, and as something else it is nothing that was told.
    assert not hook.is_genuine(first, body, time.time() + 86_400)
    assert not hook.is_genuine(first | {"webhook-timestamp": str(int(time.time()) + 1)}, body, time.time())
    assert not hook.is_genuine(first, body.replace(b"ready", b"ruled"), time.time())

    # Half a minute is over, and another run ends: what failed is told again, under its id and with a time of its own.
    hook.noted([("document.ready", 1, 500, "The receiver answered 500.")])
    system.rows("update webhook_deliveries set due_at = now() where knowledge_base_id = %s returning id", hook.base)
    refused = wait(owner, upload(owner, hook.base, b"just text, no PDF", "notes.pdf"))
    assert refused["status"] == "refused"
    later = {one["webhook-id"]: (one, data) for one, data in hook.arrived(3)[1:]}
    again, same = later.pop(first["webhook-id"])
    assert same == body
    assert int(again["webhook-timestamp"]) >= int(first["webhook-timestamp"])
    assert hook.is_genuine(again, same, time.time())
    [(other, body)] = later.values()
    assert hook.is_genuine(other, body, time.time())
    told = json.loads(body)
    assert (told["type"], told["data"]["status"]) == ("document.failed", "refused")
    assert "looks like" not in body.decode()

    # An evaluation ends in a request, whose object in the bucket starts the sending.
    place = {"document": "bronze.pdf", "page": 9}
    wish = {
        "gold": "bronze.jsonl", "questions": [{"question": "What is free?", "expected": [place]}],
        "indexes": ["fts"], "floors": {"fts.recall@10": 0.5},
    }  # fmt: skip
    evaluation = ok(owner.post(f"/v1/knowledge-bases/{hook.base}/evaluations", json=wish))
    while evaluation["status"] != "done":
        evaluation = ok(owner.post(f"/v1/knowledge-bases/{hook.base}/evaluations/{evaluation['id']}/continue"))
    (headers, body) = hook.arrived(4)[3]
    assert hook.is_genuine(headers, body, time.time())
    told = json.loads(body)
    assert told["type"] == "evaluation.below_floor"
    assert [one["measure"] for one in told["data"]["below"]] == ["fts.recall@10"]
    once = [(name, 1, 204, None) for name in ("document.failed", "evaluation.below_floor")]
    hook.noted([once[0], ("document.ready", 2, 204, None), once[1]])
    assert system.guard.denied[denied:] == []
