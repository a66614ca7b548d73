"""`autri note` and `autri record`, against a server."""

import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from fastapi import FastAPI

from functions.cli.main import call
from shared.domain.scope import Identity
from shared.runtime import Runtime
from tests.live import serving
from tests.pipeline import make_knowledge_base

Said = Callable[..., str]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(scope="module", autouse=True)
def base(runtime: Runtime, identity: Identity) -> None:
    make_knowledge_base(runtime, identity, "posting")


@pytest.fixture
def run(app: FastAPI, capsys: pytest.CaptureFixture[str]) -> Iterator[Said]:
    with serving(app) as url:

        def said(*arguments: str) -> str:
            assert call([*arguments, "--url", url]) == 0
            return capsys.readouterr().out

        yield said


def test_a_note_is_written_listed_shown_and_revised(run: Said) -> None:
    made = json.loads(run("note", "add", "The", "hatch", "sticks.", "--kb", "posting", "--tag", "hatch", "--json"))
    assert (made["text"], made["type"], made["tags"]) == ("The hatch sticks.", "prose", ["hatch"])
    again = json.loads(run("note", "add", "The hatch is oiled.", "--kb", "posting", "--revises", made["id"], "--json"))
    assert (again["revision"], again["title"]) == (2, "The hatch sticks.")
    assert [one["id"] for one in json.loads(run("note", "list", "--kb", "posting", "--json"))] == [again["id"]]
    assert "The hatch is oiled." in run("note", "show", again["id"])


def test_a_note_is_edited_and_what_it_was_stays(run: Said, monkeypatch: pytest.MonkeyPatch) -> None:
    add = ("note", "add", "Lift: 3 t", "--type", "reference", "--tag", "lift", "--title", "Lift", "--kb", "posting")
    made = json.loads(run(*add, "--json"))
    told = run("note", "edit", "Lift", "Lift:", "4 t", "--kb", "posting")
    assert "revision 2" in told
    again = json.loads(run("note", "show", "Lift", "--kb", "posting", "--json"))
    assert (again["text"], again["type"], again["tags"], again["revision"]) == ("Lift: 4 t", "reference", ["lift"], 2)
    monkeypatch.setattr("sys.stdin", io.StringIO("Lift: 5 t"))
    assert json.loads(run("note", "edit", again["id"], "--json"))["text"] == "Lift: 5 t"
    named = json.loads(run("note", "edit", "Lift", "--title", "Hoist", "--tag", "hoist", "--kb", "posting", "--json"))
    assert (named["text"], named["title"], named["tags"]) == ("Lift: 5 t", "Hoist", ["hoist"])
    assert "Called Crane now." in run("note", "edit", "Hoist", "--title", "Crane", "--kb", "posting")
    crane = json.loads(run("note", "show", "Crane", "--kb", "posting", "--json"))
    assert (crane["id"], crane["title"]) == (named["id"], "Crane")
    assert "Lift: 3 t" in run("note", "show", made["id"])


def test_an_editor_is_opened_on_a_terminal(run: Said, monkeypatch: pytest.MonkeyPatch) -> None:
    made = json.loads(run("note", "add", "The crane squeaks.", "--kb", "posting", "--json"))
    monkeypatch.setattr("sys.stdin", Terminal())
    monkeypatch.setattr("click.edit", lambda text, extension: f"{text} Oil it." if extension == ".md" else None)
    assert json.loads(run("note", "edit", made["id"], "--json"))["text"] == "The crane squeaks. Oil it."
    monkeypatch.setattr("click.edit", lambda text, extension: text)
    with pytest.raises(AssertionError):
        run("note", "edit", made["title"], "--kb", "posting")


def test_a_note_is_deleted_with_its_revisions(run: Said) -> None:
    made = json.loads(run("note", "add", "The door jams.", "--kb", "posting", "--json"))
    run("note", "edit", made["id"], "The door is planed.")
    with pytest.raises(AssertionError):
        run("note", "delete", "The door jams.", "--kb", "posting")
    assert "The door jams." in run("note", "list", "--kb", "posting")
    gone = json.loads(run("note", "delete", "The door jams.", "--kb", "posting", "--yes", "--json"))
    assert gone["revisions"] == 2
    assert "The door jams." not in run("note", "list", "--kb", "posting")
    assert "door" not in run("documents", "list", "--kb", "posting")


def test_a_kind_is_declared_and_records_are_posted_from_lines(run: Said, tmp_path: Path) -> None:
    schema = {"type": "object", "properties": {"part": {"type": "string"}, "mass": {"type": "number"}}}
    (tmp_path / "schema.json").write_text(json.dumps(schema))
    (tmp_path / "parts.jsonl").write_text('{"part": "A1", "mass": 4}\n{"part": "A2", "mass": 5}\n')
    files = [str(tmp_path / name) for name in ("schema.json", "parts.jsonl")]
    declared = json.loads(
        run("record", "declare", "part", files[0], "--kb", "posting", "--key-field", "part", "--json")
    )
    assert (declared["name"], declared["revision"]) == ("part", 1)
    assert "2 records stored, 0 there already." in run("record", "add", "part", files[1], "--kb", "posting")
    assert "0 records stored, 2 there already." in run("record", "add", "part", files[1], "--kb", "posting")
    assert [one["name"] for one in json.loads(run("record", "kinds", "--kb", "posting", "--json"))] == ["part"]
