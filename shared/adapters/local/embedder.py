"""The embedder of the one-machine runtime: MiniLM weights from a Python package, run by onnxruntime, no network."""

import os
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from tempfile import NamedTemporaryFile

import numpy as np
from tokenizers import Encoding, Tokenizer

from shared.adapters.local.cores import count_cores
from shared.adapters.local.embedder_version import MAX_TOKENS, PACKAGE, model_version
from shared.adapters.local.known_words import share_of_known_words
from shared.adapters.local.onnx_sessions import MOST_THREADS, alone, open_session
from shared.errors import Unavailable
from shared.lifeline import end_with
from shared.ports import Embedder, Spent, Vectors, for_nothing

DIMENSIONS = 384
MAX_CHARACTERS = 16_384  # what can never fit 256 tokens is not tokenised either


def load_embedder(folder: Path, threads: int | None = None) -> Embedder:
    """The embedder, its model file built into `folder` on first use. `threads` per call; default: all, at most 4.

    Raises Unavailable where the package with the weights is not installed.
    """
    return _opened(_model_file(folder).resolve(), threads or min(MOST_THREADS, count_cores()))


class MiniLmEmbedder:
    """all-MiniLM-L6-v2 at int8. Safe to use from several threads."""

    def __init__(self, model: Path, threads: int) -> None:
        self._session = open_session(model, threads)
        self._tokenizer: Tokenizer = Tokenizer.from_file(str(_weights_folder() / "tokenizer.json"))
        self._tokenizer.enable_truncation(MAX_TOKENS)
        self._tokenizer.no_padding()

    @property
    def version(self) -> str:
        return model_version()

    @property
    def dimensions(self) -> int:
        return DIMENSIONS

    def embed_passages(self, texts: Sequence[str], spent: Spent = for_nothing) -> Vectors:
        encodings = self._tokenizer.encode_batch([text[:MAX_CHARACTERS] for text in texts])
        vectors = np.zeros((len(texts), DIMENSIONS), np.float32)
        for at, encoding in enumerate(encodings):
            vectors[at] = self._run(encoding)
        return vectors

    def embed_query(self, text: str) -> Vectors:
        return self.embed_passages([text])[0]

    def known_share(self, text: str) -> float:
        return share_of_known_words(self._tokenizer, text[:MAX_CHARACTERS])

    def _run(self, encoding: Encoding) -> Vectors:
        ids, mask = alone(encoding.ids)
        answers = self._session.run(["embedding"], {"input_ids": ids, "attention_mask": mask})
        return np.asarray(answers[0], np.float32)[0]


@cache
def _opened(model: Path, threads: int) -> Embedder:
    """One per process: it holds its weights."""
    return MiniLmEmbedder(model, threads)


def _weights_folder() -> Path:
    """The package's files. Not imported: it would pull in torch."""
    spec = find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise Unavailable("The bundled embedding model is not installed. Run `make setup`.")
    return Path(spec.origin).parent / "model"


def _model_file(folder: Path) -> Path:
    file = folder / (model_version().replace("/", "-") + ".onnx")
    if not file.exists():
        # In a process of its own, which gives back the 400 MB that building takes.
        command = [sys.executable, "-m", "shared.adapters.local.embedder", str(file), str(os.getpid())]
        subprocess.run(command, check=True)
    return file


def build_model_file(file: Path) -> None:
    """Write the model whole or not at all; of two processes that build at once the later one wins with equal bytes."""
    from shared.adapters.local.minilm_graph import build_graph

    model = build_graph(_weights_folder() / "model.safetensors")
    file.parent.mkdir(parents=True, exist_ok=True)
    with NamedTemporaryFile(dir=file.parent, prefix=file.name, suffix=".part", delete=False) as part:
        part.write(model.SerializeToString())
        part.flush()
        os.fsync(part.fileno())
    Path(part.name).replace(file)


if __name__ == "__main__":
    end_with(int(sys.argv[2]))
    build_model_file(Path(sys.argv[1]))
