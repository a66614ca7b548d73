"""What a mail's headers and a record's fields say holds for every passage of it: filters, columns, sort, facets."""

import csv
from email.message import EmailMessage
from typing import Any
from uuid import UUID

import pytest

from shared.domain.scope import Identity
from shared.ingestion.backfill import fill_next
from shared.library.verification import verify_stored_document
from shared.runtime import Runtime
from tests.api.conftest import Client
from tests.pipeline import make_knowledge_base, run_all, scope_of, upload

OFFER = {
    "type": "object",
    "properties": {
        "buyer": {"type": "string"},
        "closes": {"type": "string", "format": "date"},
        "budget": {"type": "number", "x-unit": "EUR"},
        "note": {"type": "string"},
        "turbine": {
            "type": "object",
            "properties": {"make": {"type": "string"}, "output": {"type": "number", "x-unit": "kW"}},
        },
        "parts": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "blade": {"type": "string"},
                    "length": {"type": "number", "x-unit": "m"},
                    "budget": {"type": "number", "x-unit": "EUR"},
                },
            },
        },
    },
}
PARTS = [{"blade": "B-1", "length": 30, "budget": 700}, {"blade": "B-2", "length": 45, "budget": 900}]
OFFERS = [
    {"buyer": "Nordwind", "closes": "2026-05-01", "budget": 90000, "turbine": {"make": "VX", "output": 850},
     "parts": PARTS},
    {"buyer": "Hafen", "closes": "2026-06-01", "budget": 20000, "turbine": {"make": "WY", "output": 600}},
]  # fmt: skip


def letter(sender: str, to: str, subject: str, day: int, body: str) -> EmailMessage:
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = sender, to, subject
    message["Date"] = f"Wed, {day:02} Apr 2026 09:30:00 +0200"
    message.set_content(body)
    return message


LETTERS = [
    letter('"Vogt, Rita" <rita@werk.example>', "Otto Bach <otto@hafen.example>, lager@hafen.example", "Valve", 1,
           "The rotary valve weighs 18 kg.\n\nIt was built on 3 January 2019."),
    letter("otto@hafen.example", "rita@werk.example", "Seal", 8, "The shaft seal weighs 2 kg."),
]  # fmt: skip


@pytest.fixture(scope="module")
def base(runtime: Runtime, identity: Identity, client: Client) -> UUID:
    made = make_knowledge_base(runtime, identity, "heads")
    assert client("PUT", f"/v1/knowledge-bases/{made}/record-kinds/offer", json={"schema": OFFER}).status_code == 200
    for number, values in enumerate(OFFERS):
        body = {"kind": "offer", "key": f"o{number}", "values": values}
        assert client.post(f"/v1/knowledge-bases/{made}/records", json=body).status_code == 201
    box = b"".join(b"From x@y Wed Apr 01 09:30:00 2026\n" + bytes(one) + b"\n" for one in LETTERS)
    run_all(runtime, upload(runtime, identity, made, box, "letters.mbox"))
    return made


