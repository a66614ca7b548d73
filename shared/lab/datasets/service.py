"""Makes, lists, changes and deletes datasets."""

from collections.abc import Sequence
from functools import partial
from itertools import compress, groupby
from typing import Any, Final
from uuid import UUID

from shared.access import READ_ONLY, changing, find_knowledge_base, reading
from shared.answering.sentences import split_sentences
from shared.domain.datasets import (
    NUMERIC,
    ColumnCorrection,
    Dataset,
    DatasetChange,
    DatasetColumn,
    DatasetRevision,
    DatasetSource,
    DatasetSummary,
    NewDataset,
    TableReplacement,
)
from shared.domain.scope import Identity
from shared.domain.transforms import STEPS, LabelsStep, OriginStep, Step
from shared.errors import BadInput, Conflict, Forbidden, NotFound
from shared.lab.datasets.engine import Sandbox, taking_turns
from shared.lab.datasets.found import TableGroup, named_columns, read_groups, shown_caption
from shared.lab.datasets.kept import KEPT_FROM_ROWS
from shared.lab.datasets.labels import LabelledRow, has_groups, read_labels
from shared.lab.datasets.loading import BASE_ROWS_MAX, read_texts
from shared.lab.datasets.relations import free_label
from shared.lab.datasets.revisions import changes_since
from shared.lab.datasets.running import Run, hash_of
from shared.library.table_columns import infer_column
from shared.runtime import Runtime
from shared.store import audit, permissions
from shared.store import datasets as rows
from shared.store.connect import Connection, Row, tried_again
from shared.values.measures import read_measure

# A column is of a type where so many of its cells read so; the others are missing, and printed where they stand.
TYPED_FROM: Final = 0.8
COLUMNS_MAX: Final = 300
# Of more rows types are guessed by so many of them.
SAMPLE_FROM_ROWS: Final = 50_000
# So many digits a floating-point number holds exactly.
EXACT_DIGITS: Final = 15


def make_dataset(runtime: Runtime, identity: Identity, wanted: NewDataset) -> Dataset:
    """Raises NotFound for a table that is not there, BadInput for tables with different headers."""
    base = wanted.knowledge_base_id
    with changing(runtime, identity, [base]) as connection:
        find_knowledge_base(connection, base)
        groups = _groups(connection, base, wanted.table_ids, alike=wanted.alike, superseded=wanted.superseded)
        tables = [one for group in groups for one in group.ids]
        found = _read_labels(connection, groups) if wanted.labels is not False else []
        labels = (
            any(has_groups([*of]) for _, of in groupby(found, _table_of)) if wanted.labels is None else wanted.labels
        )
        inferred = _infer(runtime, connection, groups, tables, found if labels else [])
        columns = [one.model_dump(mode="json") for one in inferred]
        first = groups[0].first
        name = wanted.name or name_of(first["caption"]) or first["document"][:200]
        made = rows.add_dataset(connection, identity, base, name, tables)
        origin = _of_versions(groups) if wanted.origin is None else wanted.origin
        steps: list[Step] = [_origin(columns)] if origin else []
        steps += [_labels(columns, steps)] if labels else []
        _add_revision(connection, identity, base, made, 1, 1, columns, steps)
        audit.note(connection, identity, "dataset.create", made, base, tables=len(tables))
        return _whole(connection, identity, made)


def name_of(caption: str) -> str:
    """The first sentence of a caption, without the hyphens at the ends of its lines; "" for none."""
    return next(iter(split_sentences(shown_caption(caption))), "")[:200]


def list_datasets(
    runtime: Runtime, identity: Identity, base: UUID | None, before: UUID | None, limit: int
) -> list[DatasetSummary]:
    """Newest first; of all knowledge bases where none is named."""
    with reading(runtime, identity, [base] if base else []) as connection:
        found = rows.list_datasets(connection, base, before, limit)
        kept = _kept(connection)
    return [DatasetSummary.model_validate(_summed(identity, row, kept)) for row in found]


def get_dataset(runtime: Runtime, identity: Identity, dataset_id: UUID) -> Dataset:
    """Raises NotFound."""
    with reading(runtime, identity, snapshot=True) as connection:
        return _whole(connection, identity, dataset_id)


def list_revisions(
    runtime: Runtime, identity: Identity, dataset_id: UUID, before: int | None, limit: int
) -> list[DatasetRevision]:
    """Newest first. Raises NotFound."""
    with reading(runtime, identity, snapshot=True) as connection:
        _find(connection, dataset_id)
        found = rows.list_revisions(connection, dataset_id, before, limit + 1)
    return [
        DatasetRevision.model_validate(row | {"source_columns": row["columns"], "changes": changes_since(older, row)})
        for row, older in zip(found[:limit], [*found[1:], None], strict=False)
    ]


