"""Fragments against the characters of a page: what they are of, their boxes, sizes, and whether they are drawn."""

from collections.abc import Sequence
from typing import Literal

import pytest

from shared.domain.geometry import Rect
from shared.domain.page import Fragment, PageFile
from shared.domain.raw_page import Extent, RawCharacter, RawLine, RawPage, RawSpan
from shared.verify.fragments import match
from shared.verify.ground import Edges, Frame, GroundLine, around, is_box, line_box, line_size, part_box, part_size

# A page of 1000 by 500 points; a character is 10 by 10, its base line 2 above the bottom of it.
WIDTH, HEIGHT = 1000.0, 500.0
UNTURNED = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)
TOP = 100.0
Direction = Literal["ltr", "rtl", "ttb", "rotated"]


def span(
    text: str, left: float, top: float = TOP, size: float = 8.0, font: str = "Sans", drawn: bool = True
) -> RawSpan:
    boxes = [(left + 10 * n, top, left + 10 * n + 10, top + 10) for n in range(len(text))]
    found = [RawCharacter(c, box, top + 8) for c, box in zip(text, boxes, strict=True)]
    return RawSpan(font, size, drawn, (left, top, left + 10 * len(text), top + 10), top + 8, found)


def line(*spans: RawSpan, direction: tuple[float, float] = (1.0, 0.0), vertical: bool = False) -> RawLine:
    return RawLine(list(spans), direction, vertical)


def page(*lines: RawLine) -> RawPage:
    return RawPage(WIDTH, HEIGHT, 0, UNTURNED, list(lines))


def fragment(text: str, extent: Extent, number: int = 1, direction: Direction = "ltr") -> Fragment:
    left, top, right, bottom = extent
    box = Rect(x=left / WIDTH, y=top / HEIGHT, w=(right - left) / WIDTH, h=(bottom - top) / HEIGHT)
    return Fragment(id=f"p1.f{number}", text=text, box=box, font="", size=8.0, direction=direction)


def file_of(*fragments: Fragment) -> PageFile:
    return PageFile(
        page=1, width_pt=WIDTH, height_pt=HEIGHT, route="text", fragments=list(fragments), extractor_version="test"
    )


SMALL_FIRST = line(span("a", 100, size=6.0, font="Small"), span("bcd", 110, size=20.0, drawn=False), span("  ", 140))
BLANK_FIRST = line(span("  ", 80, drawn=False, size=30.0), span("abcd", 100, drawn=True))
MIXED = line(span("ab", 100, size=9.123, drawn=False), span("cd", 120, size=7.0, drawn=True))


@pytest.mark.parametrize(
    ("raw", "text", "extent", "size", "drawn"),
    [
        # .85 em above and .25 em below the base line of the type of most characters, where that is more
        (SMALL_FIRST, "abcd", (100, 91, 140, 113), 20.0, True),
        (BLANK_FIRST, "abcd", (100, 100, 140, 110), 8.0, True),
        (MIXED, "abcd", (100, 100, 140, 110.28), 9.12, False),
        # Parts
        (SMALL_FIRST, "bcd", (110, 91, 140, 113), 20.0, False),
        (SMALL_FIRST, "bcd", (110, 91, 150, 113), 20.0, False),
        (SMALL_FIRST, "a", (100, 100, 110, 110), 6.0, True),
        (SMALL_FIRST, "ab", (100, 100, 120, 113), 6.0, None),
        (MIXED, "bc", (110, 100, 130, 110.28), 9.12, False),
        (MIXED, "cd", (120, 100, 140, 110), 7.0, True),
        (BLANK_FIRST, "abc", (80, 100, 130, 110), 8.0, True),
        (BLANK_FIRST, "abc", (90, 100, 130, 110), 8.0, True),
        (BLANK_FIRST, "abc", (70, 100, 130, 110), None, None),
        # Upright lines alone reach further than their letters
        (line(span("ab", 100, size=20.0), direction=(0.0, 1.0)), "ab", (100, 100, 120, 110), 20.0, True),
        (line(span("ab", 100, size=20.0), direction=(0.99, 0.14)), "ab", (100, 100, 120, 110), 20.0, True),
        (line(span("ab", 100, size=20.0), direction=(0.995, 0.1)), "ab", (100, 91, 120, 113), 20.0, True),
        (line(span("ab", 100, size=20.0), direction=(-1.0, 0.0)), "a", (100, 100, 110, 110), 20.0, True),
    ],
)
def test_a_fragment_has_the_box_the_size_and_the_ink_of_its_characters(
    raw: RawLine, text: str, extent: Extent, size: float | None, drawn: bool | None
) -> None:
    reading = match(file_of(fragment(text, extent)), page(raw))
    found = reading.proven.get("p1.f1")
    if drawn is None:
        assert found is None
        return
    assert found is not None
    assert (found.size, found.is_drawn) == (size, drawn)
    assert "".join([one.text for one in found.characters]) == text


