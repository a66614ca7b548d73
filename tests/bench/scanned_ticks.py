"""Boxes to tick on scans of made forms, where the truth is exact: `python -m tests.bench.scanned_ticks [--pages N]`.

Each page asks questions with boxes of one kind, ticked in one way, beside what is no box: letters like O and D, combs,
tables, bullets, swatches. It is drawn at 150, 200 or 300 dpi, straight or turned by a degree, clean or with the blur,
shade, noise and compression of a scanner, and read as a scan is. Kinds of `LEFT_OUT` were not looked at when the rules
were made. Given folders of real files, boxes found on their pages drawn as pictures are counted against those that the
reader of PDFs finds in the drawing: `--files FOLDER …`.
"""

import argparse
import io
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pymupdf
from PIL import Image, ImageFilter

from shared.adapters.local.ocr_models import find_models
from shared.adapters.local.ocr_onnx import OnnxOcr
from shared.domain.geometry import Rect
from shared.domain.page import TickBox
from shared.errors import RefusedFile
from shared.readers.ocr_turn import read_upright, turned_back
from shared.readers.pdf.document import open_pdf
from shared.readers.scan_boxes import find_scanned_boxes, place_boxes

WIDTH, HEIGHT = 595.0, 842.0
READ_DPI = 200
Place = Callable[[pymupdf.Page, float, float, float, random.Random], object]
INK, GREY, BLUE = (0.05, 0.05, 0.05), (0.45, 0.45, 0.45), (0.15, 0.2, 0.6)
OPTIONS = ("Yes", "No", "Not known", "Owner", "Other", "Daily", "Open", "Once a year", "D, E or F", "Quarterly")
QUESTIONS = (
    "Do you own a boat?", "Office use only", "Outside diameter over 100 mm", "Order of the day", "0.80 Ohm or 8 Q",
    "Has the policy holder been informed?", "Degree of disability", "Do all doors open outwards?",
)  # fmt: skip


def square(page: pymupdf.Page, x: float, y: float, side: float, _: random.Random) -> None:
    page.draw_rect((x, y, x + side, y + side), color=INK, width=0.8)


def thin_square(page: pymupdf.Page, x: float, y: float, side: float, _: random.Random) -> None:
    page.draw_rect((x, y, x + side, y + side), color=GREY, width=0.5)


def thick_square(page: pymupdf.Page, x: float, y: float, side: float, _: random.Random) -> None:
    page.draw_rect((x, y, x + side, y + side), color=INK, width=1.6)


def rounded(page: pymupdf.Page, x: float, y: float, side: float, _: random.Random) -> None:
    page.draw_rect((x, y, x + side, y + side), color=INK, width=0.8, radius=0.2)


def shaded(page: pymupdf.Page, x: float, y: float, side: float, _: random.Random) -> None:
    page.draw_rect((x, y, x + side, y + side), color=INK, width=0.8, fill=(0.9, 0.9, 0.9))


def shadowed(page: pymupdf.Page, x: float, y: float, side: float, _: random.Random) -> None:
    square(page, x, y, side, _)
    for one, other in (((0.1, 1.08), (1.08, 1.08)), ((1.08, 0.1), (1.08, 1.08))):
        page.draw_line((x + one[0] * side, y + one[1] * side), (x + other[0] * side, y + other[1] * side), width=1.2)


def circle(page: pymupdf.Page, x: float, y: float, side: float, _: random.Random) -> None:
    page.draw_circle((x + side / 2, y + side / 2), side / 2, color=INK, width=0.8)


def cross(page: pymupdf.Page, x: float, y: float, side: float, _: random.Random) -> None:
    for a, b in (((0.1, 0.1), (0.9, 0.9)), ((0.9, 0.1), (0.1, 0.9))):
        page.draw_line((x + a[0] * side, y + a[1] * side), (x + b[0] * side, y + b[1] * side), width=1)


def hook(page: pymupdf.Page, x: float, y: float, side: float, _: random.Random) -> None:
    points = [(x + a * side, y + b * side) for a, b in ((0.2, 0.5), (0.4, 0.8), (1.2, -0.3))]
    page.draw_polyline(points, color=INK, width=1.2)


def dot(page: pymupdf.Page, x: float, y: float, side: float, _: random.Random) -> None:
    page.draw_circle((x + side / 2, y + side / 2), side / 4, color=None, fill=INK)


def filled(page: pymupdf.Page, x: float, y: float, side: float, _: random.Random) -> None:
    page.draw_rect((x + 0.5, y + 0.5, x + side - 0.5, y + side - 0.5), color=None, fill=INK)


