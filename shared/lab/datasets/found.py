"""The tables that datasets can be made of."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from shared.access import check_knowledge_base, find_place, reading
from shared.domain.datasets import SHEETS, FoundTable
from shared.domain.scope import Identity
from shared.extraction.tables.rows import labels_of
from shared.lab.remembered import RESULTS, hash_of
from shared.runtime import Runtime
from shared.store import datasets as rows
from shared.store.connect import Connection, Row
from shared.values.hyphenation import Rejoiner

TABLES_MAX: Final = 20_000


@dataclass
class TableGroup:
    """A table as people see it: `ids` are its windows, in order."""

    ids: list[UUID]
    first: Row
    labels: list[str]
    last_page: int
    rows: int

    @property
    def header(self) -> tuple[str, ...]:
        return tuple(label.casefold() for label in self.labels)

    def goes_on(self, other: "TableGroup") -> bool:
        """Whether `other`, the table behind it, is a further window of it."""
        return (
            self.first["source_type"] in SHEETS
            and self.first["document_id"] == other.first["document_id"]
            and self.header == other.header
            and (any(self.header) or other.first["kept_rows"] is not None)
            and self.first["caption"] == other.first["caption"]
        )


def list_tables(
    runtime: Runtime, identity: Identity, base: UUID, document: UUID | None, superseded: bool
) -> list[FoundTable]:
    """Tables of a knowledge base, or of one document of it. Raises NotFound."""
    with reading(runtime, identity, [base], snapshot=True) as connection:
        check_knowledge_base(connection, base)
        if document is not None:
            find_place(connection, document)
        listed = rows.tables_listed(connection, base, document, superseded, TABLES_MAX)
        found = lambda: _found_in(read_groups(connection, base, document, superseded))  # noqa: E731
        return RESULTS.get(hash_of(["tables", *([*one.values()] for one in listed)]), found, _size)


def _found_in(groups: Sequence[TableGroup]) -> list[FoundTable]:
    counts: dict[tuple[str, ...], int] = {}
    for one in groups:
        counts[one.header] = counts.get(one.header, 0) + 1
    return [_found(one, counts[one.header] if any(one.header) else 1) for one in groups]


def _size(tables: Sequence[FoundTable]) -> int:
    """About that in memory, in bytes."""
    return sum(1_000 + 100 * len(one.header) for one in tables)


def read_groups(connection: Connection, base: UUID, document: UUID | None, superseded: bool) -> list[TableGroup]:
    """In the order of documents and pages, the first TABLES_MAX."""
    groups: list[TableGroup] = []
    for row in rows.headers_of_tables(connection, base, document, superseded, TABLES_MAX):
        one = TableGroup([row["id"]], row, labels_of(row["head"], row["header_rows"]), row["last_page"], row["rows"])
        if groups and groups[-1].goes_on(one):
            groups[-1].ids += one.ids
            groups[-1].last_page, groups[-1].rows = one.last_page, groups[-1].rows + one.rows
        else:
            groups.append(one)
    return groups


def named_columns(labels: Sequence[str]) -> list[str]:
    """Each label once: `Value`, `Value (2)`; a column without one by its place."""
    found: list[str] = []
    for at, label in enumerate(labels, 1):
        wanted = label[:280] or f"Column {at}"
        name, number = wanted, 1
        while name in found:
            number += 1
            name = f"{wanted} ({number})"
        found.append(name)
    return found


def shown_caption(caption: str) -> str:
    """Without hyphens at the ends of lines."""
    return Rejoiner([caption]).show(caption)


def _found(group: TableGroup, alike: int) -> FoundTable:
    return FoundTable(
        table_id=group.ids[0],
        document_id=group.first["document_id"],
        document=group.first["document"],
        caption=shown_caption(group.first["caption"]),
        first_page=group.first["first_page"],
        last_page=group.last_page,
        header=group.labels,
        rows=group.rows,
        parts=len(group.ids),
        version=group.first["version_index"],
        alike=alike,
    )
