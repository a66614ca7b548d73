"""The headings of a page: first by document-wide evidence, then by style or by a number set apart."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from shared.domain.sketch import Profile, StandingLine
from shared.domain.standing import (
    SAME_EDGE_PT,
    Row,
    is_addressed,
    is_command,
    is_date,
    is_of_signs,
    is_unfinished,
    reads_like_title,
    standing_rows,
)
from shared.extraction.lists import BULLET, CAPTION, starts_item
from shared.extraction.page_view import Line, PageView, is_mono, text_of
from shared.extraction.titles.evidence import APART, bare_key, is_plain_title, title_key
from shared.values.addresses import components, label_depth, printed_address
from shared.values.fonts import is_mono_font
from shared.values.numbering import numbers_of

MAX_CHARACTERS = 220
MAX_BOLD_CHARACTERS = 120
MAX_SENTENCE = 60
MAX_DEPTH = 12
MAX_ROWS = 5
# Greatest distance between rows of one title, in type sizes.
TIGHT = 1.6
SMALLER = 0.95
# Titles that papers and reports set without a number, as title keys.
CONVENTIONAL = frozenset(
    ("abstract", "references", "bibliography", "acknowledgements", "acknowledgments", "acknowledgement", "appendix",
     "appendices", "introduction", "conclusion", "conclusions", "glossary", "foreword", "preface", "summary", "index",
     "executivesummary", "acknowledgment", "contents", "tableofcontents", "signatures")
)  # fmt: skip
# What stands above a remark (DocBook's admonitions), as title keys: it titles no section.
REMARKS = frozenset(
    ("note", "tip", "hint", "important", "caution", "warning", "danger", "attention", "hinweis", "anmerkung",
     "tipp", "wichtig", "vorsicht", "warnung", "achtung", "gefahr", "remarque", "astuce", "conseil", "avertissement",
     "nota", "sugerencia", "consejo", "importante", "precaución", "atención", "advertencia", "avviso", "attenzione",
     "suggerimento", "dica", "aviso", "atenção", "cuidado", "opmerking", "waarschuwing")
)  # fmt: skip
# A term stands at least this far left of its meaning, in type sizes; so many of them are a list.
TERM_INDENT = 1.0
MIN_TERMS = 2
_LABEL_AND_VALUE = re.compile(r"[^:]{1,40}:\s+\S")
_NAMES = re.compile(r"\w\d(?:,|\s|$).*\w\d(?:,|\s|$)")


@dataclass(frozen=True, slots=True)
class Heading:
    """What a group of lines states as a heading. `address` is as printed."""

    address: str | None
    depth: int


@dataclass(frozen=True, slots=True)
class _Mark:
    level: int
    address: str | None = None
    nested: bool = False


Title = tuple[list[Line], Heading]


class HeadingJudge:
    """Decides for one page which lines are headings, by the profile's styles, the page's bookmarks and other evidence
    of titles."""

    def __init__(self, profile: Profile, page: int) -> None:
        self._profile = profile
        self._ranks = {heading.style: heading.rank for heading in profile.headings}
        self._numbered = {heading.style for heading in profile.headings if heading.numbered}
        self._large = {heading.style for heading in profile.headings if heading.larger}
        here = [mark for mark in profile.marks if mark.page == page]
        marks = {mark.key: _Mark(mark.level, mark.address, mark.nested) for mark in here}
        self._bookmarks = {h.key: _Mark(h.level) for h in profile.outline if h.page == page and h.key}
        self._marks = {**marks, **self._bookmarks}
        # Titles as somebody else lists them; a sequence of numbers shows the first row of a title.
        self._whole = {*self._bookmarks, *(mark.key for mark in here if mark.address is None and not mark.nested)}
        self._repeated = {mark.key: mark.level for mark in profile.repeated if mark.page == page}
        self._terms: set[int] = set()
        self._endings = tuple(self._marks)
        self._addresses = {key: mark.address for key, mark in marks.items()}
        self._body_bold = "bold" in profile.body_style.lower()
        self._levels = max((heading.rank for heading in profile.headings), default=0)

    def is_styled(self, line: Line) -> bool:
        """Whether the line is larger than the body, or bold where the body is not."""
        return line.style in self._large or (line.bold and not self._body_bold)

    def is_large(self, line: Line) -> bool:
        """Whether the line is in a heading style that is larger than the body's."""
        return line.style in self._large

    def is_marked(self, text: str) -> bool:
        """Whether a bookmark or document-wide evidence confirms that this text is a title."""
        return self._mark(text) is not None

    def find(self, view: PageView) -> list[tuple[list[Line], Heading]]:
        """Returns titles confirmed by document-wide evidence, or alone in a style of titles; of unclaimed lines
        only."""
        rows = standing_rows(view.page.fragments, view.width, view.height)
        keys = [title_key(row.text) for row in rows] if self._marks else []
        of_rows = [view.lines[row.first : row.last + 1] for row in rows]
        taken = [any(map(view.is_taken, lines)) or view.is_side_by_side(lines) for lines in of_rows]
        self._terms = self._defined_terms(rows, view)
        found: list[tuple[list[Line], Heading]] = []
        position = 0
        while position < len(rows):
            count = self._rows_of_title(rows, keys, taken, position, view)
            if count:
                lines = view.lines[rows[position].first : rows[position + count - 1].last + 1]
                found.append((lines, self.heading_of(lines)))
            position += count or 1
        return found

    def judge(self, lines: Sequence[Line]) -> Heading | None:
        """Returns the heading that these lines are, or None."""
        text = text_of(lines).strip()
        if len(text) > MAX_CHARACTERS or not any(c.isalnum() for c in text):
            return None
        if any(line.fragment.direction in ("rotated", "ttb") for line in lines) or lines[0].order in self._terms:
            return None
        marked = self._mark(text) is not None
        if not marked and not self._looks_like(lines, text, printed_address(text) is not None):
            return None
        return self.heading_of(lines)

    def heading_of(self, lines: Sequence[Line]) -> Heading:
        """The number and the depth of a title."""
        text = text_of(lines).strip()
        mark = self._mark(text)
        if title_key(text) in self._repeated and not mark:
            return Heading(None, min(MAX_DEPTH, self._repeated[title_key(text)]))
        printed = printed_address(text)
        address = self._addresses.get(title_key(text))
        if address is None and printed and (mark or _is_title(text[printed[1] :])):
            address = printed[0]
        return Heading(address, self._depth(lines, address))

    def _mark(self, text: str) -> _Mark | None:
        key = title_key(text)
        if not key.endswith(self._endings):  # the rest of a title after its number ends it too
            return None
        if key not in self._bookmarks and (BULLET.match(text) or text.rstrip().endswith((",", ";"))):
            return None  # an item of a list that names the title
        return self._marks.get(key) or self._marks.get(bare_key(text))

    def _rows_of_title(
        self, rows: Sequence[Row], keys: Sequence[str], taken: Sequence[bool], at: int, view: PageView
    ) -> int:
        """The number of rows from `at` on that are one title; 0 for none. `keys` are the rows' title keys, where marks
        exist; `taken` says of which rows a line is claimed."""
        free = next((n for n, one in enumerate(taken[at : at + MAX_ROWS]) if one), min(MAX_ROWS, len(rows) - at))
        for count in range(free if keys else 0, 1, -1):
            run = keys[at : at + count]
            if run[0] and run[-1] and self._is_marked_run("".join(run), [row.text for row in rows[at : at + count]]):
                return count
        if free and self._mark(rows[at].text) and (printed_address(rows[at].text) or not starts_item(rows[at].text)):
            return 0 if self._ends_text(rows[at]) else self._wrapped(rows, at, free)
        first = rows[at]
        if not free or not self._is_title_row(first, view) or runs_on(view, view.lines[first.last], first.style):
            return 0
        count = 1
        while at + count < len(rows) and self._goes_on(rows[at + count - 1], rows[at + count]):
            count += 1
        longest = MAX_CHARACTERS if first.style in self._ranks else MAX_BOLD_CHARACTERS
        return count if count <= free and sum(len(row.text) for row in rows[at : at + count]) <= longest else 0

    def _ends_text(self, row: Row) -> bool:
        """Whether the row is the end of a paragraph, in whose text a title's words stand alone: no bookmark says so."""
        text = row.text.strip()
        plain = row.style == self._profile.body_style and title_key(text) not in self._bookmarks
        return plain and row.above < APART * self._profile.body_pitch and (text[0].islower() or text[-1] == ".")

    def _wrapped(self, rows: Sequence[Row], at: int, free: int) -> int:
        """The number of rows of a title whose first row is confirmed."""
        if title_key(rows[at].text) in self._whole or bare_key(rows[at].text) in self._whole:
            unfinished = free > 1 and is_unfinished(rows[at].text) and self._goes_on(rows[at], rows[at + 1])
            return 2 if unfinished else 1
        count = 1
        while count < free and self._goes_on(rows[at + count - 1], rows[at + count]):
            count += 1
        return count

    def _defined_terms(self, rows: Sequence[Row], view: PageView) -> set[int]:
        """The lines of terms above their meaning: bold rows at the edge of the text, without number or mark, each above
        prose that begins further right; in some of them in several rows, or up to the next term."""
        terms: list[tuple[Row, Row]] = []
        sure: list[tuple[Row, Row]] = []
        for row, first, second in zip(rows, rows[1:], [*rows[2:], None], strict=False):
            inside = round(100 * row.left / view.width) in self._profile.lefts
            indented = first.left - row.left >= TERM_INDENT * row.size and not starts_item(first.text)
            if not inside or not indented or first.style != self._profile.body_style or not self._is_bold(row, view):
                continue
            if printed_address(row.text) is not None:
                continue
            terms.append((row, first))
            if second and (_are_even(first, second) or _are_even(row, second)):
                sure.append((row, first))
        if len(sure) < MIN_TERMS:
            return set()
        alike = [row for row, first in terms if any(_are_even(row, a) and _are_even(first, b) for a, b in sure)]
        return {order for row in alike for order in range(row.first, row.last + 1)}

    def _is_marked_run(self, key: str, texts: Sequence[str]) -> bool:
        """Whether several rows are one confirmed title: word for word, or a number with the title below it."""
        if not key.endswith(self._endings):
            return False
        text = " ".join(texts)
        printed = printed_address(text)
        alone = printed is not None and printed[1] >= len(texts[0]) and printed_address(texts[1]) is None
        alone = alone and not numbers_of(texts[1])
        return key in self._marks or (alone and bare_key(text) in self._marks)

    def _is_title_row(self, row: Row, view: PageView) -> bool:
        if (
            not row.alone
            or not reads_like_title(row.text, row.style)
            or CAPTION.match(row.text)
            or starts_item(row.text)
            or row.first in self._terms
            or title_key(row.text) in REMARKS
        ):
            return False
        if self._is_code(view.lines[row.first : row.last + 1]):
            return False
        printed = printed_address(row.text)
        if (row.style in self._ranks and row.style not in self._large) or self._is_bold(row, view):
            return True
        if printed and label_depth(printed[0]) and (row.style in self._ranks or row.text.isupper()):
            return True
        if title_key(row.text) in CONVENTIONAL and row.above >= APART * self._profile.body_pitch:
            return True
        return self._profile.plain_titles and row.style == self._profile.body_style and self._is_plain(row, view)

    def _is_code(self, lines: Sequence[Line]) -> bool:
        """Whether the lines are monospaced and not bold, perhaps behind the number of a line."""
        longest = max(lines, key=lambda line: len(line.text))
        bold = any(line.bold for line in lines)
        return is_mono(longest) and not bold and not is_mono_font(self._profile.body_style)

    def _is_bold(self, row: Row, view: PageView) -> bool:
        lines = view.lines[row.first : row.last + 1]
        if self._body_bold or row.size < 0.9 * self._profile.body_size or row.style in self._large:
            return False
        return all(line.bold for line in lines)

    def _is_plain(self, row: Row, view: PageView) -> bool:
        line = StandingLine(
            text=row.text, style=row.style, above=row.above, following=row.following, aligned=row.aligned
        )
        return is_plain_title(line, self._profile.body_pitch)

    def _goes_on(self, last: Row, row: Row) -> bool:
        """Whether the title continues in the next row: same style, close below, no number or mark of its own."""
        if last.style == self._profile.body_style or row.style != last.style or not row.alone or row.above > TIGHT:
            return False
        if row.text.startswith("(") and row.text.endswith(")"):
            return False
        return not (printed_address(row.text) or starts_item(row.text) or self._mark(row.text))

    def _looks_like(self, lines: Sequence[Line], text: str, numbered: bool) -> bool:
        if (starts_item(text) and not numbered) or _is_form(lines) or is_date(text) or is_addressed(text):
            return False
        if is_command(text) or all(is_of_signs(line.style) for line in lines):
            return False
        if title_key(text) in REMARKS:
            return False
        if _NAMES.search(text):
            return False
        if (numbered and _is_finding(text)) or (text.startswith("(") and text.endswith(")")):
            return False
        letters = sum(c.isalpha() for c in text)
        printed = printed_address(text) if numbered else None
        of_parts = printed is not None and len(components(printed[0])) > 1
        behind_number = of_parts and lines[0].style in self._large and printed_address(lines[0].text) is not None
        if behind_number or all(line.style in self._large for line in lines):
            sentence = text.endswith(".") and len(text) > MAX_SENTENCE and not numbered
            return letters >= 2 and not sentence and not text.endswith((",", ";"))
        if self._body_bold or not all(line.bold for line in lines) or CAPTION.match(text) or is_unfinished(text):
            return False
        if len(text) > MAX_BOLD_CHARACTERS or lines[0].size < 0.9 * self._profile.body_size or letters < 3:
            return False
        return not text.endswith((",", ";", ".", ":"))

    def _depth(self, lines: Sequence[Line], address: str | None) -> int:
        text = text_of(lines).strip()
        bookmark = self._bookmarks.get(title_key(text)) or self._bookmarks.get(bare_key(text))
        if address and not bookmark:
            return label_depth(address) or min(MAX_DEPTH, len(components(address)))
        mark = self._marks.get(title_key(text))
        known = bookmark or (mark if mark and (mark.nested or lines[0].style not in self._ranks) else None)
        if known:
            return min(MAX_DEPTH, known.level)
        # Titles without a number are below those of their style with one.
        style = lines[0].style
        below = style in self._numbered and (style in self._large or title_key(text) not in CONVENTIONAL)
        return min(MAX_DEPTH, self._ranks.get(style, self._levels + 1) + below)


