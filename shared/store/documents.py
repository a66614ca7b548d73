"""Writes the rows of documents and pages during ingestion: registration, status, publication, superseding."""

from collections.abc import Collection, Sequence
from datetime import date
from uuid import UUID

from psycopg import sql
from psycopg.types.json import Jsonb

from shared.domain.document_date import DocumentDate
from shared.domain.ids import new_id
from shared.domain.scope import Scope
from shared.errors import NotFound
from shared.store.connect import Connection, Row
from shared.store.named_queries import load_queries
from shared.store.versions import list_members, lock_logical, lock_versions

_SQL = load_queries("documents")


def find_document(connection: Connection, document_id: UUID) -> Row | None:
    return connection.execute(_SQL["find_document"], {"id": document_id}).fetchone()


def hold_documents(connection: Connection, documents: Collection[UUID]) -> list[UUID]:
    """Those that are there, by id; they stay until the transaction ends."""
    return [row["id"] for row in connection.execute(_SQL["hold"], {"ids": list(documents)}).fetchall()]


def find_by_hash(connection: Connection, source_hash: str) -> Row | None:
    """The document with these bytes, locked for the rest of the transaction."""
    return connection.execute(_SQL["find_by_hash"], {"hash": source_hash}).fetchone()


def revive_refused(connection: Connection, row: Row) -> Row | None:
    """Registers a refused document again with the values of `row`; None where the document with these bytes was not
    refused."""
    return connection.execute(_SQL["revive_refused"], row).fetchone()


def set_opened(connection: Connection, document_id: UUID, key: str, sha256: str) -> None:
    """Stores the key and SHA-256 of the decrypted copy of a protected source."""
    connection.execute(_SQL["set_opened"], {"id": document_id, "key": key, "hash": sha256})


def replace_source(connection: Connection, document_id: UUID, key: str, version: str | None) -> None:
    """Stores the new key of the same bytes."""
    connection.execute(_SQL["replace_source"], {"id": document_id, "key": key, "version": version})


def mark_source(connection: Connection, document_id: UUID, *, changed: bool) -> None:
    """Stores whether the stored bytes are known to differ from the registered ones."""
    connection.execute(_SQL["mark_source"], {"id": document_id, "changed": changed})


def set_source_facts(connection: Connection, document_id: UUID, title: str | None, made: date | None) -> None:
    """Stores the title and the date from the source's own metadata."""
    connection.execute(_SQL["set_source_facts"], {"id": document_id, "title": title, "made": made})


def set_date(connection: Connection, document_id: UUID, found: DocumentDate | None) -> None:
    """Stores the date that was read, or that none was found; a date that a person gave stays."""
    values = found._asdict() if found else dict.fromkeys(DocumentDate._fields)
    connection.execute(_SQL["set_date"], {"id": document_id} | values)


def edit_date(connection: Connection, document_id: UUID, day: date | None) -> None:
    """Stores the date that a person gave, or that they say the document has none."""
    connection.execute(_SQL["edit_date"], {"id": document_id, "day": day})


def count_kept_rows(connection: Connection, document_id: UUID) -> int:
    """Rows of its tables that are no passages."""
    return next(row["rows"] for row in connection.execute(_SQL["count_kept_rows"], {"id": document_id}))


def has_chunks(connection: Connection, document_id: UUID) -> bool:
    return connection.execute(_SQL["has_chunks"], {"id": document_id}).fetchone() is not None


def count_chunks(connection: Connection, document_id: UUID) -> int:
    """Counts the document's chunks anew, stores the number and returns it."""
    row = connection.execute(_SQL["count_chunks"], {"id": document_id}).fetchone()
    return int(row["chunk_count"]) if row else 0


def logical_name(connection: Connection, document_id: UUID) -> str:
    """The name that all versions of the document share; empty where there is no such document."""
    row = connection.execute(_SQL["logical_name"], {"id": document_id}).fetchone()
    return str(row["name"]) if row else ""


def lock_named(connection: Connection, knowledge_base_id: UUID, name: str) -> UUID | None:
    """The latest version of the logical document that people call `name`, of several the oldest one; None if there is
    none. Until the transaction ends, nobody else is told the same of this name."""
    values = {"knowledge_base_id": knowledge_base_id, "name": name}
    connection.execute(_SQL["lock_name"], values)
    row = connection.execute(_SQL["find_named"], values).fetchone()
    return row["id"] if row else None


