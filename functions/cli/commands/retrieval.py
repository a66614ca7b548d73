"""`autri search`, `autri lookup`, `autri ask`."""

import sys
from functools import partial
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.panel import Panel

from functions.cli.api import ApiClient, open_api
from functions.cli.asking import told_steps
from functions.cli.facets import print_facets, print_result_table
from functions.cli.find import find_knowledge_bases
from functions.cli.hits import other_bases, place_of, print_corrections, print_hits, print_rows, print_with_rows
from functions.cli.options import Documents, Json, Kbs, Superseded, Token, Url
from functions.cli.output import BOX_WIDTH, count, out, print_json, shorten

Query = Annotated[str, typer.Argument(help="What to look for; left out: what passes the filters, newest first.")]
Index = Annotated[str, typer.Option(help="hybrid, fts or vector.")]
# Where nothing answers, so many of the passages that came nearest are named.
NEAREST_SHOWN = 3
# As many rows that meet what is asked are quoted.
ROWS_QUOTED = 10

HowMany = Annotated[int, typer.Option("-k", min=1, help="How many hits.")]
Where = Annotated[
    str | None,
    typer.Option(
        metavar="EXPR", help="Attribute filter, such as 'mass >= 10 kg and not lubrication = oil'; or its JSON."
    ),
]
Types = Annotated[list[str] | None, typer.Option("--type", metavar="T", help="Chunk type. May be repeated.")]
MinScore = Annotated[float | None, typer.Option(help="Only hits with at least this score of --index fts or vector.")]
Facets = Annotated[bool, typer.Option("--facets", help="Count the result by the values of its attributes.")]
Facet = Annotated[list[str] | None, typer.Option("--facet", metavar="NAME", help="Count by this. May be repeated.")]
Sort = Annotated[
    str | None, typer.Option(metavar="ORDER", help="'price', 'price desc', newest or oldest; without a value: last.")
]
Columns = Annotated[
    str | None,
    typer.Option(
        metavar="NAMES", help="Show a table: attributes, document, version, date, section, place, text; or auto."
    ),
]
Csv = Annotated[bool, typer.Option("--csv", help="Print all that is found as CSV, and nothing else.")]
Plan = Annotated[bool, typer.Option("--plan", help="Have the model look for evidence in several steps first.")]
Recency = Annotated[float | None, typer.Option(metavar="DAYS", help="Prefer recent ones; half-life in days.")]