def upright(text: str, places: Sequence[tuple[float, float]]) -> list[RawLine]:
    """One line for each character, as vertical script is set."""
    return [line(span(c, x, y), vertical=True) for c, (x, y) in zip(text, places, strict=True)]


COLUMN = upright("縦書き", [(100, 100), (100, 112), (100, 124)])


@pytest.mark.parametrize(
    ("raw", "text", "extent", "direction", "proven", "unread"),
    [
        (COLUMN, "縦書き", (100, 100, 110, 134), "ttb", True, []),
        (COLUMN, "縦書き", (100, 100, 110, 134), "ltr", False, ["縦", "書", "き"]),
        (COLUMN, "縦書", (100, 100, 110, 122), "ttb", True, ["き"]),
        (COLUMN, "書き", (100, 112, 110, 134), "ttb", True, ["縦"]),
        (COLUMN, "縦書き", (100, 100, 110, 133), "ttb", False, ["縦", "書", "き"]),
        (COLUMN, "縦き", (100, 100, 110, 134), "ttb", False, ["縦", "書", "き"]),
        (COLUMN, "縦書きの", (100, 100, 110, 134), "ttb", False, ["縦", "書", "き"]),
        (COLUMN[::-1], "縦書き", (100, 100, 110, 134), "ttb", False, ["き", "書", "縦"]),
        ([line(span("縦書", 100)), *COLUMN[2:]], "縦書き", (100, 100, 120, 134), "ttb", True, []),
    ],
)
def test_a_stack_of_lines_is_one_fragment_of_vertical_script(
    raw: list[RawLine], text: str, extent: Extent, direction: Direction, proven: bool, unread: list[str]
) -> None:
    reading = match(file_of(fragment(text, extent, direction=direction)), page(*raw))
    assert (set(reading.proven), reading.unread) == ({"p1.f1"} if proven else set(), unread)
    if proven:
        found = reading.proven["p1.f1"]
        assert ("".join([one.text for one in found.characters]), found.size, found.edges(Frame(page()))) == (
            text,
            8,
            (),
        )


def test_what_a_stack_takes_is_no_part_of_another_fragment() -> None:
    fragments = [fragment("縦書き", (100, 100, 110, 134), 1, "ttb"), fragment("書", (100, 112, 110, 122), 2, "ttb")]
    long = line(span("書き", 100, 112), vertical=True)
    reading = match(file_of(fragments[0], fragments[1]), page(COLUMN[0], long))
    assert (set(reading.proven), reading.unread) == ({"p1.f2"}, ["縦", "き"])
    whole = [fragment("縦書き", (100, 100, 120, 122), 1, "ttb"), fragments[1]]
    assert set(match(file_of(*whole), page(COLUMN[0], long)).proven) == {"p1.f1"}


def test_of_two_equal_stacks_each_fragment_takes_one() -> None:
    twice = [*COLUMN, *upright("縦書き", [(200, 100), (200, 112), (200, 124)])]
    fragments = [fragment("縦書き", (x, 100, x + 10, 134), n, "ttb") for n, x in ((1, 200), (2, 100), (3, 100))]
    reading = match(file_of(*fragments), page(*twice))
    assert (set(reading.proven), set(reading.unfounded), reading.unread) == ({"p1.f1", "p1.f2"}, {"p1.f3"}, [])


# Right to left: the file has the characters of "שלום" (shin, lamed, vav, final mem) from the left to the right.
VISUAL = "םולש"
LOGICAL = "שלום"


