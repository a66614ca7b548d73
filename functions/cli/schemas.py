"""Reads and writes files of schemas of attributes, and prints what `autri schema` says of them."""

import json as json_library
import sys
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from rich.markup import escape
from rich.progress import BarColumn, Progress, TextColumn

from functions.cli.output import count, err, new_table, out, shorten
from shared.errors import BadInput

SIGNS: Final = {"added": "[green]+[/]", "removed": "[red]-[/]", "changed": "[yellow]~[/]", "renamed": "[yellow]→[/]"}
REASONS: Final = {
    "undeclared": "not declared",
    "type": "of another type",
    "unit": "in no unit that fits",
    "value": "not an allowed value",
    "unreadable": "not read as a value",
}
SHOWN: Final = 4


def read_schema(file: Path) -> dict[str, Any]:
    """What a file declares: `{attributes, …}`; a list is taken for the attributes. Raises BadInput."""
    try:
        text = sys.stdin.read() if str(file) == "-" else file.read_text(encoding="utf-8")
        found = json_library.loads(text)
    except OSError as error:
        raise BadInput(f"{file} cannot be read ({error.strerror}). `autri schema export` writes one.") from error
    except ValueError as error:
        raise BadInput(f"{file} is not JSON ({error}). `autri schema export` shows how it looks.") from error
    wanted = {"attributes": found} if isinstance(found, list) else found
    if not isinstance(wanted, dict) or not isinstance(wanted.get("attributes"), list):
        raise BadInput(f'{file} declares nothing: give {{"attributes": [{{"name": "power", "type": "number"}}]}}.')
    for place, one in enumerate(wanted["attributes"], start=1):
        _check(one, place)
    return wanted


def _check(one: object, place: int) -> None:
    """Raises BadInput where it declares nothing, naming the attribute and the field."""
    from pydantic import ValidationError

    from shared.domain.attribute_schema import AllowedValue, Declaration

    named = one.get("name") if isinstance(one, dict) else None
    who = f"`{named}`" if isinstance(named, str) and named else f"Attribute {place}"
    try:
        Declaration.model_validate(one)
    except ValidationError as error:
        first = error.errors()[0]
        if first["type"] == "declaration":
            raise BadInput(f"{first['msg']}.") from error
        where = [part for part in first["loc"] if isinstance(part, str)]
        of = f"`{where[0]}` " if where and first["type"] != "missing" else ""
        said = f"{of}cannot be this: {first['msg']}"
        if first["type"] == "missing":
            said = f"it has no `{where[-1]}`"
        if first["type"] == "extra_forbidden":
            of_value = len(first["loc"]) > 1
            whose, there = ("a value", AllowedValue) if of_value else ("an attribute", Declaration)
            said = f"`{where[-1]}` is no part of {whose}; there are {', '.join(there.model_fields)}"
        raise BadInput(
            f"{who}: {said}. An attribute looks like"
            ' {"name": "drive", "type": "category", "values": ["belt", {"value": "gear", "synonyms": ["cog"]}]}.'
        ) from error


def write_schema(file: Path | None, version: int, attributes: Iterable[dict[str, Any]]) -> None:
    """As `read_schema` reads it, without what says nothing; to standard output where there is no file."""
    plain = [{name: value for name, value in one.items() if value not in (None, "", [], False)} for one in attributes]
    for one in plain:
        for allowed in one.get("values", ()):
            if not allowed.get("synonyms"):
                allowed.pop("synonyms", None)
    text = json_library.dumps({"version": version, "attributes": plain}, ensure_ascii=False, indent=2) + "\n"
    if file is None:
        sys.stdout.write(text)
        return
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise BadInput(f"{file} cannot be written ({error.strerror}). Give another --out.") from error


def print_proposal(chosen: list[dict[str, Any]], left_out: int) -> None:
    table = new_table("attribute", "type", "printed as", "in", "values", "example", "look at", numbers=("in", "values"))
    for one in chosen:
        declared = one["declaration"]
        names = ", ".join(_printed(name) for name in one["names"])
        example = one["examples"][0]["raw"] if one["examples"] else ""
        notes = [*one["conflicts"], *(f"maybe {name}" for name in one["maybe"][:SHOWN])]
        table.add_row(
            declared["name"], _kind(declared), shorten(names), f"{one['coverage']:.0%}", f"{one['count']:,}",
            shorten(example, 30), shorten("; ".join(notes)),
        )  # fmt: skip
    out.print(table if chosen else "Nothing is proposed: what was read is declared, or too rare.")
    if left_out:
        out.print(f"{count(left_out, 'rarer name')} left out: --all shows them too.", style="dim")


def _printed(name: dict[str, Any]) -> str:
    return f"{name['name']} [{'/'.join(name['units'][:SHOWN])}]" if name["units"] else name["name"]


