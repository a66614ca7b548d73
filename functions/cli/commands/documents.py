"""`autri documents …` and `autri chunks`."""

from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.text import Text

from functions.cli.api import open_api
from functions.cli.confirm import confirm_deletion
from functions.cli.find import find_document, find_knowledge_base
from functions.cli.options import Json, Kb, SomeKb, Token, Url, Yes
from functions.cli.output import count, new_table, out, print_json, status_text, tier_text

app = typer.Typer(no_args_is_help=True, help="Documents: list, delete.")

Which = Annotated[str, typer.Argument(metavar="DOCUMENT", help="Its id or name.")]
OneDocument = Annotated[str | None, typer.Option("--document", metavar="ID", help="Only this document: id or name.")]


@app.command("list")
def list_all(kb: SomeKb = None, json: Json = False, url: Url = None, token: Token = None) -> None:
    """List document versions, newest first."""
    with open_api(url, token) as api:
        base = find_knowledge_base(api, kb)["id"] if kb else None
        found = list(api.items("/documents", knowledge_base_id=base))
    if json:
        print_json(found)
        return
    _print_list(found)


@app.command()
def attachments(document: Which, kb: SomeKb = None, json: Json = False, url: Url = None, token: Token = None) -> None:
    """List what came with a document, such as attachments and inserted files, and what it came with."""
    with open_api(url, token) as api:
        found = api.call("GET", f"/documents/{find_document(api, document, kb)['id']}/attachments")
    if json:
        print_json(found)
        return
    table = new_table("attachment", "bytes", "status", "document", numbers=("bytes",))
    for one in found["attachments"]:
        said = status_text(one["status"]).append(f" {one['error'] or ''}", style="dim")
        table.add_row(one["name"], f"{one['size']:,}", said, one["document_id"] or "")
    if found["attachments"]:
        out.print(table)
    for one in found["attached_to"]:
        out.print(f"Came with [bold]{escape(one['name'])}[/] {one['id']}")
    if not found["attachments"] and not found["attached_to"]:
        out.print("Nothing came with this document, and it came with none.")


@app.command()
def thread(document: Which, kb: SomeKb = None, json: Json = False, url: Url = None, token: Token = None) -> None:
    """List the messages of the thread that a message is in, the oldest first."""
    with open_api(url, token) as api:
        found = api.call("GET", f"/documents/{find_document(api, document, kb)['id']}/thread")
    if json:
        print_json(found)
        return
    table = new_table("sent", "from", "subject", "document")
    for one in found:
        table.add_row((one["sent_at"] or "")[:16].replace("T", " "), one["sender"], one["subject"], one["document_id"])
    out.print(table if found else "The document is in no thread.")


@app.command()
def delete(
    document: Which,
    kb: SomeKb = None,
    keep_attachments: Annotated[
        bool, typer.Option("--keep-attachments", help="Keep what came attached to it alone.")
    ] = False,
    yes: Yes = False,
    json: Json = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Delete a document version with its chunks, vectors and images, and what came attached to it alone."""
    with open_api(url, token) as api:
        found = find_document(api, document, kb)
        confirm_deletion(f"{found['name']} with {count(found['chunks'], 'chunk')}", yes=yes)
        gone = api.call("DELETE", f"/documents/{found['id']}", keep_attachments=keep_attachments)
    if json:
        print_json(found | {"deleted": gone})
        return
    files = count(gone["objects"], "stored file")
    out.print(f"[green]✓[/] Deleted [bold]{escape(found['name'])}[/]: {count(gone['chunks'], 'chunk')}, {files}.")


def chunks(kb: Kb, document: OneDocument = None, json: Json = False, url: Url = None, token: Token = None) -> None:
    """Print chunks in document order. With --json a line per chunk, whole."""
    with open_api(url, token) as api:
        base = find_knowledge_base(api, kb)
        wanted = [find_document(api, document, kb)] if document else _oldest_first(api, base["id"])
        for found in wanted:
            for chunk in api.items(f"/documents/{found['id']}/chunks"):
                print_json(chunk) if json else _print_chunk(chunk)


def _oldest_first(api: Any, knowledge_base_id: str) -> list[dict[str, Any]]:
    return list(api.items("/documents", knowledge_base_id=knowledge_base_id))[::-1]


def _print_chunk(chunk: dict[str, Any]) -> None:
    pages = sorted({box["page"] for box in chunk["boxes"] if box["kind"] == "page"})
    head = Text(f"{chunk['chunk_type']:<9}", style="cyan")
    head.append(f" {chunk['section_id'] or '':<10}", style="bold")
    head.append(f" p.{pages[0]}" if pages else "", style="dim")
    out.print(head.append(f"  {' '.join(chunk['content'].split())}"), overflow="ellipsis", no_wrap=True)


def _print_list(found: list[dict[str, Any]]) -> None:
    if not found:
        out.print("No document yet. Add some: [bold]autri ingest FILES… --kb NAME[/]")
        return
    table = new_table("name", "version", "status", "tier", "pages", "chunks", "id", numbers=("pages", "chunks"))
    for item in found:
        version = item["version"]
        label = Text(version["label"] or f"v{version['index']}", style="" if version["is_current"] else "dim")
        counts = (f"{item['pages']:,}", f"{item['chunks']:,}")
        status = status_text(item["status"])
        if item.get("source_changed_at"):
            status.append(", source changed", style="red")
        table.add_row(item["name"], label, status, tier_text(item["tier"]), *counts, item["id"])
    out.print(table)
