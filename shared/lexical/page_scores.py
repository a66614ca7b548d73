"""Scores candidates by the query's words: in the passage itself and on its page, whichever index found it.

The words of a question are often spread over neighbouring paragraphs, rows and headings; the page has them together.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from pgvector import SparseVector

from shared.lexical.query import LexicalQuery
from shared.lexical.tokenizer import TERM_SPACE
from shared.store.connect import Connection
from shared.store.named_queries import load_queries
from shared.store.search import Candidate

_SQL = load_queries("page_scores")

# Of each list this many of the best are scored with their pages.
PAGED = 30
TERMS_MAX = 16


@dataclass(frozen=True)
class Matches:
    """Candidates' scores with their pages, best first, and which term numbers of the query each of them has.

    `coverage` is the share (0 to 1) of the weight of the query's words that the best candidate has;
    `rows` are the table rows among those that were read.
    """

    scores: dict[UUID, float]
    terms: dict[UUID, frozenset[int]] = field(default_factory=dict[UUID, frozenset[int]])
    coverage: float = 0.0
    rows: frozenset[UUID] = frozenset()


def match_words(
    connection: Connection, query: LexicalQuery, rankings: Sequence[Sequence[Candidate]], more: Collection[UUID] = ()
) -> Matches:
    """Scores every candidate by its own words plus those of its page; 0 for one that has none of the query's words.

    A page's score is the sum, over the words, of the best impact among the page's chunks, times the word's weight. It
    is read for the first 30 of each ranking, and so is which words they have; any other chunk, and one without a page,
    counts as a page of its own. Of a long query the 16 rarest words are used for pages. Of `more` chunks only the terms
    are told. `rankings` begins with the one that scores words.
    """
    terms = sorted(query.terms(), key=lambda term: -term.weight)[:TERMS_MAX]
    whole = query.vector()
    if whole is None:
        return Matches({})
    best = {c.chunk_id for ranking in rankings for c in ranking[:PAGED]}
    vectors = [SparseVector({t.number: t.weight}, TERM_SPACE).to_text() for t in terms]
    asked = {"ids": list({*best, *more}), "terms": vectors, "vector": whole.to_text()}
    rows = connection.execute(_SQL["page_scores"], asked).fetchall()
    scores = {c.chunk_id: 2 * c.score for c in rankings[0]}
    scores |= {row["chunk_id"]: row["own"] + (row["page"] or row["own"]) for row in rows if row["chunk_id"] in best}
    found = {row["chunk_id"]: frozenset(terms[place - 1].number for place in row["places"]) for row in rows}
    ordered = dict(sorted(scores.items(), key=lambda item: -item[1]))
    has = found.get(next(iter(ordered), None), frozenset())
    table_rows = frozenset(row["chunk_id"] for row in rows if row["is_row"])
    return Matches(ordered, found, _coverage(query, {term.number for term in terms}, has), table_rows)


def _coverage(query: LexicalQuery, asked: Collection[int], has: Collection[int]) -> float:
    """A word counts once, in whichever language a chunk has it; one that occurs nowhere in scope is not covered. Joined
    forms of numbers that occur nowhere, such as `section.1`, count for nothing."""
    words = [
        word
        for word in query.words
        if {*word.terms.values()} & {*asked} or (not word.frequency and word.form.isalpha())
    ]
    whole = sum(word.count * word.rarity for word in words)
    covered = sum(word.count * word.rarity for word in words if {*word.terms.values()} & {*has})
    return covered / whole if whole else 0.0