def _are_even(a: Row, b: Row) -> bool:
    """Whether the rows begin at one edge, in one style."""
    return a.style == b.style and abs(a.left - b.left) < SAME_EDGE_PT


def runs_on(view: PageView, line: Line, style: str) -> bool:
    """Whether `line` ends the first row of a paragraph with a bold beginning: the next line, close below, continues in
    lower case and in another style than `style`."""
    after = view.lines[line.order + 1] if line.order + 1 < len(view.lines) else None
    close = after is not None and 0 < after.y1 - line.y1 <= TIGHT * line.size
    return after is not None and close and after.text[:1].islower() and after.style != style


def _is_form(lines: Sequence[Line]) -> bool:
    """Whether the lines are labels with their values, or simply more lines than a title has."""
    labelled = sum(_LABEL_AND_VALUE.match(line.text) is not None for line in lines)
    return labelled >= max(3, 0.5 * len(lines)) or len({round(line.y1) for line in lines}) > MAX_ROWS


def _is_title(rest: str) -> bool:
    """Whether what follows a number can be its title: some letters, or nothing (a title on the next line)."""
    return not rest or any(c.isalpha() for c in rest)


def _is_finding(text: str) -> bool:
    """A number and a code in brackets, `1. (F) …`: an item of a form."""
    printed = printed_address(text)
    return printed is not None and text[printed[1] :].lstrip().startswith("(")
