"""Reading order against published ground truth, for us and for other libraries.

`python -m tests.bench.reading_order [CORPORA] [--peers] [--show FILE]`: every PDF of mixed-docling/pdf/sources that has
a ground truth `.json`. Truth is its body from top to bottom: texts, list items, captions, tables cell by cell, text in
pictures; its furniture layer is left out. Ours is the content of the chunks in document order (a table once, not its
rows again); a peer's is what its own function for the whole text returns. All pass the same `normalised`.

- edit: 1 - Levenshtein distance of the characters / length of the longer text
- tokens: F1 over the words as a multiset, whatever their order
- tau: Kendall's tau over the runs of three words that occur once in both texts (pairs of one are no evidence: None)

Peers are measured where they can be imported: put a separate environment's packages on PYTHONPATH.
"""

import argparse
import json
import os
import re
import unicodedata
from bisect import bisect, insort
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from statistics import mean
from typing import Any

from shared.readers.pdf.document import open_pdf
from tests.bench.extraction import extract

FOLDER = "mixed-docling/pdf"
RUN = 3
Scores = dict[str, float | None]
# Marks of Markdown, bullets and form boxes (also as private or control characters): ways to show structure, not text.
_MARKS = re.compile(
    r"<!--.*?-->|</?[a-z]+/?>|[#*_|`>~\\\u2022\u25cf\u25cb\u25aa\u25a0\u25a1\u2610\u2611\u2612\ue000-\uf8ff]"
)
_CONTROLS = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f]")
_DASHES = re.compile(r"(?<!\S)[-:]+(?!\S)")
_HYPHENATED = re.compile(r"(?<=\w)[-\u2010\u00ad]\s+(?=[^\W\d_])")
_TYPOGRAPHIC = str.maketrans("\u2018\u2019\u201c\u201d\u2010\u2011\u2012\u2013\u2014\u2212", "''\"\"------", "\u00ad")


def normalised(text: str) -> str:
    """NFKC, plain quotes and dashes; marks of Markdown, bullets and controls gone, words divided at a line's end
    joined, white space single."""
    text = _CONTROLS.sub(" ", unicodedata.normalize("NFKC", text))
    text = _DASHES.sub(" ", _MARKS.sub(" ", _HYPHENATED.sub("", text).translate(_TYPOGRAPHIC)))
    return " ".join(text.split())


def truth_of(document: dict[str, Any]) -> str:
    """The text of a ground truth's body, in its order."""
    return "\n".join(_texts(document, document["body"]))


def _texts(document: dict[str, Any], node: dict[str, Any]) -> Iterator[str]:
    if node.get("content_layer") == "furniture":
        return
    captions = [reference["$ref"] for reference in node.get("captions", [])]
    yield from (text for pointer in captions for text in _texts(document, _follow(document, pointer)))
    if "text" in node:
        yield node["orig"]
    cells = (node.get("data") or {}).get("table_cells", [])
    cells = sorted(cells, key=lambda cell: (cell["start_row_offset_idx"], cell["start_col_offset_idx"]))
    yield from (cell["text"] for cell in cells)
    for reference in node.get("children", []):
        if reference["$ref"] not in captions:
            yield from _texts(document, _follow(document, reference["$ref"]))


def _follow(document: dict[str, Any], pointer: str) -> dict[str, Any]:
    _, kind, number = pointer.split("/")
    return document[kind][int(number)]


def ours(path: Path) -> str:
    with open_pdf(path) as source:
        chunks = extract(source).draft.chunks
    return "\n".join(chunk.content for chunk in chunks if chunk.chunk_type != "table_row")


def _pymupdf4llm(path: Path) -> str:
    return str(import_module("pymupdf4llm").to_markdown(str(path)))


def _pdfplumber(path: Path) -> str:
    with import_module("pdfplumber").open(path) as document:
        return "\n".join(page.extract_text() for page in document.pages)


def _pypdfium2(path: Path) -> str:
    document = import_module("pypdfium2").PdfDocument(str(path))
    return "\n".join(page.get_textpage().get_text_range() for page in document)


def _unstructured(path: Path) -> str:
    elements = import_module("unstructured.partition.pdf").partition_pdf(str(path), strategy="fast")
    return "\n".join(str(element) for element in elements)


def _docling(path: Path) -> str:
    converter = import_module("docling.document_converter").DocumentConverter()
    return str(converter.convert(path).document.export_to_markdown())


