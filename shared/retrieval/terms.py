"""How much of a question a text covers, measured in the lexical index's terms, and which of them are codes."""

from collections.abc import Mapping

from shared.lexical.query import LexicalQuery
from shared.lexical.tokenizer import is_identifier, tokenize


def codes_of(query: LexicalQuery) -> frozenset[str]:
    """Terms of the query that are codes with parts, such as `ta.37v`, and occur in scope."""
    return frozenset(t for word in query.words if word.frequency for t in word.terms if is_identifier(t) and "." in t)


def coverage(weights: Mapping[str, float], text: str) -> float:
    """Returns the share (0..1) of the question's term weight that occurs in `text`; 0 for a question without terms."""
    whole = sum(weights.values())
    present = tokenize(text).counts
    return sum(weight for term, weight in weights.items() if term in present) / whole if whole else 0.0
