"""API keys: what they may, what they see, and when they end."""

from collections.abc import Callable
from typing import Any

import psycopg
import pytest

from shared.domain.people import NewKey
from shared.domain.scope import Identity
from shared.people.keys import identity_of_key, is_well_formed, make_secret
from shared.runtime import Runtime
from tests.api.conftest import Client
from tests.conftest import add_member, as_superuser

KEYS, KB = "/v1/keys", "/v1/knowledge-bases"
Clients = Callable[[Identity], Client]


def bearer(key: dict[str, Any]) -> dict[str, str]:
    return {"Authorization": f"Bearer {key['secret']}"}


def make(client: Client, **fields: Any) -> dict[str, Any]:
    answer = client.post(KEYS, json={"name": "test"} | fields)
    assert answer.status_code == 201, answer.text
    return answer.json()


def test_a_secret_is_random_and_known_by_its_form() -> None:
    made = {make_secret() for _ in range(200)}
    assert len(made) == 200
    assert all(is_well_formed(one) for one in made)
    one = made.pop()
    for place in range(len("autri_"), len(one)):
        other = "a" if one[place] != "a" else "b"
        assert not is_well_formed(one[:place] + other + one[place + 1 :])
    assert not any(map(is_well_formed, ["", "autri_", one[:-1], one + "a", one.upper(), f" {one}"]))


def test_a_key_acts_as_its_member_and_its_secret_is_stored_nowhere(client: Client, owner_dsn: str) -> None:
    made = make(client, scope="admin")
    me = client.get("/v1/me", headers=bearer(made)).json()
    assert me["user"] == client.get("/v1/me").json()["user"] | {"role": "admin"}
    listed = client.get(KEYS)
    assert made["secret"] not in listed.text
    assert made["secret"].startswith(listed.json()["items"][-1]["prefix"])
    assert listed.json()["items"][-1]["last_used_at"] is not None
    with psycopg.connect(as_superuser(owner_dsn)) as connection:
        everything = "select string_agg(t::text, '') from api_keys t, idempotency_keys i"
        assert made["secret"] not in str(connection.execute(everything).fetchall())


# Well formed, and nobody's.
UNKNOWN = make_secret()


@pytest.mark.parametrize("presented", ["", "x", "autri_", "autri_" + "a" * 33, UNKNOWN, "eyJhbG.e30."], ids=range(6))
def test_what_is_no_key_in_force_is_nobodys(client: Client, presented: str) -> None:
    for path in ("/v1/me", KB):
        assert client.get(path, headers={"Authorization": f"Bearer {presented}"}).status_code == 401


@pytest.mark.parametrize(("scope", "role"), [("read", "viewer"), ("write", "editor"), ("admin", "admin")])
def test_a_scope_narrows_the_role(client: Client, scope: str, role: str) -> None:
    key = make(client, scope=scope)
    assert client.get("/v1/me", headers=bearer(key)).json()["user"]["role"] == role
    statuses = [
        client.get(KB, headers=bearer(key)).status_code,
        client.post(KB, json={"name": f"by {scope}"}, headers=bearer(key)).status_code,
        client.get("/v1/invitations", headers=bearer(key)).status_code,
    ]
    assert statuses == {"viewer": [200, 403, 403], "editor": [200, 201, 403], "admin": [200, 201, 200]}[role]


def test_who_may_write_is_not_told_to_be_a_viewer_by_a_key_that_reads(client: Client) -> None:
    reader = bearer(make(client, scope="read"))
    created = client.post(KB, json={"name": "by a reader"}, headers=reader)
    for refused in (created, client.get("/v1/audit", headers=reader)):
        assert refused.status_code == 403, refused.text
        assert "was made to read" in refused.json()["detail"]
        assert "role" not in refused.json()["detail"]


def test_a_key_never_may_more_than_its_member(
    client: Client, client_of: Clients, runtime: Runtime, owner_dsn: str
) -> None:
    editor = add_member(runtime, owner_dsn, "local", "editor")
    acting = client_of(editor)
    assert acting.post(KEYS, json={"name": "x", "scope": "admin"}).status_code == 403
    assert acting.post(KEYS, json={"name": "x", "machine": True}).status_code == 403
    key = make(acting, scope="write")
    client("PATCH", f"/v1/members/{editor.user_id}", json={"role": "viewer"})
    assert client.post(KB, json={"name": "too much"}, headers=bearer(key)).status_code == 403
    assert client.get(KB, headers=bearer(key)).status_code == 200
    client.delete(f"/v1/members/{editor.user_id}")
    assert client.get(KB, headers=bearer(key)).status_code == 401


def test_an_owners_key_does_not_act_as_owner_and_makes_no_keys(client: Client, identity: Identity) -> None:
    key = make(client, scope="admin")
    invited = client.post("/v1/invitations", json={"email": "o@o.example", "role": "owner"}, headers=bearer(key))
    assert invited.status_code == 403
    assert client.delete(f"/v1/members/{identity.user_id}", headers=bearer(key)).status_code == 403
    refused = client.post(KEYS, json={"name": "heir"}, headers=bearer(key))
    assert (refused.status_code, "makes no keys" in refused.json()["detail"]) == (403, True)


