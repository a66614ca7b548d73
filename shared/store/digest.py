"""Rows of digests, read: files, their lines with how what they cite stands now, and their history."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from typing import Any, Final
from uuid import UUID

from shared.domain.digest import (
    DigestCitation,
    DigestEntry,
    DigestFile,
    DigestLine,
    DigestPast,
    DigestVersion,
    LineKind,
    Tier,
    limit_of,
    render,
    size_of,
)
from shared.store.connect import Connection, Row
from shared.store.named_queries import load_queries
from shared.values.hyphenation import Rejoiner

_SQL = load_queries("digest")
COUNTED: Final = ["statement", "entry"]


def list_files(
    connection: Connection,
    knowledge_base_id: UUID,
    *,
    tiers: Sequence[Tier] | None = None,
    topics: Sequence[UUID] | None = None,
) -> list[DigestEntry]:
    """By tier and path; with `topics` only the summaries and descriptions of these."""
    return [DigestEntry(**_entry(row)) for row in _files(connection, knowledge_base_id, tiers=tiers, topics=topics)]


def read_files(
    connection: Connection,
    knowledge_base_id: UUID,
    *,
    tiers: Sequence[Tier] | None = None,
    topics: Sequence[UUID] | None = None,
    file_id: UUID | None = None,
    path: str | None = None,
) -> list[DigestFile]:
    """The same, whole."""
    rows = _files(connection, knowledge_base_id, tiers=tiers, topics=topics, file_id=file_id, path=path)
    lines = list_lines(connection, knowledge_base_id, [row["id"] for row in rows])
    shown = defaultdict[UUID, list[DigestLine]](list)
    for line in lines:
        shown[line["file_id"]].append(shown_line(line))
    for own in shown.values():
        words = Rejoiner(line.text for line in own)
        for line in own:
            line.shown = words.show(line.text)
    return [DigestFile(**_entry(row), content=row["content"], lines=shown[row["id"]]) for row in rows]


def get_file(
    connection: Connection, knowledge_base_id: UUID, *, file_id: UUID | None = None, path: str | None = None
) -> DigestFile | None:
    """By one of both."""
    found = read_files(connection, knowledge_base_id, file_id=file_id, path=path) if file_id or path else []
    return found[0] if found else None


def list_lines(
    connection: Connection, knowledge_base_id: UUID, files: Sequence[UUID] | None, *, removed: bool = False
) -> list[Row]:
    """Rows of the lines that stand in these files now, in order, with citations and their standing."""
    values = {"knowledge_base_id": knowledge_base_id, "removed": removed}
    files = None if files is None else list(files)
    return connection.execute(_SQL["list_lines"], values | {"files": files}).fetchall()


def illustrations(connection: Connection, chunks: Collection[UUID], rows: int) -> list[Row]:
    """Figures, and tables of at most so many rows, of the documents of these chunks: `{chunk_id, document_id, table_id,
    address, box, header_rows, page, caption, row_cited}`."""
    values = {"ids": list(chunks), "limit": rows, "without": ["table_row", "caption"]}
    return connection.execute(_SQL["illustrations"], values).fetchall() if chunks else []


def list_versions(
    connection: Connection, knowledge_base_id: UUID, file_id: UUID, *, before: int | None = None, limit: int = 100
) -> list[DigestVersion]:
    """Newest first, below the number `before`."""
    return [DigestVersion(**row) for row in _versions(connection, knowledge_base_id, file_id, before, None, limit)]


def get_version(connection: Connection, knowledge_base_id: UUID, file_id: UUID, number: int) -> DigestPast | None:
    """What the file said in that version; what was deleted since is a dash."""
    rows = _versions(connection, knowledge_base_id, file_id, None, number, 1)
    if not rows:
        return None
    lines = lines_of_version(connection, knowledge_base_id, file_id, number)
    return DigestPast(**rows[0], content=rendered(rows[0]["version"], rows[0]["created_at"], lines))


def lines_of_version(connection: Connection, knowledge_base_id: UUID, file_id: UUID, number: int) -> list[Row]:
    values = {"knowledge_base_id": knowledge_base_id, "file_id": file_id, "number": number}
    return connection.execute(_SQL["lines_of_version"], values).fetchall()


def get_state(connection: Connection, knowledge_base_id: UUID) -> Row | None:
    """`{revision, method, updated_at, checked_at}`; None where there is no digest."""
    return connection.execute(_SQL["get_state"], {"knowledge_base_id": knowledge_base_id}).fetchone()


def file_rows(connection: Connection, knowledge_base_id: UUID, only: UUID | None = None) -> list[Row]:
    """Every file's row, or that of one alone, without counting anything."""
    values = {"knowledge_base_id": knowledge_base_id, "file_id": only}
    return connection.execute(_SQL["file_rows"], values).fetchall()


def rendered(version: str, at: datetime, lines: Sequence[Row]) -> str:
    """Lines as Markdown. Citations are numbered in the order in which the file names them first."""
    numbers: dict[tuple[str, str], int] = {}
    shown: list[tuple[LineKind, str, list[int]]] = []
    for line in lines:
        cited = [(one["kind"], str(one["source_id"])) for one in line["citations"]]
        counted = line["kind"] == "statement"
        own = [numbers.setdefault(one, len(numbers) + 1) for one in cited] if counted else []
        shown.append((line["kind"], line["text"], own))
    return render(version, f"{at.astimezone(UTC):%Y-%m-%d}", shown)


def shown_line(row: Row) -> DigestLine:
    citations = [DigestCitation.model_validate(one) for one in row["citations"]]
    stale = not row["text"] or any(one.standing != "current" for one in citations)
    own = {name: row[name] for name in ("statement_id", "kind", "text", "origin", "author", "uncited")}
    return DigestLine(**own, stale=stale, citations=citations)


def _entry(row: Row) -> dict[str, Any]:
    sized = {"size": size_of(row["tier"], row["content"]), "limit": limit_of(row["tier"])}
    return {name: value for name, value in row.items() if name != "content"} | sized


def _files(
    connection: Connection,
    knowledge_base_id: UUID,
    *,
    tiers: Sequence[Tier] | None = None,
    topics: Sequence[UUID] | None = None,
    file_id: UUID | None = None,
    path: str | None = None,
) -> list[Row]:
    values = {"knowledge_base_id": knowledge_base_id, "file_id": file_id, "path": path, "counted": COUNTED}
    lists = {"tiers": None if tiers is None else list(tiers), "topics": None if topics is None else list(topics)}
    return connection.execute(_SQL["list_files"], values | lists).fetchall()


def _versions(
    connection: Connection, base: UUID, file_id: UUID, before: int | None, number: int | None, limit: int
) -> list[Row]:
    values = {"knowledge_base_id": base, "file_id": file_id, "before": before, "number": number, "limit": limit}
    return connection.execute(_SQL["list_versions"], values).fetchall()
