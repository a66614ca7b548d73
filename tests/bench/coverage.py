"""Every PDF of some folders through the engine and `verify`, each in a process of its own.

`python -m tests.bench.coverage FOLDER… [--slow SECONDS]` prints a line per file that failed or was slow, and totals:
files read and refused, pages, chunks, verbatim, boxes exact, second reader, unclaimed fragments, invalid operations.
"""

import argparse
import json
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from shared.errors import RefusedFile
from shared.extraction.validate import validate_operations
from shared.readers.pdf.document import open_pdf
from shared.rereading.pdfium import PdfiumReader
from shared.verify.document import verify_document
from tests.bench.extraction import extract
from tests.drafts import stored_draft

TIMEOUT_S = 120


def check(path: Path) -> dict[str, Any]:
    """Outcome and counts of one file."""
    try:
        with open_pdf(path) as source:
            found = extract(source)
            invalid = [e for f, o in zip(found.pages, found.operations, strict=True) for e in validate_operations(f, o)]
            started = time.process_time()
            stored = stored_draft(
                found.draft, lambda page: found.pages[page - 1], lambda page: found.operations[page - 1]
            )
            with PdfiumReader(path) as second:
                report = verify_document(source, second, stored)
            counts = report.model_dump(exclude={"failures", "warnings", "documents", "second_reader_differences"})
            pages = source.page_count
    except RefusedFile as refusal:
        return {"outcome": "refused", "reason": str(refusal)}
    cpu = {**{k: round(v, 3) for k, v in found.seconds.items()}, "verify": round(time.process_time() - started, 3)}
    failures = [f.model_dump() for f in report.failures[:3]]
    seen = {
        "differences": report.second_reader_differences,
        "failures": failures,
        "warnings": [w.model_dump(include={"page", "expected", "actual"}) for w in report.warnings],
    }
    return {"outcome": "read", "pages": pages, "invalid": len(invalid), **counts, "cpu": cpu, **seen}


def check_apart(path: Path) -> dict[str, Any]:
    """The same in a process that may crash or hang."""
    command = [sys.executable, "-m", "tests.bench.coverage", "--one", str(path)]
    started = time.monotonic()
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    except subprocess.TimeoutExpired:
        return {"outcome": "timeout", "seconds": TIMEOUT_S}
    seconds = round(time.monotonic() - started, 1)
    if done.returncode:
        return {"outcome": "crash", "reason": done.stderr.strip()[-300:], "seconds": seconds}
    return json.loads(done.stdout) | {"seconds": seconds}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--one", type=Path)
    parser.add_argument("--warnings", type=int, default=0, help="second reader's disagreements shown per file")
    parser.add_argument("--slow", type=float, default=30)
    arguments = parser.parse_args()
    if arguments.one:
        print(json.dumps(check(arguments.one)))
        return
    files = sorted(
        {f for folder in arguments.folders for f in ([folder] if folder.is_file() else folder.rglob("*.pdf"))}
    )
    outcomes: Counter[str] = Counter()
    totals: Counter[str] = Counter()
    cpu: Counter[str] = Counter()
    differences: Counter[str] = Counter()
    with ThreadPoolExecutor(2) as pool:
        for file, result in zip(files, pool.map(check_apart, files), strict=True):
            outcomes[result["outcome"]] += 1
            totals.update({k: v for k, v in result.items() if isinstance(v, int)})
            cpu.update(result.get("cpu", {}))
            differences.update(result.get("differences", {}))
            if arguments.warnings:
                for warning in result.get("warnings", [])[: arguments.warnings]:
                    print("  second reader:", file.name, json.dumps(warning, ensure_ascii=False), flush=True)
            bad = result.get("failures") or result.get("invalid") or result.get("unclaimed_fragments")
            if bad or result["outcome"] in ("crash", "timeout") or result["seconds"] > arguments.slow:
                print(file.name, json.dumps(result, ensure_ascii=False)[:600], flush=True)
    print(
        json.dumps(
            {
                "outcomes": outcomes,
                "totals": totals,
                "second_reader": differences,
                "cpu_s": {k: round(v, 1) for k, v in cpu.items()},
            }
        )
    )


if __name__ == "__main__":
    main()
