"""The second reading of an image file: it has no characters, so that no text of it counts as verbatim."""

from pathlib import Path
from types import TracebackType
from typing import Self

from shared.domain.raw_page import Glyph


class ImageReader:
    """Use as a context manager."""

    def __init__(self, _path: Path) -> None:
        """The file is not opened: whatever is in it are pixels."""

    def glyphs(self, page: int, drawn: bool) -> list[Glyph] | None:
        """None of any page."""
        return []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None
