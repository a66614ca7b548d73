"""`autri dataset …`: tables of documents as datasets, with typed columns and declared steps."""

import json as json_text
import sys
from itertools import repeat
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from functions.cli.api import ApiClient, open_api
from functions.cli.confirm import confirm_deletion
from functions.cli.find import find_document, find_knowledge_base
from functions.cli.options import Json, Kb, SomeKb, Token, Url, Yes
from functions.cli.output import count, new_table, out, print_done, print_json, print_note, shorten
from shared.domain.datasets import as_printed
from shared.errors import BadInput, NotFound

app = typer.Typer(
    no_args_is_help=True,
    help="Datasets: tables, make, list, show, profile, steps, correct, history, renew, export, delete.",
)

FORMS = ("csv", "xlsx", "parquet")
DATASET_FORMS = (*FORMS, "json")
SHOWN = 20
Which = Annotated[str, typer.Argument(metavar="DATASET", help="Its id, or its name where one alone has it.")]


@app.command()
def tables(
    kb: Kb,
    document: Annotated[str | None, typer.Option(metavar="NAME", help="Only those of this document.")] = None,
    to: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write all their cells to a .csv, .xlsx or .parquet file.")
    ] = None,
    lineage: Annotated[
        bool, typer.Option("--lineage", help="In the file, with version, page and box of each cell.")
    ] = False,
    json: Json = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """List the tables that datasets can be made of; or write them to a file."""
    with open_api(url, token) as api:
        base = find_knowledge_base(api, kb)["id"]
        only = find_document(api, document, kb)["id"] if document else None
        if to is not None:
            path = f"/exports/tables.{_form(to)}"
            asked = {"lineage": True} if lineage else {}
            _write(to, api.file(path, knowledge_base_id=base, document_id=only, **asked), json)
            return
        found = list(api.items(f"/knowledge-bases/{base}/tables", **({"document_id": only} if only else {})))
    if json:
        print_json(found)
        return
    listed = new_table("document", "page", "columns", "rows", "alike", "table", numbers=("page", "rows", "alike"))
    for one in found:
        header = ", ".join(filter(None, one["header"])) or one["caption"] or "(no header)"
        numbers = [str(one[name]) for name in ("rows", "alike")]
        listed.add_row(shorten(one["document"]), str(one["first_page"]), shorten(header), *numbers, one["table_id"])
    out.print(listed if found else "There is no table in these documents.")


