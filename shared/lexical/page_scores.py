"""Ranks lexical candidates by their own score plus the score of their page.

The words of a question are often spread over neighbouring paragraphs, rows and headings; the page has them together.
"""

from collections.abc import Sequence
from uuid import UUID

from pgvector import SparseVector

from shared.lexical.query import LexicalQuery
from shared.lexical.tokenizer import TERM_SPACE
from shared.store.connect import Connection
from shared.store.named_queries import load_queries
from shared.store.search import Candidate

_SQL = load_queries("page_scores")

CANDIDATES_MAX = 50
TERMS_MAX = 16


def rank_with_pages(connection: Connection, query: LexicalQuery, candidates: Sequence[Candidate]) -> list[UUID]:
    """Returns the candidates ordered by their own score plus their page's weighted score.

    A page's score is the sum, over the words, of the best impact among the page's chunks, times the word's weight.
    Candidates after the first 50 follow in their order. Of a long query the 16 rarest words are used. A chunk without a
    page counts as a page of its own.
    """
    first, rest = candidates[:CANDIDATES_MAX], candidates[CANDIDATES_MAX:]
    terms = sorted(query.terms(), key=lambda term: -term.weight)[:TERMS_MAX]
    vectors = [SparseVector({t.number: t.weight}, TERM_SPACE).to_text() for t in terms]
    rows = connection.execute(_SQL["page_scores"], {"ids": [c.chunk_id for c in first], "terms": vectors})
    pages = {row["chunk_id"]: row["score"] for row in rows}
    scores = {c.chunk_id: c.score + pages.get(c.chunk_id, c.score) for c in first}
    return [*sorted(scores, key=lambda chunk_id: -scores[chunk_id]), *(c.chunk_id for c in rest)]
