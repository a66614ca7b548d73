"""Reads one page of a PDF as a page file: fragments in reading order, rules, images, route."""

from dataclasses import replace
from math import inf
from typing import Any

import pymupdf

from shared.domain.geometry import DIGITS, Rect
from shared.domain.page import Fragment, PageFile, PageImage, Route, Rule, TickBox
from shared.readers.pdf.actual_text import says_other_letters
from shared.readers.pdf.amounts import labels_of_amounts, may_be_amounts, starts_with_number
from shared.readers.pdf.copies import Place, copies_in
from shared.readers.pdf.drawings import Extent, classify, cluster, merge_rules, panels, thin
from shared.readers.pdf.edges import edges_of
from shared.readers.pdf.figure_labels import order_around_figures
from shared.readers.pdf.joined_cells import Joint, has_own_blanks, joints_of, walls_between_cells
from shared.readers.pdf.lines import STRAIGHT, Bars, PdfLine, character_boxes, lines_of, needs_split, split_line
from shared.readers.pdf.marks import gaps_for, marks_within
from shared.readers.pdf.misstated import lines_of_misstated_page, misstates_sizes
from shared.readers.pdf.rtl import lines_of_rtl_page
from shared.readers.pdf.tick_boxes import TickExtent, find_tick_boxes, without_tick_boxes
from shared.readers.pdf.trusted import trusted
from shared.readers.pdf.typed import is_typed, typed_gaps
from shared.readers.pdf.vertical import with_stacks
from shared.readers.pictures import COVERED_SHARE, REGION_SHARE, covered_share
from shared.readers.reading_order import Item, reading_order

IGNORE_ACTUALTEXT: int = pymupdf.TEXT_IGNORE_ACTUALTEXT
FLAGS = (
    pymupdf.TEXT_PRESERVE_LIGATURES
    | pymupdf.TEXT_PRESERVE_WHITESPACE
    | pymupdf.TEXT_MEDIABOX_CLIP
    | pymupdf.TEXT_CID_FOR_UNKNOWN_UNICODE
    | pymupdf.TEXT_COLLECT_VECTORS
)
# Extraction flags for the drawn glyphs without replacement text; glyphs of unknown meaning are no letters.
DRAWN_FLAGS = FLAGS & ~pymupdf.TEXT_CID_FOR_UNKNOWN_UNICODE & ~pymupdf.TEXT_COLLECT_VECTORS | IGNORE_ACTUALTEXT
BITMAP_FLAGS = pymupdf.TEXT_PRESERVE_IMAGES | pymupdf.TEXT_MEDIABOX_CLIP
_INLINE = (b"\nBI", b"\rBI", b" BI")
MIN_IMAGE_PT = 12.0
BACKGROUND_SHARE = 0.85
# With fewer characters, a page that is mostly picture goes to OCR: a stamped page number is no text layer.
MIN_TEXT_CHARACTERS = 40
SCAN_SHARE = 0.5
# Share of the characters of a page that stand sideways, all the same way, from which the page is read turned: a table
# too wide for its page, with the page's number and running title upright.
SIDEWAYS_SHARE = 0.7


class _Frame:
    """Maps points of the unrotated page to fractions of the page as displayed."""

    def __init__(self, page: pymupdf.Page) -> None:
        rect, self.rotation = page.rect, int(page.rotation)
        self.width = float(rect.width) or 1.0
        self.height = float(rect.height) or 1.0
        sides = self.width, self.height
        self.unrotated = sides if self.rotation % 180 == 0 else sides[::-1]
        self.matrix = page.rotation_matrix if self.rotation else None

    def turn(self, box: Extent) -> Extent:
        if self.matrix is None:
            return box
        rect = pymupdf.Rect(box) * self.matrix
        return (float(rect.x0), float(rect.y0), float(rect.x1), float(rect.y1))

    def turn_direction(self, x: float, y: float) -> tuple[float, float]:
        if self.matrix is None:
            return x, y
        return x * self.matrix.a + y * self.matrix.c, x * self.matrix.b + y * self.matrix.d

    def rect(self, box: Extent) -> Rect:
        x0, x1 = _unit(box[0] / self.width), _unit(box[2] / self.width)
        y0, y1 = _unit(box[1] / self.height), _unit(box[3] / self.height)
        w, h = round(max(0.0, x1 - x0), DIGITS), round(max(0.0, y1 - y0), DIGITS)
        return trusted(Rect, {"x": x0, "y": y0, "w": w, "h": h})


