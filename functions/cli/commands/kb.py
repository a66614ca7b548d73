"""`autri kb …`: knowledge bases."""

import sys
from typing import Annotated, Any

import typer

from functions.cli.api import open_api
from functions.cli.certificates import Certificate, check_certificate, keep_certificate
from functions.cli.confirm import confirm_deletion
from functions.cli.find import find_knowledge_base, find_member
from functions.cli.options import Json, Token, Url, Yes
from functions.cli.output import count, new_table, out, print_json, print_note, shorten

app = typer.Typer(no_args_is_help=True, help="Knowledge bases: create, list, rename, access, delete.")

Name = Annotated[str, typer.Argument(help="What people call it.")]
Which = Annotated[str, typer.Argument(metavar="NAME", help="Its name, slug or id.")]
Description = Annotated[
    str | None, typer.Option(help="What is in it and what it is for. Agents choose a knowledge base by this.")
]

DateAttribute = Annotated[
    str | None,
    typer.Option(help="Recency counts from this attribute where a passage has it; an empty one: from the document."),
]

ApprovedOnly = Annotated[
    bool | None,
    typer.Option("--approved-only/--all-documents", help="Whether only documents that somebody approved answer."),
]


@app.command()
def create(
    name: Name, description: Description = None, json: Json = False, url: Url = None, token: Token = None
) -> None:
    """Make a knowledge base."""
    text = description if description is not None else _ask_for_description(json)
    with open_api(url, token) as api:
        made = api.call("POST", "/knowledge-bases", {"name": name, "description": text})
    if json:
        print_json(made)
        return
    out.print(f"[green]✓[/] [bold]{made['slug']}[/] is ready.", f"Fill it: autri ingest FILES… --kb {made['slug']}")


