"""`autri note …`: what somebody writes down instead of uploading a file."""

import sys
from enum import StrEnum
from typing import Annotated, Any

import click
import typer

from functions.cli.api import ApiClient, open_api
from functions.cli.confirm import confirm_deletion
from functions.cli.find import find_document, find_knowledge_base
from functions.cli.options import Json, Kb, SomeKb, Token, Url, Yes
from functions.cli.output import count, new_table, out, print_done, print_json, shorten
from shared.errors import BadInput

app = typer.Typer(no_args_is_help=True, help="Notes: write one down, list, show, edit, delete.")

Words = Annotated[
    list[str] | None,
    typer.Argument(metavar="TEXT", help="What to note; read from standard input where it is left out."),
]
Which = Annotated[str, typer.Argument(help="Its id or title.")]
TEXT_WIDTH = 60


class NoteKind(StrEnum):
    """What a note may be."""

    PROSE = "prose"
    CODE = "code"
    TABLE = "table"
    REFERENCE = "reference"
    CORRECTION = "correction"


@app.command()
def add(
    kb: Kb,
    text: Words = None,
    title: Annotated[str | None, typer.Option(help="What it is called; else its first line.")] = None,
    type_: Annotated[NoteKind | None, typer.Option("--type", help="What it is; else what it seems to be.")] = None,
    tag: Annotated[list[str] | None, typer.Option(metavar="TAG", help="A tag. May be repeated.")] = None,
    corrects: Annotated[str | None, typer.Option(metavar="DOCUMENT", help="The document that it corrects.")] = None,
    chunk: Annotated[str | None, typer.Option(metavar="ID", help="With --corrects: the chunk of it.")] = None,
    revises: Annotated[str | None, typer.Option(metavar="NOTE", help="The note that this is a revision of.")] = None,
    json: Json = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Write a note down. It can be searched when the command has ended."""
    if chunk is not None and corrects is None:
        raise typer.BadParameter("--chunk says what of a document is corrected; name the document with --corrects.")
    said = " ".join(text) if text else sys.stdin.read()
    with open_api(url, token) as api:
        base = find_knowledge_base(api, kb)
        body: dict[str, Any] = {"text": said, "title": title, "type": type_.value if type_ else None, "tags": tag}
        if corrects is not None:
            body["corrects"] = {"document_id": find_document(api, corrects, base["slug"])["id"], "chunk_id": chunk}
        if revises is not None:
            body["version_of"] = find_document(api, revises, base["slug"])["id"]
        made = api.call("POST", f"/knowledge-bases/{base['id']}/notes", body)
    print_done(made, json, _said(made))


@app.command("list")
def list_all(kb: Kb, json: Json = False, url: Url = None, token: Token = None) -> None:
    """List notes as they are now, newest first."""
    with open_api(url, token) as api:
        found = list(api.items(f"/knowledge-bases/{find_knowledge_base(api, kb)['id']}/notes"))
    if json:
        print_json(found)
        return
    table = new_table("note", "type", "author", "tags", "revision")
    for one in found:
        table.add_row(
            shorten(one["title"], TEXT_WIDTH), one["type"], one["author"], ", ".join(one["tags"]), str(one["revision"])
        )
    out.print(table)


@app.command()
def edit(
    note: Which,
    text: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="TEXT", help="What it says now; else read from standard input, or written in $EDITOR on a terminal."
        ),
    ] = None,
    kb: SomeKb = None,
    title: Annotated[str | None, typer.Option(help="Another title.")] = None,
    type_: Annotated[NoteKind | None, typer.Option("--type", help="What it is now.")] = None,
    tag: Annotated[
        list[str] | None, typer.Option(metavar="TAG", help="The tags that it has now. May be repeated.")
    ] = None,
    json: Json = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Change a note: what it said before stays a version of it. With a title, a type or tags alone its text stays."""
    with open_api(url, token) as api:
        found = _find(api, note, kb)
        keeps_text = not text and (title is not None or type_ is not None or tag is not None)
        if title is not None:
            api.call("PATCH", f"/documents/{found['id']}", {"name": title, "logical_document_name": title})
        if keeps_text and type_ is None and tag is None:
            print_done(_find(api, found["id"], kb), json, f"Called {title} now.")
            return
        body = {
            "text": found["text"] if keeps_text else _text_now(text, found["text"]),
            "title": title,
            "type": type_.value if type_ else found["type"],
            "tags": tag,
            "version_of": found["id"],
        }
        made = api.call("POST", f"/knowledge-bases/{found['knowledge_base_id']}/notes", body)
    print_done(made, json, _said(made))


@app.command()
def delete(
    note: Which, kb: SomeKb = None, yes: Yes = False, json: Json = False, url: Url = None, token: Token = None
) -> None:
    """Delete a note with all that it said before."""
    with open_api(url, token) as api:
        found = _find(api, note, kb)
        versions = list(api.items(f"/documents/{found['id']}/versions"))
        confirm_deletion(f"{found['title']} with {count(len(versions), 'revision')}", yes=yes)
        # The newest last: what is interrupted can be found and deleted again.
        for one in versions:
            api.call("DELETE", f"/documents/{one['id']}")
    print_done(found | {"revisions": len(versions)}, json, f"Deleted: {found['title']}.")


@app.command()
def show(
    note: Which,
    kb: SomeKb = None,
    json: Json = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Print a note's text."""
    with open_api(url, token) as api:
        found = _find(api, note, kb)
    print_done(found, json, found["text"])


def _find(api: ApiClient, wanted: str, kb: str | None) -> dict[str, Any]:
    document = find_document(api, wanted, kb)
    found = api.call("GET", f"/documents/{document['id']}/note")
    if found is None:
        raise BadInput(f"{document['name']} is no note. `autri note list` shows those there are.")
    return found


def _text_now(words: list[str] | None, before: str) -> str:
    """Raises BadInput where the editor was left without a change."""
    if words:
        return " ".join(words)
    if not sys.stdin.isatty():
        return sys.stdin.read()
    written = click.edit(before, extension=".md")
    if written is None or written.strip() == before.strip():
        raise BadInput("Nothing was changed: the note says what it said.")
    return written


def _said(made: dict[str, Any]) -> str:
    what = (
        "There already"
        if made["duplicate"]
        else f"Noted, revision {made['revision']}"
        if made["revision"] > 1
        else "Noted"
    )
    tags = f" Perhaps with --tag: {', '.join(made['suggested_tags'])}." if made["suggested_tags"] else ""
    return f"{what}: {made['title']} ({made['type']}, {made['seconds']:.2f} s).{tags}"
