"""Reads and writes the rows of a whole knowledge base, table by table as the catalogue has them.

Every table with a knowledge base's id is part of an archive unless it is named in `LEFT_OUT`, so that a table that is
added later cannot be forgotten. A row travels as the JSON that Postgres makes of it and reads again: no number passes
through another program.
"""

from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, LiteralString
from uuid import UUID

import psycopg
from psycopg import sql

from shared.domain.scope import Scope
from shared.errors import BadInput, Conflict
from shared.store.connect import Connection, Row
from shared.store.named_queries import load_queries

_SQL = load_queries("archive")

BASES: Final = "knowledge_bases"
ORGANIZATION, BASE = "organization_id", "knowledge_base_id"
ROWS_AT_ONCE = 500
BYTES_AT_ONCE = 4 * 1024 * 1024

# Tables that no archive holds, and why.
LEFT_OUT: Final[Mapping[str, str]] = {
    "organizations": "its slug, name and settings stand in the manifest; the one that imports stays as it is called",
    "users": "people are invited where they are to work; rows keep the names of those who made them",
    "identities": "who signs in as whom belongs to a deployment's identity provider",
    "waiting_sign_ins": "who tried to sign in at one deployment",
    "domains": "proved to one deployment, where its people join",
    "departed_members": "who left one deployment may join another by their domain",
    "group_roles": "groups of one deployment's identity provider",
    "api_keys": "secrets of one deployment, known there by their hashes",
    "base_members": "people of one deployment; what is restricted stays so, to owners and admins",
    "audit_log": "who did what in one deployment, kept for a time that their organization chose",
    "idempotency_keys": "of requests to one deployment, kept for a day",
    "retrieval_log": "what people asked; kept for a time that their organization chose, and not moved",
    "threads": "conversations of people of one deployment, for each alone",
    "thread_messages": "as the conversations they belong to",
    "thread_answers": "as the conversations they belong to",
    "thread_shares": "links of one deployment, known there by their hashes",
    "gold_candidates": "said by people of one deployment of their conversations; what editors confirmed is gold",
    "erasure_certificates": "of what one deployment has deleted",
    "erasures": "what one deployment is deleting",
    "webhooks": "secrets of one deployment, and addresses that the other one's owners may not want told",
    "webhook_deliveries": "what one deployment tells its webhooks",
    "page_packs": "what one deployment's operator gave",
    "counted_pages": "what was counted against a plan of one deployment",
    "connections": "assistants that people have allowed in one deployment, which act with keys of it",
    "counted_calls": "what was counted in one deployment",
    "counted_questions": "what was counted against a plan of one deployment",
    "spending": "what one deployment paid for, day by day",
    "archive_jobs": "what one deployment exports and imports",
    "archive_members": "of archives that one deployment is writing",
    "rate_buckets": "how often somebody asked one deployment within the last minute",
    "attribute_summaries": "the database keeps them itself, by a trigger on chunk_attributes",
    "chunk_lexical": "the index of words is built anew from the chunks",
    "lexical_documents": "built anew with the index of words",
    "lexical_removed": "nothing is left to be subtracted from sums that are built anew",
    "lexical_counts": "built anew with the index of words",
    "lexical_totals": "built anew with the index of words",
    "lexical_words": "built anew with the index of words",
    "document_profiles": "built anew with the index of words",
}  # fmt: skip
# Columns that no archive holds.
COLUMNS_LEFT_OUT: Final[Mapping[tuple[str, str], str]] = {
    ("knowledge_bases", "embedder_target"): "a change of embedders ends where it began",
    ("knowledge_bases", "erasing_at"): "what is being deleted is not exported",
    ("documents", "source_version"): "of one store; the import notes the version that it stored",
    ("ingestions", "lease_owner"): "a process of one machine",
    ("ingestions", "lease_until"): "as its owner",
    ("uploads", "created_by"): "a person of one deployment",
    ("sources", "created_by"): "a person of one deployment",
    ("version_suggestions", "decided_by_id"): "a person of one deployment; the name stays",
    ("edits", "author_id"): "a person of one deployment; the name stays",
    ("documents", "reviewed_by_id"): "a person of one deployment; the name stays",
    ("reviews", "author_id"): "a person of one deployment; the name stays",
    ("schema_versions", "author_id"): "a person of one deployment; the name stays",
    ("notes", "author_id"): "a person of one deployment; the name stays",
    ("dataset_revisions", "author_id"): "a person of one deployment; the name stays",
    ("plots", "author_id"): "a person of one deployment; the name stays",
    ("gold_questions", "author_id"): "a person of one deployment; the name stays",
    ("summary_versions", "author_id"): "a person of one deployment; the name stays",
    ("group_summaries", "author_id"): "a person of one deployment; the name stays",
    ("summary_edits", "author_id"): "a person of one deployment; the name stays",
    ("eval_runs", "author_id"): "a person of one deployment; the name stays",
    ("notebooks", "author_id"): "a person of one deployment; the name stays",
    ("notebook_cells", "author_id"): "a person of one deployment; the name stays",
    ("notebook_versions", "author_id"): "a person of one deployment; the name stays",
}  # fmt: skip
# Columns with keys of the object store: in an archive without organization and knowledge base.
KEYS: Final = {("documents", "source_key"), ("documents", "opened_key"), ("ingestions", "source_key")}
# Runs that have not ended belong to the deployment that runs them.
_CONDITIONS: Final[Mapping[str, LiteralString]] = {
    "ingestions": "status not in ('waiting', 'queued', 'running')",
    "uploads": "id in (select i.id from ingestions i where i.status not in ('waiting', 'queued', 'running'))",
    "chunk_vectors": "embedder_version = (select k.embedder_version from knowledge_bases k where k.id = %(base)s)",
}
# What the database says of a row that it does not take.
_NOT_TAKEN: Final = (
    psycopg.DataError,
    psycopg.IntegrityError,
    psycopg.errors.ProgramLimitExceeded,
    psycopg.errors.StatementTooComplex,
)


