"""From which confidence of the layout engine on a page should go to the model: measured on ground truth.

`python -m tests.bench.auto_threshold [CORPORA]` prints, for each threshold, the share of pages that `auto` would send
and the share of the really bad pages that it would catch. A page's error is measured, never guessed:

- docling's ground truth: 1 - edit similarity of the page's text in its order (as `reading_order` measures it)
- ASVS: the share of the page's requirements whose text is not (nearly) that of the section of that number
- tables: 1 - cell adjacency F1 of the page (as `tables` measures it), on docling's ground truth, camelot's ruled
  samples and documents made for the purpose, among them pages without any table

- order: pages of five documents as they are, and with lines shuffled or set over others (`confidence`): damage to the
  order, which grouping can heal, unlike lost letters

A page is really bad from an error of BAD on.
"""

import argparse
import json
import os
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any, NamedTuple

from shared.extraction.assemble import assemble
from shared.readers.pdf.document import open_pdf
from shared.values.addresses import normalise
from tests.bench import confidence
from tests.bench.extraction import Extracted, extract
from tests.bench.extraction_gold import SAME_TEXT
from tests.bench.reading_order import normalised, score, truth_of
from tests.bench.tables import flat, read_tables
from tests.bench.tables_gold import Gold, docling_gold, lattice_tables
from tests.bench.tables_made import make_documents
from tests.bench.tables_score import score as table_score

BAD = 0.2
THRESHOLDS = (0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 0.98, 1.0)
MIN_CHARACTERS = 40


class Page(NamedTuple):
    """A page with the engine's confidence and the measured error."""

    where: str
    confidence: float
    error: float


def docling_pages(corpora: Path) -> Iterator[Page]:
    folder = corpora / "mixed-docling/pdf"
    for truth_file in sorted((folder / "groundtruth").glob("*.json")):
        source = folder / "sources" / f"{truth_file.name.removesuffix('.json')}.pdf"
        document = json.loads(truth_file.read_text())
        if source.exists() and isinstance(document, dict) and "body" in document:
            yield from _compared(source, truths_by_page(document))


def truths_by_page(document: dict[str, Any]) -> dict[int, str]:
    """The body's text by page; what runs over several pages counts for its first."""
    texts: defaultdict[int, list[str]] = defaultdict(list)
    for pointer, page in _leaves(document, document["body"]):
        texts[page].append(truth_of({**document, "body": {"children": [{"$ref": pointer}]}}))
    return {page: "\n".join(found) for page, found in texts.items()}


def _leaves(document: dict[str, Any], node: dict[str, Any]) -> Iterator[tuple[str, int]]:
    for child in node.get("children", []):
        _, kind, number = child["$ref"].split("/")
        found = document[kind][int(number)]
        if found.get("prov"):
            yield child["$ref"], int(found["prov"][0]["page_no"])
        else:
            yield from _leaves(document, found)


def _compared(path: Path, truths: dict[int, str]) -> Iterator[Page]:
    with open_pdf(path) as source:
        found = extract(source)
    for file, operations in zip(found.pages, found.operations, strict=True):
        truth = normalised(truths.get(file.page, ""))
        if len(truth) < MIN_CHARACTERS:
            continue
        chunks = assemble([(file, operations)]).chunks
        text = normalised("\n".join(chunk.content for chunk in chunks if chunk.chunk_type != "table_row"))
        edit = score(truth, text)["edit"] or 0.0
        yield Page(f"{path.stem} p{file.page}", operations.confidence, 1 - edit)


def asvs_pages(corpora: Path) -> Iterator[Page]:
    gold: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for line in (corpora / "regs-owasp-asvs/sections_gold.jsonl").read_text().splitlines():
        row = json.loads(line)
        gold[row["doc"]].append(row)
    for name, rows in gold.items():
        with open_pdf(corpora / "regs-owasp-asvs" / name) as source:
            yield from _requirements(name, extract(source), rows)


