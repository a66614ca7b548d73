"""A ticket brings the file that was announced, once."""

import hashlib
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest
from psycopg import sql

from shared.contract import MAX_UPLOAD_BYTES
from shared.domain.scope import Identity
from shared.errors import StoreUnavailable
from shared.ingestion.uploads import receive_upload
from shared.runtime import Runtime
from tests.api.conftest import Client
from tests.api.files import three_pages
from tests.pipeline import make_knowledge_base, run_all


@pytest.fixture(scope="module")
def knowledge_base(runtime: Runtime, identity: Identity) -> UUID:
    return make_knowledge_base(runtime, identity, "tickets")


@pytest.fixture
def announce(client: Client, knowledge_base: UUID) -> Callable[[bytes], dict[str, Any]]:
    def send(data: bytes) -> dict[str, Any]:
        announced = {"filename": "parts.pdf", "size": len(data), "knowledge_base_id": str(knowledge_base)}
        answer = client.post("/v1/uploads", json=announced | {"sha256": hashlib.sha256(data).hexdigest()})
        assert answer.status_code == 201
        return answer.json()

    return send


def incoming(identity: Identity, base: UUID, ticket: dict[str, Any]) -> dict[str, Any]:
    """The event of what the ticket brought."""
    return {"key": f"incoming/{identity.organization_id}/{base}/{ticket['upload_id']}/source"}


def announcement(base: UUID) -> dict[str, Any]:
    return {"filename": "a.pdf", "size": 3, "sha256": "0" * 64, "knowledge_base_id": str(base)}


@pytest.mark.parametrize("sha256", [None, "", "0" * 63, "0" * 65, "A" * 64, "no hash"])
def test_a_file_is_announced_with_its_hash(client: Client, knowledge_base: UUID, sha256: str | None) -> None:
    announced = {"filename": "a.pdf", "size": 3, "knowledge_base_id": str(knowledge_base)}
    answer = client.post("/v1/uploads", json=announced | ({} if sha256 is None else {"sha256": sha256}))
    assert answer.status_code == 422
    assert [error["location"] for error in answer.json()["errors"]] == [["body", "sha256"]]


def test_a_file_of_a_format_that_is_not_read_leaves_no_row(
    runtime: Runtime, identity: Identity, client: Client
) -> None:
    base = make_knowledge_base(runtime, identity, "unread formats")
    answer = client.post("/v1/uploads", json=announcement(base) | {"filename": "notes.key"})
    assert answer.status_code == 415
    assert "a presentation by its name; this format is not read yet" in answer.json()["detail"]
    assert client.get("/v1/ingestions", params={"knowledge_base_id": str(base)}).json()["items"] == []
    assert client.post("/v1/uploads", json=announcement(base)).status_code == 201
    assert len(client.get("/v1/ingestions", params={"knowledge_base_id": str(base)}).json()["items"]) == 1


@pytest.mark.parametrize(
    ("announced", "where"),
    [
        ({"filename": ""}, "filename"),
        ({"filename": "a" * 256}, "filename"),
        ({"title": ""}, "title"),
        ({"title": "a" * 256}, "title"),
        ({"size": -1}, "size"),
        ({"label": "a" * 81}, "label"),
        ({"password": ""}, "password"),
        ({"password": "a" * 256}, "password"),
        ({"engine": "guess"}, "engine"),
    ],
)
def test_an_announcement_says_which_of_its_fields_cannot_be(
    client: Client, knowledge_base: UUID, announced: dict[str, Any], where: str
) -> None:
    answer = client.post("/v1/uploads", json=announcement(knowledge_base) | announced)
    assert answer.status_code == 422
    assert [error["location"] for error in answer.json()["errors"]] == [["body", where]]