@app.command()
def rename(
    kb: Which,
    name: Annotated[str | None, typer.Option(help="What people call it from now on; its slug stays.")] = None,
    description: Description = None,
    date_attribute: DateAttribute = None,
    approved_only: ApprovedOnly = None,
    json: Json = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Change the name or the description of a knowledge base, by which attribute its passages are dated, or whether
    only approved documents answer."""
    wanted = {"name": name, "description": description}
    body: dict[str, Any] = {field: value for field, value in wanted.items() if value is not None}
    if date_attribute is not None:
        body["date_attribute"] = date_attribute or None
    if approved_only is not None:
        body["approved_only"] = approved_only
    if not body:
        raise typer.BadParameter("Say what to change: --name, --description, --date-attribute or --approved-only.")
    with open_api(url, token) as api:
        changed = api.call("PATCH", f"/knowledge-bases/{find_knowledge_base(api, kb)['id']}", body)
    if json:
        print_json(changed)
        return
    _print_list([changed])


@app.command("list")
def list_all(json: Json = False, url: Url = None, token: Token = None) -> None:
    """List knowledge bases with their counts."""
    with open_api(url, token) as api:
        found = list(api.items("/knowledge-bases"))
    if json:
        print_json(found)
        return
    _print_list(found)


@app.command()
def attributes(name: Which, json: Json = False, url: Url = None, token: Token = None) -> None:
    """List the attributes that `autri search --where` may name: types, units, counts, ranges."""
    with open_api(url, token) as api:
        kb = find_knowledge_base(api, name)
        found = list(api.items(f"/knowledge-bases/{kb['id']}/attributes"))
    if json:
        print_json(found)
        return
    _print_attributes(kb["slug"], found)


@app.command()
def access(
    name: Which,
    everybody: Annotated[bool, typer.Option("--open", help="Open it to everybody of the organization.")] = False,
    read: Annotated[list[str] | None, typer.Option(metavar="E-MAIL", help="May read. May be repeated.")] = None,
    write: Annotated[list[str] | None, typer.Option(metavar="E-MAIL", help="May write too. May be repeated.")] = None,
    json: Json = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Say who sees a knowledge base; with --read or --write restrict it to these members, owners and admins."""
    if everybody and (read or write):
        raise typer.BadParameter("Say --open, or who may read and write.")
    with open_api(url, token) as api:
        path = f"/knowledge-bases/{find_knowledge_base(api, name)['id']}/access"
        members = [{"user_id": find_member(api, who)["id"], "may_write": False} for who in read or ()]
        members += [{"user_id": find_member(api, who)["id"], "may_write": True} for who in write or ()]
        body = {"restricted": not everybody, "members": members}
        now = api.call("PUT", path, body) if everybody or members else api.call("GET", path)
    if json:
        print_json(now)
        return
    if not now["restricted"]:
        out.print("Everybody of the organization sees it.")
        return
    table = new_table("e-mail", "role", "may")
    for one in now["members"]:
        table.add_row(one["email"], one["role"], "write" if one["may_write"] else "read")
    out.print(table, "Owners and admins see it too.")


@app.command()
def delete(
    name: Which,
    yes: Yes = False,
    certificate: Certificate = None,
    json: Json = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Delete a knowledge base with everything in it: documents, chunks, vectors, images."""
    from functions.cli.erasures import wait_for_certificate

    check_certificate(certificate)
    with open_api(url, token) as api:
        kb = find_knowledge_base(api, name)
        what = f"{kb['slug']} with {count(kb['documents'], 'document')} and {count(kb['chunks'], 'chunk')}"
        confirm_deletion(what, yes=yes)
        asked = api.call("DELETE", f"/knowledge-bases/{kb['id']}")
        done = wait_for_certificate(api, asked, shown=not json)["certificate"]
    keep_certificate(done, certificate)
    counts = {"documents": asked["documents"], "chunks": asked["chunks"], "objects": done["before"]["objects"]}
    gone = {"id": kb["id"], **counts, "certificate": done}
    if json:
        print_json(kb | {"deleted": gone})
        return
    out.print(
        f"[green]✓[/] Deleted [bold]{kb['slug']}[/]: {count(gone['documents'], 'document')},"
        f" {count(gone['chunks'], 'chunk')}, {count(gone['objects'], 'stored file')}."
    )


def _print_attributes(slug: str, found: list[dict[str, Any]]) -> None:
    if not found:
        out.print(f"{slug} has no attributes. They are read from labels, tables and sentences with values.")
        return
    table = new_table("name", "type", "unit", "values", "range", "example", numbers=("values",))
    for attribute in found:
        for place, values in enumerate(attribute["values"]):
            name = attribute["name"] if place == 0 else ""
            unit = values["printed_unit"] or values["unit"] or ""
            table.add_row(name, values["type"], unit, f"{values['count']:,}", _range(values), values["example"])
    out.print(table)


def _range(values: dict[str, Any]) -> str:
    """From the lowest to the highest, in the canonical unit where the printed one is another."""
    if values["type"] == "time":
        return " – ".join(dict.fromkeys((values["first"][:10], values["last"][:10])))
    if values["low"] is None:
        return ""
    unit = values["unit"] if values["unit"] not in (None, values["printed_unit"]) else ""
    ends = dict.fromkeys(f"{values[end]:g}" for end in ("low", "high"))
    return f"{' – '.join(ends)} {unit}".strip()


def _ask_for_description(json: bool) -> str:
    if json or not sys.stdin.isatty():
        print_note("No description given. Agents choose by it: set one with --description.")
        return ""
    return typer.prompt("What is in it, and what is it for? (agents choose by this)", default="", show_default=False)


def _print_list(found: list[dict[str, Any]]) -> None:
    if not found:
        out.print("No knowledge base yet. Make one: [bold]autri kb create NAME[/]")
        return
    table = new_table("slug", "name", "documents", "chunks", "description", numbers=("documents", "chunks"))
    for kb in found:
        table.add_row(
            kb["slug"], shorten(kb["name"]), f"{kb['documents']:,}", f"{kb['chunks']:,}", shorten(kb["description"])
        )
    out.print(table)
