from uuid import UUID

import pytest

from shared.library.changes import changes_of
from shared.store.diff import HashedChunk


def version(words: str, number: int) -> list[HashedChunk]:
    """A chunk per letter; capitals are rows of a table."""
    return [
        HashedChunk(UUID(int=number * 1000 + at), letter, "table_row" if letter.isupper() else "text", at)
        for at, letter in enumerate(words)
    ]


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("abc", "abc", []),
        ("abc", "axc", [("changed", "b", "x")]),
        ("abc", "abxc", [("added", "", "x")]),
        ("abc", "ac", [("removed", "b", "")]),
        ("abc", "xabc", [("added", "", "x")]),
        ("abcd", "axyd", [("changed", "b", "x"), ("changed", "c", "y")]),
        ("abcd", "axd", [("changed", "b", "x"), ("removed", "c", "")]),
        ("abc", "cab", []),
        ("aab", "ab", [("removed", "a", "")]),
        ("aBcD", "aBcE", [("changed", "D", "E")]),
        ("", "a", [("added", "", "a")]),
    ],
)
def test_what_stands_between_the_same_neighbours_has_changed(
    before: str, after: str, said: list[tuple[str, str, str]]
) -> None:
    old, new = version(before, 1), version(after, 2)
    words = {one.id: one.content_hash for one in [*old, *new]}
    found = [
        (one.change, words[one.before_id] if one.before_id else "", words[one.id] if one.id else "")
        for one in changes_of(old, new)
    ]
    assert found == said