def _unit(value: float) -> float:
    """Into 0..1; what is no number counts as 0."""
    return round(value, DIGITS) if 0.0 < value < 1.0 else 1.0 if value >= 1.0 else 0.0


def page_file_of(page: pymupdf.Page, number: int, version: str, characters: bool = False) -> PageFile:
    """Read one page, with the edges of single `characters` if asked. Characters outside the page's crop box are not
    displayed and so not part of the page."""
    frame = _Frame(page)
    textpage, bitmapped = _textpages(page, frame)
    blocks: list[dict[str, Any]] = textpage.extractDICT()["blocks"]
    vectors = [b for b in blocks if b["type"] == 3]
    rules, fills, shapes, frames = classify(vectors, *frame.unrotated)
    pictures = _pictures(bitmapped) if bitmapped or rules else _inline(page)
    rules += thin(pictures)
    horizontal, vertical = merge_rules(rules)
    bars = (sorted((x, y0, y1) for x, y0, _, y1 in vertical), sorted((y, x0, x1) for x0, y, x1, _ in horizontal))
    lines, rtl = _lines_of_page(textpage, blocks, bars, characters)
    ticks = find_tick_boxes(page, vectors, lines)
    if ticks:
        vectors = without_tick_boxes(vectors, ticks)
        rules, fills, shapes, frames = classify(vectors, *frame.unrotated)
        rules += thin(pictures)
        horizontal, vertical = merge_rules(rules)
    bitmaps = [frame.turn(box) for box in _bitmaps(pictures)]
    groups = cluster(shapes, rules + fills, frame.unrotated[0])
    groups += panels(_apart(frames + fills, groups), [(line.x0, line.y0, line.x1, line.y1) for line in lines])
    drawn = [frame.turn(box) for box in groups]
    order = _order(lines, frame, horizontal, drawn, rtl)
    fragments = _fragments(lines, frame, order, number, characters)
    inked = sum(len(line.text) - line.text.count(" ") for line in lines)
    route = _route(inked, bitmaps, bool(shapes), frame)
    if route == "text" and _has_bare_picture(bitmaps, [fragment.box for fragment in fragments], frame):
        route = "mixed"
    return trusted(PageFile, {
        "page": number,
        "label": "",
        "structure": None,
        "kept": None,
        "formulas": [],
        "uncalculated": 0,
        "pictures": [],
        "left_out": {},
        "width_pt": round(frame.width, 3),
        "height_pt": round(frame.height, 3),
        "rotation": frame.rotation,
        "turn": _turn(lines, [frame.turn_direction(line.dir_x, line.dir_y) for line in lines]),
        "text_density": round(inked / (frame.width * frame.height / 5184), 4),
        "route": route,
        "doubtful": route == "empty" and bool(getattr(page.parent, "is_repaired", False)),
        "fragments": fragments,
        "images": _images(bitmaps, drawn, frame, number),
        "rules": _rules(horizontal + vertical, fills, frame),
        "tick_boxes": _tick_boxes(ticks, frame),
        "extractor_version": version,
    })  # fmt: skip


def _apart(boxes: list[Extent], groups: list[Extent]) -> list[Extent]:
    """Boxes that belong to no drawing found so far."""
    return [b for b in boxes if not any(b[0] < g[2] and g[0] < b[2] and b[1] < g[3] and g[1] < b[3] for g in groups)]


