"""Titles of a page together: those that are parts of one, and those of a paper's head."""

from collections.abc import Sequence

from shared.extraction.page_view import Line, PageView, text_of
from shared.extraction.titles.evidence import title_key
from shared.extraction.titles.headings import MAX_CHARACTERS, SMALLER, TIGHT, HeadingJudge, Title
from shared.values.addresses import label_depth

# Greatest white space between a label and its title below, in type sizes.
LABEL_REACH = 3.0


def joined_titles(titles: Sequence[Title], judge: HeadingJudge) -> list[Title]:
    """The titles in order, with rows of one large style joined that are close below each other and have no number or
    mark."""
    found: list[Title] = []
    for lines, heading in sorted(titles, key=lambda title: title[0][0].order):
        above = found[-1] if found else None
        if above and not heading.address and _is_label(above) and _is_below_label(above[0], lines):
            found[-1] = ([*above[0], *lines], above[1])
            continue
        if above and _is_rest(above[0], lines) and not (heading.address or above[1].address):
            together = [*above[0], *lines]
            if judge.is_large(lines[0]) and not any(judge.is_marked(text_of(x)) for x in (lines, above[0])):
                found[-1] = (together, above[1])
                continue
        found.append((lines, heading))
    return found


def _is_label(title: Title) -> bool:
    """Whether the title is a label with its number and nothing else: `Chapter 7`."""
    address, text = title[1].address, text_of(title[0]).strip()
    return address is not None and label_depth(address) is not None and not any(map(str.isalnum, text[len(address) :]))


def _is_below_label(label: Sequence[Line], lines: Sequence[Line]) -> bool:
    """Whether the lines are next, near below and as large at least."""
    step = lines[0].y0 - label[-1].y1
    return (
        lines[0].order == label[-1].order + 1
        and lines[0].size >= SMALLER * label[0].size
        and lines[0].y1 - label[-1].y1 > 0
        and step <= LABEL_REACH * lines[0].size
        and len(text_of([*label, *lines])) <= MAX_CHARACTERS
    )


def _is_rest(above: Sequence[Line], lines: Sequence[Line]) -> bool:
    step = lines[0].y1 - above[-1].y1
    close = lines[0].order == above[-1].order + 1 and 0 < step <= TIGHT * lines[0].size
    return close and lines[0].style == above[-1].style and len(text_of([*above, *lines])) <= MAX_CHARACTERS


def front_matter(titles: Sequence[Title], view: PageView) -> tuple[list[Title], list[list[Line]]]:
    """Returns (titles, other lines): above the abstract of a paper only the largest lines are its title, the others its
    authors."""
    abstract = next((lines[0] for lines, _ in titles if title_key(text_of(lines)) == "abstract"), None)
    if abstract is None or view.page.page != 1:
        return list(titles), []
    above = [lines for lines, _ in titles if lines[0].y1 < abstract.y0]
    largest = max((lines[0].size for lines in above), default=0.0)
    names = [lines for lines in above if lines[0].size < SMALLER * largest or lines[0].size < SMALLER * abstract.size]
    return [title for title in titles if not any(title[0] is lines for lines in names)], names
