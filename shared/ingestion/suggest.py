"""Suggests that a new document is a version of an existing one: scored when it is published, never linked
automatically."""

from typing import Final
from uuid import UUID

from shared.domain.scope import Scope
from shared.domain.version_profile import THRESHOLD, VersionProfile, compare, score_of
from shared.readers.mail.format import MAIL
from shared.readers.registry import POSTED
from shared.runtime import Runtime
from shared.store import documents, suggestions
from shared.store.suggestions import FoundVersion, OtherProfile

SUGGESTED_MAX = 3
# What is posted says itself what it is a version of, and a message is one of nothing.
UNCOMPARED: Final = tuple(one.source_type for one in (*POSTED, MAIL))
# How many older documents without a profile get one in passing, at some 20 ms each: publishing stays within seconds.
CAUGHT_UP_MAX = 100


def suggest_versions(runtime: Runtime, scope: Scope, document_id: UUID) -> int:
    """Compares the document with the other logical documents of its knowledge base; returns how many are suggested.

    May be repeated: open suggestions are updated, decided ones are kept. A document that already is a version of
    another one gets no suggestion, nor does what was posted or came from the web, nor a message: it was sent once, and
    what resembles it answers it.
    """
    knowledge_base_id = scope.knowledge_base_ids[0]
    with runtime.database.transaction(scope) as connection:
        document = documents.find_document(connection, document_id)
        if document is None or document["source_type"] in UNCOMPARED:
            return 0
        suggestions.lock_scoring(connection, knowledge_base_id)
        for row in suggestions.without_profile(connection, knowledge_base_id, UNCOMPARED, CAUGHT_UP_MAX):
            suggestions.store_profile(connection, row["id"], suggestions.read_profile(connection, row))
        profile = suggestions.read_profile(connection, document)
        suggestions.store_profile(connection, document_id, profile)
        if not suggestions.is_alone(connection, document_id):
            suggestions.store_suggestions(connection, document_id, [])
            return 0
        known = suggestions.mirrored(connection, document_id)
        others = suggestions.other_profiles(connection, knowledge_base_id, document_id)
        found = best_matches(profile, [other for other in others if other.document_id not in known])
        suggestions.store_suggestions(connection, document_id, found)
    return len(found)


def best_matches(profile: VersionProfile, others: list[OtherProfile]) -> list[FoundVersion]:
    """The logical documents above the threshold, scored by their most similar version; the best few, best first."""
    best: dict[UUID, FoundVersion] = {}
    for other in others:
        parts = compare(profile, other.profile)
        found = FoundVersion(other.logical_document_id, other.document_id, score_of(parts), parts)
        known = best.get(found.logical_document_id)
        if found.score >= THRESHOLD and (known is None or found.score > known.score):
            best[found.logical_document_id] = found
    return sorted(best.values(), key=lambda one: (-one.score, one.logical_document_id))[:SUGGESTED_MAX]
