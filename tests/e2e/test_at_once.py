"""`autri ingest` of one file by several real processes at once, some of which are killed, over one data folder."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from functions.local import local_store
from shared.contract import Env
from shared.library.documents import list_documents
from shared.library.knowledge_bases import list_knowledge_bases
from shared.maintenance import look_at_storage
from tests.e2e.test_ingestion import small_pdf
from tests.homes import new_home, share_models
from tests.patience import PATIENCE_S

COMMAND = (sys.executable, "-c", "from functions.cli.main import run; run()")
NOW = timedelta(0)


@pytest.fixture
def home(test_home: Path, request: pytest.FixtureRequest) -> Path:
    """A data folder of its own that shares the built models."""
    made = test_home / f"o{abs(hash(request.node.name)) % 10_000}"
    new_home(made)
    share_models(test_home, made)
    autri(made, "kb", "create", "Once", "--description", "for tests")
    (made / "once.pdf").write_bytes(small_pdf("once"))
    return made


def start(home: Path, *arguments: str) -> "subprocess.Popen[str]":
    environment = {**os.environ, Env.HOME: str(home)}
    return subprocess.Popen(
        [*COMMAND, *arguments, "--json"],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def autri(home: Path, *arguments: str) -> Any:
    """The JSON that a command prints that ends well."""
    process = start(home, *arguments)
    out, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, (arguments, out, err)
    return json.loads(out)


def ingest(home: Path) -> "subprocess.Popen[str]":
    return start(home, "ingest", str(home / "once.pdf"), "--kb", "once", "--workers", "1")


def ended(processes: Sequence["subprocess.Popen[str]"]) -> list[dict[str, Any]]:
    """The line of each process; raises where one fails or does not end."""
    lines: list[dict[str, Any]] = []
    for process in processes:
        out, err = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 0, (out, err)
        lines.append(json.loads(out))
    return lines


def assert_one_ready_document(home: Path, lines: Sequence[dict[str, Any]]) -> None:
    assert {line["status"] for line in lines} == {"ready"}
    assert len({line["document_id"] for line in lines}) == 1
    with local_store(home) as system:
        (base,) = list_knowledge_bases(system.runtime, system.identity)
        (document,) = list_documents(system.runtime, system.identity, base.id)
        assert (str(document.id), document.status, document.chunks) == (lines[0]["document_id"], "ready", 6)
        stored = look_at_storage(system.runtime, system.owner_dsn, NOW)
        assert stored.objects > 10
        # A process that was killed between its ticket's end and the file's leaves the file; nothing else of it.
        assert {orphan.prefix.split("/")[0] for orphan in stored.orphans} <= {"incoming"}
        swept = look_at_storage(system.runtime, system.owner_dsn, NOW, remove=True)
        assert swept.removed == sum(orphan.objects for orphan in stored.orphans)
        assert look_at_storage(system.runtime, system.owner_dsn, NOW).orphans == []


def test_two_processes_at_once_end_with_one_document(home: Path) -> None:
    lines = ended([ingest(home) for _ in range(2)])
    assert sorted(line["duplicate"] for line in lines) == [False, True]
    assert_one_ready_document(home, lines)


def test_three_that_are_killed_leave_a_fourth_that_ends(home: Path) -> None:
    """Killed one after the other as soon as each has sent its file: the processes stay unburied until the end."""
    killed: list[subprocess.Popen[str]] = []
    for number in range(3):
        incoming = home / "blobs" / "incoming"
        known = set(incoming.rglob("source"))
        process = ingest(home)
        deadline = time.monotonic() + PATIENCE_S
        while not set(incoming.rglob("source")) - known:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        time.sleep(0.2 * number)
        os.kill(process.pid, signal.SIGKILL)
        killed.append(process)
    lines = ended([ingest(home)])
    for process in killed:
        with process:
            assert process.wait(PATIENCE_S) == -signal.SIGKILL
    assert_one_ready_document(home, lines)
