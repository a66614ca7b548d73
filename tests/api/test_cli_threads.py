"""`autri thread`: against a server, as everything else of the CLI."""

import json

import pytest
from fastapi import FastAPI

from functions.cli.main import call
from shared.domain.scope import Identity
from shared.runtime import Runtime
from tests.api.test_threads import RULE, WIDTH
from tests.live import serving
from tests.store.seeding import add_base, add_document


def test_a_conversation_is_begun_shown_renamed_exported_shared_and_deleted(
    runtime: Runtime, identity: Identity, app: FastAPI, capsys: pytest.CaptureFixture[str]
) -> None:
    scope = add_base(runtime, identity, "cli-threads")
    add_document(runtime, scope, "Kestrel [/rules]", [RULE], embedder=runtime.embedder)
    with serving(app) as url:

        def run(*arguments: str) -> str:
            assert call(["thread", *arguments, "--url", url]) == 0
            return capsys.readouterr().out

        assert "no such conversation" in run("list")
        begun = json.loads(run("ask", "new", WIDTH, "--kb", "cli-threads", "--json"))
        assert "1050 mm" in begun["answers"][0]["answer"]["answer"]
        assert "asked as: How high may the rear wing be?" in run("ask", "last", "and how high?")
        assert "asked as" not in run("ask", begun["thread_id"], "and how long?", "--as-typed")
        assert "Wings [/b]" in run("rename", WIDTH, "Wings [/b]")
        assert [one["questions"] for one in json.loads(run("list", "wings high", "--json"))] == [3]
        shown = run("show", "Wings [/b]")
        assert "Kestrel [/rules]" in shown
        assert "1050 mm" in shown
        assert "[^1]: Kestrel \\[/rules\\], page 1" in run("export", "last")
        assert f"{url}/shared/" in run("share", "last", "--days", "1")
        (link,) = json.loads(run("shares", "last", "--json"))
        assert "shows nothing" in run("unshare", "last", link["id"])
        assert "revoked" in run("shares", "last")
        assert call(["thread", "show", "nobody's", "--url", url]) == 1
        assert "autri thread list" in capsys.readouterr().err
        assert "is deleted" in run("delete", "last", "--yes")
        assert "no such conversation" in run("list")
