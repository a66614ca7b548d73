import re
from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest

from shared.contract import source_key
from shared.domain.scope import Identity
from shared.library.verification import verify_stored_document
from shared.runtime import Runtime
from tests.api.conftest import Client
from tests.api.files import three_pages
from tests.pipeline import make_knowledge_base, run_all, upload


@pytest.fixture(scope="module")
def base(runtime: Runtime, identity: Identity) -> UUID:
    return make_knowledge_base(runtime, identity, "notes")


@pytest.fixture(scope="module")
def post(client: Client, base: UUID) -> Callable[..., dict[str, Any]]:
    def send(text: str, **more: Any) -> dict[str, Any]:
        answer = client.post(f"/v1/knowledge-bases/{base}/notes", json={"text": text, **more})
        assert answer.status_code == 201, answer.text
        return answer.json()

    return send


def search(client: Client, base: UUID, query: str, k: int = 10) -> list[dict[str, Any]]:
    body = {"query": query, "knowledge_base_ids": [str(base)], "k": k}
    return client.post("/v1/search", json=body).json()["hits"]


def chunks(client: Client, note: dict[str, Any]) -> list[dict[str, Any]]:
    return client.get(f"/v1/documents/{note['id']}/chunks").json()["items"]


def test_a_note_is_found_by_its_words_when_the_request_is_answered(
    client: Client, base: UUID, post: Callable[..., dict[str, Any]]
) -> None:
    made = post("The gearbox of the ferry Marigold was refilled with polyglycol oil.")
    hit = search(client, base, "Marigold gearbox oil")[0]
    assert (hit["document"]["id"], hit["document"]["source_type"]) == (made["id"], "note")
    assert hit["chunk"]["content"] == "The gearbox of the ferry Marigold was refilled with polyglycol oil."
    assert {index["name"] for index in hit["indexes"]} >= {"fts_search", "vector_search"}
    assert (made["status"], made["type"], made["revision"], made["duplicate"]) == ("ready", "prose", 1, False)


@pytest.mark.parametrize(
    ("text", "kind", "types"),
    [
        ("Power\tPrice\n10 hp\t400 EUR\n20 hp\t700 EUR", "table", ["table", "table_row", "table_row"]),
        ("def double(x):\n    return 2 * x\n\nprint(double(4))", "code", ["code"]),
        ("https://doi.org/10.1561/1500000019 on BM25", "reference", ["text"]),
        ("Correction: rule 4.2 should read 30 kg.", "correction", ["text"]),
        ("# Lift\n\nIt stops.\n\n- at floor 2\n- at floor 3", "prose", ["heading", "text", "list"]),
    ],
)
def test_the_type_is_read_and_every_chunk_is_proved(
    client: Client,
    runtime: Runtime,
    identity: Identity,
    post: Callable[..., dict[str, Any]],
    text: str,
    kind: str,
    types: list[str],
) -> None:
    made = post(text)
    found = chunks(client, made)
    assert (made["type"], [one["chunk_type"] for one in found]) == (kind, types)
    report = verify_stored_document(runtime, identity, UUID(made["id"]))
    assert (report.ok, report.verbatim, report.unclaimed_fragments) == (True, len(found), 0)


def test_what_is_stored_is_what_was_written_below_a_head(
    runtime: Runtime, base: UUID, identity: Identity, client: Client, post: Callable[..., dict[str, Any]]
) -> None:
    text = "  two spaces first\n---\ntitle: none\n---\nand \u201cquotes\u201d\r\nlast "
    made = post(text, title="Spaces", tags=["Odd", "odd", "white space"])
    assert (made["text"], made["tags"]) == (text, ["odd", "white space"])
    key = source_key(str(identity.organization_id), str(base), made["ingestion_id"])
    stored = runtime.blobs.get(key).decode()
    assert stored.endswith(text)
    assert stored.startswith('---\ntitle: "Spaces"\ntype: "prose"\n')
    assert {word for one in chunks(client, made) for word in one["keywords"]} == {"odd", "white space"}


def test_a_proof_fails_where_the_stored_note_was_changed(
    runtime: Runtime, base: UUID, identity: Identity, post: Callable[..., dict[str, Any]]
) -> None:
    made = post("The safe is opened by two people.")
    key = source_key(str(identity.organization_id), str(base), made["ingestion_id"])
    runtime.blobs.put(key, runtime.blobs.get(key).replace(b"two", b"one"))
    assert not verify_stored_document(runtime, identity, UUID(made["id"]), refresh=True).ok


