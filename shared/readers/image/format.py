"""Images as a format."""

from contextlib import AbstractContextManager
from pathlib import Path
from typing import Final

from shared.domain.raw_page import SecondReader
from shared.readers.formats import Format, Look
from shared.readers.source import PagedSource

_BEGINNINGS: Final = (b"\x89PNG\r\n", b"\xff\xd8\xff", b"II*\x00", b"MM\x00*", b"GIF87a", b"GIF89a")
_BITMAP: Final = b"BM"
# What a file of a phone's camera calls itself.
_PHONE: Final = frozenset({b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"mif1", b"msf1"})
_ENDINGS: Final = (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".gif", ".webp", ".bmp", ".heic", ".heif")


def _matches(look: Look) -> bool:
    """Two letters begin a bitmap, and texts too: its name has to say so."""
    return (
        look.head.startswith(_BEGINNINGS)
        or (look.head.startswith(b"RIFF") and look.head[8:12] == b"WEBP")
        or (look.head[4:8] == b"ftyp" and look.head[8:12] in _PHONE)
        or (look.head.startswith(_BITMAP) and look.ending == ".bmp")
    )


def _open_image(path: Path, password: str | None) -> PagedSource:
    from shared.readers.image.document import open_image

    return open_image(path, password)


def _reread_image(path: Path) -> AbstractContextManager[SecondReader]:
    from shared.rereading.image import ImageReader

    return ImageReader(path)


def _version() -> str:
    from shared.readers.image.document import EXTRACTOR_VERSION

    return EXTRACTOR_VERSION


IMAGE: Final = Format(
    "image",
    "an image (PNG, JPEG, TIFF, GIF, WebP, BMP, HEIC)",
    ("image/png", "image/jpeg", "image/tiff", "image/gif", "image/webp", "image/bmp", "image/heic", "image/heif"),
    _ENDINGS,
    _matches,
    _open_image,
    _reread_image,
    _version,
)
