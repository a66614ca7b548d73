"""`autri summary …`: what documents state of their experiments, and results side by side."""

from typing import Annotated, Any

import typer
from rich.markup import escape

from functions.cli.api import ApiClient, open_api
from functions.cli.find import find_chunk, find_document, find_knowledge_base
from functions.cli.options import Json, SomeKb, Token, Url
from functions.cli.output import count, new_table, out, print_done, print_json, print_note, shorten

app = typer.Typer(
    no_args_is_help=True,
    help="What documents state of their experiments: make, show, group, compare, list, edit, versions, diff, restore.",
)

Document = Annotated[str, typer.Argument(metavar="DOCUMENT", help="Its id or name.")]
SomeDocuments = Annotated[
    list[str] | None, typer.Argument(metavar="DOCUMENT…", help="Ids or names; none: all of --kb.")
]
FIELDS = "objective, setup, dataset, metrics, results, stats, limits or confounds."
Field = Annotated[str | None, typer.Option(metavar="FIELD", help=FIELDS)]
Metric = Annotated[str, typer.Option(help="Only metrics with these words.")]
System = Annotated[str, typer.Option(help="Only systems with these words.")]
TEXT_WIDTH, CELL_WIDTH = 140, 24
EACH = 2  # Statements of a field that are printed for each document of a group.
TOGETHER_MAX = 20  # As many as the API takes at once.


