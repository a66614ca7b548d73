"""Letters of lines against what is drawn in their places, and letters that the second reader alone sees."""

from collections.abc import Sequence

import pytest

from shared.domain.geometry import Rect
from shared.domain.raw_page import Glyph, RawCharacter, RawLine, RawPage, RawSpan
from shared.verify.drawn import unsaid_letters
from shared.verify.ground import Ink
from shared.verify.second_reader import SecondReading

# A character with its left edge and width; all stand between 45 and 55 points from the top, or where the table says.
Placed = tuple[str, float, float]
TOP, BOTTOM = 45.0, 55.0


def characters(
    placed: Sequence[Placed], top: float = TOP, bottom: float = BOTTOM, upwards: bool = False
) -> list[RawCharacter]:
    boxes = [(left, top, left + width, bottom) for _, left, width in placed]
    turned = [(box[1], box[0], box[3], box[2]) for box in boxes]
    return [
        RawCharacter(text, box, bottom) for (text, _, _), box in zip(placed, turned if upwards else boxes, strict=True)
    ]


def span_of(found: Sequence[RawCharacter]) -> RawSpan:
    return RawSpan("Sans", 8.0, True, (0.0, 0.0, 1.0, 1.0), 0.0, list(found))


def compared(drawn: Sequence[RawCharacter], said: Sequence[RawCharacter]) -> tuple[str, str]:
    page = RawPage(200.0, 100.0, 0, (1.0, 0.0, 0.0, 1.0, 0.0, 0.0), [RawLine([span_of(drawn)], (1.0, 0.0), False)])
    return unsaid_letters(page, [Ink(one.text, one, span_of(said)) for one in said])


def word(text: str, left: float = 100.0) -> list[Placed]:
    return [(letter, left + 10 * place, 10.0) for place, letter in enumerate(text)]


# What is drawn, what is said; what of the one no line says, what of the other is not drawn.
CASES: list[tuple[list[Placed], list[Placed], str, str]] = [
    (word("54"), word("54"), "", ""),
    (word("54"), word("45"), "54", "45"),
    (word("ab"), word("Ab"), "", ""),
    (word("\u00e9"), word("\u00c9"), "", ""),
    (word("\u00e9"), word("e"), "\u00e9", "e"),
    (word("\uff21"), word("a"), "", ""),
    (word("\ufef5"), word("\u0644"), "", ""),
    (word("\ufffd"), word("a"), "", ""),
    (word("\ue000"), word("a"), "", ""),
    (word("\u0378"), word("a"), "", ""),
    (word("\ud800"), word("a"), "", ""),
    (word("a"), word("\ufffd"), "", ""),
    (word("-"), word("a"), "", "a"),
    (word("a"), word("."), "a", ""),
    (word("4"), [], "4", ""),
    ([], word("4"), "", "4"),
    ([], word("."), "", ""),
    # Beside is not at the place, however near; what has more than half in common is.
    (word("4"), word("4", 110), "4", "4"),
    (word("4"), word("4", 105.5), "4", "4"),
    (word("4"), word("4", 94.5), "4", "4"),
    (word("4"), word("4", 104.5), "", ""),
    (word("4"), word("4", 95.5), "", ""),
    ([("W", 100, 20)], [("w", 102, 5)], "", ""),
    # Printed twice to look bold
    ([*word("of"), *word("of", 100.2)], word("of"), "", ""),
    # One more digit, without width, behind one or between two that are drawn
    (word("4"), [*word("4"), ("4", 110, 0)], "", "4"),
    (word("00"), [("0", 100, 10), ("0", 110, 0), ("0", 110, 10)], "", "0"),
    (word("44"), word("4"), "4", ""),
    # Two without width in the middle of what two glyphs are
    (word("54"), [("4", 110, 0), ("5", 110, 0)], "", "45"),
    (word("54"), [("5", 110, 0), ("4", 110, 0)], "", ""),
    (word("\ufb01"), [("f", 105, 0), ("i", 105, 0)], "", ""),
    (word("\ufb01x"), [("f", 100, 10), ("i", 110, 0), ("x", 110, 10)], "", ""),
    (word("\ufb01"), [("f", 105, 0), ("-", 105, 0), ("i", 105, 0)], "", ""),
    (word("\ufb01"), [("i", 105, 0), ("f", 105, 0)], "", "if"),
    ([("f", 100, 10), ("i", 110, 0)], word("\ufb01"), "", ""),
    # It touches the glyph to a hundredth of a point.
    (word("\ufb01"), [("i", 110.0099, 0)], "", ""),
    (word("\ufb01"), [("i", 110.01005, 0)], "\ufb01", "i"),
    (word("\ufb01"), [("i", 99.9901, 0)], "", ""),
    (word("\ufb01"), [("i", 99.98995, 0)], "\ufb01", "i"),
    (word("\ufb01", 110), [("i", 120.0099, 0)], "", ""),
    ([("i", 100, 10)], [("i", 110, 0.05)], "i", "i"),
]


