"""Paragraphs: groups of unclaimed lines that belong to one text."""

import re
from collections.abc import Callable, Container, Sequence
from itertools import pairwise

from shared.domain.sketch import Profile
from shared.extraction.lists import CAPTION, DOTTED, SENTENCE_END, ends_in_colon, starts_item
from shared.extraction.page_view import Line
from shared.extraction.stray_marks import is_sign
from shared.extraction.titles.headings import HeadingJudge
from shared.values.addresses import components, printed_address

# Greatest line pitch within a paragraph, as a multiple of the body's.
MAX_PITCH = 1.22
SAME_SIZE = 0.08
INDENT_EM = 0.8
# Greatest distance between columns of vertical script, in their widths.
VERTICAL_PITCH = 2.4
_WRAPPED = re.compile(r"^(\d{1,3})[.)]\s")
SHORT_LINE = 0.85
# Least number of characters in a full row of prose, and greatest distance to the next row of its paragraph, in type
# sizes.
WRAPPED_CHARACTERS = 30
WRAPPED_PITCH = 1.5
# Letters of a label in front of a section's number.
MIN_LABEL = 3
# Greatest distance of a value from the label before it, in type sizes.
LABEL_REACH_EM = 12.0


def group_lines(lines: Sequence[Line], profile: Profile, judge: HeadingJudge) -> list[list[Line]]:
    """Returns groups in reading order. A line claimed by another operation ends a group, a sign of rights does not."""
    signs = {line.order: [line] for line in lines if is_sign(line)}
    groups: list[list[Line]] = []
    continues = _continuation(profile, judge, signs)
    for line in lines:
        if line.order in signs:
            continue
        if groups and continues(groups[-1], line):
            groups[-1].append(line)
        else:
            groups.append([line])
    return [*groups, *signs.values()]


def _continuation(profile: Profile, judge: HeadingJudge, signs: Container[int]) -> Callable[[list[Line], Line], bool]:
    def continues(group: list[Line], line: Line) -> bool:
        last = group[-1]
        follows = line.order > last.order and all(order in signs for order in range(last.order + 1, line.order))
        if not follows or line.fragment.direction != last.fragment.direction:
            return follows and {line.fragment.direction, last.fragment.direction} == {"ltr", "rtl"}
        if line.fragment.direction == "ttb":
            return _next_column(group, last, line)
        if same_row(last, line):
            return _joins_row(last, line)
        wrapped = _wrapped_number(group, line) or is_wrapped_reference(last, line) or _is_wrapped_mention(last, line)
        if (starts_anew(line.text) and not wrapped) or DOTTED.search(last.text):
            return False
        if not _same_style(last, line, judge) and not (len(group) == 1 and ends_in_colon(last.text)):
            return False
        if line.y0 < last.y0:
            return _continues_in_next_column(group, line)
        return _near(group, last, line, profile) and not _indented(group, last, line)

    return continues


def same_row(a: Line, b: Line) -> bool:
    return min(a.y1, b.y1) - max(a.y0, b.y0) > 0.5 * min(a.height, b.height)


def starts_anew(text: str) -> bool:
    """Whether the text starts a new group: a list item, a caption, or a number of at least two parts."""
    if starts_item(text) or CAPTION.match(text):
        return True
    printed = printed_address(text)
    return printed is not None and len(components(printed[0])) >= 2 and not text[printed[1] :].lstrip()[:1].islower()


def _wrapped_number(group: list[Line], line: Line) -> bool:
    """Whether the line begins with a number that ends a sentence (`… of race` / `2. Cars …`) and is no list item: it
    follows text that is no list and ends no sentence, and a list would begin with 1."""
    last = group[-1]
    matched = _WRAPPED.match(line.text)
    level = matched is not None and matched[1] != "1" and abs(line.x0 - last.x0) < 1
    return level and not starts_item(group[0].text) and not SENTENCE_END.search(last.text)


