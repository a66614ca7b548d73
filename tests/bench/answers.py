"""`make bench-answers MODEL=… [QUESTIONS=file] [DOCUMENTS="files"]`: what a model's answers are worth.

MODEL is what AUTRI_MODEL takes (docs/models.md), `quoting` for no model, or `fake` for one that copies the likest
sentence, behind the real wire format. QUESTIONS is a gold file as `autri eval run` takes it; samples/questions.jsonl
where it is left out, on the samples. AUTRI_BENCH_HOME keeps the data folder, so that a second run skips the ingest.
Prints a row and puts it into docs/benchmarks/answers.md, in place of the one of the same model and file.

- Faithful: sentences of which every number and everything quoted stands, letter by letter, in a passage that they cite.
- Precision: sentences that cite a gold place; recall: answerable questions with a sentence that cites one.
- Expected words: answers with a wording that the file's `expect` lists, of those that have any.
- Refused: of the unanswerable (goal: at least 90 %), and of the answerable (at most 5 %).
"""

import argparse
import json
import os
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from uuid import UUID

from shared.adapters.local.answerers import load_answerer
from shared.answering.events import AskEvent
from shared.answering.sentences import split_sentences
from shared.answering.service import ask
from shared.domain.chat import ChatRequest, ChatTurn
from shared.domain.evaluation import GoldInput
from shared.domain.knowledge import Answer, AnswerSentence, Hit
from shared.errors import BadInput, Unavailable
from shared.evaluation.gold_file import read_gold
from shared.evaluation.places import place_hits
from shared.ports import Answerer
from shared.retrieval.requests import AskRequest
from shared.settings import LocalSettings
from tests.adapters.chat_server import KEY, MODEL, Said, Told, running_chat
from tests.bench.retrieval_data import Workspace, open_workspace
from tests.pipeline import PRICES, RULES_2026

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "benchmarks" / "answers.md"
QUESTIONS = ROOT / "samples" / "questions.jsonl"
COLUMNS = (
    "model", "questions", "faithful sentences", "citation precision", "citation recall", "expected words",
    "unanswerable refused", "answerable refused", "USD a question", "first event, ms", "whole answer, s p50 / p95",
)  # fmt: skip
HEAD = """# Answers

`make bench-answers MODEL=…` writes a row here, in place of that of the same model and question file; what each column
is stands in `tests/bench/answers.py`. `quoting` is without a model. `fake` copies the likest sentence of its passages,
through the real wire format: it shows that the command works, and what a model has to beat. Times depend on the machine
and on what else it does.
"""


@dataclass(frozen=True)
class Asked:
    """A gold question and what came of it; times in seconds."""

    gold: GoldInput
    expect: Sequence[str]
    answer: Answer
    first_event: float
    whole: float


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(prog="bench-answers")
    parser.add_argument("model")
    parser.add_argument("questions", nargs="?", type=Path, default=QUESTIONS)
    parser.add_argument("documents", nargs="*", type=Path, default=[RULES_2026, PRICES])
    chosen = parser.parse_args(arguments)
    try:
        gold, expected = read_gold(chosen.questions).questions, _expected(chosen.questions)
        with _answerer(chosen.model) as model, _workspace() as workspace:
            if missing := [str(path) for path in chosen.documents if not path.is_file()]:
                raise BadInput(f"There is no file {missing[0]}. DOCUMENTS names the files that are asked.")
            base = workspace.ingest(f"answers {chosen.questions.name}", chosen.documents)
            asked = [_ask(workspace, base, model, one, expected.get(one.question, ())) for one in gold]
            row = _row(chosen.model, chosen.questions.name, asked, workspace.documents(base))
    except (BadInput, Unavailable, FileNotFoundError) as error:
        sys.exit(f"bench-answers: {error}")
    _write(row)
    for name, value in zip(COLUMNS, row, strict=True):
        print(f"{name:24} {value}")


@contextmanager
def _answerer(name: str) -> Generator[Answerer | None]:
    """The model, which has answered a word. Raises BadInput and Unavailable with what to do."""
    if not name:
        raise BadInput("MODEL names no model. Write MODEL=openai:NAME@URL, anthropic:NAME, bedrock:ID, or quoting.")
    if name == "quoting":
        yield None
        return
    if name != "fake":
        yield _checked(LocalSettings(model=name))
        return
    with running_chat() as server:
        server.mind = copying
        os.environ["AUTRI_MODEL_KEY"] = KEY
        yield _checked(LocalSettings(model=f"openai:{MODEL}@{server.url}/v1"))


def _checked(settings: LocalSettings) -> Answerer:
    model = load_answerer(settings)
    assert model is not None
    hello = ChatRequest("Answer with one word.", (ChatTurn("user", "Ready?"),), max_tokens=64)
    model.chat(hello, time.monotonic() + 60)
    return model


def copying(told: Told) -> Said:
    """Copies the sentence of its passages that has most of the question's words; none where it has few."""
    text = told.turns[0][1]
    if "<question>" not in text:
        return Said("Yes.")
    asked = _plain_words(text.rpartition("<question>")[2].partition("</question>")[0])
    listed = json.loads(text.partition("<passages>\n")[2].partition("\n</passages>")[0])
    best = max(
        ((len(asked & _plain_words(said)), -len(said), said, one["id"]) for one in listed
         for said in split_sentences(one["text"]) if "|" not in said),
        default=(0, 0, "", ""),
    )  # fmt: skip
    enough = best[0] * 2 >= len(asked)
    said = [{"text": best[2], "evidence": [best[3]]}] if enough and len(told.turns) == 1 else []
    return Said(json.dumps({"sentences": said}))


