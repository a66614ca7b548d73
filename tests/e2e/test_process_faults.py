"""Real processes that are killed, asked to end, and brought back: nothing stays behind, nothing is lost."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from shared.domain.ids import new_id
from tests.pipeline import PRICES, RULES_2026
from tests.processes import ended, free_port, kill, living, new_base, send, serving, start, wait_until, wait_until_gone

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")


@pytest.fixture
def home(test_home: Path) -> Path:
    """A data folder that shares the built models."""
    folder = test_home / new_id().hex[-8:]
    folder.mkdir()
    models = test_home / "models"
    models.mkdir(exist_ok=True)
    (folder / "models").symlink_to(models)
    return folder


def postmaster(home: Path) -> int:
    return int((home / "postgres" / "postmaster.pid").read_text().split()[0])


def stage_workers(home: Path) -> list[int]:
    return [pid for pid, line in living(home).items() if "multiprocessing.spawn" in line]


@pytest.mark.parametrize("moment", ["starting", "workers start", "working"])
def test_a_server_that_is_killed_takes_everything_with_it(home: Path, moment: str) -> None:
    if moment == "starting":
        process = start(home, "serve", "--port", str(free_port()))
        wait_until(lambda: (home / "postgres.use").exists())
        process.kill()
        process.communicate()
    else:
        with serving(home) as (process, client):
            send(client, RULES_2026, new_base(client, "killed"))
            wait_until(lambda: stage_workers(home))
            time.sleep(0.0 if moment == "workers start" else 3.0)
            process.kill()
    wait_until_gone(home)


def test_a_killed_database_comes_back_and_the_ingestion_goes_on_to_its_end(home: Path) -> None:
    with serving(home) as (process, client):
        base = new_base(client, "comes back")
        ingestion = send(client, PRICES, base)
        wait_until(lambda: client.get(f"/ingestions/{ingestion}").json()["status"] == "running")
        answers = []
        for _ in range(2):
            kill(postmaster(home))
            for _ in range(10):
                answers.append(client.get("/knowledge-bases"))
                time.sleep(0.05)
        assert {answer.status_code for answer in answers} <= {200, 503}
        assert answers[-1].status_code == 200
        for answer in answers:
            if answer.status_code == 503:
                assert answer.headers["content-type"] == "application/problem+json"
                assert int(answer.headers["retry-after"]) > 0
        keeper = next(pid for pid, line in living(home).items() if "postgres_keeper" in line)
        kill(keeper)
        wait_until(lambda: any("postgres_keeper" in line for pid, line in living(home).items() if pid != keeper))
        assert ended(client, ingestion)["status"] == "ready"
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=60) == 0
        assert living(home) == {}


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_an_ingestion_that_is_asked_to_end_says_so_leaves_nothing_and_is_resumed(
    home: Path, number: signal.Signals
) -> None:
    run(home, "kb", "create", "stopped")
    process = start(home, "ingest", str(RULES_2026), "--kb", "stopped")
    wait_until(lambda: stage_workers(home))
    time.sleep(1)
    process.send_signal(number)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 128 + signal.SIGTERM
    assert "resumes with the next run" in said
    assert living(home) == {}
    done = run(home, "ingest", str(PRICES), "--kb", "stopped", "--json")
    assert json.loads(done)["status"] == "ready"
    assert living(home) == {}


def run(home: Path, *arguments: str) -> str:
    process = start(home, *arguments)
    out, said = process.communicate(timeout=300)
    assert process.returncode == 0, said
    return out


def test_the_next_user_of_a_database_whose_keeper_was_killed_starts_it_anew(home: Path) -> None:
    holder = subprocess.Popen([sys.executable, "-c", HOLDER, str(home)], stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None
    keeper = int(holder.stdout.readline())
    old = postmaster(home)
    holder.kill()
    kill(keeper)
    holder.communicate()
    run(home, "migrate")
    wait_until(lambda: not Path(f"/proc/{old}").exists(), 15)


HOLDER = """
import sys, time
from pathlib import Path
from shared.adapters.local.postgres import EmbeddedPostgres
home = Path(sys.argv[1])
with EmbeddedPostgres(home / "postgres"):
    pid = (home / "postgres" / "postmaster.pid").read_text().split()[0]
    print(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1], flush=True)
    time.sleep(600)
"""
