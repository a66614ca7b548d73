"""Plots as people keep them: made, listed, drawn, changed, deleted, and read as pictures."""

import hashlib
import json
from typing import Any
from uuid import UUID

from shared.access import changing, check_knowledge_base, reading
from shared.domain.plots import (
    Drawing,
    DrawnPlot,
    FileForm,
    MarkOfPreview,
    MarkSource,
    NewPlot,
    Plot,
    PlotChange,
    PlotPreview,
    PlotQuery,
    PlotSpec,
    Theme,
)
from shared.domain.scope import Identity
from shared.errors import BadInput, NotFound
from shared.lab.datasets.running import running
from shared.lab.plots.choosing import chooser
from shared.lab.plots.drawing import draw, draw_run, find_sources
from shared.lab.plots.first import asked_spec
from shared.lab.plots.paper import paper_of, refusal_of
from shared.lab.plots.rendering import render
from shared.runtime import Runtime
from shared.store import datasets, permissions
from shared.store import plots as rows
from shared.store.audit import note
from shared.store.connect import Connection, Row
from shared.values.locales import signs_of

CHANGED = "The dataset has changed since this plot was saved; this is how it is drawn now."
NAME_MAX = 200


def add_plot(runtime: Runtime, identity: Identity, new: NewPlot) -> Plot:
    """Drawn once before it is kept. Raises Forbidden for who may not write there, NotFound (dataset), BadInput for what
    is not drawn."""
    with changing(runtime, identity):
        pass
    drawing = draw(runtime, identity, new.dataset_id, new.spec)
    with changing(runtime, identity) as connection:
        values = _values(new.spec, drawing) | {"name": new.name or _name(drawing)}
        plot_id = rows.add_plot(connection, identity, new.dataset_id, values)
        if plot_id is None:
            raise NotFound(f"There is no dataset {new.dataset_id} that you may write beside.")
        made = _find(connection, identity, plot_id)
        note(connection, identity, "plot.add", plot_id, made.knowledge_base_id, dataset=str(new.dataset_id))
        return made


def list_plots(
    runtime: Runtime,
    identity: Identity,
    knowledge_base_id: UUID | None,
    dataset_id: UUID | None,
    after: UUID | None,
    limit: int,
) -> list[Plot]:
    """Oldest first, from behind `after`. Raises NotFound (knowledge base, dataset)."""
    with reading(runtime, identity) as connection:
        if knowledge_base_id is not None:
            check_knowledge_base(connection, knowledge_base_id)
        if dataset_id is not None and datasets.get_dataset(connection, dataset_id) is None:
            raise NotFound(f"There is no dataset {dataset_id}. List those you can see, and take an id of them.")
        found = rows.list_plots(connection, knowledge_base_id, dataset_id, after, limit)
        permissions.narrow_to_writable(connection)
        return [_plot(connection, identity, row) for row in found]


def get_plot(runtime: Runtime, identity: Identity, plot_id: UUID) -> Plot:
    """Raises NotFound."""
    with reading(runtime, identity) as connection:
        row = _row(connection, plot_id)
        permissions.narrow_to_writable(connection)
        return _plot(connection, identity, row)


def draw_plot(runtime: Runtime, identity: Identity, plot_id: UUID) -> DrawnPlot:
    """Of the dataset as it is now. Raises NotFound, BadInput where its columns are there no more."""
    with reading(runtime, identity) as connection:
        row = _row(connection, plot_id)
        permissions.narrow_to_writable(connection)
        plot = _plot(connection, identity, row)
    drawing = draw(runtime, identity, plot.dataset_id, plot.spec)
    if not drawing.vega_lite["data"]["values"]:
        return DrawnPlot(plot=plot, drawing=drawing)  # what is gone is no newer data
    if plot.dataset_changed or row["data_sha256"] != _hash(drawing.vega_lite["data"]):
        plot = plot.model_copy(update={"dataset_changed": True})
        drawing = drawing.model_copy(update={"notices": [CHANGED, *drawing.notices]})
    return DrawnPlot(plot=plot, drawing=drawing)


def change_plot(runtime: Runtime, identity: Identity, plot_id: UUID, change: PlotChange) -> Plot:
    """Raises Forbidden, NotFound, BadInput for what is not drawn."""
    with changing(runtime, identity) as connection:
        row = _row(connection, plot_id)
    spec = change.spec or PlotSpec.model_validate(row["spec"])
    values = {name: row[name] for name in ("spec", "sha256", "dataset_revision", "dataset_sha256", "data_sha256")}
    if change.spec or change.redraw:
        values = _values(spec, draw(runtime, identity, row["dataset_id"], spec))
    with changing(runtime, identity) as connection:
        rows.change_plot(connection, plot_id, values | {"name": change.name or row["name"]})
        changed = sorted(change.model_fields_set)
        note(connection, identity, "plot.change", plot_id, row["knowledge_base_id"], changed=changed)
        return _find(connection, identity, plot_id)