@pytest.mark.parametrize("upwards", [False, True])
@pytest.mark.parametrize(("drawn", "said", "unread", "undrawn"), CASES)
def test_a_letter_is_what_is_drawn_at_its_place(
    drawn: list[Placed], said: list[Placed], unread: str, undrawn: str, upwards: bool
) -> None:
    assert compared(characters(drawn, upwards=upwards), characters(said, upwards=upwards)) == (unread, undrawn)


@pytest.mark.parametrize(
    ("top", "bottom", "there"),
    [
        (45, 55, True),
        (41, 51, True),
        (49, 59, True),
        (39, 49, False),
        (51, 61, False),
        (25, 35, False),
        (65, 75, False),
        (-500, 5000, True),
        (-1e300, 1e300, True),
        (5000, 5010, False),
        (-20, -10, False),
    ],
)
@pytest.mark.parametrize("off", [0, -60, 15, 3000])
def test_a_letter_of_another_line_is_not_drawn_here(top: float, bottom: float, there: bool, off: float) -> None:
    """Wherever on the page, or beside it, the line stands."""
    drawn = characters(word("a"), top + off, bottom + off)
    said = characters(word("a", 100.5), TOP + off, BOTTOM + off)
    assert compared(drawn, said) == (("", "") if there else ("a", "a"))


BOXES = [Rect(x=0.5, y=0.5, w=0.2, h=0.02), Rect(x=0.1, y=0.1, w=0.2, h=0.5), Rect(x=0.1, y=0.3, w=0.1, h=0.01)]


@pytest.mark.parametrize(
    ("x", "y", "beyond"),
    [
        (0.6, 0.51, False),
        (0.2, 0.35, False),
        (0.2, 0.59, False),
        (0.2, 0.6015, False),
        (0.2, 0.6025, True),
        (0.2, 0.0985, False),
        (0.2, 0.0975, True),
        (0.6, 0.35, True),
        (0.6, 0.4985, False),
        (0.6, 0.53, True),
        (0.2, 0.9, True),
        (0.2, 0.01, True),
        (0.05, 0.35, True),
        (0.4, 0.51, True),
    ],
)
def test_a_letter_is_beyond_where_it_stands_in_no_line_whatever_their_order_and_height(
    x: float, y: float, beyond: bool
) -> None:
    reading = SecondReading([Glyph("a", x, y, False)], [])
    for boxes in (BOXES, BOXES[::-1]):
        assert reading.beyond(boxes) == ("a" if beyond else "")


def test_on_a_page_without_lines_all_letters_are_beyond() -> None:
    glyphs = [Glyph("b", 0.5, 0.9, False), Glyph("a", 0.6, 0.1, False), Glyph("-", 0.7, 0.1, False)]
    assert SecondReading(glyphs, []).beyond([]) == "ba"
