from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from shared.adapters.local.postgres import SUPERUSER
from tests.api.conftest import Client

KB = "/v1/knowledge-bases"


def test_the_same_key_and_body_give_the_first_answer_again(client: Client) -> None:
    headers = {"Idempotency-Key": "create-once"}
    first = client.post(KB, json={"name": "once"}, headers=headers)
    again = client.post(KB, json={"name": "once"}, headers=headers)
    assert (again.status_code, again.json()) == (201, first.json())
    assert again.headers["idempotent-replayed"] == "true"
    assert "idempotent-replayed" not in first.headers


def test_the_same_key_with_another_body_or_address_is_a_conflict(client: Client) -> None:
    headers = {"Idempotency-Key": "one-request"}
    made = client.post(KB, json={"name": "first body"}, headers=headers).json()
    assert client.post(KB, json={"name": "second body"}, headers=headers).status_code == 409
    assert client.delete(f"{KB}/{made['id']}", headers=headers).status_code == 409
    assert client.get(f"{KB}/{made['id']}").status_code == 200


def test_a_repeated_deletion_is_answered_as_the_first(client: Client) -> None:
    made = client.post(KB, json={"name": "to delete"}).json()
    headers = {"Idempotency-Key": "delete-once"}
    first = client.delete(f"{KB}/{made['id']}", headers=headers)
    again = client.delete(f"{KB}/{made['id']}", headers=headers)
    assert first.status_code == again.status_code == 202
    # The ticket is a secret, of which the database has the hash alone: it is told once.
    assert first.json()["ticket"]
    assert first.json() | {"ticket": ""} == again.json()


def test_an_error_frees_the_key(client: Client) -> None:
    headers = {"Idempotency-Key": "second-try"}
    client.post(KB, json={"name": "taken"})
    assert client.post(KB, json={"name": "taken"}, headers=headers).status_code == 409
    assert client.post(KB, json={"name": "not taken"}, headers=headers).status_code == 201


def test_twenty_at_once_with_one_key_make_one(client: Client) -> None:
    def send(_: int) -> int:
        return client.post(KB, json={"name": "race"}, headers={"Idempotency-Key": "race"}).status_code

    with ThreadPoolExecutor(8) as pool:
        statuses = set(pool.map(send, range(20)))
    assert 201 in statuses
    assert statuses <= {201, 409}
    assert [kb["slug"] for kb in client.get(KB).json()["items"]].count("race") == 1


def test_a_claim_whose_process_died_is_free_again(client: Client, owner_dsn: str) -> None:
    headers = {"Idempotency-Key": "crashed"}
    client.post(KB, json={"name": "before the crash"}, headers=headers)
    dsn = make_conninfo(owner_dsn, user=SUPERUSER)
    unfinish = (
        "update idempotency_keys set status = null, response = null, created_at = now() - %s::interval"
        " where key = 'crashed'"
    )
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(unfinish, ("10 seconds",))
        still_running = client.post(KB, json={"name": "before the crash"}, headers=headers)
        assert "still runs" in still_running.json()["detail"]
        assert still_running.headers["Retry-After"]
        connection.execute(unfinish, ("2 minutes",))
    retried = client.post(KB, json={"name": "before the crash"}, headers=headers)
    assert "exists already" in retried.json()["detail"]


@pytest.mark.parametrize("key", ["", "with space", "x" * 256])
def test_a_malformed_key_is_refused(client: Client, key: str) -> None:
    assert client.post(KB, json={"name": "malformed"}, headers={"Idempotency-Key": key}).status_code == 422
