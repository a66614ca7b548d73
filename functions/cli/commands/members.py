"""`autri members …`: who belongs to the organization, and who is invited."""

from typing import Annotated, Any

import typer

from functions.cli.api import open_api
from functions.cli.confirm import confirm_deletion
from functions.cli.find import find_member
from functions.cli.options import Json, Token, Url, Yes
from functions.cli.output import new_table, out, print_done, print_json

app = typer.Typer(no_args_is_help=True, help="Members: list, invite, resend, waiting, bind, role, remove.")

Email = Annotated[str, typer.Argument(metavar="E-MAIL", help="The address that the person signs in with.")]
Who = Annotated[str, typer.Argument(metavar="E-MAIL", help="Their address or id.")]
RoleName = Annotated[str, typer.Argument(metavar="ROLE", help="owner, admin, editor or viewer.")]
RoleOption = Annotated[str, typer.Option("--role", metavar="ROLE", help="owner, admin, editor or viewer.")]
Issuer = Annotated[str, typer.Option(help="As `autri members waiting` shows it.")]
Subject = Annotated[str, typer.Option(help="As `autri members waiting` shows it.")]


@app.command("list")
def list_all(json: Json = False, url: Url = None, token: Token = None) -> None:
    """List members and who is invited."""
    with open_api(url, token) as api:
        found = list(api.items("/members"))
    if json:
        print_json(found)
        return
    _print_members(found)


@app.command()
def invite(email: Email, role: RoleOption = "viewer", json: Json = False, url: Url = None, token: Token = None) -> None:
    """Invite somebody; whoever signs in with this address, verified by the identity provider, becomes the member."""
    with open_api(url, token) as api:
        made = api.call("POST", "/invitations", {"email": email, "role": role})
    _print_one(made, json)


@app.command()
def resend(who: Who, json: Json = False, url: Url = None, token: Token = None) -> None:
    """Send an invitation again."""
    with open_api(url, token) as api:
        sent = api.call("POST", f"/invitations/{find_member(api, who)['id']}/resend")
    _print_one(sent, json)


@app.command()
def waiting(json: Json = False, url: Url = None, token: Token = None) -> None:
    """List open invitations and the sign-ins under their addresses that no provider vouches for."""
    with open_api(url, token) as api:
        found = list(api.items("/invitations"))
    if json:
        print_json(found)
        return
    table = new_table("invited", "role", "issuer", "subject", "last seen")
    for one in found:
        for sign_in in one["waiting"] or [{"issuer": "", "subject": "", "last_seen_at": ""}]:
            seen = sign_in["last_seen_at"][:19].replace("T", " ")
            table.add_row(one["email"], one["role"], sign_in["issuer"], sign_in["subject"], seen)
    out.print(table if found else "Nobody is invited.")


@app.command()
def bind(who: Who, issuer: Issuer, subject: Subject, json: Json = False, url: Url = None, token: Token = None) -> None:
    """Let a waiting sign-in be the invited person. Nobody has verified its address: ask the person first."""
    with open_api(url, token) as api:
        path = f"/invitations/{find_member(api, who)['id']}/bind"
        bound = api.call("POST", path, {"issuer": issuer, "subject": subject})
    _print_one(bound, json)


@app.command()
def role(who: Who, name: RoleName, json: Json = False, url: Url = None, token: Token = None) -> None:
    """Give a member another role."""
    with open_api(url, token) as api:
        changed = api.call("PATCH", f"/members/{find_member(api, who)['id']}", {"role": name})
    _print_one(changed, json)


@app.command()
def remove(who: Who, yes: Yes = False, json: Json = False, url: Url = None, token: Token = None) -> None:
    """Remove a member with their keys, or take an invitation back; with your own address: leave."""
    with open_api(url, token) as api:
        found = find_member(api, who)
        confirm_deletion(f"the membership of {found['email']}", yes=yes)
        gone = api.call("DELETE", f"/members/{found['id']}")
    print_done(gone, json, f"{gone['email']} is no member any more.")


def _print_one(member: dict[str, Any], json: bool) -> None:
    if json:
        print_json(member)
        return
    _print_members([member])


def _print_members(found: list[dict[str, Any]]) -> None:
    table = new_table("e-mail", "name", "role", "invited", "id")
    for one in found:
        table.add_row(one["email"], one["name"], one["role"], (one["invited_at"] or "")[:10], one["id"])
    out.print(table)
