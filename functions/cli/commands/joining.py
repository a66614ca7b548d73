"""`autri domains …` and `autri groups …`: how people belong to the organization without an invitation."""

from typing import Annotated, Any

import typer

from functions.cli.api import ApiClient, open_api
from functions.cli.options import Json, Token, Url
from functions.cli.output import new_table, out, print_done, print_json
from shared.errors import NotFound

domains = typer.Typer(no_args_is_help=True, help="Domains whose people join by themselves: list, add, verify, remove.")
groups = typer.Typer(no_args_is_help=True, help="Roles by groups of the identity provider: list, set, remove.")

DomainName = Annotated[str, typer.Argument(metavar="DOMAIN", help="As behind the @ of its people's addresses.")]
GroupName = Annotated[str, typer.Argument(metavar="GROUP", help="As the identity provider's token has it.")]
RoleOption = Annotated[str, typer.Option("--role", metavar="ROLE", help="admin, editor or viewer: as what they join.")]
RoleName = Annotated[str, typer.Argument(metavar="ROLE", help="admin, editor or viewer.")]


@domains.command("list")
def list_domains(json: Json = False, url: Url = None, token: Token = None) -> None:
    """List domains, and the TXT record that each needs."""
    with open_api(url, token) as api:
        found = list(api.items("/domains"))
    if json:
        print_json(found)
        return
    table = new_table("domain", "role", "verified", "TXT record", "that says")
    for one in found:
        table.add_row(one["domain"], one["role"], (one["verified_at"] or "")[:10], one["txt_name"], one["txt_value"])
    out.print(table if found else "No domain yet. Claim one: [bold]autri domains add DOMAIN[/]")


@domains.command()
def add(
    domain: DomainName, role: RoleOption = "viewer", json: Json = False, url: Url = None, token: Token = None
) -> None:
    """Claim a domain, or change the role of one. It takes effect when it is verified."""
    with open_api(url, token) as api:
        made = api.call("POST", "/domains", {"domain": domain, "role": role})
    if json:
        print_json(made)
        return
    out.print(f"Add a TXT record [bold]{made['txt_name']}[/] that says [bold]{made['txt_value']}[/]")
    out.print(f"Then: autri domains verify {made['domain']}")


@domains.command()
def verify(domain: DomainName, json: Json = False, url: Url = None, token: Token = None) -> None:
    """Look the TXT record up. Exits 1 where it is not there."""
    with open_api(url, token) as api:
        done = api.call("POST", f"/domains/{_find(api, '/domains', 'domain', domain.lower())['id']}/verify")
    print_done(done, json, f"Whoever signs in with a verified address at {done['domain']} joins as {done['role']}.")


@domains.command("remove")
def remove_domain(domain: DomainName, json: Json = False, url: Url = None, token: Token = None) -> None:
    """Nobody joins by it any more; who has joined stays."""
    with open_api(url, token) as api:
        gone = api.call("DELETE", f"/domains/{_find(api, '/domains', 'domain', domain.lower())['id']}")
    print_done(gone, json, f"Nobody joins by {gone['domain']} any more.")


@groups.command("list")
def list_groups(json: Json = False, url: Url = None, token: Token = None) -> None:
    """List the roles that groups give."""
    with open_api(url, token) as api:
        found = list(api.items("/group-roles"))
    if json:
        print_json(found)
        return
    table = new_table("group", "role")
    for one in found:
        table.add_row(one["group"], one["role"])
    out.print(table if found else "No group gives a role.")


@groups.command("set")
def set_role(group: GroupName, role: RoleName, json: Json = False, url: Url = None, token: Token = None) -> None:
    """Give a group's people a role, where their own is less."""
    with open_api(url, token) as api:
        made = api.call("POST", "/group-roles", {"group": group, "role": role})
    print_done(made, json, f"Members whose token names {made['group']} are at least {made['role']}.")


@groups.command("remove")
def remove_group(group: GroupName, json: Json = False, url: Url = None, token: Token = None) -> None:
    """Take the role from the group: its people are what they are without it."""
    with open_api(url, token) as api:
        gone = api.call("DELETE", f"/group-roles/{_find(api, '/group-roles', 'group', group)['id']}")
    print_done(gone, json, f"{gone['group']} gives no role any more.")


def _find(api: ApiClient, path: str, field: str, wanted: str) -> dict[str, Any]:
    for one in api.items(path):
        if one[field] == wanted:
            return one
    raise NotFound(f"There is no {field} `{wanted}` here. `list` shows those there are.")
