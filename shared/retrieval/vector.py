"""`vector_search`: nearest neighbours by cosine similarity of embeddings."""

from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import copy_context
from dataclasses import dataclass

from shared.filters.selection import Selection
from shared.ports import Vectors
from shared.retrieval.trace import Tracer
from shared.store.connect import Connection, waiting
from shared.store.search import Candidate, Ranking
from shared.vectors.search import vector_candidates


def _by_no_other(_version: str, _text: str) -> Vectors | None:
    return None


def _no_twin(_connection: Connection) -> AbstractContextManager[None]:
    return nullcontext()


def _all_known(_version: str, _text: str) -> float:
    return 1.0


@dataclass(frozen=True)
class EmbeddedQuery:
    """A query as text and as a vector of the embedder `embedder_version`.

    `embed_as` makes its vector for knowledge bases that use another embedder version; where it returns None they are
    left out, and the trace names them. `rank` ranks by vectors that are not stored; None for the stored ones.
    `known_share` says how much of a text an embedder version can have learnt, 0 to 1. `twin` opens another transaction
    that sees what one sees, or None.
    """

    text: str
    vector: Vectors
    embedder_version: str
    embed_as: Callable[[str, str], Vectors | None] = _by_no_other
    rank: Callable[[Connection, Vectors, Selection, int], Ranking] | None = None
    known_share: Callable[[str, str], float] = _all_known
    twin: Callable[[Connection], AbstractContextManager[Connection | None]] = _no_twin


def vector_search(
    connection: Connection, query: EmbeddedQuery, selection: Selection, limit: int, tracer: Tracer
) -> list[Candidate]:
    """Returns the nearest chunks, nearest first, of every knowledge base in scope; each is searched with its own
    embedder."""
    with tracer.step("vector_search"):
        found = _rank(connection, query, selection, limit)
    tracer.found("vector_search", found)
    return found.candidates


@contextmanager
def vector_search_meanwhile(
    connection: Connection, query: EmbeddedQuery, selection: Selection, limit: int, tracer: Tracer
) -> Generator[Callable[[], list[Candidate]]]:
    """The same, begun at once in a twin of the transaction, while the caller has other statements; done when it is
    called where there is no twin."""
    with query.twin(connection) as other:
        if other is None:
            yield lambda: vector_search(connection, query, selection, limit, tracer)
            return
        with ThreadPoolExecutor(1, "vectors") as thread:
            ranking = thread.submit(copy_context().run, _rank, other, query, selection, limit)

            def found() -> list[Candidate]:
                with tracer.step("vector_search"), waiting():
                    ranked = ranking.result()
                tracer.found("vector_search", ranked)
                return ranked.candidates

            yield found


def _rank(connection: Connection, query: EmbeddedQuery, selection: Selection, limit: int) -> Ranking:
    if query.rank is not None:
        return query.rank(connection, query.vector, selection, limit)
    queries = {query.embedder_version: query.vector}
    return vector_candidates(connection, queries, selection, limit, lambda version: query.embed_as(version, query.text))
