"""Reading lines of text: from the recogniser's answers to words with places along the line."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from PIL import Image

Floats = npt.NDArray[np.float32]
Pixels = npt.NDArray[np.uint8]
HEIGHT = 48  # the recogniser's input
STEP = 8  # one answer for each 8 columns of its input
MAX_WIDTH = 3200
# Columns of one batch together: more falls out of the cache (9,600 take half as long again and 400 MB more).
BATCH_COLUMNS = 2400
DOT_GAP = 0.1  # of the line image's height
INK = 0.35  # of the way from the paper's shade to the darkest (or brightest) one


class TextSpan(NamedTuple):
    """A word of a line: its text, confidence, and place in pixels of the line's image."""

    text: str
    confidence: float
    x0: float
    y0: float
    x1: float
    y1: float


def read_lines(
    session: Any, characters: Sequence[str], lines: Sequence[Pixels]
) -> Iterator[tuple[int, list[TextSpan]]]:
    """(index of the line, its words) for grey images of single lines, in no order."""
    widths = [min(MAX_WIDTH, max(STEP, round(HEIGHT * line.shape[1] / line.shape[0]))) for line in lines]
    for batch in _batches(widths):
        wide = -(-max(widths[i] for i in batch) // STEP) * STEP
        inputs = np.zeros((len(batch), 3, HEIGHT, wide), np.float32)
        for row, i in enumerate(batch):
            inputs[row, :, :, : widths[i]] = _scaled(lines[i], widths[i])
        answers: Floats = session.run(None, {session.get_inputs()[0].name: inputs})[0]
        best, certain = answers.argmax(axis=2), answers.max(axis=2)
        for row, i in enumerate(batch):
            yield i, _spans(best[row].tolist(), certain[row].tolist(), characters, lines[i], widths[i])


def _batches(widths: Sequence[int]) -> Iterator[list[int]]:
    """Lines of like width together, so that little is padded."""
    batch: list[int] = []
    for i in sorted(range(len(widths)), key=lambda i: -widths[i]):
        if batch and (len(batch) + 1) * widths[batch[0]] > BATCH_COLUMNS:
            yield batch
            batch = []
        batch.append(i)
    if batch:
        yield batch


def _scaled(line: Pixels, width: int) -> Floats:
    resized = Image.fromarray(line).resize((width, HEIGHT), Image.Resampling.BILINEAR)
    return np.asarray(resized, np.float32) / 127.5 - 1


def _spans(
    best: list[int], certain: list[float], characters: Sequence[str], line: Pixels, width: int
) -> list[TextSpan]:
    """Words from the best character of each step: repeats count once, 0 is no character, a blank ends a word."""
    read = [
        (characters[index - 1], max(certain[step] for step in steps), (steps[0] + steps[-1] + 1) / 2)
        for index, group in groupby(range(len(best)), key=lambda step: best[step])
        if index and (steps := list(group))
    ]
    scale = line.shape[1] / width * STEP
    dark = _ink(line)
    spans: list[TextSpan] = []
    edge = 0.0
    for blank, group in groupby(read, key=lambda one: one[0].isspace()):
        word = list(group)
        if blank:
            edge = word[-1][2] * scale
            continue
        after = next((at for text, _, at in read if text.isspace() and at > word[-1][2]), None)
        end = float(line.shape[1]) if after is None else after * scale
        box = _trim(dark, max(edge, (word[0][2] - 3) * scale), min(end, (word[-1][2] + 3) * scale))
        text = "".join(one for one, _, _ in word)
        spans.append(TextSpan(text, float(np.mean([c for _, c, _ in word])), *box))
    return spans


def _ink(line: Pixels) -> npt.NDArray[np.bool_]:
    """Where there is ink: what differs from the paper."""
    shade = np.abs(line.astype(np.int16) - int(np.median(line)))
    return shade > max(24, INK * int(np.percentile(shade, 99.5)))


def _trim(dark: npt.NDArray[np.bool_], x0: float, x1: float) -> tuple[float, float, float, float]:
    """The ink between two columns: left, top, right, bottom. What other lines reach into the image is left out."""
    left, right = max(0, int(x0)), max(1, min(dark.shape[1], int(np.ceil(x1))))
    part = dark[:, left:right]
    rows = _band(np.flatnonzero(part.any(axis=1)).tolist(), len(part))
    columns = np.flatnonzero(part[rows[0] : rows[1]].any(axis=0)).tolist() or [0, right - left - 1]
    return float(left + columns[0]), float(rows[0]), float(left + columns[-1] + 1), float(rows[1])


def _band(rows: Sequence[int], height: int) -> tuple[int, int]:
    """The rows of ink that belong together, from all that have some: apart by less than the dot of an i, with most
    rows of all such bands."""
    if not rows:
        return 0, height
    bands = [[rows[0], rows[0]]]
    for row in rows[1:]:
        if row - bands[-1][1] <= max(1, DOT_GAP * height):
            bands[-1][1] = row
        else:
            bands.append([row, row])
    top, bottom = max(bands, key=lambda band: band[1] - band[0])
    return top, bottom + 1
