"""Whether low confidence means worse pages: on pages damaged on purpose, where the error is known exactly.

`python -m tests.bench.confidence [CORPORA] [--pages N]`. Real pages (rule book, filing, paper, handbook, report) are
damaged in one way each, at three strengths: lines shuffled, characters lost (U+FFFD), letters mapped to others (a
substituted font), spaces lost, letters spread, lines set over others. The error of a page is 1 - the share of the clean
page's word pairs (of neighbours) that the damaged page's chunks still hold; clean pages have error 0. Printed: mean
error of flagged pages (below green, below yellow) and of the others, and Spearman's rank correlation, per damage.
"""

import argparse
import os
import random
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from statistics import mean
from typing import NamedTuple

from shared.domain.knowledge import tier_of
from shared.domain.page import Fragment, PageFile
from shared.domain.sketch import Profile
from shared.extraction.assemble import assemble
from shared.extraction.layout import extract_page
from shared.extraction.profile import build_profile
from shared.readers.pdf.document import open_pdf
from shared.readers.sketch import sketch_page

FILES = (
    "regs-owasp-asvs/asvs-5.0.0-en.pdf",
    "qa-sec10q-docugami/docs/2022 Q3 AAPL.pdf",
    "qa-uda/docs/1705.07830.pdf",
    "qa-northwind-azure/docs/employee_handbook.pdf",
    "pdf-ntsb-nih-docugami/ntsb-aviation-incident-accident-reports/20080111X00040.pdf",
)
STRENGTHS = (0.1, 0.3, 0.7)
SEED = 7

Damage = Callable[[list[Fragment], float, random.Random], list[Fragment]]


class Page(NamedTuple):
    """A page, damaged or clean: its confidence and its error."""

    damage: str
    confidence: float
    error: float


def shuffled(fragments: list[Fragment], share: float, chance: random.Random) -> list[Fragment]:
    moved = chance.sample(range(len(fragments)), int(share * len(fragments)))
    targets = chance.sample(moved, len(moved))
    found = list(fragments)
    for a, b in zip(moved, targets, strict=True):
        found[a] = fragments[b]
    return found


def lost(fragments: list[Fragment], share: float, chance: random.Random) -> list[Fragment]:
    def text(old: str) -> str:
        return "".join("\ufffd" if c.isalpha() and chance.random() < share else c for c in old)

    return [_with(f, text(f.text)) for f in fragments]


def remapped(fragments: list[Fragment], share: float, chance: random.Random) -> list[Fragment]:
    letters = "abcdefghijklmnopqrstuvwxyz"
    table = str.maketrans(letters, "".join(chance.sample(letters, 26)))
    return [_with(f, f.text.translate(table)) if chance.random() < share else f for f in fragments]


def glued(fragments: list[Fragment], share: float, chance: random.Random) -> list[Fragment]:
    return [_with(f, f.text.replace(" ", "") or f.text) if chance.random() < share else f for f in fragments]


def spread(fragments: list[Fragment], share: float, chance: random.Random) -> list[Fragment]:
    return [_with(f, " ".join(f.text)) if chance.random() < share else f for f in fragments]


def overlaid(fragments: list[Fragment], share: float, chance: random.Random) -> list[Fragment]:
    found = list(fragments)
    for index in range(1, len(found)):
        if chance.random() < share:
            box, other = found[index].box, fragments[chance.randrange(len(fragments))].box
            found[index] = found[index].model_copy(
                update={"box": box.model_copy(update={"y": min(other.y, 1 - box.h)})}
            )
    return found


DAMAGES: dict[str, Damage] = {
    "shuffled": shuffled, "lost": lost, "remapped": remapped, "glued": glued, "spread": spread, "overlaid": overlaid,
}  # fmt: skip


def _with(fragment: Fragment, text: str) -> Fragment:
    return fragment.model_copy(update={"text": text, "char_x": ()})


def measure(corpora: Path, pages: int) -> list[Page]:
    chance = random.Random(SEED)
    found: list[Page] = []
    for name in FILES:
        with open_pdf(corpora / name) as source:
            files = [source.read_page(n) for n in range(1, source.page_count + 1)]
            profile = build_profile(map(sketch_page, files), source.outline)
        readable = [file for file in files if len(file.fragments) >= 15]
        for file in chance.sample(readable, min(pages, len(readable))):
            clean, confidence = _words(file, profile)
            found.append(Page("clean", confidence, 0.0))
            for kind, damage in DAMAGES.items():
                for strength in STRENGTHS:
                    broken = file.model_copy(update={"fragments": damage(list(file.fragments), strength, chance)})
                    words, lower = _words(broken, profile)
                    found.append(Page(kind, lower, _error(clean, words)))
    return found


def _words(file: PageFile, profile: Profile) -> tuple[list[str], float]:
    operations = extract_page(file, profile)
    draft = assemble([(file, operations)])
    texts = [chunk.content for chunk in draft.chunks if chunk.chunk_type != "table_row"]
    return " ".join([*texts, *(skip.text for skip in draft.skipped)]).split(), operations.confidence


def _error(clean: Sequence[str], damaged: Sequence[str]) -> float:
    wanted, got = Counter(pairwise(clean)), Counter(pairwise(damaged))
    return 1 - sum((wanted & got).values()) / max(1, sum(wanted.values()))


def spearman(pages: Sequence[Page]) -> float:
    """Rank correlation of confidence and error; ties share their mean rank. Negative is as it should be."""
    a, b = _ranks([page.confidence for page in pages]), _ranks([page.error for page in pages])
    middle = (len(pages) + 1) / 2
    across = sum((x - middle) * (y - middle) for x, y in zip(a, b, strict=True))
    spread_a, spread_b = (sum((x - middle) ** 2 for x in ranks) for ranks in (a, b))
    return across / (spread_a * spread_b) ** 0.5 if spread_a and spread_b else 0.0


def _ranks(values: Sequence[float]) -> list[float]:
    order = sorted(range(len(values)), key=lambda n: values[n])
    ranks = [0.0] * len(values)
    start = 0
    while start < len(order):
        end = start
        while end + 1 < len(order) and values[order[end + 1]] == values[order[start]]:
            end += 1
        for position in range(start, end + 1):
            ranks[order[position]] = (start + end) / 2 + 1
        start = end + 1
    return ranks


def _report(name: str, pages: Sequence[Page]) -> str:
    tiers = {tier: [p.error for p in pages if tier_of(p.confidence) == tier] for tier in ("green", "yellow", "red")}
    shown = "  ".join(f"{tier} {len(e):4} pages error {mean(e) if e else 0:.3f}" for tier, e in tiers.items())
    return f"{name:10} {shown}  spearman {spearman(pages):+.3f}"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument(
        "corpora", nargs="?", type=Path, default=Path(os.environ.get("AUTRI_CORPORA", "../shared/corpora"))
    )
    parser.add_argument("--pages", type=int, default=8, help="of each document")
    arguments = parser.parse_args()
    pages = measure(arguments.corpora, arguments.pages)
    clean = [page for page in pages if page.damage == "clean"]
    print(_report("clean", clean))
    for kind in DAMAGES:
        print(_report(kind, [*clean, *(page for page in pages if page.damage == kind)]))
    print(_report("all", pages))


if __name__ == "__main__":
    main()
