"""The bundled embedder, asked once for each text: modules ingest the same documents and ask the same questions anew.

A text's vector depends on nothing else (`tests/adapters/test_embedder.py`, where nothing is kept).
"""

from collections.abc import Generator, Sequence
from contextlib import contextmanager

import numpy as np
import pytest

from shared.adapters.local.embedder import DIMENSIONS, MiniLmEmbedder
from shared.ports import Spent, Vectors, for_nothing

_KNOWN: dict[str, Vectors] = {}
_EMBED = MiniLmEmbedder.embed_passages


@contextmanager
def kept_embeddings() -> Generator[None]:
    """What this process has embedded before is not embedded again; each caller gets vectors of its own."""

    def embed(embedder: MiniLmEmbedder, texts: Sequence[str], spent: Spent = for_nothing) -> Vectors:
        new = [text for text in dict.fromkeys(texts) if text not in _KNOWN]
        if new:
            _KNOWN.update(zip(new, _EMBED(embedder, new, spent), strict=True))
        return np.array([_KNOWN[text] for text in texts], np.float32).reshape(-1, DIMENSIONS)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(MiniLmEmbedder, "embed_passages", embed)
        yield
