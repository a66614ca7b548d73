"""Which thing a query asks the meaning or the purpose of, and which titles name it."""

import pytest

from shared.retrieval.titled import asked_term, title_matcher


@pytest.mark.parametrize(
    ("query", "term"),
    [
        ("What is meant by Assertion Reference?", "Assertion Reference"),
        ("What is the purpose of /opt?", "/opt"),
        ("what is /srv for?", "/srv"),
        ("What is a pit lane used for?", "a pit lane"),
        ("What are assertions?", "assertions"),
        ("What does IAL stand for?", "IAL"),
        ("what does “access” mean?", "“access”"),
        ("Define replay attack.", "replay attack"),
        ("The meaning of words", "The meaning of words"),
        ("definition of entropy", "entropy"),
        ("Was bedeutet Zugang?", "Zugang"),
        ("Rear wings", "Rear wings"),
        ("How wide may the rear wing be?", "How wide may the rear wing be?"),
    ],
)
def test_a_query_asks_the_meaning_of_something_or_is_its_name(query: str, term: str) -> None:
    assert asked_term(query) == term


@pytest.mark.parametrize(
    ("term", "title"),
    [
        ("assertions", "Assertion"),
        ("a pit lane", "The pit lanes"),
        ("/opt", "/opt : Add-on application software packages"),
        ("IAL", "Identity Assurance Level (IAL)"),
        ("identity assurance level", "Identity Assurance Level (IAL)"),
        ("Kestrel", "Kestrel — a small kite"),
        ("Kestrel", "Kestrel - a small kite"),
        ("SP 800-63B", "SP 800-63B"),
        ("GA-37V compressors", "GA-37V compressor (discontinued)"),
        ("l'aile", "L'aile"),
        ("1,000 mm rule", "1,000 mm rule"),
    ],
)
def test_a_title_names_what_it_says_before_and_within_brackets_and_signs(term: str, title: str) -> None:
    assert title_matcher(term)(title)


@pytest.mark.parametrize(
    ("term", "title"),
    [
        ("access", "Access control"),
        ("access control", "Access"),
        ("opt", "/var/opt : Variable data for /opt"),
        ("small kite", "Kestrel — a small kite"),
        ("kestrel", "Semi-kestrel"),
        ("the", "The"),
        ("", ""),
    ],
)
def test_other_titles_do_not(term: str, title: str) -> None:
    assert not title_matcher(term)(title)
