"""What a budget of tokens buys, with a digest and without one: `python -m tests.bench.context WORKSPACE [QUESTIONS]`.

Writes docs/benchmarks/context.md. Of each set QUESTIONS questions (seeded) are given to `load_context` as tasks, at
five budgets. Evidence: the share of a question's gold pages that a source of the text is on; of its gold documents,
where pages are not known. A source counts for all of its pages though a statement holds one sentence of it; so answers:
the share of questions whose expected words stand in the text. Tokens are those of the text by the estimate, so that
both sides are measured alike. Won and lost are questions, beside the other side.
"""

import random
import re
import statistics
import sys
import time
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from uuid import UUID

from shared.digest.context import load_context
from shared.digest.updates import update_digest
from shared.domain.context import Context, ContextRequest
from shared.domain.digest import UpdateWish
from shared.store import digest as rows
from shared.store.search import load_chunks
from tests.bench.__main__ import TARGET, table
from tests.bench.retrieval_data import Workspace, open_workspace
from tests.bench.retrieval_sets import files_of, rows_of
from tests.pipeline import PRICES, RULES_2026, scope_of

BUDGETS: Final = (500, 1_000, 2_000, 4_000, 8_000)
QUESTIONS: Final = 60
SEED: Final = 16
OWN: Final = Path(__file__).with_name("own_questions.toml")


@dataclass(frozen=True)
class Asked:
    """A question, the pages that answer it, the documents, and words of which one is in its answer; as far as known."""

    text: str
    pages: frozenset[tuple[str, int]]
    documents: frozenset[str]
    answers: tuple[str, ...]


@dataclass(frozen=True)
class Got:
    """What one context held: shares of 0 to 1, None where it is not known what was to be found."""

    tokens: int
    evidence: float | None
    answered: bool | None
    stale: int
    digest_tokens: int


def samples() -> tuple[list[Path], list[Asked]]:
    found = tomllib.loads(OWN.read_text())["document"]
    files = {"kestrel-cup-2026.pdf": RULES_2026, "tarnwick-price-list-2026.pdf": PRICES}
    own = [one for one in found if one["file"] in files]
    asked = [
        Asked(text, frozenset(), frozenset({one["file"]}), (expected,))
        for one in own
        for text, expected in one["questions"]
        if expected
    ]
    return list(files.values()), asked


def northwind() -> tuple[list[Path], list[Asked]]:
    rows = [q for q in rows_of("qa-northwind-azure") if q["evidence"]]
    pages = [frozenset((e["doc"], e["page_1based"]) for e in q["evidence"]) for q in rows]
    asked = [Asked(q["question"], p, frozenset(doc for doc, _ in p), ()) for q, p in zip(rows, pages, strict=True)]
    return files_of("qa-northwind-azure"), asked


def uda() -> tuple[list[Path], list[Asked]]:
    asked = [
        Asked(
            f"{q['question']} ({q['doc'].removesuffix('.pdf').replace('_', ' ')})",
            frozenset({(q["doc"], q["page_1based"])}),
            frozenset({q["doc"]}),
            tuple(one for one in q["answers"] if len(re.findall(r"\d", one)) > 1),
        )
        for q in rows_of("qa-uda")
        if q.get("page_1based")
    ]
    return files_of("qa-uda"), asked


def sec10q() -> tuple[list[Path], list[Asked]]:
    asked = [Asked(q["question"], frozenset(), frozenset(q["docs"]), ()) for q in rows_of("qa-sec10q-docugami")]
    return files_of("qa-sec10q-docugami"), asked


SETS: Final = {"samples": samples, "northwind": northwind, "uda": uda, "sec10q": sec10q}


def main(home: Path, count: int = QUESTIONS, only: Sequence[str] = ()) -> None:
    parts = [
        "# Context within a budget, with a digest and without",
        "`python -m tests.bench.context WORKSPACE` wrote this page; nothing here is typed by hand. What each figure is"
        " stands in that module. No model is asked: the digest is extractive.",
    ]
    with open_workspace(home) as workspace:
        for name in only or SETS:
            files, asked = SETS[name]()
            parts += _measure(workspace, name, files, asked, count)
    TARGET.mkdir(parents=True, exist_ok=True)
    page = "\n\n".join(parts) + "\n"
    (TARGET / "context.md").write_text(page)
    print(page)


