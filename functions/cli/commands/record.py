"""`autri record …`: structured data of declared kinds."""

import json as json_library
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from functions.cli.api import open_api
from functions.cli.find import find_knowledge_base
from functions.cli.options import Json, Kb, Token, Url
from functions.cli.output import count, new_table, out, print_done, print_json
from shared.errors import BadInput

app = typer.Typer(no_args_is_help=True, help="Records of declared kinds: add, kinds, declare, drop.")

AT_ONCE: Final = 500
Kind = Annotated[str, typer.Argument(metavar="KIND", help="The kind's name, such as quote.")]


@app.command()
def add(
    kind: Kind,
    kb: Kb,
    file: Annotated[
        Path | None, typer.Argument(help="JSON of one record or a list of them, or a line each; else standard input.")
    ] = None,
    key: Annotated[str | None, typer.Option(help="Of one record: what it is known by, where no field is.")] = None,
    json: Json = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Post records; they can be searched when the command has ended. With --json a line per record."""
    found = _read(file.read_text(encoding="utf-8") if file else sys.stdin.read())
    if key is not None and len(found) != 1:
        raise typer.BadParameter("--key names one record; the others say theirs in a field of their kind.")
    records: list[dict[str, Any]] = [{"kind": kind, "values": values, "key": key} for values in found]
    stored = 0
    with open_api(url, token) as api:
        base = find_knowledge_base(api, kb)["id"]
        for batch in _batches(records):
            made = api.call("POST", f"/knowledge-bases/{base}/records:batch", {"records": batch})
            stored += made["stored"]
            for one in made["records"] if json else ():
                print_json(one)
    if not json:
        out.print(f"{count(stored, 'record')} stored, {len(records) - stored} there already.")


@app.command()
def kinds(kb: Kb, json: Json = False, url: Url = None, token: Token = None) -> None:
    """List the kinds that are declared, with their fields."""
    with open_api(url, token) as api:
        found = api.call("GET", f"/knowledge-bases/{find_knowledge_base(api, kb)['id']}/record-kinds")
    if json:
        print_json(found)
        return
    table = new_table("kind", "key", "fields", "revision")
    for one in found:
        fields = ", ".join(one["schema"]["properties"])
        table.add_row(one["name"], one["key_field"] or "", fields, str(one["revision"]))
    out.print(table)


@app.command()
def declare(
    kind: Kind,
    file: Annotated[Path, typer.Argument(metavar="SCHEMA", help="A file of JSON Schema.", exists=True, dir_okay=False)],
    kb: Kb,
    key_field: Annotated[str | None, typer.Option(help="The field by which a record is known again.")] = None,
    title_field: Annotated[str | None, typer.Option(help="The field that a record is called by.")] = None,
    json: Json = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Declare a kind of records, or change it; records that are there stay as they were posted."""
    schema = _read(file.read_text(encoding="utf-8"))[0]
    body = {"schema": schema, "key_field": key_field, "title_field": title_field}
    with open_api(url, token) as api:
        made = api.call("PUT", f"/knowledge-bases/{find_knowledge_base(api, kb)['id']}/record-kinds/{kind}", body)
    print_done(made, json, f"Declared: {kind}, revision {made['revision']}.")


@app.command()
def drop(kind: Kind, kb: Kb, json: Json = False, url: Url = None, token: Token = None) -> None:
    """Take no more records of a kind; those that are there stay."""
    with open_api(url, token) as api:
        api.call("DELETE", f"/knowledge-bases/{find_knowledge_base(api, kb)['id']}/record-kinds/{kind}")
    print_done({"dropped": kind}, json, f"No more records of the kind {kind} are taken.")


def _read(text: str) -> list[dict[str, Any]]:
    """One object, a list of them, or one a line."""
    try:
        found = json_library.loads(text)
    except ValueError:
        try:
            found = [json_library.loads(line) for line in text.splitlines() if line.strip()]
        except ValueError as error:
            raise BadInput(f"This is not JSON ({error}). Give an object, a list of objects, or one a line.") from error
    wanted = found if isinstance(found, list) else [found]
    if not all(isinstance(one, dict) for one in wanted):
        raise BadInput("A record is a JSON object, {…}: give one, a list of them, or one a line.")
    return wanted


def _batches(records: list[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    left = iter(records)
    while batch := list(islice(left, AT_ONCE)):
        yield batch
