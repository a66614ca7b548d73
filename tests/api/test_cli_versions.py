import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from functions.cli.main import call
from tests.api.files import three_pages

Run = Callable[..., tuple[int, str]]


@pytest.fixture(scope="module")
def home(test_home: Path) -> Path:
    folder = test_home / "cli-versions"
    folder.mkdir()
    (test_home / "models").mkdir(exist_ok=True)
    (folder / "models").symlink_to(test_home / "models")
    return folder


@pytest.fixture
def run(home: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    """Runs a command line in this process, on this machine's data; the exit code and what it printed."""
    monkeypatch.setenv("AUTRI_HOME", str(home))
    monkeypatch.setenv("COLUMNS", "200")

    def run_line(*arguments: str) -> tuple[int, str]:
        capfd.readouterr()
        code = call([str(part) for part in arguments])
        return code, capfd.readouterr().out

    return run_line


def read(outcome: tuple[int, str]) -> Any:
    assert outcome[0] == 0
    return json.loads(outcome[1])


def test_versions_are_suggested_linked_compared_renamed_and_taken_apart(run: Run, tmp_path: Path) -> None:
    for year, word in ((2025, "wing"), (2026, "fin")):
        (tmp_path / f"rules {year}.pdf").write_bytes(three_pages(word))
        assert run("kb", "create", "rules")[0] in (0, 1)
        assert run("ingest", str(tmp_path / f"rules {year}.pdf"), "--kb", "rules")[0] == 0
    (found,) = read(run("versions", "suggestions", "--kb", "rules", "--json"))
    assert found["label"] == "2026"
    assert "rules 2026.pdf" in run("versions", "suggestions", "--kb", "rules")[1]
    done = read(run("versions", "accept", found["id"], "--json"))
    assert [item["version"]["label"] for item in done["items"]] == [None, "2026"]
    listed = read(run("versions", "list", "rules 2025.pdf", "--json"))
    assert [item["version"]["is_current"] for item in listed] == [False, True]
    back = read(run("versions", "current", "rules 2025.pdf", "--json"))
    assert [item["version"]["is_current"] for item in back["items"]] == [True, False]
    renamed = read(run("versions", "rename", "rules 2025.pdf", "--label", "old", "--together", "Rules", "--json"))
    assert (renamed["version"]["label"], renamed["version"]["logical_document_name"]) == ("old", "Rules")

    diff = read(run("diff", "rules 2025.pdf", "rules 2026.pdf", "--kb", "rules", "--json"))
    assert diff["summary"]["changed"] == 3
    code, shown = run("diff", "rules 2025.pdf", "rules 2026.pdf", "--kb", "rules")
    assert code == 0
    assert "C1.1" in shown
    assert "3  changed" in shown

    apart = read(run("versions", "unlink", "rules 2026.pdf", "--json"))
    assert apart["logical_document"]["versions"] == 1
    assert run("versions", "unlink", "rules 2026.pdf")[0] == 1
    linked = read(run("versions", "link", "rules 2026.pdf", "--to", "rules 2025.pdf", "--label", "new", "--json"))
    assert [item["version"]["label"] for item in linked["items"]] == ["old", "new"]
    assert "Nothing looks like" in run("versions", "suggestions", "--kb", "rules")[1]
