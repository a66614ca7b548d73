"""`autri schema`: against a server, on price lists that are really ingested."""

import json
from collections.abc import Callable, Generator
from pathlib import Path

import pytest
from fastapi import FastAPI

from functions.cli.main import call
from shared.domain.scope import Identity
from shared.ingestion import backfill
from shared.runtime import Runtime
from tests.api.conftest import Client
from tests.api.test_attribute_schema import Shelf, ingest
from tests.live import serving

Run = Callable[..., str]


@pytest.fixture
def shelf(runtime: Runtime, identity: Identity, client: Client) -> Shelf:
    return Shelf(runtime, identity, client)


@pytest.fixture
def run(app: FastAPI, shelf: Shelf, capsys: pytest.CaptureFixture[str]) -> Generator[Run]:
    with serving(app) as url:

        def run(*arguments: str, code: int = 0) -> str:
            capsys.readouterr()
            assert call(["schema", *arguments, "--kb", str(shelf.base), "--url", url]) == code
            said = capsys.readouterr()
            return said.err if code else said.out

        yield run


def test_a_proposal_is_written_looked_at_applied_and_read(run: Run, shelf: Shelf, tmp_path: Path) -> None:
    file = tmp_path / "schema.json"
    assert "Nobody has declared" in run("show")
    assert "motor_power [kW]" in run("propose")
    run("propose", "--all", "--out", str(file))
    wanted = json.loads(file.read_text())
    power = next(one for one in wanted["attributes"] if one.get("unit") in ("hp", "kW"))
    power["name"] = "power"
    power["synonyms"] = ["hp", "motor power"]
    file.write_text(json.dumps(wanted))
    assert "+ power" in run("apply", str(file), "--dry-run")
    assert shelf.ask("GET")["open"] is True
    said = run("apply", str(file), "--why", "[/price] lists", "--wait")
    assert "Version 1 holds" in said
    assert "done" in said
    assert shelf.find("power >= 14 hp") == ["K-9", "R-2"]
    assert "[/price] lists" in run("history")
    assert "Nothing is other than before" in run("diff", str(file))


def test_what_is_exported_is_applied_to_another_knowledge_base(run: Run, shelf: Shelf, tmp_path: Path) -> None:
    shelf.declare({"name": "power", "type": "number", "unit": "hp", "synonyms": ["HP"]}, version=0)
    shelf.declare({"name": "colour", "type": "category"}, version=1)
    first, file = json.loads(run("export", "--version", "1")), tmp_path / "present.json"
    run("export", "--out", str(file))
    assert first["attributes"] == [{"name": "power", "type": "number", "unit": "hp", "synonyms": ["HP"]}]
    assert json.loads(file.read_text()) == {"version": 2, "attributes": [{"name": "colour", "type": "category"}]}
    first_file = tmp_path / "first.json"
    first_file.write_text(json.dumps(first))
    run("apply", str(first_file))
    assert [one["name"] for one in shelf.ask("GET")["attributes"]] == ["power"]


def test_a_candidate_is_promoted_with_what_the_person_says_otherwise(run: Run, shelf: Shelf) -> None:
    shelf.declare({"name": "colour", "type": "category"}, version=0)
    run("backfill", "--wait")
    candidates = {one["name"]: one for one in json.loads(run("show", "--candidates", "--json"))}
    assert candidates["motor_power"]["count"] == 2
    assert "motor_power" in run("show", "--candidates")
    said = run("promote", "Motor power [kW]", "--as", "power", "--unit", "hp", "--why", "asked for", "--wait")
    assert "2 values found" in said
    assert shelf.find("power >= 14 hp") == ["R-2"]
    assert "counts no longer" in run("demote", "power")
    assert "power" in shelf.find("power > 1 hp", status=400)[0]


def test_a_stopped_backfill_goes_on_when_it_is_resumed(run: Run, shelf: Shelf) -> None:
    shelf.declare({"name": "power", "type": "number", "unit": "hp", "synonyms": ["HP", "Motor power"]}, version=0)
    assert "0 of 2 documents" in run("backfill")
    assert "--resume" in run("backfill", "--cancel")
    assert "cancelled" in run("backfill", "--wait")
    assert shelf.find("power > 0 hp") == []
    assert "2 of 2 documents" in run("backfill", "--resume", "--wait")
    assert len(shelf.find("power > 0 hp")) == 4


def test_a_request_leaves_a_large_document_to_the_background(
    shelf: Shelf, runtime: Runtime, identity: Identity, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = "\n".join(f"B-{at},{at}" for at in range(20))
    ingest(runtime, identity, shelf.base, f"Model,HP\n{rows}\n".encode(), "large.csv")
    monkeypatch.setattr(backfill, "REQUEST_CHUNKS", 10)
    shelf.declare({"name": "power", "type": "number", "unit": "hp", "synonyms": ["HP"]}, version=0)
    for _ in range(2):
        said = shelf.ask("POST", "/backfill/continue")
        assert (said["status"], said["documents"], said["documents_done"]) == ("running", 3, 2)
    assert shelf.fill() == 1
    assert shelf.ask("POST", "/backfill/continue")["status"] == "done"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "is not JSON"),
        ("{}", "declares nothing"),
        ('[{"name": "Motor Power", "type": "number"}]', "motor_power"),
        (
            '[{"name": "power", "type": "number", "printed_as": ["hp"]}]',
            "`printed_as` is no part of an attribute; there are name, label",
        ),
        (
            '[{"name": "drive", "type": "category", "values": [{"value": "gear", "synonym": ["cog"]}]}]',
            "`synonym` is no part of a value; there are value, synonyms",
        ),
    ],
)
def test_a_file_that_is_no_schema_is_refused_with_what_to_do(
    run: Run, shelf: Shelf, tmp_path: Path, text: str, said: str
) -> None:
    file = tmp_path / "schema.json"
    file.write_text(text)
    assert said in run("apply", str(file), code=1)
    assert shelf.ask("GET")["open"] is True


def test_a_file_made_from_an_older_version_is_refused(run: Run, shelf: Shelf, tmp_path: Path) -> None:
    file = tmp_path / "schema.json"
    run("export", "--out", str(file))
    shelf.declare({"name": "colour", "type": "category"}, version=0)
    file.write_text(json.dumps({"version": 0, "attributes": [{"name": "noise", "type": "number", "unit": "dB"}]}))
    assert "version 1 by now" in run("apply", str(file), code=1)
