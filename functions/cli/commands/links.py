"""`autri links …`: what shows a conversation or a notebook to whoever has it."""

from datetime import UTC, datetime
from typing import Annotated, Any

import typer

from functions.cli.api import open_api
from functions.cli.options import Json, Token, Url
from functions.cli.output import new_table, out, print_done, print_json, shorten
from shared.errors import NotFound

app = typer.Typer(no_args_is_help=True, help="Links that show conversations and notebooks: list, revoke.")


@app.command("list")
def list_all(json: Json = False, url: Url = None, token: Token = None) -> None:
    """List the links that you made, and those of notebooks that you may change, with how often each was opened."""
    with open_api(url, token) as api:
        found = list(api.items("/shares"))
    if json:
        print_json(found)
        return
    table = new_table("shows", "by", "ends", "opened", "last", "id", numbers=("opened",))
    for one in found:
        last = (one["opened_at"] or "")[:16].replace("T", " ")
        by = "you" if one["own"] else one["author"] or ""
        table.add_row(_shows(one), by, _ends(one), str(one["opened"]), last, one["id"])
    out.print(table if found else "There is no link. Make one: autri thread share, autri notebook share")


@app.command()
def revoke(
    link: Annotated[str, typer.Argument(metavar="LINK", help="Its id, as `autri links list` shows it.")],
    json: Json = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Take a link back: from the next request on it shows nothing."""
    with open_api(url, token) as api:
        found = next((one for one in api.items("/shares") if one["id"] == link), None)
        if found is None:
            raise NotFound(
                f"There is no link `{link}` that you may take back. `autri links list` shows those there are."
            )
        home = f"/notebooks/{found['notebook_id']}" if found["notebook_id"] else f"/threads/{found['thread_id']}"
        gone = api.call("POST", f"{home}/shares/{link}/revoke")
    print_done(gone, json, f"The link to {_shows(found)} shows nothing from now on.")


def _shows(one: dict[str, Any]) -> str:
    kind = "notebook" if one["notebook_id"] else "conversation"
    return f"{kind} {shorten(one['title'])}" if one["title"] else f"a {kind} that you do not see"


def _ends(one: dict[str, Any]) -> str:
    if one["revoked_at"]:
        return f"revoked {one['revoked_at'][:10]}"
    ends = datetime.fromisoformat(one["expires_at"])
    return f"{'ended' if ends <= datetime.now(UTC) else ''} {one['expires_at'][:16].replace('T', ' ')}".strip()
