"""Of the tables that are wrong, which share says so? `python -m tests.bench.tables_flags CORPORA [--sets read,aside]`.

A table is wrong where one of its neighbouring cells is another than in the gold of `tables.py`, or where no gold table
has half of its box; a table that was not found counts as wrong and silent unless its page is flagged. It is flagged
where its page says `uncertain_tables`.
"""

import argparse
import json
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from shared.domain.operations import PageOperations
from shared.domain.page import PageFile
from shared.domain.turned import as_read
from shared.extraction.layout import extract_page
from shared.extraction.profile import build_profile
from shared.readers.pdf.document import open_pdf
from shared.readers.sketch import sketch_page
from tests.bench.tables import tables_of_page
from tests.bench.tables_drawn import KINDS
from tests.bench.tables_gold import Gold, read_gold
from tests.bench.tables_kinds import HELD_SEED, SEED, make_kinds
from tests.bench.tables_score import SAME_BOX, Table, overlap, relations_of

READ = ("left_out", "read", "aside", "further", "beyond", "apart", "kept", "fresh", "unseen", "opened", "sealed")
FLAG = "uncertain_tables"


def read_pages(path: Path, only: int | None) -> Iterator[tuple[PageFile, PageOperations]]:
    """The pages of a PDF, or `only` one of them, with their operations."""
    with open_pdf(path) as source:
        files = [source.read_page(n) for n in range(1, source.page_count + 1)]
        profile = build_profile((sketch_page(as_read(file)) for file in files), source.outline)
    for file in files:
        if only in (None, file.page):
            yield file, extract_page(file, profile)


def judge(gold: Sequence[Table], ours: Sequence[Table], flagged: bool) -> Iterator[str]:
    """One word for each table of a page: wrong or right, flagged or silent."""
    how = "flagged" if flagged else "silent"
    free = list(ours)
    for table in gold:
        best = max(free, key=lambda one: overlap(one.box, table.box) if one.box else 0.0, default=None)
        if best is None or best.box is None or overlap(best.box, table.box) < SAME_BOX:
            yield f"wrong {how}"
            continue
        free.remove(best)
        same = Counter(relations_of(best)) == Counter(relations_of(table))
        yield f"{'right' if same else 'wrong'} {how}"
    yield from (f"wrong {how}" for _ in free)


def count(golds: Sequence[Gold]) -> Counter[str]:
    found: Counter[str] = Counter()
    for gold in golds:
        for file, operations in read_pages(gold.path, gold.page):
            wanted = [table for table in gold.tables if table.page == file.page]
            found.update(judge(wanted, list(tables_of_page(file, operations)), FLAG in operations.flags))
    return found


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("corpora", type=Path)
    parser.add_argument(
        "--sets", default="left_out,read,aside,further,beyond", help=f"of {', '.join(READ)}, kind, held"
    )
    a = parser.parse_args()
    total: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as scratch:
        for name in a.sets.split(","):
            if name in READ:
                found = count(read_gold(a.corpora, name))
            else:
                kinds = make_kinds(Path(scratch) / name, KINDS, SEED if name == "kind" else HELD_SEED)
                found = count([gold for golds in kinds.values() for gold in golds])
            print(json.dumps({name: dict(sorted(found.items()))}), flush=True)
            total += found
    print(json.dumps({"together": dict(sorted(total.items()))}))


if __name__ == "__main__":
    main()
