"""Which keys of the object store rows refer to; all other objects are orphans."""

from uuid import UUID

from shared.store.connect import Connection, Row
from shared.store.named_queries import load_queries

_SQL = load_queries("storage")


def wanted_uploads(connection: Connection) -> list[UUID]:
    """Uploads in scope whose file is being registered, or is a document's source."""
    return [row["id"] for row in connection.execute(_SQL["wanted_uploads"])]


def runs(connection: Connection) -> list[tuple[UUID, UUID]]:
    """(document, ingestion) of every run in scope of a document that exists."""
    return [(row["document_id"], row["id"]) for row in connection.execute(_SQL["runs"])]


def keys(connection: Connection) -> list[str]:
    """Keys in scope that documents refer to: their sources and decrypted copies."""
    rows = connection.execute(_SQL["keys"]).fetchall()
    return [key for row in rows for key in (row["source_key"], row["opened_key"]) if key]


def needed(connection: Connection) -> list[Row]:
    """Of every document in scope that is served: its id, name and run, its keys, and the pages that were read."""
    return connection.execute(_SQL["needed"]).fetchall()