def typed_x(page: pymupdf.Page, x: float, y: float, side: float, _: random.Random) -> None:
    page.insert_text((x + 0.2 * side, y + 0.85 * side), "X", fontsize=0.95 * side, fontname="hebo")


def pen_hook(page: pymupdf.Page, x: float, y: float, side: float, chance: random.Random) -> None:
    points = ((0.1, 0.4), (0.25, 0.6), (0.4, 0.85), (0.7, 0.3), (1.3, -0.5))
    places = [(x + (a + chance.gauss(0, 0.08)) * side, y + (b + chance.gauss(0, 0.08)) * side) for a, b in points]
    page.draw_polyline(places, color=BLUE, width=chance.uniform(0.8, 1.6))


def pen_cross(page: pymupdf.Page, x: float, y: float, side: float, chance: random.Random) -> None:
    def at(a: float) -> float:
        return (a + chance.gauss(0, 0.12)) * side

    for one, middle, other in (((-0.1, -0.1), (0.5, 0.5), (1.1, 1.1)), ((1.1, -0.1), (0.5, 0.5), (-0.1, 1.1))):
        points = [(x + at(a), y + at(b)) for a, b in (one, middle, other)]
        page.draw_polyline(points, color=BLUE, width=chance.uniform(0.8, 1.6))


def scribble(page: pymupdf.Page, x: float, y: float, side: float, chance: random.Random) -> None:
    points = [(x + chance.uniform(0.1, 0.9) * side, y + (n / 9 + 0.05) * side) for n in range(9)]
    page.draw_polyline(points, color=INK, width=0.8)


# (box, mark, side in points)
Kind = tuple[Place, Place, float]
DEVELOPED: dict[str, Kind] = {
    "square, cross": (square, cross, 10),
    "square, hook": (square, hook, 10),
    "circle, dot": (circle, dot, 10),
    "small square, cross": (square, cross, 7),
}
LEFT_OUT: dict[str, Kind] = {
    "thin square, typed x": (thin_square, typed_x, 9),
    "thick square, scribble": (thick_square, scribble, 12),
    "large square, pen hook": (square, pen_hook, 15),
    "square, pen cross": (square, pen_cross, 9),
    "square, filled": (square, filled, 9),
    "shaded square, pen cross": (shaded, pen_cross, 10),
    "shadowed square, hook": (shadowed, hook, 10),
    "rounded square, pen hook": (rounded, pen_hook, 11),
    "circle, pen cross": (circle, pen_cross, 11),
    "small circle, dot": (circle, dot, 8.5),
}


class Form(NamedTuple):
    """A page and its boxes: box in 0..1 of it, and whether it is ticked."""

    page: pymupdf.Page
    truth: list[TickBox]


def make_form(kind: Kind, chance: random.Random) -> Form:
    box, mark, side = kind
    page = pymupdf.open().new_page(width=WIDTH, height=HEIGHT)
    font, size = chance.choice(("helv", "tiro", "hebo")), chance.choice((8, 9, 10, 11))
    truth: list[TickBox] = []
    y = 60.0
    page.insert_text((50, y), "Application for membership", fontsize=18, fontname="hebo")
    for number in range(12):
        y += chance.choice((34, 40))
        asked = f"{number + 1}. {chance.choice(QUESTIONS)}"
        page.insert_text((50, y), asked, fontsize=size, fontname=font)
        at, left = 50 + pymupdf.get_text_length(asked, font, size) + chance.uniform(20, 60), chance.random() < 0.3
        for word in chance.sample(OPTIONS, 3):
            width = pymupdf.get_text_length(word, font, size)
            gap = chance.uniform(2.5, 6)
            x = at + width + gap if left else at
            page.insert_text((at if left else at + side + gap, y), word, fontsize=size, fontname=font)
            top, ticked = y - 0.36 * size - side / 2, chance.random() < 0.4
            box(page, x, top, side, chance)
            if ticked:
                mark(page, x, top, side, chance)
            truth.append(TickBox(box=_rect(x, top, side), ticked=ticked))
            at += width + gap + side + chance.uniform(14, 26)
    _add_others(page, y + 40)
    return Form(page, truth)


def _rect(x: float, y: float, side: float) -> Rect:
    return Rect(x=x / WIDTH, y=y / HEIGHT, w=side / WIDTH, h=side / HEIGHT)


