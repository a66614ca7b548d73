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


def declare(
    runtime: Runtime, identity: Identity, client: Client, base: UUID, attributes: list[dict[str, Any]]
) -> None:  # fmt: skip
    answer = client("PUT", f"/v1/knowledge-bases/{base}/schema", json={"version": 0, "attributes": attributes})
    assert answer.status_code == 200, answer.text
    while fill_next(runtime, scope_of(identity, base)):
        continue


class Store:
    def __init__(
        self, runtime: Runtime, identity: Identity, client: Client, name: str, text: str = BEARINGS
    ) -> None:  # fmt: skip
        self.client, self.base = client, make_knowledge_base(runtime, identity, name)
        run_all(runtime, upload(runtime, identity, self.base, text.encode(), "bearings.csv"))

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
    declare(runtime, identity, client, made.base, DECLARED)
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


def test_a_number_with_a_unit_is_no_identifier(undeclared: Store) -> None:
    assert undeclared.search("depot = 10117 mm").json().get("hits", []) == []


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


def test_a_value_is_free_where_one_knowledge_base_lists_none_and_each_has_its_own_word(
    runtime: Runtime, identity: Identity, client: Client, store: Store, undeclared: Store
) -> None:
    other = Store(runtime, identity, client, "bearings of copper", BEARINGS.replace("008", "007"))
    cage = CAGE | {"values": [{"value": "CuZn", "synonyms": ["brass", "Messing"]}, "steel"]}
    declare(runtime, identity, client, other.base, [cage, {"name": "serial", "type": "text"}])

    def find(where: str, *bases: Store) -> Any:
        ids = [str(one.base) for one in bases]
        return client.post("/v1/search", json={"query": "", "where": where, "knowledge_base_ids": ids, "k": 50})

    def found(where: str, *bases: Store) -> list[str]:
        return sorted(hit["chunk"]["content"].split()[0] for hit in find(where, *bases).json()["hits"])

    assert found("cage = nylon", store, undeclared) == []
    assert find("cage = nylon", store, other).status_code == 400
    assert found("cage = Messing", store, other) == ["00717", "00718", "00817", "00818"]
    assert found("cage = CuZn", store, other) == ["00717", "00718"]


def test_nothing_of_an_identifier_is_left_out(client: Client, store: Store) -> None:
    state = client.get(f"/v1/knowledge-bases/{store.base}/schema").json()
    assert {one["name"]: (one["count"], one["refused"]) for one in state["counts"]} == {
        name: (3, {}) for name in ("cage", "serial", "depot", "rating", "bore")
    }


MOTORS = (
    ("european.csv", "Type,Output [kW],Rate (l/min)\nE-1,3,60\nE-2,15,90\n"),
    ("american.csv", "Type,Output (hp),Rate (cfm)\nA-1,20,12\nA-2,5,\n"),
)


@pytest.fixture(scope="module")
def motors(runtime: Runtime, identity: Identity, client: Client) -> UUID:
    base = make_knowledge_base(runtime, identity, "motors")
    for name, text in MOTORS:
        run_all(runtime, upload(runtime, identity, base, text.encode(), name))
    declared = [
        {"name": "output", "type": "number", "unit": "hp"},
        {"name": "flow", "type": "number", "unit": "m3/h", "synonyms": ["rate"]},
        {"name": "type", "type": "text"},
    ]
    declare(runtime, identity, client, base, declared)
    return base


def asked(base: UUID, **more: Any) -> dict[str, Any]:
    wanted = {"query": "", "where": "output exists", "knowledge_base_ids": [str(base)], "k": 50, "sort": "output"}
    return wanted | {"columns": ["type", "output", "flow"]} | more


