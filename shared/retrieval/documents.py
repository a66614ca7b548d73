"""Which documents a query means: evidence from the words that name some of the found documents, but not all.

A document's evidence is the log of how much denser such a word is in it than in the whole scope, smoothed with the
scope's density (Dirichlet; Zhai & Lafferty 2001), summed over the words of the query. Words that name no document, or
every one, say nothing about which is meant: they are what the passages are ranked by.
"""

import math
from collections.abc import Mapping, Sequence
from uuid import UUID

from shared.lexical.keys import slot
from shared.lexical.profiles import NamingProfile, read_profiles
from shared.lexical.query import LexicalQuery, Word
from shared.store.connect import Connection

# Chunks of the scope's density that are added to each document's, and the most that one word may say either way.
SMOOTHING = 100
EVIDENCE_MAX = 2.0
# What a unit of evidence is worth: chosen with the fusion, docs/decisions/0021-context-of-passages.md
PULL = 0.2
# Documents whose evidence is read: those of the best passages. The others count as much as the worst of them.
DOCUMENTS_MAX = 50

Evidence = dict[UUID, float]


def read_evidence(connection: Connection, query: LexicalQuery, found: Sequence[UUID]) -> Evidence:
    """Evidence for each of the documents `found`, which stand in the order of their best passages."""
    slots = {slot(number) for word in query.words for number in word.terms.values()}
    profiles = read_profiles(connection, sorted(found[:DOCUMENTS_MAX]), sorted(slots))
    evidence = weigh_documents(query.words, sum(query.chunks.values()), profiles)
    return dict.fromkeys(found[DOCUMENTS_MAX:], min(evidence.values(), default=0.0)) | evidence


def weigh_documents(words: Sequence[Word], chunks: int, profiles: Mapping[UUID, NamingProfile]) -> Evidence:
    """Evidence for each document with a profile, out of a scope of `chunks` chunks."""
    evidence = dict.fromkeys(profiles, 0.0)
    for word in words:
        slots = {slot(number) for number in word.terms.values()}
        named = sum(not slots.isdisjoint(profile.names) for profile in profiles.values())
        if word.frequency and 0 < named < len(profiles):
            for document, profile in profiles.items():
                evidence[document] += _density(slots, profile, word.frequency / chunks)
    return evidence


def prefer_documents(
    scores: Mapping[UUID, float], evidence: Mapping[UUID, float], documents: Mapping[UUID, UUID]
) -> dict[UUID, float]:
    """Scores of chunks times what their documents' evidence is worth, best first."""
    factors = {document: math.exp(PULL * value) for document, value in evidence.items()}
    weighed = {c: score * factors.get(documents.get(c, c), 1.0) for c, score in scores.items()}
    return dict(sorted(weighed.items(), key=lambda item: -item[1]))


def _density(slots: set[int], profile: NamingProfile, usual: float) -> float:
    occurrences = sum(profile.frequencies.get(s, 0) for s in slots)
    density = (occurrences + SMOOTHING * usual) / (profile.chunks + SMOOTHING)
    return max(-EVIDENCE_MAX, min(EVIDENCE_MAX, math.log(density / usual)))
