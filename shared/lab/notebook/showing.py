"""A version of a notebook as whoever reads may see it: its cells drawn, and what they cite numbered."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final
from uuid import UUID

from markupsafe import Markup

from shared.domain.knowledge import Hit
from shared.domain.notebooks import NotebookSource, ShownCell
from shared.lab.notebook.kinds import CellReading, CellSheet, DrawnCell, vanished
from shared.lab.notebook.markup import element
from shared.lab.notebook.registry import KINDS
from shared.store.connect import Connection, Row
from shared.store.posted import corrections_of_chunks
from shared.store.search import FoundChunk, load_chunks, load_rows

# What whoever edits a cell gets back; of an answer it is shown what may be seen, and no copy.
EDITED: Final = ("text", "remark")
NO_ROWS: Final[Mapping[UUID, int]] = MappingProxyType({})


@dataclass(frozen=True)
class DrawnNotebook:
    """Cells, the sources that they cite in the order of their numbers, and what each cell was drawn of."""

    cells: list[ShownCell]
    sources: list[NotebookSource]
    drawn: list[DrawnCell]


class NumberedSheet(CellSheet):
    """The passages that are cited, numbered in the order in which they are cited first."""

    def __init__(
        self, found: Mapping[UUID, FoundChunk], cited: Sequence[UUID], kept_rows: Mapping[UUID, int] = NO_ROWS
    ) -> None:
        self._found, self._kept_rows = found, kept_rows
        self._numbers = {chunk: at for at, chunk in enumerate((one for one in cited if one in found), 1)}

    def number(self, chunk_id: UUID) -> int | None:
        return self._numbers.get(chunk_id)

    def passage(self, chunk_id: UUID) -> FoundChunk | None:
        return self._found.get(chunk_id)

    def cite(self, chunk_id: UUID) -> Markup:
        found, number = self._found.get(chunk_id), self.number(chunk_id)
        if found is None or number is None:
            return element("span", "(no longer visible)", class_="gone")
        label = f"Source {number}: {found.document.name}"
        return element("a", str(number), class_="citation", href=f"#source-{number}", aria_label=label)

    def sources(self, reading: CellReading) -> list[NotebookSource]:
        corrected = corrections_of_chunks(reading.connection, list(self._numbers)) if self._numbers else {}
        return [
            source_of(self._found[chunk], number).model_copy(
                update={"corrected_by": corrected.get(chunk, []), "kept_row": self._kept_rows.get(chunk)}
            )
            for chunk, number in self._numbers.items()
        ]


def sheet_of(connection: Connection, cited: Sequence[UUID], kept: Sequence[Hit]) -> NumberedSheet:
    """With what may be read of the chunks that are cited, and of rows of long tables that are none."""
    found = load_chunks(connection, cited) | load_rows(connection, kept) if cited else {}
    return NumberedSheet(found, cited, {hit.chunk.id: hit.kept_row.row for hit in kept if hit.kept_row})


def source_of(found: FoundChunk, number: int) -> NotebookSource:
    chunk = found.chunk
    return NotebookSource(
        number=number,
        chunk_id=chunk.id,
        chunk_type=chunk.chunk_type,
        document_id=found.document.id,
        document=found.document.name,
        source_hash=found.source_hash,
        version=found.version,
        section=chunk.section_path,
        page=chunk.first_page,
        boxes=chunk.boxes,
        text=chunk.marked or chunk.content,
    )


def draw_cells(reading: CellReading, rows: Sequence[Row]) -> DrawnNotebook:
    """Of rows as `list_contents` gives them, in the open scope."""
    drawn = [_read(reading, row) for row in rows]
    cited = list(dict.fromkeys(chunk for one in drawn for chunk in one.cites))
    sheet = sheet_of(reading.connection, cited, [hit for one in drawn for hit in one.kept])
    cells = [_cell(row, one, sheet) for row, one in zip(rows, drawn, strict=True)]
    return DrawnNotebook(cells, sheet.sources(reading), drawn)


def _read(reading: CellReading, row: Row) -> DrawnCell:
    kind = KINDS.get(row["kind"])
    return kind.read(reading, row["body"]) if kind else vanished("cell")


def _cell(row: Row, drawn: DrawnCell, sheet: NumberedSheet) -> ShownCell:
    numbers = [number for chunk in drawn.cites if (number := sheet.number(chunk)) is not None]
    return ShownCell(
        id=row["cell_id"],
        state=row["id"],
        kind=row["kind"],
        body=_body(row),
        html=str(drawn.draw(sheet)),
        sources=numbers,
        gone=drawn.gone,
        about=dict(drawn.about),
        author=row["author"],
        created_at=row["created_at"],
    )


def _body(row: Row) -> dict[str, Any]:
    kept = row["body"]
    return {name: value for name, value in kept.items() if name in EDITED or name.endswith(("_id", "_ids"))}
