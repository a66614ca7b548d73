"""Calls an embeddings endpoint: JSON over HTTP, tried again with jitter, with the service's errors mapped to ours."""

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import httpx
import numpy as np

from shared.errors import BadInput, Unavailable
from shared.ports import Vectors

# Waits double from the first up to the longest, each a random part of it ("full jitter"), so that many do not come back
# at once. Six tries wait for half a minute at most; the stage's own retries wait longer.
ATTEMPTS: Final = 6
# Requests with a waiting client give up earlier.
QUERY_ATTEMPTS: Final = 3
FIRST_WAIT_S: Final = 1.0
LONGEST_WAIT_S: Final = 20.0
# What a service may ask to wait for (Retry-After) before it counts as unavailable.
ASKED_WAIT_MAX_S: Final = 60.0
TIMEOUT: Final = httpx.Timeout(60.0, connect=5.0)
QUERY_TIMEOUT: Final = httpx.Timeout(15.0, connect=5.0)
RETRIED: Final = frozenset({408, 409, 425, 429, 500, 502, 503, 504})
REFUSED: Final = frozenset({400, 413, 422})
NOT_ALLOWED: Final = frozenset({401, 403})
# OpenAI answers 429 where no credit is left, too: trying again cannot help.
NO_CREDIT: Final = "insufficient_quota"
PRINTED_CHARACTERS: Final = 300


class Refused(BadInput):
    """The service refuses these texts; fewer or shorter ones may be accepted."""


@dataclass(frozen=True)
class Answered:
    """The vectors in the order of the texts, each of length 1, and how many tokens the service counted."""

    vectors: Vectors
    tokens: int


@dataclass(frozen=True)
class Endpoint:
    """Where embeddings are asked for. `service` and `key_name` are its names in messages: OpenAI, OPENAI_API_KEY."""

    service: str
    base_url: str
    base_name: str
    key: str | None
    key_name: str
    sleep: Callable[[float], None] = time.sleep

    def embed(self, body: dict[str, Any], texts: Sequence[str], dimensions: int, *, waiting: bool = False) -> Answered:
        """One call for all `texts`; `waiting` when somebody waits for it. Raises BadInput and Unavailable, each saying
        what to do."""
        attempts = QUERY_ATTEMPTS if waiting else ATTEMPTS
        for attempt in range(1, attempts + 1):
            response = self._post({**body, "input": list(texts)}, waiting)
            if isinstance(response, httpx.Response) and response.status_code not in RETRIED:
                break
            if attempt == attempts or _is_without_credit(response):
                raise self._unavailable(response)
            self.sleep(self._wait(response, attempt))
        else:
            raise AssertionError("every try ends the loop or raises")
        self._check(response, str(body.get("model")))
        return self._read(response, len(texts), dimensions)

    def _post(self, body: dict[str, Any], waiting: bool) -> httpx.Response | httpx.TransportError:
        headers = {"Authorization": f"Bearer {self.key}"} if self.key else {}
        try:
            return httpx.post(
                f"{self.base_url.rstrip('/')}/embeddings",
                json=body,
                headers=headers,
                timeout=QUERY_TIMEOUT if waiting else TIMEOUT,
            )
        except httpx.TransportError as error:
            return error
        except (httpx.InvalidURL, ValueError) as error:
            raise BadInput(f"{self.base_name}={self.base_url} is no address ({error}).") from error

    def _wait(self, response: httpx.Response | httpx.TransportError, attempt: int) -> float:
        """Seconds until the next try: what the service asks for, else a random part of the doubled wait."""
        asked = response.headers.get("Retry-After", "") if isinstance(response, httpx.Response) else ""
        if asked.isdigit():
            if int(asked) > ASKED_WAIT_MAX_S:
                raise self._unavailable(response)
            return float(asked)
        return random.uniform(0, min(LONGEST_WAIT_S, FIRST_WAIT_S * 2 ** (attempt - 1)))  # noqa: S311  # no secret

    def _unavailable(self, response: httpx.Response | httpx.TransportError) -> Exception:
        said = _said(response)
        if _is_without_credit(response):
            return BadInput(f"{self.service} says that no credit is left ({said}). Add some, then go on.")
        return Unavailable(
            f"{self.service} does not answer at {self.base_url}: {said}. Nothing is lost; see that it runs and that"
            f" {self.base_name} names it, then try again."
        )

    def _check(self, response: httpx.Response, model: str) -> None:
        status = response.status_code
        if status in NOT_ALLOWED:
            raise BadInput(
                f"{self.service} does not accept {self.key_name} ({_said(response)}). Set one that may embed."
            )
        if status in REFUSED:
            raise Refused(f"{self.service} refuses a text, or the model {model}: {_said(response)}.")
        if status == httpx.codes.NOT_FOUND:
            raise BadInput(
                f"{self.base_url}/embeddings knows no model {model} ({_said(response)}). Check AUTRI_EMBEDDER and"
                f" {self.base_name}, which usually ends in /v1."
            )
        if status != httpx.codes.OK:
            raise BadInput(f"{self.base_url} is no embeddings endpoint ({_said(response)}). Check {self.base_name}.")

    def _read(self, response: httpx.Response, texts: int, dimensions: int) -> Answered:
        try:
            answer: Any = response.json()
            rows = sorted(answer["data"], key=lambda row: row["index"])
            places = [row["index"] for row in rows]
            made = [np.asarray(row["embedding"], np.float32) for row in rows]
            tokens = int((answer.get("usage") or {}).get("total_tokens") or 0)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise Unavailable(
                f"{self.base_url} answers something else than embeddings ({error!r}). Check {self.base_name}."
            ) from error
        if places != list(range(texts)):
            raise Unavailable(f"{self.service} answered {len(rows)} vectors for {texts} texts. Try again.")
        lengths = {vector.shape for vector in made}
        if lengths != {(dimensions,)}:
            found = ", ".join(str(shape[0] if shape else 0) for shape in sorted(lengths))
            raise BadInput(
                f"{self.service}'s model makes {found} dimensions instead of {dimensions}. Nothing was stored. Write"
                f" the number that it makes at the end of AUTRI_EMBEDDER: …/{found}"
            )
        return Answered(_unit(np.stack(made), self.service), tokens)


def _unit(vectors: Vectors, service: str) -> Vectors:
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    if not np.isfinite(norms).all() or not norms.all():
        raise Unavailable(f"{service} answered a vector without a direction (zeros, or no numbers). Try again.")
    return (vectors / norms).astype(np.float32)


def _is_without_credit(response: httpx.Response | httpx.TransportError) -> bool:
    return isinstance(response, httpx.Response) and NO_CREDIT in response.text


def _said(response: httpx.Response | httpx.TransportError) -> str:
    """`429, Rate limit reached`; the message alone where services wrap it as OpenAI does."""
    if isinstance(response, httpx.TransportError):
        return str(response) or type(response).__name__
    text = response.text
    try:
        body: Any = response.json()
        error = body.get("error", body.get("detail", text))
        text = str(error.get("message", error) if isinstance(error, dict) else error)
    except (ValueError, AttributeError):
        pass
    return f"{response.status_code}, {' '.join(text.split())[:PRINTED_CHARACTERS].rstrip('.')}"
