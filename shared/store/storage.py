"""What rows know of the object store: everything else in it is nobody's."""

from uuid import UUID

from shared.store.connect import Connection
from shared.store.named_queries import load_queries

_SQL = load_queries("storage")


def wanted_uploads(connection: Connection) -> list[UUID]:
    """Uploads in scope whose file is on its way to a document, or is one's."""
    return [row["id"] for row in connection.execute(_SQL["wanted_uploads"])]


def runs(connection: Connection) -> list[tuple[UUID, UUID]]:
    """(document, ingestion) of every run in scope of a document that exists."""
    return [(row["document_id"], row["id"]) for row in connection.execute(_SQL["runs"])]


def keys(connection: Connection) -> list[str]:
    """Keys that documents in scope name: their source, and what opens without its password."""
    rows = connection.execute(_SQL["keys"]).fetchall()
    return [key for row in rows for key in (row["source_key"], row["opened_key"]) if key]
