"""Headings and the extent of their sections, against what publishers say: requirements, bookmarks, printed contents.

`python -m tests.bench.headings [CORPORA] [--only requirements|bookmarks|contents] [--missed]`. The latter two are
measured twice: with everything the engine may see, and with that very source withheld, so that it does not agree with
its own input.
"""

import argparse
import csv
import json
import os
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from shared.domain.draft import DocumentDraft, SectionDraft
from shared.errors import RefusedFile
from shared.extraction.assemble import assemble
from shared.extraction.layout import extract_page
from shared.extraction.profile import build_profile, title_key
from shared.readers.pdf.document import open_pdf
from shared.readers.sketch import sketch_page
from shared.readers.source import Source
from shared.values.addresses import normalise, printed_address
from tests.bench.printed_contents import Entry, contents_of

STANDARD = "regs-owasp-asvs"
MIN_ENTRIES = 3
_ROMAN_OR_LETTER = re.compile(r"^(?:[IVXLC]+(?:-[A-Z])?|[A-Z])[.:]?\s+")


class Found(NamedTuple):
    """A heading of the draft: the keys of its title with and without the number, its page, its depth, its position."""

    keys: frozenset[str]
    page: int
    depth: int
    chunk: int


def draft_of(source: Source, outline: bool = True, contents: bool = True) -> DocumentDraft:
    """The document as the engine makes it, with bookmarks or printed contents withheld from it."""
    pages = [source.read_page(n) for n in range(1, source.page_count + 1)]
    sketches = [sketch_page(page) for page in pages]
    if not contents:
        sketches = [sketch.model_copy(update={"contents": []}) for sketch in sketches]
    profile = build_profile(sketches, source.outline if outline else ())
    return assemble((page, extract_page(page, profile)) for page in pages)


def headings_of(draft: DocumentDraft) -> list[Found]:
    found: list[Found] = []
    for number, chunk in enumerate(draft.chunks):
        if chunk.chunk_type == "heading" and chunk.section is not None:
            page = next(box.page for box in chunk.boxes if box.kind == "page")
            found.append(Found(keys_of(chunk.content), page, draft.sections[chunk.section].depth, number))
    return found


def keys_of(title: str) -> frozenset[str]:
    printed = printed_address(title)
    rest = title[printed[1] :] if printed else _ROMAN_OR_LETTER.sub("", title)
    return frozenset(key for key in (title_key(title), title_key(rest)) if key)


def compare(draft: DocumentDraft, gold: Sequence[Entry]) -> dict[str, Any]:
    """Recall on `gold`, precision among headings of the pages and depths that matched gold covers, extents."""
    headings = headings_of(draft)
    matched: dict[int, Found] = {}
    used: set[int] = set()
    for index, entry in enumerate(gold):
        same = [h for h in headings if h.chunk not in used and h.page == entry.page and h.keys & keys_of(entry.title)]
        if same:
            matched[index] = same[0]
            used.add(same[0].chunk)
    depths = [h.depth for h in matched.values()] or [0]
    first, last = min(e.page for e in gold), max(e.page for e in gold)
    others = [
        h for h in headings if h.chunk not in used and first <= h.page <= last and min(depths) <= h.depth <= max(depths)
    ]
    recall = len(matched) / len(gold)
    precision = len(matched) / max(1, len(matched) + len(others))
    return {
        "gold": len(gold), "found": len(matched), "recall": round(recall, 4), "others": len(others),
        "precision": round(precision, 4), "f1": f1(precision, recall), "extent": _extents(draft, gold, matched),
        "missed": [e.title for i, e in enumerate(gold) if i not in matched],
        "extra": [draft.chunks[h.chunk].content[:60] for h in others],
    }  # fmt: skip


def _extents(draft: DocumentDraft, gold: Sequence[Entry], matched: dict[int, Found]) -> float:
    """Of the body chunks between two gold headings that follow each other, the share that lies under the first."""
    right = total = 0
    for index in range(len(gold) - 1):
        if index not in matched or index + 1 not in matched:
            continue
        start, end = matched[index].chunk, matched[index + 1].chunk
        own = draft.chunks[start].section
        for chunk in draft.chunks[start + 1 : end]:
            total += 1
            right += own in _path(draft, chunk.section)
    return round(right / total, 4) if total else 1.0


def _path(draft: DocumentDraft, section: int | None) -> set[int]:
    found: set[int] = set()
    while section is not None:
        found.add(section)
        section = draft.sections[section].parent
    return found


def f1(precision: float, recall: float) -> float:
    return round(2 * precision * recall / (precision + recall), 4) if precision + recall else 0.0


def measure_requirements(corpora: Path) -> dict[str, Any]:
    """The publisher's table: titles of chapters and sections as headings, requirements as sections, each with its text.

    Precision counts every heading and section of the draft whose address looks like one of the scheme (`V1`, `V1.1`).
    """
    found: dict[str, Any] = {}
    for table in sorted((corpora / STANDARD).glob("*-en.csv")):
        with open_pdf(table.with_suffix(".pdf")) as source:
            draft = draft_of(source)
        with table.open(encoding="utf-8-sig") as lines:
            rows = list(csv.DictReader(lines))
        found[table.stem] = _requirements(draft, rows) | _titles(draft, rows)
    return found


