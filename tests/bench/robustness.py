"""Every readable file of some folders through the whole ingestion: outcome, seconds and peak memory each, then totals.

`python -m tests.bench.robustness FOLDER… [--home DIRECTORY] [--verify] [--password P] [--report FILE.md]`

One worker process, files one after the other, so that time and memory belong to one file. Memory is the largest
resident set that any process of the ingestion had meanwhile (VmHWM, reset before each file; Linux only), PostgreSQL's
own processes apart. `--verify` proves each document that opened and adds up the reports. Exit code 1 where a file
ended in another way than `ready`, `ready_with_errors` or `refused`, took longer than 60 s, needed over 1 GB or has a
proof that failed.
"""

import argparse
import json
import os
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from functions.cli.api import ApiClient, open_api
from functions.cli.ingestion import Job, ingest_files
from shared.contract import Env
from shared.readers.registry import EXTENSIONS

GOOD = frozenset({"ready", "ready_with_errors", "refused"})
MAX_SECONDS = 60
MAX_BYTES = 1 << 30
SAMPLE_S = 0.02
RESET_PEAK = "5"  # proc(5): writing 5 to clear_refs resets the peak resident set


class PeakMemory:
    """The peak resident set over this process and its descendants, for a stretch of time."""

    def __init__(self) -> None:
        self._stop = threading.Event()
        self._peak = 0

    def __enter__(self) -> "PeakMemory":
        for process in _family():
            with suppress(OSError):
                (process / "clear_refs").write_text(RESET_PEAK)
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()
        self._look()

    @property
    def bytes(self) -> int:
        return self._peak

    def _watch(self) -> None:
        while not self._stop.wait(SAMPLE_S):
            self._look()

    def _look(self) -> None:
        self._peak = max([self._peak, *(_high_water(process) for process in _family())])


def _family() -> list[Path]:
    """Directories in /proc of this process and its descendants, without those of the database."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            name, _, rest = (entry / "stat").read_text().rpartition(")")
            if "postgres" not in name:
                parents[int(entry.name)] = int(rest.split()[1])
    family = {os.getpid()}
    while grown := {pid for pid, parent in parents.items() if parent in family} - family:
        family |= grown
    return [Path(f"/proc/{pid}") for pid in family]


def _high_water(process: Path) -> int:
    with suppress(OSError):
        for line in (process / "status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    return 0


def measure(
    api: ApiClient, base: str, files: list[Path], upload: dict[str, Any], verify: bool
) -> Iterator[dict[str, Any]]:
    """A line per file, and per file in it (attachments, what a ZIP file holds): name, status, error, pages, chunks,
    seconds, peak bytes of the whole, and the proof's counts."""
    announced = {"knowledge_base_id": base, "engine": "layout"} | upload
    for file in files:
        with PeakMemory() as memory:
            lines = list(ingest_files(api, [file], announced, _unwatched))
        for line in lines:
            proof: dict[str, Any] = {}
            if verify and line["status"] in GOOD - {"refused"} and not line["duplicate"]:
                proof = api.call("GET", f"/documents/{line['document_id']}/verify")
            yield {**line, "peak": memory.bytes, "proof": proof}


def _unwatched(_: Job) -> None:
    return


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--home", type=Path)
    parser.add_argument("--verify", action="store_true")
    parser.add_argument("--password")
    parser.add_argument("--report", type=Path)
    arguments = parser.parse_args()
    found = {f for folder in arguments.folders for f in ([folder] if folder.is_file() else _readable(folder))}
    upload = {"password": arguments.password} if arguments.password else {}
    with tempfile.TemporaryDirectory() as temporary:
        os.environ[Env.HOME] = str(arguments.home or temporary)
        with open_api(None, None, 1) as api:
            base = api.call("POST", "/knowledge-bases", {"name": f"robustness {os.getpid()}"})["id"]
            lines = [_told(line) for line in measure(api, base, sorted(found), upload, arguments.verify)]
    print(json.dumps(totals(lines)))
    if arguments.report:
        arguments.report.write_text(_markdown(lines))
    sys.exit(any(is_bad(line) for line in lines))


def _readable(folder: Path) -> Iterator[Path]:
    return (file for file in folder.rglob("*") if file.suffix.lower() in EXTENSIONS and file.is_file())


def _told(line: dict[str, Any]) -> dict[str, Any]:
    mark = "  <-- " if is_bad(line) else ""
    seconds, peak = f"{line['seconds']:7.2f} s", f"{line['peak'] / 1e6:6.0f} MB"
    print(f"{line['status']:17} {seconds} {peak}  {Path(line['path']).name}  {line['error'] or ''}{mark}", flush=True)
    return line


def is_bad(line: dict[str, Any]) -> bool:
    too_much = line["seconds"] > MAX_SECONDS or line["peak"] > MAX_BYTES
    return line["status"] not in GOOD or too_much or _is_disproved(line["status"], line["proof"])


def _is_disproved(status: str, proof: dict[str, Any]) -> bool:
    """Whether there is a proof that failed; of pages that could not be read `ready_with_errors` tells."""
    if not proof or proof["ok"]:
        return False
    told = {"unread_page"} if status == "ready_with_errors" else set[str]()
    wrong = {failure["check"] for failure in proof["failures"]} - told
    return bool(wrong or proof["failed"] or proof["unclaimed_fragments"])


def totals(lines: list[dict[str, Any]]) -> dict[str, Any]:
    """Files by outcome, the slowest and the largest, and the sums of the proofs' counts."""
    proofs: Counter[str] = Counter()
    for line in lines:
        proofs.update({name: value for name, value in line["proof"].items() if isinstance(value, int)})
    return {
        "files": len(lines),
        "outcomes": dict(Counter(line["status"] for line in lines)),
        "pages": sum(line["pages"] or 0 for line in lines),
        "seconds": {"sum": round(sum(line["seconds"] for line in lines), 1), "max": max(x["seconds"] for x in lines)},
        "peak_mb": {"max": round(max(line["peak"] for line in lines) / 1e6)},
        "verify": dict(proofs),
    }


def _markdown(lines: list[dict[str, Any]]) -> str:
    head = "| file | outcome | pages | seconds | peak MB | what it says |\n| --- | --- | --- | --- | --- | --- |\n"
    rows = (
        f"| {Path(x['path']).name} | {x['status']} | {x['pages'] or 0} | {x['seconds']:.2f} | {x['peak'] / 1e6:.0f} |"
        f" {(x['error'] or '').replace('|', '/')} |\n"
        for x in lines
    )
    return head + "".join(rows)


if __name__ == "__main__":
    main()
