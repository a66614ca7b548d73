"""The files that CONTRIBUTING.md names are there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
FILES = sorted(set(re.findall(r"`((?:[\w.-]+/)*[\w-]+\.(?:py|sql|lark|toml|md)|(?:[\w.-]+/)+)`", TEXT)))
FOLDERS = ("shared", "functions", "stacks", "tests", "docs", "deployments")
ALL = {
    f"/{path.relative_to(ROOT).as_posix()}{'/' if path.is_dir() else ''}"
    for folder in FOLDERS
    for path in [ROOT / folder, *(ROOT / folder).rglob("*")]
}


@pytest.mark.parametrize("named", FILES)
def test_what_it_names_is_there(named: str) -> None:
    assert any(path.endswith(f"/{named}") for path in ALL)


def test_it_names_many() -> None:
    assert len(FILES) > 50
