"""Plots of datasets: declared by a form or by hand, drawn, exported, and led back to the printed cells. What draws them
is loaded by the first of these requests."""

from functools import partial
from typing import Annotated, Any, Final
from uuid import UUID

from fastapi import Path, Query, Response
from fastapi.responses import JSONResponse

from functions.api.caller import Reader
from functions.api.idempotency import Change
from functions.api.pagination import DEFAULT_LIMIT, Cursor, Limit, PageOf, listed
from functions.api.routing import v1_router
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
    Theme,
)

router = v1_router("plots", "/plots")
MEDIA_TYPES: Final[dict[FileForm, str]] = {
    "png": "image/png",
    "svg": "image/svg+xml",
    "pdf": "application/pdf",
    "json": "application/json",
    "html": "text/html; charset=utf-8",
}
_Locale = Annotated[
    str | None,
    Query(
        max_length=20,
        description="how numbers are written, as `de` or `pt-BR`; else as Accept-Language says",
    ),
]
_FILES: dict[int | str, dict[str, Any]] = {
    200: {
        "content": {kind: {"schema": {"type": "string", "format": "binary"}} for kind in MEDIA_TYPES.values()}
        | {MEDIA_TYPES["json"]: {"schema": {"type": "object", "title": "VegaLite"}}}
    }
}


@router.get("")
def list_plots(
    caller: Reader,
    knowledge_base_id: Annotated[UUID | None, Query(description="of one knowledge base")] = None,
    dataset_id: Annotated[UUID | None, Query(description="of one dataset")] = None,
    cursor: Cursor = None,
    limit: Limit = DEFAULT_LIMIT,
) -> PageOf[Plot]:
    """Oldest first."""
    from shared.lab.plots import service

    who = (caller.runtime, caller.identity, knowledge_base_id, dataset_id)
    return listed("plots", cursor, limit, partial(service.list_plots, *who))


@router.post("", status_code=201, response_model=Plot)
def add_plot(change: Change, body: NewPlot) -> JSONResponse:
    """Keep a plot of a dataset; it is drawn once before. The data are the dataset's: none are taken from you."""
    from shared.lab.plots import service

    return change.answer(201, lambda: service.add_plot(change.runtime, change.identity, body), body)


@router.post("/preview")
def preview_plot(caller: Reader, body: PlotPreview) -> Drawing:
    """Draw it without keeping it."""
    from shared.lab.plots import service

    return service.preview_plot(caller.runtime, caller.identity, body)


@router.post("/preview/cells")
def read_preview_cells(caller: Reader, body: MarkOfPreview) -> MarkSource:
    """The printed cells behind a mark of what was drawn without keeping it."""
    from shared.lab.plots import service

    return service.sources_of_preview(caller.runtime, caller.identity, body)


@router.get("/preview.{form}", response_class=Response, responses=_FILES)
def export_preview(caller: Reader, form: FileForm, wanted: Annotated[PlotQuery, Query()]) -> Response:
    """Draw it as a file without keeping it, as `/plots/{plot_id}.{form}` does one that is kept. The page of HTML
    chooses by a form what is drawn, and needs no script."""
    from shared.lab.plots import service

    return _file(form, service.export_preview(caller.runtime, caller.identity, wanted, form), asks=True)


@router.get("/{plot_id}.{form}", response_class=Response, responses=_FILES)
def export_plot(
    caller: Reader,
    plot_id: UUID,
    form: FileForm,
    theme: Annotated[Theme, Query()] = "light",
    locale: _Locale = None,
) -> Response:
    """As PNG, SVG or PDF; as a page of HTML with the same as a table, which needs no script; or as JSON, which is a
    Vega-Lite specification with its data inside. The same data give the same bytes."""
    from shared.lab.plots import service

    file = service.export_plot(caller.runtime, caller.identity, plot_id, form, theme, locale)
    return _file(form, file)


@router.get("/{plot_id}")
def get_plot(caller: Reader, plot_id: UUID) -> Plot:
    """What it draws, and of which state of its dataset."""
    from shared.lab.plots import service

    return service.get_plot(caller.runtime, caller.identity, plot_id)


@router.patch("/{plot_id}", response_model=Plot)
def change_plot(change: Change, plot_id: UUID, body: PlotChange) -> JSONResponse:
    """Rename it, declare it anew, or take the dataset as it is now."""
    from shared.lab.plots import service

    return change.answer(200, lambda: service.change_plot(change.runtime, change.identity, plot_id, body), body)


@router.delete("/{plot_id}", response_model=Plot)
def delete_plot(change: Change, plot_id: UUID) -> JSONResponse:
    """Delete it; the dataset stays."""
    from shared.lab.plots import service

    return change.answer(200, lambda: service.remove_plot(change.runtime, change.identity, plot_id))


@router.get("/{plot_id}/drawing")
def draw_plot(caller: Reader, plot_id: UUID) -> DrawnPlot:
    """As it is drawn of the dataset now: a Vega-Lite specification with its data inside, the same as a table and in
    words. It says where the dataset has changed since the plot was saved."""
    from shared.lab.plots import service

    return service.draw_plot(caller.runtime, caller.identity, plot_id)


@router.get("/{plot_id}/marks/{mark}")
def read_mark_cells(
    caller: Reader,
    plot_id: UUID,
    mark: Annotated[int, Path(ge=0, le=1_000_000, description="its number in the drawing")],
) -> MarkSource:
    """The printed cells behind a mark, each with its page and box."""
    from shared.lab.plots import service

    return service.sources_of_mark(caller.runtime, caller.identity, plot_id, mark)


def _file(form: FileForm, content: bytes, *, asks: bool = False) -> Response:
    """To be saved, but for a page; `asks`: that has a form."""
    headers = {"Content-Disposition": f'attachment; filename="plot.{form}"'}
    if form == "html":
        from shared.lab.pages import policy_of_page

        headers = {"Content-Security-Policy": f"{policy_of_page(asks=asks)}; frame-ancestors 'none'"}
    return Response(content, media_type=MEDIA_TYPES[form], headers=headers)
