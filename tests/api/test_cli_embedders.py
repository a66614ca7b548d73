"""Other embedders from the command line: compared, changed to, looked at by doctor; errors leave all as it was."""

import json
from collections.abc import Generator
from pathlib import Path

import pytest

from tests.adapters.embedding_server import KEY, EmbeddingServer, running_embeddings
from tests.adapters.onnx_folders import make_folder
from tests.api.conftest import Outcome, Run
from tests.api.files import three_pages

SMALL = "openai:text-embedding-3-small/256"


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Generator[EmbeddingServer]:
    with running_embeddings() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        yield server


@pytest.fixture
def filled(run: Run, tmp_path: Path) -> str:
    name = tmp_path.name.replace("_", "-").lower()
    (tmp_path / "parts.pdf").write_bytes(three_pages("wing"))
    run("kb", "create", name, "--json")
    assert run("ingest", str(tmp_path / "parts.pdf"), "--kb", name).code == 0
    return name


def gold(folder: Path) -> str:
    row = {"question": "wing", "document": "parts.pdf", "page": 1}
    (folder / "gold.jsonl").write_text(json.dumps(row) + "\n")
    return str(folder / "gold.jsonl")


def embedder_check(outcome: Outcome) -> dict[str, str]:
    return next(check for check in outcome.json["checks"] if check["name"] == "embedder")


def test_a_folder_and_a_service_are_compared_with_what_serves(
    run: Run, filled: str, service: EmbeddingServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AUTRI_EMBEDDER_USD_PER_MILLION", "1000000")
    for name in (f"onnx:{make_folder(tmp_path / 'tiny')}", SMALL):
        found = run("embedder", "compare", gold(tmp_path), "--kb", filled, "--with", name, "--json").json
        assert found["questions"] == 1
        assert found["serving"]["version"].startswith("all-minilm")
        assert found["other"]["version"].startswith(name.split(":")[0])
        assert {score["index"] for score in found["other"]["scores"]} == {"vector", "hybrid"}
    passages = [text for body in service.asked for text in body["input"] if text != "wing"]
    assert (found["texts"], found["other"]["usd"]) == (len(passages), sum(len(text.split()) for text in passages))
    shown = run("embedder", "compare", gold(tmp_path), "--kb", filled, "--with", SMALL).out
    assert f"A change embeds {found['texts']} texts" in shown
    assert "Nothing has been changed or stored" in shown
    assert "recall@5" in shown


def test_a_comparison_that_cannot_be_made_says_what_to_do(
    run: Run, filled: str, service: EmbeddingServer, tmp_path: Path
) -> None:
    compare = ("embedder", "compare", gold(tmp_path), "--kb", filled)
    same = run(*compare)
    assert (same.code, "--with onnx:/FOLDER" in same.err) == (1, True)
    assert "There is no folder /nowhere" in run(*compare, "--with", "onnx:/nowhere").err
    assert "is no embedder. Write onnx:" in run(*compare, "--with", "acme").err
    service.key = "another"
    assert "does not accept OPENAI_API_KEY" in run(*compare, "--with", SMALL).err


def test_a_change_that_the_service_refuses_leaves_everything_as_it_was(
    run: Run, filled: str, service: EmbeddingServer
) -> None:
    change = ("embedder", "change", "--kb", filled, "--to", SMALL)
    service.key = "another"
    failed = run(*change)
    assert (failed.code, "does not accept OPENAI_API_KEY" in failed.err) == (1, True)
    assert run("search", "wing", "--kb", filled, "--index", "vector", "--json").json["hits"]
    service.key = KEY
    done = run(*change)
    assert (done.code, f"is searched by {SMALL}" in done.out) == (0, True)
    assert run("search", "wing", "--kb", filled, "--index", "vector", "--json").json["hits"]


def test_doctor_asks_the_embedder_that_is_set(
    run: Run, service: EmbeddingServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "(bundled)" in embedder_check(run("doctor", "--json"))["found"]
    monkeypatch.setenv("AUTRI_EMBEDDER", f"onnx:{make_folder(tmp_path / 'tiny')}")
    assert "answers: 3 dimensions" in embedder_check(run("doctor", "--json"))["found"]
    monkeypatch.setenv("AUTRI_EMBEDDER", SMALL)
    assert "answers: 256 dimensions" in embedder_check(run("doctor", "--json"))["found"]
    service.key = "another"
    refused = run("doctor", "--json")
    assert (refused.code, embedder_check(refused)["ok"]) == (1, False)
    assert "OPENAI_API_KEY" in embedder_check(refused)["remedy"]


def test_a_folder_is_read_only_where_the_environment_names_it(run: Run, filled: str, tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "tiny")
    for version in (f"onnx:{folder}", "onnx:tiny/0123456789ab/3"):
        refused = run("embedder", "change", "--kb", filled, "--to", version)
        assert refused.code == 1
        assert "AUTRI_FORMER_EMBEDDERS=onnx:/FOLDER" in refused.err
        assert "makes" not in refused.err
