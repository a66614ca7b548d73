"""Every operator with every value of every field that names, filters or orders what belongs to somebody else.

The fields come from the API's own description of the requests: one that is added fails here until it has a value.
"""

import itertools
from collections.abc import Callable, Iterator
from typing import Any
from uuid import UUID

import pytest
from fastapi import FastAPI

from shared.domain.ids import new_id
from shared.domain.scope import Identity, Scope
from shared.runtime import Runtime
from tests.api.attempts import fill_path, operations
from tests.api.conftest import Client
from tests.api.test_tenancy import ID, SECRET, Ids, make_ids, without_ids

OPERATORS = {"/v1/search": "query", "/v1/lookup": "address", "/v1/ask": "question", "/v1/context": "task"}
WISHES = ("none", "own", "foreign", "mixed")
# Lists what was asked here, the other organization's word among it.
OWN_QUERIES = {"/v1/traces"}
ATTRIBUTE = f"{SECRET}_share"


@pytest.fixture(scope="module")
def own(runtime: Runtime, identity: Identity, client: Client) -> Ids:
    return make_ids(runtime, identity, client, "bronze")


@pytest.fixture(scope="module")
def foreign(runtime: Runtime, other_identity: Identity, client_of: Callable[[Identity], Client]) -> Ids:
    """With an attribute that only the other organization has."""
    made = make_ids(runtime, other_identity, client_of(other_identity), SECRET)
    scope = Scope(organization_id=other_identity.organization_id, knowledge_base_ids=(UUID(made["knowledge_base_id"]),))
    with runtime.database.transaction(scope) as connection:
        connection.execute(
            "insert into chunk_attributes (organization_id, knowledge_base_id, document_id, chunk_id, name, ordinal,"
            " route, value_number, printed_number, raw, fragment_ids, confidence, extractor_version)"
            " select organization_id, knowledge_base_id, document_id, id, %s, 0, 'text', 7, 7, '7', '{}', 1, 'test'"
            " from chunks where id = %s",
            (ATTRIBUTE, made["chunk_id"]),
        )
    return made


def values_of(field: str, schema: dict[str, Any], own: Ids, foreign: Ids) -> list[Any]:
    """What is tried in a field; KeyError for one that nobody has thought of."""
    by_name: dict[str, list[Any]] = {
        "query": [SECRET, f"{SECRET} wing", ""],
        "address": [SECRET, "1.1"],
        "question": [f"What is {SECRET}?"],
        "task": [f"What is {SECRET}?"],
        "budget_tokens": [100, 200_000],
        "digest": [True, False],
        "documents": [[foreign["documents"]], [own["documents"], foreign["documents"]]],
        "types": [["text", "heading", "table", "table_row", "figure", "list", "caption"], []],
        "where": [
            f"{ATTRIBUTE} >= 1",
            {"attr": ATTRIBUTE, "op": "exists"},
            {"not": [{"attr": ATTRIBUTE, "op": "eq", "value": 7}]},
        ],
        "include_superseded": [True],
        "recursive": [True],
        "plan": [False, True],
        "recency_days": [0.01],
        "min_score": [-1],
        "k": [1, 100],
        "sort": ["newest", f"{ATTRIBUTE} desc"],
        "facets": [True, [ATTRIBUTE]],
        "columns": [[], [ATTRIBUTE, "document"]],
        "index": schema.get("enum", []),
    }
    return by_name[field]


def schema_of(app: FastAPI, path: str) -> dict[str, Any]:
    document = app.openapi()
    body = document["paths"][path]["post"]["requestBody"]["content"]["application/json"]["schema"]["$ref"]
    return document["components"]["schemas"][body.rsplit("/", 1)[1]]["properties"]


def bodies(app: FastAPI, path: str, own: Ids, foreign: Ids) -> Iterator[dict[str, Any]]:
    """Each value of each field alone, and with each value of each other field."""
    fields = {name: schema for name, schema in schema_of(app, path).items() if name != "knowledge_base_ids"}
    tried = [(name, value) for name, schema in fields.items() for value in values_of(name, schema, own, foreign)]
    text = {OPERATORS[path]: SECRET}
    for one, two in itertools.combinations_with_replacement(tried, 2):
        if one[0] != two[0] or one == two:
            yield text | dict((one, two))


def swapped(value: Any, ids: dict[str, str]) -> Any:
    """The same request with other ids and words in the place of the other organization's."""
    text = repr(value)
    for old, new in ids.items():
        text = text.replace(old, new)
    return eval(text, {"__builtins__": {}})  # noqa: S307 our own literal


