from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest

from shared.domain.scope import Identity
from shared.library.verification import verify_stored_document
from shared.runtime import Runtime
from tests.api.conftest import Client
from tests.pipeline import make_knowledge_base

B = "#/$defs/b"
QUOTE = {
    "type": "object",
    "title": "Quote",
    "required": ["number", "customer"],
    "additionalProperties": False,
    "properties": {
        "number": {"type": "string"},
        "issued": {"type": "string", "format": "date", "title": "Date of issue"},
        "accepted": {"type": "boolean"},
        "customer": {
            "type": "object",
            "required": ["name"],
            "properties": {"name": {"type": "string"}, "postCode": {"type": "string", "pattern": "^[0-9]{5}$"}},
        },
        "pump": {
            "type": "object",
            "properties": {
                "power": {"type": "number", "title": "Motor power", "x-unit": "kW"},
                "weight": {"type": "integer", "x-unit": "kg"},
            },
        },
        "line_items": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"part": {"type": "string"}, "price": {"type": "number", "x-unit": "EUR"}},
            },
        },
        "remarks": {"type": "string"},
    },
}
VALUES = {
    "number": "Q-1042",
    "issued": "2026-03-01",
    "accepted": True,
    "customer": {"name": "M\u00fcller \"Pumpen\" & S\u00f6hne \\ KG", "postCode": "80331"},
    "pump": {"power": 11.5, "weight": 120},
    "line_items": [{"part": "Impeller", "price": 310.0}, {"part": "Seal"}],
    "remarks": "First line.\nSecond line, in which the customer asks for delivery before Easter.",
}  # fmt: skip


@pytest.fixture(scope="module")
def base(runtime: Runtime, identity: Identity, client: Client) -> UUID:
    made = make_knowledge_base(runtime, identity, "quotes")
    body = {"schema": QUOTE, "key_field": "number"}
    assert client("PUT", f"/v1/knowledge-bases/{made}/record-kinds/quote", json=body).status_code == 200
    return made


def post(client: Client, base: UUID, **values: Any) -> dict[str, Any]:
    body = {"kind": "quote", "values": VALUES | values}
    answer = client.post(f"/v1/knowledge-bases/{base}/records", json=body)
    assert answer.status_code == 201, answer.text
    return answer.json()


def chunks(client: Client, record: dict[str, Any]) -> list[dict[str, Any]]:
    return client.get(f"/v1/documents/{record['id']}/chunks").json()["items"]


def search(client: Client, base: UUID, query: str, **more: Any) -> list[dict[str, Any]]:
    body = {"query": query, "knowledge_base_ids": [str(base)], **more}
    answer = client.post("/v1/search", json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()["hits"]


def test_groups_are_sections_fields_are_labelled_lines_and_lists_are_tables(
    client: Client, base: UUID, runtime: Runtime, identity: Identity
) -> None:
    made = post(client, base)
    found = [(c["chunk_type"], [s["title"] for s in c["section"]["path"]], c["content"]) for c in chunks(client, made)]
    assert found == [
        ("heading", ["Quote"], "Quote"),
        ("list", ["Quote"], "Number: Q-1042 Date of issue: 2026-03-01 Accepted: yes Remarks: First line. Second line,"
         " in which the customer asks for delivery before Easter."),
        ("heading", ["Quote", "Customer"], "Customer"),
        ("list", ["Quote", "Customer"], "Name: M\u00fcller \"Pumpen\" & S\u00f6hne \\ KG Post Code: 80331"),
        ("heading", ["Quote", "Pump"], "Pump"),
        ("list", ["Quote", "Pump"], "Motor power: 11.5 kW Weight: 120 kg"),
        ("heading", ["Quote", "Line items"], "Line items"),
        ("table", ["Quote", "Line items"], "Part | Price\nImpeller | 310.0 EUR\nSeal"),
        ("table_row", ["Quote", "Line items"], "Impeller | 310.0 EUR"),
        ("table_row", ["Quote", "Line items"], "Seal"),
    ]  # fmt: skip
    report = verify_stored_document(runtime, identity, UUID(made["id"]))
    assert (report.ok, report.failed, report.unclaimed_fragments) == (True, 0, 0)


def test_a_record_is_found_by_words_and_by_the_values_of_its_fields(client: Client, base: UUID) -> None:
    made = post(client, base, number="Q-7", pump={"power": 77.25})
    assert search(client, base, "Quote Q-7")[0]["document"] == {
        "id": made["id"], "name": "Quote Q-7", "source_type": "record"
    }  # fmt: skip
    (hit,) = search(client, base, "", where="motor_power=77.25 kW")
    assert hit["document"]["id"] == made["id"]
    assert hit["chunk"]["attrs"]["motor_power"]["value"] == 77.25


def test_the_same_key_is_the_next_version_and_the_same_values_are_none(client: Client, base: UUID) -> None:
    first = post(client, base, number="Q-8", remarks="a")
    again = post(client, base, number="Q-8", remarks="a")
    second = post(client, base, number="Q-8", remarks="b")
    third = post(client, base, number="Q-8", remarks="a")
    assert [(one["revision"], one["duplicate"]) for one in (first, again, second, third)] == [
        (1, False), (1, True), (2, False), (3, False)
    ]  # fmt: skip
    versions = client.get(f"/v1/documents/{first['id']}/versions").json()["items"]
    assert [(one["id"], one["version"]["is_current"]) for one in versions] == [
        (first["id"], False), (second["id"], False), (third["id"], True)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"customer": {"name": 5}}, "customer.name: 5 is not of type 'string'"),
        ({"customer": {"name": "A", "postCode": "8033"}}, "customer.postCode: '8033' does not match"),
        ({"issued": "1 March"}, "issued: '1 March' is not a 'date'"),
        ({"line_items": [{"part": "x"}, {"price": "x"}]}, "line_items.1.price: 'x' is not of type 'number'"),
        ({"colour": "red"}, "'colour' was unexpected"),
    ],
)
def test_a_record_that_is_not_of_its_kind_is_refused_by_the_name_of_the_field(
    client: Client, base: UUID, values: dict[str, Any], said: str
) -> None:
    body = {
        "records": [
            {"kind": "quote", "values": VALUES | {"number": "Q-9"}},
            {"kind": "quote", "values": VALUES | values},
        ]
    }
    answer = client.post(f"/v1/knowledge-bases/{base}/records:batch", json=body)
    assert answer.status_code == 422
    assert answer.json()["detail"].startswith("Record 2 (quote Q-1042) is not of its kind.")
    assert said in answer.json()["detail"]
    assert not any("Q-9" in hit["chunk"]["content"] for hit in search(client, base, "Q-9"))


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ({"type": "array"}, "no object with properties"),
        ({"type": "object", "properties": {"a": {"type": "strang"}}}, "properties.a.type"),
        ({"type": "object", "properties": {"a": {"$ref": "https://example.com/x"}}}, "its own definitions"),
        ({"type": "object", "properties": {"a": {"$ref": B}}, "$defs": {"b": {"items": {"$ref": B}}}}, "holds itself"),
        ({"type": "object", "properties": {"a": {"pattern": "(?=x)"}}}, "without looking ahead"),
        ({"type": "object", "properties": {"a": {}}, "patternProperties": {".": {}}}, "patternProperties"),
    ],
)  # fmt: skip
def test_what_is_no_usable_schema_is_refused_with_its_place(
    client: Client, base: UUID, schema: dict[str, Any], said: str
) -> None:
    answer = client("PUT", f"/v1/knowledge-bases/{base}/record-kinds/bad", json={"schema": schema})
    assert (answer.status_code, said in answer.json()["detail"]) == (422, True)


