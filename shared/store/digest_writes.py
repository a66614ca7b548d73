"""Rows of digests, written. Whoever does so holds the row of `digests` until the transaction ends."""

from collections.abc import Collection, Sequence
from datetime import datetime
from uuid import UUID

from shared.store.connect import Connection, Row
from shared.store.named_queries import load_queries

_SQL = load_queries("digest_writes")


def lock_digest(connection: Connection, organization_id: UUID, base: UUID) -> Row:
    """Makes the digest where there is none; waits for whoever changes it."""
    own = {"organization_id": organization_id, "knowledge_base_id": base}
    connection.execute(_SQL["begin"], own)
    return connection.execute(_SQL["lock"], own).fetchall()[0]


def transaction_time(connection: Connection) -> datetime:
    """When the transaction began, as rows have it by default."""
    return connection.execute(_SQL["transaction_time"]).fetchall()[0]["at"]


def note_state(connection: Connection, base: UUID, method: str, sources_hash: str, *, changed: bool) -> None:
    """An update has ended."""
    values = {"knowledge_base_id": base, "method": method, "hash": sources_hash, "count": int(changed)}
    connection.execute(_SQL["note_state"], values)


def set_writes(connection: Connection, base: UUID, *, writes: bool) -> None:
    """Whether a model writes its summaries from now on."""
    connection.execute(_SQL["set_writes"], {"knowledge_base_id": base, "writes": writes})


def note_tried(connection: Connection, base: UUID, file_id: UUID) -> None:
    """A model was asked for this content."""
    connection.execute(_SQL["note_tried"], {"knowledge_base_id": base, "file_id": file_id})


def note_change(connection: Connection, base: UUID) -> None:
    """A person has changed a file."""
    connection.execute(_SQL["note_change"], {"knowledge_base_id": base})


def list_units(connection: Connection, base: UUID) -> list[Row]:
    return connection.execute(_SQL["list_units"], {"knowledge_base_id": base}, binary=True).fetchall()


def put_units(connection: Connection, rows: Sequence[Row]) -> None:
    _many(connection, "add_unit", rows)


def remove_units(connection: Connection, base: UUID, ids: Collection[UUID]) -> None:
    connection.execute(_SQL["remove_units"], {"knowledge_base_id": base, "ids": list(ids)})


def stale_topics(connection: Connection, base: UUID) -> set[UUID]:
    rows = connection.execute(_SQL["stale_topics"], {"knowledge_base_id": base}).fetchall()
    return {row["topic_id"] for row in rows}


def replaced_hashes(connection: Connection, base: UUID) -> set[str]:
    rows = connection.execute(_SQL["instead_of"], {"knowledge_base_id": base}).fetchall()
    return {row["instead_of"] for row in rows}


def put_file(connection: Connection, row: Row, *, new: bool) -> None:
    connection.execute(_SQL["add_file" if new else "set_file"], row)


def move_file(connection: Connection, base: UUID, file_id: UUID, parent_id: UUID) -> None:
    values = {"knowledge_base_id": base, "file_id": file_id, "parent_id": parent_id}
    connection.execute(_SQL["move_file"], values)


def remove_files(connection: Connection, base: UUID, ids: Collection[UUID]) -> None:
    connection.execute(_SQL["remove_files"], {"knowledge_base_id": base, "ids": list(ids)})


def add_version(connection: Connection, row: Row) -> None:
    connection.execute(_SQL["add_version"], row)


def add_lines(connection: Connection, lines: Sequence[Row], citations: Sequence[Row]) -> None:
    _many(connection, "add_line", lines)
    _many(connection, "add_citation", citations)


def cite_anew(connection: Connection, base: UUID, ids: Collection[UUID], citations: Sequence[Row]) -> None:
    """These lines cite this from now on, and nothing else."""
    if ids:
        connection.execute(_SQL["forget_citations"], {"knowledge_base_id": base, "ids": list(ids)})
        _many(connection, "add_citation", citations)


def end_lines(connection: Connection, base: UUID, ids: Collection[UUID], number: int) -> None:
    """They stand in that version last."""
    values = {"knowledge_base_id": base, "ids": list(ids), "number": number}
    connection.execute(_SQL["end_lines"], values)


def place_lines(connection: Connection, base: UUID, ids: Sequence[UUID]) -> None:
    """In this order from now on."""
    connection.execute(_SQL["place_lines"], {"knowledge_base_id": base, "ids": list(ids)})


def confirm_lines(connection: Connection, base: UUID, files: Collection[UUID]) -> None:
    """What these files cite was read again."""
    connection.execute(_SQL["confirm_lines"], {"knowledge_base_id": base, "ids": list(files)})


def _many(connection: Connection, statement: str, rows: Sequence[Row]) -> None:
    if rows:
        with connection.cursor() as cursor:
            cursor.executemany(_SQL[statement], rows)
