"""Estimates which documents a query means, from those of its words that name some of the found documents but not all.

The evidence of a word for a document is the log of how much denser the word is in the document than in the whole scope,
smoothed with the scope's density (Dirichlet smoothing; Zhai & Lafferty 2001); a document's evidence is the sum over the
words of the query. Words that name no document, or every one, do not tell documents apart and are left out here; the
passages themselves are ranked by them.
"""

import math
from collections.abc import Mapping, Sequence
from uuid import UUID

from shared.lexical.keys import slot
from shared.lexical.profiles import NamingProfile, read_profiles
from shared.lexical.query import LexicalQuery, Word
from shared.store.connect import Connection

# SMOOTHING: how many chunks of average density are added to each document. EVIDENCE_MAX: bound on one word's evidence.
SMOOTHING = 100
EVIDENCE_MAX = 2.0
# Weight of the evidence in the exponent of a score's factor, chosen with the fusion:
# docs/decisions/0044-fusion-by-scores.md
PULL = 0.15
# Evidence is read for the documents of the best passages; all others get the lowest evidence among those.
DOCUMENTS_MAX = 50

Evidence = dict[UUID, float]
Named = dict[str, frozenset[UUID]]


def read_evidence(connection: Connection, query: LexicalQuery, found: Sequence[UUID]) -> tuple[Evidence, Named, Named]:
    """Returns the evidence of each document in `found`, which is ordered by the documents' best passages; for each word
    that names some of them but not all, which; and the same for those that name every one."""
    slots = {slot(number) for word in query.words for number in word.terms.values()}
    profiles = read_profiles(connection, sorted(found[:DOCUMENTS_MAX]), sorted(slots))
    evidence = weigh_documents(query.words, sum(query.chunks.values()), profiles)
    named = {word.form: _named_by(word, profiles) for word in query.words}
    telling = {form: documents for form, documents in named.items() if 0 < len(documents) < len(profiles)}
    shared = {form: documents for form, documents in named.items() if 0 < len(documents) == len(profiles)}
    return dict.fromkeys(found[DOCUMENTS_MAX:], min(evidence.values(), default=0.0)) | evidence, telling, shared


def weigh_documents(words: Sequence[Word], chunks: int, profiles: Mapping[UUID, NamingProfile]) -> Evidence:
    """Returns the evidence of each document that has a profile; `chunks` is the number of chunks in scope."""
    evidence = dict.fromkeys(profiles, 0.0)
    for word in words:
        slots = {slot(number) for number in word.terms.values()}
        if word.frequency and 0 < len(_named_by(word, profiles)) < len(profiles):
            for document, profile in profiles.items():
                evidence[document] += _density(slots, profile, word.frequency / chunks)
    return evidence


def _named_by(word: Word, profiles: Mapping[UUID, NamingProfile]) -> frozenset[UUID]:
    slots = {slot(number) for number in word.terms.values()}
    return frozenset(d for d, profile in profiles.items() if not slots.isdisjoint(profile.names))


def prefer_documents(
    scores: Mapping[UUID, float], evidence: Mapping[UUID, float], documents: Mapping[UUID, UUID]
) -> dict[UUID, float]:
    """Returns the chunks' scores times exp(0.15 · evidence of their document), best first; `documents` maps chunk to
    document."""
    factors = {document: math.exp(PULL * value) for document, value in evidence.items()}
    weighed = {c: score * factors.get(documents.get(c, c), 1.0) for c, score in scores.items()}
    return dict(sorted(weighed.items(), key=lambda item: -item[1]))


def _density(slots: set[int], profile: NamingProfile, usual: float) -> float:
    occurrences = sum(profile.frequencies.get(s, 0) for s in slots)
    density = (occurrences + SMOOTHING * usual) / (profile.chunks + SMOOTHING)
    return max(-EVIDENCE_MAX, min(EVIDENCE_MAX, math.log(density / usual)))
