"""The pictures of a page that are in its file: those that are written into it, and parts of a book or a saved page.
Nothing is fetched."""

import binascii
import posixpath
from base64 import b64decode
from collections.abc import Callable, Iterator, Set
from typing import Any, Final, NamedTuple
from urllib.parse import unquote_to_bytes

from shared.readers.blocks import Block
from shared.readers.drawings import POINTS_PER_PIXEL, Drawings, DrawnSize

_DATA: Final = "data:"
_SOURCES: Final = ("src", "xlink:href", "href")
_DIGITS: Final = 6


class PictureAt(NamedTuple):
    """An element that shows a picture, in front of the character `at` of the page's text."""

    element: Any
    at: int


class PagePictures:
    """The pictures of one file, by names. `find` gives the name of the part that an address means, `read` its bytes."""

    def __init__(
        self,
        find: Callable[[str], str | None] = lambda _: None,
        read: Callable[[str], bytes | None] = lambda _: None,
    ) -> None:
        self._find, self._of_part = find, read
        self._written: dict[str, str] = {}
        self.drawings = Drawings(self.read)

    def blocks(self, shown: PictureAt, find: Callable[[str], str | None] | None = None) -> Iterator[Block]:
        """The figure, or why it is none. Its description stands in the text (`flow.py`)."""
        source = next((said for name in _SOURCES if (said := shown.element.get(name))), "")
        if source.startswith(_DATA):
            name: str | None = f"picture {len(self._written) + 1}"
            self._written[str(name)] = source
        else:
            name = (find or self._find)(source)
        width, height = (_pixels(shown.element.get(side, "")) * POINTS_PER_PIXEL for side in ("width", "height"))
        yield from self.drawings.blocks(name, DrawnSize(width, height), shown.at)

    def read_with(self, read: Callable[[str], bytes | None]) -> Callable[[str], bytes | None]:
        """Reads from now on with another function: the container is closed."""
        self._of_part = read
        return self.read

    def read(self, name: str) -> bytes | None:
        if name not in self._written:
            return self._of_part(name)
        head, _, data = self._written[name].partition(",")
        try:
            plain = unquote_to_bytes(data)
            return b64decode(plain) if head.endswith("base64") else plain
        except (binascii.Error, ValueError):
            return None


def part_beside(name: str, known: Set[str]) -> Callable[[str], str | None]:
    """Finds the parts of a container, those that are `known`, that the part `name` refers to."""

    def find(source: str) -> str | None:
        path = unquote_to_bytes(source.partition("#")[0]).decode("utf-8", "replace")
        part = posixpath.normpath(posixpath.join(posixpath.dirname(name), path))
        return part if part in known else None

    return find


def _pixels(said: str) -> float:
    number = said.strip().removesuffix("px")
    return float(number) if number.isdecimal() and len(number) < _DIGITS else 0.0
