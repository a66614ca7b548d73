"""Datasets, and all tables of documents, as files: CSV and workbooks in which nothing is computed, and Parquet."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Final, Literal, NamedTuple
from uuid import UUID

import numpy as np

from shared.access import check_knowledge_base, find_place, reading
from shared.domain.datasets import (
    EXACT_MAX,
    Cell,
    ColumnType,
    DatasetColumn,
    Decimals,
    SourceCell,
    as_printed,
    decimals_by_row,
)
from shared.domain.scope import Identity
from shared.errors import BadInput
from shared.lab.datasets.engine import taking_turns
from shared.lab.datasets.found import TableGroup, read_groups
from shared.lab.datasets.kept import write_parquet
from shared.lab.datasets.lineage import cells_within
from shared.lab.datasets.loading import read_texts
from shared.lab.datasets.relations import SQL_TYPES
from shared.lab.datasets.running import Run, running
from shared.lab.datasets.tracing import SOURCE_COLUMNS, TRACED_MAX, About, Traced, box_as_json, written_json
from shared.lab.datasets.workbook import WorkbookSheet, write_workbook
from shared.ports import BlobStore
from shared.runtime import Runtime
from shared.store import datasets as rows
from shared.store.connect import Connection
from shared.values.csv_cells import harmless_cell
from shared.values.headers import says_unit

Form = Literal["csv", "xlsx", "parquet", "json"]
MEDIA: Final = {
    "csv": "text/csv; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "parquet": "application/vnd.apache.parquet",
    "json": "application/json",
}
CELLS_MAX: Final = 5_000_000
# Where each cell is a row of ten values, of half a kilobyte in memory.
LISTED_MAX: Final = 500_000
TABLES_MAX: Final = 500
TABLE_COLUMNS: Final[tuple[tuple[str, ColumnType], ...]] = (
    ("document", "text"), ("document_id", "text"), ("table_id", "text"), ("caption", "text"), ("page", "integer"),
    ("row", "integer"), ("column", "integer"), ("header", "text"), ("text", "text"), ("chunk_id", "text"),
)  # fmt: skip
# Behind these, where it is asked where each cell stands; `box` is JSON.
PLACE_COLUMNS: Final[tuple[tuple[str, ColumnType], ...]] = (
    ("version", "text"), ("cell_page", "integer"), ("box", "text"), ("cell", "text"),
)  # fmt: skip
_TABLE, _ROW, _COLUMN = ([name for name, _ in TABLE_COLUMNS].index(one) for one in ("table_id", "row", "column"))


class ExportedFile(NamedTuple):
    """A file to download."""

    name: str
    media_type: str
    content: bytes


def export_dataset(
    runtime: Runtime,
    identity: Identity,
    dataset_id: UUID,
    form: Form,
    revision: int | None = None,
    *,
    lineage: bool = False,
) -> ExportedFile:
    """All of its rows, its steps applied; with `lineage` the printed cells (of at most 200 rows) that each cell is made
    of, with document, version, page and box.

    Raises NotFound, BadInput for more than CELLS_MAX cells, or with lineage for more than TRACED_MAX.
    """
    with running(runtime, identity) as run:
        if lineage:
            return export_traced(run, dataset_id, form, revision)
        return export_run(run, dataset_id, form, revision)


def export_run(run: Run, dataset_id: UUID, form: Form, revision: int | None) -> ExportedFile:
    """As `export_dataset`, within a run."""
    relation = run.start(dataset_id, None, [], revision)
    columns = [one.of for one in relation.columns]
    count = run.count(relation)
    if count * len(columns) > CELLS_MAX:
        raise BadInput(f"These are {count:,} rows, more than {CELLS_MAX:,} cells. Filter, select or group first.")
    about = About.of(run, dataset_id, columns)
    if form == "json":
        return ExportedFile("dataset.json", MEDIA[form], written_json(about, run.rows(relation)[0]))
    return _exported("dataset", form, columns, *run.rows(relation), about.as_json())


def export_traced(run: Run, dataset_id: UUID, form: Form, revision: int | None) -> ExportedFile:
    """With the printed cells behind each row. JSON has them by cell; a workbook as a sheet of their own, with a row for
    each; the other forms as further columns."""
    traced = Traced.read(run, dataset_id, revision)
    about = About.of(run, dataset_id, traced.columns)
    if form == "json":
        content = written_json(about, traced.rows, traced)
    elif form == "xlsx":
        labels = [_headed(column) for column in traced.columns]
        printed = decimals_by_row(traced.columns, traced.decimals)
        sheets = [
            WorkbookSheet("dataset", chain([labels], traced.rows), chain([()], printed)),
            WorkbookSheet("sources", traced.listed()),
            WorkbookSheet("about", about.listed()),
        ]
        content = write_workbook(sheets)
    else:
        own = [DatasetColumn(label=label, type=kind) for label, kind in SOURCE_COLUMNS]
        rows_with = [[*row, *traced.told(at), about.sha256] for at, row in enumerate(traced.rows)]
        return _exported("dataset", form, [*traced.columns, *own], rows_with, traced.decimals, about.as_json())
    return ExportedFile(f"dataset.{form}", MEDIA[form], content)


def export_tables(
    runtime: Runtime,
    identity: Identity,
    base: UUID,
    document: UUID | None,
    form: Form,
    *,
    lineage: bool = False,
) -> ExportedFile:
    """All tables of a knowledge base (current versions), or of a document. A workbook has a sheet for each; the other
    forms have a row for each cell, with the passage to cite it by. With `lineage` these have each cell's version, box
    and id too, and a workbook a last sheet with all of that.

    Raises NotFound, BadInput for too many cells, TooMany where too many are made at once."""
    with taking_turns(), reading(runtime, identity, [base], snapshot=True) as connection:
        check_knowledge_base(connection, base)
        if document is not None:
            find_place(connection, document)
        groups = read_groups(connection, base, document, superseded=False)
        if len(groups) > TABLES_MAX:
            raise BadInput(f"These are {len(groups):,} tables. Export {TABLES_MAX} at most: those of one document.")
        cells = sum(group.rows * len(group.labels) for group in groups)
        whole = form == "xlsx" and not lineage
        most = TRACED_MAX if lineage else CELLS_MAX if whole else LISTED_MAX
        if cells > most:
            asked = " with where they stand" if lineage else ""
            instead = "" if whole else ", leave out where they stand," if lineage else ", take xlsx,"
            raise BadInput(
                f"These are {cells:,} cells; as {form} {most:,} at most are exported{asked}. Choose one"
                f" document{instead} or make a dataset of a long table and export that."
            )
        sheets = [*_sheets(connection, runtime.blobs, groups)] if form == "xlsx" else []
        listed = [*_listed(connection, runtime.blobs, groups, lineage=lineage)] if form != "xlsx" or lineage else []
    columns = [DatasetColumn(label=label, type=kind) for label, kind in TABLE_COLUMNS]
    columns += [DatasetColumn(label=label, type=kind) for label, kind in PLACE_COLUMNS if lineage]
    if form != "xlsx":
        return _exported("tables", form, columns, listed, {})
    if lineage:
        sheets.append(WorkbookSheet("sources", chain([[one.label for one in columns]], listed)))
    return ExportedFile("tables.xlsx", MEDIA[form], write_workbook(sheets or [WorkbookSheet("No tables", [])]))


def _sheets(connection: Connection, blobs: BlobStore, groups: Sequence[TableGroup]) -> Iterator[WorkbookSheet]:
    for group in groups:
        sheet: list[list[Cell]] = [[*group.labels]]
        for one in read_texts(connection, blobs, group.ids):
            sheet.extend([*row] for row in one.rows)
        yield WorkbookSheet(group.first["caption"] or group.first["document"], sheet)


def _listed(
    connection: Connection, blobs: BlobStore, groups: Sequence[TableGroup], *, lineage: bool
) -> Iterator[list[Cell]]:
    for group in groups:
        listed = [*_cells(connection, blobs, group.ids, group.first["document"], group.labels)]
        if not lineage:
            yield from listed
            continue
        names = [f"{one[_TABLE]}:{one[_ROW]}:{one[_COLUMN]}" for one in listed]
        found = {one.id: one for one in cells_within(connection, blobs, names)}
        for one, name in zip(listed, names, strict=True):
            yield [*one, *_placed(name, found.get(name))]


def _placed(name: str, cell: SourceCell | None) -> list[Cell]:
    """As PLACE_COLUMNS. A cell that is not printed, as at the end of a short row, has no box."""
    if cell is None:
        return [None, None, None, name]
    return [cell.version, cell.page, box_as_json(cell), name]


def _cells(
    connection: Connection, blobs: BlobStore, tables: Sequence[UUID], document: str, labels: Sequence[str]
) -> Iterator[list[Cell]]:
    passages = rows.passages_of_rows(connection, tables)
    for table in read_texts(connection, blobs, tables):
        for at, row in enumerate(table.rows, table.header_rows):
            chunk = passages.get((table.id, at))
            for column, text in enumerate(row):
                header = labels[column] if column < len(labels) else ""
                place: list[Cell] = [document, str(table.document_id), str(table.id), table.caption]
                place += [table.first_page, at, column, header, text, str(chunk) if chunk else None]
                yield place


def _exported(
    name: str,
    form: Form,
    columns: Sequence[DatasetColumn],
    found: list[list[Cell]],
    decimals: Decimals,
    about: str | None = None,
) -> ExportedFile:
    labels, printed = [_headed(column) for column in columns], decimals_by_row(columns, decimals)
    if form == "csv":
        content = _csv(labels, found, printed)
    elif form == "xlsx":
        content = write_workbook([WorkbookSheet(name, chain([labels], found), chain([()], printed))])
    else:
        names = [f"c{at}" for at in range(len(columns))]
        arrays = {name: np.array([row[at] for row in found], dtype=object) for at, name in enumerate(names)}
        content = write_parquet(names, [SQL_TYPES[one.type] for one in columns], arrays, _distinct(labels), about)
    return ExportedFile(f"{name}.{form}", MEDIA[form], content)


def _headed(column: DatasetColumn) -> str:
    """With its unit, where the label does not say it, or says what it was converted from."""
    if column.type != "quantity" or not column.unit or (said := says_unit(column.label, column.unit)):
        return column.label
    return f"{column.label} [{column.unit}]" if said is None else f"{column.label} in {column.unit}"


def _csv(labels: Sequence[str], found: Iterable[Sequence[Cell]], printed: Iterable[Sequence[int | None]]) -> bytes:
    target = io.StringIO(newline="")
    writer = csv.writer(target)
    writer.writerow(harmless_cell(label) for label in labels)
    writer.writerows(map(_written, row, decimals) for row, decimals in zip(found, printed, strict=False))
    return target.getvalue().encode()


def _written(cell: Cell, decimals: int | None) -> Cell:
    """As printed; else a whole number without `.0`, in a column of others too: 3 and 3.5."""
    if isinstance(cell, int | float) and decimals is not None:
        return as_printed(cell, decimals)
    if isinstance(cell, float):
        return int(cell) if cell == int(cell) and abs(cell) <= EXACT_MAX else cell
    return harmless_cell(cell) if isinstance(cell, str) else cell


def _distinct(labels: Sequence[str]) -> list[str]:
    """DuckDB takes two names that differ in case for one."""
    seen: dict[str, int] = {}
    found: list[str] = []
    for label in labels:
        number = seen[label.casefold()] = seen.get(label.casefold(), 0) + 1
        found.append(label if number == 1 else f"{label} ({number})")
    return found
