"""Rerankers on Bedrock: Cohere Rerank 3.5 and Amazon Rerank 1.0.

Through InvokeModel, which both take, and not through the agents' Rerank API: that would cost a VPC endpoint of its own
and a permission that names no resource.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

from shared.adapters.aws.bedrock_calls import CONCURRENCY, QUERY_ATTEMPTS, invoke
from shared.adapters.aws.models import rerank_price
from shared.errors import Unavailable
from shared.ports import Reranked

# One "query" of the price list: up to 100 texts, each of up to 512 tokens with the query; more are billed as more.
TEXTS_PER_CALL: Final = 100
MAX_CHARACTERS: Final = 4_000
QUERY_CHARACTERS: Final = 2_000
# Cohere's body names the version of its API; Amazon's refuses the field.
COHERE_API: Final = 2


class BedrockReranker:
    """Scores 0..1 of one model."""

    def __init__(self, model_id: str) -> None:
        self._model_id = model_id
        self._usd_per_call = rerank_price(model_id)

    @property
    def version(self) -> str | None:
        return self._model_id

    def rerank(self, query: str, texts: Sequence[str]) -> Reranked:
        """See `Reranker.rerank`. Equal scores keep the order given."""
        starts = range(0, len(texts), TEXTS_PER_CALL)
        with ThreadPoolExecutor(CONCURRENCY) as pool:
            parts = list(pool.map(lambda start: self._scores(query, texts[start : start + TEXTS_PER_CALL]), starts))
        scores = [score for part in parts for score in part]
        order = sorted(enumerate(scores), key=lambda one: (-one[1], one[0]))
        return Reranked(order, self._usd_per_call * len(starts))

    def _scores(self, query: str, texts: Sequence[str]) -> list[float]:
        body: dict[str, Any] = {
            "query": query[:QUERY_CHARACTERS],
            "documents": [text[:MAX_CHARACTERS] or " " for text in texts],
            "top_n": len(texts),
        }
        if "cohere." in self._model_id:
            body["api_version"] = COHERE_API
        answer = invoke(self._model_id, body, "reranker", QUERY_ATTEMPTS).answer
        found = {int(one["index"]): float(one["relevance_score"]) for one in answer.get("results", [])}
        if found.keys() != set(range(len(texts))):
            raise Unavailable(f"The reranker answered {len(found)} of {len(texts)} texts.")
        return [found[place] for place in range(len(texts))]
