"""`autri watch …`: sites whose pages are documents, and stay as they are there."""

from collections.abc import Generator
from typing import Annotated, Any

import typer

from functions.cli.api import ApiClient, open_api
from functions.cli.find import find_knowledge_base
from functions.cli.options import Json, Kb, SomeKb, Token, Url
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
def list_watches(kb: SomeKb = None, json: Json = False, url: Url = None, token: Token = None) -> None:
    """List watched sites with what the last look found."""
    with open_api(url, token) as api:
        found = list(_watched(api, kb))
    if json:
        print_json([one for _, one in found])
        return
    table = new_table("knowledge base", "address", "kind", "pages", "last look", "found")
    for base, one in found:
        looked = (one["looked_at"] or "not yet")[:16]
        table.add_row(base["slug"], one["name"], one["kind"], str(one["files"]), looked, _told(one))
    out.print(table if found else "No site is watched. Watch one: autri watch add URL --kb NAME")


@app.command()
def look(watched: Watched, kb: SomeKb = None, json: Json = False, url: Url = None, token: Token = None) -> None:
    """Look at a site now, not when its time has come."""
    with open_api(url, token) as api:
        asked = api.call("POST", f"/watches/{_find(api, kb, watched)['id']}/look")
    print_done(asked, json, f"{asked['name']} is looked at next; autri watch list says what was found.")


@app.command()
def remove(watched: Watched, kb: SomeKb = None, json: Json = False, url: Url = None, token: Token = None) -> None:
    """Watch a site no more. Its documents stay."""
    with open_api(url, token) as api:
        gone = api.call("DELETE", f"/sources/{_find(api, kb, watched)['id']}")
    print_done(gone, json, f"{gone['name']} is watched no more; its documents stay.")


def _watched(api: ApiClient, kb: str | None) -> Generator[tuple[dict[str, Any], dict[str, Any]]]:
    """Each watched site after its knowledge base: of `kb`, or of all."""
    bases = [find_knowledge_base(api, kb)] if kb else list(api.items("/knowledge-bases"))
    for base in bases:
        for one in api.items("/sources", knowledge_base_id=base["id"]):
            if one["kind"] in WATCHED:
                yield base, one


def _find(api: ApiClient, kb: str | None, watched: str) -> dict[str, Any]:
    found = [(base, one) for base, one in _watched(api, kb) if watched in (one["id"], one["name"])]
    if not found:
        raise typer.BadParameter(f"{watched} is not watched. What is: autri watch list")
    if len(found) > 1:
        names = ", ".join(base["slug"] for base, _ in found)
        raise typer.BadParameter(f"{watched} is watched for several knowledge bases: {names}. Say which: --kb NAME")
    return found[0][1]


def _told(one: dict[str, Any]) -> str:
    counts = ", ".join(f"{number} {what}" for what, number in (one["result"] or {}).items())
    return one["error"] or counts
