"""What a workbook says beside its cells: notes on them, boxes of text, descriptions of pictures, titles of charts
(ECMA-376 part 1, 18.7, 20.5 and 21.2)."""

from collections.abc import Iterator
from typing import Final
from xml.etree.ElementTree import Element

from shared.domain.geometry import corners_of
from shared.readers.sheets.cells import Area, SheetNote
from shared.readers.sheets.container import Container, attribute, relations

_ANCHORS: Final = ("twoCellAnchor", "oneCellAnchor", "absoluteAnchor")
_LAST_ROW: Final = 1 << 20
_LAST_COLUMN: Final = 1 << 14


def notes_beside(container: Container, sheet: str) -> Iterator[SheetNote]:
    """Notes, then drawings, in the order of their members. Raises ValueError for one at no cell."""
    links = [(kind, target) for kind, target in relations(container, sheet).values() if container.has(target)]
    threads = [note for kind, target in links if kind == "threadedComment" for note in _comments(container, target)]
    threaded = {note.area for note in threads}
    for kind, target in links:
        if kind == "comments":
            # A thread is there once more for older programs, with words of theirs.
            yield from (note for note in _comments(container, target) if note.area not in threaded)
    yield from threads
    yield from notes_drawn(container, sheet)


def notes_drawn(container: Container, sheet: str) -> Iterator[SheetNote]:
    """What stands in a sheet's drawings alone."""
    for kind, target in relations(container, sheet).values():
        if kind == "drawing" and container.has(target):
            yield from _drawn(container, target)


def _comments(container: Container, member: str) -> Iterator[SheetNote]:
    for one in container.elements(member, "comment", "threadedComment"):
        left, top, right, bottom = corners_of((one.get("ref") or "").replace("$", ""))
        # A thread's words stand in its text itself, a note's in runs of it.
        said = [part.text or "" for part in _shown(one) if part.tag == "t" or (part.tag == "text" and not len(part))]
        yield SheetNote("".join(said), Area(top, left, bottom, right))


def _drawn(container: Container, member: str) -> Iterator[SheetNote]:
    charts = {key: target for key, (kind, target) in relations(container, member).items() if kind == "chart"}
    for anchor in container.elements(member, *_ANCHORS):
        area = _area(anchor)
        for one in _shown(anchor):
            match one.tag:
                case "cNvPr" if (one.get("descr") or "").strip():
                    yield SheetNote(one.get("descr", ""), area, "caption")
                case "txBody":
                    yield SheetNote(_paragraphs(one), area, "text")
                case "chart":
                    target = charts.get(attribute(one, "id") or "", "")
                    if container.has(target):
                        yield from (SheetNote(said, area, "caption") for said in _titles(container, target))
                case _:
                    continue


def _shown(element: Element) -> Iterator[Element]:
    """What is below an element, but for what repeats it for older programs, or says how it is pronounced."""
    for one in element:
        if one.tag not in ("Fallback", "rPh"):
            yield one
            yield from _shown(one)


def _area(anchor: Element) -> Area:
    """The cells that a drawing lies over: A1 for one that says none."""
    top, left = _corner(anchor.find("from")) or (1, 1)
    bottom, right = _corner(anchor.find("to")) or (top, left)
    return Area(top, left, max(top, bottom), max(left, right))


def _corner(element: Element | None) -> tuple[int, int] | None:
    """(row, column) from 1; the file counts from 0."""
    if element is None:
        return None
    row, column = int(element.findtext("row") or 0) + 1, int(element.findtext("col") or 0) + 1
    return min(max(row, 1), _LAST_ROW), min(max(column, 1), _LAST_COLUMN)


def _titles(container: Container, chart: str) -> list[str]:
    """The titles of a chart and its axes. What it draws stands in cells."""
    return [_paragraphs(one) or _cached(one) for one in container.elements(chart, "title")]


def _paragraphs(element: Element) -> str:
    return "\n".join("".join(_run(one) for one in line.iter()) for line in element.iter("p"))


def _run(element: Element) -> str:
    return (element.text or "") if element.tag == "t" else "\n" if element.tag == "br" else ""


def _cached(title: Element) -> str:
    return "\n".join(one.text or "" for one in title.iter("v"))
