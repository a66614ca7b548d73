"""Boxes to tick in pictures: read from pixels and from words at known places, without an OCR engine."""

import io
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pymupdf
import pytest
from PIL import Image

from shared.domain.draft import DocumentDraft
from shared.domain.geometry import PageBox, Rect, with_ticks
from shared.domain.page import PageFile, TickBox
from shared.domain.turned import as_read
from shared.domain.verify import StoredPage
from shared.extraction.assemble import assemble
from shared.extraction.layout import extract_page
from shared.extraction.profile import build_profile
from shared.ingestion.parse import read_pictures
from shared.ports import OcrWord
from shared.readers.ocr_page import add_words
from shared.readers.pdf.document import open_pdf
from shared.readers.scan_boxes import ScannedBox, add_scanned_boxes, find_scanned_boxes, place_boxes, read_with_boxes
from shared.readers.scan_outlines import ROUND, reach
from shared.readers.sketch import sketch_page
from shared.rereading.pdfium import PdfiumReader
from shared.verify.document import verify_document
from shared.verify.page import prove_page
from tests.drafts import stored_draft
from tests.readers.test_tick_boxes import circle, cross, dot, four_lines, hook, large_cross, rounded, square

WIDTH, HEIGHT, DPI = 300, 200, 200
Place = Callable[[pymupdf.Page, float, float], object]
Draw = Callable[[pymupdf.Page], object]


class Words:
    """An engine that knows the words; it keeps the pictures that it was given."""

    version = "known/1"

    def __init__(self, words: Sequence[OcrWord]) -> None:
        self.words, self.pictures = list(words), list[bytes]()

    def read(self, image: bytes) -> list[OcrWord]:
        self.pictures.append(image)
        return self.words


def scan(draw: Draw, slant: float = 0.0, noise: float = 0.0) -> tuple[bytes, list[OcrWord]]:
    """A picture of the page, and its words where they stand before it was turned."""
    with pymupdf.open() as document:
        page = document.new_page(width=WIDTH, height=HEIGHT)
        draw(page)
        placed: Any = page.get_text("words")
        words = [
            OcrWord(text, x0 / WIDTH, (y0 + 2) / HEIGHT, x1 / WIDTH, (y1 - 3) / HEIGHT, 0.99, line)
            for x0, y0, x1, y1, text, line, _, _ in placed
        ]
        pixmap = page.get_pixmap(dpi=DPI, colorspace=pymupdf.csGRAY)
        image = Image.frombytes("L", (pixmap.width, pixmap.height), pixmap.samples)
    image = image.rotate(slant, Image.Resampling.BICUBIC, fillcolor=255) if slant else image
    pixels = np.asarray(image, np.float32) + np.random.default_rng(1).normal(
        0, noise + 1e-9, (image.height, image.width)
    )
    stream = io.BytesIO()
    Image.fromarray(np.clip(pixels, 0, 255).astype(np.uint8)).save(stream, "PNG")
    return stream.getvalue(), words


def found(draw: Draw, slant: float = 0.0, noise: float = 0.0) -> list[ScannedBox]:
    return find_scanned_boxes(*scan(draw, slant, noise), DPI / 72)


def form(box: Place, mark: Place | None) -> Draw:
    """Two boxes of 10 pt at (60, 91) and (130, 91), each before a word; the second has the mark."""

    def draw(page: pymupdf.Page) -> None:
        for x, word in ((60, "private"), (130, "public")):
            box(page, x, 91)
            page.insert_text((x + 16, 100), word)
        if mark:
            mark(page, 130, 91)

    return draw


@pytest.mark.parametrize("mark", [None, cross, hook, dot])
@pytest.mark.parametrize("box", [square, four_lines, rounded, circle])
def test_boxes_are_found_with_their_state(box: Place, mark: Place | None) -> None:
    boxes = found(form(box, mark), slant=1.0, noise=8.0)
    assert [(one.ticked, one.unsure) for one in sorted(boxes)] == [(False, False), (mark is not None, False)]


@pytest.mark.parametrize("slant", [0.0, -1.0])
def test_a_cross_may_reach_beyond_its_square(slant: float) -> None:
    assert [one.ticked for one in sorted(found(form(square, large_cross), slant))] == [False, True]


