"""What `ask` quotes and refuses: `python -m tests.bench.retrieval_abstention WORKSPACE [SET…]`.

Fill the workspace with these sets by `tests.bench.retrieval_ingest` first; the samples are ingested as `rules` where
they are missing. Unanswerable: what is written in WRITTEN, by kind; and as kinds of their own UDA's questions asked of
another document of the same kind and questions that name one company asked of the other companies' reports
(`transferred`), and lines of quarterly reports asked of another year (`shifted`). Answerable: those written, the sets'
questions (every second one of Northwind, accidents and definitions), every third of the lines of quarterly reports, and
the own questions, which ask one document, as UDA's do. Prints for each collection what is refused, by kind, how often
the first and any quotation is from a gold page (of quarterly reports: a gold document), and how well `confidence`
separates the two (area under the ROC curve).
"""

import json
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final

from shared.answering.service import ask
from shared.domain.knowledge import Answer
from shared.retrieval.requests import AskRequest
from tests.bench.retrieval_data import Workspace, open_workspace
from tests.bench.retrieval_question import Question
from tests.bench.retrieval_sets import FURTHER, KEPT, SETS

HERE: Final = Path(__file__).parent
SAMPLES: Final = HERE.parents[1] / "samples"
# Of these the reports, of 2022 and 2023, have no figures of their statements.
OTHER_YEARS: Final = ("12", "16", "19", "27")
COMPANIES: Final = {"AAPL": "apple", "AMZN": "amazon", "NVDA": "nvidia"}
WRITTEN: Final = ("unanswerable.toml", "further_questions.toml", "kept_questions.toml")
# How a collection is named, what half of the measurement it belongs to, and which file it asks are no kinds.
NO_KINDS: Final = frozenset({"name", "half", "file"})


@dataclass(frozen=True)
class Asked:
    """A question, the documents it is asked of (none: all), of what kind it is, and its gold. `answered`: whether
    anything answers it; without gold nobody looks where."""

    text: str
    documents: Sequence[str] = ()
    kind: str = "answerable"
    gold: Question | None = None

    @property
    def answered(self) -> bool:
        return self.kind == "answerable"


@dataclass
class Outcome:
    """The answers to the questions of a collection."""

    name: str
    answers: list[tuple[Asked, Answer]] = field(default_factory=list[tuple[Asked, Answer]])

    def of(self, answered: bool) -> list[Answer]:
        return [answer for case, answer in self.answers if case.answered is answered]


def main(home: Path, names: Sequence[str]) -> None:
    with open_workspace(home) as workspace:
        for name in names or CASES:
            report(put(workspace, name))


def put(workspace: Workspace, name: str) -> Outcome:
    """Asks a collection's questions."""
    if name == "rules":
        workspace.ingest(name, sorted(SAMPLES.glob("*-2026.pdf")))
    base, _ = workspace.knowledge_base(name)
    ids, outcome = workspace.documents(base), Outcome(name)
    for case in CASES[name]():
        chosen = [ids[document] for document in case.documents] or None
        request = AskRequest(question=case.text, knowledge_base_ids=[base], documents=chosen)
        outcome.answers.append((case, ask(workspace.runtime, workspace.identity, request)))
    return outcome


def report(outcome: Outcome) -> None:
    able, unable = outcome.of(True), outcome.of(False)
    placed = [
        quoted_from_gold(case.gold, answer)
        for case, answer in outcome.answers
        if case.gold and (case.gold.pages or outcome.name == "sec10q")
    ]
    first, some = sum(p[:1] == [True] for p in placed), sum(map(any, placed))
    asked = Counter(case.kind for case, _ in outcome.answers)
    refused = Counter(case.kind for case, answer in outcome.answers if answer.insufficient_evidence)
    print(
        f"{outcome.name}: {_refused(able)} answerable refused, {_refused(unable)} unanswerable refused; "
        f"first quotation from gold {first}, any {some} of {len(placed)}; "
        f"confidence separates {separation(able, unable):.3f}, and where it refuses one answerable question in twenty "
        f"it refuses {refused_beside(able, unable)} unanswerable; by kind "
        + ", ".join(f"{kind} {refused[kind]} of {n}" for kind, n in asked.items()),
        flush=True,
    )


def _refused(answers: Sequence[Answer]) -> str:
    return f"{sum(answer.insufficient_evidence for answer in answers)} of {len(answers)}"


def refused_beside(able: Sequence[Answer], unable: Sequence[Answer]) -> int:
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


def separation(able: Sequence[Answer], unable: Sequence[Answer]) -> float:
    """The chance that an answerable question has the higher confidence; a draw counts half."""
    pairs = [(a.confidence > b.confidence) + 0.5 * (a.confidence == b.confidence) for a in able for b in unable]
    return sum(pairs) / len(pairs)


def written(name: str) -> Iterator[Asked]:
    """A collection's written questions, and the own ones that its documents answer."""
    for part in [one for file in WRITTEN for one in _read(file)["collection"]]:
        for kind in part.keys() - NO_KINDS if part["name"] == name else ():
            yield from (Asked(text, [part["file"]] if "file" in part else [], kind) for text in part[kind])
    for document in _read("own_questions.toml")["document"]:
        if document["knowledge_base"] == name:
            yield from (Asked(text, [document["file"]]) for text, expected in document["questions"] if expected)


def _read(file: str) -> Mapping[str, Any]:
    return tomllib.loads((HERE / file).read_text(encoding="utf-8"))


def every_second(name: str) -> Iterator[Asked]:
    yield from written(name)
    yield from (Asked(q.text, gold=q) for q in SETS[name]().questions[::2])


def rules() -> Iterator[Asked]:
    yield from written("rules")
    for line in (SAMPLES / "questions.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if row["expected"]:
            places = frozenset((one["document"], one["page"]) for one in row["expected"])
            yield Asked(row["question"], gold=Question(row["question"], places, frozenset(d for d, _ in places)))


def uda() -> Iterator[Asked]:
    yield from written("uda")
    questions = SETS["uda"]().questions
    documents = sorted({str(q.pin) for q in questions})
    for i, question in enumerate(questions):
        own = str(question.pin)
        yield Asked(question.text, [own], gold=question)
        alike = [d for d in documents if d != own and d[:2].isdigit() == own[:2].isdigit()]
        yield Asked(question.text, [alike[i % len(alike)]], "transferred")


def sec10q() -> Iterator[Asked]:
    yield from written("sec10q")
    lines = SETS["quarterly_lines"]().questions
    yield from (Asked(q.text) for q in lines[::3])
    for number, question in enumerate(lines[1::3]):
        other = OTHER_YEARS[number % len(OTHER_YEARS)]
        yield Asked(re.sub(r"(?<!\d)(?P<century>20)?2[23]\b", rf"\g<century>{other}", question.text), kind="shifted")
    data = SETS["sec10q"]()
    for question in data.questions:
        yield Asked(question.text, gold=question)
        about = {ticker for ticker in COMPANIES if any(ticker in d for d in question.documents)}
        if len(about) == 1 and COMPANIES[min(about)] in question.text.lower():
            yield Asked(question.text, [f.name for f in data.files if min(about) not in f.name][:4], "transferred")


CASES: Final = {
    "rules": rules,
    **{name: partial(every_second, name) for name in ("northwind", "accidents", "definitions")},
    "sec10q": sec10q,
    "uda": uda,
    **{name: partial(written, name) for name in (*FURTHER, *KEPT)},
}

if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
