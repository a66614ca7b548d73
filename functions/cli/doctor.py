"""`autri doctor`: what this machine has and lacks, and what to do about it. Changes nothing."""

import typer
from pydantic import BaseModel

from functions.cli.checks import CHECKS, Check
from functions.cli.options import Json
from functions.cli.output import out, print_json
from functions.cli.system import Port
from shared.settings import LocalSettings


class Diagnosis(BaseModel):
    """The JSON that the command prints; `ok` while nothing that is needed is missing."""

    ok: bool
    checks: list[Check]


def doctor(port: Port = 8000, json: Json = False) -> None:
    """Check Python, packages, Postgres, disk, port, models and the tests' needs. Exits 1 when something is missing."""
    home = LocalSettings().home.resolve()
    checks = [check(home, port) for check in CHECKS]
    diagnosis = Diagnosis(ok=all(check.ok or not check.needed for check in checks), checks=checks)
    if json:
        print_json(diagnosis.model_dump())
    else:
        _print(checks)
    if not diagnosis.ok:
        raise typer.Exit(1)


def _print(checks: list[Check]) -> None:
    for check in checks:
        mark = "[green]✓[/]" if check.ok else "[red]✗[/]" if check.needed else "[yellow]![/]"
        out.print(f"{mark} {check.name:<18} {check.found}")
        if not check.ok:
            out.print(f"  {'':<18} [bold]→ {check.remedy}[/]")
