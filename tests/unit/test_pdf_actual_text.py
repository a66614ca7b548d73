"""Replacement text against what is drawn in its place: the reader's rule, by the same cases as that of `verify`."""

from types import SimpleNamespace
from typing import Any, cast

import pymupdf
import pytest

from shared.domain.raw_page import RawCharacter
from shared.readers.pdf.actual_text import says_other_letters
from tests.unit.test_verify_drawn import CASES, Placed, characters, word


def read(*lines: list[RawCharacter]) -> pymupdf.TextPage:
    """A page as the library has read it: its lines, and a picture among its blocks."""
    text = "\n".join("".join([one.text for one in line]) for line in lines)
    found = [{"bbox": _around(line), "spans": [{"chars": [_raw(one) for one in line]}]} for line in lines if line]
    blocks: dict[str, Any] = {"blocks": [{"type": 1}, {"lines": found}]}
    return cast(pymupdf.TextPage, SimpleNamespace(extractText=lambda: text, extractRAWDICT=lambda: blocks))


def _raw(one: RawCharacter) -> dict[str, Any]:
    return {"c": one.text, "bbox": one.box}


def _around(line: list[RawCharacter]) -> tuple[float, ...]:
    lefts, tops, rights, bottoms = zip(*[one.box for one in line], strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)


@pytest.mark.parametrize("upwards", [False, True])
@pytest.mark.parametrize(("drawn", "said", "unread", "undrawn"), CASES)
def test_replacement_text_says_what_is_drawn_at_each_place(
    drawn: list[Placed], said: list[Placed], unread: str, undrawn: str, upwards: bool
) -> None:
    """Where the two say the same, in whatever places, there is nothing to ask."""
    these, those = read(characters(said, upwards=upwards)), read(characters(drawn, upwards=upwards))
    same = [letter for letter, *_ in drawn] == [letter for letter, *_ in said]
    assert says_other_letters(these, those) is (bool(unread or undrawn) and not same)


@pytest.mark.parametrize(
    ("drawn", "said", "other"),
    [
        (word("fee 54"), word("fee 45"), True),
        (word("fee 54"), [*word("fee 5"), (" ", 150, 0), *word("4", 150)], False),
        (word("fee  "), word("fee -"), False),
        (word("fee"), word("fee of"), True),
        (word("fee of"), word("fee"), True),
    ],
)
def test_other_lines_of_the_page_do_not_count(drawn: list[Placed], said: list[Placed], other: bool) -> None:
    other_line = characters(word("fee 45"), 80, 90)
    assert says_other_letters(read(characters(said), other_line), read(characters(drawn), other_line)) is other
