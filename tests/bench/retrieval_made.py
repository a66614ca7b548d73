"""Development collections made from public texts whose own structure is the gold: nothing here was judged by hand.

Each has another kind of question: a measured property (MeasEval), guidance that uses other words than the rule (NIST
SP 800-53), a caption for the section that it stands in (Rust book), a term for its definition (NIST SP 800-63-3), a
field of one of twenty reports of one template (NTSB), a line of one of twelve quarterly reports, a record by its codes
(fuel economy). They are for choosing between mechanisms, each collection left out once.
"""

import csv
import gzip
import html
import json
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pypdfium2

from tests.bench.retrieval_data import CORPORA
from tests.bench.retrieval_question import Page, Question, QuestionSet
from tests.store.seeding import Passage

Texts = dict[str, list[Passage]]


def measured() -> QuestionSet:
    """MeasEval: "What is the PROPERTY of ENTITY?" from the annotation, and the paragraph that has the quantity.

    An article is a document, its paragraphs are its pages. Questions whose words stand in several paragraphs are left
    out.
    """
    folder = CORPORA / "attrs-measeval"
    files = sorted(folder.glob("*/text/*.txt"))
    texts = {file.stem: " ".join(file.read_text().split()) for file in files}
    pages = _number_pages(sorted(texts))
    documents: Texts = {}
    for name, (document, page) in pages.items():
        documents.setdefault(document, []).append(Passage(texts[name], page))
    questions: dict[str, Question] = {}
    for file in sorted(folder.glob("*/tsv/*.tsv")):
        for thing, measure in _measurements(file):
            holding = {pages[n] for n, text in texts.items() if thing in text and measure in text}
            if len(holding) == 1 and file.stem in pages:
                text = f"What is the {measure} of {thing}?"
                questions[text] = _question(text, {pages[file.stem]}, "numeric")
    return QuestionSet([], list(questions.values())[::3], documents)


def _number_pages(names: list[str]) -> dict[str, Page]:
    """MeasEval's `ARTICLE-OFFSET` names as (article, number of the paragraph)."""
    offsets: dict[str, list[int]] = defaultdict(list)
    for name in names:
        article, offset = name.rsplit("-", 1)
        offsets[article].append(int(offset))
    return {f"{a}-{o}": (a, n) for a, found in offsets.items() for n, o in enumerate(sorted(found), start=1)}


def _measurements(file: Path) -> Iterator[tuple[str, str]]:
    """(entity, property) of each quantity that has both, each of more than one letter."""
    sets: dict[str, dict[str, str]] = defaultdict(dict)
    with file.open(newline="") as lines:
        for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE):
            sets[row["annotSet"]][row["annotType"]] = " ".join(row["text"].split())
    for found in sets.values():
        entity, measure = found.get("MeasuredEntity", ""), found.get("MeasuredProperty", "")
        if len(entity) > 1 and len(measure) > 1:
            yield entity, measure


def controls() -> QuestionSet:
    """SP 800-53 rev. 4: a sentence of a control's guidance asks for the control's statement; guidance is not stored."""
    file = CORPORA / "regs-nist-md-oscal" / "sp800-53" / "rev4_catalog-min.json"
    documents: Texts = {}
    questions: list[Question] = []
    for group in json.loads(file.read_text())["catalog"]["groups"]:
        passages: list[Passage] = []
        for control in _walk(group["controls"]):
            parts = {part["name"]: part for part in control.get("parts", [])}
            statement = " ".join(_prose(parts["statement"])) if "statement" in parts else ""
            if len(statement.split()) < 5:  # withdrawn
                continue
            passages.append(Passage(statement, len(passages) + 1, context=control["title"]))
            guidance = " ".join(_prose(parts.get("guidance", {})))
            sentences = [s for s in re.split(r"(?<=\.)\s+", guidance) if 8 <= len(s.split()) <= 40]
            if sentences and len(passages) % 3 == 0:
                questions.append(_question(sentences[0], {(group["title"], len(passages))}, "other"))
        documents[group["title"]] = passages
    return QuestionSet([], questions, documents)


