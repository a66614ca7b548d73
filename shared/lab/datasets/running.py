"""Runs a dataset's steps for a window of rows."""

import hashlib
import json
import math
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from datetime import date
from typing import Any
from uuid import UUID

from shared.access import reading
from shared.domain.datasets import (
    ALL_ROWS,
    LINEAGE_MAX,
    ROWS_MAX,
    Cell,
    ColumnSource,
    DatasetColumn,
    DatasetNote,
    DatasetTable,
    Decimals,
    RowLineage,
)
from shared.domain.scope import Identity
from shared.domain.transforms import STEPS, STEPS_MAX, Step, canonical_steps
from shared.errors import BadInput, NotFound
from shared.lab.datasets.checks import gone
from shared.lab.datasets.compiling import Compiler, Others
from shared.lab.datasets.engine import Sandbox, taking_turns
from shared.lab.datasets.loading import Loader
from shared.lab.datasets.relations import COLUMN_MASK, ROW_SHIFT, TABLE_SHIFT, Relation
from shared.lab.datasets.row_lists import parts_of, row_lists
from shared.ports import BlobStore
from shared.runtime import Runtime
from shared.store import datasets as rows
from shared.store.connect import Connection, Row

# How many datasets may be joined or stacked with one another, each by its own steps.
JOINED_MAX = 5
_ROW_MASK = (1 << (TABLE_SHIFT - ROW_SHIFT)) - 1


class Run:
    """A dataset in a database of its own, transformed. `result` is a query; `columns` are those of its tables."""

    def __init__(self, connection: Connection, engine: Sandbox, blobs: BlobStore) -> None:
        self.connection, self.engine, self.blobs = connection, engine, blobs
        self._loader = Loader(engine, blobs)
        origins, printed = lambda: self._loader.origins, lambda: self._loader.printed
        self._compiler = Compiler(Others(self._joined, engine.ask, origins, self._labelled, printed, self._spread))
        self._within: list[UUID] = []
        self._bases: dict[UUID, Relation] = {}
        self.gone: list[DatasetNote] = []
        self.revision = 0
        self.sha256 = ""
        self.steps: list[Step] = []

    def start(
        self, dataset_id: UUID, steps: Sequence[Step] | None, further: Sequence[Step], revision: int | None
    ) -> Relation:
        """`steps` instead of the stored ones, where they are given; then `further`."""
        stored = find_revision(self.connection, dataset_id, revision)
        self.revision = stored["revision"]
        self.steps = [*(STEPS.validate_python(stored["steps"]) if steps is None else steps), *further]
        if len(self.steps) > STEPS_MAX:
            raise BadInput(f"There are more than {STEPS_MAX} steps. Leave some out.")
        self.sha256 = hash_of(stored["columns"], self.steps)
        return self._transformed(dataset_id, stored, self.steps)

    def _transformed(self, dataset_id: UUID, stored: Row, steps: Sequence[Step]) -> Relation:
        if dataset_id in self._within or len(self._within) == JOINED_MAX:
            raise BadInput(
                f"A dataset is joined or stacked with itself through its own steps, or more than {JOINED_MAX} deep."
            )
        self._within.append(dataset_id)
        found = self._compiler.apply(self._base(dataset_id, stored), steps)
        self._within.pop()
        return found

    def _base(self, dataset_id: UUID, stored: Row) -> Relation:
        """The rows of its tables, which are read once however often they are transformed."""
        if dataset_id not in self._bases:
            tables = rows.tables_of(self.connection, dataset_id, stored["tables_of"])
            if stored["tables"] and len(tables) < stored["tables"]:
                self.gone.append(gone(stored["name"], stored["tables"] - len(tables), stored["tables"]))
            columns = [DatasetColumn.model_validate(one) for one in stored["columns"]]
            self._bases[dataset_id] = self._loader.load(self.connection, tables, columns)
        return self._bases[dataset_id]

    def _joined(self, dataset_id: UUID) -> tuple[str, Relation]:
        stored = find_revision(self.connection, dataset_id, None)
        return stored["name"], self._transformed(dataset_id, stored, STEPS.validate_python(stored["steps"]))

    def _spread(self, column: DatasetColumn, source: ColumnSource) -> str:
        return self._loader.spread(self.connection, column, source)

    def _labelled(self) -> list[str]:
        return self._loader.label(self.connection)

    def table(
        self,
        dataset_id: UUID,
        steps: Sequence[Step],
        *,
        revision: int | None = None,
        instead: Sequence[Step] | None = None,
        offset: int = 0,
        limit: int = 1_000,
        noted: bool = False,
    ) -> DatasetTable:
        """As `run_dataset`; `noted`: the first window with what its rows do not show."""
        relation = self.start(dataset_id, instead, steps, revision)
        limit = min(limit, ROWS_MAX)
        found, decimals, lineages = self.window(relation, offset, limit)
        # A window that is not full ends where the rows do: they need not be computed again to be counted.
        ends = len(found) < limit and (found or not offset)
        return DatasetTable(
            dataset_id=dataset_id,
            revision=self.revision,
            sha256=self.sha256,
            columns=[one.of for one in relation.columns],
            rows=found,
            decimals=decimals,
            rows_in_all=offset + len(found) if ends else self.count(relation),
            offset=offset,
            lineage=lineages.pop(ALL_ROWS),
            notes=self.notes() if noted and not offset else [],
            made_of=[[*one.sources] for one in relation.columns],
            rows_of=lineages,
        )

    def notes(self) -> list[DatasetNote]:
        """Of tables that are gone, of the others, then of the steps in their order."""
        told = [note for check in self._compiler.checks for note in check.told(self.ask(check.sql)[0])]
        return [*self.gone, *self._loader.notes(), *told]

    def count(self, relation: Relation) -> int:
        return self.ask(f"select count(*) from ({relation.sql})")[0][0]

    def ask(self, statement: str) -> list[tuple[Any, ...]]:
        return self.engine.ask(statement, self._compiler.bind.values)

    def rows(self, relation: Relation) -> tuple[list[list[Cell]], Decimals]:
        """All of them, without where they come from."""
        ordered = "" if relation.ordered else " order by o"
        names = ", ".join(_named(relation))
        found = self.ask(f"select {names} from ({relation.sql}){ordered}")
        return _cells(relation, found)

    def window(
        self, relation: Relation, offset: int, limit: int
    ) -> tuple[list[list[Cell]], Decimals, dict[str, list[RowLineage]]]:
        """The rows, and for each list of source rows that their columns have what it holds of each."""
        ordered = "" if relation.ordered else " order by o"
        lists = [ALL_ROWS, *row_lists(relation.columns)]
        told = [part for name in lists for part in parts_of(name)]
        names = ", ".join([*_named(relation), *told])
        found = self.ask(f"select {names} from ({relation.sql}){ordered} limit {limit:d} offset {offset:d}")
        first = len(_named(relation))
        lineages = {
            name: [self._lineage(row[at], row[at + 1]) for row in found]
            for name, at in zip(lists, range(first, first + len(told), 2), strict=True)
        }
        return *_cells(relation, found), lineages

    def _lineage(self, numbers: Sequence[int], count: int) -> RowLineage:
        return RowLineage(rows=[self._place(number) for number in numbers[:LINEAGE_MAX]], count=count)

    def _place(self, number: int) -> str:
        table, row, column = number >> TABLE_SHIFT, number >> ROW_SHIFT & _ROW_MASK, number & COLUMN_MASK
        place = f"{self._loader.tables[table]}:{row}"
        return f"{place}:{column - 1}" if column else place


