"""No regular expression takes more than its share of time over a text that was written to hold it up."""

import re
import signal
from collections.abc import Generator
from contextlib import contextmanager

import pytest

from shared.answering.sentences import split_sentences
from shared.extraction.section_tree import CONTINUED
from tests.unit.regexes import Found, compiled, hostile, literal, put_together, seconds

SHORT, LONG = 1_500, 6_000
# Linear: 4 times the text, 4 times the time; quadratic: 16 times.
GROWTH_MAX = 9
# Below this there is nothing to measure; a quadratic search of the longer text takes four times as long.
FAST_S = 0.012
PATIENCE_S = 2.0

# Made of parts when they are needed, over a file's name, a printed number or the kinds of a line's characters.
PUT_TOGETHER = {
    "domain/version_names.py": 3,
    "extraction/grouping.py": 2,
    "extraction/numbers.py": 1,
    "extraction/section_tree.py": 1,
    "readers/pdf_bidi.py": 1,
}


class TooSlow(Exception):
    pass


@contextmanager
def patience() -> Generator[None]:
    """Ends what takes longer: an exponential expression would never come back."""

    def stop(_signal: int, _frame: object) -> None:
        raise TooSlow

    former = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, PATIENCE_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, former)


def grows_too_fast(found: Found) -> str | None:
    """The beginning of a text over which it does."""
    texts = zip(hostile(found.pattern.pattern, SHORT), hostile(found.pattern.pattern, LONG), strict=True)
    for short, long in texts:
        try:
            with patience():
                if seconds(found, long) > FAST_S and all(_is_disproportionate(found, short, long) for _ in range(3)):
                    return short[:8]
        except TooSlow:
            return short[:8]
    return None


def _is_disproportionate(found: Found, short: str, long: str) -> bool:
    """Asked again where it is: another process may have been in the way."""
    return min(seconds(found, long) for _ in range(3)) > GROWTH_MAX * min(seconds(found, short) for _ in range(3))


def test_every_expression_takes_time_in_proportion_to_its_text() -> None:
    every = [*compiled(), *literal()]
    slow = {found.place: text for found in every if (text := grows_too_fast(found)) is not None}
    assert len(every) > 150
    assert slow == {}


@pytest.mark.parametrize("expression", [r"\s*x\s*$", r"(?:[.]\s*){4,}\d$", r"(?:a|a)*b", r"[a-z]{4,}\.\s"])
def test_an_expression_that_does_not_is_found(expression: str) -> None:
    assert grows_too_fast(Found("here", re.compile(expression), frozenset({"search"}))) is not None


def test_expressions_that_are_made_when_needed_are_known() -> None:
    """A further one stands in a module's name, or has its reason above."""
    places = [place.partition(":")[0] for place in put_together()]
    assert {place: places.count(place) for place in places} == PUT_TOGETHER


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
