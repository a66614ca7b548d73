"""`autri review …`: documents approved or rejected, passages accepted or rejected, and what is left to look at."""

from typing import Annotated, Any

import typer

from functions.cli.api import ApiClient, open_api
from functions.cli.find import find_chunk, find_document, find_knowledge_base
from functions.cli.options import Json, Kb, SomeKb, Token, Url
from functions.cli.output import count, new_table, out, print_done, print_json, shorten

app = typer.Typer(no_args_is_help=True, help="Review: list what is left, approve, reject, take back, decisions.")

Documents = Annotated[list[str] | None, typer.Argument(metavar="DOCUMENT…", help="Documents, by their ids or names.")]
Chunks = Annotated[
    list[str] | None,
    typer.Option("--chunk", metavar="ID", help="A passage, as `review list` names it, or its address. With --kb."),
]
Note = Annotated[str | None, typer.Option(help="Why, in a few words.")]
Flag = Annotated[str | None, typer.Option(metavar="FLAG", help="Only what has this flag.")]
TEXT_WIDTH = 60


@app.command("list")
def list_left(
    kb: Kb,
    flag: Flag = None,
    document: Annotated[str | None, typer.Option(metavar="NAME", help="Only what is of this document.")] = None,
    json: Json = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """List flagged passages and doubtful pages that nobody decided about, the worst first."""
    with open_api(url, token) as api:
        base = find_knowledge_base(api, kb)["id"]
        of = find_document(api, document, kb)["id"] if document else None
        found = list(api.items(f"/knowledge-bases/{base}/review", flag=flag, document_id=of))
    if json:
        print_json(found)
        return
    _print_left(found)


@app.command()
def approve(
    documents: Documents = None,
    chunk: Chunks = None,
    flag: Annotated[
        str | None, typer.Option(metavar="FLAG", help="All that is left with this flag and no other. With --kb.")
    ] = None,
    note: Note = None,
    kb: SomeKb = None,
    json: Json = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Approve documents; accept passages as they are (--chunk), or all with a flag (--flag)."""
    wanted: list[dict[str, Any]] = [{"chunk_ids": chunk}] if chunk else []
    wanted += [{"flag": flag}] if flag else []
    _review("approved", "accepted", documents, wanted, note, kb, json, url, token)


@app.command()
def reject(
    documents: Documents = None,
    chunk: Chunks = None,
    note: Note = None,
    kb: SomeKb = None,
    json: Json = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Reject documents, or passages (--chunk): search and answers leave them out."""
    _review("rejected", "rejected", documents, [{"chunk_ids": chunk}] if chunk else [], note, kb, json, url, token)


@app.command("take-back")
def take_back(
    documents: Documents = None,
    decision: Annotated[
        list[str] | None, typer.Option(metavar="ID", help="A decision, as `review decisions` names it. With --kb.")
    ] = None,
    kb: SomeKb = None,
    json: Json = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Take back what was decided about documents, or decisions about passages and pages (--decision)."""
    _check_named(documents, decision, kb)
    with open_api(url, token) as api:
        done = [_review_document(api, one, kb, "unreviewed", None) for one in documents or []]
        base = find_knowledge_base(api, kb)["id"] if kb and decision else None
        done += [api.call("DELETE", f"/knowledge-bases/{base}/review/decisions/{one}") for one in decision or []]
    _print_done(done, "taken back", json)


@app.command()
def decisions(kb: Kb, json: Json = False, url: Url = None, token: Token = None) -> None:
    """List what was decided about passages and pages, newest first."""
    with open_api(url, token) as api:
        found = list(api.items(f"/knowledge-bases/{find_knowledge_base(api, kb)['id']}/review/decisions"))
    if json:
        print_json(found)
        return
    table = new_table("when", "who", "verdict", "document", "passages", "text", "state", "id", numbers=("passages",))
    for one in found:
        state = f"stale: {one['reason']}" if one["stale"] else "counts"
        table.add_row(
            one["created_at"][:16], one["author"], one["verdict"], one["document_name"], str(one["chunks"]),
            shorten(one["excerpt"], TEXT_WIDTH), state, one["id"],
        )  # fmt: skip
    out.print(table if found else "Nobody has decided anything. See what is left: [bold]autri review list --kb NAME[/]")


def _review(
    state: str,
    verdict: str,
    documents: list[str] | None,
    wanted: list[dict[str, Any]],
    note: str | None,
    kb: str | None,
    json: bool,
    url: str | None,
    token: str | None,
) -> None:
    _check_named(documents, wanted, kb)
    with open_api(url, token) as api:
        done = [_review_document(api, one, kb, state, note) for one in documents or []]
        base = find_knowledge_base(api, kb)["id"] if kb and wanted else None
        for body in wanted:
            if "chunk_ids" in body:
                body = {"chunk_ids": [find_chunk(api, one, str(base)) for one in body["chunk_ids"]]}
            named = {"verdict": verdict, "note": note, **body}
            done.append(api.call("POST", f"/knowledge-bases/{base}/review", named))
    _print_done(done, state if documents else verdict, json)


def _check_named(documents: list[str] | None, others: object, kb: str | None) -> None:
    if not documents and not others:
        raise typer.BadParameter("Name a document, or what `autri review --help` lists for passages.")
    if others and not kb:
        raise typer.BadParameter("Passages and decisions are those of a knowledge base: give --kb.")


def _review_document(api: ApiClient, wanted: str, kb: str | None, state: str, note: str | None) -> dict[str, Any]:
    found = find_document(api, wanted, kb)
    return api.call("PUT", f"/documents/{found['id']}/review", {"state": state, "note": note})


def _print_done(done: list[dict[str, Any]], what: str, json: bool) -> None:
    """A line for each: a document, or a decision."""
    for one in done:
        if "decision_id" in one:
            parts = [count(one["chunks"], "passage"), count(one["pages"], "page")]
            print_done(one, json, f"{what}: {' and '.join(parts)} (decision {one['decision_id']})")
        else:
            print_done(one, json, f"{one['name']} is {one['review']}.")


def _print_left(found: list[dict[str, Any]]) -> None:
    if not found:
        out.print("[green]✓[/] Nothing is left to look at.")
        return
    table = new_table("confidence", "what", "document", "page", "flags", "text", "id", numbers=("confidence", "page"))
    for one in found:
        table.add_row(
            f"{one['confidence']:.2f}", one["chunk_type"] or "page", one["document_name"], str(one["page"] or ""),
            ", ".join(one["flags"]), shorten(one["content"], TEXT_WIDTH), one["chunk_id"] or "",
        )  # fmt: skip
    out.print(table)
