"""`autri traces …`: what was asked, and how it was answered."""

from itertools import islice
from typing import Annotated, Any

import typer
from rich.markup import escape

from functions.cli.api import ApiClient, open_api
from functions.cli.find import find_knowledge_base
from functions.cli.options import Json, SomeKb, Token, Url
from functions.cli.output import INDEX_NAMES, count, new_table, out, print_json, shorten

app = typer.Typer(no_args_is_help=True, help="Traces of searches, look-ups and answers: list, show, keep.")

HowMany = Annotated[int, typer.Option("-n", min=1, max=10_000, help="How many, newest first.")]
Which = Annotated[str | None, typer.Option(metavar="OPERATOR", help="Only search, lookup or ask.")]
TraceId = Annotated[str, typer.Argument(metavar="ID", help="The id that a search ends with.")]
Days = Annotated[int | None, typer.Argument(metavar="DAYS", min=0, max=3650)]
EXCERPT_SHOWN = 48
DROPPED_SHOWN = 30


@app.command("list")
def list_all(
    kb: SomeKb = None, operator: Which = None, n: HowMany = 20, json: Json = False, url: Url = None, token: Token = None
) -> None:
    """List what was asked, newest first."""
    with open_api(url, token) as api:
        base = find_knowledge_base(api, kb)["id"] if kb else None
        found = list(islice(api.items("/traces", knowledge_base_id=base, operator=operator), n))
    if json:
        print_json(found)
        return
    table = new_table("id", "when", "operator", "query", "hits", "ms", numbers=("hits", "ms"))
    for item in found:
        when = item["created_at"][:19].replace("T", " ")
        query = shorten(item["query"])
        table.add_row(item["id"], when, item["operator"], query, str(item["hits"]), f"{item['latency_ms']:.1f}")
    out.print(table if found else "Nothing was asked yet, or its traces are older than they are kept.")


@app.command()
def show(trace_id: TraceId, json: Json = False, url: Url = None, token: Token = None) -> None:
    """Show one: plans, candidates, what was dropped and why, times."""
    with open_api(url, token) as api:
        trace = api.call("GET", f"/traces/{trace_id}")
        if json:
            print_json(trace)
            return
        _print_trace(trace, _names(api, trace_id))


@app.command()
def keep(days: Days = None, json: Json = False, url: Url = None, token: Token = None) -> None:
    """Set for how many days traces are kept; without DAYS say it."""
    with open_api(url, token) as api:
        if days is not None:
            api.call("PATCH", "/organization", {"trace_days": days})
        organization = api.call("GET", "/me")["organization"]
    if json:
        print_json(organization)
        return
    kept = count(organization["trace_days"], "day")
    out.print(
        f"Traces of {escape(organization['name'])} are kept for {kept}. Set another: [bold]autri traces keep DAYS[/]"
    )


def _names(api: ApiClient, trace_id: str) -> dict[str, str]:
    """Names for those chunks of a trace that still exist."""
    found = api.call("GET", f"/traces/{trace_id}/chunks")["items"]
    return {
        c["chunk_id"]: f"{c['document_name']} p.{c['page'] or '–'}  {shorten(c['excerpt'], EXCERPT_SHOWN)}"
        for c in found
    }


def _print_trace(trace: dict[str, Any], names: dict[str, str]) -> None:
    out.print(f"[bold]{trace['operator']}[/] {escape(shorten(trace['query'], 200))}  [dim]{trace['created_at']}[/]")
    out.print(f"[dim]{trace['latency_ms']:.1f} ms · request {trace['request_id'] or '–'}[/]")
    if trace["selection"]:
        out.print(f"selected: {escape(trace['selection']['plan'])} [dim]{_figures(trace['selection'])}[/]")
    for index in trace["indexes"]:
        weight = "" if index["weight"] is None else f", weight {index['weight']:.2f}"
        found = f"{count(len(index['candidates']), 'candidate')}{weight}"
        plan = f"{escape(index['plan'])} [dim]{_figures(index)}[/]"
        out.print(f"{INDEX_NAMES[index['name']]}: {found} · {plan}")
    out.print()
    out.print(_hit_table(trace, names))
    if trace["dropped"]:
        out.print()
        out.print(_dropped_table(trace, names))
    out.print()
    out.print(_step_table(trace))


def _figures(part: dict[str, Any]) -> str:
    return escape(" ".join(f"{name}={value}" for name, value in part["figures"].items()))


def _ranks(trace: dict[str, Any]) -> dict[str, dict[str, int]]:
    """Chunk → rank, by index."""
    return {i["name"]: {c["chunk_id"]: c["rank"] for c in i["candidates"]} for i in trace["indexes"]}


def _hit_table(trace: dict[str, Any], names: dict[str, str]) -> Any:
    ranks = _ranks(trace)
    columns = [INDEX_NAMES[name] for name in ranks]
    table = new_table("hit", "score", *columns, "boosts", "chunk", numbers=("hit", "score", *columns))
    for number, hit in enumerate(trace["hits"], start=1):
        moved = " ".join(f"{b['name']} ×{b['factor']:.2f} #{b['from_rank']}→#{b['to_rank']}" for b in hit["boosts"])
        places = [str(index.get(hit["chunk_id"], "–")) for index in ranks.values()]
        name = names.get(hit["chunk_id"], f"{hit['chunk_id']} (deleted since)")
        table.add_row(str(number), f"{hit['score']:.4g}", *places, moved, name)
    return table


def _dropped_table(trace: dict[str, Any], names: dict[str, str]) -> Any:
    ranks = {c["chunk_id"]: c["rank"] for c in trace["ranking"]}
    table = new_table("rank", "dropped because", "chunk", numbers=("rank",))
    dropped = sorted(trace["dropped"], key=lambda item: ranks.get(item["chunk_id"], len(ranks) + 1))
    for item in dropped[:DROPPED_SHOWN]:
        name = names.get(item["chunk_id"], item["chunk_id"])
        table.add_row(str(ranks.get(item["chunk_id"], "–")), item["reason"].replace("_", " "), name)
    if len(dropped) > DROPPED_SHOWN:
        table.add_row("", f"and {len(dropped) - DROPPED_SHOWN} more", "--json lists all")
    return table


def _step_table(trace: dict[str, Any]) -> Any:
    table = new_table("step", "ms", "database", numbers=("ms", "database"))
    for step in trace["steps"]:
        waited = "–" if step["database_ms"] is None else f"{step['database_ms']:.1f}"
        table.add_row(step["name"].replace("_", " "), f"{step['ms']:.1f}", waited)
    return table
