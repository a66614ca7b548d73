"""Prints scorecards and run histories on a terminal."""

from collections.abc import Sequence
from typing import Any

from rich.markup import escape
from rich.text import Text

from functions.cli.output import count, new_table, out, print_note

Score = dict[str, Any]
# The columns of a scorecard, in order.
METRICS = ("hit@1", "recall@1", "recall@5", "recall@10", "hit@5", "mrr", "ndcg@10", "document_recall@5")
HEADINGS = {"mrr": "MRR", "ndcg@10": "nDCG@10"}
# Scores of attributes, which are read and not ranked.
READ = ("attributes", "routes")
LEFT_OUT = {
    "document_missing": "with a document that this knowledge base does not have (a miss, unless --skip-missing)",
    "left_out": "left out, since nothing that is expected is here",
}


def print_scorecard(run: dict[str, Any]) -> None:
    """Means with their 95 % intervals per index; below, differences to the baseline, answers and floors."""
    out.print(f"[bold]{escape(run['gold'])}[/] · {count(run['measured'], 'question')} in {run['seconds']:.0f} s")
    ranked = [s for s in run["scores"] if s["index"] not in ("ask", *READ)]
    for level in dict.fromkeys(s["level"] for s in ranked):
        _print_level([s for s in ranked if s["level"] == level], run["deltas"], level)
    for score in (s for s in run["scores"] if s["index"] == "ask"):
        of = "negative questions refused" if score["metric"] == "refused" else "answerable questions answered"
        out.print(f"{of}: {score_text(score)} of {score['n']}")
    _print_read([s for s in run["scores"] if s["index"] in READ])
    for name, number in run["left_out"].items():
        print_note(f"{count(number, 'question')} {LEFT_OUT[name]}.")
    for floor in run["floors"]:
        value = "not measured" if floor["value"] is None else f"{floor['value']:.3f}"
        mark = "[green]✓[/]" if floor["met"] else "[red]✗[/]"
        out.print(f"{mark} {escape(floor['measure'])} {value} (at least {floor['least']:g})")
    versions = run["versions"]
    made_with = " · ".join((versions["embedder"], versions["tokenizer"], ", ".join(versions["extractors"])))
    out.print(f"[dim]{escape(made_with)}[/]")
    out.print(f"[dim]run {run['id']}{' · the baseline from now on' if run['baseline'] else ''}[/]")


def _print_read(scores: Sequence[Score]) -> None:
    """Values that were read at the places of gold, by attribute and by route."""
    if not scores:
        return
    out.print("\n[bold]values read[/], by attribute and by route, 95 % intervals")
    table = new_table("of", "recall", "precision", "places", numbers=("places",))
    keys = dict.fromkeys((s["index"], s["metric"].rpartition(".")[0]) for s in scores if s["metric"] != "agreement")
    for index, name in keys:
        prefix = f"{name}." if name else ""
        recall, precision = (score_of(scores, index, None, f"{prefix}{m}") for m in ("recall", "precision"))
        label = name or "all" if index == "attributes" else f"route {name}"
        table.add_row(label, score_text(recall), score_text(precision), str(recall["n"]) if recall else "")
    out.print(table)
    agreement = score_of(scores, "routes", None, "agreement")
    if agreement and agreement["value"] < 1:
        out.print(
            f"[yellow]Routes read different values: they agree in {score_text(agreement)} of {agreement['n']}.[/]"
        )


def print_history(runs: Sequence[dict[str, Any]]) -> None:
    if not runs:
        out.print("No run yet. Measure: [bold]autri eval run GOLD --kb NAME[/]")
        return
    table = new_table("when", "gold", "questions", "index", "recall@5", "MRR", "nDCG@10", "state", "run")
    for run in runs:
        unfinished = "" if run["status"] == "done" else f"unfinished, {run['measured']} of {run['total']}"
        state = "baseline" if run["baseline"] else unfinished
        for index in run["parameters"]["indexes"]:
            cells = [
                score_text(score_of(run["scores"], index, None, metric)) for metric in ("recall@5", "mrr", "ndcg@10")
            ]
            table.add_row(run["created_at"][:16], run["gold"], str(run["total"]), index, *cells, state, run["id"])
    out.print(table)


def _print_level(scores: Sequence[Score], deltas: Sequence[Score], level: str | None) -> None:
    sizes = {s["n"] for s in scores}
    name = f"{level} level" if level else "each question at its own level"
    out.print(f"\n[bold]{name}[/], {count(max(sizes), 'question')}, 95 % intervals")
    headings = tuple(HEADINGS.get(metric, metric) for metric in METRICS)
    table = new_table("index", *headings, numbers=headings)
    for index in dict.fromkeys(s["index"] for s in scores):
        cells = [_with_delta(scores, deltas, index, level, metric) for metric in METRICS]
        table.add_row(index, *cells)
    out.print(table)


def _with_delta(scores: Sequence[Score], deltas: Sequence[Score], index: str, level: str | None, metric: str) -> Text:
    text = Text(score_text(score_of(scores, index, level, metric)))
    delta = score_of(deltas, index, level, metric)
    return text.append("\n").append(difference(delta)) if delta else text


def difference(delta: Score) -> Text:
    """Coloured where its interval leaves zero out."""
    sure = delta["low"] > 0 or delta["high"] < 0
    style = ("green" if delta["value"] > 0 else "red") if sure else "dim"
    return Text(f"{delta['value']:+.3f} [{delta['low']:+.3f}, {delta['high']:+.3f}]", style=style)


def score_of(scores: Sequence[Score], index: str, level: str | None, metric: str) -> Score | None:
    """The score of that measure; None where the run does not have it."""
    return next((s for s in scores if (s["index"], s["level"], s["metric"]) == (index, level, metric)), None)


def score_text(score: Score | None) -> str:
    """`0.640 [0.440, 0.840]`; a dash for none."""
    return f"{score['value']:.3f} [{score['low']:.3f}, {score['high']:.3f}]" if score else "–"
