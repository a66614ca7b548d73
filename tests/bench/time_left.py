"""How well the time left is told, of documents of several kinds: a scan, a long text, tables, a paper, a short one.

`python -m tests.bench.time_left [FILE.pdf …]` reads them one after the other into one knowledge base of a new data
folder, asks for the time left as a page does, and prints per document how many of the answers after the first tenth
were right within a third (or a second), and the median of how far they were off. A machine that does other things
meanwhile takes time that nobody can tell.
"""

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from uuid import UUID

import pymupdf

from functions.local import System, local_system
from shared.ingestion.uploads import get_ingestion
from tests.bench.retrieval_data import CORPORA
from tests.pipeline import PRICES, RULES_2025, RULES_2026, make_knowledge_base, upload
from tests.readers.scans import scan

POLL_S = 0.3
UNDER_WAY = {"waiting", "queued", "running"}
WITHIN = 1 / 3
WITHIN_S = 1.0
# Of the scan: pages, and dots per inch.
SCANNED, DPI = 8, 150


def documents(folder: Path) -> Iterator[Path]:
    yield from (RULES_2025, PRICES)
    pages = pymupdf.open()
    with pymupdf.open(RULES_2026) as source:
        for number in range(5, 5 + SCANNED):
            pages.insert_pdf(pymupdf.open("pdf", scan(source[number], dpi=DPI)))
    pages.save(folder / "scan.pdf")
    yield folder / "scan.pdf"
    known = (
        "qa-uda/docs/1909.00754.pdf",
        "qa-sec10q-docugami/docs/2022 Q3 NVDA.pdf",
        "regs-owasp-asvs/asvs-5.0.0-en.pdf",
    )
    yield from (CORPORA / name for name in known if (CORPORA / name).exists())


def answers(system: System, base: UUID, file: Path) -> tuple[list[tuple[float, float | None]], float]:
    """What was told at which second of the run, and how long it took."""
    sent = upload(system.runtime, system.identity, base, file.read_bytes(), file.name)
    begun, told = time.monotonic(), list[tuple[float, float | None]]()
    while (run := get_ingestion(system.runtime, system.identity, sent["upload_id"])).status in UNDER_WAY:
        told.append((time.monotonic() - begun, run.eta_seconds))
        time.sleep(POLL_S)
    return told, time.monotonic() - begun


def judged(told: list[tuple[float, float | None]], took: float) -> tuple[float, float]:
    """(share of the answers after the first tenth that were right, median of their relative error)."""
    late = [(took - at, left) for at, left in told if at >= took / 10]
    errors = [abs((left or 0.0) - true) for true, left in late]
    right = [error <= max(WITHIN * true, WITHIN_S) for error, (true, _) in zip(errors, late, strict=True)]
    return statistics.mean(right), statistics.median(e / true for e, (true, _) in zip(errors, late, strict=True))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path)
    wanted: list[Path] = parser.parse_args().files
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name,
        local_system(Path(name) / "home") as system,
    ):
        base = make_knowledge_base(system.runtime, system.identity, "time left")
        for file in wanted or documents(Path(name)):
            told, took = answers(system, base, file)
            if len(told) > 2:
                right, off = judged(told, took)
                sys.stdout.write(f"{file.name}: {took:.0f} s, right {right:.0%} of {len(told)}, median off {off:.0%}\n")
                sys.stdout.flush()


if __name__ == "__main__":
    main()
