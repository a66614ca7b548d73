"""Printed contents found by their structure: close rows of addresses and titles that stand elsewhere, in the same
order, above text of their own. Page numbers, leaders and a title above are not needed."""

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from shared.domain.sketch import MAX_KEY, ContentsRun, NumberedLine

MIN_ENTRIES = 3
# Most characters between two entries: the rest of a wrapped title, or the footer and header of a page.
MAX_BETWEEN = 160
# Least share of a run's entries that stand elsewhere in the same order, and of those the share with text below them:
# most headings of a tree are leaves.
IN_ORDER = 0.7
WITH_TEXT = 0.4
MIN_TEXT = 40
TIMES_WIDER = 3
# Titles are compared when they have this many letters and digits; one that is cut by its line's end must have more.
MIN_KEY = 4
MIN_CUT = 20
# What occurs more often is a running line or the answers of a form.
MAX_OCCURRENCES = 6


class _Row(NamedTuple):
    page: int
    line: NumberedLine
    start: int
    end: int


def contents_runs(numbered: Mapping[int, tuple[int, Sequence[NumberedLine]]]) -> list[ContentsRun]:
    """The runs of entries on each page, by what its sketch says: (characters, rows that begin with an address)."""
    return list(_Search(numbered).runs())


class _Search:
    def __init__(self, numbered: Mapping[int, tuple[int, Sequence[NumberedLine]]]) -> None:
        self._rows: list[_Row] = []
        before = 0
        for page in sorted(numbered):
            characters, lines = numbered[page]
            self._rows += [_Row(page, x, before + x.at, before + x.at + x.length) for x in lines]
            before += characters
        self._twins = self._find_twins()
        self._after = self._text_after()
        self._listed: set[int] = set()
        self._shifts: Counter[int] = Counter()

    def runs(self) -> Iterator[ContentsRun]:
        """The longest first: what a long run lists cannot prove a shorter one."""
        for rows in sorted(self._segments(), key=lambda rows: (-len(rows), rows[0])):
            entries = self._entries(rows)
            if entries:
                self._shifts.update(self._shifts_of(rows))
                self._listed.update(rows[entries[0] : entries[-1] + 1])
                yield from self._per_page(rows[entries[0] : entries[-1] + 1])

    def _find_twins(self) -> list[list[int]]:
        alike: dict[tuple[str, str], list[int]] = defaultdict(list)
        for number, row in enumerate(self._rows):
            if len(row.line.title) >= MIN_KEY:
                alike[row.line.address, row.line.title[:MIN_KEY]].append(number)
        twins: list[list[int]] = [[] for _ in self._rows]
        for same in alike.values():
            for one in same if len(same) <= MAX_OCCURRENCES else ():
                title = self._rows[one].line.title
                twins[one] = [x for x in same if x != one and _same_title(title, self._rows[x].line.title)]
        return twins

    def _text_after(self) -> list[int]:
        """Characters between each row and the next one that stands elsewhere too."""
        after = [MAX_BETWEEN + 1] * len(self._rows)
        following: int | None = None
        for number in range(len(self._rows) - 1, -1, -1):
            if following is not None:
                after[number] = following - self._rows[number].end
            if self._twins[number]:
                following = self._rows[number].start
        return after

    def _segments(self) -> list[list[int]]:
        """Runs of close rows that all stand elsewhere, and not in the run itself."""
        found: list[list[int]] = []
        for number, row in enumerate(self._rows):
            if not self._twins[number]:
                continue
            last = found[-1] if found else []
            close = last and last[-1] == number - 1 and row.start - self._rows[number - 1].end <= MAX_BETWEEN
            if close and not any(last[0] <= twin < number for twin in self._twins[number]):
                last.append(number)
            else:
                found.append([number])
        return found

    def _entries(self, rows: Sequence[int]) -> list[int]:
        """Positions in `rows` of those that stand elsewhere in the same order; [] where `rows` are no contents."""
        if len(rows) < MIN_ENTRIES:
            return self._few_entries(rows)
        elsewhere = [self._heading(row) for row in rows]
        entries = _increasing(elsewhere)
        between = sorted(self._after[row] for row in rows)[len(rows) // 2]
        with_text = sum(self._after[elsewhere[at]] > max(MIN_TEXT, TIMES_WIDER * between) for at in entries)
        proven = len(entries) >= max(MIN_ENTRIES, IN_ORDER * len(rows)) and with_text >= WITH_TEXT * len(entries)
        return entries if proven else []

    def _few_entries(self, rows: Sequence[int]) -> list[int]:
        """All of one or two rows, if they name their headings' pages as the long runs do."""
        usual = [shift for shift, count in self._shifts.most_common(1) if count >= MIN_ENTRIES]
        named = self._shifts_of(rows)
        return list(range(len(rows))) if len(named) == len(rows) and set(named) <= set(usual) else []

    def _shifts_of(self, rows: Sequence[int]) -> list[int]:
        """How much further than the printed page number is the page of each row's heading."""
        pairs = [(self._rows[row].line.label, self._heading(row)) for row in rows]
        return [self._rows[heading].page - label for label, heading in pairs if label is not None and heading >= 0]

    def _heading(self, row: int) -> int:
        """The twin with the most text below it; -1 where all are entries of contents."""
        twins = [twin for twin in self._twins[row] if twin not in self._listed]
        return max(twins, key=lambda twin: (self._after[twin], twin), default=-1)

    def _per_page(self, rows: Sequence[int]) -> Iterator[ContentsRun]:
        pages: dict[int, list[NumberedLine]] = defaultdict(list)
        for row in rows:
            pages[self._rows[row].page].append(self._rows[row].line)
        for page, lines in pages.items():
            yield ContentsRun(page=page, first=min(x.first for x in lines), last=max(x.last for x in lines))


def _same_title(a: str, b: str) -> bool:
    """Whether the titles are equal, or one of them is cut off by the end of its line."""
    short, long = sorted((a, b), key=len)
    rest = len(long) - len(short)
    cut = len(short) >= MIN_CUT and (rest >= MIN_KEY or len(long) == MAX_KEY)
    return a == b or (cut and long.startswith(short))


def _increasing(values: Sequence[int]) -> list[int]:
    """Positions of a longest increasing subsequence of `values`, without the negative ones."""
    tails: list[int] = []
    ends: list[int] = []
    before: dict[int, int | None] = {}
    for position, value in enumerate(values):
        if value < 0:
            continue
        at = bisect_left(tails, value)
        tails[at : at + 1] = [value]
        before[position] = ends[at - 1] if at else None
        ends[at : at + 1] = [position]
    chain: list[int] = []
    step = ends[-1] if ends else None
    while step is not None:
        chain.append(step)
        step = before[step]
    return chain[::-1]
