"""References of stored text to a page: whole fragments (`p12.f4`) or characters of one (`p12.f4[0:17]`)."""

import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

from shared.domain.geometry import Place, TextRange

_REFERENCE = re.compile(r"(p(\d+)\.f\d+)\[(\d+):(\d+)\]")


class SourceLine(NamedTuple):
    """What proofs need of a fragment: its text, edges in 0..1 of the page, type size, and, where a part of it is
    named, the edges of its characters; in a source without pages its `place` instead, and the `marker` in front of it.
    `why` is None where it was found in the source, or says what is there."""

    id: str
    text: str
    left: float
    top: float
    right: float
    bottom: float
    size: float
    ocr: bool
    edges: Callable[[], tuple[float, ...]]
    why: str | None
    place: Place | None = None
    marker: str = ""


class Piece(NamedTuple):
    """The characters `start` to `end` (exclusive) of a line."""

    line: SourceLine
    start: int
    end: int
    left: float
    top: float
    right: float
    bottom: float
    place: Place | None = None

    @property
    def text(self) -> str:
        return self.line.text[self.start : self.end]


class Lines:
    """The lines of one page by their ids."""

    def __init__(self, lines: Iterable[SourceLine]) -> None:
        self.by_id = {line.id: line for line in lines}

    def pieces(self, references: Iterable[str]) -> list[Piece]:
        """Resolves references. Raises ValueError with what is wrong with one of them."""
        return [self._piece(reference) for reference in references]

    def canonical(self, references: Iterable[str]) -> tuple[str, ...]:
        """The references in the form of stored rows: a range of all characters becomes the line's id."""
        return tuple([self._canonical(reference) for reference in references])

    def _canonical(self, reference: str) -> str:
        named = _REFERENCE.fullmatch(reference)
        line = self.by_id.get(named[1]) if named else None
        return line.id if named and line and (named[3], named[4]) == ("0", str(len(line.text))) else reference

    def _piece(self, reference: str) -> Piece:
        line = self.by_id.get(reference)
        if line is not None:
            return Piece(line, 0, len(line.text), line.left, line.top, line.right, line.bottom, line.place)
        named = _REFERENCE.fullmatch(reference)
        line = self.by_id.get(named[1]) if named else None
        if named is None or line is None:
            raise ValueError(f"{reference}: no such line on this page")
        start, end = int(named[3]), int(named[4])
        if not 0 <= start < end <= len(line.text):
            raise ValueError(f"{reference}: no part of a line of {len(line.text)} characters")
        if end - start == len(line.text):
            return self._piece(line.id)
        if line.place is not None:
            return Piece(line, start, end, line.left, line.top, line.right, line.bottom, _part(line.place, start, end))
        edges = line.edges()[start : end + 1]
        if len(edges) != end - start + 1:
            raise ValueError(f"{reference}: the characters of this line do not stand one after the other")
        return Piece(line, start, end, min(edges), line.top, max(edges), line.bottom)


def _part(place: Place, start: int, end: int) -> Place:
    """The place of some characters of a fragment: of a cell the cell, of a line in a picture that line."""
    if not isinstance(place, TextRange) or place.picture is not None:
        return place
    return TextRange(start=place.start + start, end=place.start + end)
