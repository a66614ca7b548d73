"""The kinds of cells: how each is checked when it is pinned, how it is shown, and what it cites.

A kind is a row of `KINDS` (registry.py). `hold` says what the cell stores of what was sent, and raises NotFound for
what whoever pins it does not see; `read` says what the open scope sees of it: which chunks it cites, and how it is
drawn once these are read.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol
from uuid import UUID

from markupsafe import Markup

from shared.domain.knowledge import Hit
from shared.domain.scope import Identity
from shared.lab.notebook.markup import element
from shared.runtime import Runtime
from shared.store.connect import Connection
from shared.store.search import FoundChunk


@dataclass(frozen=True)
class CellReading:
    """What kinds read with: the connection has the scope of whoever reads."""

    runtime: Runtime
    identity: Identity
    connection: Connection


class CellSheet(Protocol):
    """What cells are drawn on."""

    def cite(self, chunk_id: UUID) -> Markup:
        """The number of a passage, which leads to it; that it is gone, where it is."""
        ...

    def passage(self, chunk_id: UUID) -> FoundChunk | None:
        """A passage that the cell cites; None where it is gone or hidden from whoever reads."""
        ...


@dataclass(frozen=True)
class HeldCell:
    """What a cell stores; `documents` are those of whose text `body` has a copy, which goes with them."""

    body: dict[str, Any]
    documents: Sequence[UUID] = ()


@dataclass(frozen=True)
class DrawnCell:
    """What a cell shows: it cites these chunks, in this order, and `draw` makes it. `about` says which version of what
    is shown, for a bundle's manifest; `files` gives the data behind it, by the ending of their names. `kept` are those
    of what it cites that are rows of long tables and no chunks."""

    draw: Callable[[CellSheet], Markup]
    cites: Sequence[UUID] = ()
    kept: Sequence[Hit] = ()
    about: Mapping[str, Any] = field(default_factory=dict[str, Any])
    files: Callable[[], Mapping[str, bytes]] = dict[str, bytes]
    gone: bool = False


@dataclass(frozen=True)
class CellKind:
    """How cells of one kind are held and read. `edited`: people change what it holds; else it is only pinned."""

    hold: Callable[[CellReading, Any], HeldCell]
    read: Callable[[CellReading, dict[str, Any]], DrawnCell]
    edited: bool = False


def vanished(what: str) -> DrawnCell:
    """Of what is deleted or hidden nothing is told but that."""
    said = element("p", f"This {what} was deleted, or you may no longer see it.", class_="gone")
    return DrawnCell(draw=lambda _: said, gone=True)
