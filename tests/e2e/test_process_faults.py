"""Real processes that are killed, asked to end, and brought back: nothing stays behind, nothing is lost."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from functions.api.app import create_app
from functions.api.identity import development_identity
from functions.local import local_store
from shared.domain.ids import new_id
from shared.store import connect
from tests.api.conftest import Client
from tests.crash import resume
from tests.e2e.test_ingestion import small_pdf
from tests.homes import new_home, share_models
from tests.patience import PATIENCE_S
from tests.pipeline import PRICES, RULES_2026
from tests.processes import (
    GONE_WITHIN_S,
    children_of,
    ended,
    free_port,
    halted,
    is_going,
    kill,
    living,
    maintaining,
    new_base,
    parent_of,
    postmaster,
    send,
    serving,
    start,
    wait_until,
    wait_until_gone,
)

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")


@pytest.fixture
def empty(test_home: Path) -> Path:
    """A folder that nobody has begun in, for models that are built already."""
    folder = test_home / new_id().hex[-8:]
    folder.mkdir()
    share_models(test_home, folder)
    return folder


@pytest.fixture
def home(test_home: Path) -> Path:
    """A new user's data folder, with its database."""
    folder = test_home / new_id().hex[-8:]
    new_home(folder)
    share_models(test_home, folder)
    return folder


def stage_workers(home: Path) -> list[int]:
    return [pid for pid, line in living(home).items() if "multiprocessing.spawn" in line]


def test_a_server_that_is_killed_takes_everything_with_it_whenever_that_happens(empty: Path) -> None:
    home = empty
    process = start(home, "serve", "--port", str(free_port()))
    wait_until(lambda: (home / "postgres.use").exists(), GONE_WITHIN_S)
    process.kill()
    process.communicate()
    wait_until_gone(home)
    with serving(home) as (process, client):
        send(client, RULES_2026, new_base(client, "killed"))
        kill_once_workers_start(home, process, 0.0)
    for after in (0.1, 2.0):
        process = start(home, "serve", "--port", str(free_port()))
        kill_once_workers_start(home, process, after)


def kill_once_workers_start(home: Path, process: subprocess.Popen[str], after: float) -> None:
    wait_until(lambda: stage_workers(home))
    time.sleep(after)
    process.kill()
    process.communicate()
    wait_until_gone(home)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM], ids=lambda number: number.name)
def test_a_server_maintains_in_another_process_which_it_starts_again_and_takes_with_it(
    home: Path, number: signal.Signals
) -> None:
    with serving(home) as (process, client):
        wait_until(lambda: maintaining(home))
        (first,) = maintaining(home)
        kill(first)
        wait_until(lambda: maintaining(home) not in ([], [first]))
        assert client.get("/knowledge-bases").is_success
        process.send_signal(number)
        assert process.wait(timeout=PATIENCE_S) == (-number if number == signal.SIGKILL else 0)
        wait_until_gone(home)


def test_a_killed_database_comes_back_and_the_ingestion_goes_on_to_its_end(home: Path) -> None:
    with serving(home) as (process, client):
        base = new_base(client, "comes back")
        ingestion = send(client, PRICES, base)
        wait_until(lambda: client.get(f"/ingestions/{ingestion}").json()["status"] == "running")
        for _ in range(2):
            kill(postmaster(home))
            wait_until(lambda: client.get("/knowledge-bases").is_success, GONE_WITHIN_S)
        keeper = next(pid for pid, line in living(home).items() if "postgres_keeper" in line)
        kill(keeper)
        wait_until(lambda: any("postgres_keeper" in line for pid, line in living(home).items() if pid != keeper))
        assert ended(client, ingestion)["status"] == "ready"
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=PATIENCE_S) == 0
        wait_until_gone(home)


def test_requests_are_told_to_come_again_for_as_long_as_there_is_no_database(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connect, "CONNECT_TIMEOUT_S", 2)
    with local_store(home) as system:
        client = Client(create_app(system.runtime, development_identity(system.runtime), local=True))
        assert client.get("/v1/knowledge-bases").status_code == 200
        killed = postmaster(home)
        sessions = children_of(killed)
        assert sessions
        with halted(parent_of(killed)):
            kill(killed)
            # They see on their own that it is gone, and answer until then.
            wait_until(lambda: not any(map(is_going, sessions)))
            for _ in range(2):
                refused = client.get("/v1/knowledge-bases")
                assert refused.status_code == 503
                assert refused.headers["content-type"] == "application/problem+json"
                assert int(refused.headers["retry-after"]) > 0
        wait_until(lambda: client.get("/v1/knowledge-bases").status_code == 200, GONE_WITHIN_S)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP], ids=lambda number: number.name)
def test_an_ingestion_that_is_asked_to_end_says_so_leaves_nothing_and_is_resumed(
    home: Path, number: signal.Signals
) -> None:
    """One home each: workers that resume another file would run before this one was sent."""
    run(home, "kb", "create", "stopped")
    small = home / "small.pdf"
    small.write_bytes(small_pdf("stopped"))
    process = start(home, "ingest", str(small), "--kb", "stopped")
    wait_until(lambda: stage_workers(home))
    process.send_signal(number)
    _, said = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 128 + signal.SIGTERM
    assert "resumes with the next run" in said
    wait_until_gone(home)
    assert resume(home) != []


def run(home: Path, *arguments: str) -> str:
    process = start(home, *arguments)
    out, said = process.communicate(timeout=PATIENCE_S)
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
    wait_until(lambda: not Path(f"/proc/{old}").exists(), GONE_WITHIN_S)


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