def _add_others(page: pymupdf.Page, y: float) -> None:
    """A comb, a table, bullets, swatches and a seal: nothing to tick."""
    page.insert_text((50, y), "Date of birth", fontsize=9)
    for n in range(8):
        page.draw_rect((130 + 12 * n, y - 9, 142 + 12 * n, y + 3), color=INK, width=0.7)
    for n in range(4):
        page.draw_line((300, y - 10 + 14 * n), (420, y - 10 + 14 * n), width=0.6)
        page.draw_line((300 + 40 * n, y - 10), (300 + 40 * n, y + 32), width=0.6)
    for row, cells in enumerate((("O", "D", "0"), ("8", "Q", "B"), ("No", "o", "6"))):
        for column, text in enumerate(cells):
            page.insert_text((304 + 40 * column, y + 14 * row), text, fontsize=9)
    for n, text in enumerate(("Bring your own tools", "Only one entry per boat")):
        page.draw_circle((54, y + 24 + 14 * n), 2, color=INK, fill=INK if n else None, width=0.6)
        page.insert_text((62, y + 27 + 14 * n), text, fontsize=9)
    for n, colour in enumerate(((0.8, 0.3, 0.2), (0.2, 0.5, 0.8))):
        page.draw_rect((450, y - 8 + 14 * n, 459, y + 1 + 14 * n), color=None, fill=colour)
        page.insert_text((464, y + 14 * n), ("Club", "Guests")[n], fontsize=9)
    page.draw_circle((520, 60), 22, color=INK, width=1)


def scan(page: pymupdf.Page, dpi: int, slant: float, rough: bool, chance: random.Random) -> tuple[bytes, float]:
    """The page as a grey picture of `READ_DPI`, as a PDF of the scan would be drawn; and its slant in degrees."""
    pixmap = page.get_pixmap(dpi=dpi, colorspace=pymupdf.csGRAY)
    image = Image.frombytes("L", (pixmap.width, pixmap.height), pixmap.samples)
    image = image.rotate(slant, Image.Resampling.BICUBIC, fillcolor=255) if slant else image
    if rough:
        image = image.filter(ImageFilter.GaussianBlur(dpi / 300))
        pixels = np.asarray(image, np.float32) * 0.8 + 25 + np.linspace(-15, 15, image.width)[None, :]
        pixels += np.random.default_rng(chance.randrange(9999)).normal(0, 9, pixels.shape)
        image = Image.fromarray(np.clip(pixels, 0, 255).astype(np.uint8))
    stored = io.BytesIO()
    image.save(stored, "JPEG", quality=60 if rough else 90)
    size = round(WIDTH * READ_DPI / 72), round(HEIGHT * READ_DPI / 72)
    drawn = io.BytesIO()
    Image.open(stored).resize(size, Image.Resampling.BILINEAR).save(drawn, "JPEG", quality=85)
    return drawn.getvalue(), slant


def turned(box: Rect, slant: float) -> Rect:
    """Where the middle of the box is after the page was turned counter-clockwise about its own."""
    angle = np.radians(slant)
    x, y = (box.x + box.w / 2 - 0.5) * WIDTH, (box.y + box.h / 2 - 0.5) * HEIGHT
    x, y = x * np.cos(angle) + y * np.sin(angle), y * np.cos(angle) - x * np.sin(angle)
    return Rect(x=x / WIDTH + 0.5 - box.w / 2, y=y / HEIGHT + 0.5 - box.h / 2, w=box.w, h=box.h)


def judge(found: Sequence[TickBox], truth: Sequence[TickBox], counts: Counter[str]) -> None:
    """A box is found where its middle is nearer than a third of its side and its side differs by less than a third."""
    left = list(found)
    counts["boxes"] += len(truth)
    counts["found"] += len(found)
    for box in truth:
        same = next((one for one in left if _is_there(one.box, box.box)), None)
        if same is None:
            continue
        left.remove(same)
        counts["right"] += 1
        counts["unsure"] += same.unsure
        counts["state wrong"] += same.ticked != box.ticked
        counts["state wrong and sure"] += same.ticked != box.ticked and not same.unsure


def _is_there(one: Rect, other: Rect) -> bool:
    across, down = abs(one.x + one.w / 2 - other.x - other.w / 2), abs(one.y + one.h / 2 - other.y - other.h / 2)
    return across < other.w / 3 and down < other.h / 3 and abs(one.w - other.w) < other.w / 3