def _kind(declared: dict[str, Any]) -> str:
    if declared["unit"]:
        return f"{declared['type']} ({declared['unit']})"
    return f"{declared['type']} of {len(declared['values'])}" if declared["values"] else declared["type"]


def print_state(state: dict[str, Any]) -> None:
    if state["open"]:
        out.print("Nobody has declared attributes here: all that are read count. See: autri schema propose")
        return
    counts = {one["name"]: one for one in state["counts"]}
    table = new_table("attribute", "type", "values", "documents", "left out", "also printed as",
                      numbers=("values", "documents"))  # fmt: skip
    for one in state["attributes"]:
        has = counts.get(one["name"], {"count": 0, "documents": 0, "refused": {}})
        refused = ", ".join(f"{number:,} {REASONS[reason]}" for reason, number in has["refused"].items())
        table.add_row(
            one["name"], _kind(one), f"{has['count']:,}", f"{has['documents']:,}", refused, ", ".join(one["synonyms"])
        )
    out.print(f"Version {state['version']}: {count(len(state['attributes']), 'attribute')}", style="bold")
    out.print(table)
    if state["backfill"] and state["backfill"]["status"] != "done":
        print_backfill(state["backfill"])


def print_candidates(found: list[dict[str, Any]]) -> None:
    if not found:
        out.print("There are no candidates: all that was read counts.")
        return
    table = new_table("printed as", "why not found", "values", "documents", "units", "examples",
                      numbers=("values", "documents"))  # fmt: skip
    for one in found:
        why = REASONS[one["reason"]] + (f": {one['declared']}" if one["declared"] else "")
        table.add_row(
            one["name"], why, f"{one['count']:,}", f"{one['documents']:,}", ", ".join(one["units"]),
            shorten(" · ".join(one["examples"])),
        )  # fmt: skip
    out.print(table)


def print_diff(diff: dict[str, Any]) -> None:
    for one in diff["changes"]:
        was = f" (was {one['was']})" if one["was"] else ""
        told = ", ".join(_change(one, field) for field in one["fields"]) or _declared(one["after"] or one["before"])
        out.print(SIGNS[one["kind"]], f"{one['name']}{was}", f"[dim]{told}[/]")
    if not diff["changes"]:
        out.print("Nothing is other than before.")
    if estimate := diff["estimate"]:
        out.print(
            f"To read: {count(estimate['documents'], 'document')} of {count(estimate['chunks'], 'chunk')},"
            f" about {estimate['seconds']:,.0f} s, ${estimate['cost_usd']:.2f}.",
            style="dim",
        )


def _declared(one: dict[str, Any] | None) -> str:
    """`number, hp`, `category: oilless, oil-injected`."""
    if one is None:
        return ""
    values = ", ".join(escape(allowed["value"]) for allowed in one["values"])
    return f"{one['type']}{', ' + escape(one['unit']) if one['unit'] else ''}{': ' + values if values else ''}"


def _change(one: dict[str, Any], field: str) -> str:
    """`unit: kW → hp`; a field with a list by its name alone."""
    before, after = ((one[side] or {}).get(field) for side in ("before", "after"))
    if not isinstance(before or after, str):
        return field
    return f"{field}: {escape(str(before or 'none'))} → {escape(str(after or 'none'))}"


def print_backfill(found: dict[str, Any] | None) -> None:
    if found is None:
        out.print("Nothing had to be read: no schema was declared.")
        return
    done = f"{found['documents_done']:,} of {count(found['documents'], 'document')}"
    out.print(
        f"Reading for version {found['version']} is [bold]{found['status']}[/]: {done},"
        f" {found['found']:,} values found, {found['refused']:,} left out;"
        f" {found['seconds']:,.1f} s of work, ${found['cost_usd']:.2f}."
    )
    if found["unread"]:
        out.print(f"[yellow]{count(found['unread'], 'document')} could not be read[/]: {found['error']}")
    if found["status"] == "cancelled":
        out.print("What is read stays. To go on: autri schema backfill --resume", style="dim")


def print_history(found: list[dict[str, Any]]) -> None:
    if not found:
        out.print("Nobody has declared attributes here.")
        return
    table = new_table("version", "when", "who", "attributes", "why", numbers=("version", "attributes"))
    for one in found:
        table.add_row(
            str(one["version"]), one["created_at"][:16], one["author"], str(len(one["attributes"])), shorten(one["why"])
        )
    out.print(table)


@contextmanager
def backfill_progress(shown: bool) -> Generator[Callable[[dict[str, Any]], None]]:
    """Draws how far a backfill is, where there is a terminal."""
    if not (shown and err.is_terminal):
        yield lambda _: None
        return
    columns = (TextColumn("reading"), BarColumn(), TextColumn("{task.completed:,} of {task.total:,} documents"))
    with Progress(*columns, console=err, transient=True) as progress:
        task = progress.add_task("reading", total=None)
        yield lambda found: progress.update(task, total=found["documents"], completed=found["documents_done"])