def test_a_column_is_in_the_unit_that_is_declared(client: Client, motors: UUID) -> None:
    found = client.post("/v1/search", json=asked(motors)).json()["table"]
    assert [(one["label"], one["unit"], one["number"]) for one in found["columns"]] == [
        ("type", None, False), ("output (hp)", "hp", True), ("flow (m3/h)", "m3/h", True),
    ]  # fmt: skip
    # 3 kW and 15 kW by 745.69987 W; 60 and 90 l a minute, 12 cubic feet of 28.316846592 l a minute.
    cells = [one["cells"] for one in found["rows"]]
    assert [one[0] for one in cells] == ["E-1", "A-2", "A-1", "E-2"]
    assert [one[1] for one in cells] == pytest.approx([4.02306627, 5.0, 20.0, 20.11533136])
    assert [one[2] for one in cells if one[2] is not None] == pytest.approx([3.6, 20.3881295462, 5.4])


def test_a_csv_has_what_is_printed_beside_it(client: Client, motors: UUID) -> None:
    lines = client.post("/v1/search:export", json=asked(motors, columns=["type", "output"])).text.splitlines()
    assert lines[0] == "type,output (hp),output as printed"
    assert [line.split(",")[2] for line in lines[1:]] == ["3 kW", "5 hp", "20 hp", "15 kW"]


def test_a_csv_has_no_second_column_where_the_declared_unit_is_printed(client: Client, motors: UUID) -> None:
    wanted = asked(motors, columns=["type", "output"], where='type in ("A-1", "A-2")')
    assert client.post("/v1/search:export", json=wanted).text.splitlines()[0] == "type,output (hp)"


def test_where_units_differ_or_one_value_is_a_range_a_column_is_as_printed(
    runtime: Runtime, identity: Identity, client: Client, motors: UUID
) -> None:
    other = make_knowledge_base(runtime, identity, "motors in kW")
    text = "Type,Output [kW]\nR-1,3–5 kW\nR-2,7 kW\n"
    run_all(runtime, upload(runtime, identity, other, text.encode(), "range.csv"))
    declare(runtime, identity, client, other, [
        {"name": "output", "type": "number", "unit": "kW"}, {"name": "type", "type": "text"},
    ])  # fmt: skip

    def cells(*bases: UUID, where: str) -> dict[str, object]:
        wanted = asked(motors, columns=["type", "output"], where=where) | {
            "knowledge_base_ids": [str(b) for b in bases]
        }
        table = client.post("/v1/search", json=wanted).json()["table"]
        return {str(row["cells"][0]): row["cells"][1] for row in table["rows"]}

    assert cells(other, where="type = R-2") == {"R-2": 7.0}
    assert cells(other, where="output exists") == {"R-1": "3–5 kW", "R-2": "7 kW"}
    both = cells(motors, other, where='type in ("E-2", "A-1", "R-2")')
    assert both == {"E-2": "15 kW", "A-1": "20 hp", "R-2": "7 kW"}


def test_facets_are_in_the_unit_that_is_declared(client: Client, motors: UUID) -> None:
    facets = client.post("/v1/search", json=asked(motors, facets=["output", "flow"])).json()["facets"]["attributes"]
    assert [(one["name"], one["unit"]) for one in facets] == [("output", "hp"), ("flow", "m3/h")]
    assert (facets[0]["low"], facets[0]["high"]) == pytest.approx((4.02306627, 20.11533136))
    assert sum(one["count"] for one in facets[0]["ranges"]) == 4


def test_what_is_measured_otherwise_under_the_same_name_keeps_its_own_unit(
    runtime: Runtime, identity: Identity, client: Client, motors: UUID
) -> None:
    other = make_knowledge_base(runtime, identity, "pumps")
    run_all(runtime, upload(runtime, identity, other, b"Type,Output (l/min)\nQ-1,30\nQ-2,60\n", "pumps.csv"))
    wanted = asked(motors, facets=["output"], where="type exists") | {"knowledge_base_ids": [str(motors), str(other)]}
    facets = client.post("/v1/search", json=wanted).json()["facets"]["attributes"]
    # 3 and 15 kW by 745.69987 W.
    assert {one["unit"]: (one["low"], one["high"]) for one in facets} == {
        "hp": pytest.approx((4.02306627, 20.11533136)), "L/min": (30.0, 60.0),
    }  # fmt: skip
