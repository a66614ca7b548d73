"""Real `autri` processes on a data folder, and who of them still lives."""

import hashlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx

from tests.homes import new_home
from tests.patience import PATIENCE_S

# What ends by itself and not by its own last resort, on a machine that is busy.
GONE_WITHIN_S = 60
OPEN = {"waiting", "queued", "running"}
# As people start it: a pool's workers import this script again before they begin.
SCRIPT = Path(sys.executable).with_name("autri")


def start(home: Path, *arguments: str) -> subprocess.Popen[str]:
    """`autri ARGUMENTS` on `home`. Under `nohup` it would ignore SIGHUP, rightly, so that is taken from it."""
    return subprocess.Popen(
        ["env", "--default-signal=HUP,INT", str(SCRIPT), *arguments],
        env={**os.environ, "AUTRI_HOME": str(home), "PYTHONPATH": str(Path(__file__).parent.parent)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def living(home: Path) -> dict[int, str]:
    """Command lines of all processes that were started for `home`, by their ids: the environment is inherited."""
    mark = f"AUTRI_HOME={home}\0".encode()
    found: dict[int, str] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if mark in (folder / "environ").read_bytes() + b"\0":
                found[int(folder.name)] = (folder / "cmdline").read_text().replace("\0", " ")[:120]
        except OSError:
            continue  # gone meanwhile
    return found


def wait_until(true: Callable[[], object], seconds: float = PATIENCE_S) -> float:
    """The seconds it took."""
    started = time.monotonic()
    while not true():
        assert time.monotonic() - started < seconds, "it did not happen in time"
        time.sleep(0.05)
    return time.monotonic() - started


def wait_until_gone(home: Path) -> float:
    try:
        return wait_until(lambda: not living(home), GONE_WITHIN_S)
    except AssertionError:
        raise AssertionError(f"still alive: {living(home)}") from None


@contextmanager
def serving(home: Path) -> Generator[tuple[subprocess.Popen[str], httpx.Client]]:
    """A server without samples, once it answers; killed at the end if it lives still. Where there is no home, it has a
    new user's."""
    if not home.exists():
        new_home(home)
    (home / "samples-built").touch()
    port = free_port()
    with start(home, "serve", "--port", str(port)) as process:
        try:
            with httpx.Client(base_url=f"http://127.0.0.1:{port}/v1", timeout=60) as client:
                wait_until(lambda: _answers(client, process))
                yield process, client
        finally:
            process.kill()


def send(client: httpx.Client, file: Path, knowledge_base: str) -> str:
    """Upload a file; the id of its ingestion."""
    data = file.read_bytes()
    announced = {
        "knowledge_base_id": knowledge_base,
        "filename": file.name,
        "size": len(data),
        "sha256": hashlib.sha256(data).hexdigest(),
    }
    ticket = client.post("/uploads", json=announced).raise_for_status().json()
    client.put(f"/uploads/{ticket['upload_id']}/content", content=data).raise_for_status()
    return str(ticket["upload_id"])


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


def new_base(client: httpx.Client, name: str) -> str:
    made = client.post("/knowledge-bases", json={"name": name, "description": "for tests"}).raise_for_status()
    return str(made.json()["id"])


def ended(client: httpx.Client, ingestion: str) -> dict[str, Any]:
    """The ingestion once it runs no more; a server that does not answer meanwhile is asked again."""
    found: dict[str, Any] = {}

    def look() -> bool:
        answer = client.get(f"/ingestions/{ingestion}")
        found.update(answer.json() if answer.is_success else {})
        return bool(found) and found["status"] not in OPEN

    wait_until(look)
    return found


@contextmanager
def halted(pid: int) -> Generator[None]:
    """The process does nothing meanwhile."""
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        # One that was killed meanwhile may be gone.
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGCONT)


def postmaster(home: Path) -> int:
    """The process of the embedded database's server."""
    return int((home / "postgres" / "postmaster.pid").read_text().split()[0])


def parent_of(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def children_of(pid: int) -> list[int]:
    """Of all its threads."""
    lists = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(child) for file in lists for child in file.read_text().split()]


def is_going(pid: int) -> bool:
    """Whether it still does anything: one that nobody has taken leave of yet does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def maintaining(home: Path) -> list[int]:
    """The processes that maintain `home` for its server."""
    return [pid for pid, line in living(home).items() if "functions.maintenance_process" in line and is_going(pid)]


def kill(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)


def _answers(client: httpx.Client, process: subprocess.Popen[str]) -> bool:
    assert process.poll() is None, process.stderr.read() if process.stderr else ""
    try:
        return client.get("/health").is_success
    except httpx.TransportError:
        return False
