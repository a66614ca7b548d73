"""What a model writes of several documents: from their statements, borne out, kept, and told when it is old."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

import psycopg
import pytest

from shared.domain.draft import SectionDraft
from shared.domain.experiments import GroupWish
from shared.domain.ids import new_id
from shared.domain.scope import Identity, Scope
from shared.errors import BadInput, Conflict, Forbidden, NotFound
from shared.lab.summaries import groups
from shared.runtime import Runtime
from tests.adapters.chat_server import running_chat
from tests.api.conftest import Client
from tests.conftest import add_member, as_superuser
from tests.store.seeding import Passage, add_base, add_document, section
from tests.store.test_written_answers import answering, saying

WING = "The wing improved the lap time by 2.5 % over the baseline."
KEEL = "The keel improved the lap time by 3 % over the baseline."
BOTH = "The wing improved the lap time by 2.5 %, and the keel by 3 %."
MADE_UP = "The wing improved the lap time by 40 %."


@pytest.fixture
def scope(runtime: Runtime, identity: Identity) -> Scope:
    return add_base(runtime, identity, f"boats-{new_id().hex}")


@pytest.fixture
def pair(runtime: Runtime, scope: Scope, client: Client) -> list[str]:
    return [add_paper(runtime, scope, client, name, text) for name, text in (("Wing", WING), ("Keel", KEEL))]


def add_paper(runtime: Runtime, scope: Scope, client: Client, name: str, text: str) -> str:
    headings: list[SectionDraft] = [section(0, "1", "Results")]
    document = str(add_document(runtime, scope, name, [Passage(text, page=1, section=0)], headings))
    assert client.post(f"/v1/documents/{document}/summary", json={}).status_code == 201
    return document


def write(runtime: Runtime, identity: Identity, documents: list[str], *sentences: tuple[str, Any]) -> None:
    with running_chat() as chat, answering(runtime, chat) as with_model:
        chat.mind = saying(*sentences)
        groups.write_summary(with_model, identity, GroupWish(document_ids=[UUID(one) for one in documents]))


def read(client: Client, documents: list[str], **wish: Any) -> Any:
    return client.get("/v1/summaries/group", params={"document_id": documents, **wish})


def test_a_model_writes_of_a_group_what_passages_of_its_documents_bear_out_and_each_time_is_a_version(
    runtime: Runtime, identity: Identity, client: Client, pair: list[str]
) -> None:
    assert read(client, pair).json()["written"] is None
    write(runtime, identity, pair, (WING, "wing"), (MADE_UP, "wing"))
    written = read(client, pair).json()["written"]
    assert [(one["field"], one["text"]) for one in written["statements"]] == [("results", WING)]
    (source,) = written["statements"][0]["sources"]
    assert (source["document_id"], source["document"], source["page"]) == (pair[0], "Wing", 1)
    assert (written["version"], written["changed"], written["author"]) == (1, [], "dev@localhost")
    write(runtime, identity, pair[::-1], (KEEL, "keel"))
    # A group is its documents, in any order.
    newest = read(client, pair).json()["written"]
    assert (newest["version"], newest["newest"]) == (2, 2)
    assert [one["text"] for one in newest["statements"]] == [KEEL]
    first = read(client, pair, version=1).json()["written"]
    assert (first["version"], first["newest"], first["statements"][0]["text"]) == (1, 2, WING)
    assert read(client, pair, version=3).status_code == 404
    listed = client.get("/v1/summaries/group/versions", params={"document_id": pair}).json()
    assert [(one["version"], one["statements"]) for one in listed] == [(1, 1), (2, 1)]
    other = client.get("/v1/summaries/group/versions", params={"document_id": pair[:1]}).json()
    assert other == []


def test_what_a_model_wrote_of_a_group_is_old_when_a_document_or_its_summary_is_another(
    runtime: Runtime, identity: Identity, scope: Scope, client: Client, pair: list[str]
) -> None:
    write(runtime, identity, pair, (WING, "wing"))
    chunk = client.get(f"/v1/documents/{pair[1]}/chunks").json()["items"][0]["id"]
    added = {"field": "limits", "text": KEEL, "chunk_ids": [chunk]}
    assert client.post(f"/v1/documents/{pair[1]}/summary/edits", json=added).status_code == 201
    assert read(client, pair).json()["written"]["changed"] == ["Keel"]
    assert add_document(runtime, scope, "Wing", [Passage("It slowed by 1 %.")], [], UUID(pair[0]))
    written = read(client, pair).json()["written"]
    assert written["changed"] == ["Wing", "Keel"]
    assert written["statements"][0]["text"] == WING


def test_a_group_goes_with_the_first_of_its_documents_that_is_deleted(
    runtime: Runtime, identity: Identity, client: Client, pair: list[str], owner_dsn: str
) -> None:
    write(runtime, identity, pair, (WING, "wing"))
    with psycopg.connect(as_superuser(owner_dsn)) as connection:
        count = "select count(*) from group_summaries where document_ids && %s::uuid[]"
        assert connection.execute(count, [pair]).fetchone() == (1,)
        assert client.delete(f"/v1/documents/{pair[1]}").status_code == 200
        assert connection.execute(count, [pair]).fetchone() == (0,)


def test_a_group_is_written_by_a_model_alone_of_summarized_documents_of_one_knowledge_base(
    runtime: Runtime, identity: Identity, scope: Scope, client: Client, pair: list[str]
) -> None:
    without = client.post("/v1/summaries/group", json={"document_ids": pair, "model": "quotations"})
    assert (without.status_code, "No model" in without.json()["detail"]) == (409, True)
    bare = str(add_document(runtime, scope, "Bare", [Passage("Nothing.")], []))
    with pytest.raises(Conflict, match="needs its summary"):
        write(runtime, identity, [pair[0], bare], (WING, "wing"))
    with pytest.raises(Conflict, match="two"):
        write(runtime, identity, [pair[0], pair[0]], (WING, "wing"))
    elsewhere = add_base(runtime, identity, f"elsewhere-{new_id().hex}")
    with pytest.raises(BadInput, match="several knowledge bases"):
        write(runtime, identity, [pair[0], add_paper(runtime, elsewhere, client, "Far", WING)], (WING, "wing"))
    with pytest.raises(NotFound):
        write(runtime, identity, [pair[0], str(new_id())], (WING, "wing"))


def test_a_viewer_reads_what_was_written_and_writes_nothing_and_a_stranger_sees_none(
    runtime: Runtime,
    owner_dsn: str,
    identity: Identity,
    client_of: Callable[[Identity], Client],
    other_identity: Identity,
    pair: list[str],
) -> None:
    write(runtime, identity, pair, (WING, "wing"))
    member = add_member(runtime, owner_dsn, "local", "viewer")
    viewer, stranger = client_of(member), client_of(other_identity)
    assert read(viewer, pair).json()["written"]["version"] == 1
    assert read(stranger, pair).status_code == 404
    assert stranger.get("/v1/summaries/group/versions", params={"document_id": pair}).status_code == 404
    with pytest.raises(Forbidden):
        write(runtime, member, pair, (KEEL, "keel"))


def test_what_was_written_of_some_is_not_told_of_more(
    runtime: Runtime, identity: Identity, scope: Scope, client: Client, pair: list[str]
) -> None:
    write(runtime, identity, pair, (WING, "wing"))
    bare = str(add_document(runtime, scope, "Bare", [Passage("Nothing.")], []))
    assert read(client, [*pair, bare]).json()["written"] is None
    assert read(client, pair).json()["written"]["version"] == 1


def test_what_is_written_while_a_document_is_deleted_is_not_kept(
    runtime: Runtime, identity: Identity, client: Client, pair: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = groups.write_group

    def write_and_delete(*given: Any) -> Any:
        written = asked(*given)
        assert client.delete(f"/v1/documents/{pair[1]}").status_code == 200
        return written

    monkeypatch.setattr(groups, "write_group", write_and_delete)
    with pytest.raises(NotFound, match="deleted meanwhile"):
        write(runtime, identity, pair, (WING, "wing"))


def test_statements_that_cite_documents_of_no_member_are_not_shown(
    runtime: Runtime, identity: Identity, client: Client, pair: list[str], owner_dsn: str
) -> None:
    """As an archive may have them that somebody made by hand."""
    write(runtime, identity, pair, (WING, "wing"), (KEEL, "keel"))
    foreign = "update group_summaries set body = replace(body::text, %s, %s)::jsonb where document_ids && %s::uuid[]"
    with psycopg.connect(as_superuser(owner_dsn)) as connection:
        connection.execute(foreign, (f'"document_id": "{pair[1]}"', f'"document_id": "{new_id()}"', pair))
    assert [one["text"] for one in read(client, pair).json()["written"]["statements"]] == [WING]
