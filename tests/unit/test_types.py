"""What the type checker and the linter find as they are configured: one mistake per line of a file."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
MISTAKES = Path(__file__).with_name("wrong_types.txt")
MARK = re.compile(r"# <- (\S+)$")
LINTED = re.compile(r"[A-Z]+\d+")
PRIVATE_IMPORTS = ("--preview", "--select", "PLC2701")  # as the Makefile has it
Finding = tuple[int, str]


def expected() -> set[Finding]:
    lines = enumerate(MISTAKES.read_text().splitlines(), 1)
    return {(number, mark[1]) for number, line in lines if (mark := MARK.search(line))}


def answer(*command: str) -> Any:
    done = subprocess.run([sys.executable, "-m", *command], capture_output=True, text=True, cwd=ROOT)
    return json.loads(done.stdout)


@pytest.fixture
def file(tmp_path: Path) -> str:
    copy = tmp_path / "wrong_types.py"
    copy.write_text(MISTAKES.read_text())
    return str(copy)


def test_the_type_checker_names_each_mistake_and_no_other(file: str) -> None:
    options = ("--config", "pyproject.toml", "--output-format", "json", "--python-interpreter-path", sys.executable)
    errors = answer("pyrefly", "check", *options, file)["errors"]
    assert {e["severity"] for e in errors} == {"error"}
    assert {(e["line"], e["name"]) for e in errors} == {
        (line, rule) for line, rule in expected() if not LINTED.fullmatch(rule)
    }


def test_the_linter_names_what_is_left_to_it(file: str) -> None:
    options = ("--config", "pyproject.toml", "--output-format", "json", "--no-cache")
    every = (answer("ruff", "check", *options, *more, file) for more in ((), PRIVATE_IMPORTS))
    named = {(finding["location"]["row"], finding["code"]) for findings in every for finding in findings}
    assert {(line, rule) for line, rule in expected() if LINTED.fullmatch(rule)} - named == set()
