"""How much of a question a text covers, measured in the lexical index's terms."""

from collections.abc import Mapping
from types import MappingProxyType

from shared.lexical.number_words import counting_words
from shared.lexical.periods import lasts_a_quarter
from shared.lexical.properties import asked_properties
from shared.lexical.tokenizer import tokenize

# Terms of a question that ask for a property, each with the terms of the nouns that state it; or other terms with what
# else they are told by.
Properties = Mapping[str, frozenset[str]]
NO_PROPERTIES: Properties = MappingProxyType({})
QUARTER = frozenset(tokenize("quarter").counts)


def written_of(question: str) -> dict[str, frozenset[str]]:
    """The terms of the numbers with which a question counts something, each with how the same number may be written
    otherwise."""
    return {
        term: frozenset({other}) for word, other in counting_words(question).items() for term in tokenize(word).counts
    }


def properties_of(question: str) -> dict[str, frozenset[str]]:
    return {
        term: frozenset(tokenize(" ".join(nouns)).counts)
        for word, nouns in asked_properties(question).items()
        for term in tokenize(word).counts
    }


def terms_in(text: str, weights: Mapping[str, float], properties: Properties = NO_PROPERTIES) -> frozenset[str]:
    """The question's terms that `text` has; one that asks for a property also where a noun of it is there, and
    "quarter" also where three months are."""
    # Of every cell of a wide table, where nothing is looked for in them.
    if not weights:
        return frozenset()
    having = tokenize(text).counts.keys() | (QUARTER if lasts_a_quarter(text) else frozenset[str]())
    return frozenset(t for t in weights if t in having or not properties.get(t, frozenset()).isdisjoint(having))


def terms_beyond(text: str, weights: Mapping[str, float]) -> frozenset[str]:
    """The terms of `text` that the question has not; numbers and marks of footnotes are none."""
    return frozenset(t for t in tokenize(text).counts if t not in weights and t.isalpha())


def coverage(
    weights: Mapping[str, float],
    text: str,
    properties: Properties = NO_PROPERTIES,
    known: frozenset[str] = frozenset(),
) -> float:
    """Returns the share (0..1) of the question's term weight that occurs in `text` or is of the `known` terms; 0 for a
    question without terms. Parts of a word, which name a document as well, need not be among `weights`."""
    whole, having = sum(weights.values()), terms_in(text, weights, properties) | (known & weights.keys())
    return sum(weights[term] for term in having) / whole if whole else 0.0
