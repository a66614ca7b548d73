"""`autri notebook`: against a server, as everything else of the CLI."""

import json
from collections.abc import Callable
from functools import partial
from io import StringIO
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI

from functions.cli.commands.notebook import plain
from functions.cli.main import call
from functions.cli.server import announced
from shared.domain.scope import Identity
from shared.runtime import Runtime
from tests.api.test_summaries import passages, sections
from tests.api.test_threads import RULE
from tests.live import serving
from tests.store.seeding import Passage, add_base, add_document, section

Command = Callable[..., str]


def notebook_commands(capsys: pytest.CaptureFixture[str], kb: str, url: str) -> tuple[Command, Command]:
    """`autri notebook …` on that knowledge base: what it prints, and what it says where it is refused."""

    def called(code: int, *arguments: str) -> str:
        assert call(["notebook", *arguments, "--kb", kb, "--url", url]) == code
        said = capsys.readouterr()
        return said.err if code else said.out

    return partial(called, 0), partial(called, 1)


def test_a_notebook_is_begun_written_shown_shared_and_exported(
    runtime: Runtime, identity: Identity, app: FastAPI, tmp_path: Path, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    scope = add_base(runtime, identity, "cli-notebooks")
    add_document(runtime, scope, "Kestrel [/rules]", [RULE], embedder=runtime.embedder)
    with serving(app) as url:
        run, refused = notebook_commands(capsys, "cli-notebooks", url)
        assert "no notebook yet" in run("list")
        assert "no such notebook" in refused("show")
        assert "has 1 cell," in run("add", "--text", "It is [/b] *wide*.", "--title", "Wings")
        assert call(["search", "wing", "--kb", "cli-notebooks", "--json", "--url", url]) == 0
        found = json.loads(capsys.readouterr().out)["hits"][0]["chunk"]["id"]
        run("add", "Wings", "--chunk", found, "--text", "By the rule.")
        shown = run("show", "Wings")
        for part in ("Wings", "It is [/b] wide.", "By the rule.", "1050 mm", "[1] Kestrel [/rules], version 1, page 1"):
            assert part in shown
        papers = [str(add_document(runtime, scope, name, passages(), sections())) for name in ("One", "Two")]
        assert "no summary of" in refused("add", "--summary", papers[0], "--summary", papers[1])
        for paper in papers:
            assert call(["summary", "make", paper, "--kb", "cli-notebooks", "--url", url]) == 0
        capsys.readouterr()
        begun = run("add", "Wings", *(part for paper in papers for part in ("--summary", paper)))
        assert "has 3 cells," in begun
        assert "Summary of 2 documents" in run("show", "Wings")
        assert [one["act"] for one in json.loads(run("history", "--json"))] == ["add", "add", "add", "create"]
        # Without --url, too, the link leads to the server that was asked.
        monkeypatch.setenv("AUTRI_HOME", str(tmp_path))
        with announced(tmp_path, "127.0.0.1", int(url.rpartition(":")[2])):
            assert call(["notebook", "share", "--kb", "cli-notebooks"]) == 0
        assert f"{url}/shared/" in capsys.readouterr().out
        shared = run("share", "--days", "1")
        assert f"{url}/shared/" in shared
        address, how = shared.splitlines()
        assert httpx.get(f"{url}/v1/shared/{address.rpartition('/')[2]}").status_code == 200
        assert call(["links", "list", "--json", "--url", url]) == 0
        link = json.loads(capsys.readouterr().out)[-1]
        assert (link["title"], link["opened"]) == ("Wings", 1)
        assert how == f"To end it before: autri links revoke {link['id']}"
        assert call(["links", "revoke", link["id"], "--url", url]) == 0
        assert "notebook Wings shows nothing from now on" in capsys.readouterr().out
        assert call(["links", "list", "--url", url]) == 0
        assert "revoked" in capsys.readouterr().out
        assert call(["links", "revoke", "no-such-one", "--url", url]) == 1
        assert "`autri links list`" in capsys.readouterr().err
        for form, begins in (("html", b"<!doctype html>"), ("pdf", b"%PDF"), ("crate", b"PK")):
            run("export", "--form", form, "--to", str(tmp_path / form))
            assert (tmp_path / form).read_bytes().startswith(begins)
        run("export", "--document", "Kestrel [/rules]", "--to", str(tmp_path / "document"))
        assert "1050 mm" in (tmp_path / "document").read_text()
        assert "has 4 cells," in run("add", "Wings", "--summary", "Two")
        assert "There is no dataset Bolts" in refused("add", "Wings", "--dataset", "Bolts")
        assert "There is no plot Bars" in refused("add", "Wings", "--plot", "Bars")
        assert "There is no document `Mine`" in refused("add", "Wings", "--note", "Mine")
        assert "Say what to add" in refused("add")
        assert "no such notebook" in refused("add", "Nobody's", "--text", "x")


def test_the_last_answer_of_a_conversation_is_pinned_by_the_conversation(
    runtime: Runtime, identity: Identity, app: FastAPI, capsys: pytest.CaptureFixture[str]
) -> None:
    add_document(runtime, add_base(runtime, identity, "cli-answers"), "Rules", [RULE], embedder=runtime.embedder)
    with serving(app) as url:
        run, refused = notebook_commands(capsys, "cli-answers", url)
        run("add", "--text", "Wide.", "--title", "Wings")
        assert (
            call(["thread", "ask", "new", "How wide may the rear wing be?", "--kb", "cli-answers", "--url", url]) == 0
        )
        assert call(["thread", "ask", "new", "Is it red?", "--kb", "cli-answers", "--url", url]) == 0
        capsys.readouterr()
        assert call(["thread", "list", "--json", "--url", url]) == 0
        thread = next(one["id"] for one in json.loads(capsys.readouterr().out) if one["title"] != "Is it red?")
        assert call(["thread", "ask", thread, "How high may the rear wing be?", "--url", url]) == 0
        capsys.readouterr()
        pinned = json.loads(run("add", "Wings", "--answer", thread, "--json"))["cells"][-1]
        assert (pinned["kind"], "How high" in pinned["html"]) == ("answer", True)
        assert "no conversation nobody" in refused("add", "Wings", "--answer", "nobody")
        assert "no such answer. Those it has: " in refused("add", "Wings", "--answer", f"{thread}/nothing")


def test_cells_are_moved_and_removed_by_their_numbers_and_a_version_is_restored(
    runtime: Runtime, identity: Identity, app: FastAPI, capsys: pytest.CaptureFixture[str]
) -> None:
    add_base(runtime, identity, "cli-cells")
    with serving(app) as url:
        run, refused = notebook_commands(capsys, "cli-cells", url)

        def texts() -> list[str]:
            return [one["body"]["text"] for one in json.loads(run("show", "--json"))["cells"]]

        for text in ("one", "two", "three"):
            run("add", "--text", text)
        assert "2 markdown" in run("show")
        assert "It is cell 1 now. Notebook has 3 cells, version 5." in run("move", "3", "--before", "1")
        assert texts() == ["three", "one", "two"]
        assert "It is cell 3 now." in run("move", json.loads(run("show", "--json"))["cells"][0]["id"])
        assert texts() == ["one", "two", "three"]
        assert "Notebook has 2 cells, version 7." in run("remove", "2", "Notebook")
        assert texts() == ["one", "three"]
        for wrong in (["move", "1", "--before", "3"], ["move", "0"], ["remove", "3"]):
            assert "`autri notebook show` numbers them" in refused(*wrong)
        assert "It is as in version 5 again. Notebook has 3 cells, version 8." in run("restore", "--to", "5")
        assert texts() == ["three", "one", "two"]
        assert "restore 5" in run("history")
        assert "no version 99" in refused("restore", "--to", "99")


def test_cells_of_a_table_stand_apart_in_a_terminal() -> None:
    head = "<thead><tr><th>Model</th><th>hp</th></tr></thead>"
    table = f"<table>{head}<tbody><tr><td>A&amp;B</td><td>7</td></tr></tbody></table>"
    assert plain(table) == "Model  hp\nA&B  7"


def test_a_passage_is_named_by_its_address_where_a_section_has_just_one(
    runtime: Runtime, identity: Identity, app: FastAPI, capsys: pytest.CaptureFixture[str]
) -> None:
    scope = add_base(runtime, identity, "cli-addresses")
    parts = [section(0, "C7.6", "Wings"), section(1, "C7.7", "Floors")]
    passages_of = [Passage("Wings", section=0, chunk_type="heading"), Passage("A wing is 1,050 mm wide.", section=0),
                   Passage("A floor is flat.", section=1), Passage("A floor is of wood.", section=1)]  # fmt: skip
    rules = str(add_document(runtime, scope, "Rules", passages_of, parts))
    with serving(app) as url:
        run, refused = notebook_commands(capsys, "cli-addresses", url)
        run("add", "--chunk", "C7.6", "--title", "Wings")
        assert "A wing is 1,050 mm wide." in run("show", "Wings")
        several = refused("add", "Wings", "--chunk", "C7.7")
        assert "2 passages stand under C7.7" in several
        assert "A floor is of wood." in several
        assert "There is no passage C9.9" in refused("add", "Wings", "--chunk", "C9.9")
        kb = ["--kb", "cli-addresses", "--url", url]
        assert call(["review", "reject", "--chunk", "C7.6", *kb]) == 0
        assert "1 passage" in capsys.readouterr().out
        assert call(["summary", "make", rules, *kb]) == 0
        add_document(runtime, scope, "Other rules", passages_of[2:3], [section(0, "C1", "Parts"), parts[1]])
        assert (
            call(["summary", "edit", rules, "--field", "results", "--text", "A floor is flat.", "--chunk", "C7.7", *kb])
            == 1
        )
        assert "2 passages stand under C7.7" in capsys.readouterr().err


def test_cells_are_written_anew_and_a_notebook_is_renamed_and_deleted(
    runtime: Runtime, identity: Identity, app: FastAPI, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    scope = add_base(runtime, identity, "cli-words")
    add_document(runtime, scope, "Rules", [RULE], embedder=runtime.embedder)
    add_document(runtime, scope, "Paper", passages(), sections())
    with serving(app) as url:
        run, refused = notebook_commands(capsys, "cli-words", url)
        assert call(["search", "wing", "--kb", "cli-words", "--json", "--url", url]) == 0
        found = json.loads(capsys.readouterr().out)["hits"][0]["chunk"]["id"]
        assert call(["summary", "make", "Paper", "--kb", "cli-words", "--url", url]) == 0
        run("add", "--text", "one", "--title", "Wings")
        run("add", "--chunk", found, "--text", "By the rule.")
        run("add", "--summary", "Paper")
        assert "Cell 1 is written. Wings has 3 cells, version 5." in run("edit", "1", "--text", "It is *wide*.")
        monkeypatch.setattr("sys.stdin", StringIO("By C7.6.2."))
        assert "Cell 2 is written." in run("edit", "2", "Wings")
        cells = json.loads(run("show", "--json"))["cells"]
        assert cells[0]["body"]["text"] == "It is *wide*."
        assert (cells[1]["body"]["chunk_id"], cells[1]["body"]["remark"]) == (found, "By C7.6.2.")
        assert "shows a summary: there are no words" in refused("edit", "3", "--text", "x")
        assert "Wings is called Rear wings now, version 7." in run("rename", "--title", "Rear wings")
        assert "no such notebook" in refused("show", "Wings")
        assert [one["act"] for one in json.loads(run("history", "--json"))][:3] == ["rename", "edit", "edit"]
        run("add", "--text", "kept")
        assert "To delete the notebook Rear wings with 4 cells: add --yes" in refused("delete")
        assert "Rear wings is deleted." in run("delete", "Rear wings", "--yes")
        assert "no notebook yet" in run("list")
