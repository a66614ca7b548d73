"""What documents are known by, for the question which of them a query means.

A passage seldom repeats whose document it stands in: the company, the quarter, the plan are in the name and on the
first page. Passages of near-equal documents are told apart by that alone.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from shared.store.connect import Connection
from shared.store.lexical_keys import slot
from shared.store.named_queries import load_queries
from shared.store.tokenizer import term_number, tokenize

_SQL = load_queries("profiles")
Row = dict[str, Any]

# The beginning: its first words, out of its first chunks; never more than this share of the document.
WORDS_MAX = 250
CHUNKS_MAX = 60
SHARE_OF_DOCUMENT = 5
# Words that fewer chunks have count as missing, unless they name the document.
FREQUENT_SHARE = 0.002


@dataclass(frozen=True)
class Profile:
    """A document of `chunks` chunks: in how many of them a slot's term occurs, and which terms name it."""

    chunks: int
    frequencies: Mapping[int, int] = field(default_factory=dict[int, int])
    naming: frozenset[int] = frozenset()


def profile_document(connection: Connection, document_id: UUID) -> None:
    """Make the document's profile from its share of the lexical statistics, which is up to date."""
    row = connection.execute(_SQL["beginning"], {"document_id": document_id, "chunks": CHUNKS_MAX}).fetchone()
    if row is None:
        return
    words = row["beginning"].split()
    beginning = words[: min(WORDS_MAX, len(words) // SHARE_OF_DOCUMENT) if row["chunks"] < CHUNKS_MAX else WORDS_MAX]
    terms = tokenize("\n".join([spoken_name(row["name"]), " ".join(beginning)]), row["language"]).counts
    values: Row = {"document_id": document_id, "named": sorted({slot(term_number(t)) for t in terms})}
    connection.execute(_SQL["store_profile"], values | {"share": FREQUENT_SHARE})


def documents_of_chunks(connection: Connection, chunk_ids: Sequence[UUID]) -> dict[UUID, UUID]:
    """The document of each chunk."""
    rows = connection.execute(_SQL["documents_of_chunks"], {"ids": list(chunk_ids)})
    return {row["id"]: row["document_id"] for row in rows}


def read_profiles(connection: Connection, documents: Sequence[UUID], slots: Sequence[int]) -> dict[UUID, Profile]:
    """Profiles of those documents that have one, as far as `slots` go."""
    frequencies: dict[UUID, dict[int, int]] = {}
    naming: dict[UUID, set[int]] = {}
    chunks: dict[UUID, int] = {}
    for row in connection.execute(_SQL["profiles"], {"documents": list(documents), "slots": list(slots)}):
        document = row["document_id"]
        chunks[document] = row["chunks"]
        if row["slot"] is not None:
            frequencies.setdefault(document, {})[row["slot"]] = row["frequency"]
            naming.setdefault(document, set()).update([row["slot"]] if row["naming"] else [])
    return {d: Profile(n, frequencies.get(d, {}), frozenset(naming.get(d, ()))) for d, n in chunks.items()}


def document_names(connection: Connection, documents: Collection[UUID]) -> dict[UUID, str]:
    rows = connection.execute(_SQL["document_names"], {"documents": sorted(documents)})
    return {row["id"]: row["name"] for row in rows}


def spoken_name(name: str) -> str:
    """A file's name as words: without its extension, `_` for a space."""
    return name.rsplit(".", 1)[0].replace("_", " ")