def change_dataset(runtime: Runtime, identity: Identity, dataset_id: UUID, change: DatasetChange) -> Dataset:
    """A new revision where columns or steps are other ones. Raises NotFound, BadInput for what does not fit together,
    Conflict where another revision is the newest, TooMany where too many are computed at once."""
    act = partial(_change, runtime, identity, dataset_id, change)
    with taking_turns():
        return tried_again(act)()


def _change(runtime: Runtime, identity: Identity, dataset_id: UUID, change: DatasetChange) -> Dataset:
    with changing(runtime, identity) as connection:
        _lock(connection, dataset_id)
        stored = _find(connection, dataset_id)
        if change.revision is not None and change.revision != stored["revision"]:
            raise Conflict(f"The dataset has revision {stored['revision']} by now. Look at it, and change that one.")
        base, revision, tables_of = stored["knowledge_base_id"], stored["revision"], stored["tables_of"]
        before = [DatasetColumn.model_validate(one) for one in stored["columns"]]
        groups = _replaced(connection, dataset_id, stored, change.tables) if change.tables else []
        tables = [one for group in groups for one in group.ids]
        if groups:
            before = _carried(runtime, connection, dataset_id, stored, groups)
        columns = [one.model_dump(mode="json") for one in _corrected(before, change.columns)]
        steps = STEPS.validate_python(stored["steps"]) if change.steps is None else change.steps
        if tables or hash_of(columns, steps) != stored["sha256"]:
            revision += 1
            tables_of = revision if tables else tables_of
            _add_revision(connection, identity, base, dataset_id, revision, tables_of, columns, steps)
            rows.add_tables(connection, identity, base, dataset_id, revision, tables)
        rows.change_dataset(connection, dataset_id, change.name, revision, len(tables) or None)
        if revision != stored["revision"]:
            # What a step joins may be there to read alone.
            permissions.widen_to_readable(connection)
            _check_steps(runtime, connection, dataset_id)
        changed = sorted(change.model_fields_set - {"revision"})
        audit.note(connection, identity, "dataset.change", dataset_id, stored["knowledge_base_id"], changed=changed)
        return _whole(connection, identity, dataset_id)


def delete_dataset(runtime: Runtime, identity: Identity, dataset_id: UUID) -> None:
    """Its tables stay where they are. Raises NotFound."""
    with changing(runtime, identity) as connection:
        _lock(connection, dataset_id)
        gone = rows.remove_dataset(connection, dataset_id)
        audit.note(connection, identity, "dataset.delete", dataset_id, gone["knowledge_base_id"] if gone else None)


def _lock(connection: Connection, dataset_id: UUID) -> None:
    """Raises Forbidden for a dataset that may only be read, NotFound for one that is not there."""
    if rows.lock_dataset(connection, dataset_id) is None:
        if permissions.widen_to_readable(connection) and rows.get_dataset(connection, dataset_id) is not None:
            raise Forbidden(READ_ONLY)
        raise _not_found(dataset_id)


def _check_steps(runtime: Runtime, connection: Connection, dataset_id: UUID) -> None:
    """Raises BadInput for steps that do not fit the columns, or take too long."""
    with Sandbox() as engine:
        run = Run(connection, engine, runtime.blobs)
        run.count(run.start(dataset_id, None, [], None))


def _add_revision(
    connection: Connection,
    identity: Identity,
    base: UUID,
    dataset_id: UUID,
    revision: int,
    tables_of: int,
    columns: list[Any],
    steps: Sequence[Step],
) -> None:
    told, sha256 = [step.model_dump(mode="json") for step in steps], hash_of(columns, steps)
    rows.add_revision(connection, identity, base, dataset_id, revision, columns, told, sha256, tables_of)


def _of_versions(groups: Sequence[TableGroup]) -> bool:
    """Whether there are several versions of a document among them."""
    versions = {(group.first["logical_document_id"], group.first["document_id"]) for group in groups}
    return len(versions) > len({logical for logical, _ in versions})


def _origin(columns: Sequence[Row]) -> OriginStep:
    labels = [one["label"] for one in columns]
    return OriginStep(op="origin", document=free_label("Document", labels), version=free_label("Version", labels))


def _read_labels(connection: Connection, groups: Sequence[TableGroup]) -> list[LabelledRow]:
    """Of long tables none."""
    short = [one for group in groups if group.rows < KEPT_FROM_ROWS for one in group.ids]
    return [*read_labels(connection, short)]


