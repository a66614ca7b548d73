"""Bounding boxes: the place of a piece of text in its source."""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

Unit = Annotated[float, Field(ge=0.0, le=1.0)]
# Coordinates are stored with a resolution of 1/100,000 of the page: 0.006 pt on A4.
DIGITS = 5
# What a printed sign says already.
_SIGN = re.compile("[\u2610-\u2612\u2713-\u2718\u25cf\uf0a8\uf0fb-\uf0fe]")


class Rect(BaseModel):
    """A rectangle in fractions (0..1) of the page as displayed; origin top left, rotation applied."""

    model_config = ConfigDict(frozen=True)

    x: Unit
    y: Unit
    w: Unit
    h: Unit

    @property
    def right(self) -> float:
        return self.x + self.w

    @property
    def bottom(self) -> float:
        return self.y + self.h


class Tick(Rect):
    """A box to tick, drawn or a field of a form, which is no text: where it stands on the page, whether it is ticked,
    and before which character of the chunk's content it reads (`at`; the content's length behind the last one)."""

    ticked: bool
    at: int = Field(ge=0)


class PageBox(Rect):
    """The part of a chunk that stands on one page, in one column. `ticks` are left out where there are none."""

    kind: Literal["page"] = "page"
    page: int = Field(ge=1)
    fragment_ids: tuple[str, ...] = ()
    ticks: tuple[Tick, ...] = Field(default=(), exclude_if=lambda ticks: not ticks)


class CellRange(BaseModel):
    """A cell (`B7`) or a range of cells (`A3:F3`) of a spreadsheet."""

    model_config = ConfigDict(frozen=True)

    kind: Literal["sheet"] = "sheet"
    sheet: str
    range: str


class PictureArea(Rect):
    """A part of a picture in a source without layout, in fractions (0..1) of the picture; `id` is the SHA-256 of the
    picture's bytes."""

    id: str


class TextRange(BaseModel):
    """A character range of a source without layout, in the text that its reader made of it; `end` is exclusive.

    A picture, and what was recognised in one, has no characters there: the range is empty where the picture stands, and
    `picture` says which part of it is meant. It is left out where there is none."""

    model_config = ConfigDict(frozen=True)

    kind: Literal["text"] = "text"
    start: int = Field(ge=0)
    end: int = Field(ge=0)
    picture: PictureArea | None = Field(default=None, exclude_if=lambda picture: picture is None)


# Where a fragment of a source without pages stands.
Place = Annotated[CellRange | TextRange, Field(discriminator="kind")]


class SheetBox(CellRange):
    """The cells of a chunk; `page` is the part of the source, from 1, that has them."""

    page: int = Field(default=1, ge=1)
    fragment_ids: tuple[str, ...] = ()


class Marker(BaseModel):
    """The number that a list shows in front of an item (`3.`, `b)`) and that nobody typed: it is no text of the source.
    `at`: before which character of the chunk's content it reads."""

    model_config = ConfigDict(frozen=True)

    text: str
    at: int = Field(ge=0)


class TextBox(TextRange):
    """The characters of a chunk; `page` is the part of the source, from 1, that has them. `markers` are left out where
    there are none."""

    page: int = Field(default=1, ge=1)
    fragment_ids: tuple[str, ...] = ()
    markers: tuple[Marker, ...] = Field(default=(), exclude_if=lambda markers: not markers)


Box = Annotated[PageBox | SheetBox | TextBox, Field(discriminator="kind")]
# A figure's: a part of a page, or a picture of a source without pages.
FigureBox = Annotated[PageBox | TextBox, Field(discriminator="kind")]
_CELLS = re.compile(r"([A-Z]{1,4})([0-9]{1,8})(?::([A-Z]{1,4})([0-9]{1,8}))?")
_LETTERS = 26


