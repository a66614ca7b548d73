"""`autri ingest` and `autri reingest`."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text

from functions.cli.api import ApiClient, open_api
from functions.cli.find import find_document, find_knowledge_base
from functions.cli.ingestion import Job, follow, ingest_address, ingest_files, succeeded
from functions.cli.options import Json, Kb, Token, Url, Workers
from functions.cli.output import count, out, print_json, print_note, status_text, tier_text
from functions.cli.paths import expand
from functions.cli.progress import live_progress
from shared.readers.registry import NAMES

Paths = Annotated[
    list[str],
    typer.Argument(metavar="PATH…", help="Files, ZIP files of files, folders, patterns, or https:// addresses."),
]
ADDRESSES = ("https://", "http://")


class Engine(StrEnum):
    """Extraction engines by the names that they have in every version; `bedrock` and `auto` cost money."""

    LAYOUT = "layout"
    BEDROCK = "bedrock"
    AUTO = "auto"


ChosenEngine = Annotated[
    Engine,
    typer.Option("--engine", help="layout: no network. bedrock: a model groups every page. auto: the doubtful ones."),
]
Password = Annotated[
    str | None,
    typer.Option(metavar="P", envvar="AUTRI_PASSWORD", help="Opens protected files; kept sealed, forgotten once used."),
]
VersionOf = Annotated[str | None, typer.Option(metavar="DOCUMENT", help="It is a newer version of this document.")]
Label = Annotated[str | None, typer.Option(help="The version's label, such as 2026.")]


def ingest(
    paths: Paths,
    kb: Kb,
    engine: ChosenEngine = Engine.LAYOUT,
    workers: Workers = 2,
    version_of: VersionOf = None,
    label: Label = None,
    password: Password = None,
    json: Json = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Ingest files and web pages. One bad file never stops the others. With --json a line per
    file."""
    addresses = [path for path in paths if path.lower().startswith(ADDRESSES)]
    files, left_out, places = expand([path for path in paths if path not in addresses])
    if version_of is not None and (len(files) != 1 or addresses):
        raise typer.BadParameter("--version-of links one file; name exactly one.")
    if addresses and (engine is not Engine.LAYOUT or label is not None or password is not None):
        raise typer.BadParameter("--engine, --label and --password are for files; ingest web pages without them.")
    if left_out:
        print_note(f"{count(left_out, 'file')} in these folders left out: only {NAMES} can be read.")
    if not files and not addresses:
        print_note("There is nothing to ingest here.")
    with open_api(url, token, workers) as api:
        base = find_knowledge_base(api, kb)
        upload: dict[str, Any] = {"knowledge_base_id": base["id"], "engine": engine.value, "label": label}
        if version_of is not None:
            upload["version_of"] = find_document(api, version_of, base["slug"])["id"]
        if password is not None:
            upload["password"] = password
        more = {file: {"path": place} for file, place in places.items() if place != file.name}
        with live_progress(not json) as watch:
            lines = [show_line(line, json) for line in ingest_files(api, files, upload, watch, more)]
            fetched = (line for one in addresses for line in ingest_address(api, one, base["id"], watch))
            lines += [show_line(line, json) for line in fetched]
        if not json:
            _note_versions(api, base, {line["document_id"] for line in lines})
    _finish(lines, json)


def reingest(
    document: Annotated[str, typer.Argument(help="Its id or name.")],
    engine: ChosenEngine = Engine.LAYOUT,
    workers: Workers = 2,
    password: Password = None,
    json: Json = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Run the stages again over a document's stored source, with today's configuration. Chunks keep their ids."""
    with open_api(url, token, workers) as api:
        found = find_document(api, document)
        wanted = {"engine": engine.value} | ({"password": password} if password else {})
        started = api.call("POST", f"/documents/{found['id']}/reingest", wanted)
        with live_progress(not json) as watch:
            lines = [show_line(line, json) for line in follow(api, Job(Path(found["name"]), started), watch)]
    _finish(lines, json)


def _note_versions(api: ApiClient, base: dict[str, Any], ingested: set[str | None]) -> None:
    """Says what looks like another edition of a document that was there."""
    for one in api.items(f"/knowledge-bases/{base['id']}/version-suggestions"):
        if one["document"]["id"] in ingested:
            name, other = one["document"]["name"], one["logical_document"]["name"]
            print_note(f"{name} looks like a version of {other}. Link them: autri versions accept {one['id']}")


def show_line(line: dict[str, Any], json: bool) -> dict[str, Any]:
    if json:
        print_json(line)
    else:
        out.print(_summary(line))
    return line


def _summary(line: dict[str, Any]) -> Text:
    """`✓ rules.pdf  ready  26 pages  502 chunks  ● green  16.4 s`, or the reason why not."""
    good = succeeded(line)
    text = Text("✓ " if good else "✗ ", style="green" if good else "red")
    name = line["path"] if line["path"].lower().startswith(ADDRESSES) else Path(line["path"]).name
    text.append(name, style="bold").append("  ").append_text(status_text(line["status"]))
    if line["duplicate"]:
        text.append("  in this knowledge base already", style="dim")
    if line["chunks"]:
        text.append(f"  {count(line['pages'], 'page')}  {count(line['chunks'], 'chunk')}  ")
        text.append_text(tier_text(line["tier"]))
    if line["cost_usd"]:
        text.append(f"  ${line['cost_usd']:.4f}")
    text.append(f"  {line['seconds']:.1f} s", style="dim")
    if line["error"]:
        text.append(f"\n  {line['error']}", style="" if good else "red")
    return text


def _finish(lines: list[dict[str, Any]], json: bool) -> None:
    failed = [line for line in lines if not succeeded(line)]
    if len(lines) > 1 and not json:
        pages, chunks = (sum(line[name] or 0 for line in lines) for name in ("pages", "chunks"))
        bad = f", [red]{len(failed)} not[/]" if failed else ""
        out.print(
            f"{count(len(lines) - len(failed), 'file')} in{bad} · {count(pages, 'page')} · {count(chunks, 'chunk')}"
        )
    if failed:
        raise typer.Exit(1)
