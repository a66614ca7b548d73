"""How much of a question a text covers, measured in the lexical index's terms."""

from collections.abc import Mapping

from shared.lexical.tokenizer import tokenize


def coverage(weights: Mapping[str, float], text: str) -> float:
    """Returns the share (0..1) of the question's term weight that occurs in `text`; 0 for a question without terms."""
    whole = sum(weights.values())
    present = tokenize(text).counts
    return sum(weight for term, weight in weights.items() if term in present) / whole if whole else 0.0
