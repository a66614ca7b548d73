"""Rows of documents that were posted together: what the stages leave of one, of a whole slice."""

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from uuid import UUID

import psycopg
from psycopg.types.json import Jsonb

from shared.domain.scope import Scope
from shared.errors import Conflict
from shared.store.connect import Connection, Row
from shared.store.named_queries import load_queries
from shared.store.plans import add_runs_seconds
from shared.store.upsert import json_rows, upsert
from shared.store.versions import lock_base

_SQL = load_queries("slices")


@contextmanager
def fitting() -> Generator[None]:
    """Raises Conflict where rows do not fit beside those that are there."""
    try:
        yield
    except psycopg.IntegrityError as error:
        raise Conflict("Some of the documents do not fit beside those that are there.") from error


def add_documents(connection: Connection, knowledge_base_id: UUID, rows: Sequence[Row]) -> set[UUID]:
    """Registers documents, each as the next version of `version_of`'s logical document or as the first of the new
    `logical_id`; returns which. Left out are those whose bytes are there, or whose former version is gone."""
    lock_base(connection, knowledge_base_id)
    values = {"rows": json_rows(rows)}
    connection.execute(_SQL["add_logical_documents"], values)
    added = {row["id"] for row in connection.execute(_SQL["add_documents"], values).fetchall()}
    unused = [row["logical_id"] for row in rows if row["id"] not in added and row["logical_id"] is not None]
    if unused:
        connection.execute(_SQL["remove_unused"], {"ids": unused})
    return added


def names_of(connection: Connection, document_ids: Sequence[UUID]) -> dict[UUID, str]:
    """The names of the logical documents."""
    return {row["id"]: row["name"] for row in connection.execute(_SQL["names"], {"ids": list(document_ids)})}


def start_runs(connection: Connection, document_ids: Sequence[UUID]) -> None:
    connection.execute(_SQL["start_runs"], {"ids": list(document_ids)})


def add_pages(connection: Connection, pages: Sequence[Row], left: Sequence[Row]) -> None:
    """Inserts pages, and which of them has left which mapped stage."""
    upsert(connection, "pages", ("document_id", "page"), pages)
    upsert(connection, "ingestion_pages", ("ingestion_id", "stage", "page"), left)


def end_stages(
    connection: Connection,
    scope: Scope,
    runs: Mapping[UUID, UUID],
    shown: Mapping[str, float],
    mapped: Mapping[str, float],
) -> None:
    """Ends stages of the runs of documents, which took each so many seconds. Only `shown` ones stand in the run itself;
    `mapped` ones are those of pages."""
    values = {"ids": list(runs), "took": Jsonb(dict(shown))}
    connection.execute(_SQL["end_stages"], values)
    add_runs_seconds(connection, scope, list(runs.values()), {**shown, **mapped})
