"""Pages that were scanned or set sideways or upside down: the same places as they are shown, and as they are read."""

from shared.domain.geometry import DIGITS, Rect
from shared.domain.page import Fragment, PageFile, Rule, TickBox


def turn_rect(box: Rect, degrees: int) -> Rect:
    """Where `box` (0..1 of a page) lies once the page is turned clockwise by 0, 90, 180 or 270 degrees."""
    x, y, w, h = {
        0: (box.x, box.y, box.w, box.h),
        90: (1 - box.y - box.h, box.x, box.h, box.w),
        180: (1 - box.x - box.w, 1 - box.y - box.h, box.w, box.h),
        270: (box.y, 1 - box.x - box.w, box.h, box.w),
    }[degrees]
    return Rect(x=max(0.0, round(x, DIGITS)), y=max(0.0, round(y, DIGITS)), w=round(w, DIGITS), h=round(h, DIGITS))


def turn_page(page: PageFile, degrees: int) -> PageFile:
    """The page with all that is on it turned clockwise."""
    if not degrees:
        return page
    sideways = degrees % 180 != 0
    return page.model_copy(
        update={
            "width_pt": page.height_pt if sideways else page.width_pt,
            "height_pt": page.width_pt if sideways else page.height_pt,
            "fragments": [f.model_copy(update={"box": turn_rect(f.box, degrees)}) for f in page.fragments],
            "images": [image.model_copy(update={"box": turn_rect(image.box, degrees)}) for image in page.images],
            "rules": [_turn_rule(rule, degrees) for rule in page.rules],
            "tick_boxes": page.tick_boxes and [_turn_tick(tick, degrees) for tick in page.tick_boxes],
        }
    )


def as_read(page: PageFile) -> PageFile:
    """The page with its lines level, whichever way it is shown."""
    level = turn_page(page, (360 - page.turn) % 360)
    if page.turn % 180 == 0 or page.route == "ocr":  # what was recognised is level already
        return level
    return level.model_copy(update={"fragments": [_as_read(one, level) for one in level.fragments]})


def _as_read(fragment: Fragment, page: PageFile) -> Fragment:
    """A text that was set sideways stands upright now, and an upright one sideways."""
    if fragment.ocr or fragment.direction == "ttb":
        return fragment
    wide = fragment.box.w * page.width_pt >= fragment.box.h * page.height_pt or len(fragment.text) <= 2
    level = fragment.direction == "rotated" and wide
    return fragment.model_copy(update={"direction": "ltr" if level else "rotated", "char_x": ()})


def _turn_tick(tick: TickBox, degrees: int) -> TickBox:
    return tick.model_copy(update={"box": turn_rect(tick.box, degrees)})


def _turn_rule(rule: Rule, degrees: int) -> Rule:
    x0, x1 = sorted((rule.x0, rule.x1))
    y0, y1 = sorted((rule.y0, rule.y1))
    box = turn_rect(Rect(x=x0, y=y0, w=x1 - x0, h=y1 - y0), degrees)
    return Rule(x0=box.x, y0=box.y, x1=box.right, y1=box.bottom, fill=rule.fill)