def test_a_box_is_where_it_is_drawn() -> None:
    first, second = sorted(found(form(square, cross)))
    for box, x in ((first, 60), (second, 130)):
        edges = box.x0 * WIDTH, box.y0 * HEIGHT, box.x1 * WIDTH, box.y1 * HEIGHT
        assert edges == pytest.approx((x - 0.35, 90.65, x + 10.35, 101.35), abs=0.7)


@pytest.mark.parametrize(
    ("width", "ticked", "unsure"), [(0.5, False, False), (1.5, False, True), (2.0, True, True), (3.0, True, False)]
)
def test_a_box_with_little_ink_is_unsure(width: float, ticked: bool, unsure: bool) -> None:
    def speck(page: pymupdf.Page, x: float, y: float) -> None:
        page.draw_rect((x + 5, y + 5, x + 5 + width, y + 5 + width), color=None, fill=(0, 0, 0))

    second = max(found(form(square, speck)))
    assert (second.ticked, second.unsure) == (ticked, unsure)


def test_a_filled_box_is_ticked_beside_an_empty_one_and_else_a_bullet() -> None:
    def filled(page: pymupdf.Page, x: float, y: float) -> None:
        square(page, x, y, fill=(0, 0, 0))

    assert [one.ticked for one in sorted(found(form(square, filled)))] == [False, True]
    assert found(form(filled, None)) == []


def test_a_shade_that_is_lighter_than_the_ink_is_a_swatch() -> None:
    def swatch(page: pymupdf.Page, x: float, y: float) -> None:
        square(page, x, y, fill=(0.6, 0.6, 0.6))

    assert found(form(swatch, None)) == []


def test_letters_combs_cells_and_lone_circles_are_no_boxes() -> None:
    def others(page: pymupdf.Page) -> None:
        page.insert_text((20, 30), "O D Q 0 8 B Ohm or OPEN", fontsize=11)
        for n in range(5):
            page.draw_rect((20 + 10 * n, 50, 30 + 10 * n, 60), width=0.7)
        page.insert_text((75, 59), "date")
        for n in range(3):
            page.draw_line((20, 80 + 12 * n), (80, 80 + 12 * n))
            page.draw_line((20 + 30 * n, 80), (20 + 30 * n, 104))
        page.insert_text((24, 90), "one")
        circle(page, 20, 120)
        page.insert_text((36, 129), "seal")
        square(page, 250, 20)  # no word beside it
        page.insert_text((20, 180), "words", fontsize=30)
        square(page, 110, 170, side=6)

    assert found(others) == []


def test_words_are_read_again_without_the_boxes_and_their_marks() -> None:
    picture, words = scan(form(square, hook))
    engine = Words(words)
    read, boxes = read_with_boxes(engine, picture, words, DPI / 72)
    assert (len(boxes), [word.text for word in read]) == (2, ["private", "public"])
    [again] = engine.pictures
    assert [word.line for word in read] == [0, 1]  # a box stands between
    left = np.asarray(Image.open(io.BytesIO(again)))
    scale = DPI / 72
    assert left[int(80 * scale) : int(104 * scale), int(126 * scale) : int(144 * scale)].min() > 200
    assert left.min() < 50  # the words


def test_a_picture_without_boxes_is_not_read_again() -> None:
    picture, words = scan(lambda page: page.insert_text((20, 30), "nothing to tick"))
    engine = Words(words)
    assert read_with_boxes(engine, picture, words, DPI / 72) == (words, [])
    assert (engine.pictures, find_scanned_boxes(picture, [], DPI / 72)) == ([], [])


def test_boxes_of_a_region_are_placed_on_the_page_and_drawn_ones_stay() -> None:
    [placed] = place_boxes([ScannedBox(0.5, 0.5, 0.6, 0.7, True, True)], Rect(x=0.2, y=0.4, w=0.5, h=0.5))
    assert placed == TickBox(box=Rect(x=0.45, y=0.65, w=0.05, h=0.1), ticked=True, ocr=True, unsure=True)
    page = PageFile(page=1, route="ocr", extractor_version="pdf")
    assert add_scanned_boxes(page, []).tick_boxes is None
    drawn = TickBox(box=Rect(x=0.44, y=0.64, w=0.07, h=0.12), ticked=False)
    with_drawn = page.model_copy(update={"tick_boxes": [drawn]})
    assert add_scanned_boxes(page, [placed]).tick_boxes == [placed]
    assert add_scanned_boxes(with_drawn, [placed]).tick_boxes == [drawn]