def _walk(found: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for control in found:
        yield control
        yield from _walk(control.get("controls", []))


def _prose(part: dict[str, Any]) -> Iterator[str]:
    if "prose" in part:
        yield re.sub(r"\{\{.*?\}\}", "[an assigned value]", part["prose"])
    for inner in part.get("parts", []):
        yield from _prose(inner)


def listings() -> QuestionSet:
    """The Rust book: a listing's caption asks for the section around it; captions and code are not stored."""
    documents: Texts = {}
    questions: list[Question] = []
    for file in sorted((CORPORA / "markdown-rust-book" / "current").glob("ch*.md")):
        sections = re.split(r"^(?=#{1,3} )", file.read_text(), flags=re.MULTILINE)
        passages: list[Passage] = []
        for page, section in enumerate((s for s in sections if s.strip()), start=1):
            title = section.splitlines()[0].strip("# ")
            for number, caption in enumerate(re.findall(r"<Listing[^>]*caption=\"([^\"]+)\"", section)):
                if number == 0:
                    questions.append(_question(html.unescape(caption), {(file.stem, page)}, "other"))
            passages += [Passage(text, page, context=title) for text in _paragraphs(section)]
        documents[file.stem] = passages
    return QuestionSet([], questions, documents)


def _paragraphs(markdown: str) -> list[str]:
    bare = re.sub(r"```.*?```|<Listing.*?>|</Listing>|<!--.*?-->|\{\{.*?\}\}|<[^>]+>", "", markdown, flags=re.DOTALL)
    bare = re.sub(r"^#+ .*$", "", bare, flags=re.MULTILINE)
    found = [" ".join(p.split()) for p in re.split(r"\n\s*\n", bare)]
    return [p for p in found if len(p) > 3]


def definitions() -> QuestionSet:
    """SP 800-63-3 with its three parts: "What is TERM?", where many paragraphs use the term and one defines it."""
    root = CORPORA / "regs-nist-md-oscal" / "sp800-63-3"
    documents: Texts = {}
    questions: list[Question] = []
    for folder in ("sp800-63-3", "sp800-63a", "sp800-63b", "sp800-63c"):
        passages: list[Passage] = []
        for file in sorted((root / folder).glob("*.md")):
            for section in re.split(r"^(?=#{1,5} )", file.read_text(), flags=re.MULTILINE):
                paragraphs, page = _paragraphs(section), len({p.page for p in passages}) + 1
                title = html.unescape(re.sub(r"<[^>]+>", "", section.splitlines()[0]) if section else "").strip("# ")
                passages += [Passage(text, page, context=title) for text in paragraphs]
                defined = file.stem == "definitions" and section.startswith("#### ")
                if paragraphs and defined and not paragraphs[0].startswith("See"):
                    questions.append(_question(f"What is meant by {title}?", {(folder, page)}, "definition"))
        documents[folder] = passages
    return QuestionSet([], questions, documents)


# How the field is asked for, and its label in the reports.
FIELDS = (
    ("What was the wind speed when {} crashed?", "Wind Speed/Gusts:"),
    ("How many flying hours did the pilot of {} have?", "Flight Time:"),
    ("Which engine was installed in {}?", "Engine Manufacturer:"),
    ("How long was the runway that {} used?", "Runway Length/Width:"),
    ("Who investigated the accident of {}?", "Investigator In Charge"),
    ("Was the pilot of {} rated for instruments?", "Instrument Rating(s):"),
)


def accidents() -> QuestionSet:
    """NTSB: a field of one report among twenty of one template, named by registration or by place and aircraft."""
    files = sorted((CORPORA / "pdf-ntsb-nih-docugami").glob("ntsb*/*.pdf"))
    questions: list[Question] = []
    for number, file in enumerate(files):
        texts = _page_texts(file)
        place = re.search(r"Location: (.+?) Accident Number", texts[0])
        registration = re.search(r"Registration: (\S+)", texts[0])
        aircraft = re.search(r"Aircraft: (.+?)(?: Aircraft Damage|$)", texts[0], re.MULTILINE)
        if not (place and registration and aircraft):
            continue
        named = f"the {aircraft.group(1)} at {place.group(1)}"
        for field, (sentence, label) in enumerate(FIELDS):
            coded = (field + number) % 2 == 0
            pages = {(file.name, page) for page, text in enumerate(texts, start=1) if label in text}
            if pages:
                asked = registration.group(1) if coded else named
                questions.append(_question(sentence.format(asked), pages, "code" if coded else "named document"))
    return QuestionSet(files, questions)


COMPANIES = {"AAPL": "Apple", "AMZN": "Amazon", "NVDA": "NVIDIA"}
LINES = (
    "Operating income", "Net income", "Research and development", "Accounts payable", "Inventories", "Total assets",
    "Total liabilities", "Cost of sales", "Cost of revenue", "Depreciation and amortization", "Gross profit",
)  # fmt: skip


def quarterly_lines() -> QuestionSet:
    """The quarterly reports: "What was Apple's operating income in Q3 2022?" and the report's pages with that figure.

    The figure is the one that follows the line's name where that first begins a line; it has four digits or more.
    """
    files = sorted((CORPORA / "qa-sec10q-docugami" / "docs").glob("*.pdf"))
    questions: list[Question] = []
    for file in files:
        year, quarter, symbol = file.stem.split()
        texts = _page_texts(file)
        for number, line in enumerate(LINES):
            pattern = re.compile(rf"^{line}\s*\$?\s*(\d{{1,3}}(?:,\d{{3}})+)", re.MULTILINE)
            match = next(filter(None, map(pattern.search, texts)), None)
            if match:
                pages = {(file.name, n) for n, t in enumerate(texts, start=1) if match.group(1) in t}
                period = PERIODS[number % len(PERIODS)].format(
                    quarter=quarter, number=quarter[1], year=year, short=year[2:], ordinal=ORDINALS[quarter]
                )
                text = f"What was {COMPANIES[symbol]}'s {line.lower()} in {period}?"
                questions.append(_question(text, pages, "named document"))
    return QuestionSet(files, questions)


# How people write a period.
PERIODS = (
    "the {ordinal} quarter of {year}",
    "{quarter} {year}",
    "{quarter} FY{short}",
    "{number}Q{short}",
    "FY{year} {quarter}",
)
ORDINALS = {"Q1": "first", "Q2": "second", "Q3": "third", "Q4": "fourth"}


def figures() -> QuestionSet:
    """The quarterly reports' own questions, each with the pages on which alone a figure of its answer stands."""
    folder = CORPORA / "qa-sec10q-docugami"
    files = sorted((folder / "docs").glob("*.pdf"))
    texts = {file.name: _page_texts(file) for file in files}
    questions: list[Question] = []
    for line in (folder / "questions.jsonl").read_text().splitlines():
        row = json.loads(line)
        pages: set[Page] = set()
        for figure in set(re.findall(r"\d{1,3}(?:,\d{3})+", row["answer"])):
            for name in row["docs"]:
                holding = [
                    n for n, t in enumerate(texts[name], start=1) if re.search(rf"(?<![\d,]){figure}(?![\d,])", t)
                ]
                pages |= {(name, holding[0])} if len(holding) == 1 else set()
        if pages:
            questions.append(_question(row["question"], pages, "numeric"))
    return QuestionSet(files, questions)


def filed_lines() -> QuestionSet:
    """Every third of the quarterly lines, as people name the report: "as reported in the Q3 2022 10-Q"."""
    data = quarterly_lines()
    asked = re.compile(r"What was (\w+)'s (.*) in (?:the )?(.*)\?")
    texts = [asked.sub(r"What was \1's \2 as reported in the \3 10-Q?", q.text) for q in data.questions]
    questions = [replace(q, text=text) for q, text in zip(data.questions, texts, strict=True)]
    return QuestionSet(data.files, questions[::3])


# Of a figure that stands on more pages of each report nobody can say which answers.
PAGES_MAX = 8


def repeated_figures() -> QuestionSet:
    """The quarterly reports' own questions that `figures` lacks, with all pages that have a figure of theirs."""
    folder = CORPORA / "qa-sec10q-docugami"
    files = sorted((folder / "docs").glob("*.pdf"))
    texts = {file.name: _page_texts(file) for file in files}
    others = {q.text for q in figures().questions}
    written = re.compile(r"\d{1,3}(?:,\d{3})+|\d+\.\d+(?= ?(?:billion|million|%))")
    questions: list[Question] = []
    for line in (folder / "questions.jsonl").read_text().splitlines():
        row = json.loads(line)
        held = [re.compile(rf"(?<![\d,.]){re.escape(f)}(?![\d,])") for f in set(written.findall(row["answer"]))]
        pages = {
            (name, n) for name in row["docs"] for n, t in enumerate(texts[name], 1) if any(h.search(t) for h in held)
        }
        if 0 < len(pages) <= PAGES_MAX * len(row["docs"]) and row["question"] not in others:
            questions.append(_question(row["question"], pages, "numeric"))
    return QuestionSet(files, questions)


def vehicles() -> QuestionSet:
    """Fuel economy: one record of 2,000, asked by its model's code and year, where other records differ by a digit."""
    with gzip.open(CORPORA / "attrs-fueleconomy" / "vehicles.csv.gz", "rt", newline="") as lines:
        rows = [r for r in csv.DictReader(lines) if re.search(r"[A-Za-z]-?\d|\d[A-Za-z]", r["model"])][::8][:2000]
    documents: Texts = {}
    places: dict[tuple[str, str, str], set[Page]] = defaultdict(set)
    for row in rows:
        passages = documents.setdefault(row["make"], [])
        year = row["year"].split(".")[0]
        passages.append(Passage(_record(row), len(passages) + 1, chunk_type="table_row"))
        places[row["make"], row["model"], year].add((row["make"], len(passages)))
    asked = [(key, pages) for key, pages in places.items() if len(pages) == 1][::12]
    questions = [
        _question(f"How far does the {year} {model} go on a gallon in the city?", pages, "code")
        for (_, model, year), pages in asked
    ]
    return QuestionSet([], questions, documents)


def _record(row: dict[str, str]) -> str:
    shown = {k: v.removesuffix(".0") for k, v in row.items() if k not in ("id", "make") and v != "NA"}
    return "; ".join(f"{name}: {value}" for name, value in shown.items())


def _page_texts(file: Path) -> list[str]:
    document = pypdfium2.PdfDocument(file)
    try:
        return [page.get_textpage().get_text_bounded().replace("\r\n", "\n") for page in document]
    finally:
        document.close()


def _question(text: str, pages: set[Page], kind: str) -> Question:
    return Question(text, frozenset(pages), frozenset(document for document, _ in pages), kind=kind)


MADE = {
    "measured": measured,
    "controls": controls,
    "listings": listings,
    "definitions": definitions,
    "accidents": accidents,
    "quarterly_lines": quarterly_lines,
    "filed_lines": filed_lines,
    "figures": figures,
    "repeated_figures": repeated_figures,
    "vehicles": vehicles,
}
# Sets that ask documents of another set's knowledge base.
SHARED = dict.fromkeys(("quarterly_lines", "filed_lines", "figures", "repeated_figures"), "sec10q")
