"""`autri notebook …`: what people write and pin in a knowledge base, with its history, and as a file to keep."""

import re
import sys
from collections.abc import Mapping
from html import unescape
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from rich.markup import escape

from functions.cli.api import ApiClient, open_api
from functions.cli.confirm import confirm_deletion
from functions.cli.find import find_chunk, find_document, find_knowledge_base, find_named
from functions.cli.options import Json, Kb, Token, Url, Yes
from functions.cli.output import count, new_table, out, print_done, print_json, shorten
from shared.errors import BadInput, NotFound

app = typer.Typer(
    no_args_is_help=True,
    help="What people write and pin: list, show, add, edit, move, remove, rename, history, restore, share, export.",
)

Which = Annotated[
    str | None,
    typer.Argument(metavar="NOTEBOOK", help="Its title or id; the knowledge base's first one when left out."),
]
CellArgument = Annotated[
    str, typer.Argument(metavar="CELL", help="Its number, counted from 1 as `show` lists them, or its id.")
]
Form = Literal["html", "pdf", "crate"]
ENDINGS = {"html": ".html", "pdf": ".pdf", "crate": ".zip"}
# What a cell of a kind names what it shows by.
IDS = {"note": "document_id", "dataset": "dataset_id", "plot": "plot_id", "summary": "document_id"}
TAG = re.compile(r"<[^>]*>")


@app.command("list")
def list_all(kb: Kb, json: Json = False, url: Url = None, token: Token = None) -> None:
    """List a knowledge base's notebooks."""
    with open_api(url, token) as api:
        found = _all(api, kb)
    if json:
        print_json(found)
        return
    table = new_table("title", "cells", "version", "changed", "id", numbers=("cells", "version"))
    for one in found:
        at = one["updated_at"][:16].replace("T", " ")
        table.add_row(shorten(one["title"]), str(one["cells"]), str(one["revision"]), at, one["id"])
    out.print(table if found else "There is no notebook yet. Begin one: autri notebook add --kb NAME --text TEXT")


