"""What was read, by printed name, as a proposal is made of it."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

from shared.domain.attribute_schema import Example
from shared.store.connect import Connection
from shared.store.named_queries import load_queries

_SQL = load_queries("observed")
# Rows by name, kind and unit; the most frequent are proposed.
SUMS_MAX: Final = 3000
TEXTS_MAX: Final = 60
CHUNKS_PER_NAME: Final = 20
EXAMPLES_PER_NAME: Final = 3
FIGURES_PER_NAME: Final = 500
# A number as it stands in a document: that, its canonical unit, the number in it.
Figure = tuple[UUID, str, float]


@dataclass
class Kind:
    """Values of one type and canonical unit under a name; `printed` counts them by printed unit."""

    type: str
    unit: str
    count: int = 0
    printed: Counter[str] = field(default_factory=Counter[str])
    low: float | None = None
    high: float | None = None


@dataclass
class Observed:
    """A printed name with all that was read under it. In the `labelled` documents it is a label or a header."""

    name: str
    kinds: dict[tuple[str, str], Kind] = field(default_factory=dict[tuple[str, str], Kind])
    documents: set[UUID] = field(default_factory=set[UUID])
    labelled: set[UUID] = field(default_factory=set[UUID])
    texts: Counter[str] = field(default_factory=Counter[str])

    @property
    def count(self) -> int:
        return sum(kind.count for kind in self.kinds.values())


@dataclass(frozen=True)
class PlacedValue:
    """A value in one of a few chunks, in its canonical unit; `printed` is the unit that stands there."""

    name: str
    unit: str | None
    number: float | None
    printed: str | None


def load_observed(
    connection: Connection, knowledge_base_id: UUID, *, is_open: bool, name: str | None = None
) -> list[Observed]:
    """The most frequent names; of `name` alone where it is given."""
    base = {"knowledge_base_id": knowledge_base_id, "is_open": is_open}
    found: dict[str, Observed] = {}
    for row in connection.execute(_SQL["sums"], base | {"name": name, "limit": SUMS_MAX}):
        one = found.setdefault(row["name"], Observed(row["name"]))
        kind = one.kinds.setdefault((row["kind"], row["unit"]), Kind(row["kind"], row["unit"]))
        kind.count += row["count"]
        kind.printed[row["printed_unit"]] += row["count"]
        kind.low = min((v for v in (kind.low, row["low"]) if v is not None), default=None)
        kind.high = max((v for v in (kind.high, row["high"]) if v is not None), default=None)
        one.documents.update(row["documents"])
    named = base | {"names": list(found)}
    for row in connection.execute(_SQL["labelled"], named):
        found[row["name"]].labelled.update(row["documents"])
    for row in connection.execute(_SQL["texts"], named | {"limit": TEXTS_MAX + 1}):
        found[row["name"]].texts[row["text"]] = row["count"]
    return list(found.values())


def load_together(connection: Connection, knowledge_base_id: UUID, names: Sequence[str]) -> list[list[PlacedValue]]:
    """A few chunks of each name: the values that they hold side by side."""
    values = {"knowledge_base_id": knowledge_base_id, "names": list(names), "limit": CHUNKS_PER_NAME}
    chunks: dict[UUID, list[PlacedValue]] = defaultdict(list)
    for row in connection.execute(_SQL["together"], values):
        value = PlacedValue(row["name"], row["unit"], row["value_number"], row["printed_unit"])
        chunks[row["chunk_id"]].append(value)
    return list(chunks.values())


def load_figures(connection: Connection, knowledge_base_id: UUID, names: Sequence[str]) -> dict[str, set[Figure]]:
    """The figures that were read under each of the names, at most FIGURES_PER_NAME of each."""
    values = {"knowledge_base_id": knowledge_base_id, "names": list(names), "limit": FIGURES_PER_NAME}
    found: dict[str, set[Figure]] = defaultdict(set)
    for row in connection.execute(_SQL["figures"], values):
        found[row["name"]].add((row["document_id"], row["unit"], row["value_number"]))
    return found


def load_examples(
    connection: Connection, knowledge_base_id: UUID, names: Sequence[str], *, is_open: bool
) -> dict[str, list[Example]]:
    """A few of each name, with where they stand."""
    values = {
        "knowledge_base_id": knowledge_base_id,
        "names": list(names),
        "is_open": is_open,
        "limit": EXAMPLES_PER_NAME,
    }
    found: dict[str, list[Example]] = defaultdict(list)
    for row in connection.execute(_SQL["examples"], values):
        found[row["name"]].append(Example.model_validate(row))
    return found


def count_documents(connection: Connection, knowledge_base_id: UUID) -> int:
    """Documents that have any attribute, declared or not."""
    row = connection.execute(_SQL["documents"], {"knowledge_base_id": knowledge_base_id}).fetchone()
    return int(row["documents"]) if row else 0
