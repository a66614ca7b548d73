"""Lists of terms, each with what it means beside it, set in the measure of the text around them: no tables."""

import math
from collections.abc import Sequence

from shared.extraction.page_view import Line, rows_of, text_of
from shared.extraction.tables.columns import Column
from shared.extraction.tables.regions import Region, is_mark
from shared.extraction.tables.rows import is_figure

SAME_EDGE_PT = 2.0
# Lines of the text around that end where the list does, at least.
MIN_FULL = 2
# Width of lines of running text, at least, in type sizes.
TEXT_EM = 15.0
# Texts that end as sentences do, at least.
ENDED_SHARE = 0.8
_ENDS = tuple(".:;!?\u3002")


def are_definitions(region: Region, columns: Sequence[Column], free: Sequence[Line]) -> bool:
    """Whether the region's two columns are terms and what these mean, its `columns` without any rule: no term is a
    number, terms and texts begin at one edge each, and the texts go on to where those of the page end. `free`: the
    lines of the page."""
    if region.kind != "aligned" or len(columns) != 2 or region.horizontal:
        return False
    edge = columns[0][1]
    items = [row for row in rows_of(region.lines) if row[0].x0 < edge]
    terms = [row[0] for row in items]
    first = [next(line for line in row if line.x0 >= edge) for row in items if row[-1].x0 >= edge]
    texts = [line for line in region.lines if line.x0 >= edge]
    if not _begin_together(terms) or not _begin_together(first) or any(_is_value(line, texts) for line in terms):
        return False
    own = {line.order for line in region.lines}
    others = [line for line in free if line.order not in own]
    return _fill_measure(terms, texts, others)


def _begin_together(lines: Sequence[Line]) -> bool:
    return max(x.x0 for x in lines) - min(x.x0 for x in lines) <= SAME_EDGE_PT


def _is_value(line: Line, texts: Sequence[Line]) -> bool:
    """Whether it is a number, or a mark that is not in a type of its own, as the name of a character is."""
    return is_figure(line.text) or (is_mark(line.text) and any(line.style == text.style for text in texts))


def _fill_measure(terms: Sequence[Line], texts: Sequence[Line], others: Sequence[Line]) -> bool:
    """Whether most texts, the first of them too, are sentences, and go on to where lines of running text around the
    list end."""
    inner, style = texts[0].x0, texts[0].style
    alike = [line for line in others if abs(line.x0 - inner) <= SAME_EDGE_PT and line.style == style]
    right = max(line.x1 for line in [*texts, *alike])
    if right - inner < TEXT_EM * texts[0].size:
        return False
    around = [
        line
        for line in others
        if abs(right - line.x1) <= SAME_EDGE_PT
        and line.x1 - line.x0 >= TEXT_EM * line.size
        and abs(line.size - texts[0].size) < 1
    ]
    heights = [term.y0 for term in terms]
    spans = zip(heights, [*heights[1:], math.inf], strict=True)
    parts = [[x for x in texts if top - x.height / 2 <= x.y0 < bottom - x.height / 2] for top, bottom in spans]
    ended = [_is_sentence(part) for part in parts if part]
    return len(around) >= MIN_FULL and ended[0] and sum(ended) >= ENDED_SHARE * len(ended)


def _is_sentence(lines: Sequence[Line]) -> bool:
    return lines[-1].text.rstrip().endswith(_ENDS) and any(map(str.isalpha, text_of(lines)))
