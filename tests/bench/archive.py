"""How fast archives are written and read: `python -m tests.bench.archive [--wait MS] [PDF…]`, by default our samples.

Ingests the files into a temporary folder with a durable Postgres, exports the knowledge base, deletes it and imports
it, RUNS times. Says chunks and megabytes, and for both ways the best seconds and chunks a second: a run on AWS has 900
seconds (`shared/contract.py`). With `--wait` every request to the store takes so many milliseconds longer, as over a
network, and both ways are measured with one request at a time, and with several (`shared.archive.transfers`).
"""

import argparse
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from uuid import UUID

from functions.local import System, local_store
from shared.adapters.local.files import FileBlobStore
from shared.archive import transfers
from shared.archive.exporting import export_knowledge_base
from shared.archive.importing import import_archive
from shared.contract import EXPORT_LIMIT_S
from tests.erasing import erase_base
from tests.pipeline import make_knowledge_base, run_all, upload

RUNS = 3
SAMPLES = Path(__file__).parents[2] / "samples"


class DistantStore(FileBlobStore):
    """One whose requests take `wait` seconds longer."""

    def __init__(self, root: Path, wait: float) -> None:
        super().__init__(root)
        self._wait = wait

    def get(self, key: str) -> bytes:
        time.sleep(self._wait)
        return super().get(key)

    def local_copy(self, key: str, version: str | None = None) -> Path:
        time.sleep(self._wait)
        return super().local_copy(key, version)

    def put_file(self, key: str, path: Path) -> None:
        time.sleep(self._wait)
        super().put_file(key, path)

    def list(self, prefix: str) -> Iterator[str]:
        time.sleep(self._wait)
        return super().list(prefix)

    def latest_version(self, key: str) -> str | None:
        time.sleep(self._wait)
        return super().latest_version(key)


def main(files: list[Path], wait: float) -> None:
    with tempfile.TemporaryDirectory() as folder, local_store(Path(folder)) as system:
        base, target = _ingest(system, files), Path(folder) / "archive.zip"
        times: dict[str, list[float]] = {}
        several: int = transfers.AT_ONCE
        for at_once in (1, several) if wait else (several,):
            setattr(transfers, "AT_ONCE", at_once)  # noqa: B010 the checker takes it for a constant
            for _ in range(RUNS):
                for way, seconds in _both_ways(system, base, target, wait).items():
                    times.setdefault(f"{way}, {at_once} at once", []).append(seconds)
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


def _both_ways(system: System, base: UUID, target: Path, wait: float) -> dict[str, float]:
    blobs = system.runtime.blobs
    assert isinstance(blobs, FileBlobStore)
    distant = replace(system.runtime, blobs=DistantStore(blobs.root, wait))
    target.unlink(missing_ok=True)
    export = _timed(lambda: export_knowledge_base(distant, system.identity, base, target))
    erase_base(system.runtime, system.identity, base)
    return {"export": export, "import": _timed(lambda: import_archive(distant, system.identity, target, None))}


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
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--wait", type=float, default=0.0, metavar="MS")
    parser.add_argument("files", type=Path, nargs="*")
    given = parser.parse_args()
    main(given.files or sorted(SAMPLES.glob("*.pdf")), given.wait / 1000)
