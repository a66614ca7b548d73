"""Traces on the command line, and tables that stay readable through a pipe."""

import json
from collections.abc import Callable, Iterator

import pytest
from fastapi import FastAPI

from functions.cli.main import call
from functions.cli.output import shorten
from shared.domain.scope import Identity
from shared.library.knowledge_bases import NewKnowledgeBase, create_knowledge_base
from shared.runtime import Runtime
from tests.live import serving
from tests.store.seeding import Passage, add_base, add_document

Run = Callable[..., str]
PIPED_MAX = 260


@pytest.fixture(scope="module")
def server(app: FastAPI) -> Iterator[str]:
    with serving(app) as url:
        yield url


@pytest.fixture(scope="module")
def pumps(runtime: Runtime, identity: Identity) -> str:
    scope = add_base(runtime, identity, "pumps")
    passages = [Passage(f"The pump number {i} delivers {i} litres.") for i in range(6)]
    add_document(runtime, scope, "Pumps", passages, embedder=runtime.embedder)
    return "pumps"


@pytest.fixture
def run(server: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    monkeypatch.setenv("AUTRI_URL", server)

    def run_line(*arguments: str) -> str:
        capfd.readouterr()
        assert call(list(arguments)) == 0
        return capfd.readouterr().out

    return run_line


def test_traces_are_listed_and_shown(run: Run, pumps: str) -> None:
    found = json.loads(run("search", "pump 3", "--kb", pumps, "-k", "2", "--json"))
    listed = json.loads(run("traces", "list", "--kb", pumps, "--json"))
    assert (listed[0]["id"], listed[0]["query"], listed[0]["hits"]) == (found["trace_id"], "pump 3", 2)
    assert found["trace_id"] in run("traces", "list", "--operator", "search")
    shown = run("traces", "show", found["trace_id"])
    assert "below k" in shown
    assert "vector search" in shown
    assert found["hits"][0]["document"]["name"] in shown
    assert json.loads(run("traces", "show", found["trace_id"], "--json"))["id"] == found["trace_id"]


def test_a_threshold_is_given_on_the_command_line(run: Run, pumps: str) -> None:
    arguments = ("search", "pump 3", "--kb", pumps, "--index", "vector", "--json", "--min-score")
    assert json.loads(run(*arguments, "1.01"))["hits"] == []
    assert json.loads(run(*arguments, "-1"))["hits"]


def test_a_long_description_does_not_make_a_table_too_wide(run: Run, runtime: Runtime, identity: Identity) -> None:
    create_knowledge_base(runtime, identity, NewKnowledgeBase(name="wordy", description="word " * 300))
    assert max(map(len, run("kb", "list").splitlines())) < PIPED_MAX


def test_a_refusal_to_answer_stands_in_a_box_of_readable_width(run: Run, pumps: str) -> None:
    out = run("ask", "Who won the zither contest of Quxville?", "--kb", pumps)
    assert "nothing answers" in out
    assert "no passage names Quxville." in out
    assert out.count("nearest: ") == 3
    assert max(map(len, out.splitlines())) <= 100


def test_text_is_shortened_to_one_line() -> None:
    assert shorten("a\n b", 10) == "a b"
    assert shorten("abcdef", 4) == "abc…"


def test_how_long_traces_are_kept_is_said_and_set(run: Run) -> None:
    assert "kept for 30 days" in run("traces", "keep")
    assert json.loads(run("traces", "keep", "7", "--json"))["trace_days"] == 7
    assert "kept for 7 days" in run("traces", "keep")
