"""Live progress of ingestions: a bar of stages per file, redrawn in place where there is a terminal."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from rich.live import Live
from rich.table import Table
from rich.text import Text

from functions.cli.ingestion import Job, Watch
from functions.cli.output import err

SEGMENT = 6
NAME_WIDTH = 36


@contextmanager
def live_progress(shown: bool) -> Generator[Watch]:
    """A watcher that draws progress on a terminal, or one that does nothing where there is none."""
    if not (shown and err.is_terminal):
        yield lambda _: None
        return
    jobs: dict[str, Job] = {}
    with Live(console=err, transient=True, refresh_per_second=8) as live:

        def watch(job: Job) -> None:
            jobs[job.ingestion["id"]] = job
            inside = job.ingestion["parcel"]
            if job.ingestion["finished_at"] and not (inside and inside["open"]):
                del jobs[job.ingestion["id"]]
            live.update(_bars(list(jobs.values())))

        yield watch


def _bars(jobs: list[Job]) -> Table:
    table = Table.grid(padding=(0, 2))
    for job in jobs:
        stages = job.ingestion["stages"]
        table.add_row(_short(job.path.name), _segments(stages), _state(job.ingestion))
    return table


def _segments(stages: list[dict[str, Any]]) -> Text:
    """One segment per stage, filled by its share of pages; green done, cyan under way, red with a failed page."""
    bar = Text()
    for stage in stages:
        filled = round(SEGMENT * _share(stage))
        style = "red" if stage["pages_failed"] else "green" if stage["status"] == "done" else "cyan"
        bar.append("━" * filled, style=style)
        bar.append("━" * (SEGMENT - filled) + " ", style="dim")
    return bar


def _share(stage: dict[str, Any]) -> float:
    if stage["status"] == "done":
        return 1.0
    return stage["pages_done"] / stage["pages_total"] if stage["pages_total"] else 0.0


def _state(ingestion: dict[str, Any]) -> Text:
    """`parse 12/26 · 8 s left`."""
    if inside := ingestion["parcel"]:
        return Text(f"{inside['files'] - inside['open']:,} of {inside['files']:,} files", style="dim")
    current = next((s for s in reversed(ingestion["stages"]) if s["status"] == "running" or s["pages_done"]), None)
    if current is None:
        return Text(ingestion["status"], style="dim")
    pages = f" {current['pages_done']}/{current['pages_total']}" if current["pages_total"] else ""
    eta = ingestion["eta_seconds"]
    return Text(current["name"] + pages + (f" · {eta:,.0f} s left" if eta else ""), style="dim")


def _short(name: str) -> Text:
    return Text(name if len(name) <= NAME_WIDTH else name[: NAME_WIDTH - 1] + "…", style="bold")
