"""`autri eval candidates …`: what people said of answers, kept as gold or rejected."""

from typing import Annotated, Any

import typer

from functions.cli.api import open_api
from functions.cli.find import find_knowledge_base
from functions.cli.options import Json, Kb, Token, Url
from functions.cli.output import new_table, out, print_json

app = typer.Typer(no_args_is_help=True, help="What people said of answers: list, keep, reject.")

CandidateId = Annotated[str, typer.Argument(metavar="ID", help="The candidate's id, as listed.")]
Question = Annotated[str | None, typer.Option(help="How it is better asked.")]
Chunk = Annotated[list[str] | None, typer.Option(metavar="ID", help="A chunk that answers it. May be repeated.")]
Negative = Annotated[bool, typer.Option("--negative", help="The knowledge base does not answer it.")]
Answer = Annotated[str | None, typer.Option(help="The right answer, for people.")]
WIDTH = 70


@app.command("list")
def list_all(kb: Kb, json: Json = False, url: Url = None, token: Token = None) -> None:
    """List what is to be decided, oldest first."""
    with open_api(url, token) as api:
        found = list(api.items(f"/knowledge-bases/{find_knowledge_base(api, kb)['id']}/evaluation/candidates"))
    if json:
        print_json(found)
        return
    if not found:
        out.print("No candidate is left. Whoever asks can say of each answer whether it was right.")
        return
    table = new_table("question", "the answer was", "note", "passages", "by", "id", numbers=("passages",))
    for one in found:
        passages = str(len(one["passages"]))
        note = (one["note"] or "")[:WIDTH]
        table.add_row(one["question"][:WIDTH], one["verdict"], note, passages, one["author"], one["id"])
    out.print(table)


@app.command()
def keep(
    candidate: CandidateId,
    kb: Kb,
    question: Question = None,
    chunk: Chunk = None,
    negative: Negative = False,
    answer: Answer = None,
    json: Json = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Make a gold question of it: with what its answer cites, where that was right, or with other chunks."""
    wish: dict[str, Any] = {"kind": "negative" if negative else "answerable", "question": question, "answer": answer}
    wish |= {"chunk_ids": chunk} if chunk else {}
    with open_api(url, token) as api:
        place = f"/knowledge-bases/{find_knowledge_base(api, kb)['id']}/evaluation/candidates/{candidate}"
        made = api.call("POST", f"{place}/confirm", wish)
    print_json(made) if json else out.print("[green]✓[/] Kept as a gold question.")


@app.command()
def reject(candidate: CandidateId, kb: Kb, json: Json = False, url: Url = None, token: Token = None) -> None:
    """Leave it out. Its asker still sees what they said."""
    with open_api(url, token) as api:
        place = f"/knowledge-bases/{find_knowledge_base(api, kb)['id']}/evaluation/candidates/{candidate}"
        gone = api.call("DELETE", place)
    print_json(gone) if json else out.print("[green]✓[/] Rejected.")
