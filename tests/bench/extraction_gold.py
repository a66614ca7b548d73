"""Measures the layout engine against gold data: numbered sections, coverage, verbatim text, CPU beside PyMuPDF.

python -m tests.bench.extraction_gold [sections|speed] [--corpora DIRECTORY]
"""

import argparse
import io
import json
import os
import time
from collections import defaultdict
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

import pymupdf
from PIL import Image

from shared.domain.draft import ChunkDraft, DocumentDraft
from shared.extraction.layout import extract_page
from shared.extraction.profile import build_profile
from shared.readers.pdf.document import open_pdf
from shared.readers.pdf.render import JPEG_QUALITY
from shared.readers.sketch import sketch_page
from shared.values.addresses import normalise
from tests.bench.extraction import extract

SPEED_FILES = (
    "regs-owasp-asvs/asvs-5.0.0-en.pdf",
    "regs-owasp-asvs/asvs-4.0.3-en.pdf",
    "qa-sec10q-docugami/docs/2022 Q3 NVDA.pdf",
    "qa-northwind-azure/docs/Northwind_Standard_Benefits_Details.pdf",
    "qa-uda/docs/2001.03131.pdf",
    "pdf-ntsb-nih-docugami/ntsb-aviation-incident-accident-reports/20080111X00040.pdf",
)
# The fastest of several runs: what else the machine does only ever adds.
RUNS = 7
NO_IMAGE_BYTES = pymupdf.TEXTFLAGS_DICT & ~pymupdf.TEXT_PRESERVE_IMAGES
SAME_TEXT = 0.9


def measure_sections(corpora: Path) -> dict[str, Any]:
    """Of the ids in the gold: found as a section, on the right page, with (nearly) the right text."""
    by_document: dict[str, list[dict[str, Any]]] = defaultdict(list)
    with (corpora / "regs-owasp-asvs/sections_gold.jsonl").open() as lines:
        for line in lines:
            gold = json.loads(line)
            by_document[gold["doc"]].append(gold)
    return {name: _sections_of(corpora / "regs-owasp-asvs" / name, gold) for name, gold in by_document.items()}


def _sections_of(path: Path, gold: list[dict[str, Any]]) -> dict[str, Any]:
    with open_pdf(path) as source:
        draft = extract(source).draft
    index = _index(draft)
    found = paged = texted = 0
    missed: list[str] = []
    for one in gold:
        sections = index.get(normalise(one["section_id"]), [])
        chunks = [chunk for chunk in draft.chunks if chunk.section in sections]
        found += bool(sections)
        pages = {box.page for chunk in chunks for box in chunk.boxes if box.kind == "page"}
        right_page = bool(pages & set(one["pages_1based"]))
        paged += right_page
        texted += right_page and _has_text(chunks, one["text"])
        if not right_page or not _has_text(chunks, one["text"]):
            missed.append(one["section_id"])
    total = len(gold)
    return {"ids": total, "found": found / total, "page": paged / total, "text": texted / total, "missed": missed[:12]}


def _index(draft: DocumentDraft) -> dict[str, set[int]]:
    index: dict[str, set[int]] = defaultdict(set)
    for section in draft.sections:
        for key in [section.address_key, *section.aliases]:
            if key:
                index[key].add(section.index)
    return index


def _letters(text: str) -> str:
    return "".join(c for c in text.lower() if c.isalnum())


def _has_text(chunks: list[ChunkDraft], wanted: str) -> bool:
    letters = _letters(wanted.split("([")[0])
    matchers = (SequenceMatcher(None, letters, _letters(chunk.content), autojunk=False) for chunk in chunks)
    return any(sum(m.size for m in matcher.get_matching_blocks()) >= SAME_TEXT * len(letters) for matcher in matchers)


def measure_speed(corpora: Path) -> dict[str, dict[str, float]]:
    """CPU ms a page, median of RUNS: PyMuPDF's dict, read_page, extract_page, pixmap with JPEG, render_page."""
    return {Path(name).name: _speed_of(corpora / name) for name in SPEED_FILES}


def _speed_of(path: Path) -> dict[str, float]:
    with open_pdf(path) as source:
        numbers = range(1, min(source.page_count, 30) + 1)
        pages = [source.read_page(n) for n in numbers]
        profile = build_profile(map(sketch_page, pages), source.outline)
        work = {
            "dict": lambda n: source.document[n - 1].get_text("dict", flags=NO_IMAGE_BYTES),
            "read": lambda n: source.read_page(n),
            "layout": lambda n: extract_page(pages[n - 1], profile),
        }
        timed: dict[str, list[float]] = {name: [] for name in work}
        for _ in range(RUNS):
            for name, call in work.items():
                timed[name].append(_cpu(call, numbers))
        few = range(1, min(source.page_count, 6) + 1)
        timed["pixmap+jpeg"] = [_cpu(lambda n: _bare_render(source.document[n - 1]), few) for _ in range(3)]
        timed["render"] = [_cpu(lambda n: source.render_page(n).image, few) for _ in range(3)]
    found = {name: round(min(values), 2) for name, values in timed.items()}
    return {
        **found,
        "read/dict": round(found["read"] / found["dict"], 2),
        "layout/read": round(found["layout"] / found["read"], 2),
        "render/bare": round(found["render"] / found["pixmap+jpeg"], 2),
    }


def _bare_render(page: pymupdf.Page) -> bytes:
    """The pixels alone and one JPEG of the same quality, encoded by the same library."""
    pixmap = page.get_pixmap(dpi=200)
    stream = io.BytesIO()
    image = Image.frombuffer("RGB", (pixmap.width, pixmap.height), pixmap.samples_mv, "raw", "RGB", pixmap.stride, 1)
    image.save(stream, "JPEG", quality=JPEG_QUALITY)
    return stream.getvalue()


def _cpu(call: Any, numbers: range) -> float:
    start = time.process_time()
    for number in numbers:
        call(number)
    return 1000 * (time.process_time() - start) / len(numbers)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("what", nargs="?", choices=["sections", "speed"])
    parser.add_argument("--corpora", type=Path, default=Path(os.environ.get("AUTRI_CORPORA", "../shared/corpora")))
    arguments = parser.parse_args()
    if arguments.what != "speed":
        print(json.dumps(measure_sections(arguments.corpora), indent=1, ensure_ascii=False))
    if arguments.what != "sections":
        for name, row in measure_speed(arguments.corpora).items():
            print(f"{name:45} {row}")


if __name__ == "__main__":
    main()
