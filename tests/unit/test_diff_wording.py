import pytest

from shared.library.diff_wording import is_small
from shared.library.diff_words import words


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("The sails, masts and oars are free.", "Sails, masts, and oars are free"),
        ("A boat which carries the horn", "Boats that carry a horn"),
        ("It organises the colour of travelled metres", "it organizes color of traveled meters"),
        ("the cata-\nmaran's hull", "catamaran hull"),
    ],
)  # fmt: skip
def test_articles_signs_spelling_and_plurals_are_small(before: str, after: str) -> None:
    assert is_small(words(before), words(after))
    assert is_small(words(after), words(before))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("The wing is red.", "The fin is red."),
        ("The crew warns the jury.", "The jury warns the crew."),
        ("horns and bells", "horns or bells"),
        ("before the start", "after the start"),
        ("It can be towed.", "It will be towed."),
        ("The boat is at -5 m.", "The boat is at 5 m."),
        ("x < 5", "x > 5"),
        ("the law of the US", "the law of us"),
        ("The boat is dry when weighed.", "The boat is dry."),
        ("filling the tank", "filing the tank"),
        ("an encrypted key", "an encrypting key"),
    ],
)
def test_any_other_word_is_not(before: str, after: str) -> None:
    assert not is_small(words(before), words(after))
    assert not is_small(words(after), words(before))
