"""Profiles by which documents are compared, and the version suggestions made from them."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from psycopg.types.json import Jsonb

from shared.domain.ids import new_id
from shared.domain.scope import Identity
from shared.domain.version_profile import HEADINGS, METHOD, VersionParts, VersionProfile, make_profile
from shared.store.connect import Connection, Row
from shared.store.edits import name_of
from shared.store.named_queries import load_queries

_SQL = load_queries("suggestions")


@dataclass(frozen=True)
class OtherProfile:
    """The profile of another logical document's version."""

    document_id: UUID
    logical_document_id: UUID
    profile: VersionProfile


@dataclass(frozen=True)
class FoundVersion:
    """A logical document that the new document may be a version of; `nearest_id` is its most similar version."""

    logical_document_id: UUID
    nearest_id: UUID
    score: float
    parts: VersionParts


def lock_scoring(connection: Connection, knowledge_base_id: UUID) -> None:
    """Locks the scoring of this knowledge base until the transaction ends."""
    connection.execute(_SQL["lock_scoring"], {"knowledge_base_id": str(knowledge_base_id)})


def read_profile(connection: Connection, document: Row) -> VersionProfile:
    """Computes the profile of a stored document."""
    values: Row = {"id": document["id"], "limit": HEADINGS}
    headings = [str(row["content"]) for row in connection.execute(_SQL["first_headings"], values).fetchall()]
    sections = connection.execute(_SQL["section_keys"], values).fetchall()
    return make_profile(
        document["name"],
        document["source_title"],
        headings,
        [row["address_key"] for row in sections if row["address_key"]],
        [row["title"] for row in sections],
        (row["content"] for row in connection.execute(_SQL["contents"], values)),
    )


def store_profile(connection: Connection, document_id: UUID, profile: VersionProfile) -> None:
    values = profile.model_dump() | {"document_id": document_id, "method": METHOD}
    connection.execute(_SQL["store_profile"], values)


def without_profile(
    connection: Connection, knowledge_base_id: UUID, uncompared: Sequence[str], limit: int
) -> list[Row]:
    """Served documents that have no profile of the present method, the oldest first; none of the `uncompared` types."""
    values = {"knowledge_base_id": knowledge_base_id, "method": METHOD, "uncompared": list(uncompared), "limit": limit}
    return connection.execute(_SQL["without_profile"], values).fetchall()


def other_profiles(connection: Connection, knowledge_base_id: UUID, document_id: UUID) -> list[OtherProfile]:
    """The profiles of every other logical document's versions in the knowledge base."""
    values = {"knowledge_base_id": knowledge_base_id, "document_id": document_id, "method": METHOD}
    return [
        OtherProfile(row["document_id"], row["logical_document_id"], VersionProfile.model_validate(row))
        for row in connection.execute(_SQL["other_profiles"], values)
    ]


def is_alone(connection: Connection, document_id: UUID) -> bool:
    """Whether the document is the only version of its logical document, and no address says what it is a version of."""
    row = connection.execute(_SQL["is_alone"], {"id": document_id}).fetchone()
    return bool(row and row["alone"])


def mirrored(connection: Connection, document_id: UUID) -> set[UUID]:
    """Documents that already have a suggestion to be versions of this one."""
    rows = connection.execute(_SQL["mirrored"], {"document_id": document_id}).fetchall()
    return {row["document_id"] for row in rows}


def store_suggestions(connection: Connection, document_id: UUID, found: Sequence[FoundVersion]) -> None:
    """Replaces the document's open suggestions by `found`; decided ones are kept."""
    kept = [one.logical_document_id for one in found]
    connection.execute(_SQL["drop_others"], {"document_id": document_id, "kept": kept})
    for one in found:
        values: Row = {
            "id": new_id(),
            "document_id": document_id,
            "logical_document_id": one.logical_document_id,
            "nearest_id": one.nearest_id,
            "score": one.score,
            "parts": Jsonb(one.parts.model_dump()),
            "method": METHOD,
        }
        connection.execute(_SQL["store_suggestion"], values)


def list_suggestions(
    connection: Connection, knowledge_base_id: UUID, status: str | None, after: UUID | None, limit: int
) -> list[Row]:
    """Oldest first, from behind `after`."""
    values = {"id": None, "knowledge_base_id": knowledge_base_id, "status": status, "after": after, "limit": limit}
    return connection.execute(_SQL["list_suggestions"], values).fetchall()


def get_suggestion(connection: Connection, suggestion_id: UUID) -> Row | None:
    values = {"id": suggestion_id, "knowledge_base_id": None, "status": None, "after": None, "limit": 1}
    return connection.execute(_SQL["list_suggestions"], values).fetchone()


def decide(connection: Connection, suggestion_id: UUID, status: str, identity: Identity) -> None:
    values = {"id": suggestion_id, "status": status, "user_id": identity.user_id, "by": name_of(connection, identity)}
    connection.execute(_SQL["decide"], values)


def settle(connection: Connection, document_id: UUID, logical_id: UUID, status: str, identity: Identity) -> None:
    """Stores a person's decision to link or unlink, whether it had been suggested or not."""
    nothing = VersionParts(name=None, title=None, sections=None, content=None)
    values: Row = {
        "id": new_id(),
        "document_id": document_id,
        "logical_document_id": logical_id,
        "parts": Jsonb(nothing.model_dump()),
        "method": METHOD,
        "status": status,
        "user_id": identity.user_id,
        "by": name_of(connection, identity),
    }
    connection.execute(_SQL["settle"], values)
