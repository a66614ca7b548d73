"""`autri embedder compare`: what another embedder would find, and what a change to it would take."""

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.progress import Progress
from rich.text import Text

from functions.cli.api import open_api
from functions.cli.commands.eval_scores import difference, score_of, score_text
from functions.cli.find import find_knowledge_base
from functions.cli.options import Json, Kb
from functions.cli.output import count, err, new_table, out, print_json, print_note
from shared.settings import LocalSettings

METRICS = ("recall@1", "recall@5", "recall@10", "mrr", "ndcg@10", "document_recall@5")

Gold = Annotated[
    Path | None,
    typer.Argument(
        metavar="[GOLD]", exists=True, dir_okay=False, help="JSON lines; left out: the gold of the knowledge base."
    ),
]
With = Annotated[
    str | None,
    typer.Option(
        "--with", metavar="NAME", help="onnx:/FOLDER, openai:MODEL, …; default: what new knowledge bases get."
    ),
]
Depth = Annotated[int, typer.Option("--k", "-k", min=1, max=100, help="How many hits are read per question.")]


def compare(kb: Kb, gold: Gold = None, other: With = None, k: Depth = 40, json: Json = False) -> None:
    """Measure the embedder of a knowledge base and another one on gold questions. On this machine; stores nothing."""
    with open_api(None, None) as api:
        base = find_knowledge_base(api, kb)
    found = _compare(base["id"], gold, other, k)
    print_json(found) if json else _print(found, base["slug"])


def _compare(base: str, gold: Path | None, name: str | None, k: int) -> dict[str, Any]:
    from uuid import UUID

    from functions.local import local_store
    from shared.bootstrap import named_embedder
    from shared.domain.evaluation import Parameters
    from shared.evaluation.embedder_comparison import compare_embedders
    from shared.evaluation.gold_file import read_gold

    file = read_gold(gold) if gold else None
    settings = LocalSettings()
    wanted = named_embedder(settings.home.resolve(), settings.embedder if name is None else name)
    with (
        local_store(settings.home) as system,
        Progress(console=err, transient=True, disable=not err.is_terminal) as progress,
    ):
        bar = progress.add_task("embedding", total=None)
        found = compare_embedders(
            system.runtime,
            system.identity,
            UUID(base),
            wanted,
            Parameters(indexes=["vector", "hybrid"], depth=k, skip_missing=True),
            (file.name, file.questions) if file else None,
            lambda done, total: progress.update(bar, completed=done, total=total),
        )
    return found.model_dump(mode="json")


def _print(found: dict[str, Any], slug: str) -> None:
    serving, other = found["serving"], found["other"]
    out.print(f"[bold]{escape(found['gold'])}[/] · {count(found['questions'], 'question')}, 95 % intervals")
    table = new_table("index", "measure", "serves", "other", "difference")
    for index in dict.fromkeys(score["index"] for score in other["scores"]):
        for metric in METRICS:
            values = [score_text(score_of(one["scores"], index, None, metric)) for one in (serving, other)]
            delta = score_of(found["deltas"], index, None, metric)
            table.add_row(index, metric, *values, difference(delta) if delta else Text("–"))
    out.print(table)
    if found["left_out"]:
        print_note(f"{count(found['left_out'], 'question')} left out: negative, or of documents that are not here.")
    for name, one in (("serves", serving), ("other", other)):
        out.print(f"{name:<7} {escape(one['version'])}: {_speed(one)}", soft_wrap=True)
    out.print(
        f"A change embeds {count(found['texts'], 'text')}: about {_duration(found['change_seconds'])} here,"
        f"{_cost(other)} while searches go on. Nothing has been changed or stored.",
        soft_wrap=True,
    )
    out.print(f"[bold]→ autri embedder change --kb {slug}[/] moves it, with AUTRI_EMBEDDER set to the other one.")


def _speed(one: dict[str, Any]) -> str:
    rate = one["texts"] / one["seconds"] if one["seconds"] else 0
    return f"{one['dimensions']} dimensions, {one['query_ms']:.0f} ms a question, {rate:,.0f} texts/s"


def _cost(one: dict[str, Any]) -> str:
    """Of what a service counts; AUTRI_EMBEDDER_USD_PER_MILLION says what it charges."""
    priced = f" ({one['usd']:.4f} USD)" if one["usd"] else ""
    return f" {one['tokens']:,} tokens{priced}," if one["tokens"] else ""


def _duration(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"