@contextmanager
def running(runtime: Runtime, identity: Identity) -> Generator[Run]:
    """A run that sees what the identity may read, all of it as it was at one time. Raises TooMany."""
    with taking_turns(), reading(runtime, identity, snapshot=True) as connection, Sandbox() as engine:
        yield Run(connection, engine, runtime.blobs)


@contextmanager
def running_within(connection: Connection, blobs: BlobStore) -> Generator[Run]:
    """A run that sees what the open scope shows. Raises TooMany."""
    with taking_turns(), Sandbox() as engine:
        yield Run(connection, engine, blobs)


def run_dataset(
    runtime: Runtime,
    identity: Identity,
    dataset_id: UUID,
    steps: Sequence[Step] = (),
    *,
    revision: int | None = None,
    instead: Sequence[Step] | None = None,
    offset: int = 0,
    limit: int = 1_000,
) -> DatasetTable:
    """Rows `offset` to `offset + limit` (at most ROWS_MAX) of the dataset: its own steps, those of its newest revision
    or of `revision`, or `instead`; then `steps`.

    Raises NotFound for what the identity may not read, BadInput for a step that does not fit.
    """
    with running(runtime, identity) as run:
        return run.table(dataset_id, steps, revision=revision, instead=instead, offset=offset, limit=limit, noted=True)


def find_revision(connection: Connection, dataset_id: UUID, revision: int | None) -> Row:
    """Raises NotFound, the same for what does not exist and for what is somebody else's."""
    found = rows.get_revision(connection, dataset_id, revision)
    if found is None:
        which = f"revision {revision} of a dataset" if revision is not None else "dataset"
        raise NotFound(f"There is no {which} {dataset_id}. List those you can see, and take an id of them.")
    return found


def hash_of(columns: Sequence[Any], steps: Sequence[Step]) -> str:
    """SHA-256 of columns and steps as canonical JSON, as hexadecimal digits."""
    told = json.dumps(columns, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(f'{{"columns":{told},"steps":{canonical_steps(steps)}}}'.encode()).hexdigest()


def _named(relation: Relation) -> list[str]:
    """What is asked of its columns: all values, then the decimals of those that are printed with different ones."""
    printed = [one.printed for one in relation.columns if one.printed]
    return [*(one.name for one in relation.columns), *printed]


def _cells(relation: Relation, found: Sequence[Sequence[Any]]) -> tuple[list[list[Cell]], Decimals]:
    """Of rows that begin with what `_named` names."""
    width = len(relation.columns)
    mixed = [one.label for one in relation.columns if one.printed]
    decimals = {
        label: [None if row[at] is None or row[at] < 0 else row[at] for row in found]
        for at, label in enumerate(mixed, width)
    }
    return [[_cell(value) for value in row[:width]] for row in found], decimals


def _cell(value: object) -> Cell:
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if isinstance(value, bool | int | float | str) else None
