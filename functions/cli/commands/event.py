"""`autri event …`: what other systems report, which the digest states."""

import json as json_text
from datetime import UTC, datetime
from typing import Annotated, Any

import typer

from functions.cli.api import open_api
from functions.cli.confirm import confirm_deletion
from functions.cli.find import find_knowledge_base
from functions.cli.options import Json, Kb, Token, Url, Yes
from functions.cli.output import new_table, out, print_done, print_json

app = typer.Typer(no_args_is_help=True, help="Events of other systems, which the digest states: add, list, delete.")


@app.command()
def add(
    kb: Kb,
    kind: Annotated[str, typer.Argument(help="What happened: deployment, payment, metric …")],
    subject: Annotated[str, typer.Argument(help="What it happened to.")],
    value: Annotated[
        list[str] | None, typer.Option(metavar="NAME=VALUE", help="A number, text, true or false.")
    ] = None,
    at: Annotated[str | None, typer.Option(metavar="TIME", help="When, ISO 8601 with a zone; else now.")] = None,
    key: Annotated[str | None, typer.Option(help="By which the same event is known again.")] = None,
    json: Json = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Report an event. The same one again is stored once."""
    values = {name: _value(text) for name, _, text in (one.partition("=") for one in value or [])}
    body: dict[str, Any] = {"kind": kind, "subject": subject, "at": at or datetime.now(UTC).isoformat()}
    with open_api(url, token) as api:
        own = {"knowledge_base_id": find_knowledge_base(api, kb)["id"], "values": values, "key": key}
        made = api.call("POST", "/events", body | own)
    print_done(made, json, f"{'There already' if made['duplicate'] else 'Reported'}: {kind} {subject}, {made['id']}")


@app.command("list")
def list_all(
    kb: Kb,
    kind: Annotated[str | None, typer.Option(help="Only those of this kind.")] = None,
    json: Json = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """List events, those that were reported last first."""
    with open_api(url, token) as api:
        base = find_knowledge_base(api, kb)["id"]
        found = list(api.items("/events", knowledge_base_id=base, kind=kind))
    if json:
        print_json(found)
        return
    table = new_table("at", "kind", "subject", "values", "stated in", "id")
    for one in found:
        values = "; ".join(f"{name} {value}" for name, value in one["values"].items())
        table.add_row(one["at"][:16].replace("T", " "), one["kind"], one["subject"], values, _files(one), one["id"])
    out.print(table if found else "Nothing was reported.")


def _files(event: dict[str, Any]) -> str:
    return ", ".join(file["path"] for file in event["files"])


@app.command()
def delete(
    event: Annotated[str, typer.Argument(help="Its id.")],
    yes: Yes = False,
    json: Json = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Delete an event; what the digest says from it goes at once."""
    confirm_deletion("the event", yes=yes)
    with open_api(url, token) as api:
        gone = api.call("DELETE", f"/events/{event}")
    print_done(gone, json, "The event is deleted.")


def _value(text: str) -> Any:
    try:
        value: Any = json_text.loads(text)
    except ValueError:
        return text
    return value if isinstance(value, bool | int | float | str) else text
