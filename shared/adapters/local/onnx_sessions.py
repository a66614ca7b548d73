"""What models that onnxruntime runs have in common: a session's options, and the inputs of a text."""

from collections.abc import Sequence
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


def alone(text: Sequence[int]) -> tuple[Integers, Integers]:
    """(token ids, mask), each [1, tokens], of a text's ids. Of several texts in one run a model of integers rounds each
    by what stands in the others: a vector would depend on its company."""
    ids: Integers = np.zeros((1, max(len(text), 1)), np.int64)
    ids[0, : len(text)] = text
    mask: Integers = np.zeros_like(ids)
    mask[0, : len(text)] = 1
    return ids, mask
