"""Vertical script that the file sets character by character: joins stacks of single wide characters into lines."""

import re
from collections.abc import Sequence
from dataclasses import replace

from shared.readers.pdf.lines import PdfLine

WIDE = re.compile("[\u2e80-\u30ff\u3400-\u9fff\uf900-\ufaff\ufe10-\ufe4f\uff01-\uff60]")
# Greatest distance and horizontal offset between characters of a stack, as shares of the type size.
MAX_GAP_EM = 0.4
SAME_MIDDLE_EM = 0.25
MIN_STACK = 3


def with_stacks(lines: list[PdfLine]) -> list[PdfLine]:
    """`lines` (in the file's order), the stacks among them joined; all others unchanged."""
    if sum(_is_single(line) for line in lines) < MIN_STACK:
        return lines
    stacks: list[list[PdfLine]] = []
    for line in lines:
        if stacks and _goes_on(stacks[-1], line):
            stacks[-1].append(line)
        else:
            stacks.append([line])
    if not any(_is_stack(stack) for stack in stacks):
        return lines
    return [_joined(stack) for stack in stacks]


def _is_single(line: PdfLine) -> bool:
    return len(line.text) == 1 and WIDE.match(line.text) is not None


def _is_stack(stack: Sequence[PdfLine]) -> bool:
    return sum(_is_single(line) for line in stack) >= MIN_STACK


def _goes_on(stack: Sequence[PdfLine], line: PdfLine) -> bool:
    """Below the last one; Latin words in a stack are set downwards."""
    last = stack[-1]
    if not all(_is_single(one) or one.dir_y > 0.99 for one in (last, line)):
        return False
    off = abs((line.x0 + line.x1) - (last.x0 + last.x1)) / 2
    gap = line.y0 - last.y1
    return off <= SAME_MIDDLE_EM * line.size and -MAX_GAP_EM * line.size <= gap <= MAX_GAP_EM * line.size


def _joined(stack: Sequence[PdfLine]) -> PdfLine:
    if not any(_is_single(line) for line in stack):
        return stack[0]
    return replace(
        stack[0], text="".join([line.text for line in stack]), vertical=True, boxes=(),
        x0=min([line.x0 for line in stack]), y0=min([line.y0 for line in stack]),
        x1=max([line.x1 for line in stack]), y1=max([line.y1 for line in stack]),
    )  # fmt: skip
