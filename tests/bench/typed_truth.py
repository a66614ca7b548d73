"""docutils' tables of reStructuredText files, a JSON line each: {file, first, end, kind, rows}, rows of [text, rows,
columns] or null where another cell reaches into.

`python tests/bench/typed_truth.py FOLDER` with an interpreter that has docutils; needs nothing of this repository.
Files end in .rst or .rst.gz.
"""

import gzip
import importlib
import json
import re
import sys
from pathlib import Path
from typing import Any

GRID = re.compile(r"\s*\+-[-+]+-\+ *$")
SIMPLE = re.compile(r"\s*=+(?: +=+)+ *$")
EDGE = re.compile(r"\s*=+(?: +=+)* *$")


def grid_end(lines: list[str], first: int) -> int:
    indent = len(lines[first]) - len(lines[first].lstrip())
    end = first
    while end < len(lines) and not lines[end][:indent].strip() and lines[end][indent : indent + 1] in tuple("+|"):
        end += 1
    while not GRID.match(lines[end - 1]):
        end -= 1
    return end


def simple_end(lines: list[str], first: int) -> int | None:
    """Behind the second rule below, or the first with a blank line behind it, as docutils has it."""
    last, found = None, 0
    for at in range(first + 1, len(lines)):
        if EDGE.match(lines[at]) and len(lines[at].strip()) == len(lines[first].strip()):
            last, found = at, found + 1
            if found == 2 or at + 1 == len(lines) or not lines[at + 1].strip():
                break
    return None if last is None else last + 1


def tables_of(lines: list[str], parsers: Any, strings: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    at = 0
    while at < len(lines):
        kind = "grid" if GRID.match(lines[at]) else "simple" if SIMPLE.match(lines[at]) else None
        end = grid_end(lines, at) if kind == "grid" else simple_end(lines, at) if kind else None
        if kind is None or end is None:
            at += 1
            continue
        indent = len(lines[at]) - len(lines[at].lstrip())
        block = strings([line[indent:].rstrip() for line in lines[at:end]], "text")
        block.pad_double_width(chr(0))
        parser = parsers.GridTableParser() if kind == "grid" else parsers.SimpleTableParser()
        try:
            _, head, body = parser.parse(block)
        except Exception:  # noqa: BLE001 what docutils refuses is no truth
            at += 1
            continue
        rows = [[cell and [" ".join(cell[3]).replace(chr(0), ""), cell[0] + 1, cell[1] + 1] for cell in row]
                for row in [*head, *body]]  # fmt: skip
        found.append({"first": at, "end": end, "kind": kind, "rows": rows})
        at = end
    return found


def main() -> None:
    parsers: Any = importlib.import_module("docutils.parsers.rst.tableparser")
    strings: Any = importlib.import_module("docutils.statemachine").StringList
    for path in sorted(Path(sys.argv[1]).rglob("*.rst*")):
        if path.name.endswith((".rst", ".rst.gz", ".rst.txt")):
            data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
            for table in tables_of(data.decode("utf-8", "replace").splitlines(), parsers, strings):
                print(json.dumps({"file": str(path), **table}))


if __name__ == "__main__":
    main()
