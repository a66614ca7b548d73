"""Options that several commands share."""

import re
from contextvars import ContextVar
from typing import Annotated, Final
from urllib.parse import unquote

import typer

from shared.contract import Env
from shared.errors import BadInput

# What `autri --organization` said: set by every command line, read by `open_api`.
ORGANIZATION: ContextVar[str | None] = ContextVar("organization", default=None)
# The name and the password that stood in --url: sent to that server, told and kept nowhere.
LOGIN: ContextVar[tuple[str, str] | None] = ContextVar("login", default=None)
_LOGIN: Final = re.compile(r"^(?P<scheme>(?:[\w+.-]+:)?//)?(?P<name>[^/?#:]*)(?::(?P<password>[^/?#]*))?@")


def keep_login_apart(url: str | None) -> str | None:
    """The address without the name and password in it, which go to `LOGIN`: it is what commands know, tell and keep.
    Raises BadInput, which does not tell it, where a password cannot be told from the rest."""
    LOGIN.set(None)
    if url is None:
        return None
    address = url.strip()
    if found := _LOGIN.match(address):
        LOGIN.set((unquote(found["name"]), unquote(found["password"] or "")))
        address = f"{found['scheme'] or ''}{address[found.end() :]}"
    if "@" in address:
        raise BadInput(
            "In --url write / ? # and @ as %2F, %3F, %23 and %40 where they are part of a name or a password."
        )
    return address


Json = Annotated[bool, typer.Option("--json", help="Print JSON and nothing else.")]
Url = Annotated[
    str | None,
    typer.Option(
        envvar="AUTRI_URL", callback=keep_login_apart, help="A server to use instead of this machine's own data."
    ),
]
Token = Annotated[str | None, typer.Option(envvar="AUTRI_TOKEN", help="The token for --url.", show_envvar=True)]
Kb = Annotated[str, typer.Option("--kb", metavar="NAME", help="Knowledge base: its name, slug or id.")]
Kbs = Annotated[
    list[str], typer.Option("--kb", metavar="NAME", help="Knowledge base: its name, slug or id. May be repeated.")
]
SomeKb = Annotated[
    str | None, typer.Option("--kb", metavar="NAME", help="Knowledge base: its name, slug or id. All when left out.")
]
Documents = Annotated[
    list[str] | None, typer.Option("--documents", metavar="ID", help="Only this document version. May be repeated.")
]
Superseded = Annotated[bool, typer.Option("--include-superseded", help="Older versions too.")]
Workers = Annotated[
    int, typer.Option(min=1, max=64, envvar=Env.WORKERS, help="Worker processes; never more than cores.")
]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]
