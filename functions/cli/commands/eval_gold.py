"""`autri eval gold …`: the gold questions that a knowledge base keeps."""

import json as json_library
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from functions.cli.api import open_api
from functions.cli.confirm import confirm_deletion
from functions.cli.find import find_knowledge_base
from functions.cli.options import Json, Kb, Token, Url, Yes
from functions.cli.output import count, new_table, out, print_json, print_note
from shared.domain.evaluation import BATCH_MAX, GoldInput
from shared.evaluation.gold_file import read_gold

app = typer.Typer(no_args_is_help=True, help="Gold questions: add, list, import, export, delete.")

Question = Annotated[str, typer.Argument(help="What is asked.")]
Document = Annotated[str | None, typer.Option(metavar="NAME", help="The document that answers it.")]
Page = Annotated[int | None, typer.Option(min=1, help="The page, from 1.")]
Quote = Annotated[str | None, typer.Option(help="Words of the passage that answers it.")]
Chunk = Annotated[list[str] | None, typer.Option(metavar="ID", help="A chunk that answers it. May be repeated.")]
Negative = Annotated[bool, typer.Option("--negative", help="The knowledge base does not answer it.")]
Answer = Annotated[str | None, typer.Option(help="The right answer, for people.")]
GoldFileName = Annotated[Path, typer.Argument(metavar="FILE", exists=True, dir_okay=False, help="JSON lines.")]
GoldId = Annotated[str, typer.Argument(metavar="ID", help="The question's id, as listed.")]
QUESTION_WIDTH = 70
# Half of a request's size limit.
REQUEST_BYTES = 500_000


@app.command()
def add(
    question: Question,
    kb: Kb,
    document: Document = None,
    page: Page = None,
    quote: Quote = None,
    chunk: Chunk = None,
    negative: Negative = False,
    answer: Answer = None,
    json: Json = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Keep a question with what answers it."""
    if document is None and (page or quote):
        raise typer.BadParameter("--page and --quote need --document.")
    place = {"document": document, "page": page, "quote": quote}
    wish: dict[str, Any] = {"question": question, "kind": "negative" if negative else "answerable", "answer": answer}
    wish |= {"chunk_ids": chunk or [], "expected": [place] if document else []}
    with open_api(url, token) as api:
        made = api.call("POST", f"/knowledge-bases/{find_knowledge_base(api, kb)['id']}/gold", wish)
    if json:
        print_json(made)
        return
    kept = f"Kept, with {count(len(made['expected']), 'place')}."
    out.print(f"[green]✓[/] {kept} Measure: autri eval run --kb {escape(kb)}")


@app.command("list")
def list_all(kb: Kb, json: Json = False, url: Url = None, token: Token = None) -> None:
    """List the gold questions, oldest first."""
    found = _gold(kb, url, token)
    if json:
        print_json(found)
        return
    if not found:
        out.print("No gold question yet. Add one: [bold]autri eval gold add QUESTION --kb KB --document D --page N[/]")
        return
    table = new_table("question", "answered by", "source", "by", "id")
    for item in found:
        places = [f"{p['document']}{_page(p)}" for p in item["expected"]]
        more = f" and {len(places) - 1} more" if len(places) > 1 else ""
        where = places[0] + more if places else "nothing (negative)"
        table.add_row(item["question"][:QUESTION_WIDTH], where, item["source"], item["author"], item["id"])
    out.print(table)


@app.command("import")
def import_file(file: GoldFileName, kb: Kb, json: Json = False, url: Url = None, token: Token = None) -> None:
    """Keep the questions of FILE. Doing it twice changes nothing."""
    found = read_gold(file)
    for note in found.left_out:
        print_note(f"Left out: {note}.")
    with open_api(url, token) as api:
        place = f"/knowledge-bases/{find_knowledge_base(api, kb)['id']}/gold/import"
        for batch in batches(found.questions):
            api.call("POST", place, {"source": found.name, "questions": batch})
    if json:
        print_json({"questions": len(found.questions), "left_out": len(found.left_out)})
        return
    out.print(f"[green]✓[/] {count(len(found.questions), 'question')} of {escape(found.name)} kept.")


@app.command()
def export(kb: Kb, url: Url = None, token: Token = None) -> None:
    """Print the gold questions as JSON lines, which `import` and `eval run` take."""
    for item in _gold(kb, url, token):
        question = GoldInput.model_validate({name: item[name] for name in GoldInput.model_fields})
        print(json_library.dumps(question.model_dump(mode="json", exclude_none=True), ensure_ascii=False))


@app.command()
def delete(gold: GoldId, kb: Kb, yes: Yes = False, json: Json = False, url: Url = None, token: Token = None) -> None:
    """Forget a question. Runs that measured it stay as they are."""
    with open_api(url, token) as api:
        base = find_knowledge_base(api, kb)
        confirm_deletion(f"the gold question {gold}", yes=yes)
        gone = api.call("DELETE", f"/knowledge-bases/{base['id']}/gold/{gold}")
    print_json(gone) if json else out.print("[green]✓[/] Deleted.")


def _gold(kb: str, url: str | None, token: str | None) -> list[dict[str, Any]]:
    with open_api(url, token) as api:
        return list(api.items(f"/knowledge-bases/{find_knowledge_base(api, kb)['id']}/gold"))


def _page(place: dict[str, Any]) -> str:
    return f", page {place['page']}" if place["page"] else ""


def batches(questions: Sequence[GoldInput]) -> Iterator[list[dict[str, Any]]]:
    """Questions cut into requests, in their order: as many in each as one may hold; at least one batch."""
    batch: list[dict[str, Any]] = []
    size = 0
    for question in questions:
        length = len(question.model_dump_json(exclude_defaults=True).encode())
        if batch and (len(batch) == BATCH_MAX or size + length > REQUEST_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(question.model_dump(mode="json", exclude_defaults=True))
        size += length
    yield batch
