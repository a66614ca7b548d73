"""OCR by bundled models (PP-OCRv6 small), run by onnxruntime, no network.

The package brings the weights alone: its own code would bring OpenCV, Shapely and six others for what two modules
beside this one do in numpy.
"""

import io
import math
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from PIL import Image

from shared.adapters.local.ocr_detect import TextRegion, find_regions, turn
from shared.adapters.local.ocr_models import DETECTOR, RECOGNISER, models_version
from shared.adapters.local.ocr_recognise import TextSpan, read_lines
from shared.adapters.local.onnx_sessions import open_session
from shared.errors import Unavailable
from shared.ports import OcrWord

# The longer side that the detector sees: 9 pt text on A4 is 16 pixels high. More takes 0.4 GB and finds no more.
DETECTOR_SIDE = 1536
# Of a word and of its line; below it is noise taken for letters (the models' published setting).
MIN_CONFIDENCE = 0.5
UPRIGHT = 1.5  # a region so much higher than wide is a line turned by 90°
SLANT_WORTH_TURNING = math.radians(0.15)

Grey = npt.NDArray[np.uint8]


class OnnxOcr:
    """PP-OCRv6 on `threads` cores: Latin with all its accents, Greek, Chinese and Japanese, upright pages."""

    def __init__(self, models: Path, threads: int = 1) -> None:
        self._detector = open_session(models / DETECTOR, threads)
        self._recogniser = open_session(models / RECOGNISER, threads)
        listed = self._recogniser.get_modelmeta().custom_metadata_map.get("character")
        if not listed:
            raise Unavailable("The bundled OCR model names no characters. Run `make setup`.")
        self._characters = [*listed.splitlines(), " "]

    @property
    def version(self) -> str:
        return models_version()

    def read(self, image: bytes) -> list[OcrWord]:
        with Image.open(io.BytesIO(image)) as opened:
            picture = opened.convert("L")
        regions, slant, scale = self._detect(picture)
        level = _level(picture, slant)
        boxes = [box for region in regions if (box := _crop(region, scale, level))]
        lines = [_line(level.pixels, box) for box in boxes]
        spans = dict(read_lines(self._recogniser, self._characters, lines))
        return list(_words(boxes, spans, level, picture.size))

    def _detect(self, picture: Image.Image) -> tuple[list[TextRegion], float, float]:
        """Regions in pixels of the detector's input, their slant, and pixels of the picture for one of those."""
        shrink = min(1.0, DETECTOR_SIDE / max(picture.size))
        w, h = (max(32, -(-round(side * shrink) // 32) * 32) for side in picture.size)
        fit = picture.resize((round(picture.width * shrink), round(picture.height * shrink)), Image.Resampling.BOX)
        canvas = Image.new("L", (w, h), _paper(fit))
        canvas.paste(fit, (0, 0))
        grey = np.asarray(canvas, np.float32) / 127.5 - 1
        inputs = np.broadcast_to(grey, (1, 3, h, w)).astype(np.float32)
        answers = self._detector.run(None, {self._detector.get_inputs()[0].name: inputs})
        regions, slant = find_regions(np.asarray(answers[0][0, 0], np.float32))
        return regions, slant, 1 / shrink


class _Level:
    """The page turned so that its lines are level, and the way back."""

    def __init__(self, pixels: Grey, slant: float, left: float, top: float) -> None:
        self.pixels, self.slant, self.left, self.top = pixels, slant, left, top

    def back(self, x: float, y: float) -> tuple[float, float]:
        return turn(x + self.left, y + self.top, -self.slant)


def _level(picture: Image.Image, slant: float) -> _Level:
    if abs(slant) < SLANT_WORTH_TURNING:
        return _Level(np.asarray(picture, np.uint8), 0.0, 0.0, 0.0)
    corners = [turn(x, y, slant) for x in (0, picture.width) for y in (0, picture.height)]
    left, top = min(x for x, _ in corners), min(y for _, y in corners)
    size = math.ceil(max(x for x, _ in corners) - left), math.ceil(max(y for _, y in corners) - top)
    cos, sin = math.cos(slant), math.sin(slant)
    matrix = (cos, -sin, left * cos - top * sin, sin, cos, left * sin + top * cos)
    turned = picture.transform(
        size, Image.Transform.AFFINE, matrix, Image.Resampling.BILINEAR, fillcolor=_paper(picture)
    )
    return _Level(np.asarray(turned, np.uint8), slant, left, top)


def _paper(picture: Image.Image) -> int:
    """The commonest shade: what is filled in beside the picture must not look like ink."""
    return int(np.argmax(picture.histogram()))


def _crop(region: TextRegion, scale: float, level: _Level) -> tuple[int, int, int, int] | None:
    """The region in pixels of the level page; None where nothing of it is left."""
    height, width = level.pixels.shape
    x0, x1 = max(0, int(region.x0 * scale - level.left)), min(width, math.ceil(region.x1 * scale - level.left))
    y0, y1 = max(0, int(region.y0 * scale - level.top)), min(height, math.ceil(region.y1 * scale - level.top))
    return (x0, y0, x1, y1) if x1 - x0 >= 4 and y1 - y0 >= 4 else None


def _line(pixels: Grey, box: tuple[int, int, int, int]) -> Grey:
    x0, y0, x1, y1 = box
    line = pixels[y0:y1, x0:x1]
    return np.ascontiguousarray(np.rot90(line)) if _is_turned(box) else line


def _is_turned(box: tuple[int, int, int, int]) -> bool:
    return box[3] - box[1] >= UPRIGHT * (box[2] - box[0])


def _words(
    boxes: Sequence[tuple[int, int, int, int]], read: dict[int, list[TextSpan]], level: _Level, size: tuple[int, int]
) -> Iterator[OcrWord]:
    for number, box in enumerate(boxes):
        words = read[number]
        if not words or sum(word.confidence for word in words) / len(words) < MIN_CONFIDENCE:
            continue
        for word in words:
            if word.confidence >= MIN_CONFIDENCE:
                yield OcrWord(word.text, *_place(word, box, level, size), round(word.confidence, 4), number)


def _place(
    word: TextSpan, box: tuple[int, int, int, int], level: _Level, size: tuple[int, int]
) -> tuple[float, float, float, float]:
    """The upright box of the word on the picture, 0..1."""
    x0, y0, x1, y1 = word.x0, word.y0, word.x1, word.y1
    if _is_turned(box):  # rot90 put the right edge on top
        x0, x1, y0, y1 = y0, y1, box[3] - box[1] - x1, box[3] - box[1] - x0
    corners = [level.back(box[0] + x, box[1] + y) for x in (x0, x1) for y in (y0, y1)]
    xs, ys = [x / size[0] for x, _ in corners], [y / size[1] for _, y in corners]
    return max(0.0, min(xs)), max(0.0, min(ys)), min(1.0, max(xs)), min(1.0, max(ys))