@dataclass(frozen=True)
class Table:
    """A table as an archive has it: without the columns that say whose the rows are."""

    name: str
    columns: tuple[str, ...]
    key: tuple[str, ...]
    # Whether its rows refer to others of it: those of one document to each other.
    refers_to_itself: bool = False

    @property
    def keys(self) -> tuple[str, ...]:
        """Its columns with keys of the object store."""
        return tuple(column for column in self.columns if (self.name, column) in KEYS)


@dataclass(frozen=True)
class ArchivedDocument:
    """Where a document's files are, and the state that they belong to."""

    id: UUID
    name: str
    status: str
    revision: int
    ingestion_id: UUID | None
    run_id: UUID | None
    source_key: str
    source_version: str | None
    opened_key: str | None


def list_tables(connection: Connection) -> list[Table]:
    """The tables of an archive, each behind those that it refers to: knowledge bases first."""
    rows = {row["name"]: row for row in connection.execute(_SQL["tables"]).fetchall()}
    owned = {name: row for name, row in rows.items() if BASE in row["columns"] or name == BASES}
    wanted = {name: row for name, row in owned.items() if name not in LEFT_OUT}
    return [_table(name, wanted[name]) for name in _in_order({n: set(r["refers"]) for n, r in wanted.items()})]


def tenant_tables(connection: Connection) -> dict[str, Sequence[str]]:
    """Every table with an organization's rows, and its columns."""
    rows = connection.execute(_SQL["tables"]).fetchall()
    return {r["name"]: r["columns"] for r in rows if ORGANIZATION in r["columns"] or r["name"] == "organizations"}


def read_rows(connection: Connection, table: Table, base: UUID, skip: int = 0) -> Generator[str]:
    """The knowledge base's rows of the table behind the first `skip`, in the order of its key, each as a line of JSON;
    some at a time."""
    statement = sql.SQL(_SQL["read_rows"]).format(
        columns=sql.SQL(", ").join(map(_column_read, (table.name,) * len(table.columns), table.columns)),
        table=sql.Identifier(table.name),
        scope=sql.Identifier("id" if table.name == BASES else BASE),
        condition=sql.SQL(_CONDITIONS.get(table.name, "true")),
        key=sql.SQL(", ").join(map(sql.Identifier, table.key)),
    )
    with connection.cursor(f"archive {table.name}") as cursor:
        cursor.itersize = ROWS_AT_ONCE
        for row in cursor.execute(statement, {"base": base, "skip": skip}):
            yield row["line"]


def look_at_rows(connection: Connection, table: Table, base: UUID) -> tuple[int, int]:
    """How many rows of the table an archive has, and a number that is another one when any of them was written since.

    That is the sum of the transactions that wrote them: where as many rows are there, each new one has a later one.
    """
    statement = sql.SQL(_SQL["look_at_rows"]).format(
        table=sql.Identifier(table.name),
        scope=sql.Identifier("id" if table.name == BASES else BASE),
        condition=sql.SQL(_CONDITIONS.get(table.name, "true")),
    )
    row = connection.execute(statement, {"base": base}).fetchone() or {}
    return row["rows"], row["written"]


def write_rows(connection: Connection, scope: Scope, base: UUID, table: Table, lines: Iterable[str]) -> int:
    """Inserts rows as `read_rows` gives them, as rows of `scope` and `base`, whatever they say themselves; returns how
    many.

    Raises Conflict for a row whose id exists, BadInput for one that the table does not take.
    """
    owner = [ORGANIZATION] if table.name == BASES else [ORGANIZATION, BASE]
    statement = sql.SQL(_SQL["write_rows"]).format(
        table=sql.Identifier(table.name),
        owner=sql.SQL(", ").join(map(sql.Identifier, owner)),
        owners=sql.SQL(", ").join(map(sql.Placeholder, owner)),
        columns=sql.SQL(", ").join(map(sql.Identifier, table.columns)),
        values=sql.SQL(", ").join(map(_column_written, (table.name,) * len(table.columns), table.columns)),
    )
    path = f"/{scope.organization_id}/{base}/"
    values: Row = {ORGANIZATION: scope.organization_id, BASE: base, "path": path}
    written = 0
    for batch in _batches(lines):
        with _named_errors(table.name):
            written += connection.execute(statement, values | {"rows": f"[{','.join(batch)}]"}).rowcount
    return written