@pytest.mark.parametrize("wish", WISHES)
@pytest.mark.parametrize("path", OPERATORS)
def test_nothing_of_the_other_organization_shows_in_any_operator_with_any_filter(
    app: FastAPI, client: Client, own: Ids, foreign: Ids, path: str, wish: str
) -> None:
    """As from an organization beside which there is no other: the same answer as with ids and words of nobody."""
    theirs = set(foreign.values()) - set(own.values())
    nobody = {value: str(new_id()) for value in theirs if ID.fullmatch(value)}
    wished = {"none": [], "own": ["own"], "foreign": ["foreign"], "mixed": ["own", "foreign"]}[wish]
    ids = {"own": own["knowledge_base_id"], "foreign": foreign["knowledge_base_id"]}
    tried = 0
    for body in bodies(app, path, own, foreign):
        whole = body | {"knowledge_base_ids": [ids[name] for name in wished]}
        answer = client.post(path, json=whole)
        blind = client.post(path, json=swapped(whole, nobody))
        assert answer.status_code == blind.status_code, whole
        assert not theirs & set(ID.findall(answer.text)) - {v for v in theirs if v in repr(whole)}, whole
        if answer.status_code == 200:
            assert not theirs & set(ID.findall(str(answer.json()))), whole
            assert SECRET not in str(answer.json().get("hits")), whole
            assert wish not in ("foreign", "mixed")
        else:
            assert without_ids(answer) == without_ids(blind), whole
            assert answer.status_code in (400, 404, 422), whole
        tried += 1
    assert tried > 5


def test_a_filter_on_an_attribute_that_only_the_other_organization_has_is_one_that_nobody_has(
    client: Client, client_of: Callable[[Identity], Client], other_identity: Identity, own: Ids, foreign: Ids
) -> None:
    body = {"query": "", "where": f"{ATTRIBUTE} >= 1"}
    theirs = client_of(other_identity).post("/v1/search", json=body)
    assert [hit["chunk"]["id"] for hit in theirs.json()["hits"]] == [foreign["chunk_id"]]
    ours = client.post("/v1/search", json=body)
    invented = client.post("/v1/search", json={"query": "", "where": "invented_thing >= 1"})
    assert ours.status_code == invented.status_code == 400
    assert (
        ours.text.replace(ATTRIBUTE, "invented_thing").partition("request_id")[0]
        == (invented.text.partition("request_id")[0])
    )


def test_a_cursor_of_the_other_organization_shows_nothing_of_it_in_any_list(
    app: FastAPI, client: Client, client_of: Callable[[Identity], Client], other_identity: Identity, own: Ids,
    foreign: Ids,
) -> None:  # fmt: skip
    owner, followed = client_of(other_identity), 0
    theirs = set(foreign.values()) - set(own.values())
    for method, template, operation in operations(app.openapi()):
        if "cursor" not in {parameter["name"] for parameter in operation.get("parameters", ())}:
            continue
        assert method == "GET"
        query = {p["name"]: foreign[p["name"]] for p in operation["parameters"] if p["in"] == "query" and p["required"]}
        cursor = owner(method, fill_path(template, foreign), params=query | {"limit": 1}).json()["next_cursor"]
        if cursor is None:
            continue
        followed += 1
        mine = {name: own[name] for name in query}
        answer = client(method, fill_path(template, own), params=mine | {"cursor": cursor})
        assert answer.status_code in (200, 400, 422), template
        assert not theirs & set(ID.findall(answer.text)), template
        assert template in OWN_QUERIES or SECRET not in answer.text, template
    assert followed > 3


def test_traces_of_the_other_organization_are_neither_listed_nor_read(
    client: Client, client_of: Callable[[Identity], Client], other_identity: Identity, own: Ids, foreign: Ids
) -> None:
    owner = client_of(other_identity)
    for path, field in OPERATORS.items():
        client.post(path, json={field: "7.1", "knowledge_base_ids": [own["knowledge_base_id"]]})
    for query in ({}, {"operator": "search"}, {"operator": "ask"}, {"operator": "lookup"}):
        listed = client.get("/v1/traces", params=query | {"limit": 500}).json()
        assert listed["items"]
        assert foreign["trace_id"] not in {item["id"] for item in listed["items"]}
        assert not any(foreign["knowledge_base_id"] in item["knowledge_base_ids"] for item in listed["items"])
    assert foreign["trace_id"] in owner.get("/v1/traces").text
    for path in ("/v1/traces/{trace_id}", "/v1/traces/{trace_id}/chunks"):
        assert client.get(fill_path(path, foreign)).status_code == 404
        assert owner.get(fill_path(path, foreign)).status_code == 200
