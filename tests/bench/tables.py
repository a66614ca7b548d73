"""Tables against ground truth: are they found, are their cells side by side, are their rows whole?

`python -m tests.bench.tables CORPORA [--peers] [--show]`. Per set of documents: detection F1 (boxes with an
intersection over union of at least a half, per page), cell adjacency F1 and complete rows (see `tables_score`), CPU ms
a page of reading and layout. Sets: docling's ground truth; camelot's own reading of its ruled samples; pages read by
eye for development ("left out", "read", "aside", "further", "beyond", "apart", "kept", "fresh", "unseen", "opened": all
but two were reported with before they were looked at) and for reporting ("sealed"); documents made here, whose truth is
exact, by page and as whole tables (joined over pages, the header once), among them pages without any table; documents
made of each hard kind, once with a seed for development ("kind") and once with one for reporting ("held"). `--peers`
runs the libraries of `tables_peers.py` over the same files with the interpreter that AUTRI_PEERS_PYTHON names.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from shared.domain.draft import TableDraft
from shared.domain.geometry import union
from shared.domain.operations import PageOperations, RegisterTable
from shared.domain.page import PageFile
from shared.domain.turned import as_read
from shared.extraction.assemble import assemble
from shared.extraction.layout import extract_page
from shared.extraction.profile import build_profile
from shared.extraction.references import Resolver
from shared.readers.pdf.document import open_pdf
from shared.readers.sketch import sketch_page
from tests.bench.tables_drawn import KINDS
from tests.bench.tables_gold import Gold, docling_gold, lattice_tables, read_gold
from tests.bench.tables_kinds import HELD_SEED, SEED, make_kinds
from tests.bench.tables_made import make_documents
from tests.bench.tables_score import Cell, Score, Table, rows_of, score


class Read(NamedTuple):
    """Tables by page and whole, with the CPU ms of a page."""

    parts: list[Table]
    whole: list[Table]
    pages: int
    cpu_s: float


def read_tables(path: Path) -> Read:
    """Our tables of a PDF."""
    with open_pdf(path) as source:
        started = time.process_time()
        files = [source.read_page(n) for n in range(1, source.page_count + 1)]
        profile = build_profile((sketch_page(as_read(file)) for file in files), source.outline)
        operations = [extract_page(file, profile) for file in files]
        spent = time.process_time() - started
    parts = [t for file, found in zip(files, operations, strict=True) for t in tables_of_page(file, found)]
    draft = assemble(zip(files, operations, strict=True))
    return Read(parts, [_whole(table) for table in draft.tables], len(files), spent)


def tables_of_page(file: PageFile, operations: PageOperations) -> Iterable[Table]:
    resolver = Resolver(file)
    for operation in operations.operations:
        if isinstance(operation, RegisterTable):
            found = [[resolver.resolve_all(cell.fragment_ids) for cell in row] for row in operation.rows]
            box = union([part.box for row in found for cell in row for part in cell])
            texts = [[" ".join(part.text for part in cell) for cell in row] for row in found]
            spans = [[(cell.row_span, cell.col_span) for cell in row] for row in operation.rows]
            w, h = file.width_pt, file.height_pt
            extent = (box.x * w, box.y * h, box.right * w, box.bottom * h)
            yield Table(file.page, extent, _placed(texts, spans))


def _whole(table: TableDraft) -> Table:
    texts = [[cell.text for cell in row] for row in table.rows]
    return Table(0, None, _placed(texts, [[(c.row_span, c.col_span) for c in row] for row in table.rows]))


def _placed(texts: Sequence[Sequence[str]], spans: Sequence[Sequence[tuple[int, int]]]) -> list[Cell]:
    """Cells with their columns: those that a cell above reaches into are passed over, as in HTML."""
    taken: set[tuple[int, int]] = set()
    cells: list[Cell] = []
    for row, (row_texts, row_spans) in enumerate(zip(texts, spans, strict=True)):
        column = 0
        for text, (down, across) in zip(row_texts, row_spans, strict=True):
            while (row, column) in taken:
                column += 1
            taken |= {(row + r, column + c) for r in range(down) for c in range(across)}
            cells.append(Cell(row, column, text, down, across))
            column += across
    return cells


def score_pages(gold: Sequence[Table], ours: Sequence[Table], pages: int) -> Score:
    total = Score()
    for page in range(1, pages + 1):
        total += score([t for t in gold if t.page == page], [t for t in ours if t.page == page])
    return total


def measure(name: str, golds: Sequence[Gold], show: bool, peers: bool) -> dict[str, Any]:
    """Figures of one set of documents; `show` prints what each file got wrong."""
    total, cpu, pages = Score(), 0.0, 0
    others: dict[str, tuple[Score, float]] = {}
    for gold in golds:
        found = read_tables(gold.path)
        parts = [flat(table) for table in found.parts] if name == "lattice" else found.parts
        if gold.page:
            parts = [part for part in parts if part.page == gold.page]
        one = score_pages(gold.tables, parts, found.pages)
        total, cpu, pages = total + one, cpu + found.cpu_s, pages + found.pages
        if show and (one.found, one.relations_found, one.rows_found) != (one.gold, one.relations_gold, one.rows_gold):
            print(f"{gold.path.name}: {one.figures()}")
            _differences(gold.tables, parts)
        for peer, tables, spent in peer_tables(gold.path) if peers else []:
            before, so_far = others.get(peer, (Score(), 0.0))
            others[peer] = (before + score_pages(gold.tables, tables, found.pages), so_far + spent)
    report = {"ours": {**total.figures(), "cpu_ms_page": round(1000 * cpu / max(1, pages), 1)}}
    for peer, (points, spent) in others.items():
        report[peer] = {**points.figures(), "cpu_ms_page": round(1000 * spent / max(1, pages), 1)}
    return {name: report}


def flat(table: Table) -> Table:
    """Without spans: camelot writes a merged cell's text into its first place."""
    return table._replace(cells=[cell._replace(row_span=1, col_span=1) for cell in table.cells])


