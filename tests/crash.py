"""Kills a running ingestion with SIGKILL at random moments and lets the next process resume it.

`python -m tests.crash FILE [TRIALS]` prints what happened as JSON; the e2e suite runs the same on a sample.
"""

import hashlib
import json
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import psycopg

from functions.local import System, local_system
from functions.samples import upload_file
from shared.adapters.local.embedder import load_embedder
from shared.adapters.local.postgres import SUPERUSER, EmbeddedPostgres
from shared.contract import STAGES
from shared.ingestion.uploads import list_ingestions, reingest
from shared.library.knowledge_bases import list_knowledge_bases
from tests.homes import new_home, share_models
from tests.patience import PATIENCE_S
from tests.pipeline import chunk_rows, make_knowledge_base, scope_of

OPEN = {"waiting", "queued", "running"}
# Kills later than this share of an undisturbed run might come after its end.
LATEST_SHARE = 0.6
# A kill that came too late all the same, as the machine had more time than before, is tried anew at half the delay.
TRIES = 4


def ingest(home: Path, file: Path) -> tuple[list[dict[str, Any]], float]:
    """Ingest `file` undisturbed; its chunks with their ids, and the seconds from its registration to the end."""
    with local_system(home) as system:
        upload_file(system.runtime, system.identity, _knowledge_base(system), file)
        started = time.monotonic()
        return _finished(system), time.monotonic() - started


def resume(home: Path) -> list[dict[str, Any]]:
    """Wait for what is unfinished in `home`: nothing asks for it, the runner finds it."""
    with local_system(home) as system:
        return _finished(system)


def reingest_all(home: Path) -> list[dict[str, Any]]:
    """Run the stages again over the one document in `home`; its chunks with their ids."""
    with local_system(home) as system:
        (done,) = list_ingestions(system.runtime, system.identity, _knowledge_base(system))
        assert done.document_id is not None
        reingest(system.runtime, system.identity, done.document_id)
        return _finished(system)


def crash(home: Path, file: Path, delay_s: float) -> bool:
    """Start ingesting `file` in another process and kill it `delay_s` after its upload; whether it still ran."""
    command = [sys.executable, "-m", "tests.crash", "--child", str(home), str(file)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while not (home / "uploaded").exists() and process.poll() is None:
        time.sleep(0.02)
    time.sleep(delay_s)
    running = process.poll() is None
    process.send_signal(signal.SIGKILL)
    process.wait()
    return running


def summary(rows: list[dict[str, Any]]) -> str:
    """A hash of everything about the chunks except their ids."""
    plain = [[row["chunk_type"], row["content"], row["boxes"]] for row in rows]
    return hashlib.sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()


def _knowledge_base(system: System) -> Any:
    known = list_knowledge_bases(system.runtime, system.identity)
    return known[0].id if known else make_knowledge_base(system.runtime, system.identity, "crash")


def _finished(system: System) -> list[dict[str, Any]]:
    knowledge_base = _knowledge_base(system)
    deadline = time.monotonic() + PATIENCE_S
    while any(i.status in OPEN for i in list_ingestions(system.runtime, system.identity, knowledge_base)):
        if time.monotonic() > deadline:
            raise TimeoutError(f"not finished within {PATIENCE_S} s")
        time.sleep(0.1)
    newest = list_ingestions(system.runtime, system.identity, knowledge_base)[0]
    if newest.status != "ready" or newest.document_id is None:
        raise RuntimeError(f"ended {newest.status}: {newest.error}")
    return chunk_rows(system.runtime, scope_of(system.identity, knowledge_base), newest.document_id)


def _child(home: Path, file: Path) -> None:
    with local_system(home) as system:
        upload_file(system.runtime, system.identity, _knowledge_base(system), file)
        (home / "uploaded").touch()
        _finished(system)


def _home(folder: Path, name: str) -> Path:
    """A new user's data folder that shares the built models."""
    home = folder / name
    new_home(home)
    share_models(folder, home)
    return home


def trials(folder: Path, file: Path, count: int) -> dict[str, Any]:
    """`count` ingestions of `file`, each killed once at a random moment, resumed, and run once more."""
    load_embedder(folder / "models")
    undisturbed, seconds = ingest(_home(folder, "undisturbed"), file)
    results: list[dict[str, Any]] = []
    for number in range(count):
        delay = random.uniform(0.0, seconds * LATEST_SHARE)
        for earlier in range(TRIES):
            home = _home(folder, f"trial{number}.{earlier}")
            if running := crash(home, file, delay):
                break
            delay /= 2
        before, resumed = stages(home), resume(home)
        results.append(
            {
                "killed_after_s": round(delay, 2),
                "was_running": running,
                "stages_done": before,
                "same_chunks": summary(resumed) == summary(undisturbed),
                "ids_kept": [row["id"] for row in resumed] == [row["id"] for row in reingest_all(home)],
            }
        )
    return {"file": file.name, "chunks": len(undisturbed), "undisturbed_s": round(seconds, 1), "trials": results}


def stages(home: Path) -> list[str]:
    """The stages that the ingestion in `home` has behind it, read without running anything."""
    with EmbeddedPostgres(home / "postgres") as postgres, psycopg.connect(postgres.dsn(SUPERUSER)) as connection:
        rows = connection.execute(
            "select key from ingestions, jsonb_each(stages) where value ->> 'status' = 'done'"
            " union select distinct stage from ingestion_pages"
        ).fetchall()
    done = {row[0] for row in rows}
    return [stage.name for stage in STAGES if stage.name in done]


def main() -> None:
    if sys.argv[1] == "--child":
        _child(Path(sys.argv[2]), Path(sys.argv[3]))
        return
    with tempfile.TemporaryDirectory(prefix="autri-", ignore_cleanup_errors=True) as folder:
        report = trials(Path(folder), Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 5)
    print(json.dumps(report, indent=2))
    sys.exit(0 if all(t["same_chunks"] and t["ids_kept"] for t in report["trials"]) else 1)


if __name__ == "__main__":
    main()
