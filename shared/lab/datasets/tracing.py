"""What a file of a dataset says besides its rows: what made them, and the printed cells behind each."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from shared.domain.datasets import Cell, ColumnType, DatasetColumn, Decimals, SourceCell, json_cell
from shared.errors import BadInput
from shared.lab.datasets.lineage import cells_within
from shared.lab.datasets.running import Run

# Cells of a file with lineage; each printed one is read with its box.
TRACED_MAX: Final = 200_000
SOURCE_COLUMNS: Final[tuple[tuple[str, ColumnType], ...]] = (
    ("source_documents", "text"), ("source_versions", "text"), ("source_pages", "text"), ("source_cells", "text"),
    ("steps_sha256", "text"),
)  # fmt: skip
_LISTED: Final = (
    "row", "column", "text", "document", "version", "page", "box", "document_id", "chunk_id", "cell",
)  # fmt: skip


@dataclass(frozen=True)
class About:
    """What made the rows: `sha256` is that of the dataset's columns and of all steps that were applied."""

    dataset_id: UUID
    revision: int
    sha256: str
    columns: list[DatasetColumn]
    steps: list[dict[str, Any]]

    @classmethod
    def of(cls, run: Run, dataset_id: UUID, columns: list[DatasetColumn]) -> "About":
        steps = [step.model_dump(mode="json") for step in run.steps]
        return cls(dataset_id, run.revision, run.sha256, columns, steps)

    def told(self) -> dict[str, Any]:
        columns = [one.model_dump(mode="json") for one in self.columns]
        own = {"id": str(self.dataset_id), "revision": self.revision, "sha256": self.sha256}
        return own | {"columns": columns, "steps": self.steps}

    def as_json(self) -> str:
        return _json(self.told())

    def listed(self) -> list[list[Cell]]:
        """For a sheet: a step in each row."""
        head: list[list[Cell]] = [["dataset", str(self.dataset_id)], ["revision", self.revision]]
        steps: list[list[Cell]] = [[f"step {number}", _json(step)] for number, step in enumerate(self.steps, 1)]
        return [*head, ["sha256 of columns and steps", self.sha256], *steps]


@dataclass(frozen=True)
class Traced:
    """Rows, the ids of the printed cells behind each of their cells, and these: those that the reader may see."""

    columns: list[DatasetColumn]
    rows: list[list[Cell]]
    decimals: Decimals
    ids: list[list[list[str]]]
    cells: dict[str, SourceCell]

    @classmethod
    def read(cls, run: Run, dataset_id: UUID, revision: int | None) -> "Traced":
        """Raises BadInput for more than TRACED_MAX cells, of the rows or behind them."""
        table = run.table(dataset_id, [], revision=revision, limit=TRACED_MAX)
        width = len(table.columns)
        if table.rows_in_all * width > TRACED_MAX or table.rows_in_all > len(table.rows):
            raise _too_many(f"{table.rows_in_all:,} rows of {width} columns")
        ids = [[table.cells(row, column) for column in range(width)] for row in range(len(table.rows))]
        wanted = [*dict.fromkeys(cell for row in ids for cells in row for cell in cells)]
        if len(wanted) > TRACED_MAX:
            raise _too_many(f"made of {len(wanted):,} printed cells")
        cells = {one.id: one for one in cells_within(run.connection, run.blobs, wanted)}
        return cls(table.columns, table.rows, table.decimals, ids, cells)

    def told(self, row: int) -> list[Cell]:
        """As SOURCE_COLUMNS, but the hash: each name once; the places of each column's cells as JSON."""
        sources = [self._found(cells) for cells in self.ids[row]]
        every = [one for found in sources for one in found]
        places = {
            column.label: [_place(one) for one in found]
            for column, found in zip(self.columns, sources, strict=True)
            if found
        }
        pages = [str(one.page) for one in every if one.page is not None]
        named = ([one.document for one in every], [one.version for one in every], pages)
        return [*("; ".join(dict.fromkeys(one)) or None for one in named), _json(places)]

    def listed(self) -> Iterator[list[Cell]]:
        """A row for each printed cell behind a cell; rows count from 1, below the header."""
        yield [*_LISTED]
        for at, row in enumerate(self.ids, 1):
            for column, cells in zip(self.columns, row, strict=True):
                for one in self._found(cells):
                    place: list[Cell] = [at, column.label, one.text, one.document, one.version, one.page]
                    place += [box_as_json(one)]
                    yield [*place, str(one.document_id), str(one.chunk_id) if one.chunk_id else None, one.id]

    def _found(self, cells: Sequence[str]) -> list[SourceCell]:
        return [self.cells[cell] for cell in cells if cell in self.cells]


def written_json(about: About, rows: Sequence[Sequence[Cell]], traced: Traced | None = None) -> bytes:
    """Rows with what made them; whole numbers beyond 2**53 are their digits. With `traced` the ids of the printed cells
    behind each cell as `lineage`, and these by their ids as `cells`."""
    told: dict[str, Any] = {"dataset": about.told(), "rows": [[json_cell(cell) for cell in row] for row in rows]}
    if traced is not None:
        told["lineage"] = traced.ids
        told["cells"] = {name: one.model_dump(mode="json", exclude={"id"}) for name, one in traced.cells.items()}
    return _json(told).encode()


def _place(one: SourceCell) -> dict[str, Any]:
    return {"document_id": str(one.document_id), "version": one.version, "page": one.page, "box": _box(one)}


def _box(one: SourceCell) -> dict[str, Any] | None:
    return one.box.model_dump(mode="json", exclude={"fragment_ids"}) if one.box else None


def box_as_json(one: SourceCell) -> str:
    """Without the fragments that it is read from."""
    return _json(_box(one))


def _json(told: object) -> str:
    return json.dumps(told, ensure_ascii=False, separators=(",", ":"))


def _too_many(what: str) -> BadInput:
    return BadInput(f"These are {what}; with their sources {TRACED_MAX:,} cells are exported. Filter or select first.")
