"""Retrieval quality per index and fused: `python -m tests.bench.retrieval WORKSPACE [northwind cranfield uda …]`.

Pages: the distinct pages of the hits, in order; recall@5 is the share of a question's pages among the first five. Where
questions are pinned to a document, the fused list is measured without the pin as well, and it is by kind of question.
Documents: recall of the question's documents among the first five hits. Cranfield counts documents (nDCG@10), beside
bm25s over the same texts where that package is installed.
Intervals are 95 % bootstrap. Fill the workspace with `tests.bench.retrieval_ingest` first.
"""

import sys
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from uuid import UUID

import numpy as np

from shared.domain.knowledge import Hit
from shared.retrieval.requests import Index, SearchRequest
from shared.retrieval.service import search
from tests.bench.retrieval_data import Cranfield, Workspace, cranfield, open_workspace
from tests.bench.retrieval_made import SHARED
from tests.bench.retrieval_question import Page, Question, QuestionSet
from tests.bench.retrieval_sets import SETS

INDEXES: tuple[Index, ...] = ("fts", "vector", "hybrid")
RESAMPLES = 2000


def main(home: Path, names: Sequence[str]) -> None:
    with open_workspace(home) as workspace:
        for name in names:
            base, _ = workspace.knowledge_base(SHARED.get(name, name))
            if name in SETS:
                measure_set(workspace, base, name, SETS[name]())
            else:
                measure_cranfield(workspace, base)


def measure_set(workspace: Workspace, base: UUID, name: str, data: QuestionSet) -> None:
    ids = workspace.documents(base)
    paged = [q for q in data.questions if q.pages]
    for index in INDEXES:
        if paged:
            found = [hits(workspace, base, q.text, index, 40, ids[q.pin] if q.pin else None) for q in paged]
            report_pages(f"{name} {index}", [(pages_of(f), q.pages) for f, q in zip(found, paged, strict=True)])
        open_hits = [hits(workspace, base, q.text, index, 5) for q in data.questions]
        names = [[h.document.name for h in f] for f in open_hits]
        shares = [recall(n, q.documents) for n, q in zip(names, data.questions, strict=True)]
        report(f"{name} {index}: document recall in 5 hits", shares)
    if paged:
        report_kinds(name, [(pages_of(hits(workspace, base, q.text, "hybrid", 40)), q) for q in paged])


def report_kinds(name: str, ranked: Sequence[tuple[list[Page], Question]]) -> None:
    report_pages(f"{name} hybrid, no pin", [(pages, q.pages) for pages, q in ranked])
    for kind in sorted({q.kind for _, q in ranked}):
        shares = [recall(pages[:5], q.pages) for pages, q in ranked if q.kind == kind]
        report(f"{name} hybrid, no pin: page recall@5 of kind {kind}", shares)


def report_pages(name: str, ranked: Sequence[tuple[list[Page], frozenset[Page]]]) -> None:
    report(f"{name}: page recall@5", [recall(r[:5], wanted) for r, wanted in ranked])
    report(f"{name}: any page in 5 ", [float(bool(set(r[:5]) & wanted)) for r, wanted in ranked])
    report(f"{name}: nDCG@10       ", [ndcg(r, dict.fromkeys(wanted, 1)) for r, wanted in ranked])


def measure_cranfield(workspace: Workspace, base: UUID) -> None:
    data = cranfield()
    for index in INDEXES:
        report_cranfield(data, index, searcher(workspace, base, index))
    if find_spec("bm25s"):
        report_cranfield(data, "bm25s", bm25s_searcher(data.texts))


def searcher(workspace: Workspace, base: UUID, index: Index) -> Callable[[str], list[str]]:
    return lambda query: [hit.document.name for hit in hits(workspace, base, query, index, 10)]


def report_cranfield(data: Cranfield, name: str, run: Callable[[str], list[str]]) -> None:
    report(f"cranfield {name}: nDCG@10", [ndcg(run(data.queries[q]), data.relevant[q]) for q in data.relevant])


def hits(workspace: Workspace, base: UUID, query: str, index: Index, k: int, pin: UUID | None = None) -> list[Hit]:
    documents = [pin] if pin else None
    request = SearchRequest(query=query, knowledge_base_ids=[base], index=index, k=k, documents=documents)
    return search(workspace.runtime, workspace.identity, request).hits


def pages_of(found: Sequence[Hit]) -> list[Page]:
    pages = [(h.document.name, box.page) for h in found for box in h.chunk.boxes if box.kind == "page"]
    return list(dict.fromkeys(pages))


def recall(found: Sequence[Any], wanted: frozenset[Any]) -> float:
    return len(wanted & set(found)) / len(wanted)


def ndcg(ranked: Sequence[Any], relevant: dict[Any, int], k: int = 10) -> float:
    gain = sum(relevant.get(x, 0) / np.log2(i + 2) for i, x in enumerate(ranked[:k]))
    ideal = sum(v / np.log2(i + 2) for i, v in enumerate(sorted(relevant.values(), reverse=True)[:k]))
    return float(gain / ideal)


def report(name: str, values: Sequence[float]) -> None:
    sample = np.array(values)
    means = np.random.default_rng(0).choice(sample, (RESAMPLES, len(sample))).mean(axis=1)
    low, high = np.percentile(means, [2.5, 97.5])
    print(f"{name} {sample.mean():.3f} [{low:.3f}, {high:.3f}] n={len(sample)}", flush=True)


def bm25s_searcher(texts: dict[str, str]) -> Callable[[str], list[str]]:
    import bm25s  # not a dependency: measured where someone installed it
    import Stemmer

    stemmer, names = Stemmer.Stemmer("english"), list(texts)
    index = bm25s.BM25(k1=1.5, b=0.75)
    index.index(
        bm25s.tokenize(list(texts.values()), stopwords="en", stemmer=stemmer, show_progress=False), show_progress=False
    )

    def run(query: str) -> list[str]:
        tokens = bm25s.tokenize([query], stopwords="en", stemmer=stemmer, show_progress=False)
        found, _ = index.retrieve(tokens, k=10, show_progress=False)
        return [names[i] for i in found[0]]

    return run


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:] or ["northwind", "cranfield"])
