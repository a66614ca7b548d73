"""`autri eval …`: how good retrieval is on a knowledge base, measured on questions whose answer is known."""

import math
from pathlib import Path
from typing import Annotated, Any
from uuid import UUID

import typer
from rich.progress import Progress

from functions.cli.api import ApiClient, open_api
from functions.cli.commands import eval_candidates, eval_gold
from functions.cli.commands.eval_gold import batches
from functions.cli.commands.eval_scores import print_history, print_scorecard
from functions.cli.find import find_knowledge_base
from functions.cli.options import Json, Kb, Token, Url
from functions.cli.output import count, err, print_error, print_json, print_note
from shared.domain.evaluation import GoldInput
from shared.errors import AutriError, BadInput
from shared.evaluation.gold_file import GoldFile, read_gold
from shared.evaluation.trec import read_trec

app = typer.Typer(no_args_is_help=True, help="Measure retrieval on gold questions: run, continue, gold, history.")
app.add_typer(eval_gold.app, name="gold")
app.add_typer(eval_candidates.app, name="candidates")

NOTES_MAX = 5

Gold = Annotated[
    Path | None,
    typer.Argument(
        metavar="[GOLD]", exists=True, dir_okay=False, help="JSON lines; left out: the gold of the knowledge base."
    ),
]
Indexes = Annotated[
    list[str] | None, typer.Option("--index", metavar="I", help="fts, vector, hybrid or lookup. May be repeated.")
]
Depth = Annotated[int, typer.Option("--k", "-k", min=1, max=100, help="How many hits are read per question.")]
Qrels = Annotated[Path | None, typer.Option(exists=True, dir_okay=False, help="TREC judgements, with --topics.")]
Topics = Annotated[Path | None, typer.Option(exists=True, dir_okay=False, help="TREC topics, with --qrels.")]
ByPosition = Annotated[
    bool, typer.Option("--queries-by-position", help="The qrels count the topics from 1 (Cranfield).")
]
Within = Annotated[bool, typer.Option("--within-document", help="Ask each question of its own document alone.")]
SkipMissing = Annotated[
    bool, typer.Option("--skip-missing", help="Leave out what names a document that is not here, instead of a miss.")
]
Ask = Annotated[
    bool | None, typer.Option("--ask/--no-ask", help="Try answers too. Without: where some questions are negative.")
]
Baseline = Annotated[bool, typer.Option("--baseline", help="Later runs of this gold are compared with this one.")]
Floors = Annotated[
    list[str] | None, typer.Option("--floor", metavar="M=V", help="Exit 1 below: hybrid.recall@5=0.6. May be repeated.")
]

RunId = Annotated[UUID, typer.Argument(metavar="RUN", help="The run's id, as `history` lists it.")]


