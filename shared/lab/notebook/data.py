"""Datasets and plots as cells: in the revision that they were pinned in, from the tables as they are now.

What computes is imported where it is called: on AWS one function has DuckDB, and all import the kinds of cells.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Final
from uuid import UUID

from markupsafe import Markup

from shared.domain.datasets import Cell, DatasetColumn, DatasetTable, as_printed, decimals_by_row
from shared.domain.notebooks import DatasetCell, PlotCell
from shared.domain.plots import Drawing, PlotSpec
from shared.errors import BadInput, NotFound
from shared.lab.notebook.kinds import CellKind, CellReading, CellSheet, DrawnCell, HeldCell, vanished
from shared.lab.notebook.markup import element, join, picture, plain_table
from shared.lab.plots.titles import with_unit
from shared.lab.remembered import RESULTS, key_of
from shared.store import datasets, plots
from shared.values.locales import NumberSigns, signs_of

# Of a long dataset a cell shows the beginning; a bundle has all of it as a file.
ROWS_SHOWN: Final = 50
# Tables that a cell of many documents cites.
TABLES_CITED: Final = 20


def _hold_dataset(reading: CellReading, wanted: DatasetCell) -> HeldCell:
    found = datasets.get_dataset(reading.connection, wanted.dataset_id)
    if found is None:
        raise NotFound(f"There is no dataset {wanted.dataset_id}. List those you can see, and take an id of them.")
    return HeldCell({"dataset_id": str(wanted.dataset_id), "revision": found["revision"]})


def _read_dataset(reading: CellReading, body: dict[str, Any]) -> DrawnCell:
    from shared.lab.datasets.exporting import export_run
    from shared.lab.datasets.running import running_within

    dataset_id, revision = UUID(body["dataset_id"]), int(body["revision"])
    now = datasets.get_dataset(reading.connection, dataset_id)
    held = datasets.get_revision(reading.connection, dataset_id, revision)
    if now is None or held is None:
        return vanished("dataset")
    cites = datasets.passages_of(reading.connection, dataset_id, TABLES_CITED)

    def rows() -> DatasetTable:
        with running_within(reading.connection, reading.runtime.blobs) as run:
            table = run.table(dataset_id, [], revision=revision, limit=ROWS_SHOWN)
            table.notes = run.gone
        # What is shown is remembered, without where it comes from, which may be a hundred times as much.
        return table.model_copy(update={"lineage": [], "made_of": [], "rows_of": {}})

    def draw(sheet: CellSheet) -> Markup:
        said = f"Dataset, revision {revision}{_newer(revision, now['revision'])}"
        head = (element("h3", now["name"]), _origin(said, cites, sheet))
        try:
            shown = RESULTS.get(key_of(reading.connection, dataset_id, revision, "rows"), rows, _size)
        except BadInput as wrong:
            return join((*head, _unread(wrong)))
        gone = [element("p", one.said, class_="cell-warning") for one in shown.notes]
        return join((*head, *gone, _rows(shown, signs_of(reading.identity.locale))))

    def files() -> Mapping[str, bytes]:
        try:
            with running_within(reading.connection, reading.runtime.blobs) as run:
                return {"csv": export_run(run, dataset_id, "csv", revision).content}
        except BadInput:
            return {}

    about = {"dataset": str(dataset_id), "name": now["name"], "revision": revision, "sha256": held["sha256"]}
    return DrawnCell(draw=draw, cites=cites, about=about | {"newest": now["revision"]}, files=files)


def _rows(shown: DatasetTable, signs: NumberSigns) -> Markup:
    header = [_heading(one) for one in shown.columns]
    printed = zip(shown.rows, decimals_by_row(shown.columns, shown.decimals), strict=False)
    rows = ([_said(*one, signs) for one in zip(*row, strict=True)] for row in printed)
    table = plain_table(header, rows)
    left = shown.rows_in_all - len(shown.rows)
    more = (
        [element("p", f"{signs.write(f'{left:,}')} further rows are in the dataset.", class_="cell-note")]
        if left > 0
        else []
    )
    return join((table, *more))


def _heading(column: DatasetColumn) -> str:
    return with_unit(column) if column.type == "quantity" else column.label


def _said(cell: Cell, decimals: int | None, signs: NumberSigns) -> str:
    """Without signs between thousands, as numbers of years have none; nothing where a value is missing."""
    if cell is None:
        return ""
    is_number = isinstance(cell, int | float) and not isinstance(cell, bool)
    return signs.write(as_printed(cell, decimals)) if is_number else f"{cell}"


def _hold_plot(reading: CellReading, wanted: PlotCell) -> HeldCell:
    found = plots.get_plot(reading.connection, wanted.plot_id)
    if found is None:
        raise NotFound(f"There is no plot {wanted.plot_id}. List those you can see, and take an id of them.")
    held = {"sha256": found["sha256"], "revision": found["dataset_revision"], "spec": found["spec"]}
    return HeldCell({"plot_id": str(wanted.plot_id), "dataset_id": str(found["dataset_id"])} | held)


def _read_plot(reading: CellReading, body: dict[str, Any]) -> DrawnCell:
    from shared.lab.datasets.running import running_within
    from shared.lab.plots.drawing import draw_run
    from shared.lab.plots.rendering import render

    plot_id, dataset_id, revision = UUID(body["plot_id"]), UUID(body["dataset_id"]), int(body["revision"])
    now = plots.get_plot(reading.connection, plot_id)
    held = datasets.get_revision(reading.connection, dataset_id, revision)
    if now is None or held is None:
        return vanished("plot")
    cites = datasets.passages_of(reading.connection, dataset_id, TABLES_CITED)
    locale = reading.identity.locale

    @cache
    def drawing() -> Drawing:
        with running_within(reading.connection, reading.runtime.blobs) as run:
            return draw_run(run, dataset_id, PlotSpec.model_validate(body["spec"]), revision, locale)

    def shown() -> tuple[bytes, str, list[str]]:
        made = drawing()
        if not made.vega_lite["data"]["values"]:
            return b"", "", made.notices
        return render(made, "png", "light", locale), made.alt, made.notices

    def draw(sheet: CellSheet) -> Markup:
        changed = "" if now["sha256"] == body["sha256"] else "; the plot has been changed since"
        said = f"Plot of {held['name']}, revision {revision}{changed}"
        head = (element("h3", now["name"]), _origin(said, cites, sheet))
        key = key_of(reading.connection, dataset_id, revision, "picture", body["spec"], locale)
        try:
            image, alt, notices = RESULTS.get(key, shown, lambda one: len(one[0]))
        except BadInput as wrong:
            return join((*head, _unread(wrong)))
        told = [element("p", one, class_="cell-warning") for one in notices]
        if not image:
            return join((*head, *told))
        return join((*head, *told, picture(image, "image/png", alt), element("p", alt, class_="cell-note")))

    def files() -> Mapping[str, bytes]:
        try:
            made = drawing()
        except BadInput:
            return {}
        return {"json": render(made, "json", "light", None), "svg": render(made, "svg", "light", locale)}

    about = {"plot": str(plot_id), "name": now["name"], "sha256": body["sha256"], "dataset": str(dataset_id)}
    return DrawnCell(draw=draw, cites=cites, about=about | {"dataset_revision": revision}, files=files)


def _size(table: DatasetTable) -> int:
    """About that of its cells."""
    return 2_000 + 200 * sum(len(row) for row in table.rows)


def _newer(held: int, newest: int) -> str:
    return f"; there is revision {newest} by now" if newest > held else ""


def _origin(said: str, cites: Sequence[UUID], sheet: CellSheet) -> Markup:
    return element("p", said, " ", *(sheet.cite(chunk) for chunk in cites), class_="cell-note")


def _unread(wrong: BadInput) -> Markup:
    return element("p", f"It cannot be shown any more: {wrong}", class_="cell-warning")


DATASET: Final = CellKind(_hold_dataset, _read_dataset)
PLOT: Final = CellKind(_hold_plot, _read_plot)
