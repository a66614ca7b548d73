import json
from typing import Any
from uuid import UUID

import pytest

from functions.cli.main import call
from shared.domain.ids import new_id
from shared.domain.scope import Identity
from shared.runtime import Runtime
from tests.api.conftest import Client
from tests.pipeline import make_knowledge_base, scope_of
from tests.store.test_filters import MACHINES, add_chunks

# Each with words of its message: what was expected, and where.
MALFORMED: list[tuple[Any, str]] = [
    ("", "The filter is empty"),
    ("   ", "The filter is empty"),
    ("hp", "after `hp` at character 3, but the filter ends there"),
    ("hp >", "Expected a value after `>` at character 5"),
    ("hp >= ", "Expected a value after `>=` at character 7"),
    ("hp >= and", "Expected a value after `>=` at character 7, but found `and`"),
    ("hp = 1 and", "Expected the name of an attribute after `and` at character 11"),
    ("hp = 1 or or hp = 2", "Expected the name of an attribute after `or` at character 11"),
    ("(hp = 1", "the `)` that closes the `(` at character 1"),
    ("hp = 1)", "`and`, `or` or the end of the filter after `1` at character 7"),
    ("hp 10", "one of = != < <= > >=, `between`, `in` or `exists` after `hp` at character 4"),
    ("max hp = 3", 'stands in quotes: "max hp …"'),
    ("lubrication = oil less", 'stands in quotes: "oil less …"'),
    ('lubrication = "oil', "The quotation mark at character 15 is never closed"),
    ("lubrication = ''", "nothing between the quotation marks at character 15"),
    ("hp in", "Expected `(` and a list of values after `in` at character 6"),
    ("hp in ()", "Expected a value after `(` at character 8, but found `)`"),
    ("hp in (1", "Expected `,` or `)` after `1` at character 9"),
    ("hp in (1,", "Expected a value after `,`"),
    ("hp in (1 2)", "Expected `,` or `)` after `1`"),
    ("mass in (1, 2 kg)", "every value has its unit, or none"),
    ("hp in [1, 2]", "Expected `(` and a list of values"),
    ("hp between 1", "Expected `and` and the upper bound after `1`"),
    ("hp between 1 or 2", "Expected `and` and the upper bound after `1`"),
    ("hp between 20 and 10", "the lower bound of `between` comes first"),
    ("= 3", "Expected the name of an attribute at character 1"),
    ("10 = hp", "Expected the name of an attribute at character 1"),
    ("hp = 1,000", "such as 1000"),
    ("hp = 1 && hp = 2", "For `&` write `and`"),
    ("hp = 1 | hp = 2", "For `|` write `or`"),
    ("!hp", "For `!` write `not`"),
    ("hp ~ 3", "For `~` write `=`"),
    ("hp = 1 = 2", "`and`, `or` or the end of the filter after `1`"),
    ("not", "Expected the name of an attribute after `not`"),
    ("hp => 3", "Expected a value after `=` at character 5"),
    ("hp not = 3", "Expected `in`, `between` or `exists` after `not`"),
    ("quiet > true", "true and false have no order"),
    ("hp = (1)", "Expected a value after `=`"),
    ("hp exists 3", "`and`, `or` or the end of the filter after `exists`"),
    ("hp = 1e60", "up to character 9: a value is a number up to 1e50"),
    ("(" * 40 + "hp = 1" + ")" * 40, "nested more than 12 levels"),
    (" and ".join(["hp = 1"] * 300), "more than 200 conditions"),
    ("x" * 10_001, "at most 10,000 are read"),
    ("horsepower = 3", "There is no attribute `horsepower`. Declared are: "),
    ("mass >= 10 m", "a length: its values are in"),
    ("mass >= 10 parsnips", "`parsnips` is no unit that is known"),
    ("hp = oil", "`hp` holds numbers"),
    ("lubrication >= 3", "has no order"),
    ("lubrication = 3.5", "Write a text in quotes"),
    ("made > 2026-02-30", "a date such as"),
    ("quiet = 3", "true or false"),
    ("'!!!' = 3", "a name has a letter"),
    ('{"attr": ', "is no JSON at character 10"),
    ("{}", "`attr`, `op` and `value`"),
    ({}, "`attr`, `op` and `value`"),
    ({"attr": "hp"}, "where.op: it is missing"),
    ({"attr": "hp", "op": "eq"}, "`eq` needs a `value`"),
    ({"attr": "hp", "op": "is", "value": 1}, "where.op: input should be 'eq'"),
    ({"attr": "hp", "op": "in", "value": 1}, "the value of `in` is a list"),
    ({"attr": "hp", "op": "in", "value": []}, "where.value: "),
    ({"attr": "hp", "op": "eq", "value": [1]}, "the value of `eq` is one value"),
    ({"attr": "hp", "op": "between", "value": [1]}, "here it has 1"),
    ({"attr": "hp", "op": "eq", "value": {"x": 1}}, "where.value: "),
    ({"attr": "hp", "op": "eq", "value": "x", "unit": "kg"}, "a unit belongs to numbers"),
    ({"attr": "hp", "op": "exists", "value": 3}, "`exists` takes no value"),
    ({"attr": 3, "op": "eq", "value": 1}, "where.attr: "),
    ({"attr": "hp", "op": "eq", "value": 1, "x": 2}, "where.x: there is no such field"),
    ({"all": []}, "where.all: "),
    ({"all": {"attr": "hp"}}, "where.all: "),
    ({"all": [1]}, "where.all[0]: a condition is an object"),
    ({"any": [{"not": [{"attr": "hp", "op": "eq"}]}]}, "where.any[0].not[0]: `eq` needs"),
]


