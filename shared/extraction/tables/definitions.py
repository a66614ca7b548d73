"""Lists of terms, each with what it means beside it, set in the measure of the text around them: no tables."""

import math
from collections.abc import Sequence

from shared.extraction.page_view import Line, rows_of, text_of
from shared.extraction.tables.columns import Column
from shared.extraction.tables.regions import Region, is_mark
from shared.extraction.tables.rows import is_figure

SAME_EDGE_PT = 2.0
# Greatest distance of the lines of a text, in type sizes.
STEP_EM = 1.7
# Lines of the text around that end where the list does, at least.
MIN_FULL = 2
# Width of lines of running text, at least, in type sizes.
TEXT_EM = 15.0
# Words of a text that tells what a term means rather than its value, at least, and the share of such texts.
MIN_WORDS = 4
WORDED_SHARE = 0.6
# Texts that end as sentences do, at least.
ENDED_SHARE = 0.8
_COLONS = (":", "\uff1a")
_ENDS = tuple(".:;!?\u3002")


def are_definitions(region: Region, columns: Sequence[Column], free: Sequence[Line]) -> bool:
    """Whether the region's two columns are terms and what these mean, its `columns` without any rule: no term is a
    number, terms and texts begin at one edge each, no header in a type of its own is above the texts, and these go on
    to where those of the page end, or a term too long for its column has its text below it. `free`: the lines of the
    page."""
    if region.kind != "aligned" or len(columns) != 2 or region.horizontal:
        return False
    edge = columns[0][1]
    items = [row for row in rows_of(region.lines) if row[0].x0 < edge]
    terms = [row[0] for row in items]
    first = [next(line for line in row if line.x0 >= edge) for row in items if row[-1].x0 >= edge]
    texts = [line for line in region.lines if line.x0 >= edge]
    if not _begin_together(terms) or not _begin_together(first) or any(_is_value(line, texts) for line in terms):
        return False
    if _is_header(items[0], texts):
        return False
    own = {line.order for line in region.lines}
    others = [line for line in free if line.order not in own]
    return _fill_measure(terms, texts, others) or _overruns(terms, first, region.lines, others)


def _begin_together(lines: Sequence[Line]) -> bool:
    return max(x.x0 for x in lines) - min(x.x0 for x in lines) <= SAME_EDGE_PT


def _is_header(row: Sequence[Line], texts: Sequence[Line]) -> bool:
    """Whether the list's first row has two cells, and the texts below it are all of another type."""
    below = [line for line in texts if line not in row]
    return len(row) > 1 and bool(below) and all(line.style != row[-1].style for line in below)


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


def _overruns(terms: Sequence[Line], texts: Sequence[Line], own: Sequence[Line], others: Sequence[Line]) -> bool:
    """Whether right above or below the list, or anywhere where terms are set in a type of their own, is a term that has
    no room before its text, which begins on the next line at the edge of the texts. Labels with a colon and texts of
    few words are those of a form or of values."""
    worded = sum(sum(any(map(str.isalpha, word)) for word in text.text.split()) >= MIN_WORDS for text in texts)
    if worded < WORDED_SHARE * len(texts) or any(term.text.rstrip().endswith(_COLONS) for term in terms):
        return False
    left, inner = terms[0].x0, texts[0].x0
    orders = {line.order: line for line in others}
    above = orders.get(min(line.order for line in own) - 1)
    while above and abs(above.x0 - inner) <= SAME_EDGE_PT:
        above = orders.get(above.order - 1)
    near = [above, orders.get(max(line.order for line in own) + 1)]
    if terms[0].style != texts[0].style:
        near += [line for line in others if line.style == terms[0].style]
    return any(_is_long_term(term, orders.get(term.order + 1), left, inner) for term in near if term)


def _is_long_term(term: Line, text: Line | None, left: float, inner: float) -> bool:
    return (
        text is not None
        and abs(term.x0 - left) <= SAME_EDGE_PT
        and term.x1 > inner
        and abs(text.x0 - inner) <= SAME_EDGE_PT
        and 0 < text.y0 - term.y0 <= STEP_EM * term.size
    )
