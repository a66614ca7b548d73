"""Quotes and stars in a query; whatever is neither is text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.lexical.syntax import ParsedQuery, has_phrase, parse_query, plain_text


@pytest.mark.parametrize(
    ("query", "phrases", "prefixes"),
    [
        ('"ground clearance"', ("ground clearance",), ()),
        ('the "Ground\n Clearance" of "GA\u201137"', ("ground clearance", "ga-37"), ()),
        ("\u201eBodenfreiheit\u201c", ("bodenfreiheit",), ()),
        ("«garde au sol»", ("garde au sol",), ()),
        ("recharg* batter*", (), ("recharg", "batter")),
        ("GA-3*", (), ("ga-3",)),
        ('"', (), ()),
        ('""', (), ()),
        ('"..."', (), ()),
        ('say "this', (), ()),
        ("5 * 3", (), ()),
        ("ab*", (), ()),
        ("**bold**", (), ()),
        ("* star", (), ()),
    ],
)
def test_phrases_and_beginnings(query: str, phrases: tuple[str, ...], prefixes: tuple[str, ...]) -> None:
    parsed = parse_query(query)
    assert (parsed.phrases, parsed.prefixes) == (phrases, prefixes)


def test_a_phrase_stays_in_the_text_and_a_beginning_does_not() -> None:
    assert parse_query('"ground clearance" recharg*').text.split() == ['"ground', 'clearance"']


@given(st.text(alphabet='ab "*\u201c«.-\n', max_size=60))
def test_no_query_fails(query: str) -> None:
    assert isinstance(parse_query(query), ParsedQuery)


@pytest.mark.parametrize(
    ("text", "phrase", "found"),
    [
        ("The ground\nclearance is", "ground clearance", True),
        ("background clearance", "ground clearance", False),
        ("ground clearances", "ground clearance", False),
        ("(GA-37)", "ga-37", True),
        ("GA-370 and GA-37", "ga-37", True),
        ("GA-370", "ga-37", False),
        ("is 31.25", "31.2", False),
    ],
)
def test_a_phrase_begins_and_ends_with_words(text: str, phrase: str, found: bool) -> None:
    assert has_phrase(plain_text(text), phrase) is found
