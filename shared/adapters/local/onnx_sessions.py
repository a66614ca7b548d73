"""What models that onnxruntime runs have in common: a session's options, batches of like length, padded inputs."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnxruntime

# More do not make a call for a few texts faster.
MOST_THREADS = 4

Integers = npt.NDArray[np.int64]


def open_session(model: Path, threads: int) -> Any:
    """A session on the CPU that gives memory back and does not spin while it waits."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.enable_cpu_mem_arena = False  # the arena keeps the largest batch's memory for good
    options.enable_mem_pattern = False
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(str(model), options, ["CPUExecutionProvider"])


def like_lengths(lengths: Sequence[int], tokens_per_batch: int) -> Iterator[list[int]]:
    """Indices of texts of like length, longest first, so that little is padded and memory peaks at once."""
    batch: list[int] = []
    for i in sorted(range(len(lengths)), key=lambda i: -lengths[i]):
        if batch and (len(batch) + 1) * lengths[batch[0]] > tokens_per_batch:
            yield batch
            batch = []
        batch.append(i)
    if batch:
        yield batch


def pad(texts: Sequence[Sequence[int]]) -> tuple[Integers, Integers]:
    """(token ids, mask), each [texts, tokens of the longest], of each text's ids: padded at the end with 0."""
    shape = (len(texts), max(map(len, texts)))
    ids: Integers = np.zeros(shape, np.int64)
    mask: Integers = np.zeros(shape, np.int64)
    for row, text in enumerate(texts):
        ids[row, : len(text)] = text
        mask[row, : len(text)] = 1
    return ids, mask
