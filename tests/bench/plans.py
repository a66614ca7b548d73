"""What a plan finds beside one search: `python -m tests.bench.plans WORKSPACE [SAMPLE]`.

A fake plans by rules: it looks up each address that the question has, compares versions where the question names two
years, looks among older ones where it names one year or speaks of an earlier edition, and else searches with the
question's content words. Printed for each set: the share of gold pages among the first 5 pages of evidence, of the plan
and of one plain search, and how many questions the plan won and lost. The rules were written for `addresses`; the other
sets are left out: nothing was changed after they had been asked. Fill the workspace with measured, controls,
definitions and northwind by `tests.bench.retrieval_ingest`; the samples are ingested where they are missing.
"""

import json
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from uuid import UUID

from shared.access import reading
from shared.answering.agent.planning import plan_evidence
from shared.answering.agent.tools import AgentTools
from shared.answering.composing import unfound_hit
from shared.domain.chat import Capabilities, ChatReply, ChatRequest, ToolCall
from shared.domain.ids import new_id
from shared.domain.knowledge import Hit
from shared.domain.model_calls import Price, Usage
from shared.ports import Heard, unheard
from shared.retrieval.requests import AskRequest
from shared.store.search import load_chunks
from tests.bench.retrieval import hits, pages_of, recall
from tests.bench.retrieval_data import Workspace, open_workspace
from tests.bench.retrieval_question import Question
from tests.bench.retrieval_sets import SETS
from tests.pipeline import PRICES, RULES_2025, RULES_2026, run_all, upload

SAMPLES = Path(__file__).parents[2] / "samples"
ADDRESS = re.compile(r"\b[A-Z]{1,2}-?\d{1,3}(?:\.\d{1,3})*(?:\(\d{1,2}\))?|\b\d{1,2}(?:\.\d{1,3}){2,}")
YEAR = re.compile(r"\b(?:19|20)\d\d\b")
OLDER = re.compile(
    r"(?i)\b(?:earlier|older|previous|former|last|superseded)\b[\w ]{0,20}\b(?:edition|version|year|rules)"
)
_EMPTY = (
    "what which who whom when where why how does did do is are was were may must can the a an of in on for to and or by"
    " with at from it its be say says this that there about between changed"
)
EMPTY = frozenset(_EMPTY.split())
LEFT_OUT = ("earlier editions", "changes", "own questions", "controls", "definitions", "measured", "two at once")
PAGES = 5
# Of each set that many questions beside the sample, which no rule was made for.
OTHERS = 40


class Ruled:
    """A model that plans by rules, in two turns: what it looks for, then what it chooses."""

    name, capabilities, price = "fake:rules", Capabilities(), Price(input=0, cache_read=0, cache_write=0, output=0)

    def chat(self, request: ChatRequest, deadline: float, heard: Heard = unheard) -> ChatReply:
        question = request.turns[0].text.rpartition("<question>")[2].removesuffix("</question>").strip('"')
        if len(request.turns) == 1:
            calls = [*self._calls(question)]
        elif any(one.name == "list_documents" for one in request.turns[-2].calls):
            calls = [*self._of_versions(question, request.turns[-1].results[0].text)]
        else:
            calls = []
        named = tuple(ToolCall(f"c{at}", name, given) for at, (name, given) in enumerate(calls))
        return ChatReply("", named, Usage(input_tokens=1, output_tokens=1), 0.0, "tools" if named else "end")

    def _calls(self, question: str) -> Iterator[tuple[str, dict[str, Any]]]:
        if YEAR.search(question) or OLDER.search(question):
            yield "list_documents", {}
            return
        addresses = ADDRESS.findall(question)
        for address in addresses:
            yield "look_up", {"address": address}
        if not addresses:
            for one in filter(str.strip, question.split("?")):
                words = [word for word in re.findall(r"[\w.-]+", one) if word.casefold() not in EMPTY]
                yield "search", {"query": " ".join(words) or one, "k": 10}

    def _of_versions(self, question: str, listed: str) -> Iterator[tuple[str, dict[str, Any]]]:
        documents = [version for one in json.loads(listed)["documents"] for version in one["versions"]]
        years = YEAR.findall(question)
        named = [one for one in documents if any(year in f"{one['version']} {one['name']}" for year in years)]
        older = named or [one for one in documents if not one["current"]]
        for address in ADDRESS.findall(question):
            for one in older:
                yield "look_up", {"address": address, "documents": [one["document_id"]], "include_superseded": True}
        for one in older:
            search = {"query": question, "documents": [one["document_id"]], "include_superseded": True, "k": 10}
            yield "search", search