def _textpages(page: pymupdf.Page, frame: _Frame) -> tuple[pymupdf.TextPage, pymupdf.TextPage | None]:
    """Returns (text and drawings of the page, its bitmaps where its resources list any).

    They are separate, as the bitmaps' bytes would be extracted with the text. An upright page with bitmaps is
    interpreted once, into a display list, for both.
    """
    pictured = bool(page.get_images())
    listed = page.get_displaylist() if pictured and not frame.rotation else None

    def read(flags: int) -> pymupdf.TextPage:
        return pymupdf.TextPage(listed.get_textpage(flags)) if listed else page.get_textpage(flags=flags)

    text = read(FLAGS)
    if says_other_letters(text, read(DRAWN_FLAGS)):
        text = read(FLAGS | IGNORE_ACTUALTEXT)
    return text, read(BITMAP_FLAGS) if pictured else None


def _lines_of_page(
    textpage: pymupdf.TextPage, blocks: list[dict[str, Any]], bars: Bars, characters: bool
) -> tuple[list[PdfLine], bool]:
    """Its lines, and whether it runs from right to left as a whole."""
    copies, rtl = copies_in(blocks, lambda: textpage.extractRAWDICT()["blocks"]), False
    if misstates_sizes(blocks):
        lines = lines_of_misstated_page(textpage.extractRAWDICT()["blocks"], bars, copies)
    else:
        lines = _lines(textpage, blocks, bars, copies, characters)
    if any(line.rtl for line in lines):
        lines, rtl = lines_of_rtl_page(textpage.extractRAWDICT()["blocks"], bars, copies)
    return with_stacks(lines), rtl


def _lines(
    textpage: pymupdf.TextPage, blocks: list[dict[str, Any]], bars: Bars, copies: set[Place], characters: bool
) -> list[PdfLine]:
    found: list[PdfLine] = []
    places: dict[int, tuple[int, int]] = {}  # lines that are not divided so far: their block, and their position in it
    typed, amounts, joints = 0, list[int](), list[Joint]()
    raw: list[dict[str, Any]] | None = textpage.extractRAWDICT()["blocks"] if characters else None
    for number, block in enumerate(blocks):
        if block["type"] != 0:
            continue
        for position, line in lines_of(block, number):
            if (number, position) in copies:
                continue
            if needs_split(line, bars):
                raw = raw if raw is not None else textpage.extractRAWDICT()["blocks"]
                found += split_line(raw[number]["lines"][position], number, bars)
                continue
            if characters and raw is not None:
                line.boxes = character_boxes(raw[number]["lines"][position])
            if is_typed(line):
                typed += 1
            elif starts_with_number(line):
                amounts.append(len(found))
            if len(spans := block["lines"][position]["spans"]) > 2 and line.dir_x > STRAIGHT:
                joints += joints_of(spans, len(found))
            places[len(found)] = number, position
            found.append(line)
    gaps = typed_gaps(found) if typed > 1 else {}
    if may_be_amounts([found[at] for at in amounts]):
        raw = raw if raw is not None else textpage.extractRAWDICT()["blocks"]
        beside = {at: raw[places[at][0]]["lines"][places[at][1]] for at in amounts}
        gaps |= {at: [x] for at, x in labels_of_amounts({at: found[at] for at in amounts}, beside).items()}
    if joints and has_own_blanks(blocks):
        for at, walls in walls_between_cells(found, joints).items():
            gaps[at] = [*gaps.get(at, []), *walls]
    for at, marks in marks_within(found).items():
        if at in places:
            raw = raw if raw is not None else textpage.extractRAWDICT()["blocks"]
            gaps[at] = [*gaps.get(at, []), *gaps_for(raw[places[at][0]]["lines"][places[at][1]], marks)]
    for at in sorted(gaps, reverse=True):
        raw = raw if raw is not None else textpage.extractRAWDICT()["blocks"]
        if at in places:
            number, position = places[at]
            found[at : at + 1] = split_line(
                raw[number]["lines"][position], number, ([(x, -inf, inf) for x in gaps[at]], ()), whole_words=False
            )
    return found