def test_a_revision_is_a_version_and_an_earlier_text_may_come_back(
    client: Client, base: UUID, post: Callable[..., dict[str, Any]]
) -> None:
    first = post("Valve 7 closes at 40 mbar.", title="Valve 7", tags=["valves"])
    second = post("Valve 7 closes at 55 mbar.", version_of=first["id"])
    third = post("Valve 7 closes at 40 mbar.", version_of=first["id"])
    assert [(one["revision"], one["duplicate"], one["title"], one["tags"]) for one in (second, third)] == [
        (2, False, "Valve 7", ["valves"]),
        (3, False, "Valve 7", ["valves"]),
    ]
    versions = client.get(f"/v1/documents/{first['id']}/versions").json()["items"]
    assert [(one["id"], one["version"]["is_current"]) for one in versions] == [
        (first["id"], False), (second["id"], False), (third["id"], True)
    ]  # fmt: skip
    assert {hit["document"]["id"] for hit in search(client, base, "Valve 7 mbar")} & {
        first["id"], second["id"], third["id"]
    } == {third["id"]}  # fmt: skip


def test_the_same_note_again_is_the_same_document(client: Client, post: Callable[..., dict[str, Any]]) -> None:
    first, second = post("Lockers are cleared on Fridays."), post("Lockers are cleared on Fridays.")
    assert (second["id"], first["duplicate"], second["duplicate"]) == (first["id"], False, True)


def test_a_correction_stands_beside_what_it_corrects_in_every_version(
    client: Client, runtime: Runtime, identity: Identity, base: UUID, post: Callable[..., dict[str, Any]]
) -> None:
    old = run_all(runtime, upload(runtime, identity, base, three_pages("keel"), "keel.pdf"))["document_id"]
    chunk = client.get(f"/v1/documents/{old}/chunks").json()["items"][-1]
    made = post("It weighs 31 kg.", corrects={"document_id": old, "chunk_id": chunk["id"]})
    assert (made["type"], made["corrects"]) == ("correction", {"document_id": old, "chunk_id": chunk["id"]})
    (beside,) = client.get(f"/v1/documents/{old}/corrections").json()
    assert (beside["id"], beside["text"], beside["chunk_id"]) == (made["id"], "It weighs 31 kg.", chunk["id"])
    new = run_all(runtime, upload(runtime, identity, base, three_pages("keel", drawn=True), "keel 2.pdf", UUID(old)))
    same = client.get(f"/v1/documents/{new['document_id']}/chunks").json()["items"]
    (beside,) = client.get(f"/v1/documents/{new['document_id']}/corrections").json()
    assert beside["chunk_id"] == next(one["id"] for one in same if one["content"] == chunk["content"])
    hits = search(client, base, chunk["content"], 100)
    assert {hit["chunk"]["content"] for hit in hits if hit["corrected_by"]} == {chunk["content"]}
    assert {hit["chunk"]["document_id"] for hit in hits if hit["corrected_by"]} == {new["document_id"]}


def test_hits_and_answers_carry_what_corrects_them_and_nothing_else_does(
    client: Client, runtime: Runtime, identity: Identity, base: UUID, post: Callable[..., dict[str, Any]]
) -> None:
    def corrections(query: str) -> dict[str, list[str]]:
        return {
            hit["chunk"]["content"]: [one["text"] for one in hit["corrected_by"]]
            for hit in search(client, base, query, 100)
        }

    table = "Bilge pump | Flow\n--- | ---\nLeviathan | 40 l/s\nKraken | 60 l/s"
    made = post(f"The bilge of the Osprey holds 90 litres.\n\nIts anchor is of bronze.\n\n{table}", title="Osprey")
    said = {one["content"]: one for one in chunks(client, made)}
    bilge = said["The bilge of the Osprey holds 90 litres."]
    row = next(one for text, one in said.items() if text.startswith("Leviathan"))
    first = post("It holds 80 litres.", corrects={"document_id": made["id"], "chunk_id": bilge["id"]})
    post("Its flow is 45 l/s.", corrects={"document_id": made["id"], "chunk_id": row["id"]})
    found = corrections("bilge of the Osprey, its anchor of bronze, Leviathan Kraken pump flow")
    assert found["The bilge of the Osprey holds 90 litres."] == ["It holds 80 litres."]
    assert found["Its anchor is of bronze."] == []
    assert found[row["content"]] == ["Its flow is 45 l/s."]
    assert found[next(text for text in said if text.startswith("Kraken"))] == []
    body = {"query": "Leviathan Kraken", "knowledge_base_ids": [str(base)], "types": ["table"], "k": 100}
    tables = client.post("/v1/search", json=body).json()["hits"]
    whole_table = next(one for one in tables if "Leviathan" in one["chunk"]["content"])
    assert [one["text"] for one in whole_table["corrected_by"]] == ["Its flow is 45 l/s."]
    body = {"question": "How much does the bilge of the Osprey hold?", "knowledge_base_ids": [str(base)]}
    cited = client.post("/v1/ask", json=body).json()["citations"]
    assert [one["text"] for hit in cited if hit["chunk"]["id"] == bilge["id"] for one in hit["corrected_by"]] == [
        "It holds 80 litres."
    ]
    post("It holds 70 litres.", version_of=first["id"])
    whole = post("The Osprey was scrapped.", corrects={"document_id": made["id"]})
    found = corrections("bilge of the Osprey and anchor of bronze")
    assert found["The bilge of the Osprey holds 90 litres."] == ["It holds 70 litres.", "The Osprey was scrapped."]
    assert found["Its anchor is of bronze."] == ["The Osprey was scrapped."]
    rejected = client("PUT", f"/v1/documents/{whole['id']}/review", json={"state": "rejected"})
    assert rejected.status_code < 300, rejected.text
    assert corrections("anchor of bronze")["Its anchor is of bronze."] == []