def union(rects: Iterable[Rect]) -> Rect:
    """The smallest rectangle around all of `rects`; raises ValueError when there is none.

    Edges are taken by minimum and maximum, so the union of one rectangle is that rectangle, to the bit.
    """
    found = list(rects)
    if not found:
        raise ValueError("the union of no rectangles has no extent")
    if len(found) == 1:
        one = found[0]
        return Rect(x=one.x, y=one.y, w=one.w, h=one.h)
    x = min(r.x for r in found)
    y = min(r.y for r in found)
    right = min(1.0, max(r.right for r in found))
    bottom = min(1.0, max(r.bottom for r in found))
    return Rect(x=x, y=y, w=right - x, h=bottom - y)


def with_ticks(content: str, boxes: Sequence[Box]) -> str:
    """`content` with ☒ or ☐ where its `boxes` have boxes to tick, and with the numbers of lists: for reading and
    searching, not verbatim. A sign that is printed stays alone."""
    text = content
    numbers = [marker for box in boxes if isinstance(box, TextBox) for marker in box.markers]
    for marker in sorted(numbers, key=lambda marker: marker.at, reverse=True):
        text = f"{text[: marker.at]}{marker.text} {text[marker.at :]}"
    ticks = [tick for box in boxes if isinstance(box, PageBox) for tick in box.ticks]
    for tick in sorted(ticks, key=lambda tick: (tick.at, tick.x), reverse=True):
        if _SIGN.match(content, tick.at):
            continue
        sign = "\u2612" if tick.ticked else "\u2610"
        before = tick.at < len(content) and not content[tick.at].isspace()
        text = text[: tick.at] + (f"{sign} " if before else f" {sign}") + text[tick.at :]
    return text


def box_around(page: int, places: Sequence[Place], fragment_ids: Iterable[str]) -> SheetBox | TextBox:
    """The smallest range around `places`, which are of one kind and, in a spreadsheet, of one sheet. Raises ValueError
    where there are none or they are not."""
    ids = tuple(fragment_ids)
    texts = [place for place in places if isinstance(place, TextRange)]
    cells = [place for place in places if isinstance(place, CellRange)]
    if texts and not cells:
        start, end = min([one.start for one in texts]), max([one.end for one in texts])
        return TextBox(start=start, end=end, picture=_area_around(texts), page=page, fragment_ids=ids)
    if len({one.sheet for one in cells}) != 1 or texts:
        raise ValueError("the places of one box are of one kind, and in one sheet")
    corners = [corners_of(one.range) for one in cells]
    around = range_name(
        min([c[0] for c in corners]), min([c[1] for c in corners]),
        max([c[2] for c in corners]), max([c[3] for c in corners]),
    )  # fmt: skip
    return SheetBox(sheet=cells[0].sheet, range=around, page=page, fragment_ids=ids)


def _area_around(texts: Sequence[TextRange]) -> PictureArea | None:
    """The part of a picture around the places; None where they are not all in the same one."""
    areas = [one.picture for one in texts if one.picture is not None]
    if len(areas) < len(texts) or len({one.id for one in areas}) != 1:
        return None
    return PictureArea(id=areas[0].id, **union(areas).model_dump())


def corners_of(cells: str) -> tuple[int, int, int, int]:
    """(first column, first row, last column, last row) of `B7` or `A3:F3`, all from 1. Raises ValueError."""
    matched = _CELLS.fullmatch(cells)
    if matched is None:
        raise ValueError(f"{cells} is no range of cells such as A3:F3")
    left, top, right, bottom = matched.groups()
    first = column_of(left), int(top)
    last = (column_of(right), int(bottom)) if right else first
    return *first, *last


def range_name(left: int, top: int, right: int, bottom: int) -> str:
    """`A3:F3` of columns and rows from 1; `B7` of a single cell."""
    first, last = f"{letters_of(left)}{top}", f"{letters_of(right)}{bottom}"
    return first if first == last else f"{first}:{last}"


def column_of(letters: str) -> int:
    """The number of a column, from 1, that is called so, in capitals."""
    number = 0
    for letter in letters:
        number = number * _LETTERS + ord(letter) - ord("A") + 1
    return number


@lru_cache(1 << 14)
def letters_of(column: int) -> str:
    """What a column, from 1, is called."""
    name = ""
    while column:
        column, rest = divmod(column - 1, _LETTERS)
        name = chr(ord("A") + rest) + name
    return name
