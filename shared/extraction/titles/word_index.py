"""The alphabetical index at the end of a book: skipped, since every entry refers to a page or rule of the document
itself, and in a search would stand before what it refers to."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import pairwise
from string import ascii_uppercase

from shared.domain.operations import Skip
from shared.domain.sketch import Profile
from shared.extraction.page_view import Line, PageView, ids_of

MIN_ENTRIES = 12
# Shares: of entries among the lines, of entries that list several places, of those whose places ascend, and of lines in
# alphabetical order (entries below an entry begin anew; chance gives a third).
ENTRIES, SEVERAL, ASCENDING, SORTED = 0.6, 0.2, 0.9, 0.6
# Share in alphabetical order where hardly an entry lists several places, and of entries with leaders to one.
SORTED_ALONE, LED = 0.85, 0.8
# Share of the places that are before the place of the entry above: of lists of things with numbers, and of what a
# further sign tells to be an index.
FALLING, FALLING_SIGNED = 0.2, 0.05
# Such signs: letters that stand above the words with them, at least; the share of entries that list several places.
MIN_LETTERS, SOME = 2, 0.1
# Dots of a leader, at least.
MIN_DOTS = 4
# Greatest distance of a place from its leader, in type sizes.
NEAR = 4.0
_PLACE = r"[A-Z]{0,3}[.\-]?\d{1,4}(?:[.\-\u2013]\d{1,4})*[a-z]?(?:ff?|n)?\.?"
_ENTRY = re.compile(rf"^(?P<word>[^\d]{{2,80}}?)[,:.\s\u2026]+(?P<places>{_PLACE}(?:[,;]\s*{_PLACE}|(?!))*+)[,;]?$")
_LED = re.compile(rf"^(?P<word>.{{1,80}}?)\s?(?:\.\s?){{4,}}\s*(?P<places>{_PLACE}(?:[,;]\s*{_PLACE}|(?!))*+)$")
_MORE = re.compile(rf"^(?:(?:\.\s?){{4,}}\s*)?{_PLACE}(?:[,;]\s*{_PLACE})*[,;]?$")
_LEADER = re.compile(r"^(?:\.\s?){4,}$")
_TITLE = re.compile(
    r"^\W*(?:(?:alphabetical|author|command|concept|function|general|keyword|name|subject|topic|word)\s)?index\W*$"
    r"|^\W*(?:index (?:of|general|alphab)|(?:sach|stichwort|namens?|personen)(?:register|verzeichnis)|register\W*$"
    r"|(?:indice|\u00edndice) (?:anal|alfab)|zakenregister|trefwoorden)",
    re.I,
)
_SEE = re.compile(r"^(?:[^\d]{2,60}[.,;(]\s*)?see (?:also )?[^\d]{2,80}$", re.I)
_SEVERAL = re.compile(r"[,;]\s")
_LETTERS = frozenset(ascii_uppercase)
_LETTER = re.compile(r"^(?:[A-Z]|[A-Z]\s?[\u2013-]\s?[A-Z])$")


def skip_word_index(view: PageView, profile: Profile) -> list[Skip]:
    """Returns a skip for the entries of an index, and takes their lines. It stands in the second half of its book: its
    lines are words in alphabetical order, each with places, of which many have several, from the first to the last."""
    if 2 * view.page.page <= profile.pages:
        return []
    rows = _joined(view.free)
    whole = _with_places(rows)
    lettered = _letters([*map(_text, whole)]) >= MIN_LETTERS
    titled = any(_TITLE.match(fragment.text) for fragment in view.page.fragments)
    signed = lettered or titled or _list_places([*map(_text, whole)])
    rows = whole if signed else rows
    texts = [*map(_text, rows)]
    entries = [at for at, text in enumerate(texts) if _entry(text)]
    if len(entries) < MIN_ENTRIES or not _is_index(
        texts[entries[0] : entries[-1] + 1], profile.pages, signed=signed, lettered=lettered
    ):
        return []
    first, last = entries[0], entries[-1]
    while first and _belongs(texts[first - 1]):
        first -= 1
    while last + 1 < len(texts) and _belongs(texts[last + 1]):
        last += 1
    lines = [line for row in rows[first : last + 1] for line in row]
    view.take(lines)
    return [Skip(fragment_ids=ids_of(lines), reason="contents")]


def _text(row: Sequence[Line]) -> str:
    return " ".join(line.text for line in row)


def _joined(lines: Sequence[Line]) -> list[list[Line]]:
    """Lines in reading order, with what follows on the same level, such as page numbers in a column."""
    rows: list[list[Line]] = []
    for line in lines:
        if rows and _MORE.match(line.text) and _is_behind(line, rows[-1][-1]):
            rows[-1].append(line)
        else:
            rows.append([line])
    return rows


def _is_behind(line: Line, before: Line) -> bool:
    return before.y0 <= line.middle <= before.y1 and line.x0 >= before.x1 - 1


def _with_places(rows: Sequence[Sequence[Line]]) -> list[list[Line]]:
    """The rows, with leaders that follow their words as lines of their own, and behind each leader the place that is
    near it and was read elsewhere."""
    found: list[list[Line]] = []
    for row in rows:
        if found and _LEADER.match(row[0].text) and _is_behind(row[0], found[-1][-1]):
            found[-1] += row
        else:
            found.append([*row])
    places = sorted((row[0] for row in found if len(row) == 1 and _MORE.match(row[0].text)), key=lambda line: line.y0)
    tallest = max((place.height for place in places), default=0.0)
    joined: set[int] = set()
    for row in found:
        end = row[-1]
        if _ends_in_leader(end.text):
            first = bisect_left(places, end.middle - tallest, key=lambda line: line.y0)
            last = bisect_right(places, end.middle, key=lambda line: line.y0)
            near = (x for x in places[first:last] if end.middle <= x.y1 and 0 <= x.x0 - end.x1 <= NEAR * x.size)
            place = next((x for x in near if x.order not in joined), None)
            if place:
                joined.add(place.order)
                row.append(place)
    return [row for row in found if len(row) > 1 or row[0].order not in joined]


def _ends_in_leader(text: str) -> bool:
    return text[len(text.rstrip(". ")) :].count(".") >= MIN_DOTS


def _letters(texts: Sequence[str]) -> int:
    """How many letters stand above words that begin with them."""
    return sum(one in _LETTERS and word[:1].upper() == one for one, word in pairwise(texts))


def _list_places(texts: Sequence[str]) -> bool:
    """Whether some entries list several places."""
    entries = [matched for text in texts if (matched := _entry(text))]
    several = sum(_SEVERAL.search(one["places"]) is not None for one in entries)
    return several >= max(1, SOME * len(entries))


def _belongs(text: str) -> bool:
    return any(pattern.match(text) for pattern in (_LETTER, _MORE, _SEE))


def _entry(text: str) -> re.Match[str] | None:
    """The word and the places of an entry; with leaders the word may have digits."""
    return _ENTRY.match(text) or _LED.match(text)


def _is_index(texts: Sequence[str], pages: int, *, signed: bool, lettered: bool) -> bool:
    """Below letters words are sorted enough if most are: a page may have the end of one index and the beginning of
    another, and signs and first words of commands count nothing in their order."""
    found = [matched for text in texts if (matched := _entry(text))]
    lists = [numbers for one in found if len(numbers := _numbers(one["places"])) > 1]
    ascending = sum(numbers == sorted(numbers) for numbers in lists)
    words = [text for text in texts if not _LETTER.match(text) and not _MORE.match(text)]
    least = SORTED if lettered else SORTED_ALONE
    several = len(lists) >= SEVERAL * len(found) and _sorted_share(words, 3) >= SORTED
    return (
        sum(map(_belongs, texts)) + len(found) >= ENTRIES * len(texts)
        and ascending >= ASCENDING * len(lists)
        and (several or (_sorted_share(words, 2 if signed else 3) >= least and _lead_back(found, pages, signed)))
    )


def _lead_back(entries: Sequence[re.Match[str]], pages: int, signed: bool) -> bool:
    """Whether leaders lead to pages of the document, which do not ascend as those of contents do."""
    led = [int(one["places"]) for one in entries if _LED.match(one.string) and one["places"].isdecimal()]
    falling, least = sum(a > b for a, b in pairwise(led)), FALLING_SIGNED if signed else FALLING
    return len(led) >= LED * len(entries) and max(led) <= pages and falling >= least * len(led)


def _numbers(places: str) -> list[tuple[str, int]]:
    """The first number of each place, behind its letters: pages of one numbering ascend."""
    found = (re.match(r"(\D*)(\d+)", one.strip()) for one in re.split("[,;]", places))
    return [(one[1], int(one[2])) for one in found if one]


def _sorted_share(words: Sequence[str], letters: int) -> float:
    """The length of the longest sequence in alphabetical order, by so many letters, as a share."""
    keys = ["".join(c for c in word.lower() if c.isalpha())[:letters] for word in words]
    ends: list[str] = []
    for key in keys:
        at = bisect_right(ends, key)
        ends[at : at + 1] = [key]
    return len(ends) / len(keys) if keys else 0.0