@pytest.mark.parametrize(
    ("printed", "text", "extent", "proven"),
    [
        (VISUAL, LOGICAL, (100, 100, 140, 110), True),
        (VISUAL, VISUAL, (100, 100, 140, 110), True),  # a whole line as the file has it
        (VISUAL, "שולם", (100, 100, 140, 110), False),
        (VISUAL, LOGICAL, (100, 100, 141, 110), False),
        (VISUAL, LOGICAL, (99, 100, 140, 110), False),
        (VISUAL, LOGICAL, (100, 99, 140, 110), False),
        (VISUAL, LOGICAL, (100, 100, 140, 112), False),
        (VISUAL, LOGICAL[:3], (110, 100, 140, 110), True),
        (VISUAL, LOGICAL[1:], (100, 100, 130, 110), True),
        (VISUAL, LOGICAL[:3] + "ן", (100, 100, 140, 110), False),
        ("12 " + VISUAL, LOGICAL + " 12", (100, 100, 170, 110), True),
        ("ab " + VISUAL, LOGICAL + " ab", (100, 100, 170, 110), True),
        (VISUAL[2:] + "ab" + VISUAL[:2], LOGICAL[:2] + "ab" + LOGICAL[2:], (100, 100, 160, 110), True),
        (VISUAL[:2] + "ab" + VISUAL[2:], LOGICAL[:2] + "ab" + LOGICAL[2:], (100, 100, 160, 110), True),
        ("לש" + "éa" + "םו", "של" + "éa" + "ום", (100, 100, 160, 110), True),
        ("לש" + "ba" + "םו", "לש" + "ab" + "ום", (100, 100, 160, 110), False),
        ("ملس", "سلم", (100, 100, 130, 110), True),
        ("abc", "cba", (100, 100, 130, 110), False),
        ("éàü", "üàé", (100, 100, 130, 110), False),
    ],
)
def test_right_to_left_letters_stand_in_their_order_from_the_right(
    printed: str, text: str, extent: Extent, proven: bool
) -> None:
    reading = match(file_of(fragment(text, extent, direction="rtl")), page(line(span(printed, 100))))
    assert set(reading.proven) == ({"p1.f1"} if proven else set())


def test_what_one_right_to_left_line_takes_is_out_of_the_way_of_the_next() -> None:
    # The box of the second reaches over the first, whose letters stand in its middle.
    raw = page(line(span(VISUAL, 100), span("אבג", 140)))
    wide = fragment("גבא", (140, 100, 170, 110), 1)
    narrow = fragment(LOGICAL, (100, 100, 140, 110), 2)
    reading = match(file_of(wide, narrow), raw)
    assert (set(reading.proven), reading.unread) == ({"p1.f1", "p1.f2"}, [])
    again = match(file_of(wide, narrow, fragment(LOGICAL, (100, 100, 140, 110), 3)), raw)
    assert (set(again.proven), again.unfounded) == ({"p1.f1", "p1.f2"}, {"p1.f3": VISUAL})


def test_a_right_to_left_line_that_reaches_around_another_waits_for_it() -> None:
    raw = page(line(span("א", 100), span("ב", 160)), line(span("דג", 120)))
    around_it, inner = fragment("בא", (100, 100, 170, 110), 1), fragment("גד", (120, 100, 140, 110), 2)
    reading = match(file_of(around_it, inner), raw)
    assert (set(reading.proven), reading.unread) == ({"p1.f1", "p1.f2"}, [])


def test_of_two_fragments_with_one_box_the_longer_is_there() -> None:
    """The second letter of the ligature has no width."""
    made = span("f  a", 100)
    thin = made.characters[1]._replace(text="i", box=(110.0, TOP, 110.0, TOP + 10))
    raw = line(made._replace(characters=[made.characters[0], thin, *made.characters[2:]]))
    fragments = [fragment("f", (100, 100, 110, 110)), fragment("fi", (100, 100, 110, 110), 2)]
    reading = match(file_of(*fragments), page(raw))
    assert (set(reading.proven), reading.unread) == ({"p1.f2"}, ["a"])


def test_what_is_there_instead_is_told_and_characters_are_counted() -> None:
    raw = page(line(span("one two", 100)), line(span("three", 100, 200)), line(span("  ", 100, 300)))
    reading = match(file_of(fragment("one tw", (100, 100, 160.5, 110))), raw)
    assert (reading.unread, reading.characters) == (["onetwo", "three"], 11)
    assert reading.unfounded == {"p1.f1": "one tw"}
    assert match(file_of(fragment("x", (100, 95, 120, 215))), raw).unfounded == {"p1.f1": "on th"}
    assert match(file_of(fragment("x", (500, 95, 520, 215))), raw).unfounded == {"p1.f1": ""}


# Turned pages: matrices as of rotations of a page of 1000 by 500.
TURNS = {
    0: (UNTURNED, (1000.0, 500.0)),
    90: ((0.0, 1.0, -1.0, 0.0, 500.0, 0.0), (500.0, 1000.0)),
    180: ((-1.0, 0.0, 0.0, -1.0, 1000.0, 500.0), (1000.0, 500.0)),
    270: ((0.0, -1.0, 1.0, 0.0, 0.0, 1000.0), (500.0, 1000.0)),
}