def _requirements(name: str, found: Extracted, rows: list[dict[str, Any]]) -> Iterator[Page]:
    sections: defaultdict[str, list[str]] = defaultdict(list)
    for chunk in found.draft.chunks:
        section = found.draft.sections[chunk.section] if chunk.section is not None else None
        for key in [section.address_key, *section.aliases] if section else []:
            sections[key or ""].append(_letters(chunk.content))
    missed: defaultdict[int, list[bool]] = defaultdict(list)
    for row in rows:
        wanted = _letters(row["text"].split("([")[0])
        texts = sections.get(normalise(row["section_id"]), [])
        missed[row["pages_1based"][0]].append(not any(_says(text, wanted) for text in ["".join(texts), *texts]))
    for page, failures in missed.items():
        yield Page(f"{name} p{page}", found.operations[page - 1].confidence, sum(failures) / len(failures))


def _says(text: str, wanted: str) -> bool:
    """Whether nearly all of `wanted` is in `text`, in its order."""
    blocks = SequenceMatcher(None, wanted, text, autojunk=False).get_matching_blocks()
    return wanted in text or sum(block.size for block in blocks) >= SAME_TEXT * len(wanted)


def _letters(text: str) -> str:
    return "".join(c for c in text.lower() if c.isalnum())


def table_pages(golds: Iterable[Gold]) -> Iterator[Page]:
    """Pages that have a table, or on which one was found."""
    for gold in golds:
        with open_pdf(gold.path) as source:
            confidences = [operations.confidence for operations in extract(source).operations]
        ours = [flat(part) for part in read_tables(gold.path).parts]
        for number, sure in enumerate(confidences, 1):
            wanted = [flat(part) for part in gold.tables if part.page == number]
            told = [part for part in ours if part.page == number]
            if wanted or told:
                error = 1 - table_score(wanted, told).figures()["adjacency"]
                yield Page(f"{gold.path.name} p{number}", sure, error)


def table(pages: list[Page]) -> str:
    bad = [page for page in pages if page.error >= BAD]
    lines = [f"{len(pages)} pages, {len(bad)} with an error of {BAD} or more"]
    for threshold in THRESHOLDS:
        sent = [page for page in pages if page.confidence < threshold]
        caught = sum(page.error >= BAD for page in sent)
        rest = [page.error for page in pages if page.confidence >= threshold]
        lines.append(
            f"  below {threshold:4.2f}: {len(sent) / len(pages):6.1%} of pages sent,"
            f" {caught / len(bad) if bad else 0:6.1%} of the bad ones caught, of those sent"
            f" {caught / len(sent) if sent else 0:6.1%} bad, mean error of the rest {sum(rest) / max(1, len(rest)):.3f}"
        )
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("corpora", nargs="?", type=Path)
    parser.add_argument("--show", action="store_true", help="the bad pages, worst first")
    arguments = parser.parse_args()
    corpora = arguments.corpora or Path(os.environ.get("AUTRI_CORPORA", "../shared/corpora"))
    found = {"docling": list(docling_pages(corpora)), "ASVS": list(asvs_pages(corpora))}
    with tempfile.TemporaryDirectory() as folder:
        made = [Gold(one.path, one.parts) for one in make_documents(Path(folder), 36)]
        damaged = confidence.measure(corpora, 6)
        found["order"] = [Page(*one) for one in damaged if one.damage in ("clean", "shuffled", "overlaid")]
        found["tables"] = list(table_pages([*docling_gold(corpora), *lattice_tables(corpora), *made]))
    everything = [page for pages in found.values() for page in pages]
    for name, some in {**found, "all": everything}.items():
        print(f"{name}: {table(some)}")
    if arguments.show:
        for page in sorted(everything, key=lambda page: -page.error):
            if page.error >= BAD:
                print(f"{page.error:.2f} {page.confidence:.3f} {page.where}")


if __name__ == "__main__":
    main()
