"""Gold of attributes: made at a chunk and from a file, measured in a run by attribute and by route, with floors."""

import json
from pathlib import Path
from uuid import UUID

import pytest

from shared.domain.evaluation import EvalRun, GoldInput, NewGold, Parameters, QuestionResult
from shared.domain.scope import Identity, Scope
from shared.errors import BadInput
from shared.evaluation.gold import add_gold, list_gold
from shared.evaluation.gold_file import read_gold
from shared.evaluation.runs import continue_run, list_results, start_run
from shared.runtime import Runtime
from tests.store.seeding import add_base
from tests.store.test_filters import add_chunks

PUMPS: list[tuple[str, list[tuple[str, object]]]] = [
    ("Pump one, 15 hp, oilless", [("power", "15 hp"), ("lubrication", "oilless")]),
    ("Pump two, 20 hp, 4 kg", [("power", "20 hp"), ("mass", "5 kg")]),
    ("Pump three, 5–7 hp", [("power", "5–7 hp")]),
    ("Pump four", []),
]  # fmt: skip


@pytest.fixture(scope="module")
def scope(runtime: Runtime, identity: Identity) -> Scope:
    scope = add_base(runtime, identity, "pumps")
    add_chunks(runtime, scope, "Pumps", PUMPS)
    return scope


def claim(attribute: str, quote: str, document: str = "Pumps") -> GoldInput:
    return GoldInput.model_validate(
        {"question": attribute, "attribute": attribute, "expected": [{"document": document, "quote": quote}]}
    )


def measured(
    runtime: Runtime, identity: Identity, scope: Scope, gold: list[GoldInput] | None, **floors: float
) -> tuple[EvalRun, list[QuestionResult]]:
    (base,) = scope.knowledge_base_ids
    floor = {name.replace("__", "."): least for name, least in floors.items()}
    run = start_run(runtime, identity, base, "made", Parameters(indexes=["fts"], floors=floor), gold)
    while run.status != "done":
        run = continue_run(runtime, identity, base, run.id)
    return run, list_results(runtime, identity, base, run.id)


def scores_of(run: EvalRun) -> dict[str, tuple[float, int]]:
    return {score.name: (round(score.value, 3), score.n) for score in run.scores}


def test_values_are_scored_by_attribute_and_by_route(runtime: Runtime, identity: Identity, scope: Scope) -> None:
    gold = [
        claim("power = 11.18549807 kW", "pump one"),
        claim("Lubrication = OILLESS", "pump one"),
        claim("power = 20 hp", "pump two"),
        claim("mass = 4 kg", "pump two"),
        claim("power = 6 hp", "pump three"),
        claim("power = 9 hp", "pump four"),
        claim("colour = red", "pump four"),
    ]
    run, _ = measured(runtime, identity, scope, gold)
    scores = scores_of(run)
    # Right: the power of one and two, the lubrication. Read and wrong: the mass of two, the range of three.
    assert scores["attributes.recall"] == (round(3 / 7, 3), 7)
    assert scores["attributes.precision"] == (round(3 / 5, 3), 5)
    assert (scores["attributes.power.recall"], scores["attributes.power.precision"]) == ((0.5, 4), (0.667, 3))
    assert (scores["attributes.mass.recall"], scores["attributes.mass.precision"]) == ((0.0, 1), (0.0, 1))
    assert scores["attributes.colour.recall"] == (0.0, 1)
    assert "attributes.colour.precision" not in scores
    assert scores["routes.label.precision"] == (0.6, 5)
    assert scores["routes.agreement"] == (1.0, 7)
    assert not [name for name in scores if name.startswith("fts")]


