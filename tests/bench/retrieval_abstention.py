"""What `ask` quotes and refuses: `python -m tests.bench.retrieval_abstention WORKSPACE [SET…]`.

Fill the workspace with these sets by `tests.bench.retrieval_ingest` first. Answerable: every second
Northwind question, and all of the others; UDA's ask their own document. Unanswerable: `unanswerable.txt` on Northwind
(about the company, but not in its documents); UDA's questions asked of another document of the same kind; questions
that name one company asked of the other companies' reports. Prints what is refused, how often the first and any
quotation is from a gold page (of quarterly reports: a gold document), and how well `confidence` separates the two (area
under the ROC curve).
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from shared.answering.service import ask
from shared.domain.knowledge import Answer
from shared.retrieval.requests import AskRequest
from tests.bench.retrieval_data import open_workspace
from tests.bench.retrieval_question import Question
from tests.bench.retrieval_sets import SETS

COMPANIES = {"AAPL": "apple", "AMZN": "amazon", "NVDA": "nvidia"}


@dataclass(frozen=True)
class Asked:
    """A question, the documents it is asked of (none: all), and its gold; without gold nothing answers it."""

    text: str
    documents: list[str]
    gold: Question | None


def main(home: Path, names: list[str]) -> None:
    asked = {"northwind": northwind, "uda": uda, "sec10q": sec10q}
    with open_workspace(home) as workspace:
        for name in names or asked:
            cases = asked[name]()
            base, _ = workspace.knowledge_base(name)
            ids = workspace.documents(base)
            answers: list[tuple[Asked, Answer]] = []
            for case in cases:
                chosen = [ids[document] for document in case.documents] or None
                request = AskRequest(question=case.text, knowledge_base_ids=[base], documents=chosen)
                answers.append((case, ask(workspace.runtime, workspace.identity, request)))
            report(name, answers)


def report(name: str, answers: list[tuple[Asked, Answer]]) -> None:
    able = [(case.gold, answer) for case, answer in answers if case.gold]
    unable = [answer for case, answer in answers if not case.gold]
    placed = [quoted_from_gold(gold, answer) for gold, answer in able if gold.pages or name == "sec10q"]
    print(
        f"{name}: {sum(a.insufficient_evidence for _, a in able)} of {len(able)} answerable refused, "
        f"{sum(a.insufficient_evidence for a in unable)} of {len(unable)} unanswerable refused; "
        f"first quotation from gold {sum(p[:1] == [True] for p in placed)}, any {sum(any(p) for p in placed)} "
        f"of {len(placed)}; confidence separates {separation([a for _, a in able], unable):.3f}, and where it refuses "
        f"one answerable question in twenty it refuses {refused_beside([a for _, a in able], unable)} unanswerable",
        flush=True,
    )


def refused_beside(able: list[Answer], unable: list[Answer]) -> int:
    """How many unanswerable questions have a lower confidence than all but a twentieth of the answerable ones."""
    least = sorted(answer.confidence for answer in able)[len(able) // 20]
    return sum(answer.confidence < least for answer in unable)


def quoted_from_gold(gold: Question, answer: Answer) -> list[bool]:
    """For each quotation whether it stands on a gold page, or without pages in a gold document."""
    hits = {hit.chunk.id: hit for hit in answer.citations}
    found: list[bool] = []
    for sentence in answer.sentences:
        hit = hits[sentence.citations[0]]
        pages = {(hit.document.name, box.page) for box in hit.chunk.boxes if box.kind == "page"}
        found.append(bool(pages & gold.pages) if gold.pages else hit.document.name in gold.documents)
    return found


def separation(able: list[Answer], unable: list[Answer]) -> float:
    """The chance that an answerable question has the higher confidence; a draw counts half."""
    pairs = [(a.confidence > b.confidence) + 0.5 * (a.confidence == b.confidence) for a in able for b in unable]
    return sum(pairs) / len(pairs)


def northwind() -> Iterator[Asked]:
    yield from (Asked(q.text, [], q) for q in SETS["northwind"]().questions[::2])
    for line in (Path(__file__).parent / "unanswerable.txt").read_text().splitlines():
        yield Asked(line, [], None)


def uda() -> Iterator[Asked]:
    questions = SETS["uda"]().questions
    documents = sorted({str(q.pin) for q in questions})
    for i, question in enumerate(questions):
        own = str(question.pin)
        yield Asked(question.text, [own], question)
        alike = [d for d in documents if d != own and d[:2].isdigit() == own[:2].isdigit()]
        yield Asked(question.text, [alike[i % len(alike)]], None)


def sec10q() -> Iterator[Asked]:
    data = SETS["sec10q"]()
    for question in data.questions:
        yield Asked(question.text, [], question)
        about = {ticker for ticker in COMPANIES if any(ticker in d for d in question.documents)}
        if len(about) == 1 and COMPANIES[min(about)] in question.text.lower():
            yield Asked(question.text, [f.name for f in data.files if min(about) not in f.name][:4], None)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
