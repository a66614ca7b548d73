"""Tools of the lab: tables, datasets, plots and summaries of experiments. What draws and computes is loaded by the
first call of each."""

import base64
from functools import partial
from typing import Annotated
from uuid import UUID

from mcp_types import CallToolResult, ContentBlock, ImageContent, TextContent
from pydantic import Field

from functions.api.pagination import listed, number_cursor, page_of
from functions.mcp import lab_shapes
from functions.mcp.calls import caller, find_bases
from functions.mcp.shapes import LISTED, Base, Cursor, Limit
from shared.domain.datasets import CellSources, Dataset, DatasetChange, DatasetTable, NewDataset, SourcesRequest
from shared.domain.experiments import ExperimentComparison, GroupSummary
from shared.domain.plots import Drawing, NewPlot, PlotForm, PlotPreview, PlotSpec
from shared.domain.transforms import Steps
from shared.lab.summaries.groups import group_summary as summarize_group
from shared.lab.summaries.service import compare

DatasetId = Annotated[UUID, Field(description="of a dataset, as list_datasets has it")]
PlotId = Annotated[UUID, Field(description="of a plot that is kept, as list_plots has it")]


def list_tables(
    knowledge_base: Base,
    document_id: Annotated[UUID | None, Field(description="only those of this document version")] = None,
    cursor: Cursor = None,
    limit: Limit = LISTED,
) -> lab_shapes.KnownTables:
    """List the tables of documents with their headers, and how many others have the same one."""
    from shared.lab.datasets import found as tables

    who = caller()
    begin = number_cursor("tables", cursor)
    every = tables.list_tables(who.runtime, who.identity, find_bases([knowledge_base])[0], document_id, False)
    page = page_of("tables", every[begin : begin + limit + 1], limit, lambda _: [begin + limit])
    return lab_shapes.KnownTables(items=page.items, next_cursor=page.next_cursor)


def list_datasets(
    knowledge_base: Annotated[str | None, Field(description="its slug, name or id; leave it out for all")] = None,
    cursor: Cursor = None,
    limit: Limit = LISTED,
) -> lab_shapes.KnownDatasets:
    """List the datasets that people have made of tables. Read one with read_dataset."""
    from shared.lab.datasets import service as datasets

    who = caller()
    base = find_bases([knowledge_base])[0] if knowledge_base else None
    page = listed("datasets", cursor, limit, partial(datasets.list_datasets, who.runtime, who.identity, base))
    return lab_shapes.KnownDatasets(items=page.items, next_cursor=page.next_cursor)


def read_dataset(
    dataset_id: DatasetId,
    steps: Annotated[Steps | None, Field(description="instead of its own; nothing is kept")] = None,
    offset: Annotated[int, Field(ge=0, le=10_000_000, description="how many rows to pass over")] = 0,
    limit: Limit = LISTED,
) -> DatasetTable:
    """Read rows of a dataset, transformed by its own steps or by yours: filter, select, rename, derive, group,
    stack, join, pivot, melt, distinct, share, spread, log, standardise, convert, sort, limit. `notes` say what a step
    left out or doubled. Cite a cell by the passages that dataset_sources gives."""
    from shared.lab.datasets import run_dataset

    who = caller()
    return run_dataset(who.runtime, who.identity, dataset_id, instead=steps, offset=offset, limit=limit)


def make_dataset(
    knowledge_base: Base,
    tables: Annotated[
        list[UUID], Field(min_length=1, max_length=1_000, description="ids of list_tables, of tables with one header")
    ],
    name: Annotated[str | None, Field(max_length=200, description="else the caption or the document's name")] = None,
    alike: Annotated[bool, Field(description="with all that have the header of the first")] = False,
) -> Dataset:
    """Keep a dataset of tables in a knowledge base, where everybody who sees it finds it. Types and units of its
    columns are read from what is printed. Ask the person first. Transform it with change_steps."""
    from shared.lab.datasets import service as datasets

    who, base = caller(), find_bases([knowledge_base])[0]
    wanted = {"knowledge_base_id": base, "table_ids": tables, "name": name, "alike": alike}
    return datasets.make_dataset(who.runtime, who.identity, NewDataset.model_validate(wanted))


def change_steps(
    dataset_id: DatasetId,
    steps: Annotated[Steps, Field(description="all that it is transformed by from now on; none: as printed")],
    revision: Annotated[int, Field(ge=1, description="of the dataset that you looked at; another is refused")],
) -> Dataset:
    """Keep other steps of a dataset, as its next revision; people can go back to those before. Try them with
    read_dataset, and ask the person first."""
    from shared.lab.datasets import service as datasets

    who = caller()
    change = DatasetChange(steps=steps, revision=revision)
    return datasets.change_dataset(who.runtime, who.identity, dataset_id, change)


def dataset_sources(
    dataset_id: DatasetId,
    row: Annotated[int, Field(ge=0, description="of the result, from 0")],
    column: Annotated[int, Field(ge=0, le=500, description="of the result, from 0")],
    steps: Annotated[Steps | None, Field(description="those that were given to read_dataset")] = None,
) -> CellSources:
    """The printed cells that a cell of a dataset is made of, each with the passage to cite it by, document and page."""
    from shared.lab.datasets import sources_of

    who = caller()
    return sources_of(who.runtime, who.identity, dataset_id, SourcesRequest(row=row, column=column, steps=steps))


