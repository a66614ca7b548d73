"""Which words ask for an earlier version of a document, and what is left to look for."""

import pytest

from shared.retrieval.previous import VersionWish, read_wish


@pytest.mark.parametrize(
    ("text", "rest", "several", "compares"),
    [
        ("What did the previous edition say about 5.3?", "What did say about 5.3?", False, False),
        ("minimum mass in the prior version", "minimum mass", False, False),
        ("5.3 of earlier  editions", "5.3", True, False),
        ("The previous edition's fees", "fees", False, False),
        ("What changed in 5.3 since the previous revision?", "What changed in 5.3 ?", False, True),
        ("Are fees higher than in the previous release?", "Are fees higher than ?", False, True),
        ("What changed since the last edition?", "What changed ?", False, True),
    ],
)
def test_what_is_asked_of_earlier_versions(text: str, rest: str, several: bool, compares: bool) -> None:
    assert read_wish(text) == VersionWish(rest, several, compares)


@pytest.mark.parametrize(
    "text",
    [
        "the latest edition",
        "fees in the last edition",
        "previous owners of the edition",
        "version 2 of the rules",
        "a previous conviction",
        "",
    ],
)
def test_other_words_ask_for_no_version(text: str) -> None:
    assert read_wish(text) is None


def test_words_that_name_nothing_else_stay() -> None:
    assert read_wish("The previous edition?") == VersionWish("The previous edition?", several=False, compares=False)