def remove_plot(runtime: Runtime, identity: Identity, plot_id: UUID) -> Plot:
    """Raises Forbidden, NotFound."""
    with changing(runtime, identity) as connection:
        found = _find(connection, identity, plot_id)
        rows.remove_plot(connection, plot_id)
        note(connection, identity, "plot.delete", plot_id, found.knowledge_base_id)
        return found


def preview_plot(runtime: Runtime, identity: Identity, wanted: PlotPreview) -> Drawing:
    """Nothing is kept. Raises as `draw`."""
    return draw(runtime, identity, wanted.dataset_id, wanted.spec)


def sources_of_preview(runtime: Runtime, identity: Identity, wanted: MarkOfPreview) -> MarkSource:
    """Raises as `find_sources`."""
    return find_sources(runtime, identity, wanted.dataset_id, wanted.spec, wanted.mark)


def sources_of_mark(runtime: Runtime, identity: Identity, plot_id: UUID, mark: int) -> MarkSource:
    """Raises as `find_sources`, and NotFound (plot)."""
    plot = get_plot(runtime, identity, plot_id)
    return find_sources(runtime, identity, plot.dataset_id, plot.spec, mark)


def export_plot(
    runtime: Runtime, identity: Identity, plot_id: UUID, form: FileForm, theme: Theme, locale: str | None
) -> bytes:
    """The plot as it is now, as a file; the same data give the same bytes. Raises as `draw_plot`, BadInput (locale)."""
    reader = identity.model_copy(update={"locale": locale}) if locale else identity
    drawn = draw_plot(runtime, reader, plot_id)
    if form == "html":
        svg = render(drawn.drawing, "svg", theme, reader.locale)
        return paper_of(drawn.drawing, drawn.plot.name, svg, signs_of(reader.locale))
    return render(drawn.drawing, form, theme, reader.locale)


def export_preview(runtime: Runtime, identity: Identity, wanted: PlotQuery, form: FileForm) -> bytes:
    """What nobody keeps, as a file; as HTML with a form that chooses what is drawn, which says what cannot be. Raises
    as `draw` else, BadInput (locale) and for what is no specification."""
    reader = identity.model_copy(update={"locale": wanted.locale}) if wanted.locale else identity
    spec = asked_spec(wanted)
    with running(runtime, reader) as run:
        columns = run.table(wanted.dataset_id, [], limit=1).columns
        try:
            drawing = draw_run(run, wanted.dataset_id, spec, locale=reader.locale)
        except BadInput as wrong:
            if form != "html" or spec is None:
                raise
            return refusal_of(str(wrong), chooser(wanted.dataset_id, spec, columns))
    if form != "html":
        return render(drawing, form, wanted.theme, reader.locale)
    svg = render(drawing, "svg", wanted.theme, reader.locale)
    asking = chooser(wanted.dataset_id, PlotSpec.model_validate(drawing.spec), columns)
    return paper_of(drawing, drawing.title, svg, signs_of(reader.locale), asking)


def _find(connection: Connection, identity: Identity, plot_id: UUID) -> Plot:
    return _plot(connection, identity, _row(connection, plot_id))


def _row(connection: Connection, plot_id: UUID) -> Row:
    row = rows.get_plot(connection, plot_id)
    if row is None:
        raise NotFound(f"There is no plot {plot_id}.")
    return row


def _plot(connection: Connection, identity: Identity, row: Row) -> Plot:
    may = identity.role != "viewer" and row["knowledge_base_id"] not in permissions.read_only(connection)
    return Plot.model_validate(row | {"may_write": may and not identity.read_only})


def _values(spec: PlotSpec, drawing: Drawing) -> dict[str, Any]:
    kept = spec.model_dump(mode="json", exclude_unset=True)
    return {
        "spec": kept,
        "sha256": _hash(kept),
        "dataset_revision": drawing.dataset_revision,
        "dataset_sha256": drawing.dataset_sha256,
        "data_sha256": _hash(drawing.vega_lite["data"]),
    }


def _name(drawing: Drawing) -> str:
    """After what it shows."""
    return drawing.title[:NAME_MAX]


def _hash(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()
