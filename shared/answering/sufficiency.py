"""Whether anything speaks of a question, by the evidence that was weighed: how likely it is, and what lacks.

Measurements, and how the thresholds were chosen: docs/decisions/0046-quotations.md.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Literal
from uuid import UUID

from shared.answering.evidence import CHUNKS_READ, Sentence, titles_of
from shared.answering.question import Question
from shared.domain.knowledge import Hit
from shared.retrieval.naming import terms_naming
from shared.retrieval.terms import terms_in

# Coefficients of a logistic regression on answerable and unanswerable questions of several collections.
BIAS, NEAREST_SLOPE, RARE_SLOPE, LACK = -4.2, 8.1, 1.3, -4.8
# Nothing answers where neither a chunk nor a statement is this near, and no chunk has this share of the rarer terms; of
# fewer terms more nearness is asked, as much as both are to be together.
RARE_MIN, NEAREST_MIN, BOTH_MIN = 1 / 3, 0.6, 0.9


@dataclass(frozen=True)
class Lack:
    """What the question asks and nothing has (`shared.answering.lacking`): the reason, and the words that it is about,
    as they are written there."""

    reason: Literal["nothing_there", "not_named", "other_period", "no_value", "not_spoken_of", "nothing_found"]
    words: tuple[str, ...] = ()


@dataclass(frozen=True)
class Sufficiency:
    """`nearest`: the best cosine of a chunk; `rare`: the best chunk's share of the question's rarer terms.

    `confidence` is the estimated probability that the documents answer the question, `enough` whether anything of it
    is there at all; `lack` why not, where it is known.
    """

    nearest: float
    rare: float
    confidence: float
    enough: bool
    lack: Lack | None = None

    def without(self, lack: Lack) -> "Sufficiency":
        """The same where something that is asked for is known to be lacking."""
        odds = self.confidence / (1 - self.confidence) * math.exp(LACK)
        return replace(self, enough=False, lack=lack, confidence=odds / (1 + odds))


def judge(
    question: Question,
    hits: Sequence[Hit],
    weighed: Sequence[Sentence],
    nearest: float,
    rows: Mapping[UUID, str] = MappingProxyType({}),
) -> Sufficiency:
    """Estimates from the best cosine of a statement, or of a chunk in scope (`nearest`), and the best hit's share of
    the rarer half of the question's terms, whether anything answers: also a form does whose label is what is asked for.
    A statement with one of its codes has all of them; a row has what its column headers have, as in
    `weigh_sentences`."""
    near = max([nearest, *(s.cosine for s in weighed)])
    rare, confidence = estimate(question, hits, near, rows)
    if any(not s.terms.isdisjoint(question.codes) for s in weighed):
        rare, confidence = 1.0, confidence_of(near, 1.0)
    asked = any(s.filled and terms_in(s.name, question.asked).issuperset(question.asked) for s in weighed)
    spoken = near >= NEAREST_MIN or (rare >= RARE_MIN and rare + near >= BOTH_MIN)
    enough = bool(weighed) and (spoken or (asked and bool(question.asked)))
    return Sufficiency(nearest, rare, confidence, enough)


def estimate(
    question: Question, hits: Sequence[Hit], nearest: float, rows: Mapping[UUID, str] = MappingProxyType({})
) -> tuple[float, float]:
    """The best hit's share of the rarer half of the question's terms, and the confidence that follows from it."""
    rarer = _rarer_half(question)
    whole = sum(rarer.values())
    told = [sum(rarer[term] for term in _told_of(question, hit, rarer, rows)) for hit in hits[:CHUNKS_READ]]
    rare = max(told, default=0.0) / whole if whole else 0.0
    return rare, confidence_of(nearest, rare)


def _told_of(
    question: Question, hit: Hit, wanted: Mapping[str, float], rows: Mapping[UUID, str]
) -> frozenset[str] | set[str]:
    """Those of `wanted` that a passage has, or that name its document."""
    text = f"{titles_of(hit)}\n{rows.get(hit.chunk.id, hit.chunk.content)}"
    naming = terms_naming(question.naming, hit.document.id)
    return terms_in(text, wanted, question.properties) | (naming & wanted.keys())


def confidence_of(nearest: float, rare: float) -> float:
    """The estimated probability that documents answer of which these are the best cosine and share."""
    return _logistic(BIAS + NEAREST_SLOPE * nearest + RARE_SLOPE * rare)


def _rarer_half(question: Question) -> dict[str, float]:
    told = {term: weight for term, weight in question.weights.items() if term not in question.asking}
    weights = told or question.weights
    names: Collection[str] = sorted(weights, key=lambda name: -weights[name])[: max(1, len(weights) // 2)]
    return {name: weights[name] for name in names}


def _logistic(x: float) -> float:
    return 1 / (1 + math.exp(-x))
