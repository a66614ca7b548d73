"""References to fragments (`p12.f4`, `p12.f4[0:17]`): resolving them to text and to exact boxes."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from shared.domain.cell_formulas import CellFormula
from shared.domain.geometry import CellRange, Place, Rect, TextRange
from shared.domain.operations import (
    REFERENCE,
    CandidateAttribute,
    Operation,
    RegisterChunk,
    RegisterFigure,
    RegisterSection,
    RegisterTable,
    Skip,
)
from shared.domain.page import Fragment, PageFile


class ReferencedPart(NamedTuple):
    """A fragment, or its characters from `start` to `end` (exclusive)."""

    fragment: Fragment
    start: int
    end: int

    @property
    def whole(self) -> bool:
        return self.start == 0 and self.end == len(self.fragment.text)

    @property
    def text(self) -> str:
        return self.fragment.text[self.start : self.end]

    @property
    def reference(self) -> str:
        return self.fragment.id if self.whole else f"{self.fragment.id}[{self.start}:{self.end}]"

    @property
    def place(self) -> Place | None:
        """Where the part stands in a source without pages; a part of a cell stands in that cell, and of a
        line in a picture where that does."""
        place = self.fragment.place
        if not isinstance(place, TextRange) or self.whole or place.picture is not None:
            return place
        return TextRange(start=place.start + self.start, end=place.start + self.end)

    @property
    def box(self) -> Rect:
        """The exact bounding box; for a part, its horizontal edges are taken from `char_x`."""
        box = self.fragment.box
        if self.whole:
            return box
        edges = self.fragment.char_x[self.start : self.end + 1]
        return Rect(x=min(edges), y=box.y, w=max(edges) - min(edges), h=box.h)


class Resolver:
    """Resolves references to the fragments of one page."""

    def __init__(self, page: PageFile) -> None:
        self._fragments = {fragment.id: fragment for fragment in page.fragments}
        self._formulas = {one.range: one for one in page.formulas}

    def resolve(self, reference: str) -> ReferencedPart:
        """Returns the referenced part. Raises ValueError with what is wrong."""
        fragment = self._fragments.get(reference)
        if fragment is not None:
            return ReferencedPart(fragment, 0, len(fragment.text))
        matched = REFERENCE.match(reference)
        fragment = self._fragments.get(matched["id"]) if matched else None
        if matched is None or fragment is None:
            raise ValueError(f"{reference}: no such fragment on this page")
        return _part_of(fragment, reference, int(matched["start"]), int(matched["end"]))

    def resolve_all(self, references: Iterable[str]) -> list[ReferencedPart]:
        return [self.resolve(reference) for reference in references]

    def formula(self, parts: Sequence[ReferencedPart], place: Place | None = None) -> CellFormula | None:
        """The formula of the cell that has `parts`, or stands at `place`."""
        place = parts[0].place if parts else place
        return self._formulas.get(place.range) if isinstance(place, CellRange) else None

    def formulas(self, parts: Sequence[ReferencedPart]) -> list[CellFormula]:
        """Those of the cells that have `parts`, each once. The name of a sheet stands at its cells and in none."""
        said = [part for part in parts if not _names_sheet(part)] if self._formulas else []
        return list(dict.fromkeys(found for part in said if (found := self.formula([part])) is not None))


def _names_sheet(part: ReferencedPart) -> bool:
    place = part.place
    return isinstance(place, CellRange) and part.text == place.sheet.strip()


def _part_of(fragment: Fragment, reference: str, start: int, end: int) -> ReferencedPart:
    length = len(fragment.text)
    if not 0 <= start < end <= length:
        raise ValueError(f"{reference}: the fragment has {length} characters")
    part = ReferencedPart(fragment, start, end)
    if not part.whole and fragment.place is None and len(fragment.char_x) != length + 1:
        raise ValueError(f"{reference}: {_why_whole(fragment)}; refer to {fragment.id}")
    return part


def _why_whole(fragment: Fragment) -> str:
    if fragment.direction in ("ttb", "rotated"):
        return "parts of vertical or rotated text have no box"
    return "the positions of single characters are not known, or they run in both directions"


def claimed_references(operation: Operation) -> Iterator[str]:
    """The references that an operation claims, in order; those of attribute values are mentions, not claims."""
    match operation:
        case RegisterSection():
            yield from operation.title_fragment_ids
        case RegisterChunk() | Skip():
            yield from operation.fragment_ids
        case RegisterTable():
            yield from operation.caption_fragment_ids
            for row in operation.rows:
                for cell in row:
                    yield from cell.fragment_ids
        case RegisterFigure():
            yield from operation.caption_fragment_ids
            yield from operation.label_fragment_ids
        case CandidateAttribute():
            return
