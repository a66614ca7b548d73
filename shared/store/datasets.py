"""Rows of datasets, and of the tables that they are made of."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from psycopg.types.json import Jsonb

from shared.domain.ids import new_id
from shared.domain.scope import Identity
from shared.store.connect import Connection, Row
from shared.store.named_queries import load_queries

_SQL = load_queries("datasets")
Document = list[Any]


def add_dataset(connection: Connection, identity: Identity, base: UUID, name: str, tables: Sequence[UUID]) -> UUID:
    """Without a revision, which has to follow."""
    dataset_id = new_id()
    values: Row = {"organization_id": identity.organization_id, "knowledge_base_id": base, "id": dataset_id}
    values |= {"name": name, "table_ids": list(tables)}
    connection.execute(_SQL["add_dataset"], values)
    add_tables(connection, identity, base, dataset_id, 1, tables)
    return dataset_id


def add_tables(
    connection: Connection, identity: Identity, base: UUID, dataset_id: UUID, revision: int, tables: Sequence[UUID]
) -> None:
    """Those that the dataset is made of from `revision` on, in order."""
    values: Row = {"organization_id": identity.organization_id, "knowledge_base_id": base, "id": dataset_id}
    connection.execute(_SQL["add_dataset_tables"], values | {"revision": revision, "table_ids": list(tables)})


def add_revision(
    connection: Connection,
    identity: Identity,
    base: UUID,
    dataset_id: UUID,
    revision: int,
    columns: Document,
    steps: Document,
    sha256: str,
    tables_of: int,
) -> None:
    """`tables_of`: the revision that its tables came with."""
    values: Row = {"organization_id": identity.organization_id, "knowledge_base_id": base, "id": dataset_id}
    values |= {"revision": revision, "columns": Jsonb(columns), "steps": Jsonb(steps), "sha256": sha256}
    connection.execute(_SQL["add_revision"], values | {"tables_of": tables_of, "user_id": identity.user_id})


def list_datasets(connection: Connection, base: UUID | None, before: UUID | None, limit: int) -> list[Row]:
    """Newest first, from behind the one with id `before`; of every knowledge base in scope when none is given."""
    values = {"knowledge_base_id": base, "before": before, "limit": limit, "id": None}
    return connection.execute(_SQL["list_datasets"], values).fetchall()


def get_dataset(connection: Connection, dataset_id: UUID) -> Row | None:
    """As `list_datasets` has it."""
    values = {"knowledge_base_id": None, "before": None, "limit": 1, "id": dataset_id}
    return connection.execute(_SQL["list_datasets"], values).fetchone()


def lock_dataset(connection: Connection, dataset_id: UUID) -> Row | None:
    """Its id and revision; nobody else changes it until the transaction ends."""
    return connection.execute(_SQL["lock_dataset"], {"id": dataset_id}).fetchone()


def change_dataset(
    connection: Connection, dataset_id: UUID, name: str | None, revision: int, tables: int | None
) -> None:
    """`tables`: how many it is made of; None where these are the same."""
    values = {"id": dataset_id, "name": name, "revision": revision, "made_of": tables}
    connection.execute(_SQL["change_dataset"], values)


def remove_dataset(connection: Connection, dataset_id: UUID) -> Row | None:
    return connection.execute(_SQL["remove_dataset"], {"id": dataset_id}).fetchone()


def list_revisions(connection: Connection, dataset_id: UUID, before: int | None, limit: int) -> list[Row]:
    """Newest first."""
    values = {"id": dataset_id, "before": before, "limit": limit}
    return connection.execute(_SQL["list_revisions"], values).fetchall()


def get_revision(connection: Connection, dataset_id: UUID, revision: int | None) -> Row | None:
    """That one, or the newest, with the name of the dataset and its knowledge base."""
    return connection.execute(_SQL["get_revision"], {"id": dataset_id, "revision": revision}).fetchone()


def dataset_sources(connection: Connection, dataset_id: UUID) -> list[Row]:
    """The documents of its tables, with the current version of each where it is a newer one."""
    return connection.execute(_SQL["dataset_sources"], {"id": dataset_id}).fetchall()


def tables_of(connection: Connection, dataset_id: UUID, tables_of: int) -> list[Row]:
    """Those of its tables that are there, in order; of the revision that they came with."""
    return connection.execute(_SQL["tables_of_dataset"], {"id": dataset_id, "tables_of": tables_of}).fetchall()


def passages_of(connection: Connection, dataset_id: UUID, limit: int) -> list[UUID]:
    """The passages to cite its first tables by."""
    found = connection.execute(_SQL["passages_of_dataset"], {"id": dataset_id, "limit": limit}).fetchall()
    return [row["id"] for row in found]


def texts_of_tables(connection: Connection, tables: Sequence[UUID]) -> list[Row]:
    """Rows of texts, a cell over several rows or columns as [text, rows, columns]."""
    return connection.execute(_SQL["texts_of_tables"], {"ids": list(tables)}).fetchall()


def grids_of_tables(connection: Connection, tables: Sequence[UUID]) -> list[Row]:
    """Cells with their boxes, in order, of those that are there."""
    return connection.execute(_SQL["grids_of_tables"], {"ids": list(tables)}).fetchall()


def tables_named(connection: Connection, base: UUID, ids: Sequence[UUID]) -> list[Row]:
    """For each of `ids`, of tables or of chunks in them, the table; its id is None where there is none."""
    return connection.execute(_SQL["tables_named"], {"ids": list(ids), "knowledge_base_id": base}).fetchall()


def headers_of_tables(
    connection: Connection, base: UUID, document: UUID | None, superseded: bool, limit: int
) -> list[Row]:
    """Tables with their headers and their first row, in the order of documents."""
    values = {"knowledge_base_id": base, "document_id": document, "superseded": superseded, "limit": limit}
    return connection.execute(_SQL["headers_of_tables"], values).fetchall()


def tables_listed(connection: Connection, base: UUID, document: UUID | None, superseded: bool, limit: int) -> list[Row]:
    """As `headers_of_tables`, without what is in the tables."""
    values = {"knowledge_base_id": base, "document_id": document, "superseded": superseded, "limit": limit}
    return connection.execute(_SQL["tables_listed"], values).fetchall()


def rows_of_tables(connection: Connection, places: Sequence[tuple[UUID, int]]) -> list[Row]:
    """The grids of the tables that `places` name with their rows, and the chunk of each of these rows."""
    values = {"table_ids": [table for table, _ in places], "rows": [row for _, row in places]}
    return connection.execute(_SQL["rows_of_tables"], values).fetchall()


def passages_of_rows(connection: Connection, tables: Sequence[UUID]) -> dict[tuple[UUID, int], UUID]:
    """The chunk of each row that has one of its own, by table and row."""
    found = connection.execute(_SQL["passages_of_rows"], {"tables": list(tables)})
    return {(row["table_id"], row["table_row"]): row["id"] for row in found}