def _plain_words(text: str) -> set[str]:
    return {word[:5] for word in re.findall(r"[^\W_]{3,}", text.casefold())} - {"quest", "the", "may", "what", "how"}


@contextmanager
def _workspace() -> Generator[Workspace]:
    kept = os.environ.get("AUTRI_BENCH_HOME")
    with (
        tempfile.TemporaryDirectory(prefix="autri-", ignore_cleanup_errors=True) as folder,
        open_workspace(Path(kept or folder)) as workspace,
    ):
        yield workspace


def _expected(path: Path) -> dict[str, list[str]]:
    """What a gold file of ours lists beside the places: wordings of which an answer has one."""
    if path.suffix != ".jsonl":
        return {}
    rows = [json.loads(line) for line in path.read_text().splitlines() if line.strip()]
    return {row["question"]: row["expect"] for row in rows if row.get("expect")}


def _ask(workspace: Workspace, base: UUID, model: Answerer | None, gold: GoldInput, expect: Sequence[str]) -> Asked:
    pinned = [workspace.documents(base)[gold.pin]] if gold.pin else None
    request = AskRequest(question=gold.question, knowledge_base_ids=[base], documents=pinned)
    heard, started = list[float](), time.perf_counter()

    def tell(_event: AskEvent) -> None:
        heard.append(time.perf_counter() - started)

    runtime = replace(workspace.runtime, load_answerer=lambda: model)
    answer = ask(runtime, workspace.identity, request, tell)
    return Asked(gold, expect, answer, heard[0], time.perf_counter() - started)


def _row(model: str, name: str, asked: Sequence[Asked], ids: dict[str, UUID]) -> list[str]:
    able = [one for one in asked if one.gold.kind != "negative"]
    unable = [one for one in asked if one.gold.kind == "negative"]
    answered = [one for one in able if not one.answer.insufficient_evidence]
    sentences = [(one, said) for one in asked for said in one.answer.sentences]
    known = {document: frozenset({found}) for document, found in ids.items()}
    at_gold = [[_at_gold(one, said, known) for said in one.answer.sentences] for one in answered]
    worded = [one for one in answered if one.expect]
    whole = sorted(one.whole for one in asked)
    return [
        model, f"{name}, {len(able)} + {len(unable)}",
        _share(faithful(said, one.answer.citations) for one, said in sentences),
        _share(found for row in at_gold for found in row),
        _share([any(row) for row in at_gold] + [False] * (len(able) - len(answered))),
        _share(any(_plain(word) in _plain(one.answer.answer) for word in one.expect) for one in worded),
        _share(one.answer.insufficient_evidence for one in unable),
        _share(one.answer.insufficient_evidence for one in able),
        f"{statistics.fmean(one.answer.usd for one in asked):.4f}",
        f"{statistics.median(one.first_event for one in asked) * 1000:.0f}",
        f"{statistics.median(whole):.2f} / {whole[int(0.95 * (len(whole) - 1))]:.2f}",
    ]  # fmt: skip


def faithful(said: AnswerSentence, citations: Sequence[Hit]) -> bool:
    """Whether a cited passage prints each number and each quotation. Strings are compared: this shares no code with
    what validates answers."""
    printed = _plain("\n".join(_whole(hit) for hit in citations if hit.chunk.id in said.citations))
    numbers = re.findall(r"\d+(?:[.,]\d+)*", _plain(said.text))
    quoted = [_plain(one) for one in re.findall(r"[“\"]([^”\"]+)[”\"]", said.text)]
    return all(re.search(rf"(?<![\d.,]){re.escape(one)}(?![\d])", printed) for one in numbers) and all(
        one.rstrip(".,") in printed for one in quoted
    )


def _whole(hit: Hit) -> str:
    path = hit.chunk.section.path if hit.chunk.section else []
    return "\n".join([hit.document.name, *(f"{step.address or ''} {step.title}" for step in path), hit.chunk.content])


def _plain(text: str) -> str:
    return re.sub(r"(?<=\d)[,\u202f\u00a0](?=\d{3}\b)", "", re.sub(r"\s+", " ", text)).casefold()


def _at_gold(one: Asked, said: AnswerSentence, known: dict[str, frozenset[UUID]]) -> bool:
    cited = [hit for hit in one.answer.citations if hit.chunk.id in said.citations]
    level = "chunk" if any(place.quote for place in one.gold.expected) else "page"
    if not any(place.page for place in one.gold.expected):
        level = "document"
    documents = {place.document: known.get(place.document, frozenset()) for place in one.gold.expected}
    return any(
        rank is not None for hit in cited for rank in place_hits([hit], one.gold.expected, level, documents).ranks
    )


def _share(found: Iterable[bool]) -> str:
    values = list(found)
    return f"{sum(values) / len(values):.3f} ({sum(values)} of {len(values)})" if values else "–"


def _write(row: Sequence[str]) -> None:
    lines = PAGE.read_text().splitlines() if PAGE.exists() else []
    rows = [line for line in lines if line.startswith("| ") and not line.startswith(("| model", "| ---"))]
    kept = [line for line in rows if not line.startswith(f"| {row[0]} | {row[1].partition(',')[0]},")]
    table = [" | ".join(COLUMNS), " | ".join(["---"] * len(COLUMNS)), " | ".join(row)]
    first = [f"| {line} |" for line in table]
    PAGE.write_text("\n".join([HEAD, *first[:2], *sorted([*kept, first[2]]), ""]))


if __name__ == "__main__":
    main(sys.argv[1:])
