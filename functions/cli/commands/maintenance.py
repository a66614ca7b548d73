"""`autri maintain` and `autri embedder change`: what a server does in the background, on demand."""

from typing import Annotated, Any

import typer

from functions.cli.api import open_api
from functions.cli.commands.embedder_compare import compare
from functions.cli.find import find_knowledge_base
from functions.cli.options import Json, Kb, Token, Url
from functions.cli.output import new_table, out, print_error, print_json
from shared.settings import LocalSettings

app = typer.Typer(no_args_is_help=True, help="Embedders: compare two on a knowledge base, move it to another one.")


Seconds = Annotated[float, typer.Option(min=0, help="Begin nothing new after this many seconds.")]
To = Annotated[str | None, typer.Option(metavar="VERSION", help="Default: what new knowledge bases get here.")]


def maintain(seconds: Seconds = 600, json: Json = False) -> None:
    """Make and drop indexes, finish changes of embedders, end what was lost, forget what is kept no longer."""
    done = maintain_here(seconds, daily=True)
    if json:
        print_json(done)
    elif done["busy"]:
        out.print("Another process is at it.")
    else:
        _print_tasks(done)
    if done["failed"]:
        raise typer.Exit(1)


@app.command()
def change(kb: Kb, to: To = None, json: Json = False, url: Url = None, token: Token = None) -> None:
    """Move a knowledge base. Here until it is done; a server (--url) does it by itself, in the background."""
    with open_api(url, token) as api:
        base = find_knowledge_base(api, kb)
        state = api.call("POST", f"/knowledge-bases/{base['id']}/embedder", {"to": to})
    failed = _finish_here() if url is None and state["target"] is not None else []
    if url is None:
        with open_api(url, token) as api:
            state = api.call("GET", f"/knowledge-bases/{base['id']}/embedder")
    if json:
        print_json({"id": base["id"], "slug": base["slug"], **state})
    elif state["target"] is None:
        out.print(f"[green]✓[/] [bold]{base['slug']}[/] is searched by {state['serving']}.")
    else:
        out.print(f"[bold]{base['slug']}[/] is being moved to {state['target']}; until then {state['serving']} serves.")
    for one in failed:
        print_error(f"{_words(one['task'])}: {one['error']}")
    if failed:
        raise typer.Exit(1)


app.command()(compare)


def _finish_here() -> list[dict[str, Any]]:
    """Runs maintenance until nothing is left, or another process does it; returns the tasks that failed."""
    while True:
        done = maintain_here(600)
        if done["failed"] or done["busy"] or not done["more"]:
            return [one for one in done["tasks"] if one["error"]]


def maintain_here(seconds: float, *, daily: bool = False) -> dict[str, Any]:
    """As `shared.maintenance.maintain`, on this machine's data."""
    from functions.local import local_store
    from shared.maintenance import maintain as run

    with local_store(LocalSettings().home) as system:
        return run(system.runtime, system.owner_dsn, seconds, daily=daily)


def _print_tasks(done: dict[str, Any]) -> None:
    table = new_table("task", "seconds", "result", numbers=("seconds",))
    for one in done["tasks"]:
        table.add_row(_words(one["task"]), f"{one['seconds']:.1f}", one["error"] or _result(one["result"]))
    out.print(table)


def _result(result: Any) -> str:
    """A number as it is; of an object the values that are not zero: `made 2, kept 5`."""
    if not isinstance(result, dict):
        return f"{result:,}" if result else "–"
    found: dict[str, Any] = result
    counts = {name: len(value) if isinstance(value, list) else value for name, value in found.items()}
    return ", ".join(name if n is True else f"{name} {n:,}" for name, n in counts.items() if n) or "–"


def _words(name: str) -> str:
    return name.replace("_", " ")
