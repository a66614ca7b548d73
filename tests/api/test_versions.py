from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest

from shared.domain.ids import new_id
from shared.domain.scope import Identity
from shared.runtime import Runtime
from tests.api.conftest import Client
from tests.api.files import three_pages
from tests.pipeline import make_knowledge_base, run_all, run_stage, upload

Json = dict[str, Any]
Add = Callable[[str, str], str]


@pytest.fixture
def base(runtime: Runtime, identity: Identity) -> UUID:
    return make_knowledge_base(runtime, identity, f"versions {new_id()}")


@pytest.fixture
def add(runtime: Runtime, identity: Identity, base: UUID) -> Add:
    """Ingest a file by the real stages; returns the document's id."""

    def ingest(name: str, word: str) -> str:
        return run_all(runtime, upload(runtime, identity, base, three_pages(word), name))["document_id"]

    return ingest


@pytest.fixture
def suggestions(client: Client, base: UUID) -> Callable[..., list[Json]]:
    def read(**query: str) -> list[Json]:
        answer = client.get(f"/v1/knowledge-bases/{base}/version-suggestions", params=query)
        assert answer.status_code == 200, answer.text
        return answer.json()["items"]

    return read


def test_a_new_edition_is_suggested_and_nothing_is_linked(
    client: Client, add: Add, suggestions: Callable[..., list[Json]]
) -> None:
    old, new = add("rules 2025.pdf", "wing"), add("rules 2026.pdf", "fin")
    add("prices.pdf", "price")
    (found,) = [s for s in suggestions() if s["document"]["id"] == new]
    assert found["nearest"]["id"] == old
    assert (found["label"], found["position"], found["status"]) == ("2026", 2, "open")
    assert found["score"] > 0.6
    assert found["parts"]["name"] == 1.0
    for document in (old, new):
        assert client.get(f"/v1/documents/{document}").json()["version"]["is_current"]


def test_an_answer_is_no_version_of_the_message_that_it_answers(
    runtime: Runtime, identity: Identity, base: UUID, suggestions: Callable[..., list[Json]]
) -> None:
    text = "From: ann@example.org\nTo: bob@example.org\nSubject: {} of the winch\n\nIt takes {} litres of oil a year.\n"
    for ending in ("txt", "eml"):
        for year, litres in ((2025, "three"), (2026, "four")):
            mail = text.format("Seal", litres).encode()
            run_all(runtime, upload(runtime, identity, base, mail, f"seal {year}.{ending}"))
    assert [s["document"]["name"] for s in suggestions()] == ["seal 2026.txt"]


def test_an_accepted_suggestion_links_once(client: Client, add: Add, suggestions: Callable[..., list[Json]]) -> None:
    old, new = add("rules 2025.pdf", "wing"), add("rules 2026.pdf", "fin")
    (found,) = suggestions()
    done = client.post(f"/v1/version-suggestions/{found['id']}/accept", json={"label": "edition 2026"}).json()
    assert [(d["id"], d["version"]["is_current"]) for d in done["items"]] == [(old, False), (new, True)]
    assert done["items"][1]["version"]["label"] == "edition 2026"
    assert suggestions() == []
    assert [s["decided_by"] for s in suggestions(status="accepted")] == ["dev@localhost"]
    assert client.post(f"/v1/version-suggestions/{found['id']}/accept").status_code == 409
    assert client.post(f"/v1/version-suggestions/{found['id']}/dismiss").status_code == 409


def test_a_dismissed_suggestion_does_not_come_back_when_the_file_is_read_again(
    client: Client, runtime: Runtime, identity: Identity, base: UUID, suggestions: Callable[..., list[Json]]
) -> None:
    run_all(runtime, upload(runtime, identity, base, three_pages("wing"), "rules 2025.pdf"))
    event = run_all(runtime, upload(runtime, identity, base, three_pages("fin"), "rules 2026.pdf"))
    (found,) = suggestions()
    assert client.post(f"/v1/version-suggestions/{found['id']}/dismiss").json()["status"] == "dismissed"
    run_stage(runtime, "publish", event)
    assert suggestions() == []
    assert len(suggestions(status="dismissed")) == 1


def test_publishing_twice_suggests_once(
    runtime: Runtime, identity: Identity, base: UUID, suggestions: Callable[..., list[Json]]
) -> None:
    events = [
        run_all(runtime, upload(runtime, identity, base, three_pages(word), f"rules {year}.pdf"))
        for word, year in (("wing", 2025), ("fin", 2026))
    ]
    before = suggestions()
    for event in (*events, *events):
        run_stage(runtime, "publish", event)
    assert suggestions() == before
    assert len(before) == 1


def test_suggestions_follow_a_document_that_is_linked_elsewhere(
    client: Client, add: Add, suggestions: Callable[..., list[Json]]
) -> None:
    old, _, newest = add("rules 2024.pdf", "wing"), add("rules 2025.pdf", "fin"), add("rules 2026.pdf", "keel")
    middle = next(s for s in suggestions() if s["document"]["name"] == "rules 2025.pdf")
    together = client.post(f"/v1/version-suggestions/{middle['id']}/accept").json()["logical_document"]["id"]
    (left,) = suggestions()
    assert (left["document"]["id"], left["logical_document"]["id"], left["position"]) == (newest, together, 3)
    done = client.post(f"/v1/version-suggestions/{left['id']}/accept").json()
    assert [d["version"]["label"] for d in done["items"]] == [None, "2025", "2026"]
    assert done["items"][0]["id"] == old