def _table_of(row: LabelledRow) -> UUID:
    return row.table


def _labels(columns: Sequence[Row], steps: Sequence[Step]) -> LabelsStep:
    taken = [one["label"] for one in columns]
    taken += [label for one in steps if isinstance(one, OriginStep) for label in (one.document, one.version)]
    return LabelsStep(op="labels", name=free_label("Group", taken))


def _replaced(
    connection: Connection, dataset_id: UUID, stored: Row, replacements: Sequence[TableReplacement]
) -> list[TableGroup]:
    """The tables that a dataset is made of, others in place of those of some documents."""
    tables = rows.tables_of(connection, dataset_id, stored["tables_of"])
    instead = {one.document_id: one.table_id for one in replacements}
    foreign = instead.keys() - {row["document_id"] for row in tables}
    if foreign:
        raise BadInput(f"The dataset has no table of the document {min(foreign)}. Name one of its sources.")
    ids = [*dict.fromkeys(instead.get(row["document_id"], row["id"]) for row in tables)]
    return _groups(connection, stored["knowledge_base_id"], ids)


def _carried(
    runtime: Runtime, connection: Connection, dataset_id: UUID, stored: Row, groups: Sequence[TableGroup]
) -> list[DatasetColumn]:
    """The columns of other tables; what people said of one stays where its header has the same label."""
    tables = [row["id"] for row in rows.tables_of(connection, dataset_id, stored["tables_of"])]
    of_stored = _groups(connection, stored["knowledge_base_id"], tables)
    dropped = any(step["op"] == "labels" and step["drop"] for step in stored["steps"])
    labels = [_read_labels(connection, one) if dropped else [] for one in (of_stored, groups)]
    former = _infer(runtime, connection, of_stored, tables, labels[0])
    before = [DatasetColumn.model_validate(one) for one in stored["columns"]]
    known = {printed.label: (printed, one) for printed, one in zip(former, before, strict=False)}
    found = _infer(runtime, connection, groups, [one for group in groups for one in group.ids], labels[1])
    kept = [_as_before(one, *known[one.label]) if one.label in known else one for one in found]
    labels = named_columns([one.label for one in kept])
    return [one.model_copy(update={"label": label}) for one, label in zip(kept, labels, strict=True)]


def _as_before(read: DatasetColumn, inferred: DatasetColumn, stored: DatasetColumn) -> DatasetColumn:
    if (stored.type, stored.unit) != (inferred.type, inferred.unit):
        return stored
    return read.model_copy(update={"label": stored.label})


def _groups(
    connection: Connection, base: UUID, ids: Sequence[UUID], *, alike: bool = False, superseded: bool = True
) -> list[TableGroup]:
    named = rows.tables_named(connection, base, ids)
    for row, asked in zip(named, ids, strict=True):
        if row["id"] is None:
            raise NotFound(
                f"There is no table {asked} in this knowledge base. List its tables, and take an id of them."
            )
    documents = {row["document_id"] for row in named}
    only = documents.pop() if len(documents) == 1 and not alike else None
    every = read_groups(connection, base, only, superseded or not alike)
    holding = {table: group for group in every for table in group.ids}
    chosen = [holding[row["id"]] for row in named if row["id"] in holding]
    if not chosen or len(chosen) < len(named):
        raise BadInput("That table is of a superseded version. Say `superseded`, or take one of the current version.")
    first = chosen[0]
    if alike:
        if not any(first.header):
            raise BadInput("The table has no header by which others could be found. Name the tables one by one.")
        chosen += [group for group in every if group.header == first.header]
    chosen = [*{group.ids[0]: group for group in chosen}.values()]
    for group in chosen[1:]:
        if group.header != first.header:
            what = f"{group.first['document']}, page {group.first['first_page']}"
            raise BadInput(
                f"The table of {what} has another header than the first. Make a dataset of it: the step `stack` puts "
                "its rows below the others, by the names of its columns."
            )
    return chosen


