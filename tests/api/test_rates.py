"""How often an organization and a key may ask: counted in the database, said in the headers, refused with a time."""

import math
import re
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import UUID

import httpx
import psycopg
import pytest

from shared.domain.ids import new_id
from shared.domain.plans import PlanSettings
from shared.domain.scope import Identity
from shared.maintenance import maintain
from shared.plans.rates import take_request
from shared.runtime import Runtime
from shared.store import plans
from shared.store.connect import Database
from shared.store.provision import LOCAL_ISSUER, LOCAL_SUBJECT
from tests.api.conftest import Client
from tests.api.signing import SignedIn, claims_of, cloud_requests
from tests.conftest import as_superuser
from tests.pipeline import make_knowledge_base

HEADERS = ("RateLimit", "RateLimit-Policy", "Retry-After")


@pytest.fixture(autouse=True)
def free(runtime: Runtime, monkeypatch: pytest.MonkeyPatch, identity: Identity) -> None:
    """300 requests a minute for the organization, 150 for a key; all buckets full."""
    monkeypatch.setattr(runtime, "limits", PlanSettings("free"))
    with runtime.database.transaction(identity.scope()) as connection:
        connection.execute("update rate_buckets set full_at = now() - interval '1 hour'")


def fill(runtime: Runtime, identity: Identity, subject: UUID, seconds: float) -> None:
    """The bucket of `subject` is full again in so many seconds: at 60 it is empty."""
    with runtime.database.transaction(identity.scope()) as connection:
        connection.execute(
            "insert into rate_buckets values (%(o)s, %(s)s, clock_timestamp() + make_interval(secs => %(t)s))"
            " on conflict (organization_id, subject_id) do update set full_at = excluded.full_at",
            {"o": identity.organization_id, "s": subject, "t": seconds},
        )


def said(answer: httpx.Response) -> tuple[dict[str, list[int]], dict[str, list[int]]]:
    """What the two headers say of each bucket: requests left and seconds; quota and window."""

    def read(name: str) -> dict[str, list[int]]:
        parts = answer.headers[name].split(", ")
        return {p.partition('"')[2].partition('"')[0]: [int(n) for n in re.findall(r"=(\d+)", p)] for p in parts}

    return read("RateLimit"), read("RateLimit-Policy")


def make_key(client: Client) -> dict[str, Any]:
    return client.post("/v1/keys", json={"name": "ci", "scope": "read"}).json()


def test_each_answer_says_what_is_left(client: Client) -> None:
    first, second = (client.get("/v1/me") for _ in range(2))
    assert said(first)[1] == {"organization": [300, 60]}
    assert said(first)[0]["organization"][0] == 299
    assert said(second)[0]["organization"][0] in (298, 299), "one comes back each fifth of a second"
    assert client.get("/v1/knowledge-bases/nonsense").headers["RateLimit"], "errors say it as well"
    assert "RateLimit" not in client.get("/v1/health").headers


def test_an_empty_bucket_refuses_with_the_time_to_wait(runtime: Runtime, identity: Identity, client: Client) -> None:
    fill(runtime, identity, identity.organization_id, 63)
    refused = client.get("/v1/me")
    assert (refused.status_code, refused.headers["Retry-After"]) == (429, "4")
    assert said(refused)[0] == {"organization": [0, 63]}
    assert refused.json()["detail"] == "Your organization has sent 300 requests within a minute. Go on in 4 seconds."
    assert refused.json()["type"] == "urn:autri:problem:too-many-requests"
    assert client.post("/v1/search", json={"query": "x"}).status_code == 429, "before a body is read, too"
    fill(runtime, identity, identity.organization_id, 59.5)
    assert client.get("/v1/me").status_code == 200


def test_each_request_takes_its_own_share_of_the_minute(runtime: Runtime, identity: Identity) -> None:
    taken = [plans.take_request(runtime.database, identity.scope(), {"free": 6}, "free").whole_full_s for _ in range(7)]
    full = [seconds for seconds in taken if seconds is not None]
    assert taken[6:] == [None], "the seventh of six"
    assert [math.ceil(seconds / 10) for seconds in full] == [1, 2, 3, 4, 5, 6], "never more than ten seconds each"


def test_a_key_has_half_and_leaves_the_rest_to_people(runtime: Runtime, identity: Identity, client: Client) -> None:
    made = make_key(client)
    headers = {"Authorization": f"Bearer {made['secret']}"}
    answer = client.get("/v1/me", headers=headers)
    assert said(answer)[1] == {"key": [150, 60], "organization": [300, 60]}
    assert said(answer)[0]["key"][0] == 149
    fill(runtime, identity, UUID(made["id"]), 90)
    before = said(client.get("/v1/me"))[0]["organization"][0]
    refused = [client.get("/v1/me", headers=headers) for _ in range(3)]
    assert {one.status_code for one in refused} == {429}
    told = re.match(
        "This key has sent 150 requests within a minute. Go on in ([0-9]+) seconds", refused[0].json()["detail"]
    )
    assert told
    assert 10 <= int(told[1]) <= 31
    assert said(client.get("/v1/me"))[0]["organization"][0] >= before - 1, "what a key is refused nobody else pays"


