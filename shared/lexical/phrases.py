"""Quoted phrases: the index finds the chunks that have all words of a phrase; their texts then decide.

The index stores no positions, so that each chunk's row stays small; instead the texts of the best candidates are read,
at most a thousand.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from uuid import UUID

from shared.lexical.query import LexicalQuery
from shared.lexical.syntax import has_phrase, plain_text
from shared.lexical.tokenizer import TERM_SPACE, read_tokens, term_number
from shared.store.connect import Connection, Row
from shared.store.named_queries import load_queries

_SQL = load_queries("lexical_search")
VERIFIED_MAX = 1000
_TEXTS_PER_QUERY = 200
NEEDED_MAX = 16  # the most that the database function accepts


def needed_words(query: LexicalQuery) -> list[frozenset[int]]:
    """For each word of the phrases, rarest first, returns its term numbers; a chunk with the phrase has one term of
    every word.

    Words that are a stop word in one of the scope's languages, and single characters, are not indexed everywhere; they
    are only checked in the text.
    """
    words: dict[str, set[int]] = {}
    known: Counter[str] = Counter()
    for language in query.languages:
        tokens = {t for phrase in query.phrases for t in read_tokens(phrase, language) if t.is_word and len(t.form) > 1}
        known.update({token.form for token in tokens})
        for token in tokens:
            words.setdefault(token.form, set()).add(term_number(token.term))
    needed = {frozenset(numbers) for form, numbers in words.items() if known[form] == len(query.languages)}
    return sorted(needed, key=lambda numbers: (frequency(query, numbers), min(numbers)))[:NEEDED_MAX]


def frequency(query: LexicalQuery, numbers: frozenset[int]) -> int:
    """An upper bound on the number of chunks in scope that have one of the terms."""
    return sum(sum(h) for n in numbers for h in query.histograms.get(n, {}).values())


def needed_vector(numbers: frozenset[int]) -> str:
    """A sparse vector literal whose inner product with a chunk's impacts is above 0 if the chunk has one of the
    terms."""
    return "{" + ",".join(f"{n + 1}:1" for n in sorted(numbers)) + "}/" + str(TERM_SPACE)


def with_phrases(connection: Connection, rows: Sequence[Row], phrases: Sequence[str], limit: int) -> list[Row]:
    """Returns the first `limit` of `rows` whose index text or content has every phrase."""
    kept: list[Row] = []
    for start in range(0, len(rows), _TEXTS_PER_QUERY):
        some = rows[start : start + _TEXTS_PER_QUERY]
        found = connection.execute(_SQL["texts"], {"ids": [row["chunk_id"] for row in some]}).fetchall()
        texts = {row["id"]: [plain_text(row["index_text"]), plain_text(row["content"])] for row in found}
        kept += [row for row in some if _has_all(texts.get(row["chunk_id"], []), phrases)]
        if len(kept) >= limit:
            break
    return kept[:limit]


def read_contents(connection: Connection, chunk_ids: Collection[UUID]) -> dict[UUID, str]:
    rows = connection.execute(_SQL["texts"], {"ids": list(chunk_ids)})
    return {row["id"]: row["content"] for row in rows}


def _has_all(texts: Sequence[str], phrases: Sequence[str]) -> bool:
    return all(any(has_phrase(text, phrase) for text in texts) for phrase in phrases)
