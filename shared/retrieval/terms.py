"""How much of a question a text covers, in the lexical index's own terms."""

from collections.abc import Mapping

from shared.lexical.query import read_query
from shared.lexical.tokenizer import tokenize
from shared.store.connect import Connection


def weigh_terms(connection: Connection, question: str) -> dict[str, float]:
    """The question's terms with their rarity in scope; a word that no chunk has weighs most."""
    return read_query(connection, question).rarities()


def coverage(weights: Mapping[str, float], text: str) -> float:
    """Share (0..1) of the question's weight that occurs in `text`; 0 for a question without terms."""
    whole = sum(weights.values())
    present = tokenize(text).counts
    return sum(weight for term, weight in weights.items() if term in present) / whole if whole else 0.0
