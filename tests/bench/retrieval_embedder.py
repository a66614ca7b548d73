"""Cost of the embedder against the bare model through onnxruntime: `python -m tests.bench.retrieval_embedder FOLDER`.

Both run the same int8 file on the same 203-token passages in batches of four, one thread, in turns; CPU ms per passage,
the median of five rounds. "Bare" is onnxruntime called on token ids made beforehand. Quality is the cosine to the
fp32 graph on the same passages.
"""

import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import numpy as np
import onnx
import onnxruntime

from shared.adapters.local import embedder as module
from shared.adapters.local.minilm_graph import build_graph

PASSAGES, TOKENS, ROUNDS = 40, 203, 5
WORDS = [
    "the",
    "plan",
    "covers",
    "rear",
    "wing",
    "width",
    "brake",
    "hose",
    "price",
    "litre",
    "of",
    "each",
    "valve",
    "and",
    "every",
    "car",
    "must",
    "pass",
    "inspection",
]


def main(folder: Path) -> None:
    loaded = module.load_embedder(folder, threads=1)
    assert isinstance(loaded, module.MiniLmEmbedder)
    rng = np.random.default_rng(0)
    texts = [" ".join(rng.choice(WORDS, TOKENS - 2)) for _ in range(PASSAGES)]
    bare = bare_runner(loaded, module._model_file(folder), texts)  # pyright: ignore[reportPrivateUsage]
    times = [(cpu_ms(lambda: loaded.embed_passages(texts)), cpu_ms(bare)) for _ in range(ROUNDS)]
    ours, limit = (median(column) for column in zip(*times, strict=True))
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"embedder {ours:.1f} CPU ms/passage · bare {limit:.1f} · ratio {ours / limit:.2f} · peak RSS {memory:.0f} MB"
    )
    print(f"cosine to fp32: mean {np.mean(cosines(loaded, texts)):.4f}, least {np.min(cosines(loaded, texts)):.4f}")


def bare_runner(loaded: module.MiniLmEmbedder, model: Path, texts: list[str]) -> Callable[[], object]:
    encoded = loaded._tokenizer.encode_batch(texts)  # pyright: ignore[reportPrivateUsage]
    ids = np.array([e.ids for e in encoded], np.int64)
    assert ids.shape[1] == TOKENS, ids.shape
    options = module._session_options(1)  # pyright: ignore[reportPrivateUsage]
    session = onnxruntime.InferenceSession(str(model), options, ["CPUExecutionProvider"])
    batches = [
        {"input_ids": ids[i : i + 4], "attention_mask": np.ones((4, TOKENS), np.int64)} for i in range(0, PASSAGES, 4)
    ]
    return lambda: [session.run(None, batch) for batch in batches]


def cpu_ms(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return (time.process_time() - started) / PASSAGES * 1000


def cosines(loaded: module.MiniLmEmbedder, texts: list[str]) -> np.ndarray:
    with tempfile.TemporaryDirectory() as folder:
        exact = Path(folder) / "exact.onnx"
        weights = module._weights_folder() / "model.safetensors"  # pyright: ignore[reportPrivateUsage]
        onnx.save(build_graph(weights, quantise=False), str(exact))
        reference = module.MiniLmEmbedder(exact, 1).embed_passages(texts)
    return (reference * loaded.embed_passages(texts)).sum(axis=1)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
