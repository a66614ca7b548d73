"""From a dataset and what is to be drawn of it to the drawing."""

from collections.abc import Sequence
from uuid import UUID

from shared import telemetry
from shared.domain.datasets import NUMERIC, Cell, DatasetTable
from shared.domain.plots import Drawing, MarkSource, PlotSpec
from shared.domain.scope import Identity
from shared.domain.transforms import Step
from shared.errors import NotFound
from shared.lab.datasets import resolve_cells
from shared.lab.datasets.running import Run, running
from shared.lab.plots.composing import compose
from shared.lab.plots.describing import describe, entitle, left_out, mark_title, tabulate
from shared.lab.plots.first import first_spec
from shared.lab.plots.form import chart_of
from shared.lab.plots.frames import Framing, steps_of
from shared.lab.plots.pies import pie_notices, slices_of
from shared.lab.plots.theme import SERIES, config_of
from shared.lab.plots.trends import trends_of
from shared.lab.plots.vega_lite import Chart, read_chart
from shared.runtime import Runtime
from shared.values.locales import signs_of

CELLS_MAX = 200
NO_LINE = "There is no straight line: it takes three points at two places of the x axis."
NOTHING = "There is no row to draw. Look at the dataset's steps."


def draw(runtime: Runtime, identity: Identity, dataset_id: UUID, spec: PlotSpec | None) -> Drawing:
    """`spec` None: what is seen first (`first.py`). Raises NotFound (dataset), BadInput that says what is not drawn and
    what to do."""
    with running(runtime, identity) as run:
        return draw_run(run, dataset_id, spec, locale=identity.locale)


def draw_run(
    run: Run, dataset_id: UUID, spec: PlotSpec | None, revision: int | None = None, locale: str | None = None
) -> Drawing:
    """As `draw`, within a run; of a `revision` of the dataset, None: the newest; with numbers as in `locale`."""
    with telemetry.work("plot.render", dataset_id=dataset_id) as span:
        drawing = _draw(run, dataset_id, spec, revision, locale)
        span.note(marks=len(drawing.vega_lite["data"]["values"]))
        return drawing


def _draw(run: Run, dataset_id: UUID, spec: PlotSpec | None, revision: int | None, locale: str | None) -> Drawing:
    spec, chart, framing = _frame(run, dataset_id, spec, revision, locale)
    trends = trends_of(framing) if spec.form and spec.form.trend else []
    alt = describe(chart, framing, trends)
    no_line = [NO_LINE] if spec.form and spec.form.trend and not trends else []
    gone = [one.said for one in run.gone]
    nothing = [] if gone or any(frame.rows for frame in framing.frames) else [NOTHING]
    return Drawing(
        spec=spec.model_dump(mode="json", exclude_defaults=True),
        vega_lite=compose(chart, framing, alt, apart=spec.form is not None, trends=trends),
        themes={"light": config_of("light"), "dark": config_of("dark")},
        title=entitle(chart, framing),
        alt=alt,
        tables=tabulate(framing),
        notices=[
            *gone,
            *nothing,
            *framing.notices,
            *left_out(framing),
            *_colours(framing),
            *pie_notices(framing),
            *no_line,
        ],
        dataset_id=dataset_id,
        dataset_revision=framing.head.revision,
        dataset_sha256=framing.head.sha256,
    )


def find_sources(
    runtime: Runtime, identity: Identity, dataset_id: UUID, spec: PlotSpec | None, mark: int
) -> MarkSource:
    """The printed cells behind a mark, of the dataset as it is now. Raises as `draw` does, NotFound for a mark that is
    not there too."""
    with running(runtime, identity) as run:
        _, _, framing = _frame(run, dataset_id, spec, None, identity.locale)
        frame = next((one for one in framing.frames if one.first <= mark < one.first + len(one.rows)), None)
        if frame is None:
            raise NotFound(f"The plot has no mark {mark}. Where its dataset has changed, draw it again.")
        place = mark - frame.first
        table = run.table(dataset_id, steps_of(frame, framing.sources, framing.columns), offset=place, limit=1)
    cells = _by_rows([cell for column in range(len(table.columns)) for cell in table.cells(0, column)])
    found = resolve_cells(runtime, identity, cells[:CELLS_MAX])
    title = mark_title(framing, frame, place)
    return MarkSource(mark=mark, title=title, rows=table.lineage[0].count, cells=found)


def _by_rows(cells: Sequence[str]) -> list[str]:
    """Each cell once (`table:row:column`), those of a row beside each other, rows in the order that they came in."""
    rows = {row: place for place, row in enumerate(dict.fromkeys(one.rpartition(":")[0] for one in cells))}
    return sorted(dict.fromkeys(cells), key=lambda one: (rows[one.rpartition(":")[0]], int(one.rpartition(":")[2])))


def _frame(
    run: Run, dataset_id: UUID, spec: PlotSpec | None, revision: int | None, locale: str | None
) -> tuple[PlotSpec, Chart, Framing]:
    def rows(steps: Sequence[Step], limit: int) -> DatasetTable:
        return run.table(dataset_id, steps, revision=revision, limit=limit)

    spec = spec or first_spec(rows)
    framing = Framing(rows, signs_of(locale))
    numbers = {label for label, one in framing.columns.items() if one.type in NUMERIC}
    chart = chart_of(spec.form, numbers) if spec.form else read_chart(spec.vega_lite or {})
    for layer in chart.layers():
        framing.add(layer)
    framing.read()
    slices_of(framing)  # Raises for a pie of what is no whole.
    return spec, chart, framing


def _colours(framing: Framing) -> list[str]:
    most = len(SERIES["light"])
    for drawn in framing.layers:
        part = drawn.shown.get("color")
        if part is None or drawn.types["color"] != "nominal":
            continue
        rows = framing.frames[drawn.frame].rows
        names: set[Cell] = {row[part.name] for row in rows}
        if len(names) > most:
            return [f"{len(names)} groups share {most} colours: some look alike. Use panels, or filter the dataset."]
    return []
