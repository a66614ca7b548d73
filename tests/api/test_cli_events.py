"""`autri event`, and documents that go: against a server, as everything else of the CLI."""

import json
from pathlib import Path

import pytest
from fastapi import FastAPI

from functions.cli.main import call
from functions.cli.server import announced
from shared.domain.scope import Identity
from shared.runtime import Runtime
from tests.live import serving
from tests.pipeline import make_knowledge_base, run_all, upload


def test_an_event_is_reported_once_listed_and_deleted_when_that_is_confirmed(
    runtime: Runtime, identity: Identity, app: FastAPI, capsys: pytest.CaptureFixture[str]
) -> None:
    make_knowledge_base(runtime, identity, "cli-events")
    with serving(app) as url:

        def run(*arguments: str) -> str:
            assert call(["event", *arguments, "--url", url]) == 0
            return capsys.readouterr().out

        here = ("--kb", "cli-events")
        report = (
            "add",
            "deployment",
            "web [/b]",
            "--value",
            "errors=3",
            "--value",
            "ok=true",
            "--at",
            "2026-01-02T03:04:00Z",
            "--key",
            "1",
            *here,
        )
        assert run(*report).startswith("✓ Reported: deployment web [/b]")
        assert run(*report).startswith("✓ There already")
        (event,) = json.loads(run("list", "--json", *here))
        assert (event["subject"], event["values"]) == ("web [/b]", {"errors": 3, "ok": True})
        assert "errors 3; ok True" in run("list", *here)
        assert json.loads(run("list", "--kind", "payment", "--json", *here)) == []
        assert call(["event", "delete", event["id"], "--url", url]) == 1
        assert "add --yes" in capsys.readouterr().err
        assert json.loads(run("list", "--json", *here)) != []
        assert "is deleted" in run("delete", event["id"], "--yes")
        assert "Nothing was reported" in run("list", *here)


def test_a_document_is_deleted_by_name_at_the_server_that_runs_on_this_machine(
    runtime: Runtime, identity: Identity, app: FastAPI, capsys: pytest.CaptureFixture[str], tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    base = make_knowledge_base(runtime, identity, "cli-gone")
    run_all(runtime, upload(runtime, identity, base, b"Kite,Mass\na,1\n", "kites.csv"))
    monkeypatch.setenv("AUTRI_HOME", str(tmp_path))
    delete = ["documents", "delete", "kites.csv", "--kb", "cli-gone", "--yes"]
    with serving(app) as url, announced(tmp_path, "127.0.0.1", int(url.rpartition(":")[2])):
        assert call(delete) == 0
        assert "Deleted kites.csv: " in capsys.readouterr().out
        assert call([*delete, "--keep-attachments"]) == 1
        assert "no document" in capsys.readouterr().err
