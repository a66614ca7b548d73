"""`autri keys …`: API keys."""

from typing import Annotated, Any

import typer

from functions.cli.api import open_api
from functions.cli.find import find_knowledge_bases
from functions.cli.options import Json, Token, Url
from functions.cli.output import new_table, out, print_done, print_json
from shared.errors import NotFound

app = typer.Typer(no_args_is_help=True, help="API keys: list, create, revoke.")
token = typer.Typer(no_args_is_help=True, help="Make an API key: the same as `autri keys`.")

Name = Annotated[str, typer.Argument(help="What the key is for.")]
Which = Annotated[str, typer.Argument(metavar="KEY", help="Its id, or the beginning of its secret as listed.")]
ScopeName = Annotated[str, typer.Option("--scope", metavar="SCOPE", help="read, write or admin: what it may at most.")]
Limits = Annotated[
    list[str] | None, typer.Option("--kb", metavar="NAME", help="Only this knowledge base. May be repeated.")
]
Days = Annotated[int | None, typer.Option("--days", min=1, max=3650, help="For how many days; else until revoked.")]
Machine = Annotated[bool, typer.Option("--machine", help="Nobody's own: it stays when you leave.")]


@app.command("list")
def list_all(json: Json = False, url: Url = None, token: Token = None) -> None:
    """List your keys, or (for owners and admins) all of the organization."""
    with open_api(url, token) as api:
        found = list(api.items("/keys"))
    if json:
        print_json(found)
        return
    table = new_table("key", "name", "scope", "whose", "last used", "ends", "id")
    for key in found:
        ends = f"revoked {key['revoked_at'][:10]}" if key["revoked_at"] else (key["expires_at"] or "")[:10]
        whose = "" if key["user_id"] else "machine"
        used = (key["last_used_at"] or "")[:13].replace("T", " ")
        table.add_row(f"{key['prefix']}…", key["name"], key["scope"], whose, used, ends, key["id"])
    out.print(table if found else "No key yet. Make one: [bold]autri keys create NAME[/]")


@token.command("create")
@app.command("create")
def create(
    name: Name,
    scope: ScopeName = "read",
    kb: Limits = None,
    days: Days = None,
    machine: Machine = False,
    json: Json = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Make a key. Its secret is shown this once."""
    with open_api(url, token) as api:
        body: dict[str, Any] = {"name": name, "scope": scope, "expires_days": days, "machine": machine}
        body["knowledge_base_ids"] = [one["id"] for one in find_knowledge_bases(api, kb)] if kb else None
        made = api.call("POST", "/keys", body)
    if json:
        print_json(made)
        return
    how = "Keep it now: it is shown this once. Use it: AUTRI_TOKEN, or autri COMMAND --url … --token …"
    out.print(f"[bold]{made['secret']}[/]", how, sep="\n")


@token.callback()
def only_create() -> None:
    """Make an API key: the same as `autri keys`."""


@app.command()
def revoke(which: Which, json: Json = False, url: Url = None, token: Token = None) -> None:
    """Revoke a key: from the next request on it is refused."""
    with open_api(url, token) as api:
        found = [key for key in api.items("/keys") if which in (key["id"], key["prefix"])]
        if len(found) != 1:
            raise NotFound(f"There is no key `{which}`. `autri keys list` shows those there are.")
        gone = api.call("POST", f"/keys/{found[0]['id']}/revoke")
    print_done(gone, json, f"{gone['prefix']}… is refused from now on.")
