"""Bounding boxes: the place of a piece of text in its source."""

import re
from collections.abc import Iterable
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


class SheetBox(BaseModel):
    """A cell range of a spreadsheet, e.g. `A3:F3`."""

    model_config = ConfigDict(frozen=True)

    kind: Literal["sheet"] = "sheet"
    sheet: str
    range: str


class TextBox(BaseModel):
    """A character range of a source without layout; `end` is exclusive."""

    model_config = ConfigDict(frozen=True)

    kind: Literal["text"] = "text"
    start: int = Field(ge=0)
    end: int = Field(ge=0)


Box = Annotated[PageBox | SheetBox | TextBox, Field(discriminator="kind")]


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


def with_ticks(content: str, boxes: Iterable[Box]) -> str:
    """`content` with ☒ or ☐ where its `boxes` have boxes to tick: for reading and searching, not
    verbatim. A sign that is printed stays alone."""
    text = content
    ticks = [tick for box in boxes if isinstance(box, PageBox) for tick in box.ticks]
    for tick in sorted(ticks, key=lambda tick: (tick.at, tick.x), reverse=True):
        if _SIGN.match(content, tick.at):
            continue
        sign = "\u2612" if tick.ticked else "\u2610"
        before = tick.at < len(content) and not content[tick.at].isspace()
        text = text[: tick.at] + (f"{sign} " if before else f" {sign}") + text[tick.at :]
    return text
