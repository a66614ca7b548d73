"""Own questions on five documents and what is answered: `python -m tests.bench.own_questions WORKSPACE [forms.toml]`.

Prints the table of docs/benchmarks/questions.md. The workspace holds northwind, sec10q and accidents by
`tests.bench.retrieval_ingest`; the samples are ingested as `rules`, made forms as `forms`, where they are missing.
"""

import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from shared.answering.service import ask
from shared.domain.knowledge import Answer
from shared.retrieval.requests import AskRequest
from tests.bench.forms_made import write_forms
from tests.bench.retrieval_data import Workspace, open_workspace

QUESTIONS = Path(__file__).with_suffix(".toml")
SAMPLES = Path(__file__).parents[2] / "samples"
SHOWN = 110


def main(home: Path, name: str = QUESTIONS.name) -> None:
    documents: list[dict[str, Any]] = tomllib.loads(QUESTIONS.with_name(name).read_text())["document"]
    with open_workspace(home) as workspace:
        workspace.ingest("rules", sorted(SAMPLES.glob("*-2026.pdf")))
        workspace.ingest("forms", write_forms(home / "forms"))
        for document in documents:
            report(workspace, document)


def report(workspace: Workspace, document: dict[str, Any]) -> None:
    base, _ = workspace.knowledge_base(document["knowledge_base"])
    pinned = [workspace.documents(base)[document["file"]]]
    judged: list[str] = []
    print(f"\n## {document['title']}\n\n| question | | first passage | page | confidence |\n|---|---|---|---|---|")
    for question, expected in document["questions"]:
        request = AskRequest(question=question, knowledge_base_ids=[base], documents=pinned)
        answer = ask(workspace.runtime, workspace.identity, request)
        judged.append(judge(answer, expected))
        print(f"| {question} | {judged[-1]} | {_shown(answer)} | {answer.confidence:.2f} |", flush=True)
    answerable = sum(bool(expected) for _, expected in document["questions"])
    first, some = judged.count("✓"), judged.count("✓") + judged.count("2nd–3rd")
    right, none = judged.count("✓ refused"), len(judged) - answerable
    print(f"\nFirst {first}, any {some} of {answerable}; refused rightly {right} of {none}.")


def judge(answer: Answer, expected: str | Sequence[str]) -> str:
    """Whether the first passage, or another, has what was expected (one of several); of a question that nothing
    answers, whether it was refused."""
    wanted = [expected] if isinstance(expected, str) else expected
    if wanted == [""]:
        return "✓ refused" if answer.insufficient_evidence else "not refused"
    if answer.insufficient_evidence:
        return "✓" if "" in wanted else "refused"
    texts = [" ".join(sentence.text.lower().split()) for sentence in answer.sentences]
    has = [any(one.lower() in text for one in wanted if one) for text in texts]
    return "✓" if has[0] else "2nd–3rd" if any(has) else "no"


def _shown(answer: Answer) -> str:
    if answer.insufficient_evidence:
        return "– |"
    sentence = answer.sentences[0]
    cells = [f"{cell.label}: {cell.value}".removeprefix(": ") for cell in sentence.cells if cell.answers]
    text = " ".join(("; ".join(cells) or sentence.text).split()).replace("|", "·")
    hit = next(hit for hit in answer.citations if hit.chunk.id == sentence.citations[0])
    return f"{text if len(text) <= SHOWN else text[: SHOWN - 1] + '…'} | {hit.chunk.first_page}"


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
