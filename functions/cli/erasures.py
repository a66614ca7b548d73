"""Waits for a deletion to its end, which its certificate says."""

import time
from typing import Any

from rich.progress import BarColumn, Progress, TextColumn

from functions.cli.api import ApiClient
from functions.cli.output import err, print_note

FIRST_S, POLL_S = 0.1, 2.0
STALLED = "It has stopped, and goes on by itself within a day: maintenance starts it again."


def wait_for_certificate(api: ApiClient, asked: dict[str, Any], *, shown: bool) -> dict[str, Any]:
    """The deletion when it has ended. Stopping to wait does not stop it."""
    job, ticket, pause, told = asked, {"X-Autri-Ticket": asked["ticket"]}, FIRST_S, False
    name, share = TextColumn("Deleting {task.description}", markup=False), TextColumn("{task.percentage:.0f} %")
    quiet = not (shown and err.is_terminal)
    with Progress(name, BarColumn(), share, console=err, transient=True, disable=quiet) as progress:
        task = progress.add_task(asked["subject"]["slug"], total=1)
        while job["status"] != "ready":
            time.sleep(pause)
            pause = min(2 * pause, POLL_S)
            job = api.call("GET", f"/erasures/{asked['id']}", headers=ticket)
            progress.update(task, completed=job["progress"])
            if job["stalled"] and not told:
                print_note(STALLED)
                told = True
    return job
