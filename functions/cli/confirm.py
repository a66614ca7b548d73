"""Confirmation before something is deleted."""

import sys

import typer

from shared.errors import BadInput


def confirm_deletion(what: str, *, yes: bool) -> None:
    """Ask on a terminal; raises BadInput where nobody can answer and `--yes` was not given."""
    if yes:
        return
    if not sys.stdin.isatty():
        raise BadInput(f"Nothing was deleted: there is no terminal to ask on. To delete {what}: add --yes.")
    typer.confirm(f"Delete {what}? This cannot be undone.", abort=True)