def _infer(
    runtime: Runtime,
    connection: Connection,
    groups: Sequence[TableGroup],
    tables: Sequence[UUID],
    labelled: Sequence[LabelledRow],
) -> list[DatasetColumn]:
    """Of all rows but those that are labels alone, whose words may reach over every column."""
    total = sum(group.rows for group in groups)
    if total > BASE_ROWS_MAX:
        raise BadInput(
            f"These tables have {total:,} rows; a dataset has {BASE_ROWS_MAX:,} at most. Make several of fewer tables."
        )
    labels = groups[0].labels
    if len(labels) > COLUMNS_MAX:
        raise BadInput(f"The table has {len(labels)} columns; a dataset has {COLUMNS_MAX} at most.")
    texts: list[list[str]] = [[] for _ in labels]
    without = {(one.table, one.row) for one in labelled if one.is_label}
    for table in read_texts(connection, runtime.blobs, _sample(groups, tables)):
        kept = [(table.id, row) not in without for row in range(table.header_rows, table.header_rows + len(table))]
        for at, column in enumerate(texts):
            column += compress(table.column(at), kept)
    names = named_columns(labels)
    found = [infer_column(label, cells, TYPED_FROM) for label, cells in zip(labels, texts, strict=True)]
    if total > SAMPLE_FROM_ROWS:
        found = [_of_sample(one, cells) for one, cells in zip(found, texts, strict=True)]
    return [one.model_copy(update={"label": name}) for one, name in zip(found, names, strict=True)]


def _sample(groups: Sequence[TableGroup], tables: Sequence[UUID]) -> list[UUID]:
    """Of long ones some, evenly: their columns are read by the first who asks for rows (`loading.py`)."""
    every = max(1, sum(group.rows for group in groups) // SAMPLE_FROM_ROWS)
    return [*tables[::every]]


def _of_sample(column: DatasetColumn, cells: Sequence[str]) -> DatasetColumn:
    """Where some cells were whole numbers that a floating-point number holds, others may have decimals."""
    if column.type != "integer" or any(len(cell) > EXACT_DIGITS for cell in cells):
        return column
    return column.model_copy(update={"type": "number"})


def _corrected(columns: Sequence[DatasetColumn], corrections: Sequence[ColumnCorrection]) -> list[DatasetColumn]:
    found = [*columns]
    for one in corrections:
        at = next((at for at, column in enumerate(columns) if column.label == one.column), None)
        if at is None:
            known = ", ".join(repr(column.label) for column in columns[:12])
            raise BadInput(f"The tables have no column {one.column!r}. They have {known}.")
        found[at] = _correct(found[at], one)
    labels = [one.label for one in found]
    twice = next((label for label in labels if labels.count(label) > 1), None)
    if twice is not None:
        raise BadInput(f"Two columns would be called {twice!r}. Give one of them another label.")
    return found


def _correct(column: DatasetColumn, said: ColumnCorrection) -> DatasetColumn:
    changed: dict[str, Any] = {"label": said.label or column.label}
    kind, unit = said.type or column.type, column.unit
    if said.unit is not None:
        measure = read_measure(said.unit) if said.unit.strip() else None
        if said.unit.strip() and measure is None:
            raise BadInput(f"{said.unit!r} is no unit that is known here. Write one as `kg`, `m/s` or `EUR`.")
        unit = measure.code if measure else None
        if said.type is None:
            kind = "quantity" if unit else "number" if kind == "quantity" else kind
    if kind not in NUMERIC:
        changed |= {"unit": None, "scale": 1.0}
    elif kind == "quantity" and unit is None:
        raise BadInput(f"A quantity has a unit. Say which one {column.label!r} has, or take the type number.")
    else:
        changed |= {"unit": unit if kind == "quantity" else None}
    if said.type is not None or said.unit is not None:
        changed |= {"type": kind, "confidence": 1.0}
    return column.model_copy(update=changed)


def _find(connection: Connection, dataset_id: UUID) -> Row:
    found = rows.get_dataset(connection, dataset_id)
    if found is None:
        raise _not_found(dataset_id)
    return found


def _not_found(dataset_id: UUID) -> NotFound:
    return NotFound(f"There is no dataset {dataset_id}. List those you can see, and take an id of them.")


def _whole(connection: Connection, identity: Identity, dataset_id: UUID) -> Dataset:
    """The last act in its transaction, as `_kept` is."""
    found = _find(connection, dataset_id)
    steps: list[Step] = STEPS.validate_python(found["steps"])
    sources = [DatasetSource.model_validate(row) for row in rows.dataset_sources(connection, dataset_id)]
    more: Row = {"source_columns": found["columns"], "stored_steps": steps, "sources": sources}
    return Dataset.model_validate(_summed(identity, found, _kept(connection)) | more)


def _kept(connection: Connection) -> set[UUID]:
    """The knowledge bases that may only be read; it narrows the scope to the others."""
    permissions.narrow_to_writable(connection)
    return permissions.read_only(connection)


def _summed(identity: Identity, row: Row, kept: set[UUID]) -> Row:
    may_write = identity.role != "viewer" and row["knowledge_base_id"] not in kept
    return row | {"columns": len(row["columns"]), "steps": len(row["steps"]), "may_write": may_write}
