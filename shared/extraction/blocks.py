"""Groups the lines left after furniture, tables and figures into headings, paragraphs, lists, code, captions and
footnotes."""

import re
from itertools import pairwise

from shared.domain.operations import EngineChunkType, Operation, RegisterChunk, RegisterSection, Skip
from shared.domain.sketch import Profile
from shared.extraction.confidence import text_confidence
from shared.extraction.formulas import is_code, is_formula, join_pieces
from shared.extraction.lists import CAPTION, FOOTNOTE, SENTENCE_END, starts_item
from shared.extraction.page_view import Line, PageView, ids_of, text_of
from shared.extraction.paragraphs import group_lines
from shared.extraction.stray_marks import attach_marks, is_mark
from shared.extraction.titles.headings import Heading, HeadingJudge, runs_on
from shared.extraction.titles.joined import front_matter, joined_titles
from shared.values.addresses import components, printed_address

FOOTNOTE_SIZE = 0.92
FOOTNOTE_FROM = 0.6
# What manuals write behind the number of a section that they refer to: its title and its page.
_MENTIONED = re.compile(r"\[[^\[\]]{1,120}\],?\s+(?:on )?(?:page|p\.|pp\.|Seite|S\.)\s*\d")


def operations_of_blocks(view: PageView, profile: Profile, judge: HeadingJudge) -> list[Operation]:
    """Returns the titles that can be told by themselves, then one operation per group of the remaining lines."""
    titles = judge.find(view)
    for lines, _ in titles:
        view.take(lines)
    first = min((line.order for lines, _ in titles for line in lines), default=len(view.lines))
    texts: list[list[Line]] = []
    for group in _pieces(group_lines(view.free, profile, judge), view, profile):
        refused = view.is_side_by_side(group) or runs_on(view, group[-1], group[0].style)
        heading = None if refused else judge.judge(group)
        if heading:
            titles.append((group, heading))
        else:
            texts.append(group)
    titles, others = front_matter(joined_titles(titles, judge), view, judge)
    alone = attach_marks([*texts, *others, *(lines for lines, _ in titles)])
    texts = sorted((group for group in [*texts, *others] if not is_mark(group)), key=lambda group: group[0].order)
    begins = texts[0][0].order if texts and texts[0][0].order < first else -1
    operations: list[Operation] = [_section(lines, heading) for lines, heading in titles]
    operations += [Skip(fragment_ids=ids_of(mark), reason="decoration") for mark in alone]
    return operations + [_chunk(group, view, profile, group[0].order == begins) for group in texts]


def _pieces(groups: list[list[Line]], view: PageView, profile: Profile) -> list[list[Line]]:
    """Joins pieces of formulas and code; splits groups of footnotes."""
    return [part for group in join_pieces(groups, profile) for part in _split_footnotes(group, view, profile)]


def _split_footnotes(group: list[Line], view: PageView, profile: Profile) -> list[list[Line]]:
    """Splits a group of footnotes into single ones, each beginning with a superscript mark."""
    starts = [n for n, line in enumerate(group) if line.fragment.superscript and FOOTNOTE.match(line.text)]
    if len(starts) < 2 or starts[0] or not _is_footnote(group, text_of(group), view, profile):
        return [group]
    return [group[a:b] for a, b in pairwise([*starts, len(group)])]


def _section(group: list[Line], heading: Heading) -> RegisterSection:
    return RegisterSection(address=heading.address, title_fragment_ids=ids_of(group), depth=heading.depth)


def _chunk(group: list[Line], view: PageView, profile: Profile, first: bool) -> RegisterChunk:
    text = text_of(group)
    return RegisterChunk(
        fragment_ids=ids_of(group),
        chunk_type=_type(group, text, view, profile),
        section=None if view.is_side_by_side(group) else _own_address(text),
        continues_previous_page=first and _starts_mid_sentence(text),
        confidence=text_confidence(group),
    )


def _own_address(text: str) -> str | None:
    """The address of a numbered rule: at least two number parts, then text. None otherwise, also for a number with a
    unit."""
    printed = printed_address(text)
    if printed is None or len(components(printed[0])) < 2:
        return None
    rest = text[printed[1] :].lstrip()
    if _MENTIONED.match(rest):
        return None
    return printed[0] if len(rest) >= 3 and (rest[0].isupper() or rest[0] in "[(\"'\u201c") else None


def _type(group: list[Line], text: str, view: PageView, profile: Profile) -> EngineChunkType:
    if CAPTION.match(text) and len(text) < 300:
        return "caption"
    if is_code(group, profile):
        return "code"
    if is_formula(group):
        return "formula"
    if _is_footnote(group, text, view, profile):
        return "footnote"
    return "list" if starts_item(text) else "text"


def _is_footnote(group: list[Line], text: str, view: PageView, profile: Profile) -> bool:
    """Whether the group is in small type, in the lower part of the page, and begins with a footnote mark."""
    low = group[0].y0 > FOOTNOTE_FROM * view.height
    small = max(line.size for line in group) <= FOOTNOTE_SIZE * profile.body_size or group[0].fragment.superscript
    return low and small and FOOTNOTE.match(text) is not None


def _starts_mid_sentence(text: str) -> bool:
    """Whether the page begins in the middle of a sentence. Whether the previous page ends in one is checked by
    assembly."""
    return text[:1].islower() and not starts_item(text) and not SENTENCE_END.fullmatch(text)
