"""Both engines of one machine against scans whose text is known; tesseract where it is installed."""

import io
from pathlib import Path

import pytest
from PIL import Image

from shared.adapters.local.ocr_models import find_models
from shared.adapters.local.ocr_onnx import OnnxOcr
from shared.adapters.local.ocr_second_opinion import SecondOpinionOcr
from shared.adapters.local.ocr_tesseract import TesseractOcr, find_tesseract
from shared.domain.page import Fragment, PageFile
from shared.errors import Unavailable
from shared.ports import Ocr, OcrWord
from shared.readers.ocr_page import add_words
from shared.readers.pdf.document import open_pdf
from tests.readers.scans import LEFT, RIGHT, lines, typed_page, write_scan


@pytest.fixture(scope="module", params=["onnx", "tesseract"])
def engine(request: pytest.FixtureRequest) -> Ocr:
    if request.param == "tesseract":
        program = find_tesseract()
        if program is None:
            pytest.skip("tesseract is not installed")
        return TesseractOcr(program, "eng")
    models = find_models()
    assert models is not None, "the OCR models are missing; run `make setup`"
    return OnnxOcr(models)


def read_scan(path: Path, engine: Ocr) -> PageFile:
    with open_pdf(path) as source:
        page = source.read_page(1)
        assert page.route == "ocr"
        return add_words(page, engine.read(source.render_page(1).image), engine.version)


def distance(a: str, b: str) -> int:
    """Levenshtein's: the fewest single characters to change."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        last, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            last, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, last + (x != y))
    return row[-1]


def overlap(a: Fragment, b: Fragment) -> float:
    """Intersection over union of the boxes."""
    w = min(a.box.right, b.box.right) - max(a.box.x, b.box.x)
    h = min(a.box.bottom, b.box.bottom) - max(a.box.y, b.box.y)
    both = max(0.0, w) * max(0.0, h)
    return both / (a.box.w * a.box.h + b.box.w * b.box.h - both)


def test_a_clean_scan_is_read_with_its_words_and_boxes(engine: Ocr, tmp_path: Path) -> None:
    page = read_scan(write_scan(tmp_path / "clean.pdf", lines(LEFT), noise=4), engine)
    assert [f.text for f in page.fragments] == LEFT
    with typed_page(lines(LEFT)) as document:
        (tmp_path / "typed.pdf").write_bytes(document.tobytes())
    with open_pdf(tmp_path / "typed.pdf") as source:
        truth = source.read_page(1).fragments
    assert (
        min(overlap(a, b) for a, b in zip(page.fragments, truth, strict=True)) > 0.6
    )  # the font declares boxes of 1.37 em
    assert {round(f.size) for f in page.fragments} <= {9, 10, 11}
    assert all(f.confidence is not None and f.confidence > 0.8 for f in page.fragments)


def test_columns_of_a_slanted_noisy_scan_are_read_one_after_the_other(engine: Ocr, tmp_path: Path) -> None:
    texts = [*lines(LEFT), *lines(RIGHT, x=225)]
    page = read_scan(write_scan(tmp_path / "slanted.pdf", texts, slant=1.0, noise=14), engine)
    wanted, found = " ".join([*LEFT, *RIGHT]), " ".join(f.text for f in page.fragments)
    assert distance(wanted, found) <= 0.02 * len(wanted)


def test_blank_paper_has_no_words(engine: Ocr, tmp_path: Path) -> None:
    page = read_scan(write_scan(tmp_path / "blank.pdf", [], noise=3), engine)
    assert (page.route, page.fragments) == ("empty", [])


def test_the_version_names_engine_and_models(engine: Ocr) -> None:
    assert engine.version.count("/") == 1
    assert any(character.isdigit() for character in engine.version)


def test_bright_letters_on_dark_ground_are_read(engine: Ocr, tmp_path: Path) -> None:
    with open_pdf(write_scan(tmp_path / "dark.pdf", lines(LEFT[:3]))) as source:
        picture = Image.open(io.BytesIO(source.render_page(1).image))
    stream = io.BytesIO()
    Image.eval(picture, lambda value: 255 - value).save(stream, "PNG")
    words = {word.text for word in engine.read(stream.getvalue())}
    assert {"racing", "vessel", "recorder", "stewards"} <= words


def test_a_tesseract_that_does_not_run_is_unavailable_with_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="tesseract --version"):
        TesseractOcr(str(tmp_path / "none"), "eng").read(b"")


class Fixed:
    """An engine that always answers one word, with its confidence."""

    version = "fixed/1"

    def __init__(self, text: str, confidence: float) -> None:
        self.words = [OcrWord(text, 0, 0, 1, 1, confidence, 0)] if text else []

    def read(self, image: bytes) -> list[OcrWord]:
        return self.words


@pytest.mark.parametrize(
    ("first", "second", "chosen"),
    [
        (("sure", 0.9), ("surer", 1.0), "sure"),
        (("unsure", 0.4), ("surer", 0.9), "surer"),
        (("unsure", 0.4), ("worse", 0.2), "unsure"),
        (("unsure", 0.4), ("", 0.0), "unsure"),
    ],
)
def test_the_second_engine_is_asked_where_the_first_is_unsure(
    first: tuple[str, float], second: tuple[str, float], chosen: str
) -> None:
    asked: list[str] = []

    def load() -> Ocr:
        asked.append("second")
        return Fixed(*second)

    both = SecondOpinionOcr(Fixed(*first), load, "second/2")
    assert [word.text for word in both.read(b"")] == [chosen]
    assert asked == (["second"] if first[1] < 0.75 else [])
    assert both.version == "fixed/1 or second/2"