def test_an_outline_reaches_as_far_as_its_corners_let_it() -> None:
    corner = np.array([np.pi / 4])
    assert [round(float(reach(form, corner)[0]), 3) for form in (0.0, 1.0)] == [1.414, 1.0]
    # Corners of radius 0.4: their centre is (0.6, 0.6), √0.72 from the middle, and the arc 0.4 farther.
    assert round(float(reach(0.4, corner)[0]), 3) == round(0.72**0.5 + 0.4, 3)
    assert all(float(reach(form, np.zeros(1))[0]) == pytest.approx(1.0) for form in ROUND)


def stored(tmp_path: Path, mark: Place | None) -> tuple[Path, PageFile]:
    """A PDF that is nothing but the picture, and its page file."""
    picture, words = scan(form(square, mark))
    with pymupdf.open() as document:
        page = document.new_page(width=WIDTH, height=HEIGHT)
        page.insert_image(page.rect, stream=picture)
        document.save(tmp_path / "scan.pdf")
    with open_pdf(tmp_path / "scan.pdf") as source:
        file = source.read_page(1)
    read, boxes = read_with_boxes(Words(words), picture, words, DPI / 72)
    whole = Rect(x=0, y=0, w=1, h=1)
    return tmp_path / "scan.pdf", add_words(add_scanned_boxes(file, place_boxes(boxes, whole)), read, "known/1")


class Level(Words):
    """An engine that reads pictures that are wider than high, and of others only that their lines lie sideways; upside
    down it is unsure."""

    def __init__(self, words: Sequence[OcrWord], upright: bytes) -> None:
        super().__init__(words)
        self._upright = _shades(upright)

    def read(self, image: bytes) -> list[OcrWord]:
        shades = _shades(image)
        if shades.shape != self._upright.shape:
            return [OcrWord("sideways", 0.1, 0.1, 0.12, 0.9, 0.3, 0)]
        level = np.abs(shades - self._upright).mean() < np.abs(shades[::-1, ::-1] - self._upright).mean()
        return super().read(image) if level else [OcrWord("umop", 0.1, 0.1, 0.2, 0.2, 0.5, 0)]


def _shades(picture: bytes) -> npt.NDArray[np.float32]:
    return np.asarray(Image.open(io.BytesIO(picture)).convert("L"), np.float32)


def ruled_form(page: pymupdf.Page) -> None:
    """With lines, so that the way in which it lies is seen."""
    form(square, cross)(page)
    for y in (20, 40, 60, 150, 180):
        page.draw_line((20, y), (280, y))


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
def test_a_form_that_was_scanned_lying_has_its_boxes_where_they_are_shown(tmp_path: Path, turn: int) -> None:
    picture, words = scan(ruled_form)
    with pymupdf.open() as document:
        page = document.new_page(width=WIDTH, height=HEIGHT)
        page.insert_image(page.rect, stream=picture)
        page.set_rotation(turn)
        document.save(tmp_path / "lying.pdf")
    with open_pdf(tmp_path / "lying.pdf") as source:
        file = read_pictures(lambda: Level(words, picture), source, source.read_page(1))
    assert file.turn == turn
    x, y, side = 130 / WIDTH, 91 / HEIGHT, (10 / WIDTH, 10 / HEIGHT)
    shown = {0: (x, y), 90: (1 - y - side[1], x), 180: (1 - x - side[0], 1 - y - side[1]), 270: (y, 1 - x - side[0])}
    [ticked] = [one.box for one in file.tick_boxes or [] if one.ticked]
    assert (ticked.x, ticked.y) == pytest.approx(shown[turn], abs=0.01)
    assert_read_and_proved(tmp_path / "lying.pdf", file)


