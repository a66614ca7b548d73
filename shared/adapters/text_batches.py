"""Texts in batches for embedding services, which bound a call by its texts and its size."""

from collections.abc import Iterator, Sequence


def text_batches(texts: Sequence[str], most: int, characters: int, longest: int) -> Iterator[list[str]]:
    """Texts in their order, each cut to `longest` characters, as many per call as both bounds allow. An empty text is
    refused, so it becomes a blank."""
    batch: list[str] = []
    for text in (text[:longest] or " " for text in texts):
        if batch and (len(batch) == most or sum(map(len, batch)) + len(text) > characters):
            yield batch
            batch = []
        batch.append(text)
    if batch:
        yield batch
