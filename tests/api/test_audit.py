"""The audit log: what is in it, who reads it, and that nobody changes it."""

import csv
import io
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import psycopg
import pytest

from shared.domain.ids import new_id
from shared.domain.people import AuditEntry
from shared.domain.scope import Identity
from shared.errors import BadInput
from shared.people.audit import COLUMNS, note_sign_in, to_csv
from shared.runtime import Runtime
from shared.store.audit import note
from tests.api.conftest import Client
from tests.api.test_tenancy import make_ids
from tests.conftest import as_superuser

AUDIT, KB = "/v1/audit", "/v1/knowledge-bases"
WORD = "iridium"
Clients = Callable[[Identity], Client]


def entries(client: Client, **query: Any) -> list[dict[str, Any]]:
    return client.get(AUDIT, params=query).json()["items"]


def test_every_act_is_noted_with_who_did_it_and_by_which_request(
    client: Client, runtime: Runtime, identity: Identity
) -> None:
    ids = make_ids(runtime, identity, client, WORD)
    base, document = ids["knowledge_base_id"], ids["document_id"]
    headers = {"X-Request-Id": "of-the-audit-test"}
    acts: list[tuple[str, str, str, Any]] = [
        ("knowledge_base.change", "PATCH", f"{KB}/{base}", {"description": "about metals"}),
        ("knowledge_base.access", "PUT", f"{KB}/{base}/access", {"restricted": True}),
        ("document.change", "PATCH", f"/v1/documents/{document}", {"name": "metals"}),
        ("document.reingest", "POST", f"/v1/documents/{document}/reingest", {}),
        ("version.dismiss", "POST", f"/v1/version-suggestions/{ids['suggestion_id']}/dismiss", {}),
        ("evaluation.run", "POST", f"{KB}/{base}/evaluations", {"indexes": ["fts"], "ask": False}),
        ("gold.put", "POST", f"{KB}/{base}/gold", {"question": "Which metal?", "kind": "negative"}),
        ("gold.delete", "DELETE", f"{KB}/{base}/gold/{ids['gold_id']}", None),
        ("member.invite", "POST", "/v1/invitations", {"email": "jo@local.example"}),
        ("key.create", "POST", "/v1/keys", {"name": "x"}),
        ("organization.change", "PATCH", "/v1/organization", {"audit_days": 400}),
        ("document.delete", "DELETE", f"/v1/documents/{document}", None),
        ("knowledge_base.delete", "DELETE", f"{KB}/{base}", None),
    ]
    for act, method, path, body in acts:
        answer = client(method, path, json=body, headers=headers)
        assert answer.status_code < 300, (act, answer.text)
        # What was deleted before may end being erased meanwhile, and is noted then.
        newest = next(one for one in entries(client, limit=20) if one["request_id"] == "of-the-audit-test")
        assert newest["act"] == act
        assert (newest["person"], newest["user_id"]) == ("dev@localhost", str(identity.user_id))
        assert newest["subject_type"] == act.partition(".")[0]
    noted = {one["act"] for one in entries(client, limit=500)}
    assert {"document.upload", "edit.make"} <= noted
    told = str([one["details"] for one in entries(client, limit=500)])
    assert not {word for word in ("about metals", "Which metal?", "jo@local.example", f"{WORD}.pdf") if word in told}


def test_an_act_that_fails_leaves_no_entry(client: Client, runtime: Runtime, identity: Identity) -> None:
    last = entries(client)[0]["id"]
    assert client.post(KB, json={"name": ""}).status_code == 422
    assert client.delete(f"{KB}/{new_id()}").status_code == 404
    with suppress(BadInput), runtime.database.transaction(identity.scope()) as connection:
        note(connection, identity, "document.delete")
        raise BadInput("not done after all")
    # A deletion of an earlier test may end meanwhile.
    assert {one["act"] for one in entries(client) if one["id"] > last} <= {"knowledge_base.erase"}


