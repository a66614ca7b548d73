"""Titles of a page together: those that are parts of one, and those of a paper's head."""

from collections.abc import Iterator, Sequence
from itertools import takewhile

from shared.extraction.page_view import Line, PageView, text_of
from shared.extraction.titles.evidence import title_key
from shared.extraction.titles.headings import CONVENTIONAL, MAX_CHARACTERS, SMALLER, TIGHT, HeadingJudge, Title
from shared.values.addresses import label_depth, normalise

# Greatest white space between a label and its title below, in type sizes.
LABEL_REACH = 3.0
# How much larger than its title the number of a chapter is that stands beside it.
NUMBER_LARGER = 1.5


def joined_titles(titles: Sequence[Title], judge: HeadingJudge) -> list[Title]:
    """The titles in order, with rows of one large style joined that are close below each other and have no number or
    mark."""
    found: list[Title] = []
    for lines, heading in sorted(titles, key=lambda title: title[0][0].order):
        above = found[-1] if found else None
        same = above and normalise(heading.address or "") in ("", normalise(above[1].address or ""))
        if above and same and _is_label(above) and _is_below_label(above[0], lines):
            found[-1] = ([*above[0], *lines], above[1])
            continue
        if above and _is_rest(above[0], lines) and not (heading.address or above[1].address):
            together = [*above[0], *lines]
            if judge.is_large(lines[0]) and not any(judge.is_marked(text_of(x)) for x in (lines, above[0])):
                found[-1] = (together, above[1])
                continue
        found.append((lines, heading))
    return [_with_number_first(lines, judge) or (lines, heading) for lines, heading in found]


def _with_number_first(lines: Sequence[Line], judge: HeadingJudge) -> Title | None:
    """A title beside the much larger number of its chapter, which is read among its rows: the number first."""
    size = min(line.size for line in lines)
    numbers = [line for line in lines if line.text.strip().isdecimal() and line.size >= NUMBER_LARGER * size]
    if len(numbers) != 1 or len(lines) == 1:
        return None
    ordered = [*numbers, *(line for line in lines if line is not numbers[0])]
    return ordered, judge.heading_of(ordered)


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
    last = next((line for line in reversed(above) if line.style == lines[0].style), None)
    if last is None or lines[0].order != above[-1].order + 1:
        return False
    return 0 < lines[0].y1 - last.y1 <= TIGHT * lines[0].size and len(text_of([*above, *lines])) <= MAX_CHARACTERS


def _below_title(titles: Sequence[Title], view: PageView, judge: HeadingJudge) -> Iterator[list[Line]]:
    """Authors, versions and dates directly below the document's title, the largest on its page: smaller rows without
    number or mark, up to the first that is above text. A style that titles without number have further below is one
    of titles."""
    largest = max((lines[0].size for lines, _ in titles), default=0.0)
    orders = {line.order for lines, _ in titles for line in lines}
    at = next((n for n, (lines, _) in enumerate(titles) if lines[0].size == largest), len(titles))
    head = [*takewhile(lambda title: _is_above_title(title[0], orders, view, judge), titles[at:])]
    again = {lines[0].style for lines, heading in titles[at + len(head) + 1 :] if heading.address is None}
    for lines, heading in head[1:]:
        text = text_of(lines)
        plain = heading.address is None and not judge.is_marked(text) and title_key(text) not in CONVENTIONAL
        if not plain or lines[0].size >= SMALLER * largest or lines[0].style in again:
            return
        yield lines


def _is_above_title(lines: Sequence[Line], orders: set[int], view: PageView, judge: HeadingJudge) -> bool:
    """Whether a title, another row styled like one or nothing at all comes next on the page."""
    below = view.lines[lines[-1].order + 1 :][:1]
    return all(line.order in orders or (judge.is_styled(line) and not view.is_taken(line)) for line in below)


def front_matter(titles: Sequence[Title], view: PageView, judge: HeadingJudge) -> tuple[list[Title], list[list[Line]]]:
    """Returns (titles, other lines): above the abstract of a paper only the largest lines are its title, the others its
    authors; without an abstract, what stands below the document's title and above no text."""
    abstract = next((lines[0] for lines, _ in titles if title_key(text_of(lines)) == "abstract"), None)
    if view.page.page != 1:
        return list(titles), []
    if abstract is None:
        names = [*_below_title(titles, view, judge)]
        return [title for title in titles if not any(title[0] is lines for lines in names)], names
    above = [lines for lines, _ in titles if lines[0].y1 < abstract.y0]
    largest = max((lines[0].size for lines in above), default=0.0)
    names = [lines for lines in above if lines[0].size < SMALLER * largest or lines[0].size < SMALLER * abstract.size]
    return [title for title in titles if not any(title[0] is lines for lines in names)], names