@app.command()
def run(
    kb: Kb,
    gold: Gold = None,
    index: Indexes = None,
    k: Depth = 40,
    qrels: Qrels = None,
    topics: Topics = None,
    queries_by_position: ByPosition = False,
    within_document: Within = False,
    skip_missing: SkipMissing = False,
    ask: Ask = None,
    baseline: Baseline = False,
    floor: Floors = None,
    json: Json = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Measure recall, MRR and nDCG per index, with 95 % intervals. Exits 1 below a --floor."""
    file = _read(gold, topics, qrels, queries_by_position)
    wish: dict[str, Any] = {"depth": k, "ask": ask, "skip_missing": skip_missing, "baseline": baseline}
    wish |= {"indexes": index or ["fts", "vector", "hybrid"], "floors": dict(map(_floor, floor or ()))}
    with open_api(url, token) as api:
        base = find_knowledge_base(api, kb)
        place = f"/knowledge-bases/{base['id']}/evaluations"
        started = _start(api, place, wish, file, within_document)
        done = _follow(api, f"{place}/{started['id']}", started, kb)
    _conclude(done, json)


@app.command("continue")
def continue_run(started: RunId, kb: Kb, json: Json = False, url: Url = None, token: Token = None) -> None:
    """Measure the rest of a run that was interrupted, and score it as `run` does."""
    with open_api(url, token) as api:
        place = f"/knowledge-bases/{find_knowledge_base(api, kb)['id']}/evaluations/{started}"
        done = _follow(api, place, api.call("GET", place), kb)
    _conclude(done, json)


@app.command()
def history(kb: Kb, json: Json = False, url: Url = None, token: Token = None) -> None:
    """List the runs of a knowledge base, newest first."""
    with open_api(url, token) as api:
        base = find_knowledge_base(api, kb)
        found = list(api.items(f"/knowledge-bases/{base['id']}/evaluations"))
    print_json(found) if json else print_history(found)


def _read(gold: Path | None, topics: Path | None, qrels: Path | None, by_position: bool) -> GoldFile | None:
    """The file's questions; None for those stored. Raises BadParameter for options that exclude each other."""
    if (topics is None) != (qrels is None) or (gold is not None and qrels is not None):
        raise typer.BadParameter("Give GOLD, or --qrels and --topics together, or none of them.")
    if topics is not None and qrels is not None:
        return read_trec(topics, qrels, by_position)
    return None if gold is None else read_gold(gold)


def _floor(text: str) -> tuple[str, float]:
    name, _, least = text.partition("=")
    try:
        value = float(least)
    except ValueError:
        value = math.nan
    if not 0 <= value <= 1:
        raise typer.BadParameter(f"`{text}`: write MEASURE=VALUE, from 0 to 1, such as hybrid.recall@5=0.6.")
    return name.strip(), value


def _start(api: ApiClient, place: str, wish: dict[str, Any], file: GoldFile | None, within: bool) -> dict[str, Any]:
    if file is None:
        return api.call("POST", place, wish)
    for note in file.left_out[:NOTES_MAX]:
        print_note(f"Left out: {note}.")
    if len(file.left_out) > NOTES_MAX:
        print_note(f"… and {count(len(file.left_out) - NOTES_MAX, 'line')} more.")
    requests = batches([_pinned_to_document(question) if within else question for question in file.questions])
    run: dict[str, Any] = api.call("POST", place, wish | {"gold": file.name, "questions": next(requests)})
    for batch in requests:
        run = api.call("POST", f"{place}/{run['id']}/questions", {"questions": batch})
    return run


def _pinned_to_document(question: GoldInput) -> GoldInput:
    """The question restricted to its own document. Raises BadInput where it has none or several."""
    documents = {place.document for place in question.expected}
    if len(documents) > 1:
        raise BadInput(f"--within-document: `{question.question[:80]}` is answered by several documents.")
    return question.model_copy(update={"pin": next(iter(documents), None)})


def _follow(api: ApiClient, address: str, run: dict[str, Any], kb: str) -> dict[str, Any]:
    """Continues the run slice by slice until it is done; on an interruption, prints how to continue."""
    try:
        with Progress(console=err, transient=True, disable=not err.is_terminal) as progress:
            bar = progress.add_task("measuring", total=run["total"], completed=run["measured"])
            while run["status"] != "done":
                run = api.call("POST", f"{address}/continue")
                progress.update(bar, completed=run["measured"])
    except (AutriError, KeyboardInterrupt):
        done = f"{run['measured']} of {count(run['total'], 'question')}"
        print_note(f"What was measured is kept: {done}. Go on: autri eval continue {run['id']} --kb {kb}")
        raise
    return run


def _conclude(done: dict[str, Any], json: bool) -> None:
    """Print what was found; exits 1 below a floor."""
    print_json(done) if json else print_scorecard(done)
    failed = [f["measure"] for f in done["floors"] if not f["met"]]
    if failed:
        print_error(f"Below the floor: {', '.join(failed)}.")
        raise typer.Exit(1)
