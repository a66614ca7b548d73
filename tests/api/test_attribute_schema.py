"""The schema of attributes over HTTP, on workbooks that are really ingested."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest

from shared.domain.ids import new_id
from shared.domain.scope import Identity
from shared.ingestion import backfill
from shared.ingestion.backfill import fill_next
from shared.runtime import Runtime
from tests.api.conftest import Client
from tests.pipeline import make_knowledge_base, run_all, scope_of, upload

FIRST = "Model,HP,Max. pressure (psi),Lubrication,Noise (dB)\nK-7,10,125,Oilless,68\nK-9,15,145,Flooded,71\n"
SECOND = (
    "Model,Motor power [kW],Max. pressure (bar),Lubrication,Colour\nR-1,7.5,8,Oilless,blue\nR-2,11,10,oil-free,red\n"
)
POWER = {"name": "power", "type": "number", "unit": "hp", "synonyms": ["HP", "Motor power [kW]"]}
PRESSURE = {"name": "max_pressure", "type": "number", "unit": "bar"}
LUBRICATION = {
    "name": "lubrication",
    "type": "category",
    "values": [{"value": "Oilless", "synonyms": ["oil-free"]}, {"value": "Flooded"}],
}


def ingest(runtime: Runtime, identity: Identity, base: UUID, data: bytes, name: str) -> None:
    run_all(runtime, upload(runtime, identity, base, data, name))


class Shelf:
    """A knowledge base with two price lists, and requests about its schema."""

    def __init__(self, runtime: Runtime, identity: Identity, client: Client) -> None:
        self.runtime, self.client = runtime, client
        self.base = make_knowledge_base(runtime, identity, f"compressors {new_id().hex}")
        self.scope = scope_of(identity, self.base)
        for name, text in (("a.csv", FIRST), ("b.csv", SECOND)):
            ingest(runtime, identity, self.base, text.encode(), name)

    def ask(self, method: str, path: str = "", status: int = 200, **options: Any) -> Any:
        answer = self.client(method, f"/v1/knowledge-bases/{self.base}/schema{path}", **options)
        assert answer.status_code == status, answer.text
        return answer.json()

    def declare(self, *attributes: dict[str, Any], version: int, status: int = 200) -> Any:
        body = {"version": version, "attributes": list(attributes), "why": "price lists"}
        return self.ask("PUT", "", status, json=body)

    def fill(self) -> int:
        turns = 0
        while fill_next(self.runtime, self.scope):
            turns += 1
        return turns

    def find(self, where: str, status: int = 200) -> list[str]:
        body = {"query": "", "where": where, "knowledge_base_ids": [str(self.base)], "k": 50}
        answer = self.client.post("/v1/search", json=body)
        assert answer.status_code == status, answer.text
        if status != 200:
            return [answer.json()["detail"]]
        return sorted(hit["chunk"]["content"].split()[0] for hit in answer.json()["hits"])


@pytest.fixture
def shelf(runtime: Runtime, identity: Identity, client: Client) -> Shelf:
    return Shelf(runtime, identity, client)


def test_without_a_schema_everything_that_was_read_counts(shelf: Shelf) -> None:
    assert shelf.ask("GET")["open"] is True
    assert shelf.find("hp >= 12") == ["K-9"]


def test_synonyms_and_units_are_found_under_the_declared_name(shelf: Shelf) -> None:
    shelf.declare(POWER, PRESSURE, LUBRICATION, version=0)
    shelf.fill()
    assert shelf.find("power >= 10 hp") == ["K-7", "K-9", "R-1", "R-2"]
    assert shelf.find("power >= 14 hp") == ["K-9", "R-2"]
    assert shelf.find("hp >= 14 hp") == ["K-9", "R-2"]
    assert shelf.find("lubrication = oilless") == ["K-7", "R-1", "R-2"]


def test_what_is_not_declared_is_refused_at_once_naming_what_is(shelf: Shelf) -> None:
    shelf.declare(POWER, version=0)
    said = shelf.find("noise >= 1", status=400)
    assert "noise" in said[0]
    assert said[0].endswith("Declared are: power.")


def test_undeclared_names_are_candidates_with_counts_and_examples(shelf: Shelf) -> None:
    shelf.declare(POWER, version=0)
    shelf.fill()
    found = {one["name"]: one for one in shelf.ask("GET", "/candidates")}
    assert found["max_pressure"]["count"] == 4
    assert found["max_pressure"]["documents"] == 2
    assert found["colour"]["examples"] == ["blue"]
    assert found["colour"]["reason"] == "undeclared"


def test_values_that_do_not_fit_are_kept_from_filters_and_say_why(shelf: Shelf) -> None:
    wrong = {"name": "lubrication", "type": "category", "values": [{"value": "Oilless"}]}
    shelf.declare(wrong, {"name": "max_pressure", "type": "number", "unit": "kg"}, version=0)
    shelf.fill()
    assert "K-9" not in " ".join(shelf.find("lubrication exists"))
    found = {(one["declared"], one["reason"]): one["count"] for one in shelf.ask("GET", "/candidates")}
    assert found["lubrication", "value"] == 2
    assert found["max_pressure", "unit"] == 4
    assert shelf.ask("GET")["counts"][0]["refused"] == {"value": 2}


def test_promoting_reads_the_documents_that_have_the_name_and_no_others(shelf: Shelf) -> None:
    shelf.declare(POWER, version=0)
    shelf.fill()
    state = shelf.ask("POST", "/promote", json={"name": "Colour", "why": "asked for"})
    assert state["version"] == 2
    assert state["backfill"]["documents"] == 1
    assert shelf.find("colour = red") == []
    assert shelf.fill() == 1
    assert shelf.find("colour = red") == ["R-2"]
    assert shelf.ask("GET", "/backfill")["status"] == "done"
    assert shelf.ask("GET", "/backfill")["found"] == 2


def test_promoting_leaves_the_values_of_others_as_they_are(shelf: Shelf) -> None:
    shelf.declare(POWER, version=0)
    shelf.fill()
    shelf.ask("POST", "/promote", json={"name": "Colour"})
    shelf.fill()
    with shelf.runtime.database.transaction(shelf.scope) as connection:
        rows = connection.execute("select name, schema_version, count(*) as n from chunk_attributes group by 1, 2")
        assert {(row["name"], row["schema_version"], row["n"]) for row in rows} == {("power", 1, 4), ("colour", 2, 2)}


def test_demoting_takes_it_from_filters_at_once_and_makes_it_a_candidate(shelf: Shelf) -> None:
    shelf.declare(POWER, PRESSURE, version=0)
    shelf.fill()
    shelf.ask("POST", "/demote", json={"name": "max_pressure"})
    assert "max_pressure" in shelf.find("max_pressure > 1 bar", status=400)[0]
    shelf.fill()
    assert "max_pressure" in {one["name"] for one in shelf.ask("GET", "/candidates")}
    with shelf.runtime.database.transaction(shelf.scope) as connection:
        left = connection.execute("select from chunk_attributes where name = 'max_pressure'").fetchall()
        readable = connection.execute("select from chunks where attrs ? 'max_pressure'").fetchall()
    assert (left, readable) == ([], [])


def test_a_document_that_comes_later_is_read_under_the_present_version(
    shelf: Shelf, runtime: Runtime, identity: Identity
) -> None:
    shelf.declare(POWER, version=0)
    shelf.fill()
    ingest(runtime, identity, shelf.base, b"Model,Horsepower,HP\nZ-1,none,20\n", "c.csv")
    assert shelf.find("power >= 20") == ["Z-1"]
    with runtime.database.transaction(shelf.scope) as connection:
        stamps = connection.execute("select distinct schema_version as v from documents").fetchall()
    assert [row["v"] for row in stamps] == [1]


def test_a_change_of_an_older_version_is_refused(shelf: Shelf) -> None:
    shelf.declare(POWER, version=0)
    said = shelf.declare(PRESSURE, version=0, status=409)
    assert "version 1" in said["detail"]


def test_a_stopped_backfill_stays_where_it_is_until_it_is_resumed(shelf: Shelf) -> None:
    shelf.declare(POWER, version=0)
    assert fill_next(shelf.runtime, shelf.scope) > 0
    assert shelf.ask("POST", "/backfill/cancel")["documents_done"] == 1
    assert shelf.fill() == 0
    assert len(shelf.find("power > 0")) == 2
    assert shelf.ask("POST", "/backfill/cancel", status=409)
    shelf.ask("POST", "/backfill/resume")
    shelf.fill()
    assert len(shelf.find("power > 0")) == 4


def test_two_that_read_at_once_count_a_document_once(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    shelf.declare(POWER, version=0)
    assemble = backfill.assemble_document

    def assemble_meanwhile(*given: Any) -> Any:
        monkeypatch.setattr(backfill, "assemble_document", assemble)
        assert fill_next(shelf.runtime, shelf.scope) > 0
        return assemble(*given)

    monkeypatch.setattr(backfill, "assemble_document", assemble_meanwhile)
    shelf.fill()
    done = shelf.ask("GET", "/backfill")
    assert (done["documents_done"], done["found"], done["status"]) == (2, 4, "done")


def test_values_of_declared_attributes_and_those_left_out_say_where_they_stand(shelf: Shelf) -> None:
    wrong = {"name": "lubrication", "type": "category", "values": [{"value": "Oilless"}]}
    shelf.declare(POWER, wrong, version=0)
    shelf.fill()
    counts = {one["name"]: one for one in shelf.ask("GET")["counts"]}
    assert {one["raw"] for one in counts["power"]["examples"]} <= {"10", "15", "7.5", "11"}
    assert len(counts["power"]["examples"]) == 3
    (left_out,) = [one for one in shelf.ask("GET", "/candidates") if one["declared"] == "lubrication"]
    assert {one["raw"] for one in left_out["places"]} == {"Flooded", "oil-free"}
    for one in (*counts["power"]["examples"], *left_out["places"]):
        chunks = shelf.client.get(f"/v1/documents/{one['document_id']}/chunks").json()["items"]
        assert one["raw"] in next(chunk["content"] for chunk in chunks if chunk["id"] == one["chunk_id"])


def test_history_says_who_when_and_why_and_what_changed(shelf: Shelf) -> None:
    shelf.declare(POWER, version=0)
    renamed = {"name": "motor_power", "type": "number", "unit": "kW", "synonyms": ["power", "HP", "Motor power"]}
    shelf.declare(renamed, PRESSURE, version=1)
    newest, first = shelf.ask("GET", "/versions")["items"]
    assert (newest["version"], first["version"], first["why"]) == (2, 1, "price lists")
    assert first["author"]
    changes = shelf.ask("GET", "/diff?before=1&after=2")["changes"]
    assert [(one["kind"], one["name"], one["was"]) for one in changes] == [
        ("renamed", "motor_power", "power"),
        ("added", "max_pressure", None),
    ]


def test_a_preview_stores_nothing_and_says_what_would_be_read(shelf: Shelf) -> None:
    shelf.declare(POWER, version=0)
    shelf.fill()
    body = {"version": 1, "attributes": [POWER, {"name": "colour", "type": "category"}]}
    said = shelf.ask("POST", "/preview", json=body)
    assert [one["name"] for one in said["changes"]] == ["colour"]
    assert (said["estimate"]["documents"], said["estimate"]["names"]) == (1, ["colour"])
    assert shelf.ask("GET")["version"] == 1


REFUSED = {
    "a name that filters cannot write": ({"name": "Motor Power", "type": "number"}, "motor_power"),
    "a unit that nobody knows": ({"name": "power", "type": "number", "unit": "blorps"}, "blorps"),
    "a unit of a text": ({"name": "power", "type": "text", "unit": "hp"}, "unit belongs to numbers"),
    "values of a number": ({"name": "power", "type": "number", "values": [{"value": "1"}]}, "categories"),
    "two values that are one": (
        {"name": "colour", "type": "category", "values": [{"value": "red"}, {"value": "Red"}]},
        "twice",
    ),
}


@pytest.mark.parametrize(("attribute", "said"), REFUSED.values(), ids=list(REFUSED))
def test_what_cannot_be_declared_is_refused_with_what_to_do(shelf: Shelf, attribute: dict[str, Any], said: str) -> None:
    body = {"version": 0, "attributes": [attribute]}
    answer = shelf.client("PUT", f"/v1/knowledge-bases/{shelf.base}/schema", json=body)
    assert answer.status_code in (400, 422)
    assert said in answer.text


def test_one_printed_name_may_be_of_two_attributes_where_units_tell_them_apart(
    shelf: Shelf, runtime: Runtime, identity: Identity
) -> None:
    text = "Model,Capacity\nQ-1,90 cfm\nQ-2,120 gal\nQ-3,300 L\n"
    ingest(runtime, identity, shelf.base, text.encode(), "q.csv")
    flow = {"name": "flow", "type": "number", "unit": "cfm", "synonyms": ["Capacity"]}
    tank = {"name": "tank", "type": "number", "unit": "L", "synonyms": ["Capacity"]}
    shelf.declare(flow, tank, version=0)
    shelf.fill()
    assert shelf.find("flow > 1 cfm") == ["Q-1"]
    assert shelf.find("tank > 1 L") == ["Q-3"]
    both = shelf.declare(flow, flow | {"name": "other"}, version=1, status=422)
    assert "capacity" in both["detail"]


def test_the_proposal_merges_names_over_units_and_says_where_they_stand(shelf: Shelf) -> None:
    proposed = {one["declaration"]["name"]: one for one in shelf.ask("GET", "/proposal")["proposed"]}
    power = next(one for one in proposed.values() if {n["name"] for n in one["names"]} == {"hp", "motor_power"})
    assert power["declaration"]["type"] == "number"
    assert power["documents"] == 2
    assert power["recommended"] is True
    assert proposed["max_pressure"]["documents"] == 2
    assert power["examples"][0]["box"]["page"] == 1


def test_what_only_sentences_have_is_not_recommended_before_and_beside_a_schema(
    shelf: Shelf, runtime: Runtime, identity: Identity
) -> None:
    for name, said in (("c.md", "The pump weighs 300 kg."), ("d.md", "It weighs 310 kg when filled.")):
        ingest(runtime, identity, shelf.base, said.encode(), name)
    ingest(runtime, identity, shelf.base, b"Model,Mass (kg)\nS-1,280\nS-2,290\n", "e.csv")

    def mass() -> dict[str, Any]:
        return next(one for one in shelf.ask("GET", "/proposal")["proposed"] if one["declaration"]["name"] == "mass")

    assert (mass()["documents"], mass()["recommended"]) == (3, False)
    shelf.declare(POWER, version=0)
    shelf.fill()
    assert (mass()["documents"], mass()["recommended"]) == (3, False)
    ingest(runtime, identity, shelf.base, b"Model,Mass (kg)\nT-1,180\nT-2,190\n", "f.csv")
    assert (mass()["documents"], mass()["recommended"]) == (4, True)


@pytest.fixture
def stranger(client_of: Callable[[Identity], Client], other_identity: Identity) -> Client:
    return client_of(other_identity)


def test_nobody_else_sees_or_changes_it(shelf: Shelf, stranger: Client) -> None:
    path = f"/v1/knowledge-bases/{shelf.base}/schema"
    for method, where in (("GET", ""), ("GET", "/proposal"), ("GET", "/candidates"), ("GET", "/versions")):
        assert stranger(method, path + where).status_code == 404
    assert stranger("PUT", path, json={"version": 0, "attributes": []}).status_code == 404


def test_of_two_knowledge_bases_a_name_is_found_where_it_is_declared_alone(
    shelf: Shelf, runtime: Runtime, identity: Identity, client: Client
) -> None:
    other = make_knowledge_base(runtime, identity, "open one")
    ingest(runtime, identity, other, b"Model,Noise (dB)\nO-1,60\n", "o.csv")
    shelf.declare(POWER, version=0)
    body = {"query": "", "where": "noise > 1", "knowledge_base_ids": [str(shelf.base), str(other)], "k": 50}
    hits = client.post("/v1/search", json=body).json()["hits"]
    assert [hit["chunk"]["content"].split()[0] for hit in hits] == ["O-1"]
    assert UUID(hits[0]["chunk"]["knowledge_base_id"]) == other
