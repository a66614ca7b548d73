"""`autri model …`: the model that answers."""

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from functions.cli.api import open_api
from functions.cli.options import Json, Token, Url
from functions.cli.output import out, print_json
from shared.errors import BadInput

app = typer.Typer(no_args_is_help=True, help="The model that answers: show, set, test, check, clear.")

Name = Annotated[
    str,
    typer.Argument(metavar="MODEL", help="openai:NAME@https://HOST/v1, openai:NAME, anthropic:NAME or bedrock:ID."),
]
Maybe = Annotated[str | None, typer.Argument(metavar="MODEL", help="As for `set`; else the one in force.")]
KeyFile = Annotated[
    str | None, typer.Option("--key-file", metavar="PATH", help="A file with the service's key; - for standard input.")
]
Price = Annotated[
    str, typer.Option("--price", metavar="INPUT,OUTPUT", help="US dollars for a million tokens, where not known.")
]


@app.command()
def show(json: Json = False, url: Url = None, token: Token = None) -> None:
    """Show which model answers, who decided it, and what others the work is done with. Nothing is called."""
    with open_api(url, token) as api:
        _show(api.call("GET", "/model"), json)


@app.command("set")
def set_model(
    name: Name, key_file: KeyFile = None, price: Price = "", json: Json = False, url: Url = None, token: Token = None
) -> None:
    """Answer with this model from the next question on. For the owner of one machine; needs no restart."""
    wish = _wish(name, key_file, price)
    with open_api(url, token) as api:
        _show(api.call("PUT", "/model", wish), json)


@app.command("test")
def try_model(
    name: Maybe = None,
    key_file: KeyFile = None,
    price: Price = "",
    json: Json = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Call a model, or the one in force, and say what it can do. Exits 1 where it does not answer."""
    wish = _wish(name, key_file, price) if name else None
    with open_api(url, token) as api:
        tried = api.call("POST", "/model/test", wish)
    if json:
        print_json(tried)
    else:
        _print_tried(tried)
    if not tried["ok"]:
        raise typer.Exit(1)


@app.command()
def check(json: Json = False, url: Url = None, token: Token = None) -> None:
    """Call the model in force and each further one, of a deployment too. Exits 1 where one does not answer."""
    with open_api(url, token) as api:
        tried = api.call("POST", "/model/check")
    if json:
        print_json(tried)
    else:
        for one in tried["items"]:
            _print_tried(one)
        if not tried["items"]:
            out.print("No model is set: questions are answered by quotations.")
    if not all(one["ok"] for one in tried["items"]):
        raise typer.Exit(1)


@app.command()
def clear(json: Json = False, url: Url = None, token: Token = None) -> None:
    """Answer by quotations again, and forget the model that was set, with its key."""
    with open_api(url, token) as api:
        _show(api.call("DELETE", "/model"), json)


ABILITIES = (("tools", "tools"), ("JSON schema", "json_schema"), ("streaming", "streaming"))
SOURCES = {
    "environment": "by the environment ({fixed})", "settings": "by `autri model set` or Settings, Model",
    "deployment": "by the deployment's file", "none": "",
}  # fmt: skip


def _wish(name: str, key_file: str | None, price: str) -> dict[str, Any]:
    """The request's body. Raises BadInput for a name or a key that cannot be one."""
    from shared.domain.model_choice import read_name

    named = read_name(name).model_dump(exclude_none=True, exclude={"key"})
    if key_file is None:
        return named | {"usd_per_million": price}
    key = (sys.stdin.read() if key_file == "-" else Path(key_file).read_text(encoding="utf-8")).strip()
    if not key:
        raise BadInput(f"There is no key in {'standard input' if key_file == '-' else key_file}.")
    return named | {"usd_per_million": price, "key": key}


def _print_tried(tried: dict[str, Any]) -> None:
    if not tried["ok"]:
        out.print(f"[red]{tried['name']} does not answer.[/] {tried['problem']}")
        return
    able = ", ".join(f"{what}: {tried[field]}" for what, field in ABILITIES)
    cost = f"${tried['usd']:.5f}" if tried["price_known"] else "price not known"
    out.print(f"[green]{tried['name']} answers[/] in {tried['took_ms']} ms ({cost}); {able}.")


def _show(state: dict[str, Any], json: bool) -> None:
    if json:
        print_json(state)
        return
    who = SOURCES[state["source"]].format(fixed=", ".join(state["fixed"]))
    where = f" at {state['url']}" if state["url"] else ""
    named = f"{state['service']}:{state['model']}{where}" if state["model"] else "no model: questions get quotations"
    out.print(f"answers     [bold]{named}[/]{f', {who}' if who else ''}")
    if state["model"]:
        price = state["usd_per_million"] or ("known" if state["price_known"] else "not known: calls count as free")
        out.print(f"key         {state['key']}", f"price       {price}", sep="\n")
    if further := state.get("further"):
        out.print(f"or          {', '.join(further)}, where another answer is asked for")
    out.print(f"embedder    {state['embedder']}", f"extraction  {state['extraction_model'] or 'layout'}", sep="\n")
    if state["problem"]:
        out.print(f"[red]{state['problem']}[/]")
