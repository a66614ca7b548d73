"""Figures: pictures and drawings with their captions."""

import math
import re
from collections.abc import Sequence

from shared.domain.geometry import union
from shared.domain.operations import RegisterFigure
from shared.domain.page import PageImage
from shared.domain.shapes import place_of
from shared.domain.sketch import Profile
from shared.extraction.lists import caption_kind
from shared.extraction.page_view import Line, PageView, ids_of
from shared.extraction.paragraphs import is_wrapped_reference, same_row
from shared.extraction.tables.regions import is_tabular

# The greatest distance between a figure and its caption, in line heights.
CAPTION_DISTANCE = 3.0
MIN_AREA = 0.004
MAX_CAPTION_LINES = 20
LABEL_MARGIN_PT = 18.0
LABEL_CHARACTERS = 30
LABEL_ROWS = 4
SMALL = 0.92
_NUMBER = re.compile(r"^[-\u2212+]?[\d.,]+(?:[eE][-+]?\d+)?\s?[%\u00b0]?$")

Extent = tuple[float, float, float, float]


def find_figures(view: PageView, profile: Profile) -> list[RegisterFigure]:
    """Returns one figure per picture that is not repeated furniture, with its caption and the labels inside a
    drawing."""
    return [_figure(view, image, profile) for image in view.page.images if _counts(image, profile)]


def figure_zones(view: PageView, profile: Profile) -> list[Extent]:
    """The extents of drawings, and of bitmaps with a caption beside them, down to their captions, in points. Text in
    them is labels and never a table."""
    images = [image for image in view.page.images if place_of(image.box) not in profile.repeated_images]
    return [zone for image in images if (zone := _zone(view, image)) is not None]


def _zone(view: PageView, image: PageImage) -> Extent | None:
    box, caption = image.box, _caption(view, image)
    top, bottom = box.y * view.height, box.bottom * view.height
    below = bool(caption) and caption[0].y0 > bottom
    if image.kind == "bitmap" and not below and not (caption and caption[-1].y1 < top):
        return None  # without a caption, or a scan, which holds its page's captions
    return box.x * view.width, top, box.right * view.width, caption[0].y0 if below else bottom


def _counts(image: PageImage, profile: Profile) -> bool:
    return place_of(image.box) not in profile.repeated_images and image.box.w * image.box.h >= MIN_AREA


def _figure(view: PageView, image: PageImage, profile: Profile) -> RegisterFigure:
    caption = _caption(view, image)
    view.take(caption)
    labels = _labels(view, image, caption, profile)
    view.take(labels)
    around = [image.box, *[label.fragment.box for label in labels]]
    return RegisterFigure(
        box=union(around),
        caption_fragment_ids=ids_of(caption),
        label_fragment_ids=ids_of(labels),
        figure_type="bitmap" if image.kind == "bitmap" else "diagram",
        confidence=1.0 if caption else 0.85,
    )


def _labels(view: PageView, image: PageImage, caption: list[Line], profile: Profile) -> list[Line]:
    """The text whose centre is inside the picture. Around a picture with a caption, and between the two, also short
    text; around a bitmap only what belongs to a scale (numbers, or type smaller than the body's)."""
    box = image.box
    below = caption[0].y0 if caption else 0.0
    margin = LABEL_MARGIN_PT if caption else 0.0
    x0, x1 = box.x * view.width - margin, box.right * view.width + margin
    y0, y1 = box.y * view.height - margin, max(box.bottom * view.height + margin, below)
    near = [line for line in view.free if x0 <= (line.x0 + line.x1) / 2 <= x1 and y0 <= line.middle <= y1]
    inner = (x0 + margin, y0 + margin, x1 - margin, box.bottom * view.height)
    return [line for line in near if _inside(line, inner) or _is_beside(line, image, profile)]


def _is_beside(line: Line, image: PageImage, profile: Profile) -> bool:
    scale = image.kind == "vector" or line.size < SMALL * profile.body_size or _NUMBER.match(line.text) is not None
    return scale and len(line.text) <= LABEL_CHARACTERS


def _inside(line: Line, box: tuple[float, float, float, float]) -> bool:
    return box[0] <= (line.x0 + line.x1) / 2 <= box[2] and box[1] <= line.middle <= box[3]


def _caption(view: PageView, image: PageImage) -> list[Line]:
    """The nearest caption that starts with `Figure N` and overlaps the picture's width, below it or else above, where
    it is measured from its last line."""
    box = image.box
    x0, x1, y0, y1 = box.x * view.width, box.right * view.width, box.y * view.height, box.bottom * view.height
    free = view.free
    nearest: list[Line] = []
    least = math.inf
    for position, line in enumerate(free):
        if caption_kind(line.text) != "figure" or line.x1 < x0 or line.x0 > x1 or not begins_caption(free, position):
            continue
        low = max([y1, *[o.y1 for o in free if image.kind == "vector" and _is_label(o, x0, y1, x1, line.y0)]])
        lines = above(caption_lines(free, position), y0)
        distance = line.y0 - low if line.middle > y1 else (y0 - lines[-1].y1) + line.height
        if distance <= CAPTION_DISTANCE * line.height and distance < least:
            nearest, least = lines, distance
    return nearest


def above(lines: Sequence[Line], top: float) -> list[Line]:
    """The lines of a caption; of one that begins above `top`, what its table or picture does not hold."""
    return [line for line in lines if lines[0].middle >= top or line.middle < top + 1]


def _is_label(line: Line, x0: float, top: float, x1: float, bottom: float) -> bool:
    """Whether the line is short text below a drawing, within reach of it."""
    reach = min(bottom, top + LABEL_ROWS * line.height)
    return (
        top <= line.middle <= reach
        and line.x0 >= x0 - LABEL_MARGIN_PT
        and line.x1 <= x1 + LABEL_MARGIN_PT
        and (len(line.text) <= LABEL_CHARACTERS and caption_kind(line.text) is None)
    )


def begins_caption(free: Sequence[Line], position: int) -> bool:
    """Whether a line that reads like a caption's start is one, not a row of a paragraph that mentions a figure."""
    return not position or not is_wrapped_reference(free[position - 1], free[position])


def caption_lines(free: Sequence[Line], position: int) -> list[Line]:
    """The caption that starts at `position`, with the lines that continue it; that of a table up to a row of cells."""
    found, row = [free[position]], 0
    tabled = caption_kind(found[0].text) == "table"
    for line in free[position + 1 : position + MAX_CAPTION_LINES]:
        last = found[-1]
        step = line.y1 - last.y1
        beside = same_row(last, line)
        if line.order != last.order + 1 or caption_kind(line.text) or abs(line.size - last.size) > 0.6:
            break
        if not beside and not 0 < step <= 1.45 * last.size + 1:
            break
        if not beside and line.bold != found[0].bold and line.bold:
            break
        row = row if beside else len(found)
        if tabled and row and is_tabular([*found[row:], line]):
            return found[:row]
        found.append(line)
    return found
