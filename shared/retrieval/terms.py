"""How much of a question a text covers, measured in the lexical index's terms."""

from collections.abc import Mapping

from shared.lexical.query import read_query
from shared.lexical.tokenizer import tokenize
from shared.store.connect import Connection


def weigh_terms(connection: Connection, question: str) -> dict[str, float]:
    """Returns the question's terms with their inverse document frequency in scope; a word that no chunk has weighs
    most."""
    return read_query(connection, question).rarities()


def coverage(weights: Mapping[str, float], text: str) -> float:
    """Returns the share (0..1) of the question's term weight that occurs in `text`; 0 for a question without terms."""
    whole = sum(weights.values())
    present = tokenize(text).counts
    return sum(weight for term, weight in weights.items() if term in present) / whole if whole else 0.0