def _order(
    lines: list[PdfLine], frame: _Frame, horizontal: list[Extent], drawn: list[Extent], rtl: bool
) -> list[tuple[int, Extent, float]]:
    """The reading order: of each line its position in `lines`, its box as displayed, and the x of its direction."""
    boxes = [(line.x0, line.y0, line.x1, line.y1) for line in lines]
    boxes = boxes if frame.matrix is None else [frame.turn(box) for box in boxes]
    bars = [(b[0], b[2], b[1]) for b in map(frame.turn, horizontal)]
    items = [_item(i, line, box) for i, (line, box) in enumerate(zip(lines, boxes, strict=True))]
    ways = [frame.turn_direction(line.dir_x, line.dir_y) for line in lines]
    upright = [item for item in items if item.vertical or ways[item.index][0] > 0.5]
    slanted = [item for item in items if not item.vertical and ways[item.index][0] <= 0.5]
    order = [*order_around_figures(upright, drawn, bars, rtl), *_order_of_slanted(slanted, ways)]
    return [(i, boxes[i], ways[i][0]) for i in order]


def _fragments(
    lines: list[PdfLine], frame: _Frame, order: list[tuple[int, Extent, float]], number: int, characters: bool
) -> list[Fragment]:
    found: list[Fragment] = []
    for n, (i, box, along) in enumerate(order, 1):
        edges = _edges(lines[i], frame, along) if characters else ()
        found.append(_fragment(f"p{number}.f{n}", lines[i], frame.rect(box), along, edges))
    return found


def _turn(lines: list[PdfLine], ways: list[tuple[float, float]]) -> int:
    """The degrees by which nearly all text of the page stands turned clockwise; 0 where it stands upright."""
    if all(x > 0.5 for x, _ in ways):
        return 0
    inked = {0: 0, 90: 0, 270: 0}
    for line, (_, y) in zip(lines, ways, strict=True):
        if not line.vertical:
            inked[90 if y > 0.99 else 270 if y < -0.99 else 0] += len(line.text)
    turn = max(inked, key=inked.__getitem__)
    return turn if inked[turn] >= SIDEWAYS_SHARE * sum(inked.values()) else 0


def _order_of_slanted(items: list[Item], ways: list[tuple[float, float]]) -> list[int]:
    """Slanted text (stamps, watermarks, rotated tables) follows the upright text, each direction in its own reading
    order."""
    groups: dict[tuple[int, int], list[Item]] = {}
    for item in items:
        x, y = ways[item.index]
        groups.setdefault((round(x), round(y)), []).append(_upright(item, round(x), round(y)))
    return [index for group in groups.values() for index in reading_order(group)]


def _upright(item: Item, x: int, y: int) -> Item:
    """Turned so that its direction (x, y) points to the right."""
    if (x, y) == (0, -1):
        box = (-item.y1, item.x0, -item.y0, item.x1)
    elif (x, y) == (0, 1):
        box = (item.y0, -item.x1, item.y1, -item.x0)
    else:
        box = (-item.x1, -item.y1, -item.x0, -item.y0) if x < 0 else (item.x0, item.y0, item.x1, item.y1)
    return replace(item, x0=box[0], y0=box[1], x1=box[2], y1=box[3])


def _edges(line: PdfLine, frame: _Frame, along: float) -> tuple[float, ...]:
    """Edges of the characters of horizontal text, 0..1 of the page as displayed."""
    if line.vertical or along <= 0.99 or len(line.boxes) != len(line.text):
        return ()
    return tuple([_unit(x / frame.width) for x in edges_of([frame.turn(box) for box in line.boxes], line.size)])


def _item(index: int, line: PdfLine, box: Extent) -> Item:
    wide = not line.text.isascii() and "\u2e80" <= max(line.text) <= "\uffdc"
    return Item(index, box[0], box[1], box[2], box[3], len(line.text), line.rtl, line.vertical, wide)


def _fragment(identifier: str, line: PdfLine, box: Rect, along: float, edges: tuple[float, ...]) -> Fragment:
    upright = "rtl" if line.rtl else "ltr"
    return trusted(Fragment, {
        "id": identifier, "text": line.text, "box": box, "place": None, "font": line.font, "size": round(line.size, 2),
        "bold": line.bold, "italic": line.italic, "mono": line.mono, "superscript": line.superscript,
        "invisible": line.invisible, "hidden": False, "marker": "", "ocr": False, "color": line.color,
        "direction": "ttb" if line.vertical else upright if along > 0.99 else "rotated",
        "block": line.block, "char_x": edges,
        "confidence": None, "word_confidences": (),
    })  # fmt: skip


