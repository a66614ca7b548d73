"""No regular expression takes more than its share of time over a text that was written to hold it up."""

import re
import signal
import time
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager

import pytest

from shared.answering.sentences import split_sentences
from shared.domain.geometry import Rect
from shared.domain.page import Fragment, PageFile
from shared.extraction.grouping import read_grouping
from shared.extraction.titles.tree import CONTINUED, SectionTree
from shared.readers.code.languages import LANGUAGES
from shared.readers.text.charsets import guess
from shared.rereading.charsets import likely_charset
from shared.values.numbers import GROUP, LARGEST, Style, parse_number
from tests.unit import regexes
from tests.unit.regexes import (
    COMMON,
    Found,
    compiled,
    examples_of,
    hostile,
    literal,
    put_together,
    repeated_unsafely,
    seconds,
    units_of,
)

# Linear: 4 times the text, 4 times the time, from the first to the second and from there to the last; quadratic: 16.
SHORT, LONG, LONGEST = 1_500, 6_000, 24_000
GROWTH_MAX = 9
# Taken in turns: what slows one down for a while slows the other down too.
ROUNDS = 5
# Below this there is nothing to measure; a quadratic search of the longer text takes four times as long.
FAST_S = 0.012
PATIENCE_S = 2.0

Use = Callable[[str], object]

# Made of parts when they are needed, over a file's name, a printed number, a query, a table's delimiter or the kinds of
# a line's characters.
PUT_TOGETHER = {
    "domain/version_names.py": 3,
    "extraction/grouping.py": 2,
    "values/numbers.py": 1,
    "extraction/titles/tree.py": 1,
    "readers/pdf/bidi.py": 1,
    "retrieval/codes.py": 1,
    "lexical/spelling.py": 1,
    "rereading/delimited.py": 1,
    "answering/lacking.py": 1,
    "retrieval/rows_behind.py": 1,
    "readers/text/charsets.py": 1,
    "readers/code/languages.py": 1,
    "rereading/charsets.py": 1,
}


class TooSlow(Exception):
    pass


@contextmanager
def patience() -> Generator[None]:
    """Ends what takes this thread longer: an exponential expression would never come back."""
    begun = time.thread_time()

    def stop(_signal: int, _frame: object) -> None:
        if time.thread_time() - begun > PATIENCE_S:
            raise TooSlow

    former = signal.signal(signal.SIGVTALRM, stop)
    # Counts the other threads of this process too, so it may ring early.
    signal.setitimer(signal.ITIMER_VIRTUAL, PATIENCE_S, PATIENCE_S / 10)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, former)