@pytest.mark.parametrize("turn", [0, 90, 270])
def test_a_drawn_form_that_is_shown_lying_reads_with_its_states(tmp_path: Path, turn: int) -> None:
    with pymupdf.open() as document:
        page = document.new_page(width=WIDTH, height=HEIGHT)
        form(square, cross)(page)
        page.set_rotation(turn)
        document.save(tmp_path / "lying.pdf")
    with open_pdf(tmp_path / "lying.pdf") as source:
        file = source.read_page(1, characters=True)
    assert file.turn == turn
    assert_read_and_proved(tmp_path / "lying.pdf", file)


def assert_read_and_proved(path: Path, file: PageFile) -> None:
    """The form's labels with their boxes; with the ticks of each label at the other one, a proof fails."""
    operations = {1: extract_page(file, build_profile([sketch_page(as_read(file))]))}
    draft = assemble([(file, operations[1])])
    assert " ".join(with_ticks(c.content, c.boxes) for c in draft.chunks).split() == ["☐", "private", "☒", "public"]

    def failed(draft: DocumentDraft) -> set[str]:
        stored = stored_draft(draft, lambda _: file, operations.get)
        with open_pdf(path) as source, PdfiumReader(path) as second:
            return {failure.check for failure in verify_document(source, second, stored).failures}

    assert failed(draft) == set()
    moved = draft.model_copy(deep=True)
    for chunk in moved.chunks:
        behind = {"at": len(chunk.content)}
        for place, box in enumerate(chunk.boxes):
            if isinstance(box, PageBox):
                ticks = tuple(tick.model_copy(update=behind) for tick in box.ticks)
                chunk.boxes[place] = box.model_copy(update={"ticks": ticks})
    assert failed(moved) == {"tick"}


def wrongs(path: Path, file: PageFile) -> list[str]:
    with open_pdf(path) as source, PdfiumReader(path) as second:
        return [one.check for one in prove_page(source, second, 1, StoredPage(1, False, file.route, []), file).wrong]


def test_a_scanned_form_reads_with_its_states_and_is_proved(tmp_path: Path) -> None:
    path, file = stored(tmp_path, cross)
    draft = assemble([(file, extract_page(file, build_profile([sketch_page(file)])))])
    assert " ".join(with_ticks(c.content, c.boxes) for c in draft.chunks).split() == ["☐", "private", "☒", "public"]
    assert wrongs(path, file) == []
    assert all("uncertain_ticks" not in chunk.flags for chunk in draft.chunks)


def test_a_box_of_a_scan_that_lies_in_no_picture_is_wrong(tmp_path: Path) -> None:
    path, file = stored(tmp_path, cross)
    with pymupdf.open() as document:
        page = document.new_page(width=WIDTH, height=HEIGHT)
        page.insert_image((0, 0, 100, 200), pixmap=pymupdf.Pixmap(pymupdf.csGRAY, (0, 0, 50, 100)))
        document.save(tmp_path / "other.pdf")
    boxes = [one for one in file.tick_boxes or [] if one.box.x > 0.4]
    told = file.model_copy(update={"fragments": [], "tick_boxes": boxes, "route": "empty"})
    assert "ocr" in wrongs(tmp_path / "other.pdf", told)
    drawn = file.model_copy(update={"tick_boxes": [TickBox(box=one.box, ticked=one.ticked) for one in boxes]})
    assert wrongs(path, drawn) == ["tick"]


def test_an_unsure_box_flags_the_chunk_of_its_words_and_lowers_the_page(tmp_path: Path) -> None:
    _, file = stored(tmp_path, cross)
    first, second = sorted(file.tick_boxes or [], key=lambda one: one.box.x)
    unsure = file.model_copy(update={"tick_boxes": [first, second.model_copy(update={"unsure": True})]})
    drafts = [assemble([(one, extract_page(one, build_profile([sketch_page(one)])))]) for one in (file, unsure)]
    flagged = [[chunk.content for chunk in draft.chunks if "uncertain_ticks" in chunk.flags] for draft in drafts]
    assert flagged[0] == []
    assert all("public" in content for content in flagged[1])
    assert flagged[1]
    assert drafts[1].pages[0].confidence < drafts[0].pages[0].confidence
    assert "uncertain_ticks" in drafts[1].pages[0].flags
