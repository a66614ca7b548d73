"""Labelled sections of made rule books against their exact truth: `python -m tests.bench.rule_books [SEED ...]`.

A section counts where its address, as printed, begins on its page; each truth once. `--extra` names what was found
besides, and what was missed.
"""

import argparse
import tempfile
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from shared.readers.pdf.document import open_pdf
from tests.bench.headings import draft_of
from tests.bench.rule_books_made import LAYOUTS, Book, make_book


class Score(NamedTuple):
    """How many sections there are, were found, and were right, with what was wrong."""

    truth: int
    found: int
    right: int
    extra: list[str]
    missed: list[str]


def measure(book: Book) -> Score:
    with open_pdf(book.path) as source:
        draft = draft_of(source)
    found = Counter[tuple[str, int | None]](
        (s.address, s.page) for s in draft.sections if s.address and not s.captioned
    )
    truth = Counter[tuple[str, int | None]]((one.address, one.page) for one in book.sections)
    right = found & truth
    return Score(
        truth.total(), found.total(), right.total(),
        [f"{address} p{page}" for address, page in (found - right).elements()],
        [f"{address} p{page}" for address, page in (truth - right).elements()],
    )  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("seeds", nargs="*", type=int, default=[1, 2])
    parser.add_argument("--extra", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--keep", type=Path, help="a folder for the PDFs")
    arguments = parser.parse_args()
    total: list[Score] = []
    with tempfile.TemporaryDirectory() as scratch:
        for layout in LAYOUTS:
            if arguments.only and layout.name != arguments.only:
                continue
            scores = [measure(make_book(layout, seed, arguments.keep or Path(scratch))) for seed in arguments.seeds]
            total += scores
            _print(layout.name, scores, arguments.extra)
    _print("all", total, extra=False)


def _print(name: str, scores: list[Score], extra: bool) -> None:
    right, found, truth = (sum(found) for found in zip(*[(s.right, s.found, s.truth) for s in scores], strict=True))
    print(f"{name:16} precision {right / max(1, found):.4f} recall {right / max(1, truth):.4f} of {truth}")
    for score in scores if extra else ():
        print("   extra ", len(score.extra), ", ".join(score.extra[:30]))
        print("   missed", len(score.missed), ", ".join(score.missed[:30]))


if __name__ == "__main__":
    main()
