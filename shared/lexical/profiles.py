"""Document profiles: the words that name a document, for estimating which documents a query means.

A passage seldom repeats which document it belongs to: the company, the quarter, the plan are in the file's name and on
the first page. Passages of nearly equal documents can be told apart by these words alone.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from pgvector import SparseVector
from psycopg.types.json import Jsonb

from shared.lexical.keys import slot
from shared.lexical.tokenizer import term_number, tokenize
from shared.store.connect import Connection, Row
from shared.store.named_queries import load_queries

_SQL = load_queries("profiles")

# The beginning of a document, whose words name it: at most this many words, from the first chunks, and at most 1 of
# SHARE_OF_DOCUMENT words of a short document.
WORDS_MAX = 250
CHUNKS_MAX = 60
SHARE_OF_DOCUMENT = 5
# pgvector stores at most 16,000 non-zero elements of a sparse vector.
TERMS_MAX = 15_000
PLACES = 1 << 28
# Words in a smaller share of the chunks are left out of the profile, unless they name the document.
FREQUENT_SHARE = 0.002


@dataclass(frozen=True)
class NamingProfile:
    """A document of `chunks` chunks: in how many of them each term (by its slot) occurs, and the slots of the terms
    that name it."""

    chunks: int
    frequencies: Mapping[int, int] = field(default_factory=dict[int, int])
    names: frozenset[int] = frozenset()


def profile_documents(connection: Connection, document_ids: Sequence[UUID]) -> None:
    """Builds the documents' profiles from their shares of the lexical statistics, which must be up to date."""
    asked: Row = {"document_ids": list(document_ids), "chunks": CHUNKS_MAX}
    rows = connection.execute(_SQL["beginnings"], asked).fetchall()
    named = [{"document_id": str(row["id"]), "named": _named(row)} for row in rows]
    if named:
        values: Row = {"profiles": Jsonb(named), "share": FREQUENT_SHARE, "terms": TERMS_MAX}
        connection.execute(_SQL["store_profiles"], values)


def _named(row: Row) -> list[int]:
    """The slots of the terms that name a document."""
    words = row["beginning"].split()
    beginning = words[: min(WORDS_MAX, len(words) // SHARE_OF_DOCUMENT) if row["chunks"] < CHUNKS_MAX else WORDS_MAX]
    terms = tokenize("\n".join([spoken_name(row["name"]), " ".join(beginning)]), row["language"]).counts
    return sorted({slot(term_number(t)) for t in terms})


def documents_of_chunks(connection: Connection, chunk_ids: Sequence[UUID]) -> dict[UUID, UUID]:
    """Maps each chunk to its document, in the order given."""
    if not chunk_ids:
        return {}
    rows = connection.execute(_SQL["documents_of_chunks"], {"ids": list(chunk_ids)})
    found = {row["id"]: row["document_id"] for row in rows}
    return {chunk_id: found[chunk_id] for chunk_id in chunk_ids}


def read_profiles(connection: Connection, documents: Sequence[UUID], slots: Sequence[int]) -> dict[UUID, NamingProfile]:
    """Returns the profiles of those documents that have one, restricted to `slots`.

    Frequencies are read only for slots that name some of the documents but not all: others do not tell them apart.
    """
    asked: Row = {"documents": list(documents), "slots": list(slots)}
    rows = connection.execute(_SQL["profiles"], asked).fetchall()
    named = Counter(name for row in rows for name in row["names"])
    telling = [name for name, count in named.items() if count < len(rows)]
    vectors = [SparseVector({_vector_index(name): 1.0}, PLACES).to_text() for name in telling]
    counted = connection.execute(_SQL["frequencies"], asked | {"vectors": vectors})
    frequencies = {row["document_id"]: dict(zip(telling, row["frequencies"], strict=True)) for row in counted}
    return {
        row["document_id"]: NamingProfile(
            row["chunks"], frequencies.get(row["document_id"], {}), frozenset(row["names"])
        )
        for row in rows
    }


def _vector_index(slot: int) -> int:
    """A slot's index in a profile's sparse vector, from 0: the bits of the term number that the slot has."""
    return (slot & 0xFFFFFFFF) >> 4


def document_names(connection: Connection, documents: Collection[UUID]) -> dict[UUID, str]:
    rows = connection.execute(_SQL["document_names"], {"documents": sorted(documents)})
    return {row["id"]: row["name"] for row in rows}


def spoken_name(name: str) -> str:
    """A file's name as words: without its extension, with spaces for `_`."""
    return name.rsplit(".", 1)[0].replace("_", " ")
