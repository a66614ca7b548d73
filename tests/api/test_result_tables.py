"""A search's facets, order and table over `/v1` and the command line; what a spreadsheet would compute is harmless."""

import csv
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from functions.cli.main import call
from shared.domain.ids import new_id
from shared.domain.scope import Identity
from shared.runtime import Runtime
from tests.api.conftest import Client
from tests.pipeline import make_knowledge_base, scope_of
from tests.price_list import made_products, price_workbook
from tests.store.test_facets import COMPRESSORS
from tests.store.test_filters import add_chunks

HOSTILE: list[tuple[str, list[tuple[str, object]]]] = [
    ("=HYPERLINK(1)", [("model", '=HYPERLINK("http://x.test","y")'), ("delta", -5), ("size", "10–20 mm")]),
    ("+1", [("model", "+1+2"), ("delta", -7), ("size", "4 mm")]),
    ("@sum", [("model", "@SUM(A1)"), ("model", "plain")]),
]  # fmt: skip


@pytest.fixture(scope="module")
def base(runtime: Runtime, identity: Identity) -> UUID:
    made = make_knowledge_base(runtime, identity, f"compressors {new_id().hex}")
    add_chunks(runtime, scope_of(identity, made), "Price list 2026", COMPRESSORS)
    return made


def ask(client: Client, base: UUID, path: str = "/v1/search", **fields: Any) -> Any:
    return client.post(path, json={"knowledge_base_ids": [str(base)], **fields})


def test_a_result_is_a_table_with_numbers_in_the_unit_of_their_column(client: Client, base: UUID) -> None:
    wish = {"where": "lubrication = oilless", "sort": "power desc", "columns": ["lubrication", "power", "document"]}
    table = ask(client, base, **wish).json()["table"]
    assert [(c["label"], c["unit"], c["number"]) for c in table["columns"]] == [
        ("lubrication", None, False), ("power (hp)", "hp", True), ("document", None, False)
    ]  # fmt: skip
    assert [row["cells"] for row in table["rows"]] == [
        ["oilless", 20, "Price list 2026"], ["Oilless", 15, "Price list 2026"], ["oilless", 10, "Price list 2026"]
    ]  # fmt: skip


def test_a_column_of_several_units_has_what_is_printed(client: Client, base: UUID) -> None:
    table = ask(client, base, where="power exists", sort="power desc", columns=["power"]).json()["table"]
    assert table["columns"][0]["label"] == "power"
    assert [row["cells"][0] for row in table["rows"]] == [
        "40 hp; 12 hp", "18.4 kW", "20 hp", "15 hp", "10 hp", "10–15 hp"
    ]  # fmt: skip


def test_a_table_without_wishes_has_the_usual_columns(client: Client, base: UUID) -> None:
    table = ask(client, base, where="quiet exists", columns=[]).json()["table"]
    names = [column["name"] for column in table["columns"]]
    assert set(names) >= {"attr:power", "attr:lubrication", "attr:price", "document", "place"}
    assert "attr:mass" not in names


def test_without_a_wish_there_are_neither_facets_nor_a_table(client: Client, base: UUID) -> None:
    answer = ask(client, base, where="quiet exists").json()
    assert (answer["facets"], answer["table"]) == (None, None)


def test_an_unknown_column_is_refused(client: Client, base: UUID) -> None:
    answer = ask(client, base, where="quiet exists", columns=["colour"])
    assert (answer.status_code, "no attribute `colour`" in answer.json()["detail"]) == (400, True)


def test_all_that_passes_is_exported_in_order(client: Client, base: UUID) -> None:
    wish = {"where": "power exists", "sort": "price", "columns": ["price", "lubrication"]}
    answer = ask(client, base, "/v1/search:export", **wish)
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    assert "attachment" in answer.headers["content-disposition"]
    rows = list(csv.reader(io.StringIO(answer.text)))
    assert rows[0] == ["price", "lubrication"]
    assert [row[0] for row in rows[1:]] == ["USD 8000", "USD 9000", "USD 12000", "USD 15000", "EUR 11000", ""]