def search(client: Client, base: UUID, where: str, **more: Any) -> dict[str, Any]:
    body = {"query": "", "where": where, "knowledge_base_ids": [str(base)], "k": 50, **more}
    answer = client.post("/v1/search", json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()


def contents(client: Client, base: UUID, where: str) -> list[str]:
    return [hit["chunk"]["content"] for hit in search(client, base, where)["hits"]]


def test_a_record_s_own_fields_hold_for_its_groups_and_rows(client: Client, base: UUID) -> None:
    (turbine,) = contents(client, base, "output >= 700 kW and buyer = Nordwind")
    assert "VX" in turbine
    assert contents(client, base, "output >= 700 kW and buyer = Hafen") == []
    (row,) = contents(client, base, "length = 45 m and closes < 2026-05-15")
    assert "B-2" in row


def test_rows_of_a_list_stay_apart_and_shadow_the_record(client: Client, base: UUID) -> None:
    assert contents(client, base, "length = 30 m and blade = B-2") == []
    assert contents(client, base, "length = 30 m and output = 850 kW") == []
    assert contents(client, base, "length = 30 m and budget = 90000 EUR") == []
    assert len(contents(client, base, "length = 30 m and budget = 700 EUR")) == 1


def test_columns_sort_and_csv_have_what_the_head_says(client: Client, base: UUID) -> None:
    found = search(client, base, "output exists", columns=["buyer", "make", "output", "budget"], sort="budget")
    assert [row["cells"] for row in found["table"]["rows"]] == [
        ["Hafen", "WY", 600.0, 20000.0], ["Nordwind", "VX", 850.0, 90000.0],
    ]  # fmt: skip
    body = {"query": "", "where": "make = VX", "knowledge_base_ids": [str(base)], "columns": ["buyer", "closes"]}
    answer = client.post("/v1/search:export", json=body)
    assert [line[:2] for line in csv.reader(answer.text.splitlines())] == [
        ["buyer", "closes"],
        ["Nordwind", "2026-05-01"],
    ]


def test_facets_count_passages_as_the_filter_finds_them(client: Client, base: UUID) -> None:
    facets = search(client, base, "buyer exists", facets=["buyer"])["facets"]["attributes"][0]
    counted = {one["value"]: one["count"] for one in facets["values"]}
    assert counted == {name: len(contents(client, base, f"buyer = {name}")) for name in ("Nordwind", "Hafen")}
    assert counted["Nordwind"] > counted["Hafen"]


def test_the_attributes_of_the_knowledge_base_are_counted_once(client: Client, base: UUID) -> None:
    listed = client.get(f"/v1/knowledge-bases/{base}/attributes").json()["items"]
    counts = {one["name"]: one["count"] for one in listed}
    assert (counts["buyer"], counts["output"], counts["from"]) == (2, 2, 2)


def test_what_is_proposed_counts_and_shows_what_is_printed(client: Client, base: UUID) -> None:
    found = client.get(f"/v1/knowledge-bases/{base}/schema/proposal").json()["proposed"]
    proposed = {one["declaration"]["name"]: one for one in found}
    assert {one["text"]: one["count"] for one in proposed["buyer"]["texts"]} == {"Nordwind": 1, "Hafen": 1}
    assert sorted(one["raw"] for one in proposed["buyer"]["examples"]) == ["Hafen", "Nordwind"]
    senders = ['"Vogt, Rita" <rita@werk.example>', "otto@hafen.example"]
    assert {one["text"]: one["count"] for one in proposed["from"]["texts"]} == dict.fromkeys(senders, 1)
    assert sorted(one["raw"] for one in proposed["from"]["examples"]) == senders


def test_mails_are_sorted_by_the_mailbox_as_it_is_printed(runtime: Runtime, identity: Identity, client: Client) -> None:
    made = make_knowledge_base(runtime, identity, "sorted heads")
    for at, sender in enumerate(("Zoe Abt <aaa@werk.example>", "Bea Zorn <zzz@werk.example>"), 1):
        data = bytes(letter(sender, "lager@hafen.example", f"No {at}", at, f"Said in letter {at}."))
        run_all(runtime, upload(runtime, identity, made, data, f"{at}.eml"))
    for order, first in (("from", "Bea"), ("from desc", "Zoe")):
        hits = search(client, made, "from exists", sort=order)["hits"]
        assert hits[0]["chunk"]["attrs"]["from"]["raw"].startswith(first)


def test_a_schema_that_is_declared_later_counts_what_is_printed(
    runtime: Runtime, identity: Identity, client: Client
) -> None:  # fmt: skip
    made = make_knowledge_base(runtime, identity, "counted heads")
    data = bytes(letter("Bea Zorn <bea@werk.example>", "lager@hafen.example", "Seal", 1, "The shaft seal weighs 2 kg."))
    run_all(runtime, upload(runtime, identity, made, data, "one.eml"))
    schema = {"version": 0, "attributes": [{"name": "from", "type": "text"}]}
    assert client("PUT", f"/v1/knowledge-bases/{made}/schema", json=schema).status_code == 200
    while fill_next(runtime, scope_of(identity, made)):
        continue
    assert client.get(f"/v1/knowledge-bases/{made}/schema").json()["backfill"]["found"] == 1
    assert any("shaft seal" in text for text in contents(client, made, 'from = "bea@werk.example"'))


def test_a_mail_s_headers_hold_for_its_body_and_no_other_mail_s(client: Client, base: UUID) -> None:
    found = contents(client, base, 'from = "\\"Vogt, Rita\\" <rita@werk.example>"')
    found = found or contents(client, base, 'from = "Vogt, Rita <rita@werk.example>"')
    assert any("rotary valve weighs" in text for text in found)
    assert not any("shaft seal" in text for text in found)
    assert any("shaft seal" in text for text in contents(client, base, "date >= 2026-04-05"))
    assert not any("rotary" in text for text in contents(client, base, "date >= 2026-04-05"))


def test_a_date_in_a_sentence_does_not_hide_the_mail_s(client: Client, base: UUID) -> None:
    assert any("3 January 2019" in text for text in contents(client, base, "date = 2026-04-01"))
    assert any("3 January 2019" in text for text in contents(client, base, "date = 2019-01-03"))


@pytest.mark.parametrize("said", ["rita@werk.example", "RITA@werk.example", "Vogt, Rita"])
def test_a_mailbox_is_found_by_its_address_or_its_name(client: Client, base: UUID, said: str) -> None:
    assert any("rotary valve" in text for text in contents(client, base, f'from = "{said}"'))


def test_each_of_several_receivers_is_a_value(client: Client, base: UUID) -> None:
    for said in ("otto@hafen.example", "Otto Bach", "lager@hafen.example"):
        assert any("rotary valve" in text for text in contents(client, base, f'to = "{said}"')), said
    facets = search(client, base, "to exists", facets=["to"])["facets"]["attributes"][0]
    assert {one["value"] for one in facets["values"]} == {
        "Otto Bach <otto@hafen.example>", "lager@hafen.example", "rita@werk.example",
    }  # fmt: skip


def test_what_is_stored_of_heads_is_proven(
    runtime: Runtime, identity: Identity, client: Client, base: UUID
) -> None:  # fmt: skip
    documents = client.get("/v1/documents", params={"knowledge_base_id": str(base)}).json()["items"]
    assert len(documents) == 3
    for one in documents:
        assert verify_stored_document(runtime, identity, UUID(one["id"])).failures == []