def report(name: str, counts: Counter[str]) -> None:
    precision, recall = counts["right"] / max(1, counts["found"]), counts["right"] / max(1, counts["boxes"])
    states = 1 - counts["state wrong"] / max(1, counts["right"])
    print(
        f"| {name} | {counts['boxes']} | {precision:.3f} | {recall:.3f} | {states:.3f} | {counts['unsure']} |"
        f" {counts['state wrong and sure']} |", flush=True,
    )  # fmt: skip


def read(engine: OnnxOcr, picture: bytes, lying: int = 0) -> list[TickBox]:
    """The boxes of a picture that was scanned turned clockwise by `lying` degrees, where they are before that."""
    shown = turned_back(picture, -lying % 360)
    words, turn = read_upright(engine, shown)
    found = find_scanned_boxes(turned_back(shown, turn), words, READ_DPI / 72)
    return place_boxes(found, Rect(x=0, y=0, w=1, h=1), (turn - lying) % 360)


def measure_made(
    engine: OnnxOcr, pages: int, seed: int, kinds: dict[str, Kind], keep: Path | None, lying: int
) -> Counter[str]:
    total: Counter[str] = Counter()
    looks: dict[str, Counter[str]] = defaultdict(Counter)
    for name, kind in kinds.items():
        counts: Counter[str] = Counter()
        for number in range(pages):
            chance = random.Random(f"{seed} {name} {number}")
            form = make_form(kind, chance)
            dpi, slant, rough = (150, 200, 300)[number % 3], chance.choice((0.0, 1.0, -1.0)), number % 2 == 0
            picture, _ = scan(form.page, dpi, slant, rough, chance)
            found = read(engine, picture, lying)
            truth = [box.model_copy(update={"box": turned(box.box, slant)}) for box in form.truth]
            here: Counter[str] = Counter()
            judge(found, truth, here)
            looks[f"{dpi} dpi, {'rough' if rough else 'clean'}"] += here
            looks[f"turned by {abs(slant):.0f}°"] += here
            counts += here
            if keep:
                (keep / f"{name} {number}.jpg".replace(" ", "_").replace(",", "")).write_bytes(picture)
        report(name, counts)
        total += counts
    report("all", total)
    for name, counts in sorted(looks.items()):
        report(f"*{name}*", counts)
    return total


def measure_files(engine: OnnxOcr, folders: Iterable[Path], most: int) -> None:
    """Pages whose drawing has boxes, and as many others, in which each box that is found is wrong."""
    forms, others = Counter[str](), Counter[str]()
    pages = Counter[str]()
    for name, truth, picture in _real_pages(folders):
        kind = "form" if truth else "other"
        if pages[kind] >= most:
            continue
        pages[kind] += 1
        here: Counter[str] = Counter()
        judge(read(engine, picture), truth, here)
        if here["found"] != here["right"] or here["boxes"] != here["right"]:
            print(name, dict(here), flush=True)
        (forms if truth else others).update(here)
    report(f"real forms ({pages['form']} pages)", forms)
    print(f"{pages['other']} real pages without boxes: {others['found']} found")


def _real_pages(folders: Iterable[Path]) -> Iterator[tuple[str, list[TickBox], bytes]]:
    for path in sorted(path for folder in folders for path in folder.rglob("*.pdf")):
        try:
            with open_pdf(path) as source:
                for number in range(1, min(source.page_count, 4) + 1):
                    file = source.read_page(number)
                    if file.route == "text":
                        yield (
                            f"{path.name}#{number}",
                            list(file.tick_boxes or []),
                            source.render_page(number, READ_DPI).image,
                        )
        except RefusedFile:
            continue


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=6, help="of each kind")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=("developed", "left-out"))
    parser.add_argument("--lying", type=int, choices=(0, 90, 180, 270), default=0, help="degrees clockwise")
    parser.add_argument("--keep", type=Path, help="folder for the pictures")
    parser.add_argument("--files", type=Path, nargs="*", default=[])
    arguments = parser.parse_args()
    models = find_models()
    assert models is not None, "the bundled OCR models are needed"
    engine = OnnxOcr(models)
    if arguments.files:
        measure_files(engine, arguments.files, arguments.pages)
        return
    print(
        "| kind | boxes | precision | recall | state right | unsure | wrong and sure |\n|---|---|---|---|---|---|---|"
    )
    for name, kinds in (("developed", DEVELOPED), ("left-out", LEFT_OUT)):
        if arguments.only in (None, name):
            print(f"| **{name}** |||||||")
            measure_made(engine, arguments.pages, arguments.seed, kinds, arguments.keep, arguments.lying)


if __name__ == "__main__":
    main()
