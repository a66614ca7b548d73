"""`autri connections …`: assistants that people have connected."""

from typing import Annotated

import typer

from functions.cli.api import open_api
from functions.cli.options import Json, Token, Url
from functions.cli.output import new_table, out, print_done, print_json
from shared.errors import NotFound

app = typer.Typer(no_args_is_help=True, help="Connected assistants: list, revoke.")

Which = Annotated[
    str, typer.Argument(metavar="ASSISTANT", help="Its id, or its name where one alone is connected under it.")
]


@app.command("list")
def list_all(json: Json = False, url: Url = None, token: Token = None) -> None:
    """List the assistants that you have connected, or (for owners and admins) all of the organization."""
    with open_api(url, token) as api:
        found = list(api.items("/connections"))
    if json:
        print_json(found)
        return
    table = new_table("assistant", "may", "sees", "last used", "ends", "id")
    for one in found:
        ends = f"revoked {one['revoked_at'][:10]}" if one["revoked_at"] else (one["expires_at"] or "")[:10]
        only = one["knowledge_base_ids"]
        sees = "all that its person sees" if only is None else f"knowledge bases: {len(only)}"
        used = (one["last_used_at"] or "")[:13].replace("T", " ")
        table.add_row(one["client_name"], one["scope"], sees, used, ends, one["id"])
    out.print(table if found else "No assistant is connected. It connects at the server's address with /mcp behind it.")


@app.command()
def revoke(which: Which, json: Json = False, url: Url = None, token: Token = None) -> None:
    """Disconnect an assistant: from its next request on it is refused."""
    with open_api(url, token) as api:
        there = list(api.items("/connections"))
        found = [one for one in there if which == one["id"]]
        found = found or [one for one in there if which == one["client_name"] and not one["revoked_at"]]
        if len(found) != 1:
            why = f"{len(found)} assistants are connected as" if found else "There is no connected assistant"
            raise NotFound(f"{why} `{which}`. `autri connections list` shows their ids.")
        gone = api.call("POST", f"/connections/{found[0]['id']}/end")
    print_done(gone, json, f"{gone['client_name']} is refused from now on.")
