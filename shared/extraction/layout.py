"""The layout engine: a page file and the document's profile in, operations out. Deterministic, no network."""

from typing import Final

from shared.domain.operations import Operation, PageOperations, RegisterFigure
from shared.domain.page import PageFile
from shared.domain.sketch import Profile
from shared.domain.turned import as_read, turn_rect
from shared.extraction.blocks import operations_of_blocks
from shared.extraction.confidence import page_confidence
from shared.extraction.figures import find_figures
from shared.extraction.forms import split_forms
from shared.extraction.furniture import skip_furniture
from shared.extraction.page_view import PageView
from shared.extraction.references import claimed_references
from shared.extraction.tables.detect import find_tables, skips_beside_tables
from shared.extraction.ticks import skip_typed_ticks
from shared.extraction.titles.contents import skip_contents
from shared.extraction.titles.headings import HeadingJudge
from shared.extraction.titles.word_index import skip_word_index

ENGINE: Final = "layout"
LAYOUT_VERSION: Final = "layout-16"


def extract_page(page: PageFile, profile: Profile) -> PageOperations:
    """Returns operations that claim every fragment of `page` exactly once, in reading order.

    Deterministic: the same input gives the same output on any machine. A page that is shown turned is looked at with
    its lines level.
    """
    shown, page = page, as_read(page)
    view = PageView(page)
    judge = HeadingJudge(profile, page.page)
    operations: list[Operation] = [*skip_furniture(view, profile), *skip_typed_ticks(view)]
    operations += [*skip_contents(view, profile), *skip_word_index(view, profile)]
    tables, entries = split_forms(find_tables(view, profile, judge), view)
    operations += [*tables, *entries, *skips_beside_tables(view), *find_figures(view, profile)]
    prose = view.free
    operations += operations_of_blocks(view, profile, judge)
    confidence, flags = page_confidence(page, view.lines, [table.confidence for table in tables], prose)
    return PageOperations(
        page=page.page,
        operations=[_as_shown(operation, shown) for operation in _in_order(operations, view)],
        confidence=confidence,
        flags=flags,
        engine=ENGINE,
        engine_version=LAYOUT_VERSION,
    )


def _as_shown(operation: Operation, page: PageFile) -> Operation:
    if not page.turn or not isinstance(operation, RegisterFigure):
        return operation
    return operation.model_copy(update={"box": turn_rect(operation.box, page.turn)})


def _in_order(operations: list[Operation], view: PageView) -> list[Operation]:
    """Sorts operations by the first line that they claim; a figure without text by the top of its box."""
    order = {line.id: float(line.order) for line in view.lines}

    def place(operation: Operation) -> float:
        claimed = [order[reference] for reference in claimed_references(operation) if reference in order]
        return min(claimed) if claimed else _place_of_box(operation, view)

    return sorted(operations, key=place)


def _place_of_box(operation: Operation, view: PageView) -> float:
    box = getattr(operation, "box", None)
    top = box.y * view.height if box is not None else 0.0
    above = [line.order for line in view.lines if line.y1 <= top]
    return max(above, default=-1) + 0.5
