"""The audit log, for owners and admins; and the acts that no other service does."""

import csv
import io
import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from shared.access import require_admin
from shared.domain.people import AuditEntry
from shared.domain.scope import Identity
from shared.runtime import Runtime
from shared.store import audit as rows

COLUMNS: Final = (
    "at", "person", "user_id", "key_id", "act", "subject_type", "subject_id", "knowledge_base_id", "request_id",
    "details", "id",
)  # fmt: skip
# What a spreadsheet takes for the beginning of a formula (OWASP, CSV injection).
FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True)
class Wanted:
    """Which entries: an act (`document.delete`) or all of a kind (`document`), of one person, from `since` to before
    `until`."""

    act: str | None = None
    user_id: UUID | None = None
    since: datetime | None = None
    until: datetime | None = None


def list_entries(
    runtime: Runtime, identity: Identity, wanted: Wanted, before: UUID | None = None, limit: int = 100
) -> list[AuditEntry]:
    """Newest first, from behind `before`. Raises Forbidden below admin."""
    require_admin(identity)
    with runtime.database.transaction(identity.scope()) as connection:
        return rows.list_entries(connection, before, limit, wanted.act, wanted.user_id, wanted.since, wanted.until)


def note_sign_in(runtime: Runtime, identity: Identity, method: str) -> None:
    """Notes a sign-in; `method` says how, such as `password` or the provider's name."""
    with runtime.database.transaction(identity.scope()) as connection:
        rows.note(connection, identity, "sign_in.succeed", identity.user_id, method=method)


def note_sign_out(runtime: Runtime, identity: Identity, everywhere: bool) -> None:
    with runtime.database.transaction(identity.scope()) as connection:
        rows.note(connection, identity, "sign_in.end", identity.user_id, everywhere=everywhere)


def to_csv(entries: Iterable[AuditEntry], *, head: bool = True) -> str:
    """Rows as RFC 4180 has them; a cell that a spreadsheet would compute begins with an apostrophe."""
    text = io.StringIO()
    writer = csv.writer(text)
    if head:
        writer.writerow(COLUMNS)
    for entry in entries:
        row = entry.model_dump(mode="json") | {"details": json.dumps(entry.details, ensure_ascii=False)}
        writer.writerow(_harmless("" if row[name] is None else str(row[name])) for name in COLUMNS)
    return text.getvalue()


def _harmless(cell: str) -> str:
    return f"'{cell}" if cell.startswith(FORMULA) else cell
