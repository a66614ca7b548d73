"""`autri edits …`: what people corrected in a document's extraction."""

import json as json_library
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text

from functions.cli.api import open_api
from functions.cli.find import find_document
from functions.cli.options import Json, SomeKb, Token, Url
from functions.cli.output import count, new_table, out, print_done, print_json
from shared.errors import BadInput

app = typer.Typer(no_args_is_help=True, help="Corrections of an extraction: list, apply, undo.")

Which = Annotated[str, typer.Argument(metavar="DOCUMENT", help="Its id or name.")]
EditId = Annotated[str, typer.Argument(metavar="EDIT", help="The edit's id, as listed.")]
EditFile = Annotated[
    Path,
    typer.Argument(
        metavar="FILE",
        help='JSON of one edit or a list of them, e.g. {"kind": "retype", "chunk_id": …, "chunk_type": "list"}.',
        exists=True,
        dir_okay=False,
    ),
]
TEXT_WIDTH = 60


@app.command("list")
def list_all(document: Which, kb: SomeKb = None, json: Json = False, url: Url = None, token: Token = None) -> None:
    """List who changed what, newest first."""
    with open_api(url, token) as api:
        found = list(api.items(f"/documents/{find_document(api, document, kb)['id']}/edits"))
    if json:
        print_json(found)
        return
    _print_list(found)


@app.command()
def apply(
    document: Which, file: EditFile, kb: SomeKb = None, json: Json = False, url: Url = None, token: Token = None
) -> None:
    """Make the edits in FILE, one after the other. With --json a line per edit."""
    wanted = _read(file)
    with open_api(url, token) as api:
        found = find_document(api, document, kb)
        revision = found["revision"]
        for edit in wanted:
            made = api.call("POST", f"/documents/{found['id']}/edits", {"revision": revision, "edit": edit})
            revision = made["revision"]
            print_json(made) if json else _print_made(made)


@app.command()
def undo(
    document: Which, edit: EditId, kb: SomeKb = None, json: Json = False, url: Url = None, token: Token = None
) -> None:
    """Take an edit back."""
    with open_api(url, token) as api:
        found = find_document(api, document, kb)
        body = {"revision": found["revision"]}
        done = api.call("POST", f"/documents/{found['id']}/edits/{edit}/undo", body)
    print_done(done, json, f"Undone: {done['edit']['kind']} on page {done['edit']['page']}.")


def _read(file: Path) -> list[Any]:
    try:
        found = json_library.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise BadInput(f"{file} is not JSON ({error}). Give one edit or a list of edits.") from error
    return found if isinstance(found, list) else [found]


def _print_made(made: dict[str, Any]) -> None:
    edit = made["edit"]
    out.print(
        f"[green]✓[/] {edit['kind']} on page {edit['page']}: {count(len(made['chunks']), 'chunk')} ({edit['id']})"
    )


def _print_list(found: list[dict[str, Any]]) -> None:
    if not found:
        out.print("Nobody has changed anything. Edit in the inspector, or: [bold]autri edits apply DOCUMENT FILE[/]")
        return
    table = new_table("when", "who", "edit", "page", "before", "state", "id", numbers=("page",))
    for item in found:
        before = " ".join(piece["text"] for piece in item["before"])[:TEXT_WIDTH]
        table.add_row(
            item["created_at"][:16], item["author"], item["kind"], str(item["page"]), before, _state(item), item["id"]
        )
    out.print(table)


def _state(item: dict[str, Any]) -> Text:
    if item["undone_at"]:
        return Text(f"undone by {item['undone_by']}", style="dim")
    return Text(f"stale: {item['stale']}", style="yellow") if item["stale"] else Text("counts", style="green")
