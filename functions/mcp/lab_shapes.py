"""What the tools over tables, datasets and plots answer with."""

from uuid import UUID

from pydantic import BaseModel

from shared.domain.datasets import DatasetSummary, FoundTable
from shared.domain.plots import Drawing, MarkSource, Plot, PlotTable


class KnownTables(BaseModel):
    """A page of tables; `next_cursor` is null on the last."""

    items: list[FoundTable]
    next_cursor: str | None


class KnownDatasets(BaseModel):
    """A page of datasets; `next_cursor` is null on the last."""

    items: list[DatasetSummary]
    next_cursor: str | None


class KnownPlot(BaseModel):
    """A plot that people keep. `dataset_changed`: its dataset is another one than when it was saved."""

    id: UUID
    name: str
    knowledge_base_id: UUID
    dataset_id: UUID
    dataset: str
    dataset_changed: bool


class KnownPlots(BaseModel):
    """A page of plots; `next_cursor` is null on the last."""

    items: list[KnownPlot]
    next_cursor: str | None


class ReadPlot(BaseModel):
    """What a plot shows: `alt` in words, `tables` with a row for each mark; `notices` say what is not shown."""

    plot: KnownPlot | None
    dataset_id: UUID
    alt: str
    notices: list[str]
    tables: list[PlotTable]


class PrintedCell(BaseModel):
    """A printed cell; cite it by `chunk_id`."""

    text: str
    chunk_id: UUID | None
    document_id: UUID
    document: str
    page: int | None


class PlotCells(BaseModel):
    """What stands behind a mark: how many rows of the dataset, and their printed cells, 200 at most."""

    mark: int
    title: str
    rows: int
    cells: list[PrintedCell]


def known_plot(plot: Plot) -> KnownPlot:
    return KnownPlot.model_validate(plot.model_dump())


def read_plot(drawing: Drawing, plot: Plot | None) -> ReadPlot:
    return ReadPlot(
        plot=plot and known_plot(plot),
        dataset_id=drawing.dataset_id,
        alt=drawing.alt,
        notices=drawing.notices,
        tables=drawing.tables,
    )


def plot_cells(found: MarkSource) -> PlotCells:
    return PlotCells.model_validate(found.model_dump())