def test_floors_of_attributes_fail_a_run(runtime: Runtime, identity: Identity, scope: Scope) -> None:
    floors = {"attributes__power__recall": 0.9, "routes__label__precision": 0.5, "attributes__weight__recall": 0.1}
    gold = [claim("power = 15 hp", "pump one"), claim("power = 1 hp", "pump two")]
    run, _ = measured(runtime, identity, scope, gold, **floors)
    assert {floor.measure: (floor.value, floor.met) for floor in run.floors} == {
        "attributes.power.recall": (0.5, False),
        "routes.label.precision": (0.5, True),
        "attributes.weight.recall": (None, False),
    }
    with pytest.raises(BadInput, match="is no measure of this run"):
        measured(runtime, identity, scope, gold, attributes__power__speed=0.5)


def test_routes_that_read_different_values_are_flagged(runtime: Runtime, identity: Identity) -> None:
    scope = add_base(runtime, identity, "routes")
    fans: list[tuple[str, list[tuple[str, object]]]] = [
        ("Fan, 3 kW", [("power", "3 kW"), ("power", "3000 W")]),
        ("Fan, 4 kW", [("power", "4 kW"), ("power", "5 kW")]),
    ]
    document = add_chunks(runtime, scope, "Routes", fans)
    with runtime.database.transaction(scope) as connection:
        connection.execute(
            "update chunk_attributes set route = 'model' where document_id = %s and ordinal = 1", (document,)
        )
    gold = [claim("power = 3 kW", "fan, 3", "Routes"), claim("power = 4 kW", "fan, 4", "Routes")]
    run, results = measured(runtime, identity, scope, gold)
    scores = scores_of(run)
    assert [result.attribute.disagree for result in results if result.attribute] == [False, True]
    assert scores["routes.agreement"] == (0.5, 2)
    assert (scores["routes.label.precision"], scores["routes.model.precision"]) == ((1.0, 2), (0.5, 2))


def test_gold_made_at_a_chunk_is_kept_and_measured(runtime: Runtime, identity: Identity, scope: Scope) -> None:
    (base,) = scope.knowledge_base_ids
    with runtime.database.transaction(scope) as connection:
        row = connection.execute("select id from chunks where content like 'Pump one%%'").fetchone()
    assert row is not None
    chunk: UUID = row["id"]
    add_gold(runtime, identity, base, NewGold.model_validate({"attribute": "power = 15 hp", "chunk_ids": [chunk]}), "t")
    (kept,) = [gold for gold in list_gold(runtime, identity, base, None, 50) if gold.attribute]
    assert (kept.attribute, kept.question, kept.expected[0].page) == ("power = 15 hp", "power = 15 hp", 1)
    run, _ = measured(runtime, identity, scope, None)
    assert scores_of(run)["attributes.power.recall"] == (1.0, 1)


@pytest.mark.parametrize(
    "attribute", ["power > 15 hp", "power", "power = 15 hp and mass = 2 kg", "power between 1 and 2"]
)
def test_what_states_no_single_value_is_refused(
    runtime: Runtime, identity: Identity, scope: Scope, attribute: str
) -> None:
    new = NewGold.model_validate({"attribute": attribute, "expected": [{"document": "Pumps", "quote": "pump one"}]})
    with pytest.raises(BadInput, match=r"power"):
        add_gold(runtime, identity, scope.knowledge_base_ids[0], new, "t")


def test_gold_of_attributes_is_read_from_a_file(tmp_path: Path) -> None:
    rows = [
        {"attribute": "Motor power", "value": "15 hp", "document": "a.pdf", "page": 2, "quote": "TA-15"},
        {"attribute": "model", "value": 'K "7" or so', "document": "a.pdf", "page": 2},
        {"attribute": "power = 3 kW", "document": "a.pdf", "quote": "x"},
    ]
    file = tmp_path / "gold.jsonl"
    file.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    read = read_gold(file).questions
    assert [gold.attribute for gold in read] == [
        '"Motor power" = 15 hp', 'model = "K \\"7\\" or so"', "power = 3 kW"
    ]  # fmt: skip
    assert [gold.expected[0].quote for gold in read] == ["TA-15", None, "x"]