def test_a_file_uploaded_as_a_version_needs_no_suggestion(
    runtime: Runtime, identity: Identity, base: UUID, add: Add, suggestions: Callable[..., list[Json]]
) -> None:
    old = add("rules 2025.pdf", "wing")
    run_all(runtime, upload(runtime, identity, base, three_pages("fin"), "rules 2026.pdf", version_of=UUID(old)))
    assert suggestions() == []


def test_link_unlink_and_going_back_through_the_api(client: Client, add: Add) -> None:
    one, two = add("wings.pdf", "wing"), add("fins of 2026.pdf", "fin")
    linked = client.post(f"/v1/documents/{two}/link", json={"version_of": one, "label": "second"}).json()
    assert [d["version"]["index"] for d in linked["items"]] == [1, 2]
    assert client.get(f"/v1/documents/{one}/versions").json()["items"] == linked["items"]
    first = client.get(f"/v1/documents/{one}/versions", params={"limit": 1}).json()
    rest = client.get(f"/v1/documents/{one}/versions", params={"limit": 1, "cursor": first["next_cursor"]}).json()
    assert [first["items"], rest["items"]] == [[item] for item in linked["items"]]
    back = client.post(f"/v1/documents/{one}/current").json()
    assert [d["version"]["is_current"] for d in back["items"]] == [True, False]
    assert client.post(f"/v1/documents/{two}/unlink").json()["logical_document"]["versions"] == 1
    assert client.post(f"/v1/documents/{two}/unlink").status_code == 409
    assert client.post(f"/v1/documents/{two}/link", json={"version_of": one, "position": 0}).status_code == 422


def test_searches_follow_the_current_version_and_pins(client: Client, base: UUID, add: Add) -> None:
    old, new = add("rules 2025.pdf", "wing"), add("rules 2026.pdf", "fin")
    client.post(f"/v1/documents/{new}/link", json={"version_of": old})

    def found(**wish: Any) -> set[str]:
        body = {"query": "weighs", "knowledge_base_ids": [str(base)], **wish}
        return {hit["document"]["id"] for hit in client.post("/v1/search", json=body).json()["hits"]}

    assert found() == {new}
    assert found(documents=[old]) == {old}
    assert found(include_superseded=True) == {old, new}
    client.post(f"/v1/documents/{old}/current")
    assert found() == {old}


def test_names_and_labels_can_be_changed_and_a_label_removed(client: Client, add: Add) -> None:
    document = add("rules 2025.pdf", "wing")
    body = {"name": "Rules of 2025", "label": "2025", "logical_document_name": "Rules"}
    changed = client("PATCH", f"/v1/documents/{document}", json=body).json()
    assert (changed["name"], changed["version"]["label"]) == ("Rules of 2025", "2025")
    assert changed["version"]["logical_document_name"] == "Rules"
    cleared = client("PATCH", f"/v1/documents/{document}", json={"label": None}).json()
    assert (cleared["name"], cleared["version"]["label"]) == ("Rules of 2025", None)
    assert client("PATCH", f"/v1/documents/{document}", json={"name": ""}).status_code == 422
    for field in ("name", "label", "logical_document_name"):
        assert client("PATCH", f"/v1/documents/{document}", json={field: "a\nb"}).status_code == 422
    label = {"label": "a\u2028b"}
    assert client.post(f"/v1/documents/{document}/link", json=label | {"version_of": document}).status_code == 422
    assert client.post(f"/v1/version-suggestions/{document}/accept", json=label).status_code == 422


def test_two_versions_are_compared_section_by_section(client: Client, add: Add) -> None:
    old, new = add("rules 2025.pdf", "wing"), add("rules 2026.pdf", "fin")
    diff = client.get(f"/v1/documents/{old}/diff/{new}").json()
    assert (diff["a"]["id"], diff["b"]["id"], diff["vectors"]) == (old, new, True)
    changed = {item["b"]["address"]: item for item in diff["items"] if item["status"] == "changed"}
    assert set(changed) == {"C1.1", "C2.1", "C3.1"}
    (part,) = changed["C1.1"]["parts"]
    assert [(run["op"], run["text"].strip()) for run in part["words"]][1:3] == [("removed", "wing"), ("added", "fin")]
    assert part["a"]["boxes"] != []
    assert part["b"]["page"] == 1
    assert diff["summary"]["unchanged"] == len(diff["items"]) - 3
    assert client.get(f"/v1/documents/{old}/diff/{new}").json() == diff
    assert client.get(f"/v1/documents/{old}/diff/{new_id()}").status_code == 404


def test_a_document_compared_with_itself_has_no_change(client: Client, add: Add) -> None:
    document = add("rules 2025.pdf", "wing")
    items = client.get(f"/v1/documents/{document}/diff/{document}").json()["items"]
    assert {item["status"] for item in items} == {"unchanged"}


def test_documents_of_different_knowledge_bases_are_not_compared(
    client: Client, add: Add, runtime: Runtime, identity: Identity
) -> None:
    one = add("rules 2025.pdf", "wing")
    elsewhere = make_knowledge_base(runtime, identity, f"elsewhere {new_id()}")
    other = run_all(runtime, upload(runtime, identity, elsewhere, three_pages("fin"), "rules 2026.pdf"))["document_id"]
    assert client.get(f"/v1/documents/{one}/diff/{other}").status_code == 422
    assert client.post(f"/v1/documents/{other}/link", json={"version_of": one}).status_code == 422


def test_the_page_of_differences_is_served(client: Client, add: Add) -> None:
    document = add("rules 2025.pdf", "wing")
    page = client.get(f"/documents/{document}/diff/{document}", headers={"accept": "text/html"})
    assert page.status_code == 200
    assert f'href="/v1/documents/{document}/diff/{document}"' in page.text
