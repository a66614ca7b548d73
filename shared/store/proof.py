"""Reads the rows that `verify` compares, beside the chunks that are served."""

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple
from uuid import UUID

from pydantic import TypeAdapter

from shared.domain.geometry import Box, FigureBox
from shared.domain.verify import StoredAttribute, StoredFigure, StoredPage, StoredSection, StoredSkip
from shared.store.connect import Connection, Row
from shared.store.named_queries import load_queries

_SQL = load_queries("proof")
_BOX: TypeAdapter[Box] = TypeAdapter(Box)
_FIGURE_BOX: TypeAdapter[FigureBox] = TypeAdapter(FigureBox)


class ProofRows(NamedTuple):
    """All such rows of one document."""

    pages: dict[int, StoredPage]
    sections: list[StoredSection]
    figures: list[StoredFigure]
    attributes: list[StoredAttribute]
    table_ids: list[str]
    kept_rows: dict[int, int]


def load_rows(connection: Connection, document_id: UUID) -> ProofRows:
    def rows(name: str) -> Iterator[Row]:
        yield from connection.execute(_SQL[name], {"id": document_id})

    tables = [*rows("tables")]
    kept = Counter[int]()
    for row in tables:
        kept[row["first_page"]] += row["kept_rows"] or 0
    return ProofRows(
        {row["page"]: _page(row) for row in rows("pages")},
        [_section(row) for row in rows("sections")],
        [
            StoredFigure(str(row["chunk_id"]), row["page"], _FIGURE_BOX.validate_python(row["box"]), row["caption"])
            for row in rows("figures")
        ],
        [
            StoredAttribute(str(row["chunk_id"]), row["raw"], row["fragment_ids"], row["role"] is not None)
            for row in rows("attributes")
        ],
        [str(row["id"]) for row in tables],
        {page: count for page, count in kept.items() if count},
    )


def digest(connection: Connection, document_id: UUID) -> str:
    """A hash that changes whenever the source, any of these rows, or a served chunk changes."""
    return next(row["digest"] for row in connection.execute(_SQL["digest"], {"id": document_id}))


def _page(row: Row) -> StoredPage:
    skipped = [StoredSkip(one["reason"], one["text"], _BOX.validate_python(one["box"])) for one in row["skipped"]]
    return StoredPage(row["page"], row["failed"], row["route"], skipped)


def _section(row: Row) -> StoredSection:
    return StoredSection(
        id=str(row["id"]),
        parent_id=str(row["parent_id"]) if row["parent_id"] else None,
        address=row["address"],
        title=row["title"],
        depth=row["depth"],
        page=row["page"],
        captioned=row["captioned"],
        path=[(step["id"], step["address"], step["title"]) for step in row["path"]],
        keys=row["keys"],
    )
