"""Restricted knowledge bases, and whose queries one reads."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest

from shared.domain.ids import new_id
from shared.domain.scope import Identity
from shared.runtime import Runtime
from tests.api.conftest import Client
from tests.api.files import three_pages
from tests.conftest import add_member
from tests.pipeline import make_knowledge_base, run_all, upload

KB = "/v1/knowledge-bases"
WORD = "palladium"
PART = {"type": "object", "properties": {"name": {"type": "string"}}}
Clients = Callable[[Identity], Client]


@pytest.fixture(scope="module")
def ids(runtime: Runtime, identity: Identity) -> dict[str, str]:
    """A knowledge base with a document."""
    base = make_knowledge_base(runtime, identity, WORD)
    event = run_all(runtime, upload(runtime, identity, base, three_pages(WORD), f"{WORD}.pdf"))
    return {"base": str(base), "document": event["document_id"]}


@pytest.fixture(scope="module")
def people(runtime: Runtime, owner_dsn: str) -> dict[str, Identity]:
    roles = {"reader": "editor", "writer": "editor", "viewer": "viewer", "outsider": "editor", "admin": "admin"}
    return {name: add_member(runtime, owner_dsn, "local", role) for name, role in roles.items()}


@pytest.fixture
def restricted(client: Client, ids: dict[str, str], people: dict[str, Identity]) -> dict[str, str]:
    """Restricted to three members, of whom two may write as far as their roles allow."""
    members = [
        {"user_id": str(people[name].user_id), "may_write": name != "reader"} for name in ("reader", "writer", "viewer")
    ]
    answer = client("PUT", f"{KB}/{ids['base']}/access", json={"restricted": True, "members": members})
    assert answer.status_code == 200, answer.text
    assert [one["may_write"] for one in answer.json()["members"]].count(True) == 2
    return ids


def reads(base: str, document: str) -> list[tuple[str, str, Any]]:
    own = [base]
    return [
        ("GET", f"{KB}/{base}", None), ("GET", f"{KB}/{base}/access", None), ("GET", f"{KB}/{base}/attributes", None),
        ("GET", f"/v1/documents/{document}", None), ("GET", f"/v1/documents/{document}/chunks", None),
        ("GET", f"/v1/documents/{document}/pages/1/image", None), ("GET", f"/v1/documents/{document}/edits", None),
        ("GET", f"{KB}/{base}/gold", None), ("GET", f"{KB}/{base}/notes", None),
        ("GET", f"{KB}/{base}/record-kinds", None), ("GET", f"{KB}/{base}/review", None),
        ("GET", f"/v1/documents/{document}/note", None), ("GET", f"/v1/documents/{document}/corrections", None),
        ("GET", f"/v1/documents/{document}/review", None),
        ("POST", "/v1/search", {"query": WORD, "knowledge_base_ids": own}),
        ("POST", "/v1/ask", {"question": WORD, "knowledge_base_ids": own}),
        ("POST", "/v1/lookup", {"address": "1", "knowledge_base_ids": own}),
    ]  # fmt: skip


def changes(base: str, document: str, edit: Any = None) -> list[tuple[str, str, Any]]:
    """In an order in which all of them can be done; `edit` names a chunk that is there."""
    announced = {"filename": "x.pdf", "size": 3, "sha256": "0" * 64, "knowledge_base_id": base}
    edit = edit or {"revision": 0, "edit": {"kind": "retype", "chunk_id": str(new_id()), "chunk_type": "code"}}
    return [
        ("POST", "/v1/uploads", announced), ("POST", f"/v1/documents/{document}/edits", edit),
        ("PATCH", f"/v1/documents/{document}", {"name": "renamed"}),
        ("POST", f"{KB}/{base}/notes", {"text": "taken over"}),
        ("PUT", f"{KB}/{base}/record-kinds/part", {"schema": PART}),
        ("POST", f"{KB}/{base}/records", {"kind": "part", "key": "bolt", "values": {"name": "bolt"}}),
        ("PUT", f"/v1/documents/{document}/review", {"state": "approved"}),
        ("PATCH", f"{KB}/{base}", {"description": "taken over"}),
        ("POST", f"{KB}/{base}/evaluations", {"indexes": ["fts"], "ask": False}),
        ("POST", f"/v1/documents/{document}/reingest", {}),
        ("DELETE", f"/v1/documents/{document}", None), ("DELETE", f"{KB}/{base}", None),
    ]  # fmt: skip


def test_to_an_outsider_a_restricted_knowledge_base_is_not_there(
    client_of: Clients, people: dict[str, Identity], restricted: dict[str, str], client: Client
) -> None:
    outsider = client_of(people["outsider"])
    for method, path, body in [*reads(**restricted), *changes(**restricted)]:
        assert outsider(method, path, json=body).status_code == 404, path
    for path in (KB, "/v1/documents"):
        assert restricted["base"] not in outsider.get(path).text
    assert WORD not in str(outsider.post("/v1/search", json={"query": WORD}).json()["hits"])
    assert client.get(f"/v1/documents/{restricted['document']}").json()["name"] == f"{WORD}.pdf"


@pytest.mark.parametrize("name", ["reader", "writer", "viewer", "admin"])
def test_those_who_see_it_read_everything_of_it(
    client_of: Clients, people: dict[str, Identity], restricted: dict[str, str], name: str
) -> None:
    acting = client_of(people[name])
    for method, path, body in reads(**restricted):
        assert acting(method, path, json=body).status_code == 200, path
    assert acting.post("/v1/search", json={"query": WORD}).json()["hits"]


@pytest.mark.parametrize("name", ["reader", "viewer"])
def test_who_may_only_read_it_is_told_so_and_changes_nothing(
    client_of: Clients, people: dict[str, Identity], restricted: dict[str, str], name: str
) -> None:
    acting = client_of(people[name])
    for method, path, body in changes(**restricted):
        assert acting(method, path, json=body).status_code == 403, path


def test_who_may_write_does(client_of: Clients, people: dict[str, Identity], restricted: dict[str, str]) -> None:
    for name in ("writer", "admin"):
        renamed = client_of(people[name])("PATCH", f"{KB}/{restricted['base']}", json={"description": name})
        assert (renamed.status_code, renamed.json()["description"]) == (200, name)


def test_access_is_for_admins_to_decide_about_members(
    client: Client, client_of: Clients, people: dict[str, Identity], restricted: dict[str, str],
    other_identity: Identity,
) -> None:  # fmt: skip
    path = f"{KB}/{restricted['base']}/access"
    before = client.get(path).json()
    assert client_of(people["writer"])("PUT", path, json={"restricted": False}).status_code == 403
    for stranger in (other_identity.user_id, new_id()):
        body = {"restricted": False, "members": [{"user_id": str(stranger)}]}
        assert client("PUT", path, json=body).status_code == 404
    assert client_of(other_identity)("PUT", path, json={"restricted": False}).status_code == 404
    assert client.get(path).json() == before


def test_opened_again_everybody_sees_it(
    client: Client, client_of: Clients, people: dict[str, Identity], restricted: dict[str, str]
) -> None:
    client("PUT", f"{KB}/{restricted['base']}/access", json={"restricted": False})
    assert client_of(people["outsider"]).get(f"{KB}/{restricted['base']}").status_code == 200


def test_the_database_hides_it_whatever_the_application_asks_for(
    runtime: Runtime, people: dict[str, Identity], restricted: dict[str, str]
) -> None:
    base = UUID(restricted["base"])
    count = "select (select count(*) from chunks) + (select count(*) from documents) as n"
    for name, seen in (("outsider", False), ("reader", True), ("admin", True)):
        with runtime.database.transaction(people[name].scope(base)) as connection:
            row = connection.execute(count.encode()).fetchone()
        assert row is not None
        assert (row["n"] > 0) == seen, name


def test_a_machines_key_sees_a_restricted_one_only_where_it_names_it(
    client: Client, restricted: dict[str, str]
) -> None:
    for named, status in ((None, 404), ([restricted["base"]], 200)):
        body = {"name": "m", "machine": True, "scope": "write", "knowledge_base_ids": named}
        headers = {"Authorization": f"Bearer {client.post('/v1/keys', json=body).json()['secret']}"}
        assert client.get(f"/v1/documents/{restricted['document']}", headers=headers).status_code == status


def test_one_reads_ones_own_queries_and_an_admin_all_which_is_noted(
    client: Client, client_of: Clients, people: dict[str, Identity], ids: dict[str, str]
) -> None:
    client("PUT", f"{KB}/{ids['base']}/access", json={"restricted": False})
    asking, colleague, admin = (client_of(people[name]) for name in ("viewer", "reader", "admin"))
    body = {"query": f"{WORD} in private", "knowledge_base_ids": [ids["base"]]}
    trace = asking.post("/v1/search", json=body).json()["trace_id"]
    for path in (f"/v1/traces/{trace}", f"/v1/traces/{trace}/chunks"):
        assert asking.get(path).status_code == 200
        assert colleague.get(path).status_code == 404
    assert "in private" in asking.get("/v1/traces").text
    assert "in private" not in colleague.get("/v1/traces").text
    looks = {"act": "trace", "person_id": str(people["admin"].user_id)}
    assert client.get("/v1/audit", params=looks).json()["items"] == []
    assert admin.get(f"/v1/traces/{trace}").status_code == 200
    assert "in private" in admin.get("/v1/traces").text
    noted = client.get("/v1/audit", params=looks)
    assert [(one["act"], one["subject_id"]) for one in noted.json()["items"]] == [
        ("trace.list", None), ("trace.read", trace),
    ]  # fmt: skip
    assert "in private" not in noted.text
