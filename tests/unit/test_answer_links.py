"""What of a link is not shown in a quotation."""

import pytest

from shared.answering.links import link_marks


def shown(text: str) -> str:
    """What is left to see."""
    hidden = {at for start, end in link_marks(text) for at in range(start, end)}
    return "".join(letter for at, letter in enumerate(text) if at not in hidden)


@pytest.mark.parametrize(
    ("written", "seen"),
    [
        ("See [section 5.2](#throttle).", "See section 5.2."),
        ('A [page](https://a.example/b_(c) "Title") and [another](<x y>)', "A page and another"),
        ("As [“Installation”][installation] says", "As “Installation” says"),
        ("![A wing](wing.png) [![Badge](b.svg)](https://a.example)", "A wing Badge"),
        ("[*strong* [1]](x)", "*strong* [1]"),
        ("an [array][0] and a [note] (aside)", "an [array][0] and a [note] (aside)"),
        ("code `a[i](x)` and [b](c)", "code `a[i](x)` and b"),
        (r"not \[a](b)", r"not \[a](b)"),
        ("none", "none"),
    ],
)
def test_brackets_and_targets_of_links_are_not_shown(written: str, seen: str) -> None:
    assert shown(written) == seen


def test_many_brackets_are_read_in_time_proportional_to_the_text() -> None:
    assert link_marks("[" * 20_000 + "](" * 20_000) == []
