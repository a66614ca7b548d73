"""`autri schema …`: which attributes of a knowledge base count."""

import time
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from functions.cli import schemas
from functions.cli.api import ApiClient, open_api
from functions.cli.find import find_knowledge_base
from functions.cli.options import Json, Kb, Token, Url
from functions.cli.output import count, print_done, print_json, print_note
from shared.errors import BadInput

app = typer.Typer(
    no_args_is_help=True,
    help="Attributes that count: propose, show, apply, diff, export, promote, demote, backfill, history.",
)

POLL_S: Final = 1.0
MAINTAIN_S: Final = 60.0
Why = Annotated[str, typer.Option(help="Why, for the history.")]
Out = Annotated[Path | None, typer.Option("--out", metavar="FILE", help="Write it there, as `apply` reads it.")]
Version = Annotated[int | None, typer.Option("--version", min=0, help="Another version than the present one.")]
Wait = Annotated[bool, typer.Option("--wait", help="Follow the reading of documents to its end.")]
SchemaFile = Annotated[
    Path,
    typer.Argument(metavar="FILE", help='JSON: {"attributes": [{"name": …, "type": …}, …]}; - for standard input.'),
]
Name = Annotated[str, typer.Argument(metavar="NAME")]


@app.command()
def propose(
    kb: Kb,
    file: Out = None,
    everything: Annotated[bool, typer.Option("--all", help="Also what is too rare to be recommended.")] = False,
    json: Json = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Propose attributes by what was read: names merged, types, units, coverage, what does not fit together."""
    with open_api(url, token) as api:
        base = find_knowledge_base(api, kb)
        found = api.call("GET", f"{_path(base)}/proposal")
        present = api.call("GET", _path(base))
    chosen = [one for one in found["proposed"] if everything or one["recommended"]]
    if file is not None:
        declared = [*present["attributes"], *(one["declaration"] for one in chosen)]
        schemas.write_schema(file, found["version"], declared)
        print_note(
            f"{count(len(chosen), 'attribute')} in {file}. Look at it, then: autri schema apply {file} --kb {kb}"
        )
    if json:
        print_json(found)
    elif file is None:
        schemas.print_proposal(chosen, len(found["proposed"]) - len(chosen))


@app.command()
def show(
    kb: Kb,
    candidates: Annotated[bool, typer.Option("--candidates", help="What no filter finds, and why.")] = False,
    json: Json = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Show what is declared with what is stored of it; with --candidates what was read and does not count."""
    with open_api(url, token) as api:
        path = _path(find_knowledge_base(api, kb))
        found = api.call("GET", f"{path}/candidates", limit=500) if candidates else api.call("GET", path)
    if json:
        print_json(found)
    elif candidates:
        schemas.print_candidates(found)
    else:
        schemas.print_state(found)


@app.command()
def apply(
    file: SchemaFile,
    kb: Kb,
    why: Why = "",
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what it would change and read; change nothing.")
    ] = False,
    wait: Wait = False,
    json: Json = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Make what FILE declares the next version; documents that are there are read for what changed."""
    wanted = schemas.read_schema(file)
    with open_api(url, token) as api:
        path = _path(find_knowledge_base(api, kb))
        body = {"version": api.call("GET", path)["version"]} | wanted | ({"why": why} if why else {})
        diff = api.call("POST", f"{path}/preview", body)
        if dry_run:
            print_json(diff) if json else schemas.print_diff(diff)
            return
        if not json:
            schemas.print_diff(diff)
        state = api.call("PUT", path, body)
        _finish(api, path, state, f"Version {state['version']} holds.", url=url, wait=wait, json=json)


@app.command()
def diff(
    kb: Kb,
    file: Annotated[Path | None, typer.Argument(help="Compare with a file; else version with version.")] = None,
    before: Annotated[int | None, typer.Option(min=0, help="The one before the last by default; 0: nothing.")] = None,
    after: Annotated[int | None, typer.Option(min=0, help="The present one by default.")] = None,
    json: Json = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Show what changed between two versions, or what FILE would change, by attribute."""
    if file is not None and (before is not None or after is not None):
        raise BadInput("Compare FILE with the present version, or --before with --after.")
    with open_api(url, token) as api:
        path = _path(find_knowledge_base(api, kb))
        if file is None:
            found = api.call("GET", f"{path}/diff", before=before, after=after)
        else:
            present = {"version": api.call("GET", path)["version"]}
            found = api.call("POST", f"{path}/preview", schemas.read_schema(file) | present)
    print_json(found) if json else schemas.print_diff(found)


@app.command()
def export(kb: Kb, version: Version = None, file: Out = None, url: Url = None, token: Token = None) -> None:
    """Write the schema as JSON, as `apply` reads it."""
    with open_api(url, token) as api:
        path = _path(find_knowledge_base(api, kb))
        found = api.call("GET", path)
        if version is not None and version != found["version"]:
            # Applied again it takes the place of what holds now.
            found = {"version": found["version"], "attributes": _at(api, path, version)}
    schemas.write_schema(file, found["version"], found["attributes"])


@app.command()
def promote(
    name: Name,
    kb: Kb,
    declared_as: Annotated[str | None, typer.Option("--as", metavar="NAME", help="Another name for filters.")] = None,
    kind: Annotated[
        str | None, typer.Option("--type", help="number, category, date, text or boolean; else as it was read.")
    ] = None,
    unit: Annotated[str | None, typer.Option(help="Of a number: hp, kW, USD.")] = None,
    why: Why = "",
    wait: Wait = False,
    json: Json = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Declare a candidate by its printed name; documents that have it are read for it alone."""
    if unit is not None and kind not in (None, "number"):
        raise BadInput("A unit belongs to numbers: leave --unit out, or say --type number.")
    with open_api(url, token) as api:
        path = _path(find_knowledge_base(api, kb))
        body: dict[str, Any] = {"name": name, "why": why}
        if declared_as or kind or unit:
            body["declaration"] = _declaration(api, path, name, declared_as, kind, unit)
        state = api.call("POST", f"{path}/promote", body)
        _finish(api, path, state, f"{name} counts from version {state['version']} on.", url=url, wait=wait, json=json)


@app.command()
def demote(name: Name, kb: Kb, why: Why = "", json: Json = False, url: Url = None, token: Token = None) -> None:
    """Take an attribute out: no filter finds it any more, and its values are candidates."""
    with open_api(url, token) as api:
        state = api.call("POST", f"{_path(find_knowledge_base(api, kb))}/demote", {"name": name, "why": why})
    print_done(state, json, f"{name} counts no longer, from version {state['version']} on.")


@app.command()
def backfill(
    kb: Kb,
    cancel: Annotated[bool, typer.Option("--cancel", help="Stop it; what is read stays.")] = False,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with one that was stopped.")] = False,
    wait: Wait = False,
    json: Json = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Show how far documents are read under the present version; stop it, or go on with it."""
    if cancel and (resume or wait):
        raise BadInput("Say --cancel alone, or --resume and --wait.")
    with open_api(url, token) as api:
        path = _path(find_knowledge_base(api, kb))
        if cancel or resume:
            api.call("POST", f"{path}/backfill/{'cancel' if cancel else 'resume'}")
        found = api.call("GET", f"{path}/backfill")
        if wait:
            found = _follow(api, path, url, shown=not json)
    print_json(found) if json else schemas.print_backfill(found)


@app.command()
def history(kb: Kb, json: Json = False, url: Url = None, token: Token = None) -> None:
    """List versions: who made them, when and why; newest first."""
    with open_api(url, token) as api:
        found = list(api.items(f"{_path(find_knowledge_base(api, kb))}/versions"))
    print_json(found) if json else schemas.print_history(found)


def _path(base: dict[str, Any]) -> str:
    return f"/knowledge-bases/{base['id']}/schema"


def _at(api: ApiClient, path: str, version: int) -> list[dict[str, Any]]:
    """What a version declares. Raises BadInput where there is none."""
    if version == 0:
        return []
    for one in api.items(f"{path}/versions"):
        if one["version"] == version:
            return one["attributes"]
    raise BadInput(f"There is no version {version} of this schema. `autri schema history` lists them.")


def _declaration(
    api: ApiClient, path: str, name: str, declared_as: str | None, kind: str | None, unit: str | None
) -> dict[str, Any]:
    """What was read under the name, with what the person says otherwise."""
    from shared.values.names import name_of

    proposed = api.call("GET", f"{path}/proposal")["proposed"]
    read = name_of(name)
    found = next((one for one in proposed if read in {printed["name"] for printed in one["names"]}), None)
    wanted: dict[str, Any] = {"name": read, "type": "text", "synonyms": []} | (found["declaration"] if found else {})
    if declared_as:
        wanted |= {"name": declared_as, "synonyms": [*wanted["synonyms"], name], "label": ""}
    if kind and kind != wanted["type"]:
        wanted |= {"type": kind, "unit": None, "values": []}
    if unit:
        wanted |= {"type": "number", "unit": unit, "values": []}
    return wanted


def _finish(
    api: ApiClient, path: str, state: dict[str, Any], text: str, *, url: str | None, wait: bool, json: bool
) -> None:
    if wait:
        state["backfill"] = _follow(api, path, url, shown=not json)
    print_done(state, json, text)
    if not json:
        schemas.print_backfill(state["backfill"])


def _follow(api: ApiClient, path: str, url: str | None, *, shown: bool) -> dict[str, Any] | None:
    """Has documents read until none is left, or people stop it."""
    done = -1
    with schemas.backfill_progress(shown) as tell:
        while True:
            found = api.call("POST", f"{path}/backfill/continue")
            if found is None or found["status"] != "running":
                return found
            tell(found)
            if found["documents_done"] == done:
                _wait_for_the_largest(url)
            done = found["documents_done"]


def _wait_for_the_largest(url: str | None) -> None:
    """The background reads them; where no server runs on this machine, this process does."""
    if url is None:
        from functions.cli.commands.maintenance import maintain_here

        maintain_here(MAINTAIN_S)
    time.sleep(POLL_S)
