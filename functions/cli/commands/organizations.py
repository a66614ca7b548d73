"""`autri organizations …`: those that one belongs to; an operator makes new ones."""

import re
from typing import Annotated

import typer

from functions.cli.api import open_api
from functions.cli.options import Json, Token, Url
from functions.cli.output import new_table, out, print_json
from shared.errors import BadInput

app = typer.Typer(no_args_is_help=True, help="Organizations: list, create.")

SLUG = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,58}[a-z0-9])?")
Slug = Annotated[str, typer.Argument(metavar="SLUG", help="Its short name: lower case, digits, hyphens.")]
Name = Annotated[str | None, typer.Option(help="As people read it; else the slug.")]
Owner = Annotated[
    str | None, typer.Option(metavar="E-MAIL", help="Who is invited as its owner; else it is this machine's user.")
]


@app.command("list")
def list_all(json: Json = False, url: Url = None, token: Token = None) -> None:
    """List the organizations that you belong to, or are invited by; `autri --organization SLUG …` acts for one."""
    with open_api(url, token) as api:
        me = api.call("GET", "/me")
    if json:
        print_json(me["organizations"])
        return
    table = new_table("slug", "name", "role", "")
    for one in me["organizations"]:
        state = "acting for" if one["id"] == me["organization"]["id"] else "" if one["joined"] else "invited"
        table.add_row(one["slug"], one["name"], one["role"], state)
    out.print(table)


@app.command()
def create(slug: Slug, name: Name = None, owner: Owner = None, json: Json = False) -> None:
    """Make an organization on this machine's data: for its operator."""
    from functions.local import local_store
    from shared.settings import LocalSettings
    from shared.store.provision import LOCAL_EMAIL, Organization, create_organization

    if not SLUG.fullmatch(slug):
        raise BadInput(f"`{slug}` is no slug: take up to 60 lower-case letters, digits and hyphens between them.")
    if owner is not None and "@" not in owner.strip("@"):
        raise BadInput(f"`{owner}` is no e-mail address.")
    wanted = Organization(slug, name or slug, owner or LOCAL_EMAIL)
    with local_store(LocalSettings().home) as system:
        create_organization(system.owner_dsn, wanted)
    if json:
        print_json({"slug": wanted.slug, "name": wanted.name, "owner": wanted.owner_email})
        return
    out.print(f"[green]✓[/] [bold]{slug}[/] is there. Act for it: autri --organization {slug} kb create NAME")
