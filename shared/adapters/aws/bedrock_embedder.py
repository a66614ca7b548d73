"""Amazon Titan Text Embeddings V2 on Bedrock."""

import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from botocore.exceptions import BotoCoreError, ClientError

from shared.adapters.aws.clients import make_client
from shared.errors import BadInput, Unavailable
from shared.ports import Vectors

# Titan takes one text a call, so a batch is calls at once.
CONCURRENCY = 8
# Throttling is waited out here, with jitter, for up to about a minute; then the stage's own retry waits longer.
ATTEMPTS = 8
# Titan refuses more than 50,000 characters (and 8,192 tokens); a chunk's beginning says what it is about.
MAX_CHARACTERS = 20_000
ALWAYS_SHORT_ENOUGH = 2_000
REFUSED = {"ValidationException"}


class TitanEmbedder:
    """Unit vectors of `dimensions` (256, 512 or 1024) numbers."""

    def __init__(self, model_id: str, dimensions: int) -> None:
        self._model_id = model_id
        self._dimensions = dimensions

    @property
    def version(self) -> str:
        return f"{self._model_id}/{self._dimensions}"

    @property
    def dimensions(self) -> int:
        return self._dimensions

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Raises Unavailable when Bedrock still throttles or fails after all tries."""
        if not texts:
            return np.zeros((0, self._dimensions), np.float32)
        with ThreadPoolExecutor(CONCURRENCY) as pool:
            vectors = np.array(list(pool.map(self._embed, texts)), np.float32)
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        return (vectors / norms).astype(np.float32)

    def embed_query(self, text: str) -> Vectors:
        return self.embed_passages([text])[0]

    def _embed(self, text: str) -> list[float]:
        """Characters bound tokens badly (scripts differ), so a text that the model refuses is tried with its first
        half, down to a length that holds fewer tokens than it may in any script."""
        shortened = text[:MAX_CHARACTERS]
        while True:
            try:
                return self._invoke(shortened)
            except BadInput:
                if len(shortened) <= ALWAYS_SHORT_ENOUGH:
                    raise
                shortened = shortened[: len(shortened) // 2]

    def _invoke(self, text: str) -> list[float]:
        client = make_client("bedrock-runtime", ATTEMPTS, CONCURRENCY)
        body = {"inputText": text, "dimensions": self._dimensions, "normalize": True}
        try:
            answer = client.invoke_model(
                modelId=self._model_id, body=json.dumps(body), contentType="application/json", accept="application/json"
            )
            vector: list[float] = json.loads(answer["body"].read())["embedding"]
        except ClientError as error:
            if error.response.get("Error", {}).get("Code") in REFUSED:
                raise BadInput(f"The embedding model refuses a text: {error}") from error
            raise Unavailable(f"The embedding model does not answer: {error}") from error
        except BotoCoreError as error:
            raise Unavailable(f"The embedding model does not answer: {error}") from error
        if len(vector) != self._dimensions:
            raise Unavailable(f"The embedding model answered {len(vector)} numbers instead of {self._dimensions}.")
        return vector
