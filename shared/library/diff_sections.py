"""Prepares a version for comparison: its sections with their chunks, as passages of words."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from uuid import UUID

import numpy as np

from shared.domain.diff import DiffChunk, DiffSection
from shared.library.diff_align import AlignedPassage, Matrix
from shared.library.diff_words import Measured, plain_text, strip_address, words
from shared.store.connect import Row
from shared.store.diff import VersionText
from shared.values.quantities import NumberReading, find_quantities

CELL = " | "
# A cell with fewer words is a mark or a number, not prose.
PROSE_WORDS = 4
# Titles of sections that list the other sections.
CONTENTS = frozenset({"contents", "table of contents", "list of figures", "list of tables", "index"})


@dataclass(frozen=True)
class DiffPiece:
    """A chunk of a section."""

    row: Row
    address: str | None
    vector: Matrix | None

    @property
    def text(self) -> str:
        """The text without the section's own number in front."""
        return strip_address(str(self.row["content"]), self.address)

    @cached_property
    def cells(self) -> list[str]:
        return self.text.split(CELL) if self.row["chunk_type"] == "table_row" else [self.text]

    @cached_property
    def prose(self) -> str:
        """The prose of a table row, without marks and numbers; the whole text where it has no prose."""
        prose = [cell for cell in self.cells if len(cell.split()) >= PROSE_WORDS]
        return "\n".join(prose) if prose and len(self.cells) > 1 else self.text

    @cached_property
    def passage(self) -> AlignedPassage:
        tokens = [word.lower() for word in words(self.prose)]
        return AlignedPassage(tokens, self.vector, text_key=" ".join(tokens))

    @property
    def shown(self) -> DiffChunk:
        row = self.row
        return DiffChunk(
            chunk_id=row["id"], chunk_type=row["chunk_type"], page=row["first_page"], boxes=row["boxes"]
        )  # fmt: skip


@dataclass(frozen=True)
class SectionText:
    """A section with its own chunks; `row` is None for the text before the first section."""

    row: Row | None
    pieces: list[DiffPiece]
    parent_title: str

    @property
    def title(self) -> str:
        return plain_text(str(self.row["title"])).lower() if self.row else ""

    @property
    def key(self) -> str:
        return str(self.row["key"] or "") if self.row else ""

    @property
    def is_contents(self) -> bool:
        """Whether the section is, or is part of, a list of sections."""
        path = self.row["path"] if self.row else []
        return any(plain_text(str(step["title"])).lower() in CONTENTS for step in path)

    @cached_property
    def passage(self) -> AlignedPassage:
        tokens = [token for piece in self.pieces for token in piece.passage.tokens]
        vectors = [piece.vector for piece in self.pieces if piece.vector is not None]
        return AlignedPassage(
            tokens, _mean(vectors), self.key, self.title, self.parent_title, text_key=" ".join(tokens)
        )  # fmt: skip

    @property
    def shown(self) -> DiffSection:
        first = self.pieces[0].row if self.pieces else None
        row = self.row or {"id": None, "address": None, "title": "", "path": [], "page": None}
        page = first["first_page"] if first else row["page"]
        return DiffSection.model_validate({**row, "page": page, "chunk_id": first["id"] if first else None})


def parts_of(version: VersionText) -> list[SectionText]:
    """The sections in document order, after the text before the first one; printed tables of contents are left out."""
    titles: dict[UUID, str] = {row["id"]: plain_text(str(row["title"])).lower() for row in version.sections}
    addresses: dict[UUID, str | None] = {row["id"]: row["address"] for row in version.sections}
    inside: defaultdict[UUID | None, list[DiffPiece]] = defaultdict(list)
    for row in version.chunks:
        section = row["section_id"]
        inside[section].append(DiffPiece(row, addresses.get(section), version.vectors.get(row["id"])))
    found = [SectionText(None, inside[None], "")] if inside[None] else []
    found += [SectionText(row, inside[row["id"]], titles.get(row["parent_id"], "")) for row in version.sections]
    return [part for part in found if not part.is_contents]


def measure(text: str) -> Measured:
    """The text with its quantities parsed and removed."""
    found = list(find_quantities(text, NumberReading()))
    rest, values, units, end = "", list[tuple[float, str]](), list[str](), 0
    for one in found:
        quantity = one.quantity
        rest, end = f"{rest}{text[end : one.start]} ", one.end
        upper, unit = quantity.canonical_upper, quantity.canonical_unit or quantity.unit
        values.append((round(quantity.canonical_number, 9), f"{quantity.comparator} {upper or ''} {unit or ''}"))
        units.append(quantity.unit or "")
    return Measured(rest + text[end:], tuple(values), tuple(units))


def compared(one: DiffPiece, other: DiffPiece) -> tuple[str, str]:
    """The texts of two passages as they are compared; for table rows of different structure only their prose."""
    return (one.text, other.text) if len(one.cells) == len(other.cells) else (one.prose, other.prose)


def _mean(vectors: Sequence[Matrix]) -> Matrix | None:
    if not vectors:
        return None
    mean = np.mean(np.stack(vectors), axis=0)
    length = float(np.linalg.norm(mean))
    return mean / length if length else None
