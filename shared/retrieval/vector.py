"""`vector_search`: nearest neighbours by cosine similarity of embeddings."""

from collections.abc import Callable
from dataclasses import dataclass

from shared.filters.selection import Selection
from shared.ports import Vectors
from shared.retrieval.trace import Tracer
from shared.store.connect import Connection
from shared.store.search import Candidate, Ranking
from shared.vectors.search import vector_candidates


def _by_no_other(_version: str, _text: str) -> Vectors | None:
    return None


def _all_known(_version: str, _text: str) -> float:
    return 1.0


@dataclass(frozen=True)
class EmbeddedQuery:
    """A query as text and as a vector of the embedder `embedder_version`.

    `embed_as` makes its vector for knowledge bases that use another embedder version; where it returns None they are
    left out, and the trace names them. `rank` ranks by vectors that are not stored; None for the stored ones.
    `known_share` says how much of a text an embedder version can have learnt, 0 to 1.
    """

    text: str
    vector: Vectors
    embedder_version: str
    embed_as: Callable[[str, str], Vectors | None] = _by_no_other
    rank: Callable[[Connection, Vectors, Selection, int], Ranking] | None = None
    known_share: Callable[[str, str], float] = _all_known


def vector_search(
    connection: Connection, query: EmbeddedQuery, selection: Selection, limit: int, tracer: Tracer
) -> list[Candidate]:
    """Returns the nearest chunks, nearest first, of every knowledge base in scope; each is searched with its own
    embedder."""
    with tracer.step("vector_search"):
        if query.rank is not None:
            found = query.rank(connection, query.vector, selection, limit)
        else:
            found = vector_candidates(
                connection,
                {query.embedder_version: query.vector},
                selection,
                limit,
                lambda version: query.embed_as(version, query.text),
            )
    tracer.found("vector_search", found)
    return found.candidates
