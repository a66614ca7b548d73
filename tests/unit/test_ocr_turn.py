import io

import pytest
from PIL import Image, ImageDraw, ImageOps

from shared.domain.geometry import Rect
from shared.domain.page import Fragment, PageFile, PageImage, Rule
from shared.domain.sketch import Profile
from shared.domain.turned import as_read, turn_page
from shared.extraction.layout import extract_page
from shared.ports import OcrWord
from shared.readers.ocr_page import add_turned_words
from shared.readers.ocr_turn import read_upright

INK = (20, 30, 120, 45)


def scan(turned: int) -> Image.Image:
    """A page with a line of ink near its top left, turned clockwise."""
    picture = Image.new("L", (200, 300), 255)
    ImageDraw.Draw(picture).rectangle((INK[0], INK[1], INK[2] - 1, INK[3] - 1), fill=0)
    return picture.rotate(-turned, expand=True)


def png(picture: Image.Image) -> bytes:
    stream = io.BytesIO()
    picture.save(stream, "PNG")
    return stream.getvalue()


def ink(picture: Image.Image) -> tuple[float, ...]:
    box = ImageOps.invert(picture).getbbox()
    assert box is not None
    return tuple(edge / side for edge, side in zip(box, (*picture.size, *picture.size), strict=True))


class Reader:
    """Reads the line where it is level and near the top, and the same, less surely, where it is not."""

    version = "reader"

    def __init__(self, upside_down: float = 0.7) -> None:
        self.calls = 0
        self._upside_down = upside_down

    def read(self, image: bytes) -> list[OcrWord]:
        self.calls += 1
        with Image.open(io.BytesIO(image)) as opened:
            picture = opened.convert("L")
        x0, y0, x1, y1 = ink(picture)
        level = (x1 - x0) * picture.width > (y1 - y0) * picture.height
        surely = y0 < 0.5 if level else x0 > 0.5
        return [
            OcrWord(
                "Harbour" if level and surely else "jnoqjeH", x0, y0, x1, y1, 0.99 if surely else self._upside_down, 0
            )
        ]


@pytest.mark.parametrize(("turned", "calls"), [(0, 1), (90, 2), (180, 2), (270, 3)])
def test_a_scan_is_read_with_its_lines_level_and_its_boxes_are_where_the_ink_is_shown(turned: int, calls: int) -> None:
    reader, shown = Reader(), scan(turned)
    words, turn = read_upright(reader, png(shown))
    assert ([word.text for word in words], turn, reader.calls) == (["Harbour"], turned, calls)
    page = PageFile(page=1, width_pt=shown.width, height_pt=shown.height, route="ocr", extractor_version="t")
    read = add_turned_words(page, words, "reader", turn)
    assert (read.width_pt, read.height_pt, read.turn) == (shown.width, shown.height, turned)
    box, (x0, y0, x1, y1) = read.fragments[0].box, ink(shown)
    assert abs(box.x - x0) + abs(box.y - y0) + abs(box.right - x1) + abs(box.bottom - y1) < 0.05


def test_a_turned_reading_has_to_say_more_than_the_one_as_shown() -> None:
    words, turn = read_upright(Reader(upside_down=0.84), png(scan(180)))
    assert (words[0].text, turn) == ("Harbour", 180)

    class Blurred(Reader):
        def read(self, image: bytes) -> list[OcrWord]:
            return [word._replace(confidence=0.6) for word in super().read(image)]

    assert read_upright(Blurred(), png(scan(180)))[1] == 0


def test_engines_see_a_turned_page_with_its_lines_level_and_figures_are_where_they_are_shown() -> None:
    level = PageFile(
        page=1, width_pt=500, height_pt=800, route="ocr", extractor_version="t",
        fragments=[
            Fragment(id=f"p1.f{n}", text=text, box=Rect(x=0.1, y=0.1 * n, w=0.3, h=0.02), font="OCR", size=10)
            for n, text in enumerate(("Boats in the harbour", "Crews on the quay"), 1)
        ],
        images=[PageImage(id="p1.i1", box=Rect(x=0.2, y=0.5, w=0.4, h=0.25), kind="bitmap")],
        rules=[Rule(x0=0.1, y0=0.45, x1=0.9, y1=0.45)],
    )  # fmt: skip
    shown = turn_page(level, 90).model_copy(update={"turn": 90})
    assert shown.fragments[0].box == Rect(x=0.88, y=0.1, w=0.02, h=0.3)
    assert shown.rules[0] == Rule(x0=0.55, y0=0.1, x1=0.55, y1=0.9)
    assert as_read(shown) == level.model_copy(update={"turn": 90})
    found = {o.op: o for o in extract_page(shown, Profile()).operations}
    expected = {o.op: o for o in extract_page(level, Profile()).operations}
    assert found.keys() == expected.keys()
    assert getattr(expected["register_figure"], "box") == level.images[0].box  # noqa: B009 one of several operations
    assert getattr(found["register_figure"], "box") == Rect(x=0.25, y=0.2, w=0.25, h=0.4)  # noqa: B009 as above
