"""`autri login`, `autri logout`, `autri whoami`."""

import sys
from typing import Annotated

import typer
from rich.markup import escape

from functions.cli.api import open_api
from functions.cli.credentials import ask_login, forget, load, store
from functions.cli.errors import ApiError
from functions.cli.login_flow import read_configuration, sign_in_by_browser, sign_in_by_hand
from functions.cli.options import Json, Token, Url
from functions.cli.output import out, print_json, print_note
from shared.errors import BadInput, Unavailable

NoBrowser = Annotated[bool, typer.Option("--no-browser", help="Print the address; paste what the browser ends at.")]
Read = Annotated[bool, typer.Option("--read", help="To read and search alone, whatever your role.")]


def login(no_browser: NoBrowser = False, read: Read = False, json: Json = False, url: Url = None) -> None:
    """Sign in at a server (--url), for all commands that follow."""
    server = _server(url)
    configuration = read_configuration(server)
    if no_browser:
        found = sign_in_by_hand(configuration, reading=read, say=print_note, ask=sys.stdin.readline)
    else:
        found = sign_in_by_browser(configuration, reading=read, say=print_note)
    store(server, found)
    whoami(json, server, None)


def logout(json: Json = False, url: Url = None) -> None:
    """Sign out at a server: the tokens that this machine holds are void."""
    server = _server(url)
    found = load(server)
    if found is not None:
        try:
            with open_api(server, None) as api:
                api.call("POST", "/sign-out", {})
        except (ApiError, BadInput, Unavailable):
            print_note("The server could not be told; its audit log does not have it.")
        try:
            ask_login(found.login_url, "revoke", {"token": found.refresh_token, "client_id": found.client_id})
        except Unavailable:
            print_note("The sign-in service could not be told; the tokens end by themselves, after 30 days at most.")
        forget(server)
    if json:
        print_json({"url": server, "was_signed_in": found is not None})
        return
    out.print(f"[green]✓[/] Signed out at {server}." if found else f"Nobody was signed in at {server}.")


def whoami(json: Json = False, url: Url = None, token: Token = None) -> None:
    """Who you are, and which organizations you may act for."""
    with open_api(url, token) as api:
        me = api.call("GET", "/me")
    if json:
        print_json(me)
        return
    others = [one["slug"] for one in me["organizations"] if one["id"] != me["organization"]["id"]]
    out.print(
        f"{escape(me['user']['email'] or me['user']['name'])}, {me['user']['role']} of"
        f" {escape(me['organization']['name'])}."
    )
    if others:
        out.print(f"Also: {', '.join(others)}. Act for one: autri --organization {others[0]} …")


def _server(url: str | None) -> str:
    if url is None:
        raise BadInput("Say where: autri login --url https://…, or set AUTRI_URL.")
    return url
