"""Values as they are declared: categories by any of their names, and identifiers, which are no numbers."""

from typing import Any
from uuid import UUID

import pytest

from shared.domain.scope import Identity
from shared.ingestion.backfill import fill_next
from shared.runtime import Runtime
from tests.api.conftest import Client
from tests.pipeline import make_knowledge_base, run_all, scope_of, upload

BEARINGS = (
    "Serial,Barcode,Depot,Cage,Bore (mm),Rating\n"
    "00817,5901234123457,04109,brass,20,007\n00818,5901234123464,10117,Messing,25,12\n"
    "00920,5901234123471,80331,steel,30,9\n"
)
CAGE = {"name": "cage", "type": "category", "values": [{"value": "brass", "synonyms": ["Messing"]}, "steel"]}
DECLARED: list[dict[str, Any]] = [
    CAGE,
    {"name": "serial", "type": "text"},
    {"name": "depot", "type": "category"},
    {"name": "rating", "type": "number"},
    {"name": "bore", "type": "number", "unit": "mm"},
]


class Store:
    def __init__(self, runtime: Runtime, identity: Identity, client: Client, name: str) -> None:
        self.client, self.base = client, make_knowledge_base(runtime, identity, name)
        run_all(runtime, upload(runtime, identity, self.base, BEARINGS.encode(), "bearings.csv"))

    def search(self, where: str) -> Any:
        body = {"query": "", "where": where, "knowledge_base_ids": [str(self.base)], "k": 50}
        return self.client.post("/v1/search", json=body)

    def find(self, where: str) -> list[str]:
        """The serials of the rows found."""
        return sorted(hit["chunk"]["content"].split()[0] for hit in self.search(where).json()["hits"])


@pytest.fixture(scope="module")
def undeclared(runtime: Runtime, identity: Identity, client: Client) -> Store:
    return Store(runtime, identity, client, "bearings as read")


@pytest.fixture(scope="module")
def store(runtime: Runtime, identity: Identity, client: Client) -> Store:
    made = Store(runtime, identity, client, "bearings declared")
    answer = client("PUT", f"/v1/knowledge-bases/{made.base}/schema", json={"version": 0, "attributes": DECLARED})
    assert answer.status_code == 200, answer.text
    while fill_next(runtime, scope_of(identity, made.base)):
        continue
    return made


def kinds(client: Client, base: UUID) -> dict[str, set[str]]:
    listed = client.get(f"/v1/knowledge-bases/{base}/attributes").json()["items"]
    return {one["name"]: {values["type"] for values in one["values"]} for one in listed}


def test_digits_that_are_identifiers_are_read_as_texts(client: Client, undeclared: Store) -> None:
    found = kinds(client, undeclared.base)
    assert (found["serial"], found["barcode"], found["depot"]) == ({"text"}, {"text"}, {"text"})
    assert (found["bore"], found["cage"]) == ({"number"}, {"text"})


@pytest.mark.parametrize(
    ("where", "serials"),
    [
        ('serial = "00817"', ["00817"]),
        ("serial = 00817", ["00817"]),
        ("serial = 817", []),
        ("barcode = 5901234123464", ["00818"]),
        ('depot = "04109"', ["00817"]),
        ("depot = 10117", ["00818"]),
        ('depot in ("04109", "80331")', ["00817", "00920"]),
    ],
)
def test_an_identifier_is_found_as_printed(undeclared: Store, where: str, serials: list[str]) -> None:
    assert undeclared.find(where) == serials


@pytest.mark.parametrize(
    ("where", "serials"),
    [
        ("cage = brass", ["00817", "00818"]),
        ("cage = messing", ["00817", "00818"]),
        ("cage in (Messing, steel)", ["00817", "00818", "00920"]),
        ("cage != Messing", ["00920"]),
        ('serial = "00920"', ["00920"]),
        ("depot = 80331", ["00920"]),
        ("rating = 7", ["00817"]),
        ("rating >= 9", ["00818", "00920"]),
    ],
)
def test_a_declared_type_decides_and_a_synonym_is_its_value(store: Store, where: str, serials: list[str]) -> None:
    assert store.find(where) == serials


@pytest.mark.parametrize("where", ["cage = nylon", "cage != nylon", "cage in (brass, nylon)"])
def test_what_a_category_does_not_have_is_refused_with_what_it_has(store: Store, where: str) -> None:
    answer = store.search(where)
    assert answer.status_code == 400
    assert "`nylon` is no value of `cage`. It is one of: brass, steel." in answer.text


def test_nothing_of_an_identifier_is_left_out(client: Client, store: Store) -> None:
    state = client.get(f"/v1/knowledge-bases/{store.base}/schema").json()
    assert {one["name"]: (one["count"], one["refused"]) for one in state["counts"]} == {
        name: (3, {}) for name in ("cage", "serial", "depot", "rating", "bore")
    }
