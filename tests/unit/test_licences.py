import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
NAME = re.compile(r"^[A-Za-z0-9-]+")


def direct_dependencies() -> set[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"]["local"]]
    return {match.group().lower() for spec in wanted if (match := NAME.match(spec))}


def test_every_direct_dependency_is_on_the_page_of_licences() -> None:
    page = (ROOT / "docs" / "licences.md").read_text()
    named = set(re.findall(r"[a-z0-9-]+", "\n".join(re.findall(r"^\| ([^|]+) \|", page, re.MULTILINE))))
    assert direct_dependencies() - named == set()


def test_every_direct_dependency_is_locked() -> None:
    locked = set(re.findall(r"^([a-z0-9-]+)==", (ROOT / "requirements.lock").read_text(), re.MULTILINE))
    assert direct_dependencies() - locked == set()
