"""`autri thread …`: conversations, each for its asker alone."""

import sys
from typing import Annotated, Any, Literal

import typer
from rich.markup import escape

from functions.cli.api import ApiClient, open_api
from functions.cli.commands.retrieval import print_answer
from functions.cli.confirm import confirm_deletion
from functions.cli.find import find_knowledge_bases
from functions.cli.options import Json, Token, Url, Yes
from functions.cli.output import new_table, out, print_done, print_json, print_note, shorten
from shared.errors import BadInput, NotFound

app = typer.Typer(
    no_args_is_help=True,
    help="Your conversations: list (or search), show, ask, regenerate, models, feedback, rename, export, share, …",
)

Which = Annotated[
    str, typer.Argument(metavar="THREAD", help="Its id, its title where one alone has it, or `last`: asked in last.")
]

Number = Annotated[
    int | None,
    typer.Option("--question", min=1, metavar="N", help="The N-th question, as `show` counts them; else the last."),
]
Said = Literal["right", "wrong", "incomplete", "none"]


@app.command("list")
def list_all(
    words: Annotated[str, typer.Argument(help="Those with all of these words in title, questions or answers.")] = "",
    json: Json = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """List your conversations, those that were asked in last first; with WORDS, find those that have them."""
    with open_api(url, token) as api:
        found = list(api.items("/threads", words=words))
    if json:
        print_json(found)
        return
    table = new_table("title", "questions", "asked in last", "id", numbers=("questions",))
    for one in found:
        at = one["updated_at"][:16].replace("T", " ")
        table.add_row(shorten(one["title"] or "(no title)"), str(one["questions"]), at, one["id"])
    none = "No conversation of yours has these words" if words else "You have no conversation yet"
    out.print(table if found else f"{none}. Begin one: autri thread ask new QUESTION --kb NAME")


@app.command()
def show(which: Which, json: Json = False, url: Url = None, token: Token = None) -> None:
    """Show a conversation: what an answer quotes and you may no longer see is left out."""
    with open_api(url, token) as api:
        found = api.call("GET", f"/threads/{_find(api, which)['id']}")
    if json:
        print_json(found)
        return
    out.print(f"[bold]{escape(found['title'] or '(no title)')}[/]")
    for number, message in enumerate(found["messages"], 1):
        _print_message(message, f"{number} ")


@app.command()
def ask(
    which: Annotated[str, typer.Argument(metavar="THREAD", help="As for show; or `new`, which begins one.")],
    question: Annotated[str, typer.Argument(help="A question.")],
    kb: Annotated[
        list[str] | None,
        typer.Option("--kb", metavar="NAME", help="Knowledge base to ask from now on: its name, slug or id."),
    ] = None,
    as_typed: Annotated[bool, typer.Option("--as-typed", help="Ask exactly this, also where it follows up.")] = False,
    json: Json = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Ask in a conversation. A question that follows upon another may be made to stand alone, which is said."""
    with open_api(url, token) as api:
        body: dict[str, Any] = {"question": question, "rewrite": not as_typed}
        if kb:
            body["scope"] = {"knowledge_base_ids": [found["id"] for found in find_knowledge_bases(api, kb)]}
        thread = api.call("POST", "/threads", {}) if which == "new" else _find(api, which)
        said = api.call("POST", f"/threads/{thread['id']}/ask", body)
    if json:
        print_json(said | {"thread_id": thread["id"]})
        return
    _print_message(said)
    if which == "new":
        print_note(f"Go on: autri thread ask {thread['id']} QUESTION")


@app.command()
def regenerate(
    which: Which,
    question: Number = None,
    model: Annotated[
        str | None, typer.Option(metavar="NAME", help="Its name as `autri thread models` lists it; else the usual.")
    ] = None,
    json: Json = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Answer a question of a conversation once more, by another model too; the answers before are kept beside it."""
    with open_api(url, token) as api:
        thread, message = _question(api, which, question)
        said = api.call("POST", f"/threads/{thread}/messages/{message['id']}/answers", {"model": model})
    if json:
        print_json(said | {"thread_id": thread})
    else:
        _print_message(said)


@app.command()
def models(json: Json = False, url: Url = None, token: Token = None) -> None:
    """List what may answer a question, the usual one first."""
    with open_api(url, token) as api:
        found = list(api.items("/models"))
    if json:
        print_json(found)
        return
    for one in found:
        out.print(f"{escape(one['name'])}{' [dim](the usual one)[/]' if one['usual'] else ''}")


@app.command()
def feedback(
    which: Which,
    verdict: Annotated[Said, typer.Argument(help="What the answer is; none: withdraw what was said.")],
    note: Annotated[str | None, typer.Option(help="Why, for those who keep the gold questions.")] = None,
    question: Number = None,
    answer: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="The N-th of several answers to it; else the last.")
    ] = None,
    json: Json = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Say what an answer is worth. Editors of the knowledge bases that it cites are told, with the question."""
    with open_api(url, token) as api:
        thread, message = _question(api, which, question)
        one = _nth(message["answers"], answer, "answers", "the question")
        body = {"verdict": None if verdict == "none" else verdict, "note": note}
        kept = api.call("PUT", f"/threads/{thread}/answers/{one['id']}/feedback", body)
    said = f"Said of the answer to “{message['question']}”: {verdict}." if kept["verdict"] else "Withdrawn."
    print_done(kept | {"thread_id": thread, "answer_id": one["id"]}, json, said)


@app.command()
def rename(
    which: Which,
    title: Annotated[str, typer.Argument(help="What it is called from now on.")],
    json: Json = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Give a conversation another title."""
    with open_api(url, token) as api:
        changed = api.call("PATCH", f"/threads/{_find(api, which)['id']}", {"title": title})
    print_done(changed, json, f"It is called {changed['title']}.")


@app.command()
def export(which: Which, json: Json = False, url: Url = None, token: Token = None) -> None:
    """Print a conversation as Markdown, its citations as footnotes; with --json as JSON."""
    with open_api(url, token) as api:
        path = f"/threads/{_find(api, which)['id']}"
        if json:
            print_json(api.call("GET", path))
        else:
            sys.stdout.write(api.markdown(f"{path}/export"))


@app.command()
def delete(which: Which, yes: Yes = False, json: Json = False, url: Url = None, token: Token = None) -> None:
    """Delete a conversation, with its links."""
    with open_api(url, token) as api:
        found = _find(api, which)
        confirm_deletion(f"the conversation {found['title'] or found['id']}", yes=yes)
        gone = api.call("DELETE", f"/threads/{found['id']}")
    print_done(gone, json, f"{found['title'] or found['id']} is deleted.")


@app.command()
def share(
    which: Which,
    days: Annotated[int, typer.Option(min=1, max=30, help="For how many days the link shows it.")] = 7,
    json: Json = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Make a link that shows a conversation, as it is now, to whoever has it: no more than you may see then."""
    with open_api(url, token) as api:
        made = api.call("POST", f"/threads/{_find(api, which)['id']}/shares", {"days": days})
        address = api.address_of(made["path"])
    until = made["expires_at"][:16].replace("T", " ")
    print_done(made, json, f"Until {until} (UTC), shown this once: {address}")


@app.command()
def shares(which: Which, json: Json = False, url: Url = None, token: Token = None) -> None:
    """List the links to a conversation; their secrets are known to nobody but who has them."""
    with open_api(url, token) as api:
        found = api.call("GET", f"/threads/{_find(api, which)['id']}/shares")["items"]
    if json:
        print_json(found)
        return
    table = new_table("made", "ends", "id")
    for one in found:
        ends = f"revoked {one['revoked_at'][:10]}" if one["revoked_at"] else one["expires_at"][:16].replace("T", " ")
        table.add_row(one["created_at"][:16].replace("T", " "), ends, one["id"])
    out.print(table if found else "There is no link to it.")


@app.command()
def unshare(
    which: Which,
    link: Annotated[str, typer.Argument(metavar="LINK", help="The link's id, as `shares` lists it.")],
    json: Json = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Revoke a link: it shows nothing from now on."""
    with open_api(url, token) as api:
        ended = api.call("POST", f"/threads/{_find(api, which)['id']}/shares/{link}/revoke")
    print_done(ended, json, "The link shows nothing any more.")


def _find(api: ApiClient, which: str) -> dict[str, Any]:
    """Raises NotFound, and BadInput where several have that title."""
    there = list(api.items("/threads"))
    if which == "last" and there:
        return there[0]
    found = [one for one in there if which == one["id"]] or [one for one in there if which == one["title"]]
    if len(found) > 1:
        raise BadInput(f"{len(found)} conversations are called {which}: take an id. `autri thread list` shows them.")
    if not found:
        raise NotFound(f"You have no conversation {which}. `autri thread list` shows those there are.")
    return found[0]


def _question(api: ApiClient, which: str, number: int | None) -> tuple[str, dict[str, Any]]:
    """The id of the conversation, and its `number`-th message; the last without one."""
    thread = _find(api, which)["id"]
    messages = api.call("GET", f"/threads/{thread}")["messages"]
    return thread, _nth(messages, number, "questions", "the conversation")


def _nth(found: list[dict[str, Any]], number: int | None, what: str, of: str) -> dict[str, Any]:
    """Raises NotFound where there are fewer."""
    if len(found) < (number or 1):
        raise NotFound(f"There are {len(found)} {what} to {of}. `autri thread show` lists them.")
    return found[(number or 0) - 1]


def _print_message(message: dict[str, Any], number: str = "") -> None:
    out.print(f"\n[bold cyan]{number}?[/] [bold]{escape(message['question'])}[/]")
    if message["asked_as"]:
        out.print(f"[dim]asked as:[/] {escape(message['asked_as'])}")
    for one in message["answers"]:
        print_answer(one["answer"])
        if len(message["answers"]) > 1:
            out.print(f"[dim]answered by[/] {escape(one['answer']['model'] or 'quotations')}")
        if one["answer"]["usd"]:
            out.print(f"[dim]cost ${one['answer']['usd']:.4f}[/]")
        if said := one["feedback"]:
            note = f" ({said['note']})" if said["note"] else ""
            out.print(f"[dim]you said:[/] {said['verdict']}{escape(note)}")
    if not message["answers"]:
        out.print("[yellow]It could not be answered.[/]")