@pytest.mark.parametrize(
    ("announced", "detail"),
    [
        *[
            ({"filename": name}, "is not a plain file name")
            for name in ("a/b.pdf", "a\\b.pdf", ".", "..", "a\tb", "a\x1f")
        ],
        ({"size": 0}, "is empty"),
        ({"size": MAX_UPLOAD_BYTES + 1}, "the limit is"),
    ],
)
def test_a_file_that_could_not_be_taken_is_refused_before_it_is_sent(
    client: Client, knowledge_base: UUID, announced: dict[str, Any], detail: str
) -> None:
    answer = client.post("/v1/uploads", json=announcement(knowledge_base) | announced)
    assert answer.status_code == 422
    assert detail in answer.json()["detail"]


@pytest.mark.parametrize(
    "announced",
    [
        {"filename": "a" * 255, "title": "a" * 255, "label": "a" * 80},
        {"filename": "...pdf", "size": MAX_UPLOAD_BYTES, "password": "a" * 255},
        {"filename": "a b\u00a0c.pdf", "size": 1, "password": "a"},
    ],
)
def test_what_reaches_a_limit_may_be_announced(client: Client, knowledge_base: UUID, announced: dict[str, Any]) -> None:
    assert client.post("/v1/uploads", json=announcement(knowledge_base) | announced).status_code == 201


@pytest.mark.parametrize(("title", "named"), [({"title": "Parts of 2026"}, "Parts of 2026"), ({}, "a.pdf")])
def test_a_document_is_named_by_the_title_that_was_announced_or_by_its_file(
    client: Client, runtime: Runtime, identity: Identity, knowledge_base: UUID, title: dict[str, str], named: str
) -> None:
    data = three_pages(f"named {named}")
    fits = {"size": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    ticket = client.post("/v1/uploads", json=announcement(knowledge_base) | fits | title).json()
    assert client("PUT", ticket["url"], content=data).status_code == 204
    document_id = run_all(runtime, incoming(identity, knowledge_base, ticket))["document_id"]
    document = client.get(f"/v1/documents/{document_id}").json()
    assert (document["name"], document["version"]["logical_document_name"]) == ("a.pdf", named)


@pytest.mark.parametrize("field", ["knowledge_base_id", "version_of"])
def test_what_an_announcement_names_has_to_be_there(client: Client, knowledge_base: UUID, field: str) -> None:
    unknown = str(uuid4())
    answer = client.post("/v1/uploads", json=announcement(knowledge_base) | {field: unknown})
    assert answer.status_code == 404
    assert unknown in answer.json()["detail"]


def test_other_bytes_of_the_same_size_are_refused_and_the_right_ones_may_still_come(
    client: Client, runtime: Runtime, identity: Identity, knowledge_base: UUID, announce: Callable[..., dict[str, Any]]
) -> None:
    data = three_pages("fender")
    ticket = announce(data)
    refused = client("PUT", ticket["url"], content=data[:-1] + b"!")
    assert refused.status_code == 422
    assert "SHA-256 differs" in refused.json()["detail"]
    assert not runtime.blobs.exists(incoming(identity, knowledge_base, ticket)["key"])
    assert client("PUT", ticket["url"], content=data).status_code == 204


def test_a_used_ticket_takes_nothing_more_and_leaves_the_document_as_it_is(
    client: Client, runtime: Runtime, identity: Identity, knowledge_base: UUID, announce: Callable[..., dict[str, Any]]
) -> None:
    data, other = three_pages("bumper"), three_pages("forged")
    ticket = announce(data)
    assert client("PUT", ticket["url"], content=data).status_code == 204
    assert [client("PUT", ticket["url"], content=again).status_code for again in (data, other)] == [409, 409]
    event = incoming(identity, knowledge_base, ticket)
    document_id = run_all(runtime, event)["document_id"]
    address = f"/v1/documents/{document_id}"
    before = client.get(address).json(), client.get(f"{address}/chunks").json()
    assert [client("PUT", ticket["url"], content=again).status_code for again in (data, other)] == [409, 409]
    assert not runtime.blobs.exists(event["key"])
    assert (client.get(address).json(), client.get(f"{address}/chunks").json()) == before
    assert client.get(f"{address}/verify", params={"refresh": True}).json()["ok"]
    assert before[0]["source_hash"] == hashlib.sha256(data).hexdigest()


@contextmanager
def losing_to_another(owner_dsn: str, upload_id: str) -> Generator[None]:
    """Whoever queues the upload is the one whose transaction the database ends in a deadlock."""
    with psycopg.connect(owner_dsn, autocommit=True) as owner:
        owner.execute(
            "create function lose() returns trigger language plpgsql as"
            " $$ begin raise exception 'deadlock detected' using errcode = '40P01'; end $$"
        )
        trigger = (
            "create trigger lose before update on ingestions for each row when (new.id = {}) execute function lose()"
        )
        owner.execute(sql.SQL(trigger).format(upload_id))
        try:
            yield
        finally:
            owner.execute("drop function lose cascade")


def test_bytes_that_could_not_be_queued_leave_nothing_and_may_be_sent_again(
    client: Client, runtime: Runtime, identity: Identity, owner_dsn: str, announce: Callable[..., dict[str, Any]]
) -> None:
    data = three_pages("towbar")
    ticket = announce(data)
    with losing_to_another(owner_dsn, ticket["upload_id"]):
        with pytest.raises(StoreUnavailable, match="changed by somebody else"):
            receive_upload(runtime, identity, UUID(ticket["upload_id"]), [data])
        assert client("PUT", ticket["url"], content=data).status_code == 503
    folder = runtime.blobs.spool()
    assert folder is not None
    assert list(folder.iterdir()) == []
    assert client("PUT", ticket["url"], content=data).status_code == 204


def test_of_many_who_use_one_ticket_at_once_one_succeeds(
    client: Client, runtime: Runtime, identity: Identity, knowledge_base: UUID, announce: Callable[..., dict[str, Any]]
) -> None:
    data = three_pages("mirror")
    ticket = announce(data)
    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(lambda _: client("PUT", ticket["url"], content=data).status_code, range(6)))
    assert sorted(answers) == [204, *[409] * 5]
    document_id = run_all(runtime, incoming(identity, knowledge_base, ticket))["document_id"]
    assert client.get(f"/v1/documents/{document_id}/verify").json()["ok"]


