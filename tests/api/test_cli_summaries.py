"""`autri summary`: against a server, as everything else of the CLI."""

import json

import pytest
from fastapi import FastAPI

from functions.cli.main import call
from shared.domain.scope import Identity
from shared.runtime import Runtime
from tests.api.test_summaries import LIMIT, METHOD, RESULT, add_results, passages, sections
from tests.live import serving
from tests.store.seeding import add_base, add_document


def test_a_summary_is_made_shown_listed_edited_and_compared(
    runtime: Runtime, identity: Identity, app: FastAPI, capsys: pytest.CaptureFixture[str]
) -> None:
    scope = add_base(runtime, identity, "cli-summaries")
    add_document(runtime, scope, "Wing [/b]", passages(), sections())
    add_results(runtime, scope, "Table", "Acc. (%)", [["Heron", "81.5"]])
    with serving(app) as url:

        def run(*arguments: str) -> str:
            assert call(["summary", *arguments, "--url", url]) == 0
            return capsys.readouterr().out

        assert "no such summary" in run("list", "--kb", "cli-summaries")
        made = run("make", "--kb", "cli-summaries")
        assert "Wing [/b]: version 1, 7 of 8 fields stated" in made
        shown = run("show", "Wing [/b]", "--kb", "cli-summaries")
        assert METHOD in shown
        assert "metrics missing (8 sentences read)" in shown
        whole = json.loads(run("show", "Wing [/b]", "--json"))
        limit = next(f for f in whole["fields"] if f["field"] == "limits")["statements"][0]
        assert LIMIT.startswith(limit["text"])
        assert "is at version 2" in run("edit", "Wing [/b]", "--target", limit["id"])
        assert limit["text"] not in run("show", "Wing [/b]")
        assert "edited" in run("versions", "Wing [/b]")
        changed = run("diff", "Wing [/b]")
        assert f"- {limit['text']}" in changed
        assert "limits removed" in changed
        assert "at version 3, which says version 1 again" in run("restore", "Wing [/b]", "1")
        assert limit["text"] in run("show", "Wing [/b]")
        assert RESULT in run("list", "--kb", "cli-summaries", "--field", "results", "--words", "lap time")
        assert "Acc. (%) of Heron = 81.5 (Table, p. 1)" in run("list", "--metric", "acc", "--from", "80")
        assert call(["summary", "compare", "--kb", "cli-summaries", "--url", url]) == 0
        compared = capsys.readouterr()
        assert "81.5" in compared.out
        assert "of 100" not in compared.err
        add_results(runtime, scope, "Other table", "Acc. (%)", [["Heron", "80"]])
        run("make", "Other table")
        told = run("group", "Wing [/b]", "Table", "Other table")
        assert "objective confidence" in told
        assert "(stated by 1 of 3)" in told
        assert "differ Acc. (%) of Heron: 81.5 (Table); 80 (Other table)" in told
        add_results(runtime, scope, "Third table", "Acc.", [["Heron", "0.815"]])
        run("make", "Third table")
        assert call(["summary", "compare", "Table", "Third table", "--url", url]) == 0
        assert "of 1 in one table and of 100 in another: Acc." in capsys.readouterr().err
        assert call(["summary", "show", "Table", "--version", "9", "--url", url]) == 1
        assert "List its versions" in capsys.readouterr().err


def test_more_documents_than_are_read_together_are_told_of(
    runtime: Runtime, identity: Identity, app: FastAPI, capsys: pytest.CaptureFixture[str]
) -> None:
    scope = add_base(runtime, identity, "many")
    for number in range(21):
        add_document(runtime, scope, f"Paper {number}", passages(), sections())
    with serving(app) as url:
        assert call(["summary", "make", "--kb", "many", "--url", url]) == 0
        capsys.readouterr()
        assert call(["summary", "group", "--kb", "many", "--url", url]) == 0
    printed = capsys.readouterr()
    assert "The first 20 of 21 documents" in printed.err
    assert "(stated by 20 of 20)" in printed.out
