"""Which stages the state machine runs as one step."""

from collections.abc import Iterator
from itertools import groupby

from shared.contract import Stage


def group_stages(stages: tuple[Stage, ...]) -> Iterator[list[Stage]]:
    """Stages that run as one step: single ones alone, consecutive mapped ones together, a barrier starts anew."""
    group = 0
    numbered: list[tuple[int, Stage]] = []
    for previous, stage in zip((None, *stages), stages, strict=False):
        group += previous is None or not stage.mapped or not previous.mapped or stage.barrier
        numbered.append((group, stage))
    for _, members in groupby(numbered, key=lambda pair: pair[0]):
        yield [stage for _, stage in members]
