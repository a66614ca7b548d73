"""A document's date: read when it is ingested, changed by people, counted from by recency."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

import pymupdf
import pytest

from shared.domain.ids import new_id
from shared.domain.scope import Identity
from shared.ingestion.uploads import reingest
from shared.runtime import Runtime
from tests.api.conftest import Client
from tests.pipeline import make_knowledge_base, run_all, upload

Json = dict[str, Any]
PASSAGE = "Compressors are inspected by a person who is trained for it."
DATED = "last_inspection exists"


def notice(first: str, second: str = "", created: str | None = None) -> bytes:
    """A page that begins with these lines and says that compressors are inspected."""
    with pymupdf.open() as document:
        page = document.new_page()
        page.insert_text((72, 90), first, fontsize=12)
        page.insert_text((72, 160), second, fontsize=12)
        page.insert_text((72, 300), PASSAGE, fontsize=10)
        if created:
            document.set_metadata({"creationDate": created})
        return document.tobytes()


@pytest.fixture
def base(runtime: Runtime, identity: Identity) -> UUID:
    return make_knowledge_base(runtime, identity, f"dates {new_id()}")


@pytest.fixture
def add(runtime: Runtime, identity: Identity, base: UUID) -> Callable[..., str]:
    def ingest(name: str, data: bytes) -> str:
        return run_all(runtime, upload(runtime, identity, base, data, name))["document_id"]

    return ingest


def dated(client: Client, document: str) -> tuple[Any, ...]:
    got = client.get(f"/v1/documents/{document}").json()
    return tuple(got[f"document_date{part}"] for part in ("", "_source", "_text"))


def change(client: Client, document: str, body: Json) -> Json:
    answer = client("PATCH", f"/v1/documents/{document}", json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()


def read_again(runtime: Runtime, identity: Identity, base: UUID, document: str) -> None:
    run = reingest(runtime, identity, UUID(document))
    event = {"organization_id": identity.organization_id, "knowledge_base_id": base, "document_id": document}
    run_all(runtime, {name: str(value) for name, value in event.items()} | {"ingestion_id": str(run.id)})


def test_the_date_is_read_from_the_first_page_the_name_or_the_file(client: Client, add: Callable[..., str]) -> None:
    created = "D:20190412101500Z"
    stated = add("2021-06-01.pdf", notice("Issued 12 March 2024", created=created))
    monthly = add("2021-06-03.pdf", notice("Issued March 2024", created=created))
    named = add("2021-06-02.pdf", notice("On compressors", created=created))
    made = add("compressors.pdf", notice("Of compressors", created=created))
    silent = add("silent.pdf", notice("With compressors"))
    assert dated(client, stated) == ("2024-03-12", "title_page", "Issued 12 March 2024")
    assert dated(client, monthly) == ("2024-03-01", "title_page", "Issued March 2024")
    units = [client.get(f"/v1/documents/{one}").json()["document_date_unit"] for one in (stated, monthly, silent)]
    assert units == ["day", "month", None]
    assert change(client, monthly, {"document_date": "2024-03-05"})["document_date_unit"] == "day"
    assert change(client, monthly, {"document_date": None})["document_date_unit"] is None
    assert dated(client, named) == ("2021-06-02", "file_name", "2021-06-02.pdf")
    assert dated(client, made) == ("2019-04-12", "metadata", None)
    assert dated(client, silent) == (None, None, None)
    confidences = [client.get(f"/v1/documents/{d}").json()["document_date_confidence"] for d in (stated, named, made)]
    assert 1 > confidences[0] > confidences[1] > confidences[2] > 0


def test_recency_counts_from_the_documents_date(client: Client, base: UUID, add: Callable[..., str]) -> None:
    newer, older = add("a.pdf", notice("Issued 12 March 2024")), add("b.pdf", notice("Issued 12 March 2014"))

    def order(**wish: Any) -> list[str]:
        body = {"knowledge_base_ids": [str(base)], "recency_days": 365, **wish}
        hits = client.post("/v1/search", json=body).json()["hits"]
        return list(dict.fromkeys(hit["document"]["id"] for hit in hits))

    for wish in ({"query": "inspected"}, {"query": ""}):
        assert order(**wish) == [newer, older]
    change(client, newer, {"document_date": "2004-03-12"})
    for wish in ({"query": "inspected"}, {"query": ""}):
        assert order(**wish) == [older, newer]
    change(client, newer, {"document_date": None})  # it came in today
    assert order(query="inspected") == [newer, older]


def test_of_reports_on_one_thing_the_latest_comes_first_where_it_is_asked_for(
    client: Client, base: UUID, add: Callable[..., str]
) -> None:
    older = add("a.pdf", notice("Report on compressors", "Issued 12 March 2014"))
    newer = add("b.pdf", notice("Report on compressors", "Issued 12 March 2024"))
    other = add("c.pdf", notice("Report on pumps", "Issued 12 March 2025"))
    assert dated(client, add("d.pdf", notice("Report on compressors")))[0] is None

    def first(query: str) -> str:
        body = {"knowledge_base_ids": [str(base)], "query": query}
        return client.post("/v1/search", json=body).json()["hits"][0]["document"]["id"]

    assert first("Who inspects compressors by the latest report on compressors?") == newer
    change(client, newer, {"document_date": "2004-03-12"})
    assert first("Who inspects compressors by the latest report on compressors?") == older
    assert first("Who inspects them by the latest report on pumps?") == other


def test_a_date_that_a_person_gave_or_removed_stays(
    client: Client, runtime: Runtime, identity: Identity, base: UUID, add: Callable[..., str]
) -> None:
    document = add("a.pdf", notice("Issued 12 March 2024"))
    edited = change(client, document, {"document_date": "2023-01-31"})
    assert (edited["document_date"], edited["document_date_source"], edited["document_date_confidence"]) == (
        "2023-01-31", "edited", 1,
    )  # fmt: skip
    read_again(runtime, identity, base, document)
    assert dated(client, document) == ("2023-01-31", "edited", None)
    assert change(client, document, {"name": "b.pdf"})["document_date"] == "2023-01-31"
    change(client, document, {"document_date": None})
    read_again(runtime, identity, base, document)
    assert dated(client, document) == (None, "edited", None)


def test_a_date_that_was_read_is_read_again(
    client: Client, runtime: Runtime, identity: Identity, base: UUID, add: Callable[..., str]
) -> None:
    document = add("2021-06-01.pdf", notice("On compressors"))
    assert dated(client, document)[0] == "2021-06-01"
    change(client, document, {"name": "2022-06-01.pdf"})
    read_again(runtime, identity, base, document)
    assert dated(client, document) == ("2022-06-01", "file_name", "2022-06-01.pdf")
    change(client, document, {"name": "compressors.pdf"})
    read_again(runtime, identity, base, document)
    assert dated(client, document) == (None, None, None)


def test_each_version_has_its_own_date(
    client: Client, runtime: Runtime, identity: Identity, base: UUID, add: Callable[..., str]
) -> None:
    old = add("rules.pdf", notice("Issued 12 March 2014"))
    change(client, old, {"document_date": "2013-01-01"})
    event = upload(runtime, identity, base, notice("Issued 12 March 2024"), "rules.pdf", version_of=UUID(old))
    new = run_all(runtime, event)["document_id"]
    assert (dated(client, old)[0], dated(client, new)[0]) == ("2013-01-01", "2024-03-12")


@pytest.mark.parametrize("day", ["12 March 2024", "2024-02-30", "1899-12-31", "2024-03-12T10:00:00Z", 20240312, ""])
def test_what_is_no_day_is_refused(client: Client, add: Callable[..., str], day: object) -> None:
    document = add("a.pdf", notice("Issued 12 March 2024"))
    assert client("PATCH", f"/v1/documents/{document}", json={"document_date": day}).status_code == 422
    assert dated(client, document)[1] == "title_page"


def test_viewers_and_strangers_change_no_date(
    client: Client,
    client_of: Callable[[Identity], Client],
    identity: Identity,
    other_identity: Identity,
    add: Callable[..., str],
) -> None:
    document = add("a.pdf", notice("Issued 12 March 2024"))
    body = {"document_date": "2023-01-31"}
    viewer = client_of(identity.model_copy(update={"role": "viewer"}))
    assert viewer("PATCH", f"/v1/documents/{document}", json=body).status_code == 403
    assert dated(viewer, document)[0] == "2024-03-12"
    stranger = client_of(other_identity)
    assert stranger("PATCH", f"/v1/documents/{document}", json=body).status_code == 404
    assert dated(client, document) == ("2024-03-12", "title_page", "Issued 12 March 2024")


def test_passages_are_dated_by_the_attribute_that_is_declared_for_it(
    client: Client, runtime: Runtime, identity: Identity, base: UUID, add: Callable[..., str]
) -> None:
    old = add("old.pdf", notice("Issued 12 March 2014", "Last inspection: 5 May 2024"))
    new = add("new.pdf", notice("Issued 12 March 2016", "Last inspection: 5 May 2009"))

    def chunk_dates(document: str) -> dict[str, str | None]:
        chunks = client.get(f"/v1/documents/{document}/chunks").json()["items"]
        return {chunk["content"].split(":")[0]: chunk["date"] for chunk in chunks}

    def order(query: str, where: str | None = None) -> list[str]:
        body = {"query": query, "where": where, "knowledge_base_ids": [str(base)], "recency_days": 1000, "index": "fts"}
        return [hit["document"]["id"] for hit in client.post("/v1/search", json=body).json()["hits"]]

    def declare(name: str | None) -> Json:
        answer = client("PATCH", f"/v1/knowledge-bases/{base}", json={"date_attribute": name})
        assert answer.status_code == 200, answer.text
        return answer.json()

    assert set(chunk_dates(old).values()) == {None}
    assert order("inspection", DATED) == [new, old]
    assert declare("last_inspection")["date_attribute"] == "last_inspection"
    assert {name: date and date[:10] for name, date in chunk_dates(old).items()} == {
        "Issued 12 March 2014": None,
        "Last inspection": "2024-05-05",
        PASSAGE: None,
    }
    assert order("inspection", DATED) == [old, new]  # by their own dates
    assert order("compressors") == [new, old]  # without one, by their documents'
    later = add("later.pdf", notice("Issued 12 March 2012", "Last inspection: 5 May 2025"))
    assert order("inspection", DATED) == [later, old, new]
    read_again(runtime, identity, base, old)
    assert order("inspection", DATED) == [later, old, new]
    assert declare(None)["date_attribute"] is None
    assert set(chunk_dates(old).values()) == {None}
    assert order("inspection", DATED) == [new, old, later]


def test_only_what_has_dates_here_can_be_declared(
    client: Client,
    client_of: Callable[[Identity], Client],
    runtime: Runtime,
    identity: Identity,
    other_identity: Identity,
    base: UUID,
    add: Callable[..., str],
) -> None:
    add("a.pdf", notice("Last inspection: 5 May 2024", "Mass: 12 kg"))
    elsewhere = make_knowledge_base(runtime, identity, f"elsewhere {new_id()}")
    path, body = f"/v1/knowledge-bases/{base}", {"date_attribute": "last_inspection"}
    refused = client("PATCH", path, json={"name": "Not stored", "date_attribute": "mass"})
    assert (refused.status_code, "last_inspection" in refused.json()["detail"]) == (422, True)
    assert client.get(path).json()["name"] != "Not stored"
    assert client("PATCH", f"/v1/knowledge-bases/{elsewhere}", json=body).status_code == 422
    assert client_of(other_identity)("PATCH", path, json=body).status_code == 404
    viewer = client_of(identity.model_copy(update={"role": "viewer"}))
    assert viewer("PATCH", path, json=body).status_code == 403
    assert client.get(path).json()["date_attribute"] is None
