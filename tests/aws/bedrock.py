"""A server that speaks Bedrock's wire format for embedders, rerankers and Converse, throttling included."""

import hashlib
import re
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.message import Message
from typing import Any
from urllib.parse import unquote

import numpy as np

from tests.aws.converse import FakeConverse
from tests.aws.event_stream import TYPE as EVENTS
from tests.aws.serving import Body, serving_json

# Shorter ones are in every text.
WORDS = re.compile(r"\w{4,}")
TITAN = "amazon.titan-embed-text-v2:0"
COHERE = "cohere.embed-v4:0"
COHERE_RERANK, AMAZON_RERANK = "cohere.rerank-v3-5:0", "amazon.rerank-v1:0"
ALLOWED_DIMENSIONS = {256, 512, 1024}
COHERE_DIMENSIONS = {256, 512, 1024, 1536}
INPUT_TYPES = {"search_document", "search_query", "classification", "clustering"}
TOKENS_HEADER = "X-Amzn-Bedrock-Input-Token-Count"
Answer = tuple[int, str, Body]


@dataclass
class FakeBedrock:
    """Where it listens, and what it was asked. `throttle_every`: each n-th call is refused once; 0 for none.
    `busy_for`: for how many seconds from the next call on every call is throttled. `meanwhile`: what happens once,
    while the next model is thinking."""

    url: str = ""
    throttle_every: int = 0
    busy_for: float = 0
    busy_until: float = 0
    refuse_everything: bool = False
    meanwhile: Callable[[], object] | None = None
    forbidden: set[str] = field(default_factory=set[str])
    calls: int = 0
    throttled: int = 0
    bodies: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    converse: FakeConverse = field(default_factory=FakeConverse)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def answer(self, path: str, body: dict[str, Any]) -> Answer:
        """Status, AWS error type ('' for none), JSON body."""
        with self.lock:
            happens, self.meanwhile = self.meanwhile, None
        if happens:
            happens()
        if path.endswith("/converse"):
            return self.converse.answer(body)
        if path.endswith("/converse-stream"):
            return self.converse.stream(body)
        with self.lock:
            self.calls += 1
            throttled = self.throttle_every and self.calls % self.throttle_every == 0
            if self.busy_for:
                self.busy_until, self.busy_for = time.monotonic() + self.busy_for, 0
            if throttled or time.monotonic() < self.busy_until:
                self.throttled += 1
                return 429, "ThrottlingException", {"message": "Too many requests, please wait."}
            self.bodies.append(body)
        models = {TITAN: titan, COHERE: cohere, COHERE_RERANK: rerank, AMAZON_RERANK: rerank}
        model = unquote(path).removeprefix("/model/").removesuffix("/invoke")
        if model in self.forbidden:
            return 403, "AccessDeniedException", {"message": "You don't have access to the model."}
        if model not in models:
            return 404, "ResourceNotFoundException", {"message": f"No such model: {unquote(path)}"}
        if self.refuse_everything:
            return 400, "ValidationException", {"message": "The request is not valid."}
        return models[model](model, body)


def refusal(message: str) -> Answer:
    return 400, "ValidationException", {"message": message}


def titan(_model: str, body: dict[str, Any]) -> Answer:
    if not body.get("inputText") or body.get("dimensions") not in ALLOWED_DIMENSIONS:
        return refusal("inputText or dimensions is not valid.")
    text = str(body["inputText"])
    return 200, "", {"embedding": embed(text, int(body["dimensions"])), "inputTextTokenCount": len(text.split())}


def cohere(_model: str, body: dict[str, Any]) -> Answer:
    texts: list[str] = body.get("texts", [])
    if not 1 <= len(texts) <= 96 or not all(texts):
        return refusal("texts: expected 1 to 96 texts that are not empty.")
    if body.get("input_type") not in INPUT_TYPES or body.get("output_dimension") not in COHERE_DIMENSIONS:
        return refusal("input_type or output_dimension is not valid.")
    if body.get("embedding_types") != ["float"] or body.get("truncate") not in {"NONE", "LEFT", "RIGHT"}:
        return refusal("embedding_types or truncate is not valid.")
    vectors = [embed(text, int(body["output_dimension"])) for text in texts]
    return 200, "", {"id": "1", "response_type": "embeddings_by_type", "embeddings": {"float": vectors}, "texts": texts}


def rerank(model: str, body: dict[str, Any]) -> Answer:
    """Relevance is the share of the query's words in the text; the best first, as the service answers."""
    texts: list[str] = body.get("documents", [])
    known = {"query", "documents", "top_n"} | ({"api_version"} if model.startswith("cohere.") else set())
    if not body.get("query") or not texts or set(body) - known:
        return refusal(f"Malformed input request: {sorted(set(body) - known) or 'query and documents are required'}.")
    if model.startswith("cohere.") and body.get("api_version", 0) < 2:
        return refusal("api_version: expected 2 or more.")
    words = set(body["query"].lower().split())
    scores = [len(words & set(text.lower().split())) / len(words) for text in texts]
    best = sorted(range(len(texts)), key=lambda place: -scores[place])[: body.get("top_n", len(texts))]
    return 200, "", {"results": [{"index": place, "relevance_score": scores[place]} for place in best]}


def count_tokens(body: dict[str, Any]) -> int:
    """A token for every word of what is embedded."""
    return sum(len(str(text).split()) for text in [body.get("inputText", ""), *body.get("texts", [])])


def embed(text: str, dimensions: int) -> list[float]:
    """Texts that share words have near vectors: each word of four letters or more adds a direction of its own. Not of
    length 1."""
    total = np.full(dimensions, 1e-3)
    for word in WORDS.findall(text.lower()):
        seed = int.from_bytes(hashlib.sha256(word.encode()).digest()[:8], "big")
        total += np.random.default_rng(seed).standard_normal(dimensions)
    return [float(value) for value in total]


@contextmanager
def running_bedrock(throttle_every: int = 0) -> Generator[FakeBedrock]:
    """The server on a free loopback port, until the context ends."""
    bedrock = FakeBedrock(throttle_every=throttle_every)

    def answer(path: str, _headers: Message, body: dict[str, Any]) -> tuple[int, dict[str, str], Body]:
        status, error, answered = bedrock.answer(path, body)
        kind = "application/json" if isinstance(answered, dict) else EVENTS
        headers = {"Content-Type": kind, TOKENS_HEADER: str(count_tokens(body))}
        return status, headers | ({"x-amzn-ErrorType": error} if error else {}), answered

    with serving_json(answer) as bedrock.url:
        yield bedrock