def list_plots(
    knowledge_base: Annotated[str | None, Field(description="its slug, name or id; leave it out for all")] = None,
    cursor: Cursor = None,
    limit: Limit = LISTED,
) -> lab_shapes.KnownPlots:
    """List the plots that people keep of datasets. Read one with read_plot."""
    from shared.lab.plots import service as plots

    who = caller()
    base = find_bases([knowledge_base])[0] if knowledge_base else None
    page = listed("plots", cursor, limit, partial(plots.list_plots, who.runtime, who.identity, base, None))
    return lab_shapes.KnownPlots(items=[lab_shapes.known_plot(one) for one in page.items], next_cursor=page.next_cursor)


def read_plot(
    plot_id: PlotId, picture: Annotated[bool, Field(description="the plot as an image too")] = False
) -> Annotated[CallToolResult, lab_shapes.ReadPlot]:
    """What a plot shows: in words and as a table, of its dataset as that is now. Each row's `mark` leads to the printed
    cells behind it by plot_cells."""
    from shared.lab.plots import service as plots

    who = caller()
    drawn = plots.draw_plot(who.runtime, who.identity, plot_id)
    return _told_plot(lab_shapes.read_plot(drawn.drawing, drawn.plot), drawn.drawing, picture)


def plot_dataset(
    dataset_id: DatasetId,
    form: Annotated[PlotForm, Field(description="what is drawn of it")],
    picture: Annotated[bool, Field(description="the plot as an image too")] = False,
) -> Annotated[CallToolResult, lab_shapes.ReadPlot]:
    """Draw a dataset without keeping the plot: grouped, aggregated, as a table, in words and as an image."""
    from shared.lab.plots import service as plots

    who = caller()
    drawing = plots.preview_plot(
        who.runtime, who.identity, PlotPreview(dataset_id=dataset_id, spec=PlotSpec(form=form))
    )
    return _told_plot(lab_shapes.read_plot(drawing, None), drawing, picture)


def keep_plot(
    dataset_id: DatasetId,
    form: Annotated[PlotForm, Field(description="what is drawn of it")],
    name: Annotated[str | None, Field(max_length=200, description="else after what it shows")] = None,
    picture: Annotated[bool, Field(description="the plot as an image too")] = False,
) -> Annotated[CallToolResult, lab_shapes.ReadPlot]:
    """Keep a plot of a dataset beside it, where everybody who sees the dataset finds it. Try it with plot_dataset, and
    ask the person first."""
    from shared.lab.plots import service as plots

    who = caller()
    new = NewPlot.model_validate({"dataset_id": dataset_id, "spec": PlotSpec(form=form), "name": name})
    made = plots.add_plot(who.runtime, who.identity, new)
    drawn = plots.draw_plot(who.runtime, who.identity, made.id)
    return _told_plot(lab_shapes.read_plot(drawn.drawing, drawn.plot), drawn.drawing, picture)


def plot_cells(
    plot_id: PlotId, mark: Annotated[int, Field(ge=0, description="its number, as read_plot has it")]
) -> lab_shapes.PlotCells:
    """The printed cells behind a mark of a plot, each with the passage to cite it by, its document and page."""
    from shared.lab.plots import service as plots

    who = caller()
    return lab_shapes.plot_cells(plots.sources_of_mark(who.runtime, who.identity, plot_id, mark))


def _told_plot(said: lab_shapes.ReadPlot, drawing: Drawing, picture: bool) -> CallToolResult:
    content: list[ContentBlock] = [TextContent(type="text", text=said.model_dump_json())]
    if picture:
        from shared.lab.plots.rendering import render

        image = base64.b64encode(render(drawing, "png", "light", None)).decode()
        content.append(ImageContent(type="image", data=image, mime_type="image/png"))
    return CallToolResult(content=content, structured_content=said.model_dump(mode="json"))


def experiment_summaries(
    documents: Annotated[list[UUID], Field(min_length=1, max_length=20, description="ids of document versions")],
    metric: Annotated[str, Field(description="only results of metrics with these words")] = "",
    system: Annotated[str, Field(description="only results of systems with these words")] = "",
) -> ExperimentComparison:
    """Read what documents state of their experiments: objective, setup, dataset, metrics, results, statistics, limits
    and confounds, each statement with its passage; and their results side by side. A field that says missing was looked
    for and not found. Whether more is better is not known."""
    who = caller()
    return compare(who.runtime, who.identity, documents, metric, system)


def group_summary(
    documents: Annotated[list[UUID], Field(min_length=1, max_length=20, description="ids of document versions")],
    metric: Annotated[str, Field(description="only results of metrics with these words")] = "",
    system: Annotated[str, Field(description="only results of systems with these words")] = "",
) -> GroupSummary:
    """Read one summary of several documents: each statement once, with every document and passage that says it; which
    documents do not state a field; and values on which they disagree, side by side and never averaged."""
    who = caller()
    return summarize_group(who.runtime, who.identity, documents, metric, system)
