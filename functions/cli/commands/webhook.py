"""`autri webhook …`: addresses that are told what happens in a knowledge base."""

from typing import Annotated, Any

import typer

from functions.cli.api import ApiClient, open_api
from functions.cli.find import find_knowledge_base
from functions.cli.options import Json, Token, Url
from functions.cli.output import new_table, out, print_done, print_json
from shared.errors import NotFound

app = typer.Typer(no_args_is_help=True, help="Webhooks: add, list, test, rotate, enable, remove, deliveries, again.")

Which = Annotated[str, typer.Argument(metavar="WEBHOOK", help="Its id, or its address where one alone has it.")]
Kb = Annotated[str, typer.Option("--kb", metavar="NAME", help="The knowledge base, by name or id.")]
SomeKb = Annotated[str | None, typer.Option("--kb", metavar="NAME", help="Only those of this knowledge base.")]
Events = Annotated[
    list[str] | None,
    typer.Option(
        "--event",
        metavar="EVENT",
        help="document.ready, document.failed, evaluation.below_floor; else all. Repeatable.",
    ),
]
Overlap = Annotated[int, typer.Option("--overlap", metavar="HOURS", min=0, max=720, help="How long both secrets sign.")]
Most = Annotated[int, typer.Option("--limit", min=1, max=500, help="How many at most.")]
KEEP = "Keep it now: it is shown this once. docs/webhooks.md says how the receiver checks signatures with it."


@app.command()
def add(
    address: Annotated[str, typer.Argument(metavar="URL", help="Where it is told: https://…")],
    kb: Kb,
    event: Events = None,
    json: Json = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Have an address told what happens in a knowledge base. Its secret is shown this once."""
    with open_api(url, token) as api:
        body: dict[str, Any] = {"knowledge_base_id": find_knowledge_base(api, kb)["id"], "url": address}
        made = api.call("POST", "/webhooks", body | ({"events": event} if event else {}))
    _print_secret(made, json)


@app.command("list")
def list_all(kb: SomeKb = None, json: Json = False, url: Url = None, token: Token = None) -> None:
    """List the webhooks of a knowledge base, or of all."""
    with open_api(url, token) as api:
        found = list(
            api.items("/webhooks", **({"knowledge_base_id": find_knowledge_base(api, kb)["id"]} if kb else {}))
        )
        bases = {one["id"]: one["name"] for one in api.items("/knowledge-bases")}
    if json:
        print_json(found)
        return
    table = new_table("address", "knowledge base", "is told", "state", "waiting", "id")
    for one in found:
        told = ", ".join(one["events"])
        base = bases.get(one["knowledge_base_id"], "")
        table.add_row(one["url"], base, told, _state(one), str(one["waiting"]), one["id"])
    out.print(table if found else "No webhook yet. Make one: [bold]autri webhook add https://… --kb NAME[/]")


@app.command("test")
def try_it(which: Which, json: Json = False, url: Url = None, token: Token = None) -> None:
    """Send a webhook.test."""
    with open_api(url, token) as api:
        found = _find(api, which)
        told = api.call("POST", f"/webhooks/{found['id']}/test")
    print_done(told, json, f"On its way; autri webhook deliveries {found['id']} says whether it arrived.")


@app.command()
def rotate(which: Which, overlap: Overlap = 24, json: Json = False, url: Url = None, token: Token = None) -> None:
    """Make a new secret, which is shown this once; for some hours the one so far signs as well."""
    with open_api(url, token) as api:
        made = api.call("POST", f"/webhooks/{_find(api, which)['id']}/rotate", {"overlap_hours": overlap})
    _print_secret(made, json)


@app.command()
def enable(which: Which, json: Json = False, url: Url = None, token: Token = None) -> None:
    """Tell it again what happens from now on, after it was disabled because nothing arrived."""
    with open_api(url, token) as api:
        found = api.call("POST", f"/webhooks/{_find(api, which)['id']}/enable")
    print_done(found, json, f"{found['url']} is told again what happens from now on.")


@app.command()
def remove(which: Which, json: Json = False, url: Url = None, token: Token = None) -> None:
    """Tell it nothing more, not even what waits."""
    with open_api(url, token) as api:
        gone = api.call("DELETE", f"/webhooks/{_find(api, which)['id']}")
    print_done(gone, json, f"{gone['url']} is told nothing more.")


@app.command()
def deliveries(which: Which, limit: Most = 30, json: Json = False, url: Url = None, token: Token = None) -> None:
    """List what it was told within the last 30 days, newest first."""
    with open_api(url, token) as api:
        found = api.call("GET", f"/webhooks/{_find(api, which)['id']}/deliveries", limit=limit)["items"]
    if json:
        print_json(found)
        return
    table = new_table("when", "event", "state", "attempts", "answer", "next attempt", "id")
    for one in found:
        answer = one["error"] or (str(one["status"]) if one["status"] else "")
        due = (one["due_at"] or "")[:19].replace("T", " ")
        when = one["created_at"][:19].replace("T", " ")
        table.add_row(when, one["event"], one["state"], str(one["attempts"]), answer, due, one["id"])
    out.print(table if found else "It was told nothing yet. Try it: autri webhook test WEBHOOK")


@app.command()
def again(
    which: Which,
    delivery: Annotated[str, typer.Argument(help="The delivery's id, as listed by deliveries.")],
    json: Json = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Send a delivery once more, under the same id."""
    with open_api(url, token) as api:
        told = api.call("POST", f"/webhooks/{_find(api, which)['id']}/deliveries/{delivery}/again")
    print_done(told, json, "On its way.")


def _find(api: ApiClient, which: str) -> dict[str, Any]:
    found = [one for one in api.items("/webhooks") if which in (one["id"], one["url"])]
    if len(found) != 1:
        why = f"{len(found)} webhooks have the address" if found else "There is no webhook"
        raise NotFound(f"{why} `{which}`. `autri webhook list` shows their ids.")
    return found[0]


def _state(one: dict[str, Any]) -> str:
    if one["disabled_at"]:
        return f"disabled {one['disabled_at'][:10]}"
    return f"failing since {one['failing_since'][:16].replace('T', ' ')}" if one["failing_since"] else "well"


def _print_secret(made: dict[str, Any], json: bool) -> None:
    if json:
        print_json(made)
        return
    out.print(f"[bold]{made['secret']}[/]", KEEP, f"Its id: {made['id']}", sep="\n")