def test_a_link_has_a_rate_of_its_own_for_whoever_has_it(
    runtime: Runtime, identity: Identity, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runtime, "limits", PlanSettings("unlimited"))
    base = make_knowledge_base(runtime, identity, f"links {new_id()}")
    notebook = client.post("/v1/notebooks", json={"knowledge_base_id": str(base), "title": "Findings"}).json()["id"]
    link = client.post(f"/v1/notebooks/{notebook}/shares", json={}).json()
    monkeypatch.setattr(runtime, "limits", PlanSettings("free"))
    for path in (f"/v1{link['path']}", f"/v1{link['path']}/bundle"):
        fill(runtime, identity, UUID(link["id"]), 0)
        assert client.get(path).status_code == 200
        fill(runtime, identity, UUID(link["id"]), 90)
        assert client.get(path).status_code == 429
    assert client.get("/v1/me").status_code == 200, "its maker goes on"


def test_a_request_waits_for_the_database_once_and_a_refused_one_once_more(
    runtime: Runtime, identity: Identity, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = UUID(make_key(client)["id"])
    by_key = identity.model_copy(update={"key_id": key})
    waits = list[str]()

    def counted(name: str) -> None:
        real = getattr(Database, name)

        def entered(*arguments: Any, **options: Any) -> Any:
            waits.append(name)
            return real(*arguments, **options)

        monkeypatch.setattr(Database, name, entered)

    fill(runtime, identity, identity.organization_id, 30)
    counted("at_once")
    counted("transaction")
    served = take_request(runtime, by_key)
    assert (served and served.retry_s, waits) == (None, ["at_once"])
    fill(runtime, identity, key, 75)
    waits.clear()
    refused = take_request(runtime, by_key)
    assert waits == ["at_once", "at_once"]
    assert refused is not None
    assert (refused.buckets[0].name, refused.buckets[0].left) == ("key", 0)
    assert 14 <= (refused.retry_s or 0) <= 16
    assert 140 <= refused.buckets[1].left <= 155, "of the organization's 300, half of which were taken"


def test_requests_at_once_at_the_boundary_take_no_more_than_there_are(runtime: Runtime, identity: Identity) -> None:
    # Ten requests of a fifth of a second each are left; more than one cannot come back meanwhile, unless it takes long.
    fill(runtime, identity, identity.organization_id, 58)
    with ThreadPoolExecutor(8) as pool:
        decisions = list(pool.map(lambda _: take_request(runtime, identity), range(40)))
    served = [d for d in decisions if d is not None and d.retry_s is None]
    with runtime.database.transaction(identity.scope()) as connection:
        row = connection.execute(
            "select extract(epoch from full_at - clock_timestamp())::float8 as left from rate_buckets"
            " where subject_id = %s",
            (identity.organization_id,),
        ).fetchone()
    assert row is not None
    assert row["left"] <= 60
    assert 10 <= len(served) <= 10 + 15
    assert len(served) < 40


def test_another_organization_has_a_bucket_of_its_own(
    runtime: Runtime, identity: Identity, other_identity: Identity
) -> None:
    fill(runtime, identity, identity.organization_id, 60)
    ours, theirs = (take_request(runtime, one) for one in (identity, other_identity))
    assert [one and one.retry_s for one in (ours, theirs)] == [1, None]
    with runtime.database.transaction(other_identity.scope()) as connection:
        rows = connection.execute("select organization_id from rate_buckets").fetchall()
    assert {row["organization_id"] for row in rows} == {other_identity.organization_id}


def test_maintenance_forgets_buckets_that_are_full_and_no_others(
    runtime: Runtime, identity: Identity, other_identity: Identity, client: Client, owner_dsn: str
) -> None:
    """That of a revoked key, which nobody asks for again, is full within a minute."""
    key = UUID(make_key(client)["id"])
    client.post(f"/v1/keys/{key}/revoke")
    fill(runtime, identity, key, -1)
    fill(runtime, identity, identity.organization_id, 40)
    fill(runtime, other_identity, other_identity.organization_id, -90)
    done = {one["task"]: one for one in maintain(runtime, owner_dsn)["tasks"]}
    assert done["forget_full_buckets"]["error"] is None
    with psycopg.connect(as_superuser(owner_dsn)) as connection:
        left = connection.execute("select organization_id, subject_id from rate_buckets").fetchall()
    assert left == [(identity.organization_id, identity.organization_id)]
    assert said(client.get("/v1/me"))[0]["organization"][0] < 110, "what was taken stays taken"


def test_one_machine_counts_nothing_unless_it_is_told_to(
    runtime: Runtime, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runtime, "limits", PlanSettings())
    answer = client.get("/v1/me")
    assert answer.status_code == 200
    assert not {name for name in HEADERS if name in answer.headers}


def test_a_deployment_counts_people_too(runtime: Runtime) -> None:
    signed_in: SignedIn = cloud_requests(runtime)
    claims = claims_of("dev@localhost") | {"iss": LOCAL_ISSUER, "sub": LOCAL_SUBJECT}
    answer = signed_in(claims)
    assert answer.status_code == 200
    assert said(answer)[1] == {"organization": [300, 60]}
