"""`autri doctor`: what this machine, or a server elsewhere, has and lacks, what to do about it, and orphaned objects in
this machine's store.

Changes nothing, except with `--sweep`.
"""

from datetime import timedelta
from typing import Annotated, Any

import typer
from pydantic import BaseModel
from rich.markup import escape

from functions.cli.api import open_api
from functions.cli.checks import ASKING, CHECKS, OF_SERVER, SystemCheck
from functions.cli.commands.system import Port
from functions.cli.options import Json, Token, Url
from functions.cli.output import count, out, print_json
from functions.cli.server import running_server
from functions.cli.server_checks import check_server
from shared.errors import BadInput
from shared.settings import LocalSettings


class Diagnosis(BaseModel):
    """The JSON that the command prints; `ok` unless something that is needed is missing."""

    ok: bool
    checks: list[SystemCheck]


Storage = Annotated[
    bool, typer.Option("--storage", help="List stored files that no document knows, and documents that lack files.")
]
Sweep = Annotated[bool, typer.Option("--sweep", help="With --storage: delete them.")]
Hours = Annotated[
    float, typer.Option("--older-than", min=0, metavar="HOURS", help="With --storage: leave younger files alone.")
]


def doctor(
    port: Port = 8000,
    storage: Storage = False,
    sweep: Sweep = False,
    hours: Hours = 24,
    json: Json = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Check this machine and the server that runs on its data, or another server (--url): packages, Postgres, disk,
    models. Exits 1 when something is missing."""
    if storage or sweep:
        if url is not None:
            raise BadInput(
                "A store is looked at where it is: leave --url (AUTRI_URL) out, or run this on that machine."
            )
        _look_at_storage(hours, sweep, json)
        return
    home = LocalSettings().home.resolve()
    asked, of_server = url or running_server(), list[SystemCheck]()
    if asked is not None:
        with open_api(url, token) as api:
            of_server = check_server(api)
    told = any(check.name == "answers" for check in of_server)
    wanted = ASKING if url is not None else [check for check in CHECKS if not told or check not in OF_SERVER]
    checks = [*of_server, *(check(home, port) for check in wanted)]
    diagnosis = Diagnosis(ok=all(check.ok or not check.needed for check in checks), checks=checks)
    if json:
        print_json(diagnosis.model_dump())
    else:
        _print(checks, asked)
    if not diagnosis.ok:
        raise typer.Exit(1)


def _print(checks: list[SystemCheck], url: str | None) -> None:
    before = "machine"
    for check in checks:
        if check.of != before:
            out.print(f"[bold]{'The server at ' + escape(url or '') if check.of == 'server' else 'This machine'}[/]")
            before = check.of
        mark = "[green]✓[/]" if check.ok else "[red]✗[/]" if check.needed else "[yellow]![/]"
        out.print(f"{mark} {check.name:<18} {escape(check.found)}")
        if not check.ok:
            out.print(f"  {'':<18} [bold]→ {escape(check.remedy)}[/]")


def _look_at_storage(hours: float, sweep: bool, json: bool) -> None:
    """Lists objects that a killed process may have left, and deletes them only with `--sweep`; and documents without
    their objects, as a restored database may have. Exits 1 when there are any of those."""
    from functions.local import local_store
    from shared.maintenance import look_at_storage

    with local_store(LocalSettings().home) as system:
        found = look_at_storage(system.runtime, system.owner_dsn, timedelta(hours=hours), remove=sweep).model_dump(
            mode="json"
        )
    if json:
        print_json(found)
    else:
        _print_storage(found, sweep)
    if found["missing"]:
        raise typer.Exit(1)


def _print_storage(found: dict[str, Any], sweep: bool) -> None:
    for orphan in found["orphans"]:
        out.print(f"{orphan['prefix']}  {_files(orphan)}, unchanged since {orphan['changed_at'][:16]}", soft_wrap=True)
    out.print(f"{_files(found)} stored; {count(len(found['orphans']), 'place')} that nothing knows.")
    if found["orphans"] and not sweep:
        out.print("[bold]→ autri doctor --storage --sweep[/] deletes them; the server does so once a day.")
    if found["removed"]:
        out.print(f"[green]✓[/] {count(found['removed'], 'file')} deleted.")
    for one in found["missing"]:
        out.print(
            f"[red]✗[/] {one['name']} ({one['document_id']}) lacks {count(one['objects'], 'file')}: {one['first']}"
        )
    if found["missing"]:
        out.print("[bold]→ docs/runbooks/restore.md[/] says how they come back, or go.")


def _files(counted: dict[str, Any]) -> str:
    return f"{count(counted['objects'], 'file')} ({counted['bytes'] / 1024**2:,.1f} MB)"
