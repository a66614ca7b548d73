"""Main text of web pages beside trafilatura and readability-lxml, in one run on the same pages.

`python -m tests.bench.web_pages FOLDER` with a folder per page (`source.html`, `expected.html`), as those of Mozilla's
Readability. trafilatura is no dependency: `pip install --target DIRECTORY trafilatura`, then `PYTHONPATH=DIRECTORY`.

Three measures each, the mean over pages: precision, recall and F1 of tokens as bags; the share of tokens in matching
runs (difflib), of the longer side; and F1 of strings, the texts of the expected page's blocks found word by word in
what was extracted, and the other way round. Pages whose name has an even CRC-32 are the ones that rules may be fitted
on, the others are left out.
"""

import importlib.util
import re
import statistics
import sys
import zlib
from collections import Counter
from collections.abc import Callable, Iterable
from difflib import SequenceMatcher
from pathlib import Path
from typing import NamedTuple

from lxml import html
from readability.readability import Document

from shared.domain.operations import Skip
from shared.readers.html.document import EXTRACTOR_VERSION, read_html

BLOCKS = ("p", "li", "h1", "h2", "h3", "h4", "h5", "h6", "td", "th", "pre", "blockquote", "figcaption", "dt", "dd")
_DESCRIBED = re.compile(rb"\salt\s*=\s*(?:\"[^\"]*\"|'[^']*'|[^\s>]+)")
LEAST = 3  # A string of fewer words is found anywhere.


class Scores(NamedTuple):
    precision: float
    recall: float
    f1: float
    edit: float
    strings: float


def tokens(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def blocks_of(markup: str) -> list[str]:
    """The texts of a page's innermost blocks."""
    if not markup.strip():
        return []
    tree = html.fromstring(f"<div>{markup}</div>")
    for one in tree.iter("script", "style", "noscript"):
        one.text = ""
    for one in tree.iter("br"):
        one.tail = f" {one.tail or ''}"
    inner = [one for one in tree.iter(*BLOCKS) if next(one.iterdescendants(*BLOCKS), None) is None]
    return [" ".join(one.text_content().split()) for one in inner]


def text_of(markup: str) -> str:
    tree = html.fromstring(f"<div>{markup}</div>")
    for one in list(tree.iter("script", "style", "noscript")):
        one.drop_tree()
    for one in tree.iter():
        one.tail = f" {one.tail or ''}"
    return tree.text_content()


def ours(path: Path) -> tuple[str, list[str]]:
    """The text of chunks, and each fragment that is in one."""
    found: list[str] = []
    # Descriptions of pictures are no text of the expected pages, whichever extractor gives them.
    with read_html(_DESCRIBED.sub(b" ", path.read_bytes()), EXTRACTOR_VERSION) as source:
        for number in range(1, source.page_count + 1):
            page = source.read_page(number)
            skipped = {one for said in page.structure or [] if isinstance(said, Skip) for one in said.fragment_ids}
            found += [fragment.text for fragment in page.fragments if fragment.id not in skipped]
    return "\n".join(found), found


def readability(path: Path) -> tuple[str, list[str]]:
    summary = Document(path.read_text("utf-8", "replace")).summary()
    return text_of(summary), blocks_of(summary)


def trafilatura(path: Path) -> tuple[str, list[str]]:
    import trafilatura as peer  # pyrefly: ignore[missing-import]

    said = peer.extract(path.read_text("utf-8", "replace"), include_comments=False, include_tables=True) or ""
    return said, [re.sub(r"^[-|#* ]+", "", line) for line in said.splitlines()]


def judge(expected: str, found: tuple[str, list[str]]) -> Scores:
    text, strings = found
    wanted, got = tokens(text_of(expected)), tokens(text)
    common = (Counter(wanted) & Counter(got)).total()
    precision, recall = common / max(1, len(got)), common / max(1, len(wanted))
    edit = SequenceMatcher(None, wanted, got, autojunk=False)
    same = sum(block.size for block in edit.get_matching_blocks()) / max(1, len(wanted), len(got))
    there = _share(blocks_of(expected), got)
    back = _share(strings, wanted)
    return Scores(precision, recall, _f1(precision, recall), same, _f1(back, there))


def _share(strings: Iterable[str], words: list[str]) -> float:
    """Characters of strings that stand in these words one behind the other, over those of all strings."""
    whole = f" {' '.join(words)} "
    long = [said for one in strings if len(said := tokens(one)) >= LEAST]
    there = sum(len(" ".join(one)) for one in long if f" {' '.join(one)} " in whole)
    return there / max(1, sum(len(" ".join(one)) for one in long))


def _f1(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def main(folder: Path) -> None:
    """Prints the means of each extractor on both halves of the pages, then pages on which ours is the worst by far."""
    pages = sorted(one.parent for one in folder.glob("*/source.html") if (one.parent / "expected.html").exists())
    peers: dict[str, Callable[[Path], tuple[str, list[str]]]] = {"ours": ours, "readability-lxml": readability}
    if importlib.util.find_spec("trafilatura"):
        peers["trafilatura"] = trafilatura
    scores = {
        name: {
            page.name: judge((page / "expected.html").read_text("utf-8", "replace"), extract(page / "source.html"))
            for page in pages
        }
        for name, extract in peers.items()
    }
    halves = {True: "fitted on", False: "left out"}
    print(f"| extractor | pages | n | {' | '.join(Scores._fields)} | median f1 |")
    print("| --- " * (len(Scores._fields) + 4) + "|")
    for fitted, said in halves.items():
        held = [page.name for page in pages if (zlib.crc32(page.name.encode()) % 2 == 0) is fitted]
        for name, found in scores.items():
            rows = [found[page] for page in held]
            means = [f"{statistics.mean(column):.3f}" for column in zip(*rows, strict=True)]
            median = f"{statistics.median(row.f1 for row in rows):.3f}"
            print(f"| {name} | {said} | {len(held)} | {' | '.join(means)} | {median} |")
    for page in pages:
        best = max(found[page.name].f1 for name, found in scores.items() if name != "ours")
        if scores["ours"][page.name].f1 < best - 0.05:
            print(f"  {page.name}: {scores['ours'][page.name].f1:.3f}, the best peer {best:.3f}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
