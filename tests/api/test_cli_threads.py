"""`autri thread`: against a server, as everything else of the CLI."""

import json

import pytest
from fastapi import FastAPI

from functions.cli.main import call
from shared.domain.scope import Identity
from shared.runtime import Runtime
from tests.api.conftest import Client
from tests.api.test_threads import RULE, WIDTH, begin
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

        assert "You have no conversation yet" in run("list")
        begun = json.loads(run("ask", "new", WIDTH, "--kb", "cli-threads", "--json"))
        assert "1050 mm" in begun["answers"][0]["answer"]["answer"]
        assert "asked as: How high may the rear wing be?" in run("ask", "last", "and how high?")
        assert "asked as" not in run("ask", begun["thread_id"], "and how long?", "--as-typed")
        assert "Wings [/b]" in run("rename", WIDTH, "Wings [/b]")
        assert [one["questions"] for one in json.loads(run("list", "wings high", "--json"))] == [3]
        assert "No conversation of yours has these words" in run("list", "zebra")
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
        assert "You have no conversation yet" in run("list")


def test_what_was_said_of_an_answer_is_listed_kept_and_rejected(
    runtime: Runtime, identity: Identity, app: FastAPI, capsys: pytest.CaptureFixture[str]
) -> None:
    scope = add_base(runtime, identity, "cli-candidates")
    add_document(runtime, scope, "Kestrel rules", [RULE], embedder=runtime.embedder)
    client = Client(app)
    thread = begin(client, scope.knowledge_base_ids[0], WIDTH, "Who won the cup?")
    for message, verdict in zip(
        client.get(f"/v1/threads/{thread}").json()["messages"], ("right", "wrong"), strict=True
    ):
        place = f"/v1/threads/{thread}/answers/{message['answers'][0]['id']}/feedback"
        assert client("PUT", place, json={"verdict": verdict}).is_success
    with serving(app) as url:

        def run(*arguments: str) -> str:
            assert call(["eval", *arguments, "--kb", "cli-candidates", "--url", url]) == 0
            return capsys.readouterr().out

        first, second = json.loads(run("candidates", "list", "--json"))
        assert (first["question"], second["verdict"]) == (WIDTH, "wrong")
        assert "wrong" in run("candidates", "list")
        assert "gold question" in run("candidates", "keep", first["id"], "--question", "How wide at most?")
        assert [one["question"] for one in json.loads(run("gold", "list", "--json"))] == ["How wide at most?"]
        assert call(["eval", "candidates", "keep", second["id"], "--kb", "cli-candidates", "--url", url]) == 1
        assert "call it negative" in capsys.readouterr().err
        assert "Rejected" in run("candidates", "reject", second["id"])
        assert "No candidate is left" in run("candidates", "list")
    client.delete(f"/v1/threads/{thread}")
