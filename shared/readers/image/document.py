"""Opens image files. A page is a picture without a text layer, as that of a scanned PDF: OCR reads it."""

from collections.abc import Iterator
from datetime import date
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import pymupdf

from shared.domain.page import OutlineEntry, PageFile
from shared.domain.raw_page import RawForm, RawPage, RawPictures
from shared.errors import RefusedFile
from shared.readers.image.frames import ImageFile, count_pages, read_frame
from shared.readers.pdf.page import page_file_of
from shared.readers.pdf.render import render
from shared.readers.source import RenderedPage
from shared.rereading.characters import drawn_page_of, form_of, pictures_of, raw_pages_of

EXTRACTOR_VERSION: Final = f"image-1/mupdf-{pymupdf.mupdf_version}"


class ImageSource:
    """An image file, as `readers.source.PagedSource` describes it. One page at a time is unpacked."""

    is_protected = False
    is_blank = False
    title: str | None = None
    made: date | None = None

    def __init__(self, path: ImageFile) -> None:
        self._path = path
        self.page_count = count_pages(path)
        self.outline: list[OutlineEntry] = []
        self._held: tuple[int, pymupdf.Document] | None = None

    def save_opened(self, path: Path) -> None:
        """Never asked for, as no image is protected."""
        raise RefusedFile(f"{path.name} cannot be written: an image has no protection to be taken off.")

    def read_page(self, page: int, characters: bool = False) -> PageFile:
        return page_file_of(self._page(page), page, EXTRACTOR_VERSION, characters)

    def render_page(self, page: int, dpi: int = 200) -> RenderedPage:
        return render(self._page(page), dpi)

    def raw_pages(self, page: int) -> Iterator[RawPage]:
        yield from raw_pages_of(self._page(page))

    def drawn_page(self, page: int) -> RawPage:
        return drawn_page_of(self._page(page))

    def pictures(self, page: int) -> RawPictures:
        return pictures_of(self._page(page))

    def form(self, page: int) -> RawForm:
        return form_of(self._page(page))

    def close(self) -> None:
        if self._held is not None:
            self._held[1].close()
            self._held = None

    def _page(self, page: int) -> pymupdf.Page:
        """The picture on a page of its size."""
        if self._held is None or self._held[0] != page:
            self.close()
            frame = read_frame(self._path, page)
            document = pymupdf.open()
            document.new_page(width=frame.width, height=frame.height).insert_image(
                pymupdf.Rect(0, 0, frame.width, frame.height), stream=frame.png
            )
            self._held = (page, document)
        return self._held[1][0]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def open_image(path: Path, _password: str | None) -> ImageSource:
    """Raises RefusedFile for a damaged file, or one beyond a bound."""
    return ImageSource(path)
