"""Questions that select rows of a table: are the rows that are quoted those that are meant, and is their number told?

`python -m tests.bench.selected_questions WORKSPACE FILES [shown|counted]`: each question of `selected_questions.toml`
is asked of its collection alone, without a model. Which rows are meant is told by an expression over the columns of the
file, read with Python's csv. FILES has a folder of files for each collection; they are ingested where they are missing.
Counted are questions of which every quoted row is meant, as many as are or ten, and those whose number is told rightly.
"""

import csv
import sys
import tomllib
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from shared.answering.quoting import MEETING_MAX
from shared.answering.service import ask
from shared.domain.knowledge import Answer
from shared.retrieval.requests import AskRequest
from tests.bench.other_questions import fill
from tests.bench.retrieval_data import open_workspace

QUESTIONS: Final = Path(__file__).with_suffix(".toml")


def value_of(cell: str) -> float | str | None:
    try:
        return float(cell) if cell not in ("", "NA") else None
    except ValueError:
        return cell


def meant_rows(file: Path, expression: str) -> list[str]:
    """The cells of the rows of which it is true, as a quotation joins them: those that are not empty."""
    with file.open(newline="") as source:
        rows = list(csv.DictReader(source))
    return [" | ".join(filter(None, row.values())) for row in rows if _is_true(expression, row)]


def _is_true(expression: str, row: Mapping[str, str]) -> bool:
    """An empty cell is neither above nor below anything."""
    values = {name.replace(".", "_"): value_of(cell) for name, cell in row.items()}
    try:
        return bool(eval(expression, {}, values))  # noqa: S307 - the expressions are ours
    except TypeError:
        return False


def outcome_of(answer: Answer, meant: list[str], answerable: bool) -> list[str]:
    if not answerable:
        return ["rightly refused" if answer.insufficient_evidence else "not refused"]
    if answer.insufficient_evidence:
        return ["wrongly refused"]
    quoted = [one.text for one in answer.sentences]
    right = Counter(quoted) - Counter(meant) == Counter() and len(quoted) == min(len(meant), MEETING_MAX)
    told = next((one.meeting.rows for one in answer.sentences if one.meeting), None)
    return [*(["rows"] if right else []), *(["number"] if told == len(meant) else [])] or ["wrong"]


def main() -> None:
    workspace, files = Path(sys.argv[1]), Path(sys.argv[2])
    shown = "counted" not in sys.argv[3:]
    total: Counter[str] = Counter()
    with open_workspace(workspace) as opened:
        for one in tomllib.loads(QUESTIONS.read_text())["collection"]:
            if one["looked_at"] is not shown:
                continue
            base, counts = fill(opened, one["name"], files / one["name"]), Counter[str]()
            (file,) = (files / one["name"]).glob("*.csv")
            for question, expression in one["questions"]:
                request = AskRequest(question=question, knowledge_base_ids=[base])
                answer = ask(opened.runtime, opened.identity, request)
                meant = meant_rows(file, expression) if expression else []
                outcome = outcome_of(answer, meant, bool(expression))
                counts.update([*outcome, "answerable" if expression else "unanswerable"])
                if shown:
                    _print(question, answer, outcome, len(meant))
            print(f"{one['name']}: {dict(sorted(counts.items()))}")
            total += counts
    print(f"all: {dict(sorted(total.items()))}")


def _print(question: str, answer: Answer, outcome: list[str], meant: int) -> None:
    lack: Any = answer.insufficiency
    told = next((one.meeting for one in answer.sentences if one.meeting), None)
    said = [lack.reason, *lack.missing] if lack else [told, *(one.text[:60] for one in answer.sentences[:3])]
    print(f"{', '.join(outcome)} | {question} | {meant} | {said}")


if __name__ == "__main__":
    main()
