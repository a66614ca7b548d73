"""`autri dataset`: against a server, as everything else of the CLI."""

import json
from pathlib import Path

import pytest
from fastapi import FastAPI

from functions.cli.main import call
from shared.domain.scope import Identity
from shared.runtime import Runtime
from tests.live import serving
from tests.pipeline import make_knowledge_base, run_all, upload

TABLE = b"Model [/b],Mass (kg),Code\nKite,1250.5,=1\nHeron,,b\nCrane,980,c\n"


def test_a_dataset_is_made_shown_transformed_corrected_exported_and_deleted(
    runtime: Runtime, identity: Identity, app: FastAPI, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    base = make_knowledge_base(runtime, identity, "cli-datasets")
    run_all(runtime, upload(runtime, identity, base, TABLE, "runs.csv"))
    steps, none, target = tmp_path / "steps.json", tmp_path / "none.json", tmp_path / "runs.csv"
    steps.write_text('[{"op": "convert", "column": "Mass (kg)", "unit": "g"}]')
    none.write_text("[]")
    with serving(app) as url:

        def run(*arguments: str) -> str:
            assert call(["dataset", *arguments, "--url", url]) == 0
            return capsys.readouterr().out

        assert "There is no dataset" in run("list", "--kb", "cli-datasets")
        (table,) = json.loads(run("tables", "--kb", "cli-datasets", "--json"))
        assert "Mass (kg)" in run("tables", "--kb", "cli-datasets")
        assert "quantity" in run("make", table["table_id"], "--kb", "cli-datasets", "--name", "Runs [/r]")
        shown = run("show", "Runs [/r]")
        assert "1250.5" in shown
        # What people wrote stands there as it is, and no sign of the terminal's markup beside it.
        assert "Model [/b]" in shown
        assert "Mass (kg) [kg]" in shown
        assert "Model [/b]" in run("profile", "Runs [/r]")
        assert "\\[" not in shown + run("profile", "Runs [/r]")
        assert json.loads(run("show", "Runs [/r]", "--steps", str(steps), "--json"))["rows"][0][1] == 1_250_500
        assert run("steps", "Runs [/r]", str(steps)).startswith("1. convert")
        profile = json.loads(run("profile", "Runs [/r]", "--json"))
        assert (profile["columns"][1]["max"], profile["columns"][1]["missing"]) == (1_250_500, 1)
        assert call(["dataset", "correct", "Runs [/r]", "Mass (kg)", "--type", "text", "--url", url]) == 1
        assert "Step 1 (convert)" in capsys.readouterr().err
        run("steps", "Runs [/r]", str(none))
        corrected = json.loads(run("correct", "Runs [/r]", "Mass (kg)", "--unit", "lb", "--json"))
        assert corrected["source_columns"][1]["unit"] == "[lb_av]"
        history = run("history", "Runs [/r]")
        assert "Mass (kg) unit kg → [lb_av]" in history
        # Of whoever has no name the address is told.
        assert "dev@localhost" in history
        assert json.loads(run("show", "Runs [/r]", "--revision", "1", "--json"))["columns"][1]["unit"] == "kg"
        again = json.loads(run("renew", "Runs [/r]", table["table_id"], "--json"))
        assert again["source_columns"][1]["unit"] == "[lb_av]"
        assert "bytes" in run("export", "Runs [/r]", "--to", str(target))
        assert "'=1" in target.read_text()
        run("export", "Runs [/r]", "--to", str(tmp_path / "runs.json"), "--lineage")
        assert "1250.5" in {one["text"] for one in json.loads((tmp_path / "runs.json").read_text())["cells"].values()}
        run("tables", "--kb", "cli-datasets", "--to", str(tmp_path / "all.parquet"))
        assert (tmp_path / "all.parquet").read_bytes()[:4] == b"PAR1"
        assert call(["dataset", "export", "Runs [/r]", "--to", "runs.doc", "--url", url]) == 1
        assert ".parquet" in capsys.readouterr().err
        assert call(["dataset", "show", "nobody's", "--url", url]) == 1
        assert "autri dataset list" in capsys.readouterr().err
        assert "is deleted" in run("delete", "Runs [/r]", "--yes")
        assert "There is no dataset" in run("list", "--kb", "cli-datasets")
