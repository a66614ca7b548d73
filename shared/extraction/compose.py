"""Composes the text and the bounding boxes of a chunk from the fragments that its operation names.

The join rule (part of EXTRACTOR_VERSION): lines of a paragraph, list, title, caption or cell are joined by one space,
by nothing in scripts without spaces or after a drop cap; lines of code by a line feed; non-empty cells of a row by ` |
`; rows of a table by a line feed. Nothing else is added, removed or changed: a word hyphenated at a line's end keeps
its hyphen.
"""

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

from shared.domain.geometry import Box, Marker, PageBox, Rect, TextBox, box_around, union
from shared.extraction.references import ReferencedPart

LINE = " "
CODE_LINE = "\n"
CELL = " | "
ROW = "\n"
# Chinese and Japanese with their punctuation; Korean has spaces.
_SPACELESS = re.compile("[\u2e80-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\ufe30-\ufe4f\uff01-\uff60]")
# A drop cap is at least this much larger than the word that it begins, and at most this far from it (in type sizes).
INITIAL_SIZE = 1.6
INITIAL_GAP_EM = 0.6


def compose_text(parts: Sequence[ReferencedPart], joiner: str = LINE) -> str:
    """The verbatim text of `parts` in their order."""
    if len(parts) < 2 or joiner != LINE:
        return joiner.join([part.text for part in parts])
    pieces = [parts[0].text]
    for before, part in pairwise(parts):
        pieces += [line_join(before, part), part.text]
    return "".join(pieces)


def line_join(before: ReferencedPart, part: ReferencedPart) -> str:
    """The separator between two successive parts of running text."""
    adjacent = before.fragment.id == part.fragment.id and before.end == part.start
    return "" if adjacent or _is_initial(before, part) else text_join(before.text, part.text)


def text_join(before: str, after: str) -> str:
    """The separator between two pieces of running text, decided by their scripts alone; used across page breaks."""
    return "" if _SPACELESS.match(before[-1:]) and _SPACELESS.match(after[:1]) else LINE


def _is_initial(before: ReferencedPart, part: ReferencedPart) -> bool:
    if len(before.text) != 1 or not before.text.isalpha() or not part.text[0].isalpha():
        return False
    gap = part.box.x - before.box.right
    em = part.box.h
    return before.fragment.size >= INITIAL_SIZE * part.fragment.size and gap < INITIAL_GAP_EM * em


def marked_boxes(boxes: Sequence[Box], parts: Sequence[ReferencedPart], joiner: str = LINE, at: int = 0) -> list[Box]:
    """The boxes of `parts`, which are composed from the character `at` of a content on, with the numbers that lists
    show in front of them."""
    if not any(part.fragment.marker for part in parts):
        return [*boxes]
    markers: list[Marker] = []
    for before, part in zip((None, *parts), parts, strict=False):
        at += len((line_join(before, part) if joiner == LINE else joiner) if before else "")
        if part.fragment.marker and part.start == 0:
            markers.append(Marker(text=part.fragment.marker, at=at))
        at += len(part.text)
    return [box.model_copy(update={"markers": tuple(markers)}) if isinstance(box, TextBox) else box for box in boxes]


def compose_boxes(page: int, parts: Sequence[ReferencedPart]) -> list[Box]:
    """Returns one bounding box per text column: exactly the union of its fragments' boxes. In a source without pages
    there is one.

    A new column begins where the text jumps up, to the right of everything before (in right-to-left text, to the left).
    """
    if parts and parts[0].fragment.place is not None:
        return [page_box(page, parts)]
    return [page_box(page, group) for group in _columns(parts)]


def page_box(page: int, parts: Sequence[ReferencedPart]) -> Box:
    """The box around `parts`; raises ValueError for none."""
    places = [place for part in parts if (place := part.place) is not None]
    if places:
        return box_around(page, places, [part.reference for part in parts])
    around = union([part.box for part in parts])
    return PageBox(
        page=page, x=around.x, y=around.y, w=around.w, h=around.h,
        fragment_ids=tuple([part.reference for part in parts]),
    )  # fmt: skip


def _columns(parts: Sequence[ReferencedPart]) -> list[list[ReferencedPart]]:
    groups: list[list[ReferencedPart]] = []
    left = right = 0.0
    for part in parts:
        box = part.box
        if groups and not _jumps(groups[-1][-1].box, box, left, right):
            groups[-1].append(part)
            left, right = min(left, box.x), max(right, box.right)
        else:
            groups.append([part])
            left, right = box.x, box.right
    return groups


def _jumps(last: Rect, box: Rect, left: float, right: float) -> bool:
    """Whether `box` is higher than `last` by more than its own height, and beside everything before."""
    return box.bottom <= last.y and (box.x >= right or box.right <= left)


def compose_row(cells: Iterable[str]) -> str:
    """A table row as text: its non-empty cells."""
    return CELL.join([cell for cell in cells if cell])