def _inline(page: pymupdf.Page) -> list[Extent]:
    """Boxes of bitmaps in the content itself. Pages set for a printer have such ones, one dot large, as rules."""
    try:
        content = page.read_contents()
    except ValueError:  # a page whose fields alone are drawn has none
        return []
    return _pictures(page.get_textpage(flags=BITMAP_FLAGS)) if any(begin in content for begin in _INLINE) else []


def _pictures(textpage: pymupdf.TextPage | None) -> list[Extent]:
    """Boxes of all bitmaps."""
    images: Any = textpage.extractIMGINFO() if textpage else ()
    return [tuple(image["bbox"]) for image in images]


def _bitmaps(boxes: list[Extent]) -> list[Extent]:
    """Boxes of bitmaps that are large enough to be pictures."""
    sized = [b for b in boxes if b[2] - b[0] >= MIN_IMAGE_PT and b[3] - b[1] >= MIN_IMAGE_PT]
    return _stitched(sized)


def _stitched(boxes: list[Extent]) -> list[Extent]:
    """Joins strips of one picture: neighbours of equal width or height that touch."""
    joined: list[Extent] = []
    for box in sorted(boxes, key=lambda b: (b[0], b[1])):
        last = joined[-1] if joined else None
        if last and abs(last[0] - box[0]) < 1 and abs(last[2] - box[2]) < 1 and -1 <= box[1] - last[3] <= 1:
            joined[-1] = (last[0], last[1], last[2], box[3])
        else:
            joined.append(box)
    return joined


def _route(characters: int, bitmaps: list[Extent], drawn: bool, frame: _Frame) -> Route:
    share = max((_share(box, frame) for box in bitmaps), default=0.0)
    if characters == 0:
        return "ocr" if bitmaps or drawn else "empty"
    return "ocr" if characters < MIN_TEXT_CHARACTERS and share >= SCAN_SHARE else "text"


def _has_bare_picture(bitmaps: list[Extent], texts: list[Rect], frame: _Frame) -> bool:
    large = (frame.rect(box) for box in bitmaps if _share(box, frame) >= REGION_SHARE)
    return any(covered_share(box, texts) < COVERED_SHARE for box in large)


def _share(box: Extent, frame: _Frame) -> float:
    return max(0.0, box[2] - box[0]) * max(0.0, box[3] - box[1]) / (frame.width * frame.height)


def _images(bitmaps: list[Extent], drawn: list[Extent], frame: _Frame, number: int) -> list[PageImage]:
    found = [("bitmap", b) for b in bitmaps if _share(b, frame) < BACKGROUND_SHARE]
    found += [("vector", b) for b in drawn if _share(b, frame) < BACKGROUND_SHARE]
    found.sort(key=lambda one: (one[1][1], one[1][0]))
    return [
        PageImage(id=f"p{number}.i{n}", box=frame.rect(box), kind="bitmap" if kind == "bitmap" else "vector")
        for n, (kind, box) in enumerate(found, 1)
    ]


def _rules(lines: list[Extent], fills: list[Extent], frame: _Frame) -> list[Rule]:
    return [_rule(box, frame, fill=False) for box in lines] + [_rule(box, frame, fill=True) for box in fills]


def _tick_boxes(ticks: list[TickExtent], frame: _Frame) -> list[TickBox]:
    return [TickBox(box=frame.rect(frame.turn(tick.box)), ticked=tick.ticked) for tick in ticks]


def _rule(box: Extent, frame: _Frame, fill: bool) -> Rule:
    x0, y0, x1, y1 = frame.turn(box)
    w, h = frame.width, frame.height
    place = {"x0": _unit(x0 / w), "y0": _unit(y0 / h), "x1": _unit(x1 / w), "y1": _unit(y1 / h)}
    return trusted(Rule, {**place, "fill": fill})