def check_constraints(connection: Connection) -> None:
    """Raises BadInput for rows that refer to others which are not there; those that follow are checked later again."""
    with _named_errors("knowledge base"):
        connection.execute(_SQL["check_constraints"])
    connection.execute(_SQL["defer_constraints"])


def check_rows(connection: Connection, base: UUID, embedder_version: str | None, dimensions: int) -> None:
    """Raises BadInput for rows that do not belong together, or that searches and indexes could not be computed with."""
    check_constraints(connection)
    if _one(connection, "open_runs", base=base)["runs"]:
        raise BadInput("The archive holds a run that has not ended: no export writes that.")
    bad = _one(connection, "unusable", base=base, version=embedder_version or "", dimensions=dimensions)
    for what, number in bad.items():
        if number:
            raise BadInput(
                f"The archive holds {number} {what} that nothing can be computed with: no export writes that."
            )


def is_slug_taken(connection: Connection, slug: str) -> bool:
    return connection.execute(_SQL["slug"], {"slug": slug}).fetchone() is not None


def embed_anew(connection: Connection, base: UUID, version: str) -> None:
    """Has maintenance make vectors of all chunks that have none of this embedder."""
    connection.execute(_SQL["embed_anew"], {"base": base, "version": version})


def lock_import(connection: Connection, what: UUID) -> bool:
    """Until the transaction ends; False where another import of the knowledge base, or run of the job, is under way."""
    return bool(_one(connection, "lock_import", what=what)["locked"])


def name_under_way(connection: Connection, base: UUID) -> str | None:
    """The name of a document whose run has not ended."""
    row = connection.execute(_SQL["open_documents"], {"base": base}).fetchone()
    return row["name"] if row else None


def list_documents(connection: Connection, base: UUID) -> list[ArchivedDocument]:
    return [ArchivedDocument(**row) for row in connection.execute(_SQL["documents"], {"base": base})]


def set_source_version(connection: Connection, document_id: UUID, version: str) -> None:
    connection.execute(_SQL["set_source_version"], {"id": document_id, "source_version": version})


def served_documents(connection: Connection, base: UUID) -> list[UUID]:
    return [row["id"] for row in connection.execute(_SQL["served_documents"], {"base": base})]


def extractor_versions(connection: Connection, base: UUID) -> list[str]:
    return [row["version"] for row in connection.execute(_SQL["extractors"], {"base": base})]


def _table(name: str, row: Row) -> Table:
    own = {ORGANIZATION, BASE}
    columns = (column for column in row["columns"] if column not in own and (name, column) not in COLUMNS_LEFT_OUT)
    return Table(name, tuple(columns), tuple(row["key"]), row["refers_to_itself"])


def _in_order(refers: Mapping[str, set[str]]) -> list[str]:
    ordered = list[str]()
    while left := sorted(refers.keys() - set(ordered)):
        ready = [name for name in left if not refers[name] & (refers.keys() - set(ordered) - {name})]
        if not ready:
            raise AssertionError(f"tables refer to each other in a circle: {left}")
        ordered += ready
    return ordered


def _column_read(table: str, column: str) -> sql.Composable:
    name = sql.Identifier(column)
    if (table, column) not in KEYS:
        return name
    path = sql.SQL("'/' || organization_id || '/' || knowledge_base_id || '/'")
    return sql.SQL("replace({}, {}, '/') as {}").format(name, path, name)


def _column_written(table: str, column: str) -> sql.Composable:
    name = sql.Identifier("r", column)
    if (table, column) not in KEYS:
        return name
    return sql.SQL("regexp_replace({}, '/', %(path)s)").format(name)


def _batches(lines: Iterable[str]) -> Iterator[list[str]]:
    batch, size = list[str](), 0
    for line in lines:
        if batch and (len(batch) >= ROWS_AT_ONCE or size + len(line) > BYTES_AT_ONCE):
            yield batch
            batch, size = [], 0
        batch.append(line)
        size += len(line)
    if batch:
        yield batch


@contextmanager
def _named_errors(what: str) -> Generator[None]:
    """The database's refusals of a row, as sentences about the archive."""
    try:
        yield
    except psycopg.errors.UniqueViolation as error:
        raise Conflict(
            f"A row of {what} in the archive has an id or a name that exists already: the archive was imported before,"
            " here or by another organization of this deployment. Delete what was imported, or use another deployment."
        ) from error
    except _NOT_TAKEN as error:
        said = error.diag.message_primary or type(error).__name__
        raise BadInput(f"The archive's rows of {what} cannot be stored ({said}). Export it again.") from error


def _one(connection: Connection, query: str, **values: Any) -> Row:
    return connection.execute(_SQL[query], values).fetchone() or {}