def test_a_document_whose_source_changed_says_so_wherever_it_is_shown(
    client: Client, runtime: Runtime, identity: Identity, knowledge_base: UUID, announce: Callable[..., dict[str, Any]]
) -> None:
    data = three_pages("spoiler")
    ticket = announce(data)
    client("PUT", ticket["url"], content=data)
    event = incoming(identity, knowledge_base, ticket)
    document_id = run_all(runtime, event)["document_id"]
    address = f"/v1/documents/{document_id}"
    assert client.get(address).json()["source_changed_at"] is None
    runtime.blobs.put(event["key"].replace("incoming/", "sources/"), three_pages("forged"))
    report = client.get(f"{address}/verify").json()
    assert (report["ok"], [f["check"] for f in report["failures"]]) == (False, ["source"])
    document = client.get(address).json()
    assert document["source_changed_at"] is not None
    assert document["tier"] == "red"
    listed = client.get("/v1/documents", params={"knowledge_base_id": str(knowledge_base)}).json()["items"]
    assert document in listed
    shown = client.get(f"{address}/pages/1").json()["items"] + client.get(f"{address}/chunks").json()["items"]
    query = {"query": "spoiler", "knowledge_base_ids": [str(knowledge_base)], "k": 3}
    shown += [hit["chunk"] for hit in client.post("/v1/search", json=query).json()["hits"]]
    shown = [chunk for chunk in shown if chunk["document_id"] == document_id]
    assert len(shown) > 6
    assert all("source_changed" in chunk["flags"] for chunk in shown)
    runtime.blobs.put(event["key"].replace("incoming/", "sources/"), data)
    assert client.get(f"{address}/verify").json()["ok"]
    assert client.get(address).json()["source_changed_at"] is None
