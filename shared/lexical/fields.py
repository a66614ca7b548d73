"""The fields of a chunk and their weights (BM25F): a term's occurrences are weighted by field before saturation.

Robertson, Zaragoza & Taylor, "Simple BM25 extension to multiple weighted fields" (2004).
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from shared.lexical.languages import detect_language
from shared.lexical.tokenizer import is_identifier, read_tokens

# Weight of an occurrence in the content, in the context that the index text puts before it, and in a keyword.
CONTENT, CONTEXT, KEYWORD = 1.0, 1.5, 1.0
COMPLETED_LENGTHS = range(3, 41)


@dataclass(frozen=True)
class WeightedTerms:
    """Weighted occurrences per term, the length in words, and the words that prefix queries can match, with their
    terms."""

    counts: Mapping[str, float]
    length: float
    words: Mapping[str, str]


class Weighed(NamedTuple):
    """A document's language, and the weighted terms of some of its chunks by the fields that they were made of."""

    language: str
    terms: Mapping[tuple[str, ...], WeightedTerms]

    def find(self, chunk: Mapping[str, Any]) -> WeightedTerms:
        """Those of a chunk; made now where none are of just these fields."""
        return self.terms.get(_key(chunk)) or weigh_fields(chunk, self.language)


def weigh_chunks(chunks: Sequence[Mapping[str, Any]]) -> Weighed:
    """The terms of all chunks of a document, in their order."""
    language = detect_language(chunk["content"] for chunk in chunks)
    return Weighed(language, {_key(chunk): weigh_fields(chunk, language) for chunk in chunks})


def _key(chunk: Mapping[str, Any]) -> tuple[str, ...]:
    return chunk["index_text"], chunk["content"], *chunk["keywords"]


def weigh_fields(chunk: Mapping[str, Any], language: str) -> WeightedTerms:
    """Returns a chunk's weighted terms; `chunk` has `index_text`, `content` and `keywords`."""
    counts: defaultdict[str, float] = defaultdict(float)
    words: dict[str, str] = {}
    length = 0.0
    for text, weight in _fields(chunk):
        for token in read_tokens(text, language):
            counts[token.term] += weight
            length += weight * token.is_word
            if len(token.form) in COMPLETED_LENGTHS and (token.form.isalpha() or is_identifier(token.form)):
                words[token.form] = token.term
    return WeightedTerms(counts, length, words)


def _fields(chunk: Mapping[str, Any]) -> list[tuple[str, float]]:
    text, content = chunk["index_text"], chunk["content"]
    keywords = [(keyword, KEYWORD) for keyword in chunk["keywords"]]
    if content and text.endswith(content):
        return [(text[: -len(content)], CONTEXT), (content, CONTENT), *keywords]
    return [(text, CONTENT), *keywords]
