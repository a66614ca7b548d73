"""Evidence for a question: the sentences of the best chunks with their scores, and whether they suffice for an answer.

Measurements, and how the thresholds were chosen: docs/decisions/0004-extractive-answers.md.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from shared.answering.sentences import split_row, split_sentences
from shared.domain.knowledge import Hit
from shared.ports import Vectors
from shared.retrieval.terms import coverage

SENTENCES_MAX = 5
CHUNKS_READ = 8
# Sentences below this share of the best score are left out, and so are those as similar as this to a chosen one.
RELATIVE_MIN = 0.75
REPEATED_FROM = 0.92
# Chunks of the first types are a single statement each; those of the second have none.
WHOLE = frozenset({"formula", "code"})
WITHOUT_STATEMENTS = frozenset({"heading", "figure", "table", "caption"})
WORDS_MIN = 4

# Coefficients of a logistic regression on answerable and unanswerable questions.
BIAS, COSINE_SLOPE, COVERAGE_SLOPE = -13.0, 23.4, 1.7

Embed = Callable[[Sequence[str]], Vectors]


@dataclass(frozen=True)
class Sentence:
    """A verbatim slice of a hit's content with its evidence: cosine to the question, share of its terms, their sum."""

    text: str
    hit: Hit
    place: int
    cosine: float
    coverage: float
    score: float
    vector: Vectors


@dataclass(frozen=True)
class Sufficiency:
    """Whether the hits suffice for an answer; `confidence` is the estimated probability that they do."""

    cosine: float
    coverage: float
    confidence: float


def weigh_sentences(
    question: Vectors, weights: Mapping[str, float], hits: Sequence[Hit], embed: Embed, rows: Mapping[UUID, str]
) -> list[Sentence]:
    """Scores every statement in the best hits; best first.

    A statement is embedded with its section's title ("its span" does not say whose); `rows` has the table rows among
    the hits with each cell after its column header, since a bare row has values without names.
    """
    slices = [
        (hit, i, text, rows[hit.chunk.id] if text == hit.chunk.content.strip() and hit.chunk.id in rows else text)
        for hit in hits[:CHUNKS_READ]
        for i, text in enumerate(_statements(hit))
    ]
    if not slices:
        return []
    vectors = embed([_under_title(hit, read) for hit, _, _, read in slices])
    found: list[Sentence] = []
    for (hit, place, text, read), vector in zip(slices, vectors, strict=True):
        cosine, share = float(vector @ question), coverage(weights, read)
        around = coverage(weights, f"{_titles(hit)}\n{hit.chunk.content}")
        score = cosine + 0.5 * share + 0.25 * around
        found.append(Sentence(text, hit, place, cosine, share, score, vector))
    return sorted(found, key=lambda s: -s.score)


def choose_sentences(weighed: Sequence[Sentence]) -> list[Sentence]:
    """The best few sentences that do not repeat each other; those of one chunk in the chunk's order."""
    chosen: list[Sentence] = []
    for sentence in weighed:
        if len(chosen) == SENTENCES_MAX or sentence.score < RELATIVE_MIN * weighed[0].score:
            break
        if not any(float(sentence.vector @ other.vector) >= REPEATED_FROM for other in chosen):
            chosen.append(sentence)
    chunks = list(dict.fromkeys(s.hit.chunk.id for s in chosen))
    return sorted(chosen, key=lambda s: (chunks.index(s.hit.chunk.id), s.place))


def judge(weights: Mapping[str, float], hits: Sequence[Hit], weighed: Sequence[Sentence]) -> Sufficiency:
    """Estimates sufficiency from the best sentence's cosine and the best chunk's share of the question's terms."""
    if not weighed:
        return Sufficiency(0.0, 0.0, 0.0)
    cosine = max(s.cosine for s in weighed)
    share = max(coverage(weights, f"{_titles(hit)}\n{hit.chunk.content}") for hit in hits[:CHUNKS_READ])
    return Sufficiency(cosine, share, _logistic(BIAS + COSINE_SLOPE * cosine + COVERAGE_SLOPE * share))


def _statements(hit: Hit) -> list[str]:
    chunk = hit.chunk
    if chunk.chunk_type in WITHOUT_STATEMENTS:
        return []
    if chunk.chunk_type in WHOLE:
        sentences = [chunk.content.strip()]
    else:
        sentences = (split_row if chunk.chunk_type == "table_row" else split_sentences)(chunk.content)
    # A row may be short, as its column headers complete it.
    least = 1 if chunk.chunk_type == "table_row" else WORDS_MIN
    return [s for s in sentences if len(s.split()) >= least and not s.endswith("?")]


def _under_title(hit: Hit, text: str) -> str:
    title = hit.chunk.section.title if hit.chunk.section else ""
    return f"{title}\n{text}" if title and not text.startswith(title) else text


def _titles(hit: Hit) -> str:
    path = hit.chunk.section.path if hit.chunk.section else []
    return "\n".join([hit.document.name, *(f"{s.address or ''} {s.title}" for s in path)])


def _logistic(x: float) -> float:
    return 1 / (1 + math.exp(-x))