def _measure(workspace: Workspace, name: str, files: list[Path], asked: list[Asked], count: int) -> Iterator[str]:
    base = workspace.ingest(f"context {name}", [file for file in files if file.exists()])
    started = time.perf_counter()
    while update_digest(workspace.runtime, workspace.identity, base, UpdateWish()).more:
        pass
    built = time.perf_counter() - started
    with workspace.runtime.database.transaction(scope_of(workspace.identity, base)) as connection:
        entries = rows.list_files(connection, base)
        found = connection.execute("select sum(page_count) as pages from documents").fetchone()
    pages = int(found["pages"] or 0) if found else 0
    chosen = random.Random(SEED).sample(asked, min(count, len(asked)))
    topics = sum(one.tier == "summary" for one in entries)
    statements = sum(one.statements for one in entries if one.tier != "index")
    yield f"## {name}"
    cost = f"{1000 * built / pages:.0f} s per 1,000 pages" if pages else ""
    yield (
        f"{len(chosen)} of {len(asked)} questions; {pages} pages; {topics} topics with {statements} statements, brought"
        f" up to date in {built:.1f} s ({cost} where nothing was there before)."
    )
    lines: list[list[object]] = []
    for budget in BUDGETS:
        with_digest, without = [], []
        for one in chosen:
            for digest, into in ((True, with_digest), (False, without)):
                wish = ContextRequest(task=one.text, budget_tokens=budget, knowledge_base_ids=[base], digest=digest)
                into.append(_look(workspace, base, one, load_context(workspace.runtime, workspace.identity, wish)))
        lines += [_row(budget, "with", with_digest, without), _row(budget, "without", without, with_digest)]
    columns = ["budget", "digest", "tokens", "of the digest", "evidence", "per 1,000 tokens", "answers", "won", "lost"]
    yield table(columns, [[str(cell) for cell in line] for line in lines])


def _row(budget: int, name: str, own: Sequence[Got], other: Sequence[Got]) -> list[object]:
    tokens = statistics.fmean(one.tokens for one in own)
    evidence = [one.evidence for one in own if one.evidence is not None]
    answers = [one.answered for one in own if one.answered is not None]
    pairs = [(_score(a), _score(b)) for a, b in zip(own, other, strict=True)]
    share = statistics.fmean(evidence) if evidence else None
    return [
        f"{budget:,}",
        name,
        f"{tokens:.0f}",
        f"{statistics.fmean(one.digest_tokens for one in own):.0f}",
        "–" if share is None else f"{share:.3f}",
        "–" if share is None else f"{1000 * share / tokens:.3f}",
        f"{statistics.fmean(answers):.3f}" if answers else "–",
        sum(a > b for a, b in pairs),
        sum(a < b for a, b in pairs),
    ]


def _score(got: Got) -> float:
    return (got.evidence or 0) + bool(got.answered)


def _look(workspace: Workspace, base: UUID, asked: Asked, context: Context) -> Got:
    with workspace.runtime.database.transaction(scope_of(workspace.identity, base)) as connection:
        chunks = load_chunks(connection, [one.source_id for one in context.sources if one.kind == "chunk"])
    pages = {
        (found.document.name, box.page) for found in chunks.values() for box in found.chunk.boxes if box.kind == "page"
    }
    documents = {found.document.name for found in chunks.values()}
    evidence = None
    if asked.pages:
        evidence = len(asked.pages & pages) / len(asked.pages)
    elif asked.documents and not asked.answers:
        evidence = len(asked.documents & documents) / len(asked.documents)
    text = context.text.lower()
    answered = any(one.lower() in text for one in asked.answers) if asked.answers else None
    stale = sum(one.stale for part in context.parts for one in part.statements)
    own = sum(part.tokens for part in context.parts if part.kind != "passage")
    return Got(context.tokens, evidence, answered, stale, own)


if __name__ == "__main__":
    main(Path(sys.argv[1]), *map(int, sys.argv[2:3]), only=sys.argv[3:])