def test_a_record_keeps_the_schema_that_it_was_posted_under(
    client: Client, runtime: Runtime, identity: Identity, base: UUID
) -> None:
    address = f"/v1/knowledge-bases/{base}/record-kinds/part"
    schema = {"type": "object", "properties": {"mass": {"$ref": "#/$defs/mass"}}, "$defs": {"mass": {"type": "number"}}}
    client("PUT", address, json={"schema": schema})
    body = {"kind": "part", "key": "7", "values": {"mass": 4}}
    made = client.post(f"/v1/knowledge-bases/{base}/records", json=body).json()
    changed = {"type": "object", "properties": {"mass": {"type": "number", "title": "Weight", "x-unit": "kg"}}}
    assert client("PUT", address, json={"schema": changed}).json()["revision"] == 2
    assert [one["content"] for one in chunks(client, made)] == ["Part", "Mass: 4"]
    assert verify_stored_document(runtime, identity, UUID(made["id"]), refresh=True).ok
    assert client.delete(address).status_code == 204
    assert client.post(f"/v1/knowledge-bases/{base}/records", json=body).status_code == 422


def test_a_batch_answers_in_its_order_and_refuses_a_key_twice(client: Client, base: UUID) -> None:
    records = [{"kind": "quote", "values": VALUES | {"number": f"B-{n}"}} for n in range(5)]
    address = f"/v1/knowledge-bases/{base}/records:batch"
    answer = client.post(address, json={"records": records}).json()
    assert [one["key"] for one in answer["records"]] == [f"B-{n}" for n in range(5)]
    assert (answer["stored"], answer["duplicates"]) == (5, 0)
    answer = client.post(address, json={"records": records}).json()
    assert (answer["stored"], answer["duplicates"]) == (0, 5)
    twice = client.post(address, json={"records": [records[0], records[0]]})
    assert (twice.status_code, "Records 1 and 2" in twice.text) == (422, True)


def test_another_organization_neither_sees_nor_posts(
    client_of: Callable[[Identity], Client], other_identity: Identity, base: UUID, client: Client
) -> None:
    made = post(client, base, number="Q-10")
    stranger = client_of(other_identity)
    at = f"/v1/knowledge-bases/{base}"
    body = {"kind": "quote", "values": VALUES}
    answers = [
        stranger.get(f"{at}/record-kinds"), stranger("PUT", f"{at}/record-kinds/quote", json={"schema": QUOTE}),
        stranger.delete(f"{at}/record-kinds/quote"), stranger.post(f"{at}/records", json=body),
        stranger.post(f"{at}/records:batch", json={"records": [body]}), stranger.get(f"/v1/documents/{made['id']}"),
    ]  # fmt: skip
    assert {one.status_code for one in answers} == {404}
    assert [one["name"] for one in client.get(f"{at}/record-kinds").json()] == ["quote"]


def test_a_record_as_deep_as_a_kind_allows_is_stored_and_proved(
    client: Client, base: UUID, runtime: Runtime, identity: Identity
) -> None:
    def schema(level: int) -> dict[str, Any]:
        below: dict[str, Any] = schema(level + 1) if level < 6 else {"type": "string"}
        return {"type": "object", "properties": {f"level{level}": below}}

    values = {"level1": {"level2": {"level3": {"level4": {"level5": {"level6": "at the bottom"}}}}}}
    body = {"schema": schema(1)}
    assert client("PUT", f"/v1/knowledge-bases/{base}/record-kinds/deep", json=body).status_code == 200
    answer = client.post(f"/v1/knowledge-bases/{base}/records", json={"kind": "deep", "key": "d", "values": values})
    assert answer.status_code == 201, answer.text
    assert chunks(client, answer.json())[-1]["content"] == "Level6: at the bottom"
    assert verify_stored_document(runtime, identity, UUID(answer.json()["id"])).ok
