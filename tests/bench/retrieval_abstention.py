"""Figures behind the answerer's threshold: `python -m tests.bench.retrieval_abstention WORKSPACE [OUT.json]`.

Answerable: every second Northwind question. Unanswerable, asked of the same documents: `unanswerable.txt` (about the
company, but not in its documents) and questions of other collections. Prints the shares answered and refused.
"""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from uuid import UUID

from shared.access import reading
from shared.answering.evidence import judge, weigh_sentences
from shared.answering.service import CONFIDENCE_MIN
from shared.retrieval.requests import SearchRequest
from shared.retrieval.service import embed_query, run_search
from shared.retrieval.terms import weigh_terms
from shared.retrieval.trace import Tracer
from shared.store.search import row_contexts
from tests.bench.retrieval_data import CORPORA, Workspace, cranfield, open_workspace
from tests.bench.retrieval_sets import northwind

Row = dict[str, float | str | bool]


def main(home: Path, out: Path | None) -> None:
    with open_workspace(home) as workspace:
        base, _ = workspace.knowledge_base("northwind")
        sets = {"answerable": [q.text for q in northwind().questions[::2]], **unanswerable()}
        rows = [evidence(workspace, base, name, q) for name, questions in sets.items() for q in questions]
    for name in sets:
        mine = [float(r["confidence"]) >= CONFIDENCE_MIN for r in rows if r["set"] == name]
        print(f"{name}: {sum(mine)} of {len(mine)} answered, {1 - sum(mine) / len(mine):.3f} refused")
    if out:
        out.write_text(json.dumps(rows))


def unanswerable() -> dict[str, Sequence[str]]:
    near = (Path(__file__).parent / "unanswerable.txt").read_text().splitlines()
    tenq = (CORPORA / "qa-sec10q-docugami" / "questions.jsonl").read_text().splitlines()
    far = [json.loads(line)["question"] for line in tenq[::5]] + list(cranfield().queries.values())[::10]
    return {"unanswerable, same company": near, "unanswerable, other collections": far}


def evidence(workspace: Workspace, base: UUID, name: str, question: str) -> Row:
    runtime, request = workspace.runtime, SearchRequest(query=question, knowledge_base_ids=[base])
    tracer = Tracer("ask", question, request)
    query = embed_query(runtime, request, tracer)
    assert query is not None
    with reading(runtime, workspace.identity, [base], snapshot=True) as connection:
        hits = run_search(connection, request, query, tracer)
        weights = weigh_terms(connection, question)
        rows, _ = row_contexts(connection, [hit.chunk.id for hit in hits])
    weighed = weigh_sentences(query.vector, weights, hits, runtime.embedder.embed_passages, rows)
    found = judge(weights, hits, weighed)
    nearest = max((i.score or 0.0 for h in hits for i in h.indexes if i.name == "vector_search"), default=0.0)
    return {
        "set": name,
        "question": question,
        "cosine": found.cosine,
        "coverage": found.coverage,
        "confidence": found.confidence,
        "nearest": nearest,
    }


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else None)
