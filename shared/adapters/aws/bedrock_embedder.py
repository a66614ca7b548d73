"""Embedding models on Bedrock: Amazon Titan Text Embeddings V2, and Cohere Embed v4."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import Any, Final

import numpy as np

from shared.adapters.aws import bedrock_calls
from shared.adapters.aws.bedrock_calls import CONCURRENCY, Invoked, invoke
from shared.adapters.aws.models import embedding_price
from shared.adapters.text_batches import text_batches
from shared.domain.model_calls import Usage
from shared.errors import BadInput, Unavailable
from shared.ports import Spent, Vectors, for_nothing

# Titan refuses more than 50,000 characters (and 8,192 tokens); a chunk's beginning says what it is about.
MAX_CHARACTERS: Final = 20_000
ALWAYS_SHORT_ENOUGH: Final = 2_000
# Cohere's own bound of texts per call, and characters that keep a body far below the service's 20 MB.
COHERE_TEXTS: Final = 96
COHERE_CHARACTERS: Final = 400_000
WHAT: Final = "embedding model"


class BedrockEmbedder(ABC):
    """What models have in common: calls at once, what they cost, and unit vectors of `dimensions` numbers."""

    def __init__(self, model_id: str, dimensions: int, version: str | None = None) -> None:
        self._model_id = model_id
        self._price = embedding_price(model_id)
        self.dimensions = dimensions
        self.version = version or f"{model_id}/{dimensions}"

    def embed_passages(self, texts: Sequence[str], spent: Spent = for_nothing) -> Vectors:
        """Raises Unavailable when Bedrock still throttles or fails after all tries."""
        if not texts:
            return np.zeros((0, self.dimensions), np.float32)
        with ThreadPoolExecutor(CONCURRENCY) as pool:
            calls = list(self._calls(pool, texts))
        used = Usage(input_tokens=sum(call.input_tokens for call in calls))
        spent(used, self._price.usd(used))
        return unit([vector for call in calls for vector in self._vectors(call.answer)], self.dimensions)

    @abstractmethod
    def embed_query(self, text: str) -> Vectors: ...

    @abstractmethod
    def _calls(self, pool: Executor, texts: Sequence[str]) -> Iterable[Invoked]: ...

    @abstractmethod
    def _vectors(self, answer: dict[str, Any]) -> list[list[float]]: ...


class TitanEmbedder(BedrockEmbedder):
    """256, 512 or 1024 dimensions. Titan takes one text a call."""

    def embed_query(self, text: str) -> Vectors:
        return self.embed_passages([text])[0]

    def _calls(self, pool: Executor, texts: Sequence[str]) -> Iterable[Invoked]:
        return pool.map(self._embed, texts)

    def _embed(self, text: str) -> Invoked:
        """Characters bound tokens badly (scripts differ), so a text that the model refuses is tried with its first
        half, down to a length that holds fewer tokens than it may in any script."""
        shortened = text[:MAX_CHARACTERS]
        while True:
            try:
                body = {"inputText": shortened, "dimensions": self.dimensions, "normalize": True}
                return invoke(self._model_id, body, WHAT, bedrock_calls.ATTEMPTS)
            except BadInput:
                if len(shortened) <= ALWAYS_SHORT_ENOUGH:
                    raise
                shortened = shortened[: len(shortened) // 2]

    def _vectors(self, answer: dict[str, Any]) -> list[list[float]]:
        return [_field(answer, "embedding")]


class CohereEmbedder(BedrockEmbedder):
    """256, 512, 1024 or 1536 dimensions; passages and queries are embedded differently. What is longer than the model's
    context is cut at its end by the service."""

    def embed_query(self, text: str) -> Vectors:
        asked = self._embed([text[:MAX_CHARACTERS]], "search_query")
        return unit(self._vectors(asked.answer), self.dimensions)[0]

    def _calls(self, pool: Executor, texts: Sequence[str]) -> Iterable[Invoked]:
        batches = text_batches(texts, COHERE_TEXTS, COHERE_CHARACTERS, MAX_CHARACTERS)
        return pool.map(lambda batch: self._embed(batch, "search_document"), batches)

    def _embed(self, texts: Sequence[str], input_type: str) -> Invoked:
        body: dict[str, Any] = {
            "texts": list(texts),
            "input_type": input_type,
            "embedding_types": ["float"],
            "output_dimension": self.dimensions,
            "truncate": "RIGHT",
        }
        made = invoke(self._model_id, body, WHAT, bedrock_calls.ATTEMPTS)
        found = len(self._vectors(made.answer))
        if found != len(texts):
            raise Unavailable(f"The {WHAT} answered {found} vectors for {len(texts)} texts.")
        return made

    def _vectors(self, answer: dict[str, Any]) -> list[list[float]]:
        found: Any = _field(answer, "embeddings")
        return found["float"] if isinstance(found, dict) else found


def unit(vectors: Sequence[Sequence[float]], dimensions: int) -> Vectors:
    """Rows of length 1. Raises Unavailable where the model answered anything but `dimensions` numbers each."""
    lengths = {len(vector) for vector in vectors}
    if lengths != {dimensions}:
        raise Unavailable(f"The {WHAT} answered {sorted(lengths)} numbers instead of {dimensions}.")
    made = np.array(vectors, np.float32)
    norms = np.maximum(np.linalg.norm(made, axis=1, keepdims=True), np.finfo(np.float32).tiny)
    return (made / norms).astype(np.float32)


def _field(answer: dict[str, Any], name: str) -> Any:
    if name not in answer:
        raise Unavailable(f"The {WHAT} answered without {name!r}: {', '.join(sorted(answer))}.")
    return answer[name]


Make = Callable[[str, int, str], BedrockEmbedder]
FAMILIES: Final[dict[str, tuple[Make, frozenset[int]]]] = {
    "amazon.titan-embed-text-v2": (TitanEmbedder, frozenset({256, 512, 1024})),
    "cohere.embed-v4": (CohereEmbedder, frozenset({256, 512, 1024, 1536})),
}


def make_embedder(model_id: str, model: str, dimensions: int, version: str) -> BedrockEmbedder:
    """The adapter for a model; `model_id` is what is called (perhaps a profile of it). Raises BadInput."""
    for prefix, (make, allowed) in FAMILIES.items():
        if model.startswith(prefix):
            if dimensions not in allowed:
                raise BadInput(f"{model} has no {dimensions} dimensions; use one of {sorted(allowed)}.")
            return make(model_id, dimensions, version)
    raise BadInput(f"There is no embedder {version!r} here; known on Bedrock are {', '.join(sorted(FAMILIES))}.")
