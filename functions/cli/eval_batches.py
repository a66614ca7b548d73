"""Splits gold questions into requests, by the limits on number and size."""

from collections.abc import Iterator, Sequence
from typing import Any

from shared.domain.evaluation import BATCH_MAX, GoldInput

# Half of a request's size limit.
REQUEST_BYTES = 500_000


def batches(questions: Sequence[GoldInput]) -> Iterator[list[dict[str, Any]]]:
    """The questions in order; at least one batch."""
    batch: list[dict[str, Any]] = []
    size = 0
    for question in questions:
        length = len(question.model_dump_json(exclude_defaults=True).encode())
        if batch and (len(batch) == BATCH_MAX or size + length > REQUEST_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(question.model_dump(mode="json", exclude_defaults=True))
        size += length
    yield batch
