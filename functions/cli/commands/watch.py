"""`autri watch …`: sites whose pages are documents, and stay as they are there."""

from typing import Annotated, Any

import typer

from functions.cli.api import ApiClient, open_api
from functions.cli.find import find_knowledge_base
from functions.cli.options import Json, Kb, Token, Url
from functions.cli.output import new_table, out, print_done, print_json

app = typer.Typer(no_args_is_help=True, help="Watched sites: add, list, look, remove.")

Patterns = list[str] | None
Watched = Annotated[str, typer.Argument(metavar="SITE", help="Its address or id.")]
WATCHED = frozenset({"sitemap", "feed"})


@app.command()
def add(
    address: Annotated[str, typer.Argument(metavar="URL", help="Of a sitemap or a feed (RSS, Atom).")],
    kb: Kb,
    feed: Annotated[bool, typer.Option("--feed", help="It is a feed.")] = False,
    include: Annotated[Patterns, typer.Option(metavar="PATTERN", help="Only such paths: /guide/*")] = None,
    exclude: Annotated[Patterns, typer.Option(metavar="PATTERN", help="Not such paths.")] = None,
    every: Annotated[float, typer.Option(metavar="HOURS", help="How often to look.")] = 24,
    limit: Annotated[int, typer.Option(help="How many pages at most.")] = 200,
    delay: Annotated[float, typer.Option(metavar="SECONDS", help="Between two pages; more where the site asks.")] = 2,
    json: Json = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Watch a site. Its robots.txt is followed; maintenance of the server looks at it."""
    with open_api(url, token) as api:
        base = find_knowledge_base(api, kb)
        wanted = {"knowledge_base_id": base["id"], "url": address, "kind": "feed" if feed else "sitemap"}
        wanted |= {"include": include or [], "exclude": exclude or []}
        wanted |= {"every_hours": every, "limit": limit, "delay_seconds": delay}
        made = api.call("POST", "/watches", wanted)
    print_done(made, json, f"Watching {made['name']} from now on.")


@app.command("list")
def list_watches(kb: Kb, json: Json = False, url: Url = None, token: Token = None) -> None:
    """List watched sites with what the last look found."""
    with open_api(url, token) as api:
        base = find_knowledge_base(api, kb)
        found = [one for one in api.items("/sources", knowledge_base_id=base["id"]) if one["kind"] in WATCHED]
    if json:
        print_json(found)
        return
    table = new_table("address", "kind", "pages", "last look", "found")
    for one in found:
        table.add_row(one["name"], one["kind"], str(one["files"]), (one["looked_at"] or "not yet")[:16], _told(one))
    out.print(table)


@app.command()
def look(watched: Watched, kb: Kb, json: Json = False, url: Url = None, token: Token = None) -> None:
    """Look at a site now, not when its time has come."""
    with open_api(url, token) as api:
        asked = api.call("POST", f"/watches/{_find(api, kb, watched)['id']}/look")
    print_done(asked, json, f"{asked['name']} is looked at next; autri watch list --kb {kb} says what was found.")


@app.command()
def remove(
    watched: Watched,
    kb: Kb,
    json: Json = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Watch a site no more. Its documents stay."""
    with open_api(url, token) as api:
        gone = api.call("DELETE", f"/sources/{_find(api, kb, watched)['id']}")
    print_done(gone, json, f"{gone['name']} is watched no more; its documents stay.")


def _find(api: ApiClient, kb: str, watched: str) -> dict[str, Any]:
    base = find_knowledge_base(api, kb)
    for one in api.items("/sources", knowledge_base_id=base["id"]):
        if one["kind"] in WATCHED and watched in (one["id"], one["name"]):
            return one
    raise typer.BadParameter(f"{watched} is not watched for {base['name']}.")


def _told(one: dict[str, Any]) -> str:
    counts = ", ".join(f"{number} {what}" for what, number in (one["result"] or {}).items())
    return one["error"] or counts
