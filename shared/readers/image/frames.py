"""The pages of an image file as a person would see them: turned as the camera was held, on white paper."""

import io
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

import pi_heif
from PIL import ExifTags, Image, ImageOps

from shared.errors import RefusedFile
from shared.readers.pdf.render import MAX_PIXELS

# Of a page, before it is unpacked: A3 at 600 dpi has 70 million. In colours they take 240 MB.
MAX_READ_PIXELS: Final = 80_000_000
MAX_SIDE: Final = 60_000
MAX_PAGES: Final = 2_000
# A resolution beyond this is no measure.
MOST_DPI: Final = 1_200
# Without a resolution: what is drawn for a screen, and what a camera or scanner has taken.
SCREEN_DPI, SCAN_DPI = 96, 200
SCREEN_SIDE: Final = 2_000
KINDS: Final = ("PNG", "JPEG", "TIFF", "GIF", "WEBP", "BMP", "HEIF")
# Of several pictures the first; no thread of its own for each.
pi_heif.register_heif_opener(thumbnails=False)
# Only its frames are pages; those of the others move, and the first one stands for all.
_PAGED: Final = "TIFF"
# Of EXIF's eight ways in which a camera can be held.
_ON_THEIR_SIDES: Final = (5, 6, 7, 8)
ImageFile = Path | io.BytesIO
_DAMAGED: Final = "The image is damaged or cut off; open it in a viewer, save it again and upload that."
_ERRORS: Final = (OSError, ValueError, SyntaxError, EOFError, IndexError, KeyError, TypeError, OverflowError)


class TooManyPixels(RefusedFile):
    """Unpacked, the image would take too much room."""


class ImageFrame(NamedTuple):
    """A page as PNG, with its size in points."""

    png: bytes
    width: float
    height: float


def count_pages(path: ImageFile) -> int:
    """Raises RefusedFile for what is no image, or beyond a bound."""
    with _opened(path) as image:
        if image.format != _PAGED:
            return 1
        for number in range(MAX_PAGES + 1):
            try:
                image.seek(number)
            except EOFError:
                return number
            _check(image)
    raise RefusedFile(f"The image has more than {MAX_PAGES:,} pages; divide it and upload its pieces.")


def read_frame(path: ImageFile, page: int) -> ImageFrame:
    """A page (from 1). Raises RefusedFile where it cannot be read."""
    with _opened(path) as image:
        image.seek(page - 1)
        _check(image)
        shown = _on_paper(ImageOps.exif_transpose(image))
        dpi = _dpi(image)
    width, height = shown.width * 72 / dpi, shown.height * 72 / dpi
    if shown.width * shown.height > MAX_PIXELS:
        share = (MAX_PIXELS / (shown.width * shown.height)) ** 0.5
        shown = shown.resize((max(1, int(shown.width * share)), max(1, int(shown.height * share))))
    stream = io.BytesIO()
    shown.save(stream, "PNG", compress_level=1)
    return ImageFrame(stream.getvalue(), width, height)


def size_of(image: bytes) -> tuple[int, int]:
    """Width and height in pixels as it is shown, by what the file says. Raises TooManyPixels beyond the bound,
    RefusedFile for what is no image."""
    with _opened(io.BytesIO(image)) as opened:
        width, height = opened.size
        # Pillow has turned a TIFF's already, and would unpack a PNG for what may stand behind its pixels.
        asked = opened.format != _PAGED and (opened.format != "PNG" or "exif" in opened.info)
        turned = asked and opened.getexif().get(ExifTags.Base.Orientation) in _ON_THEIR_SIDES
    return (height, width) if turned else (width, height)


@contextmanager
def _opened(path: ImageFile) -> Generator[Image.Image]:
    """Pillow's errors about a file are of many kinds; here they become a refusal."""
    try:
        with Image.open(path, formats=KINDS) as image:
            _check(image)
            yield image
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        raise TooManyPixels(_too_large()) from error
    except _ERRORS as error:
        raise RefusedFile(_DAMAGED) from error


def _check(image: Image.Image) -> None:
    """By the size that the file says, before anything is unpacked."""
    if image.width * image.height > MAX_READ_PIXELS or max(image.size) > MAX_SIDE:
        raise TooManyPixels(_too_large())


def _too_large() -> str:
    return f"The image has more than {MAX_READ_PIXELS // 10**6} million pixels; save it smaller and upload that."


def _on_paper(image: Image.Image) -> Image.Image:
    """In grey or in colours, what is transparent on white."""
    if image.mode in ("L", "RGB"):
        return image.copy()
    if image.mode.startswith("I") or image.mode == "F":
        return _in_levels(image.convert("F"))
    if image.has_transparency_data:
        shown = image.convert("RGBA")
        paper = Image.new("RGBA", shown.size, "white")
        return Image.alpha_composite(paper, shown).convert("RGB")
    return image.convert("L" if image.mode == "1" else "RGB")


def _in_levels(image: Image.Image) -> Image.Image:
    """From the shades that it has, of whatever measure, to 256."""
    extrema = image.getextrema()
    low, high = float(str(extrema[0])), float(str(extrema[1]))
    scale = 255 / (high - low or 1.0)
    return image.point(lambda value: value * scale - low * scale).convert("L")


def _dpi(image: Image.Image) -> float:
    said = image.info.get("dpi")
    across = float(said[0]) if isinstance(said, tuple) and said else 0.0
    # Files of programs that draw for a screen say 72 or 96 whatever the size of their letters.
    if SCREEN_DPI < across <= MOST_DPI:
        return across
    return SCREEN_DPI if max(image.size) <= SCREEN_SIDE else SCAN_DPI
