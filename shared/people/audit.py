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
from shared.values.csv_cells import harmless_cell

COLUMNS: Final = (
    "at", "person", "user_id", "key_id", "act", "subject_type", "subject_id", "knowledge_base_id", "request_id",
    "details", "id",
)  # fmt: skip
# Sign-ins that a process remembers to have noted.
NOTED_MAX: Final = 10_000


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


class SignInNotes:
    """Notes each sign-in once in every organization that it is used for, when its first request arrives.

    The database tells sign-ins apart by their name (a unique index), so that any number of processes may try; a process
    tries once.
    """

    def __init__(self) -> None:
        self._noted: set[tuple[UUID, str]] = set()

    def note(self, runtime: Runtime, identity: Identity, via: str, name: str) -> None:
        """`via` is how the sign-in is used (`session` or `token`), `name` what all of its requests have in common."""
        known = (identity.organization_id, name)
        if known in self._noted:
            return
        note_sign_in(runtime, identity, via, name)
        if len(self._noted) >= NOTED_MAX:
            self._noted.clear()
        self._noted.add(known)


def note_sign_in(runtime: Runtime, identity: Identity, via: str, name: str) -> None:
    """Notes a sign-in, unless it has been noted in this organization."""
    with runtime.database.transaction(identity.scope()) as connection:
        rows.note(connection, identity, "sign_in.succeed", identity.user_id, via=via, sign_in=name)


def note_sign_out(runtime: Runtime, identity: Identity, everywhere: bool) -> None:
    """Notes that a sign-in is ended by the person, or all of them are."""
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
        writer.writerow(harmless_cell("" if row[name] is None else str(row[name])) for name in COLUMNS)
    return text.getvalue()
