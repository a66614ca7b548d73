"""`autri context`: what a task should read."""

import sys
from typing import Annotated, Any

import typer

from functions.cli.api import open_api
from functions.cli.find import find_knowledge_bases
from functions.cli.options import Json, Token, Url
from functions.cli.output import new_table, out, print_json, shorten
from shared.domain.context import BUDGET_LEAST, BUDGET_MOST

REASONS = {"budget": "did not fit", "covered": "its passage is there", "deleted": "what it stood on is gone"}


def context(
    task: Annotated[str, typer.Argument(help="What is to be done, or asked.")],
    budget: Annotated[
        int, typer.Option("--budget", metavar="TOKENS", min=BUDGET_LEAST, max=BUDGET_MOST, help="At most so many.")
    ] = 4000,
    kb: Annotated[
        list[str] | None,
        typer.Option("--kb", metavar="NAME", help="Knowledge base: its name, slug or id. All when left out."),
    ] = None,
    passages: Annotated[bool, typer.Option("--passages", help="Verbatim passages alone, without the digest.")] = False,
    why: Annotated[bool, typer.Option("--why", help="Say what was chosen and why, and what was left out.")] = False,
    json: Json = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Print what a task should read, within a budget of tokens: from the digest and the documents, with sources."""
    with open_api(url, token) as api:
        body: dict[str, Any] = {"task": task, "budget_tokens": budget, "digest": not passages}
        if kb:
            body["knowledge_base_ids"] = [found["id"] for found in find_knowledge_bases(api, kb)]
        found = api.call("POST", "/context", body)
    if json:
        print_json(found)
        return
    if why:
        _print_why(found)
        return
    # As it is, for a pipe: nothing is wrapped or coloured.
    sys.stdout.write(found["text"])
    for one in found["sources"]:
        stale = "" if one["standing"] == "current" else f" ({one['standing']})"
        sys.stdout.write(f"[{one['number']}] {source_line(one)}{stale}\n")
    sys.stderr.write(f"{found['tokens']} of {found['budget_tokens']} tokens ({found['counted_by']})\n")


def source_line(one: dict[str, Any]) -> str:
    """The document, version, section and page of a source; of another kind its id."""
    page = f"p. {one['page']}" if one["page"] else None
    named = [part for part in (one["document"], one["version"], one["section"], page) if part]
    return " · ".join(named) if one["document"] else f"{one['kind']} {one['source_id']}"


def _print_why(found: dict[str, Any]) -> None:
    table = new_table("kind", "what", "why", "tokens", "stale", numbers=("tokens", "stale"))
    for one in found["parts"]:
        stale = sum(statement["stale"] for statement in one["statements"])
        table.add_row(one["kind"], shorten(one["title"]), one["why"], str(one["tokens"]), str(stale))
    for one in found["left_out"]:
        table.add_row(one["kind"], shorten(one["title"]), f"left out: {REASONS[one['reason']]}", str(one["tokens"]), "")
    out.print(table)
    out.print(f"{found['tokens']} of {found['budget_tokens']} tokens ({found['counted_by']})")