@app.command()
def make(
    documents: SomeDocuments = None,
    kb: SomeKb = None,
    model: Annotated[str | None, typer.Option(metavar="NAME", help="Which model writes; `quotations`: none.")] = None,
    json: Json = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Summarize documents as they are now. What says the same as before is no new version."""
    with open_api(url, token) as api:
        ids = _ids(api, documents, kb)
        made = [api.call("POST", f"/documents/{one}/summary", {"model": model}) for one in ids]
    if json:
        print_json(made)
        return
    for one in made:
        stated = sum(field["state"] == "stated" for field in one["fields"])
        cells = count(len(one["cells"]), "cell")
        print_done(one, False, f"{one['document']}: version {one['version']}, {stated} of 8 fields stated, {cells}.")


@app.command()
def show(
    document: Document,
    kb: SomeKb = None,
    version: Annotated[int | None, typer.Option(min=1, help="Another version than the one shown.")] = None,
    json: Json = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Show a document's summary: each statement with its page and passage, and which fields are missing."""
    with open_api(url, token) as api:
        found = api.call("GET", f"/documents/{find_document(api, document, kb)['id']}/summary", version=version)
    if json:
        print_json(found)
        return
    out.print(f"[bold]{escape(found['document'])}[/], version {found['version']} by {escape(found['author'])}")
    if found["stale"]:
        out.print(f"[yellow]It may not hold any more: {', '.join(found['stale'])}.[/]")
    for field in found["fields"]:
        _print_field(field)
    out.print(count(len(found["cells"]), "result cell") + ". Side by side: autri summary compare")


@app.command()
def compare(
    documents: SomeDocuments = None,
    kb: SomeKb = None,
    metric: Metric = "",
    system: System = "",
    json: Json = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Metric by system over documents. Whether more is better is not known: nothing is ranked."""
    with open_api(url, token) as api:
        found = api.call(
            "GET", "/summaries/compare", document_id=_first(api, documents, kb), metric=metric, system=system
        )
    if json:
        print_json(found)
        return
    names = found["columns"]
    table = new_table("dataset", "metric", "system", "value", "document", "page", numbers=("value", "page"))
    for row in found["rows"]:
        for name, cells in zip(names, row["cells"], strict=True):
            for one in cells:
                cell = one["cell"]
                words = (shorten(text, CELL_WIDTH) for text in (row["dataset"] or row["caption"], row["metric"], name))
                table.add_row(*words, cell["raw"], shorten(one["document"], CELL_WIDTH), str(cell["page"] or ""))
    out.print(table if found["rows"] else "These summaries have no result cells that pass.")
    if mixed := sorted({row["metric"] for row in found["rows"] if len(row["printed_of"]) > 1}):
        print_note(f"Printed of 1 in one table and of 100 in another: {', '.join(mixed)}.")


@app.command()
def group(
    documents: SomeDocuments = None,
    kb: SomeKb = None,
    metric: Metric = "",
    system: System = "",
    write: Annotated[bool, typer.Option(help="Have the model write one of them: a new version.")] = False,
    json: Json = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """One summary of up to 20 documents: each statement with all that say it, and where they disagree."""
    with open_api(url, token) as api:
        chosen = _first(api, documents, kb)
        if write:
            api.call("POST", "/summaries/group", {"document_ids": chosen})
        found = api.call("GET", "/summaries/group", document_id=chosen, metric=metric, system=system)
    if json:
        print_json(found)
        return
    for one in found["documents"]:
        old = f" [yellow]may not hold any more: {', '.join(one['stale'])}[/]" if one["stale"] else ""
        out.print(f"[bold]{escape(one['document'])}[/], version {one['version']}{old}")
    if found["without_summary"]:
        out.print(f"[yellow]Without a summary: {len(found['without_summary'])}. autri summary make DOCUMENT[/]")
    if found["written"]:
        _print_written(found["written"])
    for field in found["fields"]:
        _print_group_field(field, len(found["documents"]))
    for row in found["rows"]:
        _print_disagreements(row, found["columns"])


@app.command("list")
def list_all(
    kb: SomeKb = None,
    field: Field = None,
    words: Annotated[str, typer.Option(help="All of them in one statement.")] = "",
    metric: Annotated[str | None, typer.Option(help="Words of a cell's metric.")] = None,
    system: Annotated[str | None, typer.Option(help="Words of a cell's system.")] = None,
    low: Annotated[float | None, typer.Option("--from", help="The least value.")] = None,
    high: Annotated[float | None, typer.Option("--to", help="The greatest value.")] = None,
    json: Json = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """List summaries with what passes the filter."""
    with open_api(url, token) as api:
        base = find_knowledge_base(api, kb)["id"] if kb else None
        wish: dict[str, Any] = {"field": field, "words": words, "metric": metric, "system": system}
        found = list(api.items("/summaries", knowledge_base_id=base, low=low, high=high, **wish))
    if json:
        print_json(found)
        return
    table = new_table("document", "version", "missing", "cells", "stale", numbers=("version", "cells"))
    for one in found:
        missing, stale = ", ".join(one["missing"]) or "nothing", ", ".join(one["stale"])
        table.add_row(shorten(one["document"]), str(one["version"]), missing, str(one["cells"]), stale)
    out.print(table if found else "There is no such summary. Make one: autri summary make DOCUMENT")
    for one in found:
        for statement in one["statements_found"]:
            _print_statement(statement)
        for cell in one["cells_found"]:
            place = f"p. {cell['page']}" if cell["page"] else ""
            out.print(escape(f"  {cell['metric']} of {cell['system']} = {cell['raw']} ({one['document']}, {place})"))


@app.command()
def edit(
    document: Document,
    kb: SomeKb = None,
    field: Field = None,
    text: Annotated[str | None, typer.Option(help="A statement that its passages bear out.")] = None,
    chunk: Annotated[
        list[str] | None, typer.Option("--chunk", metavar="ID", help="A passage that it cites; or its address.")
    ] = None,
    target: Annotated[str | None, typer.Option(metavar="ID", help="The statement to replace, or to take out.")] = None,
    take_back: Annotated[str | None, typer.Option("--take-back", metavar="EDIT", help="Take an edit back.")] = None,
    json: Json = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Add (--field, --text, --chunk), replace (--target, --text) or take out (--target) a statement."""
    with open_api(url, token) as api:
        of = find_document(api, document, kb)
        path = f"/documents/{of['id']}/summary/edits"
        if take_back:
            made = api.call("DELETE", f"{path}/{take_back}")
        else:
            cited = [find_chunk(api, one, of["knowledge_base_id"], of["id"]) for one in chunk or []]
            body = {"field": field, "text": text, "chunk_ids": cited, "target": target}
            made = api.call("POST", path, body)
    print_done(made, json, f"{made['document']} is at version {made['version']}.")


@app.command()
def versions(document: Document, kb: SomeKb = None, json: Json = False, url: Url = None, token: Token = None) -> None:
    """List the versions of a document's summary, oldest first."""
    with open_api(url, token) as api:
        found = api.call("GET", f"/documents/{find_document(api, document, kb)['id']}/summary/versions")
    if json:
        print_json(found)
        return
    table = new_table("version", "made", "by", "why", "statements", "cells", numbers=("version", "statements", "cells"))
    for one in found:
        at = one["created_at"][:16].replace("T", " ")
        table.add_row(str(one["version"]), at, one["author"], one["reason"], str(one["statements"]), str(one["cells"]))
    out.print(table if found else "There is no summary yet. Make one: autri summary make DOCUMENT")


@app.command()
def diff(
    document: Document,
    kb: SomeKb = None,
    former: Annotated[int | None, typer.Option("--from", min=0, help="None: the one before --to.")] = None,
    later: Annotated[int | None, typer.Option("--to", min=1, help="None: the one that is shown.")] = None,
    json: Json = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """What changed from one version of a summary to another: - before, + after."""
    with open_api(url, token) as api:
        path = f"/documents/{find_document(api, document, kb)['id']}/summary/changes"
        found = api.call("GET", path, former=former, later=later)
    if json:
        print_json(found)
        return
    cells = f"{count(found['cells_added'], 'result cell')} added, {found['cells_removed']} removed."
    out.print(f"Version {found['former']} to {found['later']}: {count(len(found['changes']), 'statement')}, {cells}")
    for one in found["changes"]:
        out.print(f"[bold]{one['field']}[/] {one['kind']}")
        for sign, side in (("-", one["before"]), ("+", one["after"])):
            if side:
                out.print(f"  {sign} {escape(shorten(side['shown'], TEXT_WIDTH))}")


@app.command()
def restore(
    document: Document,
    version: Annotated[int, typer.Argument(min=1, help="Of autri summary versions.")],
    kb: SomeKb = None,
    json: Json = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Show an older version again, as a new one; people's changes are again those that it had."""
    with open_api(url, token) as api:
        path = f"/documents/{find_document(api, document, kb)['id']}/summary/restore"
        made = api.call("POST", path, {"version": version})
    print_done(made, json, f"{made['document']} is at version {made['version']}, which says version {version} again.")


def _print_written(written: dict[str, Any]) -> None:
    out.print(f"\n[bold]Written by {escape(written['engine'].rpartition(', ')[2])}[/], version {written['version']}")
    if written["changed"]:
        out.print(f"[yellow]Changed since: {escape(', '.join(written['changed']))}. Write it again: --write[/]")
    for one in written["statements"]:
        places = ", ".join(by["document"] + (f", p. {by['page']}" if by["page"] else "") for by in one["sources"])
        old = "[yellow](its passage is gone)[/] " if one["stale"] else ""
        out.print(f"  [dim]{one['field']}[/] {old}{escape(one['text'])}\n    [dim]{escape(places)}[/]")


def _print_group_field(field: dict[str, Any], documents: int) -> None:
    stated = documents - len(field["missing_in"])
    how = "[yellow]missing[/]" if field["state"] == "missing" else f"[dim]confidence {field['confidence']:.2f}[/]"
    out.print(f"\n[bold]{field['field']}[/] {how} [dim](stated by {stated} of {documents})[/]")
    shown = field["statements"][: EACH * documents]
    for one in shown:
        out.print(f"  {escape(shorten(one['text'], TEXT_WIDTH))}")
        for source in one["said_by"]:
            page = source["statement"]["page"]
            out.print(f"    [dim]{escape(source['document'])}{f', p. {page}' if page else ''}[/]")
    if left := len(field["statements"]) - len(shown):
        out.print(f"  [dim]and {count(left, 'further statement')}: --json, or autri summary show DOCUMENT[/]")


def _print_disagreements(row: dict[str, Any], columns: list[str]) -> None:
    for name, cells, differ in zip(columns, row["cells"], row["disagree"], strict=True):
        if differ:
            told = "; ".join(f"{one['cell']['raw']} ({one['document']})" for one in cells)
            out.print("[yellow]differ[/] " + escape(f"{row['metric']} of {name}: {told}"))


def _ids(api: ApiClient, documents: list[str] | None, kb: str | None) -> list[str]:
    """Of the documents named, or of all current ones of the knowledge base."""
    if documents:
        return [find_document(api, one, kb)["id"] for one in documents]
    if kb is None:
        raise typer.BadParameter("name documents, or a knowledge base by --kb")
    known = api.items("/documents", knowledge_base_id=find_knowledge_base(api, kb)["id"])
    return [one["id"] for one in known if one["version"]["is_current"] and one["status"].startswith("ready")]


def _first(api: ApiClient, documents: list[str] | None, kb: str | None) -> list[str]:
    """As many of them as are read together."""
    ids = _ids(api, documents, kb)
    if len(ids) > TOGETHER_MAX:
        print_note(f"The first {TOGETHER_MAX} of {len(ids)} documents; name others to see those.")
    return ids[:TOGETHER_MAX]


def _print_field(field: dict[str, Any]) -> None:
    if field["state"] == "missing":
        read = count(field["searched"]["sentences"], "sentence")
        out.print(f"\n[bold]{field['field']}[/] [yellow]missing[/] [dim]({read} read)[/]")
        return
    out.print(f"\n[bold]{field['field']}[/] [dim]confidence {field['confidence']['value']:.2f}[/]")
    for one in field["statements"]:
        _print_statement(one)


def _print_statement(one: dict[str, Any]) -> None:
    by = f", by {one['author']}" if one["author"] else ""
    old = " [yellow]stale[/]" if one["stale"] else ""
    place = f"p. {one['page']}, " if one["page"] else ""
    out.print(f"  {escape(shorten(one['shown'], TEXT_WIDTH))} [dim]({place}{one['id']}{escape(by)})[/]{old}")
