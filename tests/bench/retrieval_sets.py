"""Question sets over real PDFs: what is asked, which pages or documents answer it, and the files to ingest.

Northwind is the set that peers were measured on. Those of `retrieval_made` have their gold from the texts' own
structure. Constants are chosen with each collection left out once: docs/decisions/0044-fusion-by-scores.md
"""

import html
import json
import re
from pathlib import Path
from typing import Any

from tests.bench.retrieval_data import CORPORA
from tests.bench.retrieval_made import MADE
from tests.bench.retrieval_question import Question, QuestionSet
from tests.store.seeding import Passage


def northwind() -> QuestionSet:
    rows = [q for q in rows_of("qa-northwind-azure") if q["evidence"]]
    found = [(q["question"], frozenset((e["doc"], e["page_1based"]) for e in q["evidence"])) for q in rows]
    questions = [Question(text, pages, frozenset(doc for doc, _ in pages)) for text, pages in found]
    return QuestionSet(files_of("qa-northwind-azure"), questions)


def uda() -> QuestionSet:
    """A page is known for questions on annual reports; each asks its own document, which the text does not name."""
    questions = [_uda_question(q) for q in rows_of("qa-uda")]
    return QuestionSet(files_of("qa-uda"), questions)


def sec10q() -> QuestionSet:
    """Quarterly reports of three companies: four near-equal documents each, documents as the answer."""
    questions = [Question(q["question"], frozenset(), frozenset(q["docs"])) for q in rows_of("qa-sec10q-docugami")]
    return QuestionSet(files_of("qa-sec10q-docugami"), questions)


def asvs() -> QuestionSet:
    """Every section id of the English verification standards inside sentences, with the pages that hold it."""
    rows = [json.loads(line) for line in (CORPORA / "regs-owasp-asvs" / "sections_gold.jsonl").read_text().splitlines()]
    files = sorted((CORPORA / "regs-owasp-asvs").glob("*-en.pdf"))
    questions = [
        Question(
            sentence.format(row["section_id"]),
            frozenset((row["doc"], page) for page in row["pages_1based"]),
            frozenset({row["doc"]}),
            row["doc"],
        )
        for i, row in enumerate(r for r in rows if any(r["doc"] == f.name for f in files))
        for sentence in [SENTENCES[i % len(SENTENCES)]]
    ]
    return QuestionSet(files, questions)


def studies() -> QuestionSet:
    """Protocols of clinical trials and three pages of statistics; as of `tallies` and `articles` no page is known."""
    names = ("12s0324", "population_growth", "agstat")
    tables = [f for n in names for f in (CORPORA / "tables-camelot" / "benchmark").glob(f"*/{n}/{n}.pdf")]
    return QuestionSet([*sorted((CORPORA / "pdf-ntsb-nih-docugami").glob("nih*/*.pdf")), *tables], [])


def tallies() -> QuestionSet:
    """Pages of figures by year, district and region, two of them of reports."""
    names = ("column_span_1", "background_lines_1", "missing_values", "good_energy")
    return QuestionSet([CORPORA / "tables-camelot" / "files" / f"{name}.pdf" for name in names], [])


def articles() -> QuestionSet:
    """Articles of the web, a document each."""
    texts = dict[str, list[Passage]]()
    for name in ("lwn-1", "keep-images", "webmd-2", "tmz-1"):
        page = (CORPORA / "html-readability" / name / "expected.html").read_text()
        blocks = re.findall(r"<(?:p|h\d|li|tr)\b.*?</(?:p|h\d|li|tr)>", page, re.DOTALL)
        read = [" ".join(html.unescape(re.sub(r"<[^>]+>", " ", block)).split()) for block in blocks]
        texts[name] = [Passage(text, page=number) for number, text in enumerate(filter(None, read), start=1)]
    return QuestionSet([], [], texts)


# How people put an address into a question.
SENTENCES = (
    "what does {} say about this?",
    "Please explain requirement {}.",
    "Which level does {} apply to?",
    "is {} mandatory, and how is it verified",
    "{}",
    "compare our login page with {} of the standard",
)

FURTHER = {"studies": studies, "tallies": tallies, "articles": articles}
SETS = {"asvs": asvs, "northwind": northwind, "uda": uda, "sec10q": sec10q, **FURTHER, **MADE}


def _uda_question(row: dict[str, Any]) -> Question:
    page = row.get("page_1based")
    return Question(
        row["question"],
        frozenset({(row["doc"], page)}) if page else frozenset(),
        frozenset({row["doc"]}),
        row["doc"],
        "numeric" if page else "other",
    )


def rows_of(folder: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (CORPORA / folder / "questions.jsonl").read_text().splitlines()]


def files_of(folder: str) -> list[Path]:
    return sorted((CORPORA / folder / "docs").glob("*.pdf"))
