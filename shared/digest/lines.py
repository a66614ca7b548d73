"""A line as it is to stand in a file, before it is stored."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

from shared.domain.digest import LineKind, Origin, SourceKind, Tier
from shared.store.connect import Row

EXTRACTED: Final = "quotation"


@dataclass(frozen=True)
class CitedSource:
    """What is cited: its kind and id; of a chunk its document and the hash of what it says, of a document itself."""

    kind: SourceKind
    id: UUID
    document_id: UUID | None = None
    content_hash: str | None = None

    @property
    def key(self) -> tuple[str, UUID]:
        return (self.kind, self.id)


@dataclass(frozen=True)
class FileLine:
    """`author` is who said it: a person's name, a model's, or that it is a quotation. A new one has no ids."""

    kind: LineKind
    text: str
    sources: tuple[CitedSource, ...] = ()
    origin: Origin = "agent"
    author: str = EXTRACTED
    uncited: bool = False
    removed: bool = False
    instead_of: str | None = None
    statement_id: UUID | None = None
    row_id: UUID | None = field(default=None, compare=False)

    @property
    def is_models(self) -> bool:
        """Whether a model chose these words."""
        return self.origin == "agent" and self.author != EXTRACTED

    @property
    def key(self) -> tuple[str, str, frozenset[tuple[str, UUID]], str, bool, bool]:
        """Lines of the same key are the same line. What is no statement stays the same where another source gives it
        the same words; an entry where it is of the same topic."""
        cited = frozenset(s.key for s in self.sources) if self.kind == "statement" else frozenset[tuple[str, UUID]]()
        if self.kind == "entry" and self.statement_id:
            cited = frozenset({("topic", self.statement_id)})
        return (self.kind, self.text, cited, self.origin, self.removed, self.uncited)


def line_of(row: Row) -> FileLine:
    """A stored one."""
    own = {name: row[name] for name in ("kind", "text", "origin", "author", "uncited", "removed", "instead_of")}
    sources = tuple(_source(one) for one in row["citations"])
    return FileLine(**own, sources=sources, statement_id=row["statement_id"], row_id=row["id"])


def _source(one: Row) -> CitedSource:
    document = one["document_id"] and UUID(str(one["document_id"]))
    return CitedSource(one["kind"], UUID(str(one["source_id"])), document, one["content_hash"])


def hash_of(tier: Tier, text: str) -> str:
    """By which a statement that a person changed or took out of a tier is known again there."""
    return hashlib.sha256(f"{tier}\n{text}".encode()).hexdigest()


def size_in_file(line: FileLine, number_width: int = 4) -> int:
    """Characters that the line takes at most, with the numbers of its citations and the line feed."""
    if line.removed:
        return 0
    if line.kind != "statement":
        return len(line.text) + 4
    return len(line.text) + 3 + (3 + (number_width + 2) * len(line.sources) if line.sources else 0)


def total_size(lines: Sequence[FileLine]) -> int:
    """Characters of a file at most, with its title and the line of its version."""
    return sum(map(size_in_file, lines)) + 40
