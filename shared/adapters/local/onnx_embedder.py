"""Embedders from a sentence-transformers ONNX folder, run by onnxruntime, no network."""

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from tokenizers import Encoding, Tokenizer

from shared.adapters.local.cores import count_cores
from shared.adapters.local.known_words import share_of_known_words
from shared.adapters.local.onnx_folder import OnnxFolder
from shared.adapters.local.onnx_sessions import MOST_THREADS, Integers, alone, open_session
from shared.errors import BadInput
from shared.ports import Embedder, Spent, Vectors, for_nothing

# No script has more characters to a token than this: what can never fit is not tokenised either.
CHARACTERS_PER_TOKEN: Final = 64
# Outputs by their usual names: of tokens, to be pooled here, and of whole texts, where the graph pools by itself.
TOKEN_OUTPUTS: Final = ("last_hidden_state", "token_embeddings")
# What BERT was trained with to tell the next sentence: no embedding.
OTHER_POOLING: Final = "pooler_output"
FLOATS: Final = ("tensor(float)", "tensor(float16)")
INTEGERS: Final = {"tensor(int64)": np.int64, "tensor(int32)": np.int32}
RANK_OF_TOKENS: Final = 3

Floats = npt.NDArray[np.float32]


def load_onnx(folder: OnnxFolder, threads: int | None = None) -> Embedder:
    """The folder's embedder. `threads` per call; default: all, at most 4. Raises BadInput where it cannot be used."""
    return OnnxEmbedder(folder, threads or min(MOST_THREADS, count_cores()))


class OnnxEmbedder:
    """A folder's model. Safe to use from several threads."""

    def __init__(self, folder: OnnxFolder, threads: int) -> None:
        """Raises BadInput where model or tokenizer cannot be read, or want more than the tokens of a text."""
        self._recipe = folder.recipe
        self._session: Any = _loaded(folder, lambda: open_session(folder.model, threads))
        self._tokenizer: Tokenizer = _loaded(folder, lambda: Tokenizer.from_file(str(folder.tokenizer)))
        self._tokenizer.enable_truncation(folder.recipe.max_tokens)
        self._tokenizer.no_padding()
        self._inputs = _inputs(folder, self._session)
        self._output, self._is_pooled = _output(folder, self._session)
        self.version = folder.version
        self.dimensions = folder.recipe.dimensions

    def embed_passages(self, texts: Sequence[str], spent: Spent = for_nothing) -> Vectors:
        """Raises BadInput where the model makes vectors of another dimension than its folder says."""
        return self._embed(texts, self._recipe.passage_prompt)

    def embed_query(self, text: str) -> Vectors:
        return self._embed([text], self._recipe.query_prompt)[0]

    def known_share(self, text: str) -> float:
        cut = text[: self._recipe.max_tokens * CHARACTERS_PER_TOKEN]
        return share_of_known_words(self._tokenizer, cut.lower() if self._recipe.lower_case else cut)

    def _embed(self, texts: Sequence[str], prompt: str) -> Vectors:
        most = self._recipe.max_tokens * CHARACTERS_PER_TOKEN
        cut = [(prompt + text)[:most] for text in texts]
        encodings = self._tokenizer.encode_batch([text.lower() for text in cut] if self._recipe.lower_case else cut)
        vectors = np.zeros((len(texts), self.dimensions), np.float32)
        for at, encoding in enumerate(encodings):
            vectors[at] = self._run(encoding)
        return vectors

    def _run(self, encoding: Encoding) -> Vectors:
        ids, mask = alone(encoding.ids)
        given = {
            "input_ids": ids,
            "attention_mask": mask,
            "token_type_ids": np.zeros_like(ids),
            "position_ids": np.broadcast_to(np.arange(ids.shape[1]), ids.shape),
        }
        (made,) = self._session.run([self._output], {name: given[name].astype(t) for name, t in self._inputs.items()})
        found: Floats = np.asarray(made, np.float32)
        pooled = found if self._is_pooled else pool(found, mask, self._recipe.pooling)
        if pooled.shape != (1, self.dimensions):
            raise BadInput(
                f"The model of {self.version} makes {pooled.shape[-1]} dimensions, and its folder says"
                f" {self.dimensions}: its files do not belong together. Copy the folder again."
            )
        return unit_rows(pooled)[0]


def pool(tokens: Floats, mask: Integers, kind: str) -> Floats:
    """One vector per text of its tokens' [texts, tokens, dimensions]; `mask` is 1 for tokens of the text."""
    weights = mask[:, :, None].astype(np.float32)
    if kind == "cls":
        return tokens[:, 0]
    if kind == "lasttoken":
        return tokens[np.arange(len(tokens)), np.maximum(mask.sum(axis=1) - 1, 0)]
    if kind == "max":
        return np.where(weights > 0, tokens, -np.inf).max(axis=1)
    return (tokens * weights).sum(axis=1) / np.maximum(weights.sum(axis=1), 1)


def unit_rows(vectors: Floats) -> Vectors:
    norms = np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), np.finfo(np.float32).tiny)
    return (vectors / norms).astype(np.float32)


def _loaded(folder: OnnxFolder, load: Callable[[], Any]) -> Any:
    """Both libraries raise bare exceptions for files that they cannot read."""
    try:
        return load()
    except Exception as error:
        raise BadInput(
            f"The embedder {folder.name} cannot be loaded: {error}. Copy or export its folder again."
        ) from error


def _inputs(folder: OnnxFolder, session: Any) -> dict[str, Any]:
    """Types by name. A model that wants anything else was exported for another task."""
    found = {one.name: INTEGERS.get(one.type) for one in session.get_inputs()}
    known = ("input_ids", "attention_mask", "token_type_ids", "position_ids")
    if unknown := [name for name, kind in found.items() if name not in known or kind is None]:
        raise BadInput(
            f"The model {folder.model} wants {', '.join(unknown[:3])}, which a text does not have."
            " Export it for the task feature-extraction."
        )
    return found


def _output(folder: OnnxFolder, session: Any) -> tuple[str, bool]:
    """The output that is read, and whether it is pooled already: vectors of tokens go before those of texts."""
    floats = [one for one in session.get_outputs() if one.type in FLOATS and one.name != OTHER_POOLING]
    tokens = [one for one in floats if len(one.shape) == RANK_OF_TOKENS]
    named = [one for one in tokens if one.name in TOKEN_OUTPUTS]
    if chosen := named or tokens or [one for one in floats if len(one.shape) == RANK_OF_TOKENS - 1]:
        return chosen[0].name, not tokens
    raise BadInput(f"The model {folder.model} has no output of vectors. Export it for the task feature-extraction.")
