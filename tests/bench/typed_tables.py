"""Tables of plain text against docutils': are they found, are their rows the same?

`AUTRI_PEERS_PYTHON=… python -m tests.bench.typed_tables FOLDER`, with an interpreter that has docutils, and a folder of
.rst files (figures are of Debian's linux-doc-6.1, unpacked). Per kind and half of the files: tables of at least two
rows and columns that we find (half of the lines of both are the same), and rows whose cells have the same text and
spans; white space is not compared. Files are halved by their path, as they were before anything was read; of "left out"
nobody looks at more than totals.
"""

import gzip
import hashlib
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from shared.readers.typed.lines import TypedTable
from shared.readers.typed.tables import typed_tables

SAME_LINES = 0.5

Row = tuple[tuple[str, int, int], ...]


def truth(folder: Path) -> list[dict[str, Any]]:
    script = Path(__file__).with_name("typed_truth.py")
    command = [os.environ.get("AUTRI_PEERS_PYTHON", sys.executable), str(script), str(folder)]
    found = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return [json.loads(line) for line in found.splitlines()]


def gold_rows(table: dict[str, Any]) -> list[Row]:
    rows = [tuple(("".join(cell[0].split()), cell[1], cell[2]) for cell in row if cell) for row in table["rows"]]
    return [row for row in rows if any(text for text, _, _ in row)]


def our_rows(table: TypedTable, lines: Sequence[str]) -> list[Row]:
    rows = [
        tuple(
            ("".join("".join(lines[s.line][s.start : s.end].split()) for s in cell.spans), cell.row_span, cell.col_span)
            for cell in row
        )
        for row in table.rows
    ]
    return [row for row in rows if any(text for text, _, _ in row)]


def shared_lines(ours: TypedTable, gold: dict[str, Any]) -> float:
    both = min(ours.end, gold["end"]) - max(ours.first, gold["first"])
    return both / (max(ours.end, gold["end"]) - min(ours.first, gold["first"]))


def main() -> None:
    counts: dict[tuple[str, str], Counter[str]] = {}
    ours: dict[str, tuple[list[str], list[TypedTable]]] = {}
    for gold in truth(Path(sys.argv[1])):
        rows = gold_rows(gold)
        if len(rows) < 2 or max(map(len, rows)) < 2:
            continue
        path = Path(gold["file"])
        if gold["file"] not in ours:
            data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
            lines = data.decode("utf-8", "replace").splitlines()
            ours[gold["file"]] = lines, typed_tables(lines)
        lines, tables = ours[gold["file"]]
        digest = hashlib.sha1(f"x/{path.relative_to(sys.argv[1])}".encode(), usedforsecurity=False).digest()
        half = "looked at" if digest[-1] % 2 else "left out"
        count = counts.setdefault((half, gold["kind"]), Counter())
        count["tables"] += 1
        best = max(tables, key=lambda table: shared_lines(table, gold), default=None)
        count["rows"] += len(rows)
        if best and shared_lines(best, gold) >= SAME_LINES:
            count["found"] += 1
            count["same rows"] += (Counter(rows) & Counter(our_rows(best, lines))).total()
    for (half, kind), count in sorted(counts.items()):
        shares = {"found": count["found"] / count["tables"], "rows": count["same rows"] / count["rows"]}
        print(half, kind, dict(count), {name: round(share, 3) for name, share in shares.items()})


if __name__ == "__main__":
    main()
