"""Output of commands: pure JSON on request, else tables; errors as one sentence on stderr."""

import json
import sys
from typing import Any

from rich.console import Console, RenderableType
from rich.markup import escape
from rich.table import Table
from rich.text import Text

# In a pipe, ids and names are printed in full on one line for other tools; long texts are shortened.
PIPE_WIDTH = 400
BOX_WIDTH = 100
CELL_SHOWN = 60
out = Console(highlight=False, soft_wrap=False)
err = Console(stderr=True, highlight=False)
for console in (out, err):
    if not console.is_terminal:
        console.width = PIPE_WIDTH

TIER_STYLES = {"green": "green", "yellow": "yellow", "red": "red"}
STATUS_STYLES = {
    "ready": "green",
    "ready_with_errors": "yellow",
    "refused": "red",
    "failed": "red",
    "running": "cyan",
    "queued": "cyan",
}
INDEX_STYLES = {"lookup_section": "blue", "fts_search": "yellow", "vector_search": "green", "rerank": "magenta"}
INDEX_NAMES = {"lookup_section": "look-up", "fts_search": "full text", "vector_search": "vector", "rerank": "rerank"}


def print_json(value: Any) -> None:
    """One JSON document on one line, and nothing else: it may be a line of JSON lines."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False) + "\n")
    sys.stdout.flush()


def print_error(text: str) -> None:
    err.print(f"[bold red]autri:[/] {escape(text)}")


def print_note(text: str) -> None:
    """Prints a remark that is not a result to stderr, so that pipes stay clean."""
    err.print(f"[dim]{escape(text)}[/]")


def print_done(value: Any, json: bool, text: str) -> None:
    """What was done: as JSON on request, else in a line of `text`, which is data and not markup."""
    if json:
        print_json(value)
    else:
        out.print(f"[green]✓[/] {escape(text)}")


class DataTable(Table):
    """A table whose plain strings are data: rich would interpret `[/b]` in a document's text as markup, and fail."""

    def add_row(self, *cells: RenderableType | None, **options: Any) -> None:
        super().add_row(*(Text(cell) if isinstance(cell, str) else cell for cell in cells), **options)


def new_table(*columns: str, numbers: tuple[str, ...] = ()) -> DataTable:
    """A table in the house style; columns in `numbers` are aligned to the right. Headers are data, too."""
    table = DataTable(box=None, header_style="bold dim", pad_edge=False, padding=(0, 2, 0, 0))
    for column in columns:
        table.add_column(
            Text(column), justify="right" if column in numbers else "left", no_wrap=column in numbers or column == "id"
        )
    return table


def shorten(text: str, room: int = CELL_SHOWN) -> str:
    """The text on one line, cut with an ellipsis; `--json` has all of it."""
    flat = " ".join(text.split())
    return flat if len(flat) <= room else flat[: room - 1] + "…"


def status_text(status: str) -> Text:
    return Text(status.replace("_", " "), style=STATUS_STYLES.get(status, ""))


def tier_text(tier: str | None) -> Text:
    """A dot with the tier's name, as not everybody sees the colour."""
    return Text(f"● {tier}", style=TIER_STYLES[tier]) if tier else Text("–", style="dim")


def count(number: int, one: str, many: str | None = None) -> str:
    """`1 chunk`, `2,000 chunks`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"
