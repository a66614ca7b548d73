"""What documents are known by, for the question which of them a query means.

A passage seldom repeats whose document it stands in: the company, the quarter, the plan are in the name and on the
first page. Passages of near-equal documents are told apart by that alone.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from pgvector import SparseVector

from shared.lexical.keys import slot
from shared.lexical.tokenizer import term_number, tokenize
from shared.store.connect import Connection, Row
from shared.store.named_queries import load_queries

_SQL = load_queries("profiles")

# The beginning: its first words, out of its first chunks; never more than this share of the document.
WORDS_MAX = 250
CHUNKS_MAX = 60
SHARE_OF_DOCUMENT = 5
# pgvector stores 16,000 places of a sparse vector at most.
TERMS_MAX = 15_000
PLACES = 1 << 28
# Words that fewer chunks have count as missing, unless they name the document.
FREQUENT_SHARE = 0.002


@dataclass(frozen=True)
class NamingProfile:
    """A document of `chunks` chunks: in how many of them a slot's term occurs, and the slots that name it."""

    chunks: int
    frequencies: Mapping[int, int] = field(default_factory=dict[int, int])
    names: frozenset[int] = frozenset()


def profile_document(connection: Connection, document_id: UUID) -> None:
    """Make the document's profile from its share of the lexical statistics, which is up to date."""
    row = connection.execute(_SQL["beginning"], {"document_id": document_id, "chunks": CHUNKS_MAX}).fetchone()
    if row is None:
        return
    words = row["beginning"].split()
    beginning = words[: min(WORDS_MAX, len(words) // SHARE_OF_DOCUMENT) if row["chunks"] < CHUNKS_MAX else WORDS_MAX]
    terms = tokenize("\n".join([spoken_name(row["name"]), " ".join(beginning)]), row["language"]).counts
    values: Row = {"document_id": document_id, "named": sorted({slot(term_number(t)) for t in terms})}
    connection.execute(_SQL["store_profile"], values | {"share": FREQUENT_SHARE, "terms": TERMS_MAX})


def documents_of_chunks(connection: Connection, chunk_ids: Sequence[UUID]) -> dict[UUID, UUID]:
    """The document of each chunk, in their order."""
    if not chunk_ids:
        return {}
    rows = connection.execute(_SQL["documents_of_chunks"], {"ids": list(chunk_ids)})
    found = {row["id"]: row["document_id"] for row in rows}
    return {chunk_id: found[chunk_id] for chunk_id in chunk_ids}


def read_profiles(connection: Connection, documents: Sequence[UUID], slots: Sequence[int]) -> dict[UUID, NamingProfile]:
    """Profiles of those documents that have one, as far as `slots` go.

    Frequencies are those of slots that name some of the documents and not all: nothing else tells them apart.
    """
    asked: Row = {"documents": list(documents), "slots": list(slots)}
    rows = connection.execute(_SQL["profiles"], asked).fetchall()
    named = Counter(name for row in rows for name in row["names"])
    telling = [name for name, count in named.items() if count < len(rows)]
    frequencies: dict[UUID, dict[int, int]] = {}
    vectors = [SparseVector({_place(name): 1.0}, PLACES).to_text() for name in telling]
    for row in connection.execute(_SQL["frequencies"], asked | {"slots": telling, "vectors": vectors}):
        frequencies.setdefault(row["document_id"], {})[row["slot"]] = row["frequency"]
    return {
        row["document_id"]: NamingProfile(
            row["chunks"], frequencies.get(row["document_id"], {}), frozenset(row["names"])
        )
        for row in rows
    }


def _place(slot: int) -> int:
    """A slot's place in a profile, from 0: the bits that it has of its term."""
    return (slot & 0xFFFFFFFF) >> 4


def document_names(connection: Connection, documents: Collection[UUID]) -> dict[UUID, str]:
    rows = connection.execute(_SQL["document_names"], {"documents": sorted(documents)})
    return {row["id"]: row["name"] for row in rows}


def spoken_name(name: str) -> str:
    """A file's name as words: without its extension, `_` for a space."""
    return name.rsplit(".", 1)[0].replace("_", " ")