def _titles(draft: DocumentDraft, rows: Sequence[dict[str, str]]) -> dict[str, Any]:
    gold = {normalise(row[f"{level}_id"]): row[f"{level}_name"] for row in rows for level in ("chapter", "section")}
    printed = [s for s in draft.sections if s.address_key and s.title and _of_scheme(s.address_key, "v")]
    good = {s.address_key for s in printed if title_key(s.title) == title_key(gold.get(s.address_key or "", ""))}
    bad = [f"{s.address} {s.title}"[:60] for s in printed if s.address_key not in good]
    twice = len([s for s in printed if s.address_key in good]) - len(good)
    recall, precision = len(good) / len(gold), len(good) / max(1, len(printed))
    return {"titles": {"gold": len(gold), "recall": round(recall, 4), "precision": round(precision, 4), "twice": twice,
                       "f1": f1(precision, recall), "extra": bad}}  # fmt: skip


def _requirements(draft: DocumentDraft, rows: Sequence[dict[str, str]]) -> dict[str, Any]:
    gold = {normalise(row["req_id"]): row["req_description"] for row in rows}
    keyed = {s.index: _requirement_key(s) for s in draft.sections if not s.title and _requirement_key(s)}
    good = set(keyed.values()) & set(gold)
    recall, precision = len(good) / len(gold), len(good) / max(1, len(keyed))
    texts: dict[str, list[str]] = defaultdict(list)
    for chunk in draft.chunks:
        texts[keyed.get(chunk.section if chunk.section is not None else -1, "")].append(chunk.content)
    exact = sum(_extent_is_right(texts.get(key, []), text) for key, text in gold.items())
    extra = [key for key in keyed.values() if key not in gold]
    return {
        "requirements": {
            "gold": len(gold), "recall": round(recall, 4), "precision": round(precision, 4),
            "f1": f1(precision, recall), "extent": round(exact / len(gold), 4), "extra": extra,
        }
    }  # fmt: skip


def _requirement_key(section: SectionDraft) -> str:
    """`v1.2.3`, however the requirement's number is printed."""
    keys = [section.address_key or "", *section.aliases]
    return next((key for key in keys if _of_scheme(key, "v") and key.count(".") == 2), "")


def _of_scheme(key: str, letter: str) -> bool:
    return key.startswith(letter) and key[1:].replace(".", "").isdigit()


def _extent_is_right(chunks: Sequence[str], wanted: str) -> bool:
    """The section holds the words of the requirement in order, and few besides (levels, CWE numbers, references)."""
    letters, text = title_key(wanted.split("([")[0].replace("**", "")), title_key(" ".join(chunks))
    return bool(letters) and letters in text and len(text) - len(letters) <= max(60, 0.2 * len(letters))


def measure_bookmarks(files: Iterable[Path]) -> dict[str, Any]:
    """Per document with at least three bookmarks that stand, word for word, on the page they point to."""
    found: dict[str, Any] = {}
    for path in files:
        with open_pdf(path) as source:
            texts = {n: title_key(str(source.document[n - 1].get_text())) for n in range(1, source.page_count + 1)}
            gold = [Entry(e.title, e.page) for e in source.outline if any(k in texts[e.page] for k in keys_of(e.title))]
            if len(gold) >= MIN_ENTRIES:
                found[path.name] = {
                    "with": compare(draft_of(source), gold),
                    "withheld": compare(draft_of(source, outline=False), gold),
                }
    return found


def measure_contents(files: Iterable[Path]) -> dict[str, Any]:
    """Per document with a printed table of contents whose titles stand on the pages that it names."""
    found: dict[str, Any] = {}
    for path in files:
        with open_pdf(path) as source:
            gold = contents_of(source)
            if len(gold) >= MIN_ENTRIES:
                found[path.name] = {
                    "with": compare(draft_of(source), gold),
                    "withheld": compare(draft_of(source, outline=False, contents=False), gold),
                }
    return found


def readable(corpora: Path) -> list[Path]:
    """The PDFs below `corpora` that open."""
    found: list[Path] = []
    for path in sorted(corpora.rglob("*.pdf")):
        try:
            with open_pdf(path):
                found.append(path)
        except RefusedFile:
            continue
    return found


def _print(name: str, measured: dict[str, Any], missed: bool) -> None:
    print(f"== {name}")
    for file, row in measured.items():
        for part, values in row.items():
            shown = {k: v for k, v in values.items() if missed or not isinstance(v, list)}
            print(f"{file[:44]:44} {part:12} {json.dumps(shown, ensure_ascii=False)}")
    parts = sorted({part for row in measured.values() for part in row})
    for part in parts:
        mean = [row[part]["f1"] for row in measured.values()]
        print(f"{'mean':44} {part:12} f1 {sum(mean) / len(mean):.4f} over {len(mean)} documents")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument(
        "corpora", nargs="?", type=Path, default=Path(os.environ.get("AUTRI_CORPORA", "../shared/corpora"))
    )
    parser.add_argument("--only", choices=["requirements", "bookmarks", "contents"])
    parser.add_argument("--missed", action="store_true", help="name what was missed and what was found besides")
    arguments = parser.parse_args()
    if arguments.only in (None, "requirements"):
        _print("requirements", measure_requirements(arguments.corpora), arguments.missed)
    files = readable(arguments.corpora) if arguments.only != "requirements" else []
    if arguments.only in (None, "bookmarks"):
        _print("bookmarks", measure_bookmarks(files), arguments.missed)
    if arguments.only in (None, "contents"):
        _print("contents", measure_contents(files), arguments.missed)


if __name__ == "__main__":
    main()
