"""Counts what a knowledge base or an organization has, in every table of the catalogue; deletes an organization; keeps
certificates."""

from collections.abc import Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from psycopg import sql
from psycopg.types.json import Jsonb

from shared.store.archive import BASE, ORGANIZATION, tenant_tables
from shared.store.connect import Connection
from shared.store.named_queries import load_queries

_SQL = load_queries("erasure")

# What stays when an organization goes, and why.
KEPT: Final[Mapping[str, str]] = {"erasure_certificates": "they say what was deleted"}
_BASES, _TRACED = "knowledge_bases", "knowledge_base_ids"


def count_rows(connection: Connection, organization: UUID, base: UUID | None) -> dict[str, int]:
    """Rows of the knowledge base, or of the whole organization, in every table that has any of such; in the open
    scope."""
    found: dict[str, int] = {}
    for table, columns in tenant_tables(connection).items():
        condition = _of_base(table, columns) if base else _of_organization(table)
        if condition is None or table in KEPT:
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


def add_certificate(connection: Connection, organization: UUID, certificate: Mapping[str, Any]) -> None:
    """Keeps a certificate, of which `id`, `kind`, `subject` and `sha256` are looked for."""
    values = {name: certificate[name] for name in ("id", "kind", "sha256")}
    subject = {ORGANIZATION: organization, "subject_id": certificate["subject"]["id"]}
    connection.execute(_SQL["add_certificate"], values | subject | {"certificate": Jsonb(certificate)})


def _of_base(table: str, columns: Sequence[str]) -> sql.Composable | None:
    if table == _BASES:
        return sql.SQL("id = %(base)s")
    if _TRACED in columns:
        return sql.SQL("%(base)s = any ({})").format(sql.Identifier(_TRACED))
    return sql.SQL("{} = %(base)s").format(sql.Identifier(BASE)) if BASE in columns else None


def _of_organization(table: str) -> sql.Composable:
    return sql.SQL("{} = %(organization)s").format(sql.Identifier("id" if table == "organizations" else ORGANIZATION))
