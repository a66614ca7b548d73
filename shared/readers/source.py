"""The interface of readers: an open document of pages, of whatever format."""

from datetime import date
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Protocol, Self, runtime_checkable

from shared.domain.page import OutlineEntry, PageFile
from shared.domain.raw_page import RereadableSource


class RenderedPage(NamedTuple):
    """JPEG bytes of a page as displayed and of its thumbnail; the size is the image's in pixels."""

    image: bytes
    thumbnail: bytes
    width: int
    height: int


class Source(Protocol):
    """An open document; pages (or the parts that count as such) count from 1. Use as a context manager; not for use by
    several threads at once.

    What concerns one page raises RefusedFile where that page cannot be read.
    """

    @property
    def page_count(self) -> int: ...

    @property
    def is_protected(self) -> bool:
        """Whether it opened with a password only."""
        ...

    @property
    def title(self) -> str | None:
        """The title in the document's metadata; None where it has none."""
        ...

    @property
    def made(self) -> date | None:
        """The day when the document was made, or else last changed, by its metadata; None where that says neither."""
        ...

    @property
    def outline(self) -> list[OutlineEntry]:
        """The bookmarks that point to a page of this document, in their order; empty where they are damaged."""
        ...

    @property
    def is_blank(self) -> bool:
        """Whether no page shows anything that can be read."""
        ...

    def save_opened(self, path: Path) -> None:
        """Write the same document without its protection; raises StorageFull where there is no room for it."""
        ...

    def read_page(self, page: int, characters: bool = False) -> PageFile:
        """Fragments, rules and images of a page. With `characters` the fragments have `char_x`, so that parts of them
        can be referred to; everything else is equal."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


@runtime_checkable
class PagedSource(Source, RereadableSource, Protocol):
    """A document of pages, that can be seen and read character by character."""

    def render_page(self, page: int, dpi: int = 200) -> RenderedPage:
        """The page as a person would see it."""
        ...

    def __enter__(self) -> Self: ...