@app.command()
def make(
    table: Annotated[list[str], typer.Argument(metavar="TABLE...", help="Ids of tables, or of chunks in them.")],
    kb: Kb,
    name: Annotated[str | None, typer.Option(help="What it is called; else after its caption or document.")] = None,
    alike: Annotated[bool, typer.Option("--alike", help="With all tables that have the header of the first.")] = False,
    superseded: Annotated[bool, typer.Option("--superseded", help="Those of older versions too.")] = False,
    origin: Annotated[
        bool | None, typer.Option("--origin/--no-origin", help="Say of each row which document and version it is of.")
    ] = None,
    labels: Annotated[
        bool | None, typer.Option("--labels/--no-labels", help="Say of each row which label stands over its group.")
    ] = None,
    json: Json = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Make a dataset of one table, or of several with the same header. `autri dataset tables` has their ids."""
    with open_api(url, token) as api:
        body = {"knowledge_base_id": find_knowledge_base(api, kb)["id"], "table_ids": table, "name": name}
        made = api.call(
            "POST", "/datasets", body | {"alike": alike, "superseded": superseded, "origin": origin, "labels": labels}
        )
    if not json:
        _print_columns(made)
    # Its first steps may leave rows out, as those that are but labels.
    rows = count(made["rows"], "printed row" if made["steps"] else "row")
    print_done(made, json, f"{made['name']}: {rows}. See them: autri dataset show {made['id']}")


@app.command("list")
def list_all(kb: SomeKb = None, json: Json = False, url: Url = None, token: Token = None) -> None:
    """List datasets, newest first."""
    with open_api(url, token) as api:
        chosen = {"knowledge_base_id": find_knowledge_base(api, kb)["id"]} if kb else {}
        found = list(api.items("/datasets", **chosen))
    if json:
        print_json(found)
        return
    listed = new_table(
        "name", "columns", "rows", "steps", "missing", "id", numbers=("columns", "rows", "steps", "missing")
    )
    for one in found:
        numbers = [str(one[name]) for name in ("columns", "rows", "steps", "missing")]
        listed.add_row(shorten(one["name"]), *numbers, one["id"])
    out.print(listed if found else "There is no dataset. Make one: autri dataset tables --kb NAME")


@app.command()
def show(
    which: Which,
    offset: Annotated[int, typer.Option(min=0, help="How many rows to pass over.")] = 0,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="How many rows at most.")] = SHOWN,
    steps: Annotated[
        Path | None, typer.Option(metavar="FILE", allow_dash=True, help="Other steps (JSON), which are not kept.")
    ] = None,
    revision: Annotated[int | None, typer.Option(min=1, help="Of an older revision.")] = None,
    json: Json = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Show rows of a dataset, its steps applied."""
    with open_api(url, token) as api:
        path = f"/datasets/{_find(api, which)['id']}"
        if steps is None:
            found = api.call("GET", f"{path}/rows", offset=offset, limit=limit, revision=revision)
        else:
            found = api.call("POST", f"{path}/preview", {"steps": _read(steps), "offset": offset, "limit": limit})
    if json:
        print_json(found)
        return
    heads = [f"{one['label']} [{one['unit']}]" if one["unit"] else one["label"] for one in found["columns"]]
    listed, own = new_table(*heads), found.get("decimals", {})
    printed = zip(*(own.get(one["label"], repeat(one.get("decimals"))) for one in found["columns"]), strict=False)
    for row, decimals in zip(found["rows"], printed, strict=False):
        listed.add_row(*map(_shown, row, decimals))
    out.print(listed)
    for one in found.get("notes", []):
        print_note(f"Step {one['step']}: {one['said']}" if one["step"] else one["said"])
    print_note(f"{count(len(found['rows']), 'row')} of {found['rows_in_all']}, from {found['offset'] + 1}.")


@app.command()
def profile(which: Which, json: Json = False, url: Url = None, token: Token = None) -> None:
    """Show what is in the columns: counts, bounds, spread."""
    with open_api(url, token) as api:
        found = api.call("GET", f"/datasets/{_find(api, which)['id']}/profile")
    if json:
        print_json(found)
        return
    listed = new_table("column", "count", "missing", "distinct", "min", "max", "mean", numbers=("count", "missing"))
    for one in found["columns"]:
        bounds = [*(_shown(one[name], one["decimals"]) for name in ("min", "max")), _shown(one["mean"])]
        numbers = [str(one[name]) for name in ("count", "missing", "distinct")]
        listed.add_row(shorten(one["label"]), *numbers, *bounds)
    out.print(listed)


@app.command()
def steps(
    which: Which,
    file: Annotated[
        Path | None,
        typer.Argument(
            allow_dash=True, help='A JSON list, as [{"op": "filter", "where": "[Year] > 2020"}]; - to read it.'
        ),
    ] = None,
    json: Json = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Show the steps of a dataset with their hash; or replace them by those of a file. `[]` takes all of them away."""
    with open_api(url, token) as api:
        path = f"/datasets/{_find(api, which)['id']}"
        found = api.call("GET", path) if file is None else api.call("PATCH", path, {"steps": _read(file)})
    if json:
        print_json({name: found[name] for name in ("id", "revision", "sha256", "stored_steps")})
        return
    for number, step in enumerate(found["stored_steps"], 1):
        told = {name: value for name, value in step.items() if name != "op"}
        out.print(escape(f"{number}. {step['op']} {json_text.dumps(told, ensure_ascii=False)}"))
    print_note(f"Revision {found['revision']}, sha256 {found['sha256']}")


@app.command()
def correct(
    which: Which,
    column: Annotated[str, typer.Argument(help="The label of a column of its tables.")],
    kind: Annotated[
        str | None, typer.Option("--type", help="number, integer, text, boolean, date or quantity.")
    ] = None,
    unit: Annotated[str | None, typer.Option(help="As kg, m/s or EUR; an empty one is none.")] = None,
    label: Annotated[str | None, typer.Option(help="What it is called instead.")] = None,
    json: Json = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Say what a column is: its type, its unit, its label."""
    with open_api(url, token) as api:
        said = {"column": column, "type": kind, "unit": unit, "label": label}
        changed = api.call("PATCH", f"/datasets/{_find(api, which)['id']}", {"columns": [said]})
    if not json:
        _print_columns(changed)
    print_done(changed, json, f"Revision {changed['revision']} of {changed['name']}.")


@app.command()
def history(which: Which, json: Json = False, url: Url = None, token: Token = None) -> None:
    """Show the revisions of a dataset and how their columns differ; `show --revision` has the rows of one."""
    with open_api(url, token) as api:
        found = list(api.items(f"/datasets/{_find(api, which)['id']}/revisions"))
    if json:
        print_json(found)
        return
    listed = new_table("revision", "author", "changes", numbers=("revision",))
    for one in found:
        listed.add_row(str(one["revision"]), shorten(one["author"]), "; ".join(map(_told, one["changes"])))
    out.print(listed)


def _told(change: dict[str, Any]) -> str:
    parts = [change["column"], change["kind"], change["before"], change["after"] and f"→ {change['after']}"]
    return " ".join(part for part in parts if part)


@app.command()
def renew(
    which: Which,
    table: Annotated[str, typer.Argument(metavar="TABLE", help="The id of the newer table, or of a chunk in it.")],
    document: Annotated[
        str | None, typer.Option(metavar="ID", help="Whose tables give way; else those of its only document.")
    ] = None,
    json: Json = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Take a table, as of a newer version, in place of those of a document. The revision before stays readable."""
    with open_api(url, token) as api:
        path = f"/datasets/{_find(api, which)['id']}"
        sources = api.call("GET", path)["sources"]
        if document is None and len(sources) != 1:
            known = ", ".join(f"{one['document']} ({one['document_id']})" for one in sources)
            raise BadInput(f"Say which document's tables give way, with --document. There are: {known or 'none'}.")
        replaced = {"document_id": document or sources[0]["document_id"], "table_id": table}
        changed = api.call("PATCH", path, {"tables": [replaced]})
    if not json:
        _print_columns(changed)
    print_done(changed, json, f"Revision {changed['revision']} of {changed['name']}.")


@app.command()
def export(
    which: Which,
    to: Annotated[Path, typer.Option(metavar="FILE", help="A .csv, .xlsx, .parquet or .json file.")],
    lineage: Annotated[
        bool, typer.Option("--lineage", help="With document, version, page and box of each cell.")
    ] = False,
    json: Json = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Write all rows of a dataset to a file. What a spreadsheet would compute is text in it."""
    form = _form(to, DATASET_FORMS)
    with open_api(url, token) as api:
        path = f"/datasets/{_find(api, which)['id']}/export"
        _write(to, api.file(path, format=form, **({"lineage": True} if lineage else {})), json)


@app.command()
def delete(which: Which, yes: Yes = False, json: Json = False, url: Url = None, token: Token = None) -> None:
    """Delete a dataset. The tables of its documents stay."""
    with open_api(url, token) as api:
        found = _find(api, which)
        confirm_deletion(f"the dataset {found['name']}", yes=yes)
        gone = api.call("DELETE", f"/datasets/{found['id']}")
    print_done(gone, json, f"{found['name']} is deleted.")


def _find(api: ApiClient, wanted: str) -> dict[str, Any]:
    """By id, or by a name that one dataset alone has. Raises NotFound, BadInput where several have it."""
    found = list(api.items("/datasets"))
    same = [one for one in found if one["id"] == wanted] or [one for one in found if one["name"] == wanted]
    if len(same) > 1:
        raise BadInput(f"{len(same)} datasets are called {wanted!r}. Give the id of one: autri dataset list")
    if not same:
        raise NotFound(f"There is no dataset {wanted!r}. See what there is: autri dataset list")
    return same[0]


def _form(path: Path, forms: tuple[str, ...] = FORMS) -> str:
    form = path.suffix.removeprefix(".").lower()
    if form not in forms:
        raise BadInput(f"{path} is to end in {', '.join(f'.{one}' for one in forms)}.")
    return form


def _read(path: Path) -> Any:
    try:
        return json_text.loads(sys.stdin.read() if str(path) == "-" else path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BadInput(f"{path} holds no JSON that can be read: {error}.") from None


def _write(path: Path, content: bytes, json: bool) -> None:
    try:
        path.write_bytes(content)
    except OSError as error:
        raise BadInput(f"{path} cannot be written: {error.strerror}.") from None
    print_done({"file": str(path), "bytes": len(content)}, json, f"{path}: {len(content):,} bytes.")


def _shown(cell: object, decimals: int | None = None) -> str:
    is_number = isinstance(cell, int | float) and not isinstance(cell, bool)
    return "" if cell is None else as_printed(cell, decimals) if is_number else str(cell)


def _print_columns(found: dict[str, Any]) -> None:
    listed = new_table("column", "type", "unit", "confidence", numbers=("confidence",))
    for one in found["source_columns"]:
        listed.add_row(shorten(one["label"]), one["type"], one["unit"] or "", f"{one['confidence']:.2f}")
    out.print(listed)
