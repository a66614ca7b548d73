"""What kind of difference there is between a line and what the second reader has in its place."""

from collections.abc import Sequence
from typing import Any, get_args

import pytest

from shared.domain.geometry import Rect
from shared.domain.page import Fragment
from shared.domain.raw_page import Glyph
from shared.domain.verify import Difference, VerifyReport
from shared.verify.ground import Edges
from shared.verify.second_reader import SecondReading, is_other_decoding, is_other_text

# The line reaches from .1 to .9 and from .3 to .4; its glyphs stand in the middle, .01 apart.
LINE = Rect(x=0.1, y=0.3, w=0.8, h=0.1)


def fragment(text: str, box: Rect = LINE, **more: Any) -> Fragment:
    return Fragment(id="p1.f1", text=text, box=box, font="Sans", size=8.0, **more)


def glyphs(text: str, y: float = 0.35, left: float = 0.2) -> list[Glyph]:
    marks = [(n, c) for n, c in enumerate(text) if not c.isspace()]
    return [Glyph(c, left + 0.01 * n, y, n > 0 and text[n - 1] == " ") for n, c in marks]


@pytest.mark.parametrize(
    ("ours", "theirs", "kind"),
    [
        ("one two", "one two", None),
        ("one two", " one two", None),
        ("one two", "onetwo", "spacing"),
        ("one  two", "one two", None),
        ("of\ufb01ce", "office", "ligature"),
        ("\uff21\u00a0B", "A B", "ligature"),
        ("10\u2011\u00ad20", "10-20", "hyphen"),
        ("10-20", "10\u2212\u201020", "hyphen"),
        ("10-20", "1020", "hyphen"),
        ("abc", "cab", "order"),
        ("a-bc", "cab", "order"),
        ("abc", "ab", "missing"),
        ("abc", "abcd", "extra"),
        ("abc", "abd", "missing"),
        ("ab(c)", "ab)c(", "order"),
        ("a(b", "a)b", "order"),
        ("a]b\u00bb{c}", "a[b\u00ab}c{", "order"),
        ("a(b", "a[b", "missing"),
        ("a\ufffdb", "axb", "unmapped"),
        ("a\ue000b", "axb", "unmapped"),
        ("a\u0378b", "axb", "unmapped"),
        ("a\x01b", "axb", "unmapped"),
        ("a\ufffdb", "axyb", "unmapped"),
        ("axb", "a\ufffdb", "unmapped"),
        ("axb", "a\ue000\u0378b", "unmapped"),
        ("axyb", "a\ufffdb", "missing"),
        ("a\ufffdxb", "ab", "missing"),
        ("axb", "a\ufffdyb", "missing"),
        ("abc", "abc\ufffd", "extra"),
        # A mark is of no letter where a blank stands before it, and of another for each reader.
        ("the \u0300un", "the un\u0300", "order"),
        ("caf\u00e9", "cafe\u0301", "ligature"),
        ("caf\u00e9", "cafe", "missing"),
        ("cafe", "caf\u00e9", "extra"),
    ],
)
def test_each_difference_has_its_kind(ours: str, theirs: str, kind: str | None) -> None:
    reading = SecondReading(glyphs(theirs), [fragment(ours)])
    assert reading.difference(fragment(ours)) == (kind, "".join(theirs.split()))


@pytest.mark.parametrize(
    ("theirs", "kind"), [("ab", "invisible"), ("abcd", "invisible"), ("cab", "order"), ("abc", None)]
)
def test_text_that_is_not_drawn_may_be_read_otherwise(theirs: str, kind: str | None) -> None:
    line = fragment("abc", invisible=True)
    assert SecondReading(glyphs(theirs), [line]).difference(line)[0] == kind


@pytest.mark.parametrize(
    ("other", "kind"),
    [
        (fragment("x y", Rect(x=0.85, y=0.35, w=0.1, h=0.1)), None),
        (fragment("x y", Rect(x=0.05, y=0.25, w=0.1, h=0.1)), None),
        (fragment("x-\uff59", Rect(x=0.85, y=0.35, w=0.1, h=0.1)), None),
        (fragment("x", Rect(x=0.85, y=0.35, w=0.1, h=0.1)), "extra"),
        (fragment("x y", Rect(x=0.9, y=0.35, w=0.05, h=0.1)), "extra"),
        (fragment("x y", Rect(x=0.05, y=0.35, w=0.05, h=0.1)), "extra"),
        (fragment("x y", Rect(x=0.85, y=0.4, w=0.1, h=0.1)), "extra"),
        (fragment("x y", Rect(x=0.85, y=0.25, w=0.1, h=0.05)), "extra"),
        (fragment("x y", Rect(x=0.85, y=0.35, w=0.1, h=0.1), ocr=True), "extra"),
    ],
)
def test_letters_of_a_line_that_reaches_into_the_box_are_no_difference(other: Fragment, kind: str | None) -> None:
    line = fragment("abc")
    assert SecondReading(glyphs("abxyc"), [line, other]).difference(line)[0] == kind
    assert SecondReading(glyphs("xyacb"), [line, other]).difference(line)[0] == (kind or "order")


@pytest.mark.parametrize(
    ("x", "y", "inside"),
    [
        (0.1, 0.35, True),
        (0.9, 0.35, True),
        (0.5, 0.3, True),
        (0.5, 0.4, True),
        (0.09999, 0.35, True),
        (0.90001, 0.35, True),
        (0.5, 0.29999, True),
        (0.5, 0.40001, True),
        (0.09997, 0.35, False),
        (0.90003, 0.35, False),
        (0.5, 0.29997, False),
        (0.5, 0.40003, False),
    ],
)
def test_a_glyph_belongs_to_the_line_in_whose_box_its_middle_lies(x: float, y: float, inside: bool) -> None:
    others = [Glyph("y", 0.5, 0.1, False), Glyph("z", 0.5, 0.9, False)]
    line = fragment("a")
    _, found = SecondReading([*others, Glyph("a", x, y, False)], [line]).difference(line)
    assert found == ("a" if inside else "")


