"""Scans made in the test: pages of known text as noisy, slanted pictures without a text layer."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pymupdf
from PIL import Image

WIDTH, HEIGHT = 420, 300
Text = tuple[float, float, str]  # x, base line, text in points

LEFT = [
    "Every racing vessel carries a sealed",
    "position recorder on its main mast,",
    "which the stewards may read at any",
    "time before, during or after a race.",
    "A broken seal is reported at once.",
    "Crews that remove the recorder lose",
    "their result and start the next race",
    "from the last row of the grid.",
]
RIGHT = [
    "The harbour office keeps a list of",
    "sail numbers for each class. Numbers",
    "run from 100 to 899 and are issued",
    "once a season for a fee of 45.50 EUR.",
    "Lost numbers are replaced for free",
    "within 14 days. The list is open to",
    "all members and is printed in the",
    "yearbook on page 37.",
]


def lines(texts: Sequence[str], x: float = 30, y: float = 50, step: float = 16) -> list[Text]:
    return [(x, y + step * row, text) for row, text in enumerate(texts)]


def typed_page(texts: Sequence[Text], size: float = 10) -> pymupdf.Document:
    document = pymupdf.open()
    page = document.new_page(width=WIDTH, height=HEIGHT)
    for x, y, text in texts:
        page.insert_text((x, y), text, fontsize=size)
    return document


def scan(page: pymupdf.Page, dpi: int = 200, slant: float = 0.0, noise: float = 0.0) -> bytes:
    """The page as a scanner would store it: grey JPEG, turned by `slant` degrees, with `noise` grey levels."""
    pixmap = page.get_pixmap(dpi=dpi, colorspace=pymupdf.csGRAY)
    image = Image.frombytes("L", (pixmap.width, pixmap.height), pixmap.samples)
    if slant:
        image = image.rotate(slant, Image.Resampling.BICUBIC, fillcolor=255)
    pixels = np.asarray(image, np.float32) * 0.9 + 12
    pixels += np.random.default_rng(7).normal(0, noise, pixels.shape)
    document = pymupdf.open()
    target = document.new_page(width=page.rect.width, height=page.rect.height)
    buffer = np.clip(pixels, 0, 255).astype(np.uint8)
    picture = pymupdf.Pixmap(pymupdf.csGRAY, image.width, image.height, buffer.tobytes(), False)
    target.insert_image(target.rect, stream=picture.tobytes("jpeg"))
    return document.tobytes()


def write_scan(path: Path, texts: Sequence[Text], slant: float = 0.0, noise: float = 0.0) -> Path:
    """A PDF of one page that holds a picture of `texts` and nothing else."""
    with typed_page(texts) as document:
        path.write_bytes(scan(document[0], slant=slant, noise=noise))
    return path


def write_mixed(path: Path, typed: Sequence[Text], pictured: Sequence[Text], rect: pymupdf.Rect) -> Path:
    """A PDF of one page with `typed` text and a scan of `pictured` (of a whole page) shrunk into `rect`."""
    with typed_page(pictured, size=14) as inner, typed_page(typed) as document:
        scanned = pymupdf.open("pdf", scan(inner[0], dpi=300))
        document[0].insert_image(rect, stream=scanned.extract_image(scanned[0].get_images()[0][0])["image"])
        document.save(path)
    return path