def insert_document(connection: Connection, scope: Scope, row: Row) -> Row | None:
    """Inserts a document as the next version of `version_of`'s logical document, or as the first of its own.

    `source_version` may be left out where the store has no versions. Returns None when the knowledge base has these
    bytes already. The logical document is locked, so that two versions registered concurrently get different numbers.
    Raises NotFound when `version_of` is gone.
    """
    owner = {"organization_id": scope.organization_id, "knowledge_base_id": scope.knowledge_base_ids[0]}
    logical_id, index = _next_version(connection, owner, row)
    values = {"source_version": None, **row, **owner, "logical_document_id": logical_id, "version_index": index}
    inserted = connection.execute(_SQL["add_document"], values).fetchone()
    if inserted is None and row["version_of"] is None:
        connection.execute(_SQL["remove_logical_document"], {"id": logical_id})
    return inserted


def _next_version(connection: Connection, owner: Row, row: Row) -> tuple[UUID, int]:
    if row["version_of"] is None:
        logical_id = new_id()
        connection.execute(_SQL["add_logical_document"], {**owner, "id": logical_id, "name": row["title"]})
        return logical_id, 1
    found = lock_logical(connection, row["version_of"])
    if found is None:
        raise NotFound(f"The document {row['version_of']} that this is a version of was deleted. Upload it on its own.")
    return found[0], max((member.version_index for member in list_members(connection, found[0])), default=0) + 1


def restart_document(
    connection: Connection, document_id: UUID, ingestion_id: UUID, engine: str, source_type: str, page_count: int
) -> None:
    """Marks the document as being ingested by a new run; what was published before is served until that run
    publishes."""
    values: Row = {"id": document_id, "ingestion_id": ingestion_id, "engine": engine}
    values |= {"source_type": source_type, "page_count": page_count}
    connection.execute(_SQL["restart_document"], values)
    connection.execute(_SQL["restart_pages"], values)


def claim_for_rerun(connection: Connection, document_id: UUID, run_id: UUID) -> bool:
    """Whether the document had no run under way and now belongs to `run_id`; of two concurrent callers only one gets
    True."""
    return connection.execute(_SQL["claim_for_rerun"], {"id": document_id, "run_id": run_id}).fetchone() is not None


def set_document_status(connection: Connection, document_id: UUID, status: str, error: str | None) -> None:
    connection.execute(_SQL["set_document_status"], {"id": document_id, "status": status, "error": error})


def set_extracted(
    connection: Connection, document_id: UUID, ingestion_id: UUID, confidence: float, version: str
) -> None:
    """Makes the document show the results of this run from now on."""
    values = {"id": document_id, "ingestion_id": ingestion_id, "confidence": confidence, "version": version}
    connection.execute(_SQL["set_extracted"], values)


def insert_pages(connection: Connection, scope: Scope, document_id: UUID, page_count: int) -> None:
    """Inserts rows for pages 1 to `page_count`; existing rows are kept."""
    values = {
        "organization_id": scope.organization_id,
        "knowledge_base_id": scope.knowledge_base_ids[0],
        "document_id": document_id,
        "page_count": page_count,
    }
    connection.execute(_SQL["add_pages"], values)


def update_page(connection: Connection, document_id: UUID, page: int, status: str, columns: Row) -> None:
    """Set a page's status and the given columns."""
    values = {"status": status, **columns}
    assignments = sql.SQL(", ").join(sql.SQL("{} = {}").format(sql.Identifier(n), sql.Placeholder(n)) for n in values)
    statement = sql.SQL("update pages set {} where document_id = %(document_id)s and page = %(page_number)s")
    if "skipped" in values:
        values["skipped"] = Jsonb(values["skipped"])
    connection.execute(statement.format(assignments), values | {"document_id": document_id, "page_number": page})


def publish(connection: Connection, document_id: UUID, status: str, values: Row) -> None:
    """Serves the document, as `publish_all` does several."""
    publish_all(connection, [document_id], status, values)


def publish_all(connection: Connection, document_ids: Sequence[UUID], status: str, values: Row) -> None:
    """Serves documents of one knowledge base, no two of the same logical document.

    A document that is served for the first time, while no newer version is served, becomes the current version in the
    same transaction. Ingesting a version again does not change which one is current.
    """
    ids = {"ids": list(document_ids)}
    lock_versions(connection, document_ids[0])
    connection.execute(_SQL["supersede_older"], ids)
    connection.execute(_SQL["publish"], {"status": status, **values, **ids})
    connection.execute(_SQL["make_newest_current"], ids)