@pytest.fixture(scope="module")
def base(runtime: Runtime, identity: Identity) -> UUID:
    made = make_knowledge_base(runtime, identity, f"machines {new_id().hex}")
    add_chunks(runtime, scope_of(identity, made), "Machines", MACHINES)
    return made


def ask(client: Client, base: UUID, where: Any, **fields: Any) -> Any:
    return client.post("/v1/search", json={"knowledge_base_ids": [str(base)], "where": where, **fields})


@pytest.mark.parametrize(("where", "message"), MALFORMED)
def test_a_malformed_filter_says_what_is_wrong_with_it(client: Client, base: UUID, where: Any, message: str) -> None:
    answer = ask(client, base, where, query="anvil", index="fts")
    assert answer.status_code == 400, answer.json()
    assert message in answer.json()["detail"]


@pytest.mark.parametrize("where", ["hp <= 20", {"attr": "HP", "op": "le", "value": 20}])
def test_both_forms_of_a_filter_are_taken(client: Client, base: UUID, where: Any) -> None:
    hits = ask(client, base, where).json()["hits"]
    assert [hit["chunk"]["content"] for hit in hits] == ["anvil", "bellows"]
    assert ask(client, base, where, types=["table"]).json()["hits"] == []


def test_attributes_are_listed_with_types_units_counts_and_ranges(client: Client, base: UUID) -> None:
    path = f"/v1/knowledge-bases/{base}/attributes"
    listed = client.get(path).json()["items"]
    assert [item["name"] for item in listed] == [
        "hp", "lubrication", "made", "mass", "model", "price", "quiet", "temperature",
    ]  # fmt: skip
    hp, mass = listed[0], listed[3]
    assert (hp["count"], hp["documents"], hp["values"][0]["low"], hp["values"][0]["high"]) == (3, 1, 10, 30)
    assert [(v["printed_unit"], v["unit"], v["count"]) for v in mass["values"]] == [
        ("kg", "kg", 6),
        ("[lb_av]", "kg", 1),
    ]
    first = client.get(path, params={"limit": 3}).json()
    rest = client.get(path, params={"cursor": first["next_cursor"]}).json()
    assert first["items"] + rest["items"] == listed


@pytest.fixture
def own_home(test_home: Any, tmp_path_factory: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    home = test_home / "filters-cli"
    home.mkdir(exist_ok=True)
    (test_home / "models").mkdir(exist_ok=True)
    if not (home / "models").exists():
        (home / "models").symlink_to(test_home / "models")
    monkeypatch.setenv("AUTRI_HOME", str(home))


@pytest.mark.usefixtures("own_home")
def test_the_command_line_takes_a_malformed_filter_for_bad_usage(capfd: pytest.CaptureFixture[str]) -> None:
    assert call(["kb", "create", "Empty", "--description", "x", "--json"]) == 0
    assert call(["search", "anvil", "--kb", "empty", "--where", "hp >=", "--json"]) == 2
    assert "Expected a value after `>=` at character 6" in capfd.readouterr().err
    assert call(["search", "anvil", "--kb", "empty", "--where", "hp >= 3", "--json"]) == 2
    assert "declare none" in capfd.readouterr().err
    assert call(["kb", "attributes", "empty", "--json"]) == 0
    assert json.loads(capfd.readouterr().out) == []
