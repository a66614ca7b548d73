"""Question sets over real PDFs: what is asked, which pages or documents answer it, and the files to ingest.

Northwind is the set that peers were measured on. Those of `retrieval_made` have their gold from the texts' own
structure. Constants are chosen with each collection left out once: docs/decisions/0044-fusion-by-scores.md
"""

import html
import json
import re
import textwrap
from email import message_from_bytes
from email.message import Message
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
    return QuestionSet([], [], _web_pages("lwn-1", "keep-images", "webmd-2", "tmz-1"))


def _web_pages(*names: str) -> dict[str, list[Passage]]:
    texts = dict[str, list[Passage]]()
    for name in names:
        page = (CORPORA / "html-readability" / name / "expected.html").read_text()
        blocks = re.findall(r"<(?:p|h\d|li|tr)\b.*?</(?:p|h\d|li|tr)>", page, re.DOTALL)
        read = [" ".join(html.unescape(re.sub(r"<[^>]+>", " ", block)).split()) for block in blocks]
        texts[name] = [Passage(text, page=number) for number, text in enumerate(filter(None, read), start=1)]
    return texts


def papers() -> QuestionSet:
    """A study, a page of another, an essay and the story of a film."""
    robust, mixed = CORPORA / "pdf-robust" / "pdfplumber", CORPORA / "mixed-docling" / "pdf" / "sources"
    own = [robust / "issue-316-example.pdf", robust / "issue-848.pdf"]
    return QuestionSet([*own, mixed / "2305.03393v1-pg9.pdf", mixed / "multi_page.pdf"], [])


def workbooks() -> QuestionSet:
    """Prices and persons to call, a survey, marks, sales and formats."""
    own, other = CORPORA / "spreadsheets" / "unpivotr" / "inst" / "extdata", CORPORA / "spreadsheets" / "sheetjs"
    files = [own / f"{name}.xlsx" for name in ("enron", "purpose", "harry-potter")]
    files += [other / "AutoFilter.xlsx", other / "pivot_table_test.xlsm"]
    return QuestionSet([*files, CORPORA / "mixed-docling" / "xlsx" / "sources" / "xlsx_comments.xlsx"], [])


def posts() -> QuestionSet:
    """Posts of the web, a document each."""
    return QuestionSet([], [], _web_pages("ebb-org", "iab-1", "v8-blog", "ehow-2", "firefox-nightly-blog"))


def reports() -> QuestionSet:
    """An agenda, a court's transcript, an incident, a fund's key figures, outbreaks, a harvest and a diary."""
    robust, tables = CORPORA / "pdf-robust", CORPORA / "tables-camelot" / "files"
    named = ("cupertino_usd_4-6-16", "scotus-transcript-p1", "issue-13-151201DSP-Fond-581-90D")
    files = [robust / "pdfplumber" / f"{name}.pdf" for name in named]
    files += [tables / f"{name}.pdf" for name in ("edge_tol", "row_span_3", "birdisland")]
    return QuestionSet([*files, robust / "pypdf" / "Seige_of_Vicksburg_Sample_OCR.pdf"], [])


def requirements() -> QuestionSet:
    """The verification standard as Markdown, a file for each chapter."""
    return QuestionSet(sorted((CORPORA / "regs-owasp-asvs" / "md-5.0.0-en").glob("*.md")), [])


def mails() -> QuestionSet:
    """Mails and a letter, a document each, by paragraphs below their subject."""
    folder = CORPORA / "email"
    files = [folder / "cpython" / f"msg_{number}.txt" for number in ("02", "25", "43")]
    files += [
        folder / "talon" / "standard_replies" / "outlook.eml",
        folder / "talon" / "reply-quotations-share-block.eml",
    ]
    texts = dict[str, list[Passage]]()
    for file in files:
        mail = message_from_bytes(file.read_bytes())
        told = [f"{name}: {mail[name]}" for name in ("Subject", "From", "To", "Date") if mail[name]]
        parts = [part for part in mail.walk() if part.get_content_maintype() == "text"]
        markup = [part for part in parts if part.get_content_subtype() == "html"] if len(parts) == 2 else []
        written = "\n\n".join(_decoded(part) for part in markup or parts)
        texts[file.stem] = _paragraphs_of("\n".join(told), written)
    letter = folder / "talon" / "signature" / "emails" / "P" / "johndoeexamplecom_body"
    texts[letter.name] = _paragraphs_of("", letter.read_text().replace("#sig#", ""))
    return QuestionSet([], [], texts)


def _decoded(part: Message) -> str:
    data = part.get_payload(decode=True)
    text = data.decode(errors="replace") if isinstance(data, bytes) else ""
    if part.get_content_subtype() != "html":
        return text
    return html.unescape(re.sub(r"<[^>]+>", " ", re.sub(r"(?is)<style.*?</style>|<!--.*?-->", "", text)))


def _paragraphs_of(heading: str, text: str) -> list[Passage]:
    """Longer ones are parted between words, as those of markup are a single one."""
    found = [" ".join(one.split()) for one in [heading, *re.split(r"\n\s*\n", text)]]
    parts = [part for one in found for part in textwrap.wrap(one, 600)]
    return [Passage(part, page=number) for number, part in enumerate(parts, start=1)]


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
KEPT = {
    "papers": papers,
    "workbooks": workbooks,
    "posts": posts,
    "reports": reports,
    "requirements": requirements,
    "mails": mails,
}
SETS = {"asvs": asvs, "northwind": northwind, "uda": uda, "sec10q": sec10q, **FURTHER, **KEPT, **MADE}


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