def test_an_export_is_of_every_match_and_not_of_a_page_of_them(
    runtime: Runtime, identity: Identity, client: Client
) -> None:
    made = make_knowledge_base(runtime, identity, f"many {new_id().hex}")
    many: list[tuple[str, list[tuple[str, object]]]] = [(f"bolt {n}", [("serial", n)]) for n in range(601)]
    add_chunks(runtime, scope_of(identity, made), "Bolts", many)
    wish = {"where": "serial >= 0", "columns": ["serial"], "sort": "serial desc"}
    lines = ask(client, made, "/v1/search:export", **wish).text.split()
    assert lines == ["serial", *(str(n) for n in range(600, -1, -1))]


def test_the_hits_of_a_query_are_exported(client: Client, base: UUID) -> None:
    wish = {"query": "rotary", "index": "fts", "columns": ["power"], "sort": "power"}
    assert ask(client, base, "/v1/search:export", **wish).text.splitlines() == ["power (hp)", "10", "15", "20"]


def test_an_export_of_nothing_is_refused_and_of_no_match_is_its_header(client: Client, base: UUID) -> None:
    assert ask(client, base, "/v1/search:export").status_code == 422
    wish = {"where": "power > 1000 hp", "columns": ["power"]}
    assert ask(client, base, "/v1/search:export", **wish).text == "power\r\n"


def test_cells_that_a_spreadsheet_would_compute_are_texts(runtime: Runtime, identity: Identity, client: Client) -> None:
    made = make_knowledge_base(runtime, identity, f"hostile {new_id().hex}")
    add_chunks(runtime, scope_of(identity, made), "=Formula.pdf", HOSTILE)
    wish = {"where": "model exists", "columns": ["model", "delta", "size", "text", "document"]}
    rows = list(csv.reader(io.StringIO(ask(client, made, "/v1/search:export", **wish).text)))
    assert rows[1:] == [
        ['\'=HYPERLINK("http://x.test","y")', "-5", "10–20 mm", "'=HYPERLINK(1)", "'=Formula.pdf"],
        ["'+1+2", "-7", "4 mm", "'+1", "'=Formula.pdf"],
        ["'@SUM(A1); plain", "", "", "'@sum", "'=Formula.pdf"],
    ]


def test_nobody_exports_what_is_another_organizations(
    client_of: Callable[[Identity], Client], other_identity: Identity, base: UUID
) -> None:
    answer = ask(client_of(other_identity), base, "/v1/search:export", where="power exists")
    assert answer.status_code == 404


@pytest.fixture
def own_home(test_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = test_home / "tables-cli"
    home.mkdir(exist_ok=True)
    (test_home / "models").mkdir(exist_ok=True)
    if not (home / "models").exists():
        (home / "models").symlink_to(test_home / "models")
    monkeypatch.setenv("AUTRI_HOME", str(home))


@pytest.mark.usefixtures("own_home")
def test_the_command_line_prints_facets_tables_and_csv(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    prices = tmp_path / "prices.xlsx"
    products = made_products(9)
    prices.write_bytes(price_workbook(products))
    assert call(["kb", "create", "Prices", "--description", "x", "--json"]) == 0
    assert call(["ingest", str(prices), "--kb", "prices", "--json"]) == 0
    capfd.readouterr()
    assert call(["search", "--kb", "prices", "--facets"]) == 0
    assert "motor_power (hp)" in capfd.readouterr().out
    assert call(["search", "--kb", "prices", "--columns", "model, price", "--sort", "price desc"]) == 0
    shown = capfd.readouterr().out
    dearest = max(products, key=lambda product: product.price)
    assert shown.index(dearest.model) < min(shown.index(p.model) for p in products if p != dearest)
    where = ["--where", "motor_power exists"]
    assert call(["search", "--kb", "prices", *where, "--columns", "model,price", "--sort", "price", "--csv"]) == 0
    rows = list(csv.reader(io.StringIO(capfd.readouterr().out)))
    assert rows[0] == ["model", "price (USD)"]
    assert [row[0] for row in rows[1:]] == [p.model for p in sorted(products, key=lambda p: p.price)]
    assert call(["search", "--kb", "prices", *where, "--facet", "colour", "--json"]) == 2
    assert "no attribute `colour`" in capfd.readouterr().err
