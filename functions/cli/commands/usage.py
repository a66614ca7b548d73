"""`autri usage`: this month against the plan, and what it cost."""

from typing import Annotated, Any

import typer

from functions.cli.api import open_api
from functions.cli.options import Json, Token, Url
from functions.cli.output import new_table, out, print_json

Costs = Annotated[bool, typer.Option("--costs", help="What models and run time cost, by stage and by document.")]
Month = Annotated[str | None, typer.Option(metavar="YYYY-MM", help="With --costs: of this month; the present one.")]


def usage(costs: Costs = False, month: Month = None, json: Json = False, url: Url = None, token: Token = None) -> None:
    """Show what the organization has used of its plan this month (UTC), and where that leads."""
    with open_api(url, token) as api:
        found = api.call("GET", "/usage/costs", month=month) if costs else api.call("GET", "/usage")
    if json:
        print_json(found)
    elif costs:
        _print_costs(found)
    else:
        _print_usage(found)


def _print_usage(found: dict[str, Any]) -> None:
    table = new_table("", "used", "of", "month's end", "", numbers=("used", "of", "month's end"))
    for one in found["lines"]:
        limit = "no limit" if one["limit"] is None else f"{one['limit']:,}"
        end = "" if one["forecast"] is None else f"{one['forecast']:,}"
        out_on = f"runs out on {one['runs_out_on']}" if one["runs_out_on"] else ""
        table.add_row(one["name"].replace("_", " "), f"{one['used']:,}", limit, end, out_on)
    out.print(table)
    out.print(f"Plan {found['plan']}; pages and questions begin anew on {found['resets_on']} (UTC).")
    budget = "" if found["model_usd_per_day"] is None else f" of ${found['model_usd_per_day']:,.2f} a day"
    out.print(f"Models today: ${found['model_usd_today']:,.4f}{budget}.")


def _print_costs(found: dict[str, Any]) -> None:
    stages = new_table("stage", "what", "calls", "seconds", "usd", numbers=("calls", "seconds", "usd"))
    for one in found["stages"]:
        stages.add_row(one["stage"], one["resource"], f"{one['calls']:,}", f"{one['seconds']:,.1f}", _usd(one["usd"]))
    out.print(stages)
    documents = new_table("document", "pages", "seconds", "models", "run time", numbers=("pages", "seconds", "models"))
    for one in found["documents"]:
        documents.add_row(
            one["name"], f"{one['pages']:,}", f"{one['seconds']:,.1f}", _usd(one["model_usd"]), _usd(one["compute_usd"])
        )
    out.print(documents)
    priced = (
        f"run time {_usd(found['compute_usd'])} ({found['prices_of']})" if found["prices_of"] else "run time is free"
    )
    out.print(f"{found['month'][:7]}: models {_usd(found['model_usd'])}, {priced}.")


def _usd(amount: float | None) -> str:
    return "–" if amount is None else f"${amount:,.4f}"
