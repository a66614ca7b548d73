"""`autri thread`: against a server, as everything else of the CLI."""

import json
from dataclasses import replace

import pytest
from fastapi import FastAPI

from functions.api.app import create_app
from functions.api.identity import development_identity
from functions.cli.main import call
from shared.domain.scope import Identity
from shared.runtime import Runtime
from tests.adapters.chat_server import running_chat
from tests.api.conftest import Client
from tests.api.test_threads import RULE, WIDTH, begin
from tests.live import serving
from tests.store.seeding import add_base, add_document
from tests.store.test_written_answers import answering, saying


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
        assert call(["thread", "show", "last", "--url", url]) == 1
        assert "no conversation last" in capsys.readouterr().err
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


def test_a_question_is_answered_once_more_and_judged(
    runtime: Runtime, identity: Identity, capsys: pytest.CaptureFixture[str]
) -> None:
    scope = add_base(runtime, identity, "cli-again")
    add_document(runtime, scope, "Kestrel rules", [RULE], embedder=runtime.embedder)
    with running_chat() as chat, answering(runtime, chat) as found:
        chat.mind = saying(("A rear wing may be 1050 mm wide.", "1050 mm"))
        model = found.answerer
        assert model is not None
        several = replace(runtime, load_further_answerers=lambda: [model])
        app = create_app(several, development_identity(several), local=True)
        thread = begin(Client(app), scope.knowledge_base_ids[0], WIDTH, "Who won the cup?", title="Again")
        with serving(app) as url:

            def run(*arguments: str, code: int = 0) -> str:
                assert call(["thread", *arguments, "--url", url]) == code
                said = capsys.readouterr()
                return said.err if code else said.out

            assert run("models").splitlines() == ["quotations (the usual one)", model.name]
            assert "answered by" not in run("show", "Again")
            again = run("regenerate", "Again", "--question", "1", "--model", model.name)
            assert "answered by quotations" in again
            assert f"answered by {model.name}" in again
            last = json.loads(run("regenerate", "Again", "--json"))
            assert (last["question"], len(last["answers"]), last["thread_id"]) == ("Who won the cup?", 2, thread)
            assert "These may answer: quotations" in run("regenerate", "Again", "--model", "nobody's", code=1)
            assert "There are 2 questions" in run("regenerate", "Again", "--question", "3", code=1)
            said = run("feedback", "Again", "wrong", "--note", "Not [/b] that", "--question", "1", "--answer", "1")
            assert f"Said of the answer to “{WIDTH}”: wrong" in said
            kept = json.loads(run("feedback", "Again", "right", "--question", "1", "--json"))
            answers = json.loads(run("show", "Again", "--json"))["messages"][0]["answers"]
            assert (kept["verdict"], kept["thread_id"], kept["answer_id"]) == ("right", thread, answers[-1]["id"])
            shown = run("show", "Again")
            assert shown.index("you said: wrong (Not [/b] that)") < shown.index("you said: right")
            assert shown.index("you said: right") < shown.index("2 ? Who won the cup?")
            assert "Withdrawn" in run("feedback", "Again", "none", "--question", "1", "--answer", "1")
            assert "you said: wrong" not in run("show", "Again")
            assert "There are 2 answers" in run("feedback", "Again", "right", "--answer", "3", code=1)
            run("delete", "Again", "--yes")


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
