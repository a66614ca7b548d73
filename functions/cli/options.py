"""Options that several commands share."""

from contextvars import ContextVar
from typing import Annotated

import typer

from shared.contract import Env

# What `autri --organization` said: set by every command line, read by `open_api`.
ORGANIZATION: ContextVar[str | None] = ContextVar("organization", default=None)

Json = Annotated[bool, typer.Option("--json", help="Print JSON and nothing else.")]
Url = Annotated[
    str | None, typer.Option(envvar="AUTRI_URL", help="A server to use instead of this machine's own data.")
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