def is_wrapped_reference(last: Line, line: Line) -> bool:
    """Whether the line only mentions a table or figure in mid-sentence (`… are listed in` / `Table 3. The …`), so no
    caption."""
    if not CAPTION.match(line.text) or line.order != last.order + 1 or line.style != last.style:
        return False
    level = abs(line.x0 - last.x0) < 2 and 0 < line.y1 - last.y1 <= WRAPPED_PITCH * line.size
    return level and len(last.text) >= WRAPPED_CHARACTERS and not SENTENCE_END.search(last.text)


def _is_wrapped_mention(last: Line, line: Line) -> bool:
    """Whether the line only mentions a section in mid-sentence (`… as told in` / `Section 3.2, before …`)."""
    printed = printed_address(line.text)
    label = printed[0].split()[0].rstrip(".") if printed else ""
    labelled = len(label) >= MIN_LABEL and label.isalpha()
    return labelled and len(last.text) >= WRAPPED_CHARACTERS and not SENTENCE_END.search(last.text)


def _joins_row(last: Line, line: Line) -> bool:
    """Whether the lines are pieces of one row: justified words, a number and its title, a bullet and its text."""
    rtl = "rtl" in (last.fragment.direction, line.fragment.direction)
    gap = last.x0 - line.x1 if rtl else line.x0 - last.x1
    if ends_in_colon(last.text) and not ends_in_colon(line.text) and gap < LABEL_REACH_EM * line.size:
        return True
    return gap < 3.0 * max(last.size, line.size) or (len(last.text) <= 8 and gap < 6.0 * line.size)


def _next_column(group: list[Line], last: Line, line: Line) -> bool:
    """Whether `line` is the next column of vertical script, to the left of one that runs to the bottom; an indented
    column starts a new group."""
    width = max(last.x1 - last.x0, line.x1 - line.x0)
    beside = 0 <= last.x0 - line.x0 <= VERTICAL_PITCH * width and abs(last.size - line.size) <= SAME_SIZE * last.size
    full = last.y1 >= max(*[member.y1 for member in group], line.y1) - 1.5 * width
    return beside and full and line.y0 <= min(member.y0 for member in group) + 0.5 * width


def _same_style(last: Line, line: Line, judge: HeadingJudge) -> bool:
    if abs(last.size - line.size) > SAME_SIZE * max(last.size, line.size) and not line.fragment.superscript:
        return min(len(last.text), len(line.text)) <= 3 and not judge.is_styled(line)
    return last.bold == line.bold or not (judge.is_styled(last) or judge.is_styled(line))


def _near(group: list[Line], last: Line, line: Line, profile: Profile) -> bool:
    step = line.y1 - last.y1
    if step > MAX_PITCH * max(profile.body_pitch, 1.0) * max(last.size, line.size) + 0.5:
        return False
    if line.x0 > max(member.x1 for member in group) or line.x1 < min(member.x0 for member in group):
        return False
    previous = [b.y1 - a.y1 for a, b in pairwise(group) if not same_row(a, b)]
    return not previous or step <= 1.3 * min(previous) + 1.0


def _indented(group: list[Line], last: Line, line: Line) -> bool:
    """Whether the line has a first-line indent and the line before it ends a sentence."""
    left = min(member.x0 for member in group)
    right = max(member.x1 for member in group)
    ends = SENTENCE_END.search(last.text) is not None
    short = last.x1 - left < SHORT_LINE * (right - left)
    if ends and line.x0 - last.x0 > INDENT_EM * line.size and len(group) > 1:
        return True
    return ends and short and len(group) > 1 and line.text[:1].isupper() and line.x0 > left + INDENT_EM * line.size


def _continues_in_next_column(group: list[Line], line: Line) -> bool:
    """Whether the text continues at the top of the next column: no sentence has ended, and the line starts nothing
    new."""
    return (
        line.x0 > max(member.x1 for member in group) - 1
        and not SENTENCE_END.search(group[-1].text)
        and (line.text[:1].islower() or group[-1].text.endswith(("-", ",")))
    )