@pytest.mark.parametrize(
    ("turn", "edges", "runs_right"),
    [
        (0, (0.1, 0.4, 0.3, 0.6), (1.0, 0.0)),
        (90, (0.4, 0.1, 0.6, 0.3), (0.0, -1.0)),
        (180, (0.7, 0.4, 0.9, 0.6), (-1.0, 0.0)),
        (270, (0.4, 0.7, 0.6, 0.9), (0.0, 1.0)),
    ],
)
def test_a_turned_page_turns_boxes_and_directions(
    turn: int, edges: tuple[float, ...], runs_right: tuple[float, float]
) -> None:
    matrix, (width, height) = TURNS[turn]
    frame = Frame(RawPage(width, height, turn, matrix, []))
    assert frame.exact((100.0, 200.0, 300.0, 300.0)) == pytest.approx(edges)
    upright = [
        (x, y)
        for x, y in ((1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0))
        if frame.is_upright(line(direction=(x, y)))
    ]
    assert upright == [runs_right]
    assert not frame.is_upright(line(direction=runs_right, vertical=True))


def test_a_page_without_extent_is_one_point_wide_and_high() -> None:
    assert Frame(RawPage(0.0, 0.0, 0, UNTURNED, [])).exact((0.1, 0.2, 0.3, 0.4)) == (0.1, 0.2, 0.3, 0.4)


def test_edges_of_characters_are_of_whole_lines_and_parts_that_run_to_the_right() -> None:
    reading = match(file_of(fragment("abc", (100, 100, 130, 110))), page(line(span("abc", 100))))
    assert reading.proven["p1.f1"].edges(Frame(page())) == (0.1, 0.11, 0.12, 0.13)
    turned = match(file_of(fragment("abc", (100, 100, 130, 110))), page(line(span("abc", 100), direction=(0.0, 1.0))))
    assert turned.proven["p1.f1"].edges(Frame(page())) == ()


@pytest.mark.parametrize("place", range(4))
@pytest.mark.parametrize(("off", "right"), [(0.0, True), (9e-7, True), (2e-6, False), (-2e-6, False)])
def test_each_edge_of_a_box_counts(place: int, off: float, right: bool) -> None:
    edges = [0.1, 0.2, 0.3, 0.4]
    edges[place] += off
    left, top, far, bottom = edges
    box = Rect(x=left, y=top, w=far - left, h=bottom - top)
    assert is_box(box, Edges(0.1, 0.2, 0.3, 0.4)) is right


def test_boxes_around_and_the_type_of_most_characters() -> None:
    assert around([(1.0, 5.0, 2.0, 6.0), (0.0, 7.0, 1.0, 8.0), (3.0, 4.0, 9.0, 5.0)]) == (0.0, 4.0, 9.0, 8.0)
    made = GroundLine(line(span("ab", 100, size=6.0), span(" ", 120, size=40.0), span("cde", 130, size=12.0)))
    assert (line_size(made), part_size(made.characters[:3])) == (12.0, 6.0)
    equal = GroundLine(line(span("ab", 100, size=6.0), span("cd", 120, size=12.0)))
    assert (line_size(equal), part_size(equal.characters), line_box(equal)) == (6.0, 6.0, (100.0, 100.0, 140.0, 110.0))
    assert part_box(equal.raw, equal.characters[1:]) == (110.0, 97.8, 140.0, 111.0)


@pytest.mark.parametrize(
    ("printed", "text"),
    [
        (" ab ", "ab"),
        ("a\0b", "a\ufffdb"),
        ("a\ud800", "a\ufffd"),
        ("\udfff", "\ufffd"),
        ("\ue000\ud7ff", "\ue000\ud7ff"),
    ],
)
def test_a_line_has_the_form_in_which_text_is_stored(printed: str, text: str) -> None:
    made = GroundLine(line(span(printed, 100)))
    assert (made.text, "".join([one.text for one in made.characters])) == (text, text)


@pytest.mark.parametrize(
    ("left", "top", "unread"),
    [(100.5, TOP, []), (101, TOP, ["one"]), (100, TOP + 1, ["one"]), (200, TOP, ["one"])],
)
def test_a_line_that_is_drawn_again_at_its_place_is_read_and_the_same_words_elsewhere_are_not(
    left: float, top: float, unread: list[str]
) -> None:
    """A tenth of a type size of 8 points."""
    raw = page(line(span("one", 100)), line(span("one", left, top)))
    reading = match(file_of(fragment("one", (100, 100, 130, 110))), raw)
    assert (set(reading.proven), reading.unread) == ({"p1.f1"}, unread)