def test_a_limited_key_sees_its_knowledge_bases_and_no_others(client: Client, runtime: Runtime) -> None:
    one, other = (client.post(KB, json={"name": f"limited {n}"}).json()["id"] for n in range(2))
    for machine in (False, True):
        key = make(client, scope="write", knowledge_base_ids=[one], machine=machine)
        assert [kb["id"] for kb in client.get(KB, headers=bearer(key)).json()["items"]] == [one]
        assert client.get(f"{KB}/{one}", headers=bearer(key)).status_code == 200
        assert client.get(f"{KB}/{other}", headers=bearer(key)).status_code == 404
        search = {"query": "x", "knowledge_base_ids": [other]}
        assert client.post("/v1/search", json=search, headers=bearer(key)).status_code == 404
        assert client.delete(f"{KB}/{other}", headers=bearer(key)).status_code == 404
        identity = identity_of_key(runtime, key["secret"])
        assert identity is not None
        with runtime.database.transaction(identity.scope(one, other)) as connection:
            row = connection.execute("select scope_bases() as bases").fetchone()
        assert [str(base) for base in row["bases"]] == [one] if row else False
    client.delete(f"{KB}/{one}")
    assert client.get(KB, headers=bearer(key)).json()["items"] == []


def test_a_machines_key_is_nobodys_and_outlives_its_maker(client: Client) -> None:
    key = make(client, name="the nightly upload", scope="write", machine=True)
    me = client.get("/v1/me", headers=bearer(key)).json()
    assert (me["user"]["name"], me["user"]["email"], me["user"]["role"]) == ("the nightly upload", "", "editor")
    assert client.post(KB, json={"name": "by a machine"}, headers=bearer(key)).status_code == 201
    assert client.post("/v1/search", json={"query": "x"}, headers=bearer(key)).status_code == 200
    assert client.post(KEYS, json={"name": "x", "machine": True, "scope": "admin"}).status_code == 422


def test_a_key_that_is_revoked_or_ran_out_is_refused(client: Client, owner_dsn: str) -> None:
    revoked, expired = make(client), make(client, expires_days=1)
    for key in (revoked, expired):
        assert client.get("/v1/me", headers=bearer(key)).status_code == 200
    assert client.post(f"{KEYS}/{revoked['id']}/revoke").json()["revoked_at"] is not None
    with psycopg.connect(as_superuser(owner_dsn)) as connection:
        connection.execute("update api_keys set expires_at = now() where id = %s", (expired["id"],))
    for key in (revoked, expired):
        assert client.get("/v1/me", headers=bearer(key)).status_code == 401


def test_keys_of_others_are_seen_by_admins_alone_and_never_across_organizations(
    client: Client, client_of: Clients, viewer: Identity, other_identity: Identity
) -> None:
    mine, theirs = make(client), make(client_of(viewer))
    seen = {key["id"] for key in client.get(KEYS).json()["items"]}
    assert {mine["id"], theirs["id"]} <= seen
    assert [key["id"] for key in client_of(viewer).get(KEYS).json()["items"]] == [theirs["id"]]
    assert client_of(viewer).post(f"{KEYS}/{mine['id']}/revoke").status_code == 404
    stranger = client_of(other_identity)
    assert not seen & {key["id"] for key in stranger.get(KEYS).json()["items"]}
    assert stranger.post(f"{KEYS}/{mine['id']}/revoke").status_code == 404
    assert client.post(f"{KEYS}/{theirs['id']}/revoke").status_code == 200


def test_a_key_is_of_one_organization(client: Client) -> None:
    key = make(client)
    for asked, status in (("local", 200), ("kestrel", 403)):
        headers = bearer(key) | {"X-Autri-Organization": asked}
        assert client.get("/v1/me", headers=headers).status_code == status


def test_a_repeated_request_makes_one_key_and_shows_its_secret_once(client: Client) -> None:
    headers = {"Idempotency-Key": "one key only"[:3]}
    first = client.post(KEYS, json={"name": "once"}, headers=headers).json()
    again = client.post(KEYS, json={"name": "once"}, headers=headers).json()
    assert again == first | {"secret": None}
    assert first["secret"] is not None


def test_a_key_cannot_be_limited_to_what_its_maker_does_not_see(
    client: Client, client_of: Clients, other_identity: Identity
) -> None:
    theirs = client_of(other_identity).post(KB, json={"name": "limits"}).json()["id"]
    assert client.post(KEYS, json={"name": "x", "knowledge_base_ids": [theirs]}).status_code == 404
    assert client.post(KEYS, json={"name": "x", "knowledge_base_ids": []}).status_code == 422
    assert NewKey(name="x").scope == "read"
