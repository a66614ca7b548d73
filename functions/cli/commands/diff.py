"""`autri diff A B`: what changed from one version of a document to another."""

from typing import Annotated, Any

import typer
from rich.text import Text

from functions.cli.api import open_api
from functions.cli.find import find_document
from functions.cli.options import Json, SomeKb, Token, Url
from functions.cli.output import count, out, print_json

STATUS_STYLES = {"added": "green", "removed": "red", "changed": "yellow", "moved": "cyan"}
WORD_STYLES = {"equal": "", "removed": "red strike", "added": "green underline"}
# Marks as in wdiff: for pipes, and for people who do not see the colours.
WORD_MARKS = {"equal": ("", ""), "removed": ("[-", "-]"), "added": ("{+", "+}")}
# Words of unchanged text shown on either side of a change.
AROUND = 8


def diff(
    a: Annotated[str, typer.Argument(metavar="A", help="The older version: its id or name.")],
    b: Annotated[str, typer.Argument(metavar="B", help="The newer version: its id or name.")],
    kb: SomeKb = None,
    meaning: Annotated[
        bool, typer.Option("--meaning", help="Leave out small wording changes and what only moved.")
    ] = False,
    json: Json = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Show what changed between two versions, by section; numbers, limits, negations and obligations are marked."""
    with open_api(url, token) as api:
        ids = [find_document(api, which, kb)["id"] for which in (a, b)]
        found = api.call("GET", f"/documents/{ids[0]}/diff/{ids[1]}")
    if json:
        print_json(found)
        return
    for item in found["items"]:
        if item["status"] != "unchanged" and not (meaning and _is_harmless(item)):
            _print_item(item)
    _print_summary(found)


def _is_harmless(item: dict[str, Any]) -> bool:
    return item["status"] == "moved" or item["meaning"] == "same"


def _print_item(item: dict[str, Any]) -> None:
    head = Text(f"{item['status']:<8}", style=STATUS_STYLES[item["status"]])
    head.append(_name(item), style="bold")
    if item["meaning"]:
        head.append("  small wording change" if item["meaning"] == "same" else "", style="dim")
    for flag in item["flags"]:
        head.append(f"  {flag}", style="yellow")
    out.print(head)
    for part in item["parts"]:
        out.print(_words(part["words"]))


def _name(item: dict[str, Any]) -> str:
    names = [_section(side) for side in (item["a"], item["b"]) if side]
    return names[0] if len(set(names)) == 1 else " → ".join(names)


def _section(side: dict[str, Any]) -> str:
    return " ".join(filter(None, (side["address"], side["title"]))) or "(before the first section)"


def _words(runs: list[dict[str, str]]) -> Text:
    line = Text("  ")
    for number, run in enumerate(runs):
        text = " ".join(run["text"].split())
        if run["op"] == "equal":
            text = _shortened(text, number == 0, number == len(runs) - 1)
        before, after = WORD_MARKS[run["op"]]
        line.append(f"{before}{text}{after}", style=WORD_STYLES[run["op"]]).append(" ")
    return line


def _shortened(text: str, first: bool, last: bool) -> str:
    words = text.split()
    if len(words) <= 2 * AROUND:
        return text
    before, after = "" if first else " ".join(words[:AROUND]), "" if last else " ".join(words[-AROUND:])
    return f"{before} … {after}".strip()


def _print_summary(found: dict[str, Any]) -> None:
    summary = found["summary"]
    out.print()
    out.print(f"[bold]{count(summary['sections_b'], 'section')}[/] against {summary['sections_a']:,}:")
    for status in ("unchanged", "moved", "changed", "added", "removed"):
        out.print(f"  {summary[status]:>6,}  {status}")
    out.print(
        f"[dim]of the changed ones {summary['reworded']:,} are small wording changes; flags: {_flags(summary)}[/]"
    )
    if not found["vectors"]:
        out.print("[dim]The versions have no vectors of one embedder: passages were matched by words alone.[/]")


def _flags(summary: dict[str, Any]) -> str:
    return ", ".join(f"{name} {n}" for name, n in summary["flags"].items() if n) or "none"