PEERS: dict[str, Callable[[Path], str]] = {
    "pymupdf4llm": _pymupdf4llm, "pdfplumber": _pdfplumber, "pypdfium2": _pypdfium2,
    "unstructured": _unstructured, "docling": _docling,
}  # fmt: skip


def score(truth: str, found: str) -> Scores:
    """The three figures of two raw texts."""
    a, b = normalised(truth), normalised(found)
    left, right = words(a), words(b)
    common = sum((Counter(left) & Counter(right)).values())
    return {
        "edit": 1 - distance(a, b) / max(1, len(a), len(b)),
        "tokens": 2 * common / max(1, len(left) + len(right)),
        "tau": kendall_tau(left, right),
    }


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def distance(a: str, b: str) -> int:
    """Levenshtein's, by columns of bits (Myers 1999, as Hyyrö 2003 states it)."""
    if not a or not b:
        return len(a) + len(b)
    places: Counter[str] = Counter()
    for position, character in enumerate(a):
        places[character] |= 1 << position
    full, last = (1 << len(a)) - 1, 1 << (len(a) - 1)
    up, down, cost = full, 0, len(a)
    for character in b:
        match = places[character] | down
        zero = (((match & up) + up) ^ up) | match
        rise, fall = down | ~(zero | up) & full, up & zero
        cost += bool(rise & last) - bool(fall & last)
        rise, fall = ((rise << 1) | 1) & full, (fall << 1) & full
        up, down = (fall | ~(zero | rise)) & full, rise & zero
    return cost


def kendall_tau(left: Sequence[str], right: Sequence[str]) -> float | None:
    """Over runs of RUN words that occur once on each side."""
    runs = [list(zip(*[side[k:] for k in range(RUN)], strict=False)) for side in (left, right)]
    counts = [Counter(side) for side in runs]
    place = {run: position for position, run in enumerate(runs[1]) if counts[1][run] == 1}
    order = [place[run] for run in runs[0] if counts[0][run] == 1 and run in place]
    seen: list[int] = []
    discordant = 0
    for position in order:
        discordant += len(seen) - bisect(seen, position)
        insort(seen, position)
    pairs = len(order) * (len(order) - 1) // 2
    return 1 - 2 * discordant / pairs if pairs else None


def measure(corpora: Path, readers: dict[str, Callable[[Path], str]]) -> dict[str, dict[str, Scores]]:
    """Reader → file → scores, with `mean` beside the files."""
    truths = {path.stem: truth_of(json.loads(path.read_text())) for path in truth_files(corpora)}
    found: dict[str, dict[str, Scores]] = {}
    for name, read in readers.items():
        rows = {stem: score(truth, read(corpora / FOLDER / f"sources/{stem}.pdf")) for stem, truth in truths.items()}
        found[name] = rows | {"mean": _mean(list(rows.values()))}
    return found


def truth_files(corpora: Path) -> list[Path]:
    files = sorted((corpora / FOLDER / "groundtruth").glob("*.json"))
    return [f for f in files if (corpora / FOLDER / f"sources/{f.stem}.pdf").exists()]


def _mean(rows: Sequence[Scores]) -> Scores:
    kept = {key: [value for row in rows if (value := row[key]) is not None] for key in ("edit", "tokens", "tau")}
    return {key: mean(values) if values else None for key, values in kept.items()}


def importable() -> dict[str, Callable[[Path], str]]:
    """The peers that are installed."""
    found: dict[str, Callable[[Path], str]] = {}
    for name, read in PEERS.items():
        try:
            import_module(name)
        except ImportError as error:
            print(f"{name}: not measured ({error})")
        else:
            found[name] = read
    return found


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument(
        "corpora", nargs="?", type=Path, default=Path(os.environ.get("AUTRI_CORPORA", "../shared/corpora"))
    )
    parser.add_argument("--peers", action="store_true")
    parser.add_argument("--show", metavar="FILE", help="print both normalised texts of one file")
    arguments = parser.parse_args()
    if arguments.show:
        folder = arguments.corpora / FOLDER
        print(normalised(truth_of(json.loads((folder / f"groundtruth/{arguments.show}.json").read_text()))), "\n---")
        print(normalised(ours(folder / f"sources/{arguments.show}.pdf")))
        return
    for name, rows in measure(arguments.corpora, {"ours": ours} | (importable() if arguments.peers else {})).items():
        for stem, row in rows.items():
            figures = "  ".join(f"{key} {'-' if value is None else f'{value:.3f}'}" for key, value in row.items())
            print(f"{name:12} {stem:32} {figures}")


if __name__ == "__main__":
    main()