def test_glyphs_are_read_in_the_order_of_the_reader_whatever_their_heights() -> None:
    marks = [Glyph(c, 0.5, y, False) for c, y in zip("abcd", (0.39, 0.31, 0.35, 0.33), strict=True)]
    assert SecondReading(marks, []).difference(fragment("abcd")) == (None, "abcd")


@pytest.mark.parametrize(
    ("marks", "found"),
    [
        ([*glyphs("ab"), *glyphs("ab")], "ab"),
        ([*glyphs("ab"), *glyphs("ab", left=0.2004)], "ab"),
        ([*glyphs("ab"), *glyphs("ab", y=0.3504)], "ab"),
        ([*glyphs("ab"), *glyphs("ab", left=0.202)], "abab"),
        ([*glyphs("ab"), *glyphs("ab", y=0.352)], "abab"),
        ([*glyphs("ab"), *glyphs("cd")], "abcd"),
        ([*glyphs("f"), *glyphs("f"), *glyphs("i")], "ffi"),
        ([*glyphs("a"), *glyphs("b"), *glyphs("a")], "ab"),
        ([*glyphs("a"), *glyphs("b"), *glyphs("a"), *glyphs("a")], "aba"),
    ],
)
def test_what_is_printed_twice_to_look_bold_is_read_once(marks: list[Glyph], found: str) -> None:
    assert SecondReading(marks, []).difference(fragment("ab"))[1] == found


@pytest.mark.parametrize(
    ("ours", "theirs", "pairs"),
    [
        ("a", "x", [("a", "x")]),
        ("A", "X", [("a", "x")]),
        ("\uff21", "\u00c9", [("a", "\u00e9")]),
        ("4", "8", [("4", "8")]),
        ("-", "x", []),
        ("a", "-", []),
        ("a", "", []),
        ("a", "xy", []),
    ],
)
def test_a_letter_is_compared_with_the_one_glyph_at_its_place(
    ours: str, theirs: str, pairs: list[tuple[str, str]]
) -> None:
    around = [Glyph("z", *place, False) for place in ((0.19, 0.35), (0.31, 0.35), (0.25, 0.29), (0.25, 0.41))]
    here = [Glyph(c, 0.22 + 0.05 * n, 0.35, False) for n, c in enumerate(theirs)]
    reading = SecondReading([*around[:2], *here, *around[2:]], [])
    assert list(reading.substitutes([(ours, Edges(0.2, 0.3, 0.3, 0.4))])) == pairs


@pytest.mark.parametrize(
    ("pairs", "wanted", "found", "other"),
    [
        # Of as many letters: other already for one of them; of another number: where half of them are the same.
        ([("a", "x"), ("b", "y"), ("c", "c")], "abc", "xyc", True),
        ([("a", "x"), ("b", "y"), ("c", "c")], "abc", "xycd", False),
        ([("a", "x"), ("c", "c")], "ac", "xcd", True),
        ([("a", "x"), ("b", "b"), ("c", "c")], "a bc", "xbcd", True),
        # Swapped with one that the line has as well, or that the reader has elsewhere
        ([("a", "b"), ("b", "a")], "ab", "ba", False),
        ([("a", "b")], "ab", "bb", True),
        ([("a", "x")], "A", "X", True),
        ([("a", "x")], "\uff21", "x", True),
        # Parts of ligatures
        ([("f", "fi"), ("4", "5")], "f4", "\ufb015", True),
        ([("fi", "f"), ("4", "5"), ("6", "6")], "f46", "f56i", True),
    ],
)
def test_another_text_is_told_from_something_else_that_lies_there(
    pairs: Sequence[tuple[str, str]], wanted: str, found: str, other: bool
) -> None:
    assert is_other_text(pairs, wanted, found) is other


@pytest.mark.parametrize(
    ("pairs", "other"),
    [
        # More than half differ
        ([("a", "x")] * 5 + [("b", "b")] * 4, True),
        ([("a", "x")] * 5 + [("b", "b")] * 5, False),
        # At least three repetitions, of whichever letters
        ([("a", "x")] * 4, True),
        ([("a", "x")] * 3, False),
        ([("a", "x"), ("b", "y"), ("c", "z")] * 2, True),
        # Nine of ten are one for one
        ([("a", "x")] * 9 + [("a", "y")], True),
        ([("a", "x")] * 8 + [("a", "y")] * 2, False),
        ([("a", "y")] * 2 + [("a", "x")] * 8, False),
        # Parts of a ligature are the same
        ([("f", "fi")] * 9, False),
        ([("fi", "f")] * 9, False),
    ],
)
def test_a_font_has_another_meaning_where_most_of_it_differs_one_for_one(
    pairs: Sequence[tuple[str, str]], other: bool
) -> None:
    assert is_other_decoding(pairs) is other


def test_the_kinds_of_difference_and_the_counts_are_those_that_readers_of_reports_know() -> None:
    kinds = "ligature spacing hyphen order unmapped invisible missing extra decoding other unreadable beyond"
    assert set(get_args(Difference)) == set(kinds.split())
    counts = dict.fromkeys(["chunks", "verbatim", "boxes_exact", "ocr", "failed", "unclaimed_fragments"], 0)
    empty = {"second_reader_differences": {}, "failures": [], "warnings": [], "checked_at": None, "ok": True}
    empty |= {"state": "proved", "older_reader": 0}
    assert VerifyReport().model_dump() == {"documents": 1, "second_reader": 0} | counts | empty