def search(
    kb: Kbs,
    query: Query = "",
    index: Index = "hybrid",
    k: HowMany = 10,
    where: Where = None,
    types: Types = None,
    recency: Recency = None,
    documents: Documents = None,
    include_superseded: Superseded = False,
    min_score: MinScore = None,
    facets: Facets = False,
    facet: Facet = None,
    sort: Sort = None,
    columns: Columns = None,
    csv: Csv = False,
    json: Json = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Search; each hit names the indexes that found it, with rank and score."""
    wish = {"query": query, "index": index, "k": k, "where": where, "types": types, "recency_days": recency}
    wish |= {"documents": documents, "include_superseded": include_superseded, "min_score": min_score}
    wish |= {"facets": facet or facets or None, "sort": sort}
    if columns is not None:
        wish["columns"] = [] if columns == "auto" else [name.strip() for name in columns.split(",")]
    if csv:
        sys.stdout.write(_export(kb, wish, url, token))
        return
    found = _ask("/search", kb, wish, url, token)
    if json:
        print_json(found)
        return
    _print_corrections(found)
    if found["facets"]:
        print_facets(found["facets"])
    table, hits = found["table"], found["hits"]
    print_found = partial(print_result_table, table) if table else partial(print_hits, hits)
    print_with_rows(print_found, found["rows_behind"])
    _print_footer(found)


def _export(kb: list[str], wish: dict[str, Any], url: str | None, token: str | None) -> str:
    """Every match, whatever `-k` says of how many are shown."""
    with open_api(url, token) as api:
        return api.csv("/search:export", _request(api, kb, wish | {"k": None, "facets": None}))


def lookup(
    address: Annotated[
        str, typer.Argument(help="As printed: C7.6.2, AC-2(3), Table 3; or of a document: GPL-3 section 8.")
    ],
    kb: Kbs,
    recursive: Annotated[bool, typer.Option("--recursive", help="Everything below it too.")] = False,
    documents: Documents = None,
    include_superseded: Superseded = False,
    json: Json = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Look a section up by its address. Nothing found is no error."""
    wish = {"address": address, "recursive": recursive, "documents": documents}
    found = _ask("/lookup", kb, wish | {"include_superseded": include_superseded}, url, token)
    if json:
        print_json(found)
        return
    for item in found["sections"]:
        path = " › ".join(shorten(f"{s['address'] or ''} {s['title']}".strip()) for s in item["section"]["path"])
        note = ", without text: see the section of that number above" if item.get("told_by") else ""
        out.print(f"[blue]▌[/] [bold]{escape(path)}[/]  [dim]{escape(item['document']['name'])}{note}[/]")
    print_hits(found["hits"])
    _print_footer(found)


def ask(
    question: Annotated[str, typer.Argument(help="A question.")],
    kb: Kbs,
    documents: Documents = None,
    include_superseded: Superseded = False,
    plan: Plan = False,
    json: Json = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Answer a question with citations, by quotations or by the model that is set, or say that nothing does."""
    wish = {"question": question, "documents": documents, "include_superseded": include_superseded}
    with open_api(url, token) as api, told_steps() as tell:
        answer = api.told("/ask", _request(api, kb, wish | {"plan": plan or None}), tell)
    if json:
        print_json(answer)
        return
    print_answer(answer)


def _ask(path: str, kb: list[str], wish: dict[str, Any], url: str | None, token: str | None) -> Any:
    with open_api(url, token) as api:
        return api.call("POST", path, _request(api, kb, wish))


def _request(api: ApiClient, kb: list[str], wish: dict[str, Any]) -> dict[str, Any]:
    ids = [found["id"] for found in find_knowledge_bases(api, kb)]
    given = {name: value for name, value in wish.items() if value is not None and (value != [] or name == "columns")}
    return given | {"knowledge_base_ids": ids}


def _print_corrections(found: dict[str, Any]) -> None:
    for written, meant in found["corrections"].items():
        out.print(f"[yellow]Searched for {escape(meant)} instead of {escape(written)}.[/]")


def print_answer(answer: dict[str, Any]) -> None:
    """Its statements with numbers, and behind them the places that these stand for; then further rows."""
    _print_statements(answer)
    if (behind := answer.get("rows_behind")) and behind["hits"]:
        print_rows(behind)


def _print_statements(answer: dict[str, Any]) -> None:
    _print_corrections(answer)
    if answer["insufficient_evidence"]:
        width = min(out.width, BOX_WIDTH)
        text = escape(answer["answer"])
        out.print(Panel(text, border_style="yellow", title="nothing answers", title_align="left", width=width))
        for hit in answer["hits"][:NEAREST_SHOWN]:
            place = f"{escape(hit['document']['name'])}  [dim]{escape(place_of(hit))}[/]"
            out.print(f"[dim]nearest:[/] {place}")
        for other in answer.get("widening", []):
            out.print(f"[yellow]{escape(other['name'])} may answer it: ask again with --kb {escape(other['slug'])}.[/]")
        return
    numbers = {hit["chunk"]["id"]: n for n, hit in enumerate(answer["citations"], start=1)}
    for sentence in answer["sentences"]:
        if sentence.get("no_longer_visible"):
            out.print("[yellow](what was quoted here is gone, or you may no longer see it)[/]")
            continue
        marks = "".join(f"[{numbers[cited]}]" for cited in sentence["citations"])
        if meeting := sentence.get("meeting"):
            out.print(escape(_counted(meeting)))
        indent = "    " if sentence.get("listed") and not sentence.get("cells") else ""
        out.print(f"{indent}{_statement(sentence)} [cyan]{escape(marks)}[/]")
        if over := sentence.get("compared"):
            out.print(f"[dim]compared over {over} rows of its table[/]")
    for found in answer["contradictions"]:
        pair = [answer["sentences"][at] for at in found["sentences"]]
        if any(sentence.get("no_longer_visible") for sentence in pair):
            continue
        one, other = (numbers[sentence["citations"][0]] for sentence in pair)
        said = [side["value"] for side in found.get("sides", [])]
        values = f" ({said[0]}, {said[1]})" if all(said) and said else ""
        what = "deny each other" if found.get("kind") == "polarity" else f"give different values{values}"
        out.print(f"[yellow]{escape(f'[{one}] and [{other}] {what}')}: compare their places and versions.[/]")
    out.print()
    for hit in answer["citations"]:
        number = numbers[hit["chunk"]["id"]]
        place = f"{escape(hit['document']['name'])}  [dim]{escape(place_of(hit))}[/]"
        also = "".join(f" [dim]· also in {escape(base)}[/]" for base in other_bases(hit))
        out.print(f"[cyan]{escape(f'[{number}]')}[/] {place}{also}")
        print_corrections(hit)
    if answer.get("model"):
        out.print(f"[dim]written by {escape(answer['model'])}, each sentence checked against what it cites[/]")
    out.print(
        f"[dim]confidence {answer['confidence']:.2f} that the documents answer this · trace {answer['trace_id']}[/]"
    )


def _counted(meeting: dict[str, Any]) -> str:
    quoted = f", {ROWS_QUOTED} of them quoted" if meeting["rows"] > ROWS_QUOTED else ""
    return f"{meeting['rows']} of the {meeting['compared']} rows of the table ({' · '.join(meeting['said'])}){quoted}:"


def _statement(sentence: dict[str, Any]) -> str:
    """The quoted words; of a row each cell under its header, with what was asked for in bold."""
    if sentence["cells"]:
        cells = [
            (f"{cell['label']}: {_shown(cell['value'], cell['hidden'])}".removeprefix(": "), cell["answers"])
            for cell in sentence["cells"]
        ]
        return " · ".join(f"[bold]{escape(text)}[/]" if answers else escape(text) for text, answers in cells)
    text, hidden = sentence["text"], sentence["hidden"]
    parts, at = list[str](), 0
    for start, end in sentence["marks"]:
        parts += [escape(_shown(text, hidden, at, start)), f"[bold]{escape(_shown(text, hidden, start, end))}[/]"]
        at = end
    return "".join([*parts, escape(_shown(text, hidden, at))])


def _shown(text: str, hidden: list[list[int]], start: int = 0, end: int | None = None) -> str:
    """What is shown of a slice of `text`."""
    places = range(start, len(text) if end is None else end)
    return "".join(text[at] for at in places if not any(a <= at < b for a, b in hidden))


def _print_footer(found: dict[str, Any]) -> None:
    out.print(f"[dim]{count(len(found['hits']), 'hit')} in {found['latency_ms']:.0f} ms · trace {found['trace_id']}[/]")
