"""Counts what a knowledge base or an organization has, in every table of the catalogue; shuts and deletes it in slices;
keeps certificates."""

from collections.abc import Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from psycopg import sql
from psycopg.types.json import Jsonb

from shared.store.archive import BASE, ORGANIZATION, tenant_tables
from shared.store.connect import Connection, Row
from shared.store.maintenance import connect_as_owner
from shared.store.named_queries import load_queries

_SQL = load_queries("erasure")

# What stays when an organization goes, and why.
KEPT: Final[Mapping[str, str]] = {"erasure_certificates": "they say what was deleted"}
# What says that something is being deleted, and goes with it: no certificate counts it.
_UNCOUNTED: Final = {*KEPT, "erasures"}
_BASES, _TRACED = "knowledge_bases", "knowledge_base_ids"


def count_rows(connection: Connection, organization: UUID, base: UUID | None) -> dict[str, int]:
    """Rows of the knowledge base, or of the whole organization, in every table that has any of such; in the open
    scope."""
    found: dict[str, int] = {}
    for table, columns in tenant_tables(connection).items():
        condition = _of_base(table, columns) if base else _of_organization(table)
        if condition is None or table in _UNCOUNTED:
            continue
        statement = sql.SQL(_SQL["count_rows"]).format(table=sql.Identifier(table), condition=condition)
        row = connection.execute(statement, {"base": base, "organization": organization}).fetchone()
        found[table] = row["rows"] if row else 0
    return found


def open_uploads(connection: Connection, base: UUID | None) -> list[UUID]:
    """Uploads of the knowledge base, or of all in scope, whose password may still be stored."""
    return [row["id"] for row in connection.execute(_SQL["open_uploads"], {"base": base})]


def erase_organization(connection: Connection, slug: str) -> bool:
    """Deletes the organization of the open scope with all that belongs to it, if it is called so."""
    row = connection.execute(_SQL["erase_organization"], {"slug": slug}).fetchone()
    return bool(row and row["done"])


def add_certificate(
    connection: Connection, organization: UUID, certificate: Mapping[str, Any], ticket_hash: str
) -> None:
    """Keeps a certificate, of which `id`, `kind`, `subject` and `sha256` are looked for."""
    values = {name: certificate[name] for name in ("id", "kind", "sha256")} | {"ticket_hash": ticket_hash}
    subject = {ORGANIZATION: organization, "subject_id": certificate["subject"]["id"]}
    connection.execute(_SQL["add_certificate"], values | subject | {"certificate": Jsonb(certificate)})


def let_see_erased(connection: Connection) -> None:
    """For the rest of the open transaction what is being deleted is seen: by what deletes it."""
    connection.execute(_SQL["erasing"])


def shut_base(connection: Connection, base: UUID) -> bool:
    """From the commit on nobody sees the knowledge base; False where it is being deleted already."""
    return connection.execute(_SQL["shut_base"], {"id": base}).rowcount == 1


def open_bases(connection: Connection, bases: Sequence[UUID]) -> None:
    """From the commit on everybody sees them again: what was imported is whole."""
    connection.execute(_SQL["open_bases"], {"bases": list(bases)})


def shut_organization(connection: Connection) -> bool:
    """The same of the organization of the open scope, with all its knowledge bases."""
    connection.execute(_SQL["shut_bases"])
    return connection.execute(_SQL["shut_organization"]).rowcount == 1


def add_erasure(connection: Connection, row: Row) -> None:
    """A deletion that has been asked for; `row` has the columns without those that count what was done."""
    connection.execute(_SQL["add_erasure"], row | {"request": Jsonb(row["request"])})


def hold_erasure(connection: Connection, erasure: UUID) -> Row | None:
    """The deletion's row, held until the transaction ends; None where another one holds it, or it has ended."""
    return connection.execute(_SQL["hold_erasure"], {"id": erasure}).fetchone()


def end_runs(connection: Connection, bases: Sequence[UUID]) -> None:
    """Runs that have not ended give their slots back, and the short names of the knowledge bases may be used again."""
    # In the order in which stages lock: the run, then its knowledge base.
    connection.execute(_SQL["end_runs"], {"bases": list(bases)})
    connection.execute(_SQL["free_slugs"], {"bases": list(bases)})


def note_before(connection: Connection, erasure: UUID, before: Mapping[str, Any], passwords: int) -> None:
    connection.execute(_SQL["note_before"], {"id": erasure, "before": Jsonb(before), "passwords": passwords})


def note_deleted(connection: Connection, erasure: UUID, objects: int = 0, documents: int = 0) -> None:
    """Adds to what was deleted so far."""
    connection.execute(_SQL["note_deleted"], {"id": erasure, "objects": objects, "count": documents})


def remove_documents(connection: Connection, bases: Sequence[UUID], documents: int, chunks: int) -> int:
    """Deletes some documents of these knowledge bases with all their rows: at most so many, with about so many chunks
    together, at least one while there is one; returns how many."""
    values = {"bases": list(bases), "limit": documents, "chunks": chunks}
    return connection.execute(_SQL["remove_documents"], values).rowcount


def remove_traces(connection: Connection, bases: Sequence[UUID], traces: int) -> int:
    """Deletes at most so many traces that name one of these knowledge bases; returns how many."""
    return connection.execute(_SQL["remove_some_traces"], {"bases": list(bases), "traces": traces}).rowcount


def remove_erasure(connection: Connection, erasure: UUID) -> None:
    connection.execute(_SQL["remove_erasure"], {"id": erasure})


def find_erasure(connection: Connection, erasure: UUID, ticket_hash: str) -> tuple[Row | None, Row | None]:
    """The deletion while it goes on, and its certificate once it has ended, for whoever holds the ticket; without a
    scope."""
    row = connection.execute(_SQL["erasure_of"], {"id": erasure, "ticket_hash": ticket_hash}).fetchone()
    return (row["erasure"], row["certificate"]) if row else (None, None)


def list_erasures(connection: Connection, before: UUID | None, limit: int) -> list[Row]:
    """Deletions of the open scope's organization that go on, newest first, older than the one with id `before`."""
    return connection.execute(_SQL["list_erasures"], {"before": before, "limit": limit}).fetchall()


def list_certificates(connection: Connection, before: UUID | None, limit: int) -> list[Row]:
    """Certificates of what the open scope's organization has deleted, as `list_erasures` lists."""
    rows = connection.execute(_SQL["list_certificates"], {"before": before, "limit": limit}).fetchall()
    return [row["certificate"] for row in rows]


def open_erasures(owner_dsn: str, idle_s: float) -> list[Row]:
    """Everybody's deletions that have not ended and that nobody was at for so long: `organization_id`, `id`, `kind`."""
    with connect_as_owner(owner_dsn) as connection:
        return connection.execute(_SQL["open_erasures"], {"idle_s": idle_s}).fetchall()


def _of_base(table: str, columns: Sequence[str]) -> sql.Composable | None:
    if table == _BASES:
        return sql.SQL("id = %(base)s")
    if _TRACED in columns:
        return sql.SQL("%(base)s = any ({})").format(sql.Identifier(_TRACED))
    return sql.SQL("{} = %(base)s").format(sql.Identifier(BASE)) if BASE in columns else None


def _of_organization(table: str) -> sql.Composable:
    return sql.SQL("{} = %(organization)s").format(sql.Identifier("id" if table == "organizations" else ORGANIZATION))
