"""What a search found, with what stands around it: as statements are weighed and judged."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from shared.answering.composing import unfound_hit
from shared.domain.knowledge import Hit
from shared.store.connect import Connection
from shared.store.search import FoundChunk, load_chunks, row_contexts


@dataclass(frozen=True)
class Found:
    """Hits, rows among them as they are read, and the table of each row."""

    hits: Sequence[Hit]
    rows: Mapping[UUID, str]
    tables: Mapping[UUID, FoundChunk]

    @classmethod
    def load(cls, connection: Connection, hits: Sequence[Hit]) -> "Found":
        rows, tables = row_contexts(connection, [hit.chunk.id for hit in hits])
        whole = load_chunks(connection, list(set(tables.values())))
        return cls(hits, rows, {row: whole[table] for row, table in tables.items() if table in whole})

    def printed(self) -> dict[UUID, str]:
        """The text of each row's table."""
        return {row: table.chunk.content for row, table in self.tables.items()}

    def headed(self) -> dict[UUID, Hit]:
        """The table of each row as a hit, for its column names."""
        return {row: unfound_hit(table) for row, table in self.tables.items()}
