"""Diagrams (SmartArt) and charts, whose words and numbers stand in parts of their own (ECMA-376 part 1, 21)."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from shared.readers.blocks import Block, CellBlock, GridBlock, PassageBlock
from shared.readers.docx.elements import child, decimal, local, value
from shared.readers.docx.parts import targets
from shared.readers.docx.text import Placer
from shared.readers.zipped import ZippedParts

# A point of a chart with a higher number is left where it is.
MAX_POINTS: Final = 100_000


@dataclass
class Drawn:
    """The drawings that a part refers to, by the references' ids."""

    zipped: ZippedParts
    names: dict[str, str] = field(default_factory=dict[str, str])

    @classmethod
    def of(cls, zipped: ZippedParts, source: str) -> "Drawn":
        return cls(zipped, targets(zipped, source, "diagramData") | targets(zipped, source, "chart"))

    def blocks(self, reference: Any, placer: Placer) -> Iterator[Block]:
        """What a diagram or chart says; nothing where the reference leads nowhere."""
        said = [one for key, one in reference.attrib.items() if key.rpartition("}")[2] in ("dm", "id")]
        root = next((self.zipped.root(self.names[one]) for one in said if one in self.names), None)
        if root is not None and local(root) == "dataModel":
            if lines := placer.place(_lines(root)):
                yield PassageBlock("list" if len(lines) > 1 else "text", lines)
        elif root is not None:
            yield from _chart(root, placer)


def _chart(root: Any, placer: Placer) -> Iterator[Block]:
    """A chart is the table that it draws: a column for each series, a row for each category. The titles of its axes
    stand behind it."""
    titles = [one for one in root.iter() if local(one) == "title"]
    own = [one for one in titles if local(one.getparent()) == "chart"]
    caption = placer.place([line for one in own for line in _lines(one)])
    series = [one for one in root.iter() if local(one) == "ser"]
    levels = next((found for one in series if (found := _levels(one))), [{}])
    columns = [_points(one, "val", "yVal") for one in series]
    heads = [" ".join(_points(one, "tx").values()) for one in series]
    rows = [[*("" for _ in levels), *heads]] if any(heads) else []
    head_rows = len(rows)
    numbers = sorted({at for column in (*levels, *columns) for at in column})
    rows += [[one.get(number, "") for one in (*levels, *columns)] for number in numbers]
    cells = [[CellBlock(placer.place([said])) for said in row] for row in rows]
    yield GridBlock(cells, head_rows if head_rows < len(rows) else 0, caption)
    if lines := placer.place([line for one in titles if one not in own for line in _lines(one)]):
        yield PassageBlock("caption", lines)


def _levels(series: Any) -> list[dict[int, str]]:
    """The categories by their numbers, and before them the groups of several levels, which the file has behind."""
    named = child(series, "cat")
    levels = [] if named is None else [_cached(one) for one in _named(named, "lvl")]
    found = levels[::-1] or [_points(series, "cat", "xVal")]
    return found if any(found) else []


def _points(series: Any, *names: str) -> dict[int, str]:
    """The cached values of one of a series' elements by their numbers."""
    elements = [one for name in names if (one := child(series, name)) is not None]
    return {at: said for one in reversed(elements) for at, said in _cached(one).items()}


def _cached(element: Any) -> dict[int, str]:
    found: dict[int, str] = {}
    for one in _named(element, "v"):
        at = decimal(value(one.getparent(), "idx"), 0) if local(one.getparent()) == "pt" else 0
        if at < MAX_POINTS:
            found.setdefault(at, " ".join((one.text or "").split()))
    return found


def _lines(element: Any) -> list[str]:
    """The paragraphs below an element, else its cached words."""
    found = ["".join(said.text or "" for said in one.iter() if local(said) == "t") for one in _named(element, "p")]
    return found or [one.text or "" for one in _named(element, "v")]


def _named(element: Any, name: str) -> Iterator[Any]:
    return (one for one in element.iter() if local(one) == name)
