"""How fast archives are written and read: `python -m tests.bench.archive [PDF…]`, by default our samples.

Ingests the files into a temporary folder with a durable Postgres, exports the knowledge base, deletes it and imports
it, RUNS times. Says chunks and megabytes, and for both ways the best seconds and chunks a second: a run on AWS has 900
seconds (`shared/contract.py`).
"""

import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from uuid import UUID

from functions.local import System, local_store
from shared.archive.exporting import export_knowledge_base
from shared.archive.importing import import_archive
from shared.contract import EXPORT_LIMIT_S
from tests.erasing import erase_base
from tests.pipeline import make_knowledge_base, run_all, upload

RUNS = 3
SAMPLES = Path(__file__).parents[2] / "samples"


def main(files: list[Path]) -> None:
    with tempfile.TemporaryDirectory() as folder, local_store(Path(folder)) as system:
        base, target = _ingest(system, files), Path(folder) / "archive.zip"
        times: dict[str, list[float]] = {"export": [], "import": []}
        for _ in range(RUNS):
            target.unlink(missing_ok=True)
            times["export"].append(_timed(lambda: export_knowledge_base(system.runtime, system.identity, base, target)))
            erase_base(system.runtime, system.identity, base)
            times["import"].append(_timed(lambda: import_archive(system.runtime, system.identity, target, None)))
        with system.runtime.database.transaction(system.identity.scope(base)) as connection:
            row = connection.execute(
                "select count(*) as chunks, count(distinct document_id) as n from chunks"
            ).fetchone()
        assert row is not None
        megabytes = target.stat().st_size / 1024**2
        print(f"{row['n']} documents, {row['chunks']} chunks, {megabytes:.1f} MB; load {os.getloadavg()[0]:.1f}")
        for name, seconds in times.items():
            rate = row["chunks"] / min(seconds)
            print(
                f"{name}: {min(seconds):.2f} s ({', '.join(f'{one:.2f}' for one in seconds)}), {rate:,.0f} chunks/s,"
                f" {megabytes / min(seconds):.1f} MB/s; in {EXPORT_LIMIT_S} s {rate * EXPORT_LIMIT_S:,.0f} chunks"
            )


def _ingest(system: System, files: list[Path]) -> UUID:
    base = make_knowledge_base(system.runtime, system.identity, "Moved")
    for file in files:
        run_all(system.runtime, upload(system.runtime, system.identity, base, file.read_bytes(), file.name))
    return base


def _timed(act: Callable[[], object]) -> float:
    started = time.perf_counter()
    act()
    return time.perf_counter() - started


if __name__ == "__main__":
    main([Path(name) for name in sys.argv[1:]] or sorted(SAMPLES.glob("*.pdf")))
