"""Tables at scale: are they found where a document's source says that there are some, and nowhere else?

`python -m tests.bench.tables_sources FOLDER [--half fit] [--show]`. FOLDER holds packages, unpacked, whose PDFs
have a source in TeX beside them (Debian's `r-cran-*`, `r-bioc-*`, `texlive-*-doc`) or web pages of the same text
(`gap-*`, manuals with `-doc`). Packages are halved by a hash of their names. Per half: tables made that the source says
are none, per 100 pages, and in how many packages; what may be one to some (lists of terms, printed output) apart; of
the tables of the sources how many were found, are there, and how many of their rows are whole. Of long documents 93
pages are read. `tables_sources.txt` names the packages of the decision 0219.
"""

import argparse
import json
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from shared.domain.page import PageFile
from shared.domain.sketch import Profile
from shared.domain.turned import as_read
from shared.errors import AutriError
from shared.extraction.layout import extract_page
from shared.extraction.profile import build_profile
from shared.readers.pdf.document import open_pdf
from shared.readers.sketch import sketch_page
from shared.values.fonts import is_mono_font
from tests.bench.html_truth import Verdict, Web, in_text, read_web, verdict
from tests.bench.tables import tables_of_page
from tests.bench.tables_score import Table
from tests.bench.tex_truth import TEX, Truth, truth_of, words_of

LONG_DOCUMENT, LONGEST = 100, 3000
FOUND_SHARE = 0.5
# PDFs of a package with web pages: others are the same in another size of paper, or translations.
MOST = 2
HALVES = ("fit", "left out")
MATH = ("CM", "MSBM", "MSAM", "LINE", "Helvetica")


class Document(NamedTuple):
    """A PDF and what its source or the web pages beside it say."""

    package: str
    path: Path
    truth: Truth | None
    web: Web | None


class Pages(NamedTuple):
    """The pages that are read of a document."""

    files: list[PageFile]
    profile: Profile


def documents(folder: Path, half: str) -> Iterator[Document]:
    for package in sorted(folder.iterdir()):
        paths = sorted(package.rglob("*.pdf"))
        beside = {path: next((p for e in TEX if (p := path.with_suffix(e)).is_file()), None) for path in paths}
        for path in [path for path in paths if beside[path] and half_of(_collection(folder, path)) == half]:
            truth = truth_of(beside[path] or path)
            if truth and (truth.tables or truth.none):
                yield Document(_collection(folder, path), path, truth, None)
        if not any(beside.values()) and half_of(package.name) == half and (web := read_web(package)):
            for path in paths[:MOST]:
                yield Document(package.name, path, None, web)


def _collection(folder: Path, path: Path) -> str:
    """The package; within those of TeX the folder of a document, as each holds many packages."""
    package = path.relative_to(folder).parts[0]
    return f"{package}/{path.parent.name}" if package.startswith("texlive") else package


def half_of(name: str) -> str:
    return HALVES[zlib.crc32(name.encode()) % 2]


