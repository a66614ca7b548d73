"""Other libraries' tables of one PDF, as JSON on stdout: {library: {"cpu": seconds, "tables": [[page, box, rows]]}}.

`python tests/bench/tables_peers.py FILE.pdf`, with an interpreter that has them; those that are missing are left out.
Needs nothing of this repository, so that peers and their dependencies stay out of its environment.
"""

import importlib
import json
import sys
import time
from collections.abc import Iterator
from typing import Any

Found = Iterator[tuple[int, Any, list[list[str]]]]


def _texts(rows: Any) -> list[list[str]]:
    return [[str(text or "") for text in row] for row in rows]


def with_pymupdf(library: Any, path: str) -> Found:
    for page in library.open(path):
        for table in page.find_tables().tables:
            yield page.number + 1, [*table.bbox], _texts(table.extract())


def with_pdfplumber(library: Any, path: str) -> Found:
    with library.open(path) as document:
        for page in document.pages:
            for table in page.find_tables():
                yield page.page_number, [*table.bbox], _texts(table.extract())


def with_camelot(library: Any, path: str) -> Found:
    for table in library.read_pdf(path, pages="all", flavor="lattice", suppress_stdout=True):
        x0, y0, x1, y1 = table._bbox  # noqa: SLF001
        height = table.pdf_size[1]
        yield table.page, [x0, height - y1, x1, height - y0], _texts(table.data)


READERS = {"pymupdf": with_pymupdf, "pdfplumber": with_pdfplumber, "camelot": with_camelot}


def main() -> None:
    found: dict[str, Any] = {}
    for name, read in READERS.items():
        try:
            library = importlib.import_module(name)
        except ImportError:
            continue
        started = time.process_time()
        try:
            tables = list(read(library, sys.argv[1]))
        except Exception as error:  # noqa: BLE001 a peer's failure on a file is its result, not ours
            print(f"{name}: {type(error).__name__}: {error}", file=sys.stderr)
            tables = []
        found[name] = {"cpu": time.process_time() - started, "tables": tables}
    print("\n" + json.dumps(found))


if __name__ == "__main__":
    main()
