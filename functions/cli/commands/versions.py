"""`autri versions …`: which documents are versions of one another."""

from typing import Annotated, Any

import typer
from rich.text import Text

from functions.cli.api import open_api
from functions.cli.find import find_document, find_knowledge_base
from functions.cli.options import Json, Kb, SomeKb, Token, Url
from functions.cli.output import count, new_table, out, print_json, status_text

app = typer.Typer(no_args_is_help=True, help="Versions: list, link, unlink, suggestions, the current one, labels.")

Which = Annotated[str, typer.Argument(metavar="DOCUMENT", help="Its id or name.")]
Label = Annotated[str | None, typer.Option(metavar="L", help="What this version is called, such as 4.0.3 or 2022 Q3.")]
NewLabel = Annotated[
    str | None, typer.Option("--label", metavar="L", help="What this version is called; an empty one removes it.")
]
NewDate = Annotated[
    str | None, typer.Option("--date", metavar="YYYY-MM-DD", help="What it is dated; an empty one: it has no date.")
]
Position = Annotated[int | None, typer.Option(min=1, help="Which version it is, from 1, oldest first.")]
SuggestionId = Annotated[str, typer.Argument(metavar="SUGGESTION", help="The suggestion's id, as listed.")]


@app.command("list")
def list_all(document: Which, kb: SomeKb = None, json: Json = False, url: Url = None, token: Token = None) -> None:
    """List all versions of a document, oldest first."""
    with open_api(url, token) as api:
        found = list(api.items(f"/documents/{find_document(api, document, kb)['id']}/versions"))
    _say(found, json)


@app.command()
def link(
    document: Which,
    version_of: Annotated[str, typer.Option("--to", metavar="DOCUMENT", help="The document it is a version of.")],
    label: Label = None,
    position: Position = None,
    kb: SomeKb = None,
    json: Json = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Make a document a version of another one; the newest served version is the current one."""
    with open_api(url, token) as api:
        own, other = find_document(api, document, kb), find_document(api, version_of, kb)
        body = {"version_of": other["id"], "label": label, "position": position}
        done = api.call("POST", f"/documents/{own['id']}/link", body)
    _say_versions(done, json)


@app.command()
def unlink(document: Which, kb: SomeKb = None, json: Json = False, url: Url = None, token: Token = None) -> None:
    """Make a version a document of its own."""
    with open_api(url, token) as api:
        done = api.call("POST", f"/documents/{find_document(api, document, kb)['id']}/unlink")
    _say_versions(done, json)


@app.command()
def current(document: Which, kb: SomeKb = None, json: Json = False, url: Url = None, token: Token = None) -> None:
    """Serve this version in place of the current one, to go back for instance."""
    with open_api(url, token) as api:
        done = api.call("POST", f"/documents/{find_document(api, document, kb)['id']}/current")
    _say_versions(done, json)


@app.command()
def rename(
    document: Which,
    label: NewLabel = None,
    name: Annotated[str | None, typer.Option(help="Another name of this version.")] = None,
    together: Annotated[str | None, typer.Option(help="Another name of all its versions together.")] = None,
    date: NewDate = None,
    kb: SomeKb = None,
    json: Json = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Change a version's label, name or date, or what all versions are called together."""
    wanted = {"label": label, "name": name, "logical_document_name": together, "document_date": date}
    body = {field: value or None for field, value in wanted.items() if value is not None}
    if not body:
        raise typer.BadParameter("Say what to change: --label, --name, --together or --date.")
    with open_api(url, token) as api:
        done = api.call("PATCH", f"/documents/{find_document(api, document, kb)['id']}", body)
    _say([done], json, one=True)


@app.command()
def suggestions(kb: Kb, json: Json = False, url: Url = None, token: Token = None) -> None:
    """List documents that look like a version of another one. Nothing is linked until you accept."""
    with open_api(url, token) as api:
        base = find_knowledge_base(api, kb)
        found = list(api.items(f"/knowledge-bases/{base['id']}/version-suggestions"))
    if json:
        print_json(found)
        return
    _print_suggestions(found)


@app.command()
def accept(
    suggestion: SuggestionId,
    label: Label = None,
    position: Position = None,
    json: Json = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Link as suggested."""
    body = {"label": label, "position": position}
    with open_api(url, token) as api:
        done = api.call("POST", f"/version-suggestions/{suggestion}/accept", body)
    _say_versions(done, json)


@app.command()
def dismiss(suggestion: SuggestionId, json: Json = False, url: Url = None, token: Token = None) -> None:
    """Not a version: it is not suggested again."""
    with open_api(url, token) as api:
        done = api.call("POST", f"/version-suggestions/{suggestion}/dismiss")
    if json:
        print_json(done)
        return
    out.print("[green]✓[/] Not a version; it is not suggested again.")


def _say_versions(done: dict[str, Any], json: bool) -> None:
    if json:
        print_json(done)
        return
    together = done["logical_document"]
    out.print(Text(f"{together['name']}: {count(together['versions'], 'version')}", style="bold"))
    _print_versions(done["items"])


def _say(found: list[dict[str, Any]], json: bool, one: bool = False) -> None:
    if json:
        print_json(found[0] if one else found)
        return
    _print_versions(found)


def _print_versions(found: list[dict[str, Any]]) -> None:
    table = new_table("no.", "label", "", "name", "status", "chunks", "id", numbers=("no.", "chunks"))
    for item in found:
        version = item["version"]
        mark = Text("current", style="green") if version["is_current"] else Text("")
        cells = (str(version["index"]), version["label"] or "–", mark, item["name"], status_text(item["status"]))
        table.add_row(*cells, f"{item['chunks']:,}", item["id"])
    out.print(table)


def _print_suggestions(found: list[dict[str, Any]]) -> None:
    if not found:
        out.print("Nothing looks like a version of something else.")
        return
    table = new_table("score", "document", "looks like a version of", "as", "name, title, sections, content", "id")
    for item in found:
        parts = "  ".join("–" if v is None else f"{v:.2f}" for v in item["parts"].values())
        place = f"no. {item['position']} {item['label'] or ''}".strip()
        together = item["logical_document"]["name"]
        table.add_row(f"{item['score']:.2f}", item["document"]["name"], together, place, parts, item["id"])
    out.print(table)
    out.print("Link: [bold]autri versions accept ID[/]   Not a version: [bold]autri versions dismiss ID[/]")
