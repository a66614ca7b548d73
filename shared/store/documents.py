"""Rows of documents and pages while they are being made: registration, status, publication, supersession."""

from typing import Any
from uuid import UUID

from psycopg.types.json import Jsonb

from shared.domain.ids import new_id
from shared.domain.scope import Scope
from shared.store.connect import Connection

Row = dict[str, Any]


def find_document(connection: Connection, document_id: UUID) -> Row | None:
    return connection.execute("select * from documents where id = %s", (document_id,)).fetchone()


def find_by_hash(connection: Connection, source_hash: str) -> Row | None:
    return connection.execute("select * from documents where source_hash = %s", (source_hash,)).fetchone()


def logical_name(connection: Connection, document_id: UUID) -> str:
    row = connection.execute(
        "select l.name from documents d join logical_documents l on l.id = d.logical_document_id where d.id = %s",
        (document_id,),
    ).fetchone()
    return str(row["name"]) if row else ""


def insert_document(connection: Connection, scope: Scope, row: Row) -> Row | None:
    """A document as the next version of `version_of`'s logical document, or the first of its own.

    Returns None when the knowledge base has these bytes already. The logical document is locked, so that two
    versions registered at once get different numbers.
    """
    logical_id, index = _next_version(connection, scope, row)
    values = {
        **row,
        "logical_document_id": logical_id,
        "version_index": index,
        "organization_id": scope.organization_id,
        "knowledge_base_id": scope.knowledge_base_ids[0],
    }
    inserted = connection.execute(
        "insert into documents (organization_id, knowledge_base_id, id, logical_document_id, name, source_type,"
        " source_hash, source_key, size, status, error, version_label, version_index, ingestion_id, engine, page_count)"
        " values (%(organization_id)s, %(knowledge_base_id)s, %(id)s, %(logical_document_id)s, %(name)s,"
        " %(source_type)s, %(source_hash)s, %(source_key)s, %(size)s, %(status)s, %(error)s, %(label)s,"
        " %(version_index)s, %(ingestion_id)s, %(engine)s, %(page_count)s)"
        " on conflict (knowledge_base_id, source_hash) do nothing returning *",
        values,
    ).fetchone()
    if inserted is None and row["version_of"] is None:
        connection.execute("delete from logical_documents where id = %s", (logical_id,))
    return inserted


def _next_version(connection: Connection, scope: Scope, row: Row) -> tuple[UUID, int]:
    if row["version_of"] is None:
        logical_id = new_id()
        connection.execute(
            "insert into logical_documents (organization_id, knowledge_base_id, id, name) values (%s, %s, %s, %s)",
            (scope.organization_id, scope.knowledge_base_ids[0], logical_id, row["name"]),
        )
        return logical_id, 1
    found = connection.execute(
        "select l.id, (select max(version_index) from documents where logical_document_id = l.id) as last"
        " from logical_documents l join documents d on d.logical_document_id = l.id where d.id = %s for update of l",
        (row["version_of"],),
    ).fetchone()
    if found is None:
        raise LookupError(f"no document {row['version_of']}")
    return found["id"], int(found["last"]) + 1


def restart_document(connection: Connection, document_id: UUID, ingestion_id: UUID, engine: str) -> None:
    """A new run begins; what was published before stays served until the new run publishes."""
    connection.execute(
        "update documents set status = 'running', error = null, ingestion_id = %s, engine = %s where id = %s",
        (ingestion_id, engine, document_id),
    )
    connection.execute("update pages set status = 'queued', error = null where document_id = %s", (document_id,))


def set_document_status(connection: Connection, document_id: UUID, status: str, error: str | None) -> None:
    connection.execute("update documents set status = %s, error = %s where id = %s", (status, error, document_id))


def insert_pages(connection: Connection, scope: Scope, document_id: UUID, page_count: int) -> None:
    connection.execute(
        "insert into pages (organization_id, knowledge_base_id, document_id, page)"
        " select %s, %s, %s, generate_series(1, %s) on conflict (document_id, page) do nothing",
        (scope.organization_id, scope.knowledge_base_ids[0], document_id, page_count),
    )


def update_page(connection: Connection, document_id: UUID, page: int, status: str, values: Row) -> None:
    """Set a page's status and the given columns (names from our own code)."""
    columns = "".join(f", {name} = %({name})s" for name in values)
    prepared = {name: Jsonb(value) if name == "skipped" else value for name, value in values.items()}
    connection.execute(
        f"update pages set status = %(status)s{columns} where document_id = %(document)s and page = %(page)s",  # noqa: S608 # pyright: ignore[reportArgumentType]
        {"status": status, "document": document_id, "page": page, **prepared},
    )


def publish(connection: Connection, document_id: UUID, status: str, values: Row) -> None:
    """Serve the document; its newest served version becomes the current one, in the same transaction."""
    connection.execute(
        "update documents set status = %(status)s, error = %(error)s, serving = true, published_at = now(),"
        " embedder_version = %(embedder_version)s, seconds = %(seconds)s,"
        " chunk_count = (select count(*) from chunks where document_id = %(id)s) where id = %(id)s",
        {"id": document_id, "status": status, **values},
    )
    connection.execute(
        "select 1 from logical_documents where id = (select logical_document_id from documents where id = %s)"
        " for update",
        (document_id,),
    )
    siblings = (
        "logical_document_id = (select logical_document_id from documents where id = %(id)s)"
    )
    newest = f"(select max(version_index) from documents where {siblings} and serving)"
    for current, comparison in ((False, "<>"), (True, "=")):
        connection.execute(
            f"update documents set is_current = {current} where {siblings} and is_current <> {current}"  # noqa: S608 # pyright: ignore[reportArgumentType]
            f" and version_index {comparison} {newest}",
            {"id": document_id},
        )