def _differences(gold: Sequence[Table], ours: Sequence[Table]) -> None:
    wanted = {row for table in gold for row in rows_of(table)}
    have = {row for table in ours for row in rows_of(table)}
    for row in sorted(wanted - have)[:4]:
        print(f"    missing  {row[:110]}")
    for row in sorted(have - wanted)[:4]:
        print(f"    instead  {row[:110]}")


def peer_tables(path: Path) -> list[tuple[str, list[Table], float]]:
    """Each peer's tables and CPU seconds; nothing where its interpreter has none of them."""
    interpreter = os.environ.get("AUTRI_PEERS_PYTHON", sys.executable)
    script = Path(__file__).with_name("tables_peers.py")
    done = subprocess.run([interpreter, str(script), str(path)], capture_output=True, text=True, check=True)
    found = json.loads(done.stdout.splitlines()[-1])
    return [(name, [_peer_table(*t) for t in one["tables"]], one["cpu"]) for name, one in found.items()]


def _peer_table(page: int, box: list[float], rows: list[list[str]]) -> Table:
    cells = [Cell(r, c, text) for r, row in enumerate(rows) for c, text in enumerate(row)]
    return Table(page, (box[0], box[1], box[2], box[3]), cells)


def measure_whole(documents: Sequence[Any]) -> dict[str, Any]:
    """Tables of whole documents: as many as there are, each row once and whole."""
    total, same = Score(), 0
    for made in documents:
        ours = read_tables(made.path).whole
        total += score(made.whole, ours)
        same += len(ours) == len(made.whole)
    figures = total.figures()
    return {
        "made, joined": {k: figures[k] for k in ("adjacency", "rows")}
        | {"documents": len(documents), "count right": same}
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("corpora", type=Path)
    parser.add_argument("--peers", action="store_true")
    parser.add_argument("--show", action="store_true")
    parser.add_argument(
        "--only",
        help="sets whose name begins so: docling, lattice, left out, read, aside, further, beyond, apart, kept, fresh,"
        " unseen, opened, sealed, made, kind, held",
    )
    parser.add_argument("--keep", type=Path, help="folder for the documents that are made")
    a = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        documents = make_documents(a.keep or Path(scratch))
        sets = {
            "docling": docling_gold(a.corpora),
            "lattice": lattice_tables(a.corpora),
            "left out": read_gold(a.corpora, "left_out"),
            "read": read_gold(a.corpora, "read"),
            "aside": read_gold(a.corpora, "aside"),
            "further": read_gold(a.corpora, "further"),
            "beyond": read_gold(a.corpora, "beyond"),
            "apart": read_gold(a.corpora, "apart"),
            "kept": read_gold(a.corpora, "kept"),
            "fresh": read_gold(a.corpora, "fresh"),
            "unseen": read_gold(a.corpora, "unseen"),
            "opened": read_gold(a.corpora, "opened"),
            "sealed": read_gold(a.corpora, "sealed"),
            "made": [Gold(made.path, made.parts) for made in documents],
        }
        for seed, prefix in ((SEED, "kind"), (HELD_SEED, "held")):
            kinds = make_kinds(Path(scratch) / prefix, KINDS, seed)
            sets |= {f"{prefix} {kind}": golds for kind, golds in kinds.items()}
            sets[f"{prefix}s together"] = [gold for golds in kinds.values() for gold in golds]
        for name, golds in sets.items():
            if a.only is None or name.startswith(a.only):
                aside = name.startswith(("held", "sealed"))  # nobody looks at what goes wrong there
                show = a.show and not aside
                print(json.dumps(measure(name, golds, show, a.peers)))
        if a.only in (None, "made"):
            print(json.dumps(measure_whole(documents)))


if __name__ == "__main__":
    main()