def main(home: Path, sample: int) -> None:
    with open_workspace(home) as workspace:
        for name in ("addresses", *LEFT_OUT):
            base, questions = asked(workspace, name)
            first = _sampled(questions, sample)
            _report(workspace, base, name, first)
            if others := _sampled([one for one in questions if one not in first], OTHERS):
                _report(workspace, base, f"{name}, others", others)


def _sampled(questions: Sequence[Question], sample: int) -> Sequence[Question]:
    return questions[:: max(1, len(questions) // sample)][:sample]


def asked(workspace: Workspace, name: str) -> tuple[UUID, Sequence[Question]]:
    """The knowledge base of a set, and its questions."""
    if name == "two at once":
        return workspace.knowledge_base("northwind")[0], [*_paired(SETS["northwind"]().questions)]
    if name in SETS:
        return workspace.knowledge_base(name)[0], SETS[name]().questions
    return samples(workspace), [*_own(name)]


def _paired(questions: Sequence[Question]) -> Iterator[Question]:
    """Each with one from the other half of the set."""
    half = len(questions) // 2
    for one, other in zip(questions[:half], questions[half:], strict=False):
        yield Question(f"{one.text} {other.text}", one.pages | other.pages, one.documents | other.documents)


def samples(workspace: Workspace) -> UUID:
    """The rule book in two editions, and the price list."""
    base, there = workspace.knowledge_base("kestrel")
    if not there:
        who = (workspace.runtime, workspace.identity, base)
        old = run_all(workspace.runtime, upload(*who, RULES_2025.read_bytes(), RULES_2025.name, label="2025"))
        newer = {"version_of": old["document_id"], "label": "2026"}
        run_all(workspace.runtime, upload(*who, RULES_2026.read_bytes(), RULES_2026.name, **newer))
        run_all(workspace.runtime, upload(*who, PRICES.read_bytes(), PRICES.name))
    return base


def _own(name: str) -> Iterator[Question]:
    rows = [json.loads(line) for line in (SAMPLES / "gold.jsonl").read_text().splitlines()]
    rules = [row for row in rows if row["kind"] == "rule"]
    current = {row["address"]: row for row in rules if row["file"] == RULES_2026.name}
    former = {row["address"]: row for row in rules if row["file"] == RULES_2025.name}
    if name == "own questions":
        for line in (SAMPLES / "questions.jsonl").read_text().splitlines():
            row = json.loads(line)
            if pages := {(one["document"], one["page"]) for one in row["expected"]}:
                yield Question(row["question"], frozenset(pages), frozenset())
    for address, row in (current if name == "addresses" else former).items():
        if name == "addresses":
            yield _question(f"What does {address} say?", row)
        elif name == "earlier editions":
            yield _question(f"What did {address} say in the 2025 edition?", row)
        elif name == "changes" and address in current and current[address]["text"] != row["text"]:
            yield _question(f"What changed in {address} between 2025 and 2026?", row, current[address])


def _question(text: str, *rows: dict[str, Any]) -> Question:
    return Question(text, frozenset((row["file"], page) for row in rows for page in row["pages"]), frozenset())


def _report(workspace: Workspace, base: UUID, name: str, questions: Sequence[Question]) -> None:
    plain, planned = list[float](), list[float]()
    for one in questions:
        first = hits(workspace, base, one.text, "hybrid", 10)
        plain.append(recall(pages_of(first)[:PAGES], one.pages))
        planned.append(recall(pages_of(_plan(workspace, base, one.text, first))[:PAGES], one.pages))
    won = sum(b > a for a, b in zip(plain, planned, strict=True))
    lost = sum(b < a for a, b in zip(plain, planned, strict=True))
    count = len(questions)
    print(f"| {name} | {count} | {sum(plain) / count:.3f} | {sum(planned) / count:.3f} | {won} | {lost} |", flush=True)


def _plan(workspace: Workspace, base: UUID, question: str, first: Sequence[Hit]) -> list[Hit]:
    runtime, identity = workspace.runtime, workspace.identity
    tools = AgentTools(runtime, identity, AskRequest(question=question, plan=True), [base], new_id())
    made = plan_evidence(runtime, identity, Ruled(), question, tools, first, lambda _: None)
    with reading(runtime, identity, [base]) as connection:
        there = load_chunks(connection, made.chunk_ids[:20])
    return [unfound_hit(there[one]) for one in made.chunk_ids[:20] if one in there]


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 30)
