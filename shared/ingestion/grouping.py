"""Groups a page by the model: one call, a second one with the errors, then the layout engine's operations with a
flag."""

import io
from collections.abc import Callable
from typing import Final

from PIL import Image

from shared.domain.characters import storable
from shared.domain.model_calls import Correction, Grouping, GroupingContext
from shared.domain.operations import PageOperations, Skip
from shared.domain.page import PageFile
from shared.extraction.confidence import page_confidence
from shared.extraction.grouping import read_grouping
from shared.extraction.page_view import PageView
from shared.extraction.references import claimed_references
from shared.ports import Grouper

CALLS: Final = 2
FALLBACK: Final = "engine_fallback"
MODEL_SKIPPED: Final = "model_skipped"
# Set by hand: running lines that only one of the two engines recognises are a smaller share, even on a short page.
MAX_HIDDEN: Final = 0.2
MAX_NOTE: Final = 500
# The model's provider scales larger pictures down, which only costs time (Anthropic, "Vision": 1.15 megapixels).
IMAGE_PIXELS: Final = 1_150_000
JPEG_QUALITY: Final = 80

Spent = Callable[[Grouping], None]


def group_page(
    grouper: Grouper,
    page: PageFile,
    image: bytes | None,
    context: GroupingContext,
    deadline: float,
    layout: PageOperations,
    spent: Spent,
) -> PageOperations:
    """Returns valid operations for `page`, whatever the model answers. `spent` is called for every answer, even a
    useless one.

    Raises Unavailable and BadInput as `Grouper.group` does.
    """
    correction: Correction | None = None
    for _ in range(CALLS):
        answer = grouper.group(page, image, context, deadline, correction)
        spent(answer)
        found, errors = (None, [answer.problem]) if answer.problem else read_grouping(page, answer.raw, grouper.version)
        if found is not None:
            return _with_signs(page, found, layout)
        correction = Correction(answer, tuple(errors))
    assert correction is not None  # noqa: S101 two calls leave one
    return fall_back(layout, f"The model's operations were not valid: {'; '.join(correction.errors)}")


def fall_back(layout: PageOperations, reason: str) -> PageOperations:
    """The layout engine's operations, flagged as a fallback; `reason` may quote what a model wrote."""
    return layout.model_copy(update={"flags": [*layout.flags, FALLBACK], "notes": storable(reason[:MAX_NOTE])})


def _with_signs(page: PageFile, found: PageOperations, layout: PageOperations) -> PageOperations:
    """Adds the page's measured signs to the model's operations, in their reading order. They can only lower the model's
    own confidence (docs/decisions/0003); text that the model skips and the layout engine keeps lowers it too."""
    lines = {line.id: line for line in PageView(page).lines}
    claimed = (r.partition("[")[0] for operation in found.operations for r in claimed_references(operation))
    confidence, flags = page_confidence(page, [lines[one] for one in dict.fromkeys(claimed)], [])
    hidden = _hidden(page, found, layout)
    flags = [MODEL_SKIPPED, *flags] if hidden > MAX_HIDDEN else flags
    return found.model_copy(update={"confidence": min(found.confidence, confidence, 1 - hidden), "flags": flags})


def _hidden(page: PageFile, found: PageOperations, layout: PageOperations) -> float:
    """The share of the page's characters in lines that only the model skips: the document may have instructed it to."""
    only = _skipped(found) - _skipped(layout)
    return sum(len(f.text) for f in page.fragments if f.id in only) / (sum(len(f.text) for f in page.fragments) or 1)


def _skipped(operations: PageOperations) -> set[str]:
    skips = (operation for operation in operations.operations if isinstance(operation, Skip))
    return {reference.partition("[")[0] for skip in skips for reference in skip.fragment_ids}


def shrink_image(jpeg: bytes) -> bytes:
    """Scales the page's picture down to the size that a model uses."""
    with Image.open(io.BytesIO(jpeg)) as image:
        factor = (IMAGE_PIXELS / (image.width * image.height)) ** 0.5
        if factor >= 1:
            return jpeg
        small = image.convert("RGB").resize((int(image.width * factor), int(image.height * factor)))
    stream = io.BytesIO()
    small.save(stream, "JPEG", quality=JPEG_QUALITY)
    return stream.getvalue()