def test_it_is_filtered_by_act_person_and_time(client: Client, runtime: Runtime, viewer: Identity) -> None:
    note_sign_in(runtime, viewer, "session", "0123")
    made = client.post("/v1/keys", json={"name": "x"}).json()
    (signed_in,) = entries(client, person_id=str(viewer.user_id))
    assert (signed_in["act"], signed_in["details"]) == ("sign_in.succeed", {"via": "session", "sign_in": "0123"})
    (key,) = entries(client, act="key.create", limit=1)
    assert key["subject_id"] == made["id"]
    assert {one["subject_type"] for one in entries(client, act="key")} == {"key"}
    assert entries(client, act="ke") == []
    assert key["id"] in {one["id"] for one in entries(client, since=key["at"])}
    assert key["id"] not in {one["id"] for one in entries(client, until=key["at"])}
    assert client.get(AUDIT, params={"act": "key%"}).status_code == 422


def test_pages_follow_one_another(client: Client) -> None:
    for number in range(5):
        client.post("/v1/keys", json={"name": f"page {number}"})
    whole = [one["id"] for one in entries(client, limit=500)]
    walked: list[str] = []
    cursor = None
    while True:
        page = client.get(AUDIT, params={"limit": 2} | ({"cursor": cursor} if cursor else {})).json()
        walked += [one["id"] for one in page["items"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    # What runs on in the background may have been noted meanwhile.
    assert [one for one in walked if one <= whole[0]] == whole
    assert walked == sorted(walked, reverse=True)


@pytest.mark.parametrize("how", ["parameter", "header"])
def test_as_a_file_it_holds_all_entries(client: Client, how: str) -> None:
    asked = {"params": {"format": "csv", "limit": 1}} if how == "parameter" else {"headers": {"Accept": "text/csv"}}
    answer = client.get(AUDIT, **asked)
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert [row["id"] for row in rows] == [one["id"] for one in entries(client, limit=500)][-len(rows) :]
    assert tuple(rows[0]) == COLUMNS


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@x", "\t=1", "\r=1"])
def test_no_cell_is_a_formula(text: str) -> None:
    fields: dict[str, Any] = dict.fromkeys(AuditEntry.model_fields) | {"details": {}, "subject_type": "x"}
    entry = AuditEntry(**fields | {"id": new_id(), "at": "2026-01-01T00:00:00Z", "person": text, "act": text})
    (row,) = csv.DictReader(io.StringIO(to_csv([entry])))
    assert (row["person"], row["act"]) == (f"'{text}", f"'{text}")
    assert row["subject_type"] == "x"


def test_another_organizations_entries_are_neither_listed_nor_filed(
    client: Client, client_of: Clients, other_identity: Identity
) -> None:
    stranger = client_of(other_identity)
    made = stranger.post("/v1/keys", json={"name": "theirs"}).json()["id"]
    assert made in stranger.get(AUDIT).text
    for query in ({}, {"format": "csv"}, {"person_id": str(other_identity.user_id)}):
        assert made not in client.get(AUDIT, params=query).text


def test_it_is_for_owners_and_admins(client_of: Clients, identity: Identity) -> None:
    for role, status in (("viewer", 403), ("editor", 403), ("admin", 200)):
        acting = client_of(identity.model_copy(update={"role": role}))
        for query in ({}, {"format": "csv"}):
            assert acting.get(AUDIT, params=query).status_code == status


@pytest.mark.parametrize("statement", ["update audit_log set act = 'x'", "delete from audit_log", "truncate audit_log"])
def test_whoever_wrote_it_cannot_change_it(runtime: Runtime, identity: Identity, statement: str) -> None:
    with (
        pytest.raises(psycopg.errors.InsufficientPrivilege),
        runtime.database.transaction(identity.scope()) as connection,
    ):
        connection.execute(statement.encode())


def test_it_is_forgotten_when_its_time_is_over(
    client: Client, runtime: Runtime, owner_dsn: str, identity: Identity
) -> None:
    from shared.maintenance import maintain

    old, young = (client.post("/v1/keys", json={"name": "x"}).json()["id"] for _ in range(2))
    client("PATCH", "/v1/organization", json={"audit_days": 30})
    with psycopg.connect(as_superuser(owner_dsn)) as connection:
        age = "update audit_log set created_at = now() - %s::interval where subject_id = %s"
        connection.execute(age, ("31 days", old))
        connection.execute(age, ("29 days", young))
    done = maintain(runtime, owner_dsn)
    assert [task["error"] for task in done["tasks"] if task["error"]] == []
    left = {one["subject_id"] for one in entries(client, limit=500)}
    assert (old in left, young in left) == (False, True)
    assert client("PATCH", "/v1/organization", json={"audit_days": 29}).status_code == 422
