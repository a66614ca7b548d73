"""What a sign-in may do, by the kind of its token; and that it is in the audit log, once."""

from typing import Any
from uuid import UUID

import psycopg
import pytest

from shared.contract import READ_SCOPE, WRITE_SCOPE
from shared.domain.model_calls import Usage
from shared.domain.scope import Identity
from shared.people import audit
from shared.people.audit import note_sign_in
from shared.runtime import Runtime
from shared.store import costs
from tests.api.conftest import Client
from tests.api.signing import claims_of, cloud_requests, invite
from tests.api.test_tenancy import make_ids
from tests.conftest import as_superuser

# A request, by a name: method, path, body.
ACTS: dict[str, tuple[str, str, Any]] = {
    "read": ("GET", "/v1/knowledge-bases", None),
    "search": ("POST", "/v1/search", {"query": "x"}),
    "change": ("POST", "/v1/knowledge-bases", {"name": "made"}),
    "make a key": ("POST", "/v1/keys", {"name": "made"}),
    "revoke a key": ("POST", "/v1/keys/{key}/revoke", None),
    "leave": ("DELETE", "/v1/members/{me}", None),
}
EVERYTHING = set(ACTS)
# What each kind of token may, of an editor who has these.
MAY = {
    "access token to read": ("access", READ_SCOPE, {"read", "search"}),
    "access token to write": ("access", WRITE_SCOPE, EVERYTHING),
    "access token for nothing here": ("access", "openid", set[str]()),
    "ID token": ("id", "", EVERYTHING),
    "key to read": ("key", "read", {"read", "search"}),
    "key to write": ("key", "write", {"read", "search", "change", "revoke a key"}),
}


@pytest.mark.parametrize("kind", MAY)
def test_a_token_does_what_its_kind_may(runtime: Runtime, owner_dsn: str, kind: str) -> None:
    use, scope, expected = MAY[kind]
    email = f"{kind.replace(' ', '.')}@kestrel.example"
    invite(owner_dsn, email)
    person = claims_of(email)
    send = cloud_requests(runtime)
    me = send(person).json()["user"]["id"]
    made = send(person, method="POST", path="/v1/keys", body={"name": "one's own", "scope": "read"}).json()
    bearer, claims = None, person | {"token_use": use, "scope": scope}
    if use == "key":
        secret = send(person, method="POST", path="/v1/keys", body={"name": "used", "scope": scope}).json()["secret"]
        bearer, claims = secret, {"via": "key"}
    done = {
        act
        for act, (method, path, body) in ACTS.items()
        if send(claims, method=method, path=path.format(key=made["id"], me=me), body=body, bearer=bearer).status_code
        not in (401, 403)
    }
    assert done == expected


def noted(owner_dsn: str, act: str, person: str) -> list[tuple[str, dict[str, Any]]]:
    """Organization and details of each such entry of the person."""
    with psycopg.connect(as_superuser(owner_dsn)) as connection:
        return connection.execute(
            "select o.slug, l.details from audit_log l join organizations o on o.id = l.organization_id"
            " join users u on u.id = l.user_id where l.act = %s and u.email = %s order by l.id",
            (act, person),
        ).fetchall()


def test_each_sign_in_is_noted_once_in_each_organization_whichever_process_sees_it(
    runtime: Runtime, owner_dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for organization in ("kestrel", "local"):
        invite(owner_dsn, "noa@n.example", organization=organization)
    tried: list[str] = []

    def note(runtime: Runtime, identity: Identity, via: str, name: str) -> None:
        tried.append(name)
        note_sign_in(runtime, identity, via, name)

    monkeypatch.setattr(audit, "note_sign_in", note)
    one_process, another = cloud_requests(runtime), cloud_requests(runtime)
    person = claims_of("noa@n.example")
    for name, send in (("a", one_process), ("a", one_process), ("a", another), ("b", another)):
        assert send(person | {"via": "session", "sign_in": name}, "kestrel").status_code == 200
    assert another(person | {"sign_in": "a"}, "local").status_code == 200
    assert tried == ["a", "a", "b", "a"], "each process tries once"
    assert noted(owner_dsn, "sign_in.succeed", "noa@n.example") == [
        ("kestrel", {"via": "session", "sign_in": "a"}),
        ("kestrel", {"via": "session", "sign_in": "b"}),
        ("local", {"via": "token", "sign_in": "a"}),
    ]


def test_who_joins_and_signs_out_is_noted(runtime: Runtime, owner_dsn: str) -> None:
    invite(owner_dsn, "ola@o.example", "viewer")
    person, send = claims_of("ola@o.example"), cloud_requests(runtime)
    assert send(person).status_code == 200
    assert noted(owner_dsn, "member.join", "ola@o.example") == [("kestrel", {"by": "invitation", "role": "viewer"})]
    assert send(person, method="POST", path="/v1/sign-out", body={"everywhere": True}).status_code == 200
    assert noted(owner_dsn, "sign_in.end", "ola@o.example") == [("kestrel", {"everywhere": True})]
    assert send(None, method="POST", path="/v1/sign-out", body={}).status_code == 401


def test_model_calls_are_noted_without_what_they_were_about(
    client: Client, runtime: Runtime, identity: Identity
) -> None:
    ids = make_ids(runtime, identity, client, "iridium")
    base, document = ids["knowledge_base_id"], ids["document_id"]
    with runtime.database.transaction(identity.scope(UUID(base))) as connection:
        run = connection.execute("select id from ingestions where document_id = %s", (document,)).fetchone()
        assert run is not None
        owner = {
            "organization_id": identity.organization_id, "knowledge_base_id": base, "document_id": document,
            "ingestion_id": run["id"], "stage": "extract", "page": 1,
        }  # fmt: skip
        costs.record_call(connection, owner, "acme.model", Usage(input_tokens=10, output_tokens=2), 0.25)
    (entry,) = client.get("/v1/audit", params={"act": "model.call"}).json()["items"]
    assert (entry["subject_id"], entry["knowledge_base_id"], entry["user_id"]) == (str(run["id"]), base, None)
    assert entry["details"] == {
        "model": "acme.model", "usd": 0.25, "stage": "extract", "page": 1,
        "input_tokens": 10, "output_tokens": 2, "cache_read_tokens": 0, "cache_write_tokens": 0,
    }  # fmt: skip
