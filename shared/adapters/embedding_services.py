"""Embedders behind an HTTP endpoint: what speaks OpenAI's protocol, and Voyage.

A version names service, model and dimensions (`openai:text-embedding-3-small/1536`) and never the address: the same
model behind another address makes the same vectors.
"""

import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

import numpy as np

from shared.adapters.embedding_calls import Answered, Endpoint, Refused
from shared.adapters.text_batches import text_batches
from shared.domain.model_calls import PER_MILLION, Usage
from shared.errors import BadInput
from shared.ports import Spent, Vectors, for_nothing
from shared.settings import OPENAI_URL, VOYAGE_URL, LocalSettings

# Per call. OpenAI takes 2,048 texts and 300,000 tokens, Voyage 128 texts and 120,000 tokens (of some models).
TEXTS: Final = 64
CHARACTERS: Final = 100_000
# A chunk's beginning says what it is about; what the service still refuses is halved down to what no model refuses.
MAX_CHARACTERS: Final = 20_000
ALWAYS_SHORT_ENOUGH: Final = 500
CONCURRENCY: Final = 4
_VERSION: Final = re.compile(r"(?P<service>openai|voyage):(?P<model>\S+?)(?:/(?P<dimensions>[1-9]\d{0,4}))?")
# Dimensions where none are named, of the services' own models (their documentation, 2025).
KNOWN: Final[dict[str, int]] = {
    "openai:text-embedding-3-small": 1536,
    "openai:text-embedding-3-large": 3072,
    "openai:text-embedding-ada-002": 1536,
    "voyage:voyage-3-large": 1024,
    "voyage:voyage-3.5": 1024,
    "voyage:voyage-3.5-lite": 1024,
    "voyage:voyage-code-3": 1024,
    "voyage:voyage-finance-2": 1024,
    "voyage:voyage-law-2": 1024,
}
# Models that shorten their vectors when asked to; others refuse to be asked.
SHORTENS: Final = re.compile(r"text-embedding-3-.+|voyage-(?:3-large|3\.5.*|code-3)")
DIMENSIONS_MAX: Final = 4_000  # pgvector's limit for an HNSW index over halfvec


def service_version(name: str) -> str:
    """`name` with its dimensions. Raises BadInput where they are neither named nor known."""
    matched = _VERSION.fullmatch(name)
    if matched is None:
        raise BadInput(f"There is no embedder {name!r}. Write openai:MODEL/DIMENSIONS or voyage:MODEL/DIMENSIONS.")
    known = KNOWN.get(f"{matched['service']}:{matched['model']}")
    dimensions = int(matched["dimensions"] or known or 0)
    if not dimensions:
        raise BadInput(
            f"How many dimensions {matched['model']} makes is not known here. Write it behind the model:"
            f" AUTRI_EMBEDDER={name}/768"
        )
    if dimensions > DIMENSIONS_MAX:
        raise BadInput(f"{name}: at most {DIMENSIONS_MAX} dimensions can be indexed. Name fewer, or another model.")
    return f"{matched['service']}:{matched['model']}/{dimensions}"


def service_endpoint(version: str, settings: LocalSettings) -> Endpoint:
    """Where the environment says that the service is. Raises BadInput where it needs a key and has none."""
    if version.startswith("voyage:"):
        service, base_url, default, key = "Voyage", settings.voyage_base_url, VOYAGE_URL, settings.voyage_api_key
    else:
        service, base_url, default, key = "OpenAI", settings.openai_base_url, OPENAI_URL, settings.openai_api_key
    base_name, key_name = f"{service.upper()}_BASE_URL", f"{service.upper()}_API_KEY"
    if base_url == default and not key:
        raise BadInput(
            f"The embedder {version} needs a key of {service}. Set {key_name}, or {base_name} to a server of your own;"
            " or unset AUTRI_EMBEDDER for the bundled one, which needs no network."
        )
    called = service if base_url == default else "The embeddings endpoint"
    return Endpoint(called, base_url, base_name, key.get_secret_value() if key else None, key_name)


class ServiceEmbedder:
    """A model behind an endpoint. `usd_per_million` tokens is what it costs. Safe to use from several threads."""

    def __init__(self, version: str, endpoint: Endpoint, usd_per_million: float = 0.0, shortens: bool = False) -> None:
        matched = _VERSION.fullmatch(version)
        if matched is None or matched["dimensions"] is None:
            raise BadInput(f"There is no embedder {version!r} here.")
        self.version, self.dimensions = version, int(matched["dimensions"])
        self._endpoint, self._price = endpoint, usd_per_million
        model = matched["model"]
        asks = shortens or SHORTENS.fullmatch(model) is not None
        make = _for_voyage if matched["service"] == "voyage" else _for_openai
        self._bodies = {kind: make(model, kind, self.dimensions if asks else None) for kind in ("document", "query")}

    def embed_passages(self, texts: Sequence[str], spent: Spent = for_nothing) -> Vectors:
        """Raises Unavailable where the endpoint still fails after all tries, BadInput where it always will."""
        if not texts:
            return np.zeros((0, self.dimensions), np.float32)
        with ThreadPoolExecutor(CONCURRENCY) as pool:
            answers = [
                one
                for calls in pool.map(self._embed, text_batches(texts, TEXTS, CHARACTERS, MAX_CHARACTERS))
                for one in calls
            ]
        used = Usage(input_tokens=sum(answer.tokens for answer in answers))
        spent(used, self._price * used.input_tokens / PER_MILLION)
        return np.concatenate([answer.vectors for answer in answers])

    def embed_query(self, text: str) -> Vectors:
        (answer,) = self._embed([text[:MAX_CHARACTERS] or " "], "query")
        return answer.vectors[0]

    def _embed(self, texts: Sequence[str], kind: str = "document") -> list[Answered]:
        """Services bound texts by tokens, and calls by their number: what is refused is tried in halves."""
        try:
            return [self._endpoint.embed(self._bodies[kind], texts, self.dimensions, waiting=kind == "query")]
        except Refused:
            if len(texts) > 1:
                middle = len(texts) // 2
                return [*self._embed(texts[:middle], kind), *self._embed(texts[middle:], kind)]
            if len(texts[0]) <= ALWAYS_SHORT_ENOUGH:
                raise
            return self._embed([texts[0][: len(texts[0]) // 2]], kind)


def _for_openai(model: str, _kind: str, dimensions: int | None) -> dict[str, Any]:
    asked = {} if dimensions is None else {"dimensions": dimensions}
    return {"model": model, "encoding_format": "float", **asked}


def _for_voyage(model: str, kind: str, dimensions: int | None) -> dict[str, Any]:
    asked = {} if dimensions is None else {"output_dimension": dimensions}
    return {"model": model, "input_type": kind, "truncation": True, **asked}