@app.command()
def show(
    kb: Kb,
    which: Which = None,
    version: Annotated[int | None, typer.Option(min=1, help="An earlier version.")] = None,
    json: Json = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Show a notebook: what a cell shows and you may no longer see is left out."""
    with open_api(url, token) as api:
        found = api.call("GET", f"/notebooks/{_find(api, kb, which)['id']}", revision=version)
    if json:
        print_json(found)
        return
    out.print(f"[bold]{escape(found['title'])}[/] [dim]version {found['revision']}, by {escape(found['author'])}[/]")
    for number, cell in enumerate(found["cells"], 1):
        out.print(f"\n[dim]{number} {cell['kind']} {cell['id']}[/]")
        out.print(escape(plain(cell["html"])))
    if found["sources"]:
        out.print("\n[bold]Sources[/]")
    for one in found["sources"]:
        page = f", page {one['page']}" if one["page"] else ""
        label = one["version"]["label"] or f"version {one['version']['index']}"
        out.print(f"[{one['number']}] {one['document']}, {label}{page}", markup=False)


@app.command()
def add(
    kb: Kb,
    which: Which = None,
    text: Annotated[str | None, typer.Option(help="Words, in Markdown; `-` reads them from standard input.")] = None,
    chunk: Annotated[str | None, typer.Option(metavar="ID", help="A passage, or its address.")] = None,
    note: Annotated[str | None, typer.Option(metavar="NAME", help="A note, by name or id of its document.")] = None,
    answer: Annotated[
        str | None,
        typer.Option(
            metavar="THREAD[/ANSWER]",
            help="An answer of a conversation of yours, by ids; the last one by the thread's.",
        ),
    ] = None,
    dataset: Annotated[str | None, typer.Option(metavar="NAME", help="A dataset, by name or id.")] = None,
    plot: Annotated[str | None, typer.Option(metavar="NAME", help="A plot, by name or id.")] = None,
    summary: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="The experiment summary of a document, by name or id; repeated: one of all these."
        ),
    ] = None,
    title: Annotated[str, typer.Option(help="Of the notebook, where the knowledge base has none yet.")] = "Notebook",
    json: Json = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Write or pin a cell at a notebook's end; the first one of a knowledge base begins its notebook."""
    pinned = {"note": note, "answer": answer, "dataset": dataset, "plot": plot, "summary": summary}
    chosen = {kind: one for kind, one in pinned.items() if one}
    _check_chosen(text, chunk, chosen)
    with open_api(url, token) as api:
        content = _content(api, kb, text, chunk, chosen)
        there = None if which is None and not _all(api, kb) else _find(api, kb, which)
        if there is None:
            begun = {"knowledge_base_id": find_knowledge_base(api, kb)["id"], "title": title}
            there = api.call("POST", "/notebooks", begun)
        made = api.call("POST", f"/notebooks/{there['id']}/cells", {"content": content})
    print_done(made, json, f"{_told(made)}.")


@app.command()
def edit(
    kb: Kb,
    cell: CellArgument,
    which: Which = None,
    text: Annotated[
        str, typer.Option(help="Its words, or the remark beside its passage, in Markdown; `-` reads standard input.")
    ] = "-",
    json: Json = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Write a cell's words anew; what else is pinned is removed and added."""
    words = sys.stdin.read() if text == "-" else text
    with open_api(url, token) as api:
        there = _whole(api, kb, which)
        old = _cell(there, cell)
        content = {"kind": old["kind"], **_written(old, words)}
        made = _changed(api, there, "PUT", f"/cells/{old['id']}", {"content": content}, old["state"])
    print_done(made, json, f"Cell {_number(made, old)} is written. {_told(made)}.")


@app.command()
def move(
    kb: Kb,
    cell: CellArgument,
    which: Which = None,
    before: Annotated[
        str | None, typer.Option(metavar="CELL", help="The cell that it is to stand before; the end when left out.")
    ] = None,
    json: Json = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Put a cell before another one, or at the end."""
    with open_api(url, token) as api:
        there = _whole(api, kb, which)
        moved = _cell(there, cell)
        wanted = {"before": _cell(there, before)["id"] if before else None}
        made = _changed(api, there, "POST", f"/cells/{moved['id']}/move", wanted, moved["state"])
    print_done(made, json, f"It is cell {_number(made, moved)} now. {_told(made)}.")


@app.command()
def remove(
    kb: Kb, cell: CellArgument, which: Which = None, json: Json = False, url: Url = None, token: Token = None
) -> None:
    """Take a cell out. It stays in the versions before: `restore` has them again."""
    with open_api(url, token) as api:
        there = _whole(api, kb, which)
        gone = _cell(there, cell)
        made = _changed(api, there, "DELETE", f"/cells/{gone['id']}", None, gone["state"])
    print_done(made, json, f"The cell is out. {_told(made)}.")


@app.command()
def rename(
    kb: Kb,
    title: Annotated[str, typer.Option(help="What it is to be called.")],
    which: Which = None,
    json: Json = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Give a notebook another title."""
    with open_api(url, token) as api:
        there = _find(api, kb, which)
        made = _changed(api, there, "PATCH", "", {"title": title}, there["revision"])
    print_done(made, json, f"{there['title']} is called {made['title']} now, version {made['revision']}.")


@app.command()
def delete(
    kb: Kb, which: Which = None, yes: Yes = False, json: Json = False, url: Url = None, token: Token = None
) -> None:
    """Delete a notebook, with its history and its links. What it pins stays where it is."""
    with open_api(url, token) as api:
        there = _find(api, kb, which)
        confirm_deletion(f"the notebook {there['title']} with {count(there['cells'], 'cell')}", yes=yes)
        gone = api.call("DELETE", f"/notebooks/{there['id']}")
    print_done(gone, json, f"{there['title']} is deleted.")


@app.command()
def restore(
    kb: Kb,
    number: Annotated[int, typer.Option("--to", min=1, help="The number of the version, of `history`.")],
    which: Which = None,
    json: Json = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Have a notebook's title and cells again as they were in a version. It is a further version: nothing is lost."""
    with open_api(url, token) as api:
        there = _whole(api, kb, which)
        made = _changed(api, there, "POST", "/restore", {"revision": number}, there["revision"])
    print_done(made, json, f"It is as in version {number} again. {_told(made)}.")


@app.command()
def history(kb: Kb, which: Which = None, json: Json = False, url: Url = None, token: Token = None) -> None:
    """List what was done to a notebook, newest first."""
    with open_api(url, token) as api:
        found = list(api.items(f"/notebooks/{_find(api, kb, which)['id']}/versions"))
    if json:
        print_json(found)
        return
    table = new_table("version", "done", "cells", "by", "at", numbers=("version", "cells"))
    for one in found:
        act = f"restore {one['restored']}" if one["restored"] else one["act"]
        at = one["created_at"][:16].replace("T", " ")
        table.add_row(str(one["revision"]), act, str(one["cells"]), one["author"], at)
    out.print(table)


@app.command()
def share(
    kb: Kb,
    which: Which = None,
    days: Annotated[int, typer.Option(min=1, max=30, help="For how many days the link shows it.")] = 7,
    json: Json = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Make a link that shows a notebook, as it is now, to whoever has it: no more than you may see then."""
    with open_api(url, token) as api:
        made = api.call("POST", f"/notebooks/{_find(api, kb, which)['id']}/shares", {"days": days})
        address = api.address_of(made["path"])
    until = made["expires_at"][:16].replace("T", " ")
    print_done(
        made,
        json,
        f"Until {until} (UTC), shown this once: {address}\nTo end it before: autri links revoke {made['id']}",
    )


@app.command()
def export(
    kb: Kb,
    which: Which = None,
    form: Annotated[Form, typer.Option("--form", help="One page of HTML, a PDF, or an RO-Crate (zip).")] = "html",
    document: Annotated[str | None, typer.Option(metavar="NAME", help="A document instead, by name or id.")] = None,
    version: Annotated[int | None, typer.Option(min=1, help="An earlier version of the notebook.")] = None,
    to: Annotated[Path | None, typer.Option("--to", help="The file; in this folder when left out.")] = None,
    locale: Annotated[str | None, typer.Option(help="How numbers are written: de, pt-BR; else as in English.")] = None,
    json: Json = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Write a bundle: every cited passage with its document, version, page, boxes and picture."""
    with open_api(url, token) as api:
        wanted: dict[str, Any] = {"form": form, "locale": locale}
        if document is not None:
            one = find_document(api, document, kb)
            wanted |= {"document_id": one["id"]}
            name = one["name"]
        else:
            one = _find(api, kb, which)
            wanted |= {"notebook_id": one["id"], "revision": version}
            name = one["title"]
        data = api.file_for("/bundles", wanted)
    path = to or Path(re.sub(r"[^\w.-]+", "-", name).strip("-.") + ENDINGS[form])
    path.write_bytes(data)
    print_done({"path": str(path), "bytes": len(data)}, json, f"{path}, {len(data):,} bytes.")


def plain(html: str) -> str:
    """What a cell says, without its markup."""
    lines = re.sub(r"</(?:p|h\d|tr|li|pre|blockquote)>", "\n", re.sub(r"</t[hd]>(?!</tr>)", "  ", html))
    text = unescape(TAG.sub("", re.sub(r'<a class="citation"[^>]*>(\d+)</a>', r"[\1]", lines)))
    return re.sub(r"\n\s*\n+", "\n", text).strip()


def _check_chosen(text: str | None, chunk: str | None, pinned: Mapping[str, str | list[str]]) -> None:
    if len(pinned) + (text is not None) + (chunk is not None and text is None) != 1:
        others = ", ".join(f"--{kind}" for kind in IDS)
        raise BadInput(f"Say what to add: --text, --chunk (with --text as a remark), --answer, or one of {others}.")


def _content(
    api: ApiClient, kb: str, text: str | None, chunk: str | None, pinned: Mapping[str, str | list[str]]
) -> dict[str, Any]:
    """Raises NotFound for a name that nothing has."""
    words = sys.stdin.read() if text == "-" else text
    if chunk is not None:
        found = find_chunk(api, chunk, find_knowledge_base(api, kb)["id"])
        return {"kind": "chunk", "chunk_id": found, "remark": words or ""}
    for kind, one in pinned.items():
        if isinstance(one, list):
            ids = [find_document(api, each, kb)["id"] for each in one]
            return {"kind": kind, IDS[kind]: ids[0]} if len(ids) == 1 else {"kind": "group", "document_ids": ids}
        if kind == "answer":
            return {"kind": kind, **_answer(api, one)}
        there = find_document(api, one, kb) if kind == "note" else find_named(api, f"{kind}s", one)
        return {"kind": kind, IDS[kind]: there["id"]}
    return {"kind": "markdown", "text": words}


def _answer(api: ApiClient, wanted: str) -> dict[str, str]:
    """By THREAD/ANSWER, or THREAD for its last one. Raises NotFound."""
    thread, _, answer = wanted.partition("/")
    if not any(one["id"] == thread for one in api.items("/threads")):
        raise NotFound(f"There is no conversation {thread}. `autri thread list` shows yours, with their ids.")
    messages = api.call("GET", f"/threads/{thread}")["messages"]
    ids = [one["id"] for message in messages for one in message["answers"]]
    if not ids or (answer and answer not in ids):
        raise NotFound(f"The conversation has no such answer. Those it has: {', '.join(ids) or 'none yet'}.")
    return {"thread_id": thread, "answer_id": answer or ids[-1]}


def _written(cell: Mapping[str, Any], words: str) -> dict[str, str]:
    """What a cell with other words holds. Raises BadInput for one that only shows something."""
    if cell["kind"] == "markdown":
        return {"text": words}
    if cell["kind"] == "chunk":
        return {"chunk_id": cell["body"]["chunk_id"], "remark": words}
    raise BadInput(f"The cell shows a {cell['kind']}: there are no words to write. Remove it, and add another.")


def _told(made: Mapping[str, Any]) -> str:
    return f"{made['title']} has {count(len(made['cells']), 'cell')}, version {made['revision']}"


def _number(made: Mapping[str, Any], cell: Mapping[str, Any]) -> int:
    return [one["id"] for one in made["cells"]].index(cell["id"]) + 1


def _cell(there: Mapping[str, Any], wanted: str) -> dict[str, Any]:
    """By its number from 1, or its id. Raises NotFound."""
    for number, one in enumerate(there["cells"], 1):
        if wanted in (str(number), one["id"]):
            return one
    held = count(len(there["cells"]), "cell")
    raise NotFound(f"{there['title']} has {held}, none of them `{wanted}`. `autri notebook show` numbers them.")


def _whole(api: ApiClient, kb: str, which: str | None) -> dict[str, Any]:
    return api.call("GET", f"/notebooks/{_find(api, kb, which)['id']}")


def _changed(
    api: ApiClient, there: Mapping[str, Any], method: str, path: str, body: Any, state: str | int
) -> dict[str, Any]:
    """Refused by the server where somebody else has changed what has that `state` since it was read."""
    return api.call(method, f"/notebooks/{there['id']}{path}", body, headers={"If-Match": f'"{state}"'})


def _all(api: ApiClient, kb: str) -> list[dict[str, Any]]:
    return list(api.items("/notebooks", knowledge_base_id=find_knowledge_base(api, kb)["id"]))


def _find(api: ApiClient, kb: str, which: str | None) -> dict[str, Any]:
    """Raises NotFound, and BadInput where several have that title."""
    there = _all(api, kb)
    found = there[:1] if which is None else [one for one in there if which in (one["id"], one["title"])]
    if len(found) > 1:
        raise BadInput(f"{len(found)} notebooks are called {which}: take an id. `autri notebook list` shows them.")
    if not found:
        raise NotFound("There is no such notebook here. `autri notebook list --kb NAME` shows those there are.")
    return found[0]
