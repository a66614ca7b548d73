"""Prints hits: the text, its place on the page, and which index found it at which rank."""

from collections.abc import Callable, Sequence
from typing import Any

from rich.text import Text

from functions.cli.output import INDEX_NAMES, INDEX_STYLES, count, out

CONTENT_LINES = 3
BOXES_SHOWN = 3
DOCUMENTS_NAMED = 3
TITLES_SHOWN = 2
TITLE_SHOWN = 60


def print_hits(hits: Sequence[dict[str, Any]]) -> None:
    for number, hit in enumerate(hits, start=1):
        out.print(_head(number, hit))
        out.print(_content(hit["chunk"]))
        print_corrections(hit)
        if hit["indexes"]:
            out.print(_indexes(hit))
        out.print()


def print_with_rows(print_found: Callable[[], None], behind: dict[str, Any] | None) -> None:
    """What was found, and below it the rows that are no passages; above it where these alone have what was asked
    for."""
    above = behind is not None and behind["before_hits"]
    if above:
        print_rows(behind)
    print_found()
    if not above:
        print_rows(behind)


def print_rows(behind: dict[str, Any] | None) -> None:
    """The rows that are no passages, as a group of their own."""
    if behind is None:
        return
    named = ", ".join(one["document"]["name"] for one in behind["documents"][:DOCUMENTS_NAMED])
    more = behind["document_count"] - DOCUMENTS_NAMED
    others = f" and {count(more, 'other document')}" if more > 0 else ""
    hits = behind["hits"]
    found = "these have words of it" if hits else "none has these words" if behind["sought"] else "they were left out"
    out.print(
        Text(f"Rows behind the passages: {behind['rows']:,} of {named}{others}, found by word alone; {found}", "bold")
    )
    if behind["absent"] and hits:
        out.print(Text(f"   in none of them: {', '.join(behind['absent'])}", style="dim"))
    for hit in hits:
        place = Text("▌", style="green").append(f"{hit['sheet']} {hit['range']}  ", style="bold")
        head = place.append(hit["document"]["name"])
        out.print(head.append("" if hit["version"]["is_current"] else " (superseded)", style="yellow"))
        cells = (f"{cell['label']}: {cell['value']}".removeprefix(": ") for cell in hit["cells"])
        out.print(Text("   " + _beginning(" · ".join(cells))))
    if behind["more"]:
        out.print(Text("   and more: look into the document, or give more words.", style="dim"))
    if behind["unread"]:
        out.print(Text(f"   {behind['unread']:,} rows are not indexed: reingest their document.", style="yellow"))
    out.print()


def print_corrections(hit: dict[str, Any]) -> None:
    """What was written since against what the hit says."""
    for note in hit["corrected_by"]:
        of = " of the document" if note["of_document"] else ""
        out.print(Text(f"   Correction{of} by {note['author']}: {_beginning(note['text'])}", style="yellow"))


def place_of(hit: dict[str, Any]) -> str:
    """Where it stands, as `where_it_stands` has it; of a row that is no passage its cells."""
    row = hit.get("kept_row")
    return f"{row['sheet']} {row['range']}" if row else where_it_stands(hit["chunk"])


def where_it_stands(chunk: dict[str, Any]) -> str:
    """`p.21 (.12 .65 .35 .01)` per box: page, then x, y, width and height in fractions of it; of a source without pages
    the titles around it."""
    boxes = [box for box in chunk["boxes"] if box["kind"] == "page"]
    if not boxes and chunk["section"]:
        return " › ".join(_titled(step) for step in chunk["section"]["path"][-TITLES_SHOWN:])
    shown = " ".join(f"p.{box['page']} {_rectangle(box)}" for box in boxes[:BOXES_SHOWN])
    return f"{shown} +{len(boxes) - BOXES_SHOWN}" if len(boxes) > BOXES_SHOWN else shown


def _titled(step: dict[str, Any]) -> str:
    address, title = step["address"] or "", " ".join(step["title"].split())
    title = title if len(title) <= TITLE_SHOWN else f"{title[: TITLE_SHOWN - 1]}…"
    return f"{address} {title}".strip()


def _rectangle(box: dict[str, Any]) -> str:
    return "(" + " ".join(f"{box[side]:.2f}".removeprefix("0") for side in ("x", "y", "w", "h")) + ")"


def _head(number: int, hit: dict[str, Any]) -> Text:
    chunk, version = hit["chunk"], hit["version"]
    head = Text(f"{number:>2} ", style="dim")
    head.append(f"{chunk['section_id'] or '–'} ", style="bold").append(f"{chunk['chunk_type']}  ", style="cyan")
    head.append(hit["document"]["name"])
    if version and version["label"]:
        head.append(f" {version['label']}", style="" if version["is_current"] else "yellow")
    if version and not version["is_current"]:
        head.append(" (superseded)", style="yellow")
    if "ocr" in chunk["flags"]:
        head.append(" OCR", style="yellow")
    if hidden := next((flag for flag in ("hidden", "partly_hidden") if flag in chunk["flags"]), None):
        head.append(f" {hidden.replace('_', ' ')} in its source", style="yellow")
    if "source_changed" in chunk["flags"]:
        head.append(" source changed: unproved", style="red")
    head.append(f"  {place_of(hit)}", style="dim")
    return head.append(f"  also in {', '.join(bases)}" if (bases := other_bases(hit)) else "", style="dim")


def other_bases(hit: dict[str, Any]) -> list[str]:
    """The names of the other knowledge bases that the same file lies in."""
    return [place["knowledge_base"] for place in hit["other_places"]]


def _content(chunk: dict[str, Any]) -> Text:
    """The beginning of the content, in a few lines of this terminal."""
    return Text("   " + _beginning(chunk.get("marked") or chunk.get("labelled") or chunk["content"]))


def _beginning(text: str) -> str:
    flat = " ".join(text.split())
    room = (min(out.width, 120) - 4) * CONTENT_LINES
    return flat if len(flat) <= room else flat[: room - 1] + "…"


def _indexes(hit: dict[str, Any]) -> Text:
    """`▌full text #1 14.2  ▌vector #3 0.71`: one stripe per index that found it."""
    line = Text("   ")
    for index in hit["indexes"]:
        score = "" if index["score"] is None else f" {index['score']:.3g}"
        line.append(f"▌{INDEX_NAMES[index['name']]} #{index['rank']}{score}  ", style=INDEX_STYLES[index["name"]])
    for boost in hit["boosts"]:
        line.append(f"{boost['name']} ×{boost['factor']:.2f} #{boost['from_rank']}→#{boost['to_rank']}  ", style="dim")
    return line.append(f"score {hit['score']:.4g}" if hit["score"] else "", style="dim")
