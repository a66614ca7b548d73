"""Does a lower confidence of a page mean more errors by gold? `python -m tests.bench.tier_gold CORPORA [--scans N]`.

Nothing is damaged here (that is `tests.bench.confidence`): pages as they are, with what people or generators say stands
on them. Per kind of gold, a table of confidence → pages, mean error, share of wrong pages (error over a tenth), and
Spearman's rank correlation (negative is as it should be).

- tables: 1 - the share of the page's gold rows that are whole; pages read by eye, docling's, made ones
- order: 1 - edit similarity of the text in reading order, per document (docling)
- scans: 1 - the share of the page's words, N pages of real documents in four qualities (`tests.bench.ocr_confidence`)
"""

import argparse
import json
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import mean

from shared.readers.ocr_page import add_words
from shared.readers.pdf.document import open_pdf
from tests.bench.confidence import Page, spearman
from tests.bench.extraction import extract
from tests.bench.ocr import engines, pages_of
from tests.bench.ocr_confidence import judged, scans
from tests.bench.reading_order import FOLDER, truth_files, truth_of
from tests.bench.reading_order import score as score_text
from tests.bench.tables import tables_of_page
from tests.bench.tables_drawn import KINDS
from tests.bench.tables_gold import Gold, docling_gold, read_gold
from tests.bench.tables_kinds import HELD_SEED, make_kinds
from tests.bench.tables_score import score

BINS = ((0.95, 1.01), (0.85, 0.95), (0.70, 0.85), (0.0, 0.70))
WRONG = 0.1


def of_tables(kind: str, golds: Sequence[Gold]) -> Iterator[Page]:
    """Pages that have tables by gold, or by us."""
    for gold in golds:
        with open_pdf(gold.path) as source:
            found = extract(source)
        for file, operations, summary in zip(found.pages, found.operations, found.draft.pages, strict=True):
            wanted = [table for table in gold.tables if table.page == file.page]
            ours = list(tables_of_page(file, operations))
            if (gold.page and file.page != gold.page) or not (wanted or ours):
                continue
            points = score(wanted, ours)
            yield Page(kind, summary.confidence, 1 - points.rows_found / max(1, points.rows_gold))


def of_order(corpora: Path) -> Iterator[Page]:
    for truth in truth_files(corpora):
        with open_pdf(corpora / FOLDER / f"sources/{truth.stem}.pdf") as source:
            draft = extract(source).draft
        text = "\n".join(chunk.content for chunk in draft.chunks if chunk.chunk_type != "table_row")
        edit = score_text(truth_of(json.loads(truth.read_text())), text)["edit"]
        yield Page("order", draft.confidence, 1 - (edit or 0.0))


def of_scans(corpora: Path, count: int) -> Iterator[Page]:
    (engine,) = list(engines().values())[:1]
    for _, truth, image in pages_of(corpora, count):
        bare = truth.model_copy(update={"fragments": [], "images": [], "rules": [], "route": "ocr"})
        for quality, scan in scans(image):
            one = judged(add_words(bare, engine.read(scan), engine.version), truth, quality)
            yield Page("scans", one["confidence"], one["error"])


def report(name: str, pages: Sequence[Page]) -> None:
    print(f"\n{name}: {len(pages)}, spearman {spearman(pages):+.2f}\n| confidence | pages | mean error | wrong |")
    for low, high in BINS:
        errors = [page.error for page in pages if low <= page.confidence < high]
        if errors:
            wrong = mean(error > WRONG for error in errors)
            print(
                f"| {low:.2f} to {min(high, 1.0):.2f} | {len(errors)} | {mean(errors):.3f} | {wrong:.2f} |", flush=True
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpora", type=Path)
    parser.add_argument("--scans", type=int, default=0, help="pages to scan")
    arguments = parser.parse_args()
    report("order", list(of_order(arguments.corpora)))
    read = [gold for name in ("left_out", "read", "aside") for gold in read_gold(arguments.corpora, name)]
    report("tables read by eye", list(of_tables("read", read)))
    report("tables of docling", list(of_tables("docling", docling_gold(arguments.corpora))))
    with tempfile.TemporaryDirectory() as scratch:
        kinds = make_kinds(Path(scratch), KINDS, HELD_SEED)
        report("tables made", list(of_tables("made", [gold for golds in kinds.values() for gold in golds])))
    if arguments.scans:
        report("scans", list(of_scans(arguments.corpora, arguments.scans)))


if __name__ == "__main__":
    main()
