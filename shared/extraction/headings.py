"""Headings: by bookmark, by a style larger or heavier than the body's, or by a number set apart."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from shared.domain.sketch import Profile
from shared.extraction.addresses import components, printed_address
from shared.extraction.lists import CAPTION, SENTENCE_END, starts_item
from shared.extraction.page_view import Line, text_of
from shared.extraction.profile import title_key

MAX_CHARACTERS = 220
MAX_BOLD_CHARACTERS = 120
MAX_SENTENCE = 60
MAX_DEPTH = 12
MAX_ROWS = 5
_LABEL_AND_VALUE = re.compile(r"^[^:]{1,40}:\s+\S")
_LABELS = {"item": 2, "part": 1, "chapter": 1, "article": 1, "appendix": 1, "annex": 1, "schedule": 1}


@dataclass(frozen=True, slots=True)
class Heading:
    """What a group of lines says as a heading. `address` is as printed."""

    address: str | None
    depth: int


class HeadingJudge:
    """Decides for one page; knows the profile's styles and the bookmarks of the page."""

    def __init__(self, profile: Profile, page: int) -> None:
        self._profile = profile
        self._ranks = {heading.style: heading.rank for heading in profile.headings}
        self._marks = {hint.key: hint.level for hint in profile.outline if hint.page == page and hint.key}
        self._body_bold = "bold" in profile.body_style.lower()
        self._levels = max((heading.rank for heading in profile.headings), default=0)

    def is_styled(self, line: Line) -> bool:
        """Set in a style that headings of this document have."""
        return line.style in self._ranks or (line.bold and not self._body_bold)

    def is_large(self, line: Line) -> bool:
        """Set in a heading style that is larger than the body's."""
        return line.style in self._ranks

    def judge(self, lines: Sequence[Line]) -> Heading | None:
        """The heading that these lines are, or None."""
        text = text_of(lines).strip()
        if len(text) > MAX_CHARACTERS or not any(c.isalnum() for c in text):
            return None
        printed = printed_address(text)
        level = self._bookmark_level(text, printed)
        if level is None and not self._looks_like(lines, text, printed is not None):
            return None
        address = printed[0] if printed and (level is not None or _is_title(text[printed[1] :])) else None
        return Heading(address, self._depth(lines, address, level))

    def _bookmark_level(self, text: str, printed: tuple[str, int] | None) -> int | None:
        level = self._marks.get(title_key(text))
        if level is None and printed:
            level = self._marks.get(title_key(text[printed[1] :]) or "\0")
        return level

    def _looks_like(self, lines: Sequence[Line], text: str, numbered: bool) -> bool:
        if (starts_item(text) and not numbered) or _is_form(lines):
            return False
        letters = sum(c.isalpha() for c in text)
        if all(line.style in self._ranks for line in lines):
            sentence = text.endswith(".") and len(text) > MAX_SENTENCE
            return letters >= 2 and not sentence and not text.endswith((",", ";"))
        if self._body_bold or not all(line.bold for line in lines) or CAPTION.match(text):
            return False
        if len(text) > MAX_BOLD_CHARACTERS or lines[0].size < 0.9 * self._profile.body_size or letters < 3:
            return False
        return not text.endswith((",", ";", ".", ":")) or (numbered and not SENTENCE_END.search(text))

    def _depth(self, lines: Sequence[Line], address: str | None, level: int | None) -> int:
        if address:
            word = address.split()[0].lower()
            return _LABELS.get(word) or min(MAX_DEPTH, max(1, len(components(address))))
        if level is not None:
            return min(MAX_DEPTH, level)
        return min(MAX_DEPTH, self._ranks.get(lines[0].style, self._levels + 1))


def _is_form(lines: Sequence[Line]) -> bool:
    """A block of labels with their values, or simply more lines than a title has."""
    labelled = sum(_LABEL_AND_VALUE.match(line.text) is not None for line in lines)
    return labelled >= max(3, 0.5 * len(lines)) or len({round(line.y1) for line in lines}) > MAX_ROWS


def _is_title(rest: str) -> bool:
    """Whether what follows a number can be its title: some letters, or nothing (a title on the next line)."""
    stripped = rest.strip()
    return not stripped or any(c.isalpha() for c in stripped)