@pytest.mark.parametrize(
    ("body", "status", "said"),
    [
        ({"text": "  \n"}, 422, "the note is empty"),
        ({"text": "x", "type": "poem"}, 422, "type"),
        ({"text": "x", "tags": ["a\nb"]}, 422, "tags"),
        ({"text": "x", "corrects": {"document_id": "01a20d8e-4d33-7b12-9c4a-65f2565bfb4b"}}, 404, "no document"),
        ({"text": "x", "version_of": "01a20d8e-4d33-7b12-9c4a-65f2565bfb4b"}, 404, "no document"),
        ({"text": "x" * 200_001}, 422, "text"),
    ],
)
def test_a_note_that_cannot_be_is_refused_in_one_sentence(
    client: Client, base: UUID, body: dict[str, Any], status: int, said: str
) -> None:
    answer = client.post(f"/v1/knowledge-bases/{base}/notes", json=body)
    assert answer.status_code == status
    assert said in answer.text


def test_another_organization_neither_sees_nor_posts(
    client_of: Callable[[Identity], Client],
    other_identity: Identity,
    base: UUID,
    client: Client,
    post: Callable[..., dict[str, Any]],
) -> None:
    made = post("The combination is in the blue folder.")
    stranger = client_of(other_identity)
    addresses = ["note", "corrections", "chunks"]
    assert {stranger.get(f"/v1/documents/{made['id']}/{one}").status_code for one in addresses} == {404}
    assert stranger.get(f"/v1/knowledge-bases/{base}/notes").status_code == 404
    assert stranger.post(f"/v1/knowledge-bases/{base}/notes", json={"text": "mine"}).status_code == 404
    assert stranger.post(f"/v1/knowledge-bases/{base}/notes:advise", json={"text": "folder"}).status_code == 404
    own = stranger.post("/v1/knowledge-bases", json={"name": "theirs", "description": "d"}).json()["id"]
    for wish in ({"corrects": {"document_id": made["id"]}}, {"version_of": made["id"]}):
        answer = stranger.post(f"/v1/knowledge-bases/{own}/notes", json={"text": "mine", **wish})
        assert answer.status_code == 404
    assert made["id"] in {one["id"] for one in client.get(f"/v1/knowledge-bases/{base}/notes").json()["items"]}


def test_a_key_answers_once_and_the_act_is_on_record(client: Client, base: UUID) -> None:
    address, key = f"/v1/knowledge-bases/{base}/notes", {"Idempotency-Key": "note-1"}
    answers = [client.post(address, json={"text": "Once only."}, headers=key) for _ in range(2)]
    assert answers[0].json() == answers[1].json()
    assert answers[1].headers["Idempotent-Replayed"] == "true"
    entry = client.get("/v1/audit", params={"act": "note.post"}).json()["items"][0]
    assert (entry["knowledge_base_id"], "Once" in str(entry)) == (str(base), False)


def test_a_stage_that_fails_ends_the_run_and_leaves_nothing_to_be_found(
    client: Client, base: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any) -> None:
        raise ValueError("no pages today")

    with monkeypatch.context() as patched:
        patched.setattr("shared.ingestion.finalize._finalize", broken)
        answer = client.post(f"/v1/knowledge-bases/{base}/notes", json={"text": "Unheard words: zzyzx."})
    assert answer.status_code == 500
    run = client.get("/v1/ingestions", params={"knowledge_base_id": str(base)}).json()["items"][0]
    assert (run["status"], run["error"].split(".")[0]) == ("failed", "no pages today")
    assert not any("zzyzx" in hit["chunk"]["content"] for hit in search(client, base, "zzyzx"))


def test_advice_names_the_type_a_title_and_tags_of_other_notes(
    client: Client, base: UUID, post: Callable[..., dict[str, Any]]
) -> None:
    post("About tides.", tags=["tides"])
    body = {"text": "# High tides\n\nThe #harbour floods, Brunel said; so did Brunel's son."}
    advice = client.post(f"/v1/knowledge-bases/{base}/notes:advise", json=body).json()
    assert (advice["type"], advice["title"]) == ("prose", "High tides")
    assert advice["tags"][:2] == ["harbour", "tides"]
    assert re.fullmatch(r"[a-z-]+", advice["tags"][0])