def grows_too_fast(use: Use, units: Iterable[str]) -> str | None:
    """The unit of a text over which it does."""
    for unit in units:
        # As many long units as there are of short ones: it is they that are tried one after the other.
        times = max(1, len(unit) // 4)
        short, long, longest = (hostile(unit, times * length) for length in (SHORT, LONG, LONGEST))
        try:
            with patience():
                if seconds(use, long) <= FAST_S or _growth(use, short, long) <= GROWTH_MAX:
                    continue
            with patience():
                if _growth(use, long, longest) > GROWTH_MAX:
                    return unit
        except TooSlow:
            return unit
    return None


def _growth(use: Use, short: str, long: str) -> float:
    rounds = [(seconds(use, short), seconds(use, long)) for _ in range(ROUNDS)]
    return min(later for _, later in rounds) / min(first for first, _ in rounds)


def test_every_package_that_sees_text_is_searched() -> None:
    packages = {path.parent.name for path in regexes.ROOT.glob("*/__init__.py")}
    assert packages - set(regexes.PACKAGES) == {"adapters", "prompts"}


def test_every_expression_takes_time_in_proportion_to_its_text() -> None:
    every = [*compiled(), *literal()]
    slow = {
        one.place: unit
        for one in every
        if (unit := grows_too_fast(one.use, [*units_of(one.expression), *examples_of(one.pattern)]))
    }
    assert len(every) > 150
    assert slow == {}


@pytest.mark.parametrize("language", LANGUAGES)
def test_comments_and_strings_of_a_language_are_found_in_time_in_proportion_to_the_text(language: str) -> None:
    found = Found(language, LANGUAGES[language].quiet, frozenset({"finditer"}))
    assert grows_too_fast(found.use, [*units_of(found.expression), *examples_of(found.pattern)]) is None


@pytest.mark.parametrize("expression", [r"\s*x\s*$", r"(?:[.]\s*){4,}\d$", r"(?:a|a)*b", r"[a-z]{4,}\.\s"])
def test_an_expression_that_does_not_is_found(expression: str) -> None:
    found = Found("here", re.compile(expression), frozenset({"search"}))
    assert grows_too_fast(found.use, units_of(expression)) is not None


@pytest.mark.parametrize("expression", [r"x y|.*\bwas (?:seen|read)\b[^.;]*\[\d\]\W*$"])
def test_an_expression_that_does_not_over_words_of_its_own_is_found(expression: str) -> None:
    found = Found("here", re.compile(expression), frozenset({"search"}))
    assert grows_too_fast(found.use, examples_of(found.pattern)) is not None


def test_an_example_is_the_shortest_text_of_each_alternative() -> None:
    assert examples_of(re.compile(r"(?:ab|c)d{2}(?=x)|(?P<n>[e-g])\s+\d|x")) == ["abdd", "e 0"]
    assert examples_of(re.compile(r"a[^b](?>c|d)*+e{2,}")) == ["aaee"]


def test_groups_that_are_repeated_possessively_match_the_same_on_every_python() -> None:
    assert repeated_unsafely() == []


def test_expressions_that_are_made_when_needed_are_known() -> None:
    """A further one stands in a module's name, or has its reason above."""
    places = [place.partition(":")[0] for place in put_together()]
    assert {place: places.count(place) for place in places} == PUT_TOGETHER


def _read_number(text: str) -> None:
    for style in Style:
        value = parse_number(text, style)
        assert value is None or value <= LARGEST


def _read_claimed_value(text: str) -> None:
    box = Rect(x=0, y=0, w=1, h=1)
    fragments = [Fragment(id="p1.f1", text=text, box=box, font="Sans", size=10)]
    page = PageFile(page=1, width_pt=1, height_pt=1, route="text", fragments=fragments, extractor_version="test")
    claim = {"name": "mass", "value_fragment_ids": ["f1"], "raw": text, "value": 0.123}
    chunk = {"op": "register_chunk", "fragment_ids": ["f1"], "chunk_type": "text", "attributes": [claim]}
    _, errors = read_grouping(page, {"operations": [chunk]}, "1")
    assert "is not a number in" in " ".join(errors)


def _open_numbered(text: str) -> None:
    tree = SectionTree()
    tree.open_heading("Part A", "", 1, 1)
    tree.open_heading(text, "", 2, 1)
    assert len(tree.sections) == 2


def _find_charset(text: str) -> None:
    data = text.encode("cp1252", "replace")
    assert data.decode(guess(data))
    assert data.decode(likely_charset(data))


@pytest.mark.parametrize(
    ("use", "units"),
    [
        (_read_number, [*GROUP, "1\u00a0", "111'", "111,", "111.", "½"]),
        (_read_claimed_value, ["111,", "111.", "111 ", "111'", "1,1", "1.1", ",111", "1,111.", "."]),
        (_open_numbered, ["A", "A.", "a-", "a1", "A.1", "1.", "Part A ", "a\u2010"]),
        (_find_charset, ["\u00e9", "a\u00e9", "\u00c9a\u2019", "\u201c\u00fc\u201d"]),
    ],
)
def test_what_puts_an_expression_together_takes_time_in_proportion_to_its_text(use: Use, units: list[str]) -> None:
    assert grows_too_fast(use, [*COMMON, *units]) is None


@pytest.mark.parametrize(
    ("text", "value"), [("1\u00a0234\u00a0567", 1234567), ("12'345", 12345), ("0" * 80 + "7", None)]
)
def test_a_number_is_read_over_its_groups_up_to_some_length(text: str, value: float | None) -> None:
    assert parse_number(text, Style.POINT) == value


@pytest.mark.parametrize(
    ("title", "bare"),
    [
        ("3.1 Brakes (continued)", "3.1 Brakes"),
        ("Brakes - continued", "Brakes"),
        ("Brakes , cont'd.", "Brakes"),
        ("Brakes  –  [cont.]  ", "Brakes"),
        ("Brakes continue", "Brakes continue"),
        ("To be continued elsewhere", "To be continued elsewhere"),
    ],
)
def test_a_continued_title_is_the_title(title: str, bare: str) -> None:
    assert CONTINUED.sub("", title) == bare


def test_a_cell_that_tells_a_sentence_is_split_and_one_of_few_words_is_not() -> None:
    told = "The brake disc weighs four kg. It is made of steel and may be replaced during the event."
    assert len(split_sentences(told)) == 2
    assert split_sentences("4 kg") == ["4 kg"]
