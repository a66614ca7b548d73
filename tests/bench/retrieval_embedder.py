"""Cost of the embedder against the bare model through onnxruntime: `python -m tests.bench.retrieval_embedder FOLDER`.

Both run the same int8 file on the same 203-token passages in batches of four, one thread, in turns, batch by batch;
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

PASSAGES, TOKENS, ROUNDS, BATCH = 40, 203, 5, 4
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
    texts: list[str] = [" ".join(rng.choice(WORDS, TOKENS - 2)) for _ in range(PASSAGES)]
    bare = bare_runners(loaded, module._model_file(folder), texts)  # noqa: SLF001
    rounds = [one_round(loaded, texts, bare) for _ in range(ROUNDS)]
    ratio = median(ours / limit for ours, limit in rounds)
    ours, limit = (median(column) / PASSAGES * 1000 for column in zip(*rounds, strict=True))
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"embedder {ours:.1f} CPU ms/passage · bare {limit:.1f} · ratio {ratio:.2f} · peak RSS {memory:.0f} MB")
    found = cosines(loaded, texts)
    print(f"cosine to fp32: mean {np.mean(found):.4f}, least {np.min(found):.4f}")


def one_round(loaded: module.MiniLmEmbedder, texts: list[str], bare: list[Callable[[], object]]) -> tuple[float, float]:
    """CPU seconds of both for all passages, batch by batch in turns, so that the machine's other work meets both."""
    ours = limit = 0.0
    for number, run in enumerate(bare):
        some = texts[number * BATCH : (number + 1) * BATCH]
        ours += cpu_seconds(lambda some=some: loaded.embed_passages(some))
        limit += cpu_seconds(run)
    return ours, limit


def bare_runners(loaded: module.MiniLmEmbedder, model: Path, texts: list[str]) -> list[Callable[[], object]]:
    """One call per batch of four, on token ids made beforehand."""
    encoded = loaded._tokenizer.encode_batch(texts)  # noqa: SLF001
    ids = np.array([e.ids for e in encoded], np.int64)
    assert ids.shape[1] == TOKENS, ids.shape
    options = module._session_options(1)  # noqa: SLF001
    session = onnxruntime.InferenceSession(str(model), options, ["CPUExecutionProvider"])
    mask = np.ones((BATCH, TOKENS), np.int64)
    feeds = [{"input_ids": ids[i : i + BATCH], "attention_mask": mask} for i in range(0, PASSAGES, BATCH)]
    return [lambda feed=feed: session.run(None, feed) for feed in feeds]


def cpu_seconds(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


def cosines(loaded: module.MiniLmEmbedder, texts: list[str]) -> np.ndarray:
    with tempfile.TemporaryDirectory() as folder:
        exact = Path(folder) / "exact.onnx"
        weights = module._weights_folder() / "model.safetensors"  # noqa: SLF001
        onnx.save(build_graph(weights, quantise=False), str(exact))
        reference = module.MiniLmEmbedder(exact, 1).embed_passages(texts)
    return (reference * loaded.embed_passages(texts)).sum(axis=1)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
