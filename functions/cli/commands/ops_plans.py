"""`autri ops plan set` and `autri ops packs add`: what an operator gives to organizations."""

from typing import Annotated, get_args

import typer

from functions.cli.api import open_api
from functions.cli.options import Json, Token, Url
from functions.cli.output import count, print_done
from shared.contract import PlanName
from shared.errors import BadInput

plan_app = typer.Typer(no_args_is_help=True, help="Plans of organizations.")
packs_app = typer.Typer(no_args_is_help=True, help="Pages beside a plan.")

DEPLOYMENTS_OWN = "default"
Organization = Annotated[str, typer.Argument(metavar="ORGANIZATION", help="Its slug.")]
NAMES = (*get_args(PlanName), DEPLOYMENTS_OWN)
Plan = Annotated[str, typer.Argument(metavar="PLAN", help=f"{', '.join(NAMES)} (the deployment's own).")]
Pages = Annotated[int, typer.Argument(min=1, help="How many.")]
Permanent = Annotated[bool, typer.Option("--permanent", help="For every month from now on, not for this one alone.")]


@plan_app.callback()
@packs_app.callback()
def together() -> None:
    """Keeps each command a subcommand."""


@plan_app.command("set")
def set_plan(organization: Organization, plan: Plan, json: Json = False, url: Url = None, token: Token = None) -> None:
    """Give an organization a plan. For owners and admins of the organization that operates the deployment."""
    if plan not in NAMES:
        raise BadInput(f"There is no plan `{plan}`. There are {', '.join(NAMES)}.")
    with open_api(url, token) as api:
        found = api.call("PUT", "/ops/plans", {"organization": organization, "plan": plan})
    has = "the deployment's plan" if plan == DEPLOYMENTS_OWN else f"the plan {plan}"
    print_done(found, json, f"{organization} has {has}, from the next request on.")


@packs_app.command("add")
def add_pages(
    organization: Organization,
    pages: Pages,
    permanent: Permanent = False,
    json: Json = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Give an organization pages beside its plan, for this month (UTC). For who operates the deployment."""
    with open_api(url, token) as api:
        body = {"organization": organization, "pages": pages, "permanent": permanent}
        found = api.call("POST", "/ops/packs", body)
    when = "more in every month" if permanent else "more in this month"
    print_done(found, json, f"{organization} has {count(pages, 'page')} {when}.")
