"""A server that speaks the wire formats of OpenAI's and Voyage's embeddings, with their bounds and refusals."""

import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.message import Message
from typing import Any

from tests.aws.bedrock import embed
from tests.aws.serving import serving_json

KEY = "sk-made-up"
NATIVE = {"text-embedding-3-small": 1536, "nomic-embed-text": 768, "voyage-3.5": 1024}
OPENAI_FIELDS = {"model", "input", "encoding_format", "dimensions", "user"}
VOYAGE_FIELDS = {"model", "input", "input_type", "truncation", "output_dimension", "output_dtype", "encoding_format"}
Answer = tuple[int, dict[str, str], Any]


@dataclass
class EmbeddingServer:
    """`first`: answers that are given before the right ones. `tokens_max`: per text; a token is a word."""

    url: str = ""
    key: str | None = KEY
    first: list[Answer] = field(default_factory=list[Answer])
    tokens_max: int = 8192
    texts_max: int = 2048
    shuffled: bool = False
    asked: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    paths: list[str] = field(default_factory=list[str])
    lock: threading.Lock = field(default_factory=threading.Lock)

    def answer(self, path: str, headers: Message, body: dict[str, Any]) -> Answer:
        with self.lock:
            self.asked.append(body)
            self.paths.append(path)
            if self.first:
                return self.first.pop(0)
        if self.key and headers.get("Authorization") != f"Bearer {self.key}":
            return refusal(401, "Incorrect API key provided.")
        if body.get("model") not in NATIVE:
            return refusal(404, f"The model `{body.get('model')}` does not exist.")
        return self._embedded(body)

    def _embedded(self, body: dict[str, Any]) -> Answer:
        voyage = str(body["model"]).startswith("voyage")
        texts: list[str] = body["input"]
        if unknown := set(body) - (VOYAGE_FIELDS if voyage else OPENAI_FIELDS):
            return refusal(400, f"Unrecognized request argument supplied: {', '.join(sorted(unknown))}")
        if not texts or not all(texts) or len(texts) > self.texts_max:
            return refusal(400, "'$.input' is invalid.")
        if any(len(text.split()) > self.tokens_max for text in texts) and not body.get("truncation"):
            return refusal(400, f"This model's maximum context length is {self.tokens_max} tokens.")
        asked = body.get("output_dimension") or body.get("dimensions")
        if asked and body["model"] == "nomic-embed-text":
            return refusal(400, "This model does not support specifying dimensions.")
        prompt = {"query": "question ", "document": "passage "}.get(body.get("input_type") or "", "")
        rows = [
            {"object": "embedding", "index": i, "embedding": embed(prompt + text, asked or NATIVE[body["model"]])}
            for i, text in enumerate(texts)
        ]
        used = sum(len(text.split()) for text in texts)
        usage = {"total_tokens": used} | ({} if voyage else {"prompt_tokens": used})
        data = rows[::-1] if self.shuffled else rows
        return 200, {}, {"object": "list", "data": data, "model": body["model"], "usage": usage}


def refusal(status: int, message: str, code: str | None = None, **headers: str) -> Answer:
    kind = "invalid_request_error"
    return status, headers, {"error": {"message": message, "type": kind, "param": None, "code": code}}


@contextmanager
def running_embeddings() -> Generator[EmbeddingServer]:
    server = EmbeddingServer()
    with serving_json(server.answer) as url:
        server.url = f"{url}/v1"
        yield server
