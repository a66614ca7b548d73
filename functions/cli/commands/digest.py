"""`autri digest …`: what a knowledge base says, in files that keep themselves."""

from typing import Annotated, Any, Final

import typer
from rich.markup import escape

from functions.cli.api import ApiClient, open_api
from functions.cli.find import find_knowledge_base
from functions.cli.options import Json, Kb, Token, Url
from functions.cli.output import count, new_table, out, print_done, print_json, print_note
from shared.domain.digest import DigestFile, marked
from shared.errors import BadInput, NotFound

app = typer.Typer(
    no_args_is_help=True, help="The digest: build, status, show, history, diff, edit, restore, export, import."
)

File = Annotated[str, typer.Argument(metavar="FILE", help="Its path, as `show` lists it, or its id.")]
SHORT: Final = 8


@app.command()
def build(
    kb: Kb,
    write: Annotated[
        bool | None,
        typer.Option("--write/--quote", help="From now on a model writes the summaries, or they quote alone."),
    ] = None,
    json: Json = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Build the digest, or bring it in line with what has changed; it also keeps itself."""
    with open_api(url, token) as api:
        path = f"{_digest(api, kb)}:update"
        done = api.call("POST", path, {"write": write})
        while done["more"]:
            further = api.call("POST", path)
            added = sorted({*done["added"], *further["added"]})
            changed = sorted({*done["changed"], *further["changed"]} - {*added})
            sums = {name: done[name] + further[name] for name in ("units", "seconds")}
            removed = done["removed"] + further["removed"]
            done = further | sums | {"added": added, "changed": changed, "removed": removed}
    told = (
        f"{done['topics']} topics in {done['files']} files; {done['units']} sections read in {done['seconds']:.2f} s: "
    )
    counts = f"{len(done['added'])} files added, {len(done['changed'])} changed, {len(done['removed'])} removed"
    written = f", {count(done['written'], 'summary', 'summaries')} written by the model" if done["written"] else ""
    print_done(done, json, f"{told}{counts}{written}.")


@app.command()
def status(kb: Kb, json: Json = False, url: Url = None, token: Token = None) -> None:
    """Show how the digest is: what is stale, uncited or by people, and whether its sources have gone on."""
    with open_api(url, token) as api:
        found = api.call("GET", _digest(api, kb))
    if json:
        print_json(found)
        return
    if not found["built"]:
        out.print("There is no digest yet. Build one: autri digest build --kb NAME")
        return
    table = new_table("topics", "files", "statements", "stale", "uncited", "by people", "behind", "changed")
    counts = (str(found[name]) for name in ("topics", "files", "statements", "stale", "uncited", "by_people"))
    table.add_row(*counts, "yes" if found["behind"] else "no", found["updated_at"][:16].replace("T", " "))
    out.print(table)


@app.command()
def show(
    kb: Kb,
    file: Annotated[str, typer.Argument(metavar="FILE", help="A path or id; without it, the files are listed.")] = "",
    lines: Annotated[bool, typer.Option("--lines", help="Each line with its id, and what it cites.")] = False,
    json: Json = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Print a file as Markdown, or list all."""
    with open_api(url, token) as api:
        path = _digest(api, kb)
        listed = list(api.items(f"{path}/files"))
        if not file:
            _print_files(listed, json)
            return
        found = api.call("GET", f"{path}/files/{_find(listed, file)['id']}")
    if json:
        print_json(found)
    elif lines:
        _print_lines(found)
    else:
        out.print(escape(marked(DigestFile.model_validate(found))), end="")
        if stale := sum(one["stale"] for one in found["lines"]):
            print_note(f"{stale} lines stand on what has changed since: autri digest build --kb {kb}")


@app.command()
def history(kb: Kb, file: File, json: Json = False, url: Url = None, token: Token = None) -> None:
    """List a file's versions, newest first."""
    with open_api(url, token) as api:
        found = list(api.items(f"{_file(api, kb, file)}/versions"))
    if json:
        print_json(found)
        return
    table = new_table("number", "version", "by", "who", "what", "when", "hash")
    for one in found:
        at = one["created_at"][:16].replace("T", " ")
        said = (one["changed_by"], one["author"], one["change_summary"], at, one["new_hash"][:SHORT])
        table.add_row(str(one["number"]), one["version"], *said)
    out.print(table)


@app.command()
def diff(
    kb: Kb,
    file: File,
    former: Annotated[int | None, typer.Option("--from", min=1, help="The number of a version.")] = None,
    later: Annotated[int | None, typer.Option("--to", min=1, help="The number of a later one.")] = None,
    json: Json = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Show what changed between two versions of a file; without numbers, with its last one."""
    with open_api(url, token) as api:
        found = api.call("GET", f"{_file(api, kb, file)}/diff", former=former, later=later)
    if json:
        print_json(found)
    else:
        out.print(escape(found["diff"] or "Nothing changed between them.\n"), end="")


@app.command()
def edit(
    kb: Kb,
    file: File,
    text: Annotated[str, typer.Argument(help="What is to stand there.")] = "",
    statement: Annotated[
        str | None, typer.Option(help="The statement to be changed: its id, of `show --lines`.")
    ] = None,
    remove: Annotated[bool, typer.Option("--remove", help="Take the statement out; it does not come back.")] = False,
    cite: Annotated[
        list[str] | None, typer.Option(metavar="[KIND:]ID", help="What it stands on: a chunk, document:, event:, run:.")
    ] = None,
    uncited: Annotated[bool, typer.Option("--uncited", help="Nothing here bears it out: it is marked so.")] = False,
    json: Json = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Change, add or take out one statement. It is yours from then on: every later build keeps it."""
    body: dict[str, Any] = {"statement_id": statement, "text": text or None, "remove": remove, "uncited": uncited}
    if cite:
        parts = [one.rpartition(":") for one in cite]
        body["citations"] = [{"kind": kind or "chunk", "id": key} for kind, _, key in parts]
    with open_api(url, token) as api:
        done = api.call("POST", f"{_file(api, kb, file)}/edits", body)
    print_done(done, json, f"{done['path']} is at version {done['version']}.")


@app.command()
def restore(
    kb: Kb,
    file: File,
    number: Annotated[int, typer.Option("--to", min=1, help="The number of the version, of `history`.")],
    json: Json = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Have a file say again what it said in a version; what was deleted since does not come back."""
    with open_api(url, token) as api:
        done = api.call("POST", f"{_file(api, kb, file)}/restore", {"number": number})
    print_done(done, json, f"{done['path']} is at version {done['version']}.")


def _digest(api: ApiClient, kb: str) -> str:
    return f"/knowledge-bases/{find_knowledge_base(api, kb)['id']}/digest"


def _file(api: ApiClient, kb: str, file: str) -> str:
    path = f"{_digest(api, kb)}/files"
    return f"{path}/{_find(list(api.items(path)), file)['id']}"


def _find(listed: list[dict[str, Any]], file: str) -> dict[str, Any]:
    """By path, id, or the end of one path. Raises NotFound and BadInput."""
    found = [one for one in listed if file in (one["path"], one["id"])]
    found = found or [one for one in listed if one["path"].endswith(f"/{file.removesuffix('.md')}.md")]
    if not found:
        raise NotFound(f"The digest has no file {file}. `autri digest show` lists those there are.")
    if len(found) > 1:
        raise BadInput(f"{' and '.join(one['path'] for one in found)}: say which.")
    return found[0]


def _print_files(listed: list[dict[str, Any]], json: bool) -> None:
    if json:
        print_json(listed)
        return
    table = new_table("path", "title", "version", "size", "statements", "stale", "uncited", "by people")
    for one in listed:
        size = f"{one['size']:,} of {one['limit']:,} {'lines' if one['tier'] == 'index' else 'characters'}"
        counts = (str(one[name]) for name in ("statements", "stale", "uncited", "by_people"))
        table.add_row(one["path"], one["title"], one["version"], size, *counts)
    out.print(table if listed else "There is no digest yet. Build one: autri digest build --kb NAME")


def _print_lines(found: dict[str, Any]) -> None:
    table = new_table("statement", "kind", "whose", "stands", "text", "cites")
    for one in found["lines"]:
        marks = [one["origin"], *(["uncited"] if one["uncited"] else [])]
        cites = ", ".join(f"{c['kind']}:{c['source_id']}" for c in one["citations"])
        stands = "stale" if one["stale"] else "yes"
        table.add_row(one["statement_id"], one["kind"], " ".join(marks), stands, one["text"], cites)
    out.print(table)
