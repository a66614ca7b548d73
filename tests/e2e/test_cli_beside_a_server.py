"""Commands beside a running server: they speak to it and open nothing themselves."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from functions.cli.server import FILE, running_server
from shared.contract import Env
from tests.patience import PATIENCE_S
from tests.processes import new_base, serving

LIST = (
    "import sys; from functions.cli.main import call\n"
    "code = call(['kb', 'list', '--json'])\n"
    "print(sorted({'psycopg', 'fastapi', 'numpy', 'uvicorn'} & set(sys.modules)), file=sys.stderr); sys.exit(code)"
)


def list_bases(home: Path) -> tuple[list[str], str]:
    """Names of the knowledge bases, and what was loaded to find them."""
    environment = os.environ | {Env.HOME: str(home)}
    done = subprocess.run([sys.executable, "-c", LIST], env=environment, capture_output=True, text=True, check=True)
    return [one["name"] for one in json.loads(done.stdout)], done.stderr.strip()


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(Env.HOME, str(tmp_path / "home"))
    return tmp_path / "home"


def test_a_command_asks_the_server_while_it_runs_and_the_database_itself_when_it_has_ended(home: Path) -> None:
    assert running_server() is None
    with serving(home) as (process, client):
        new_base(client, "Beside")
        assert running_server() == str(client.base_url).removesuffix("/v1/")
        assert list_bases(home) == (["Beside"], "[]")
        process.terminate()
        process.wait(PATIENCE_S)
    assert not (home / FILE).exists()
    names, loaded = list_bases(home)
    assert (names, "psycopg" in loaded) == (["Beside"], True)


def test_a_server_that_was_killed_is_not_asked(home: Path) -> None:
    with serving(home) as (process, client):
        new_base(client, "Left")
        process.kill()
        process.wait()
        assert (home / FILE).exists()
        assert running_server() is None
    assert list_bases(home)[0] == ["Left"]


@pytest.mark.parametrize(
    "said", ["", "[]", "{}", '{"url": 3, "process": "x"}', '{"url": "http://", "process": "h:1:1"}']
)
def test_what_is_no_announcement_is_none(home: Path, said: str) -> None:
    home.mkdir()
    (home / FILE).write_text(said)
    assert running_server() is None
