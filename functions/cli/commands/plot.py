"""`autri plot …`: plots of datasets."""

import json as json_text
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from functions.cli.api import open_api
from functions.cli.confirm import confirm_deletion
from functions.cli.find import find_knowledge_base, find_named
from functions.cli.options import Json, SomeKb, Token, Url, Yes
from functions.cli.output import count, new_table, out, print_done, print_json, print_note, shorten
from shared.domain.datasets import as_printed
from shared.domain.plots import DIGITS
from shared.errors import BadInput

app = typer.Typer(no_args_is_help=True, help="Plots of datasets: make, list, show, export, cells, redraw, delete.")

FORMS = ("png", "svg", "pdf", "json", "html")
Which = Annotated[str, typer.Argument(metavar="PLOT", help="Its id, or its name where one alone has it.")]


@app.command()
def make(
    spec: Annotated[
        Path,
        typer.Argument(
            metavar="SPEC",
            allow_dash=True,
            help="A JSON file, or - for standard input: the form (mark, x, y, colour, …) or a Vega-Lite specification.",
        ),
    ],
    dataset: Annotated[str, typer.Option("--dataset", metavar="NAME", help="The dataset, by id or name.")],
    name: Annotated[str | None, typer.Option(help="What it is called; else after what it shows.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be drawn; keep nothing.")] = False,
    to: Annotated[
        Path | None, typer.Option(metavar="FILE", help="With --dry-run, draw it to a .png, .svg, .pdf, .html or .json.")
    ] = None,
    json: Json = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Make a plot, as `{"mark": "bar", "x": {"field": "Model"}, "y": {"field": "Score", "aggregate": "mean"}}`."""
    given = _read(spec)
    if to is not None and not dry_run:
        raise BadInput("--to goes with --dry-run. A plot that is kept is written by `autri plot export`.")
    with open_api(url, token) as api:
        body: dict[str, Any] = {"dataset_id": find_named(api, "datasets", dataset)["id"], "spec": given}
        if dry_run:
            drawn = api.call("POST", "/plots/preview", body)
            if to is not None:
                asked = {"dataset_id": body["dataset_id"], "spec": json_text.dumps(given)}
                to.write_bytes(api.file(f"/plots/preview.{_form(to.suffix.lstrip('.').lower())}", **asked))
            print_done(drawn, json, "\n".join([drawn["alt"], *drawn["notices"]]))
            return
        made = api.call("POST", "/plots", body | ({"name": name} if name else {}))
    print_done(made, json, f"{made['name']}\nSee it: autri plot export {made['id']} --to plot.png")


@app.command("list")
def list_all(
    kb: SomeKb = None,
    dataset: Annotated[
        str | None, typer.Option("--dataset", metavar="NAME", help="Only those of this dataset.")
    ] = None,
    json: Json = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """List plots, oldest first."""
    with open_api(url, token) as api:
        base = find_knowledge_base(api, kb)["id"] if kb else None
        of = find_named(api, "datasets", dataset)["id"] if dataset else None
        found = list(api.items("/plots", knowledge_base_id=base, dataset_id=of))
    if json:
        print_json(found)
        return
    table = new_table("plot", "dataset", "changed since", "id")
    for one in found:
        table.add_row(shorten(one["name"]), one["dataset"], "yes" if one["dataset_changed"] else "", one["id"])
    out.print(table if found else "There is no plot. Make one: autri plot make SPEC --dataset NAME")


@app.command()
def show(which: Which, json: Json = False, url: Url = None, token: Token = None) -> None:
    """Say what a plot shows: in words, and as a table with the number of each mark."""
    with open_api(url, token) as api:
        found = api.call("GET", f"/plots/{find_named(api, 'plots', which)['id']}/drawing")
    if json:
        print_json(found)
        return
    drawing = found["drawing"]
    out.print(drawing["alt"], markup=False)
    for notice in drawing["notices"]:
        print_note(notice)
    for one in drawing["tables"]:
        numbers = tuple(column["title"] for column in one["columns"] if column["number"])
        decimals = [column["decimals"] for column in one["columns"]]
        table = new_table("mark", *(column["title"] for column in one["columns"]), "rows", numbers=(*numbers, "rows"))
        for row in one["rows"]:
            shown = [_cell(*cell) for cell in zip(row["cells"], row.get("decimals", decimals), strict=True)]
            table.add_row(str(row["mark"]), *shown, str(row["rows"]))
        out.print(table)


@app.command()
def cells(
    which: Which,
    mark: Annotated[int, typer.Argument(min=0, help="The mark's number, as `show` has it.")],
    json: Json = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """List the printed cells behind a mark, each with its document and page."""
    with open_api(url, token) as api:
        found = api.call("GET", f"/plots/{find_named(api, 'plots', which)['id']}/marks/{mark}")
    if json:
        print_json(found)
        return
    out.print(f"{found['title']}: {count(found['rows'], 'row')}", markup=False)
    table = new_table("cell", "document", "page", "chunk")
    for one in found["cells"]:
        table.add_row(shorten(one["text"]), one["document"], str(one["page"] or ""), one["chunk_id"] or "")
    out.print(table)


@app.command()
def export(
    which: Which,
    to: Annotated[Path | None, typer.Option("--to", metavar="FILE", help="Where to; its ending says as what.")] = None,
    form: Annotated[
        str | None, typer.Option("--as", metavar="FORM", help="png, svg, pdf, html or json; else by the file.")
    ] = None,
    theme: Annotated[str, typer.Option(help="light or dark.")] = "light",
    locale: Annotated[
        str | None, typer.Option(help="How numbers are written: de, pt-BR, …; else as in English.")
    ] = None,
    url: Url = None,
    token: Token = None,
) -> None:
    """Write a plot as PNG, SVG, PDF, HTML or JSON: into a file, or to standard output."""
    wanted = _form(form or (to.suffix.lstrip(".").lower() if to else "png"))
    with open_api(url, token) as api:
        found = find_named(api, "plots", which)
        written = api.file(f"/plots/{found['id']}.{wanted}", theme=theme, locale=locale)
    if to is None:
        sys.stdout.buffer.write(written)
        return
    to.write_bytes(written)
    print_note(f"{found['name']} is written to {to}.")


@app.command()
def redraw(which: Which, json: Json = False, url: Url = None, token: Token = None) -> None:
    """Take the dataset as it is now: the plot no longer says that it has changed."""
    with open_api(url, token) as api:
        changed = api.call("PATCH", f"/plots/{find_named(api, 'plots', which)['id']}", {"redraw": True})
    print_done(changed, json, f"{changed['name']} is drawn from revision {changed['dataset_revision']} of the dataset.")


@app.command()
def delete(which: Which, yes: Yes = False, json: Json = False, url: Url = None, token: Token = None) -> None:
    """Delete a plot; its dataset stays."""
    with open_api(url, token) as api:
        found = find_named(api, "plots", which)
        confirm_deletion(f"the plot {found['name']}", yes=yes)
        gone = api.call("DELETE", f"/plots/{found['id']}")
    print_done(gone, json, f"{found['name']} is deleted.")


# What a specification of Vega-Lite has and a form has not; some of it is refused with what to do instead.
BY_HAND = {"$schema", "encoding", "layer", "hconcat", "vconcat", "concat", "repeat", "spec", "data", "transform"}


def _read(path: Path) -> dict[str, Any]:
    """The specification: `form` or `vega_lite` where it says so itself, else what it looks like."""
    try:
        text = sys.stdin.read() if str(path) == "-" else path.read_text(encoding="utf-8")
        given = json_text.loads(text)
    except (OSError, ValueError) as error:
        raise BadInput(f"{path} is no JSON file that can be read: {error}") from None
    if not isinstance(given, dict):
        raise BadInput(f"{path} holds no object: begin with {{.")
    if "form" in given or "vega_lite" in given:
        return given
    by_hand = BY_HAND & given.keys()
    return {"vega_lite": given} if by_hand else {"form": given}


def _form(wanted: str) -> str:
    if wanted not in FORMS:
        raise BadInput(
            f"A plot is not written as {wanted or 'a file without ending'}. Take one of: {', '.join(FORMS)}."
        )
    return wanted


def _cell(cell: Any, decimals: int | None) -> str:
    is_number = isinstance(cell, int | float) and not isinstance(cell, bool)
    return "" if cell is None else as_printed(cell, decimals, DIGITS) if is_number else str(cell)