def read(path: Path) -> Pages | None:
    """The pages of a PDF, of a long one some from its middle and its end; None where it cannot be read."""
    try:
        with open_pdf(path) as source:
            n = source.page_count
            some = [*range(n // 3, n // 3 + 60), *range(2 * n // 3, 2 * n // 3 + 25), *range(n - 8, n + 1)]
            files = [source.read_page(page) for page in (some if n > LONG_DOCUMENT else range(1, n + 1))]
            profile = build_profile((sketch_page(as_read(file)) for file in files), source.outline)
            return Pages(files, profile.model_copy(update={"pages": n})) if n <= LONGEST else None
    except AutriError:
        return None


def judged(document: Document, pages: Pages) -> Iterator[tuple[Table, PageFile, Verdict]]:
    """Our tables, each with what the source says of it."""
    main = Counter[str]()
    for file in pages.files:
        for fragment in file.fragments:
            main[fragment.font] += len(fragment.text)
    for file in pages.files:
        for table in tables_of_page(file, extract_page(file, pages.profile)):
            yield table, file, _judge(document, table, file, main.most_common(1)[0][0])


def _judge(document: Document, table: Table, file: PageFile, main: str) -> Verdict:
    rows = cells_of(table)
    said = verdict(rows, document.web) if document.web else document.truth.judge(rows) if document.truth else "unclear"
    if said == "wrong" and _is_typed(table, file, main if document.path.with_suffix(".Rnw").exists() else None):
        return "typed"
    return said


def _is_typed(table: Table, file: PageFile, main: str | None) -> bool:
    """Whether most of the table is monospaced, or, where the `main` font is given, in a font that is neither that nor
    one of formulas and plots: output of programs."""
    x0, y0, x1, y1 = table.box or (0, 0, 0, 0)
    w, h = file.width_pt, file.height_pt
    inside = [f for f in file.fragments if x0 - 1 <= f.box.x * w <= x1 and y0 - 1 <= f.box.y * h <= y1]
    typed = sum(f.mono or is_mono_font(f.font) for f in inside)
    others = sum(f.font != main and not f.font.startswith(MATH) for f in inside) if main else 0
    return 2 * max(typed, others) > len(inside)


def cells_of(table: Table) -> list[list[str]]:
    rows: dict[int, list[str]] = {}
    for cell in table.cells:
        if text := words_of(cell.text):
            rows.setdefault(cell.row, []).append(text)
    return [rows[row] for row in sorted(rows)]


def compare(wanted: Sequence[Sequence[Sequence[str]]], ours: Sequence[Sequence[Sequence[str]]]) -> Counter[str]:
    """How many of the wanted tables have half of their cells in ours, one or several together, and how many of their
    rows are one of ours."""
    have = [Counter(cell for row in table for cell in row) for table in ours]
    counts = Counter[str]()
    for table in wanted:
        cells = Counter(cell for row in table for cell in row)
        near = [own for own in have if 2 * (own & cells).total() >= own.total()]
        best = max(((own & cells).total() for own in have), default=0)
        together = (sum(near, Counter[str]()) & cells).total()
        counts["are"] += 1
        counts["found"] += max(best, together) >= FOUND_SHARE * cells.total()
        counts["rows"] += len(table)
    lines = Counter(tuple(row) for table in ours for row in table)
    counts["rows whole"] = (lines & Counter(tuple(row) for table in wanted for row in table)).total()
    return counts


def count(folder: Path, half: str, *, show: bool) -> dict[str, Any]:
    total, wrong = Counter[str](), Counter[str]()
    for document in documents(folder, half):
        pages = read(document.path)
        if pages is None:
            continue
        found = list(judged(document, pages))
        text = "".join(words_of(f.text) for file in pages.files for f in file.fragments) if document.web else ""
        wanted = in_text(document.web, text) if document.web else document.truth.tables if document.truth else []
        total += compare(wanted, [cells_of(table) for table, _, _ in found])
        total += Counter({"pages": len(pages.files), "documents": 1}) + Counter(said for _, _, said in found)
        wrong[document.package] += sum(said == "wrong" for _, _, said in found)
        for table, _, said in found if show else []:
            if said == "wrong":
                first = " | ".join(" / ".join(row) for row in cells_of(table)[:3])
                print(f"{document.path} {table.page} {[round(x) for x in table.box or ()]} {first[:120]}")
    return {
        **total,
        "wrong per 100 pages": round(100 * total["wrong"] / max(1, total["pages"]), 2),
        "packages with wrong": len(+wrong),
        "found share": round(total["found"] / max(1, total["are"]), 3),
        "rows share": round(total["rows whole"] / max(1, total["rows"]), 3),
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--half", choices=HALVES, action="append")
    parser.add_argument("--show", action="store_true", help="what is wrong in the half `fit`")
    a = parser.parse_args()
    for half in a.half or HALVES:
        print(json.dumps({half: count(a.folder, half, show=a.show and half == "fit")}))


if __name__ == "__main__":
    main()
