from collections.abc import Sequence
from typing import Any

import pytest

from shared.domain.geometry import PageBox, Rect
from shared.domain.page import Fragment, PageFile
from shared.domain.raw_page import Extent, Glyph, RawCharacter, RawForm, RawLine, RawPage, RawPictures, RawSpan
from shared.domain.verify import StoredPage
from shared.verify import wording
from shared.verify.boxes import box_failure, column_failures, edges_around
from shared.verify.fragments import match
from shared.verify.ground import Edges, Frame, GroundLine, character_edges, is_edge
from shared.verify.page import prove_page
from shared.verify.pieces import Lines, Piece, SourceLine
from shared.verify.second_reader import is_other_decoding, is_other_text

WIDTH, HEIGHT = 200.0, 100.0
UNTURNED = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)


def line(
    text: str, left: float = 0.1, top: float = 0.1, name: str = "p1.f1", size: float = 10, **edges: Any
) -> SourceLine:
    right, bottom = edges.get("right", left + 0.4), edges.get("bottom", top + 0.05)
    return SourceLine(name, text, left, top, right, bottom, size, False, lambda: edges.get("characters", ()), None)


def piece(text: str, left: float = 0.1, top: float = 0.1, **more: Any) -> Piece:
    made = line(text, left, top, **more)
    return Piece(made, 0, len(text), made.left, made.top, made.right, made.bottom)


def halves(text: str, at: int) -> list[Piece]:
    whole = line(text)
    return [Piece(whole, 0, at, 0.1, 0.1, 0.3, 0.15), Piece(whole, at, len(text), 0.3, 0.1, 0.5, 0.15)]


def initial(size: float, gap: float) -> list[Piece]:
    return [piece("T", size=size, right=0.2), piece("he wing", left=0.2 + gap, name="p1.f2")]


@pytest.mark.parametrize(
    ("pages", "expected"),
    [
        ([[piece("one"), piece("two")]], "one two"),
        ([[piece("hyphen-"), piece("ated")]], "hyphen- ated"),
        ([[piece("混沌"), piece("初開")]], "混沌初開"),
        ([[piece("混沌"), piece("ASVS")]], "混沌 ASVS"),
        ([[piece("한국"), piece("어")]], "한국 어"),
        ([halves("two words", 4)], "two words"),
        ([list(reversed(halves("ab", 1)))], "b a"),
        ([initial(34, 0.01)], "The wing"),
        ([initial(16, 0.01)], "The wing"),
        ([initial(15.9, 0.01)], "T he wing"),
        ([initial(34, 0.029)], "The wing"),
        ([initial(34, 0.031)], "T he wing"),
        ([[piece("4", size=34, right=0.2), piece("wings", left=0.21)]], "4 wings"),
        ([[piece("A", size=34, right=0.2), piece("45", left=0.21)]], "A 45"),
        ([[piece("To", size=34, right=0.2), piece("wings", left=0.21)]], "To wings"),
        ([initial(34, 0.2)], "T he wing"),
        ([[piece("over")], [piece("pages")]], "over pages"),
        ([[piece("混")], [piece("沌")]], "混沌"),
        ([initial(34, 0.01)[:1], initial(34, 0.01)[1:]], "T he wing"),
        ([], ""),
    ],
)
def test_what_stands_between_pieces_of_running_text(pages: list[list[Piece]], expected: str) -> None:
    assert wording.running(pages) == expected


def test_what_stands_between_lines_of_code_cells_and_rows() -> None:
    assert wording.code([halves("ab", 1), [piece("混"), piece("沌")]]) == "a\nb\n混\n沌"
    assert wording.row(["a", "", "b"]) == "a | b"
    assert wording.stacked(["a", "", "b"]) == "a\nb"


@pytest.mark.parametrize(
    ("stored", "exact", "right"),
    [
        (0.12346, 0.123456, True),
        (0.12345, 0.123456, False),
        (0.1234609, 0.123456, True),
        (0.1234621, 0.123456, False),
        (0.12346, 0.12345496, True),
        (0.12345, 0.12345496, True),
        (0.0, -0.3, True),
        (1.0, 1.2, True),
    ],
)
def test_an_edge_is_exact_to_a_millionth(stored: float, exact: float, right: bool) -> None:
    assert is_edge(stored, exact) is right


UNEVEN = [piece("first", 0.2, 0.1, right=0.5), piece("second", 0.1, 0.2, right=0.6, bottom=0.26)]


@pytest.mark.parametrize(
    ("box", "right"),
    [
        ((0.1, 0.1, 0.5, 0.16), True),
        ((0.1 + 5e-7, 0.1, 0.5, 0.16), True),
        ((0.1 + 2e-6, 0.1, 0.5, 0.16), False),
        ((0.1, 0.1 - 2e-6, 0.5, 0.16), False),
        ((0.1, 0.1, 0.5 * 1.01, 0.16), False),
        ((0.1, 0.1, 0.5, 0.16 * 1.01), False),
        ((0.2, 0.1, 0.4, 0.16), False),
        ((0.1, 0.1, 0.4, 0.16), False),
        ((0.1, 0.2, 0.5, 0.06), False),
        ((0.1, 0.1, 0.5, 0.05), False),
    ],
)
def test_a_box_is_the_smallest_around_its_lines(box: tuple[float, float, float, float], right: bool) -> None:
    x, y, w, h = box
    assert (box_failure(PageBox(page=1, x=x, y=y, w=w, h=h), UNEVEN) is None) is right


@pytest.mark.parametrize(
    ("label", "edges"),
    [
        (piece("in", 0.3, 0.4, right=0.4, bottom=0.5), (0.2, 0.3, 0.6, 0.7)),
        (piece("left", 0.1, 0.4, right=0.4, bottom=0.5), (0.1, 0.3, 0.6, 0.7)),
        (piece("above", 0.3, 0.2, right=0.4, bottom=0.5), (0.2, 0.2, 0.6, 0.7)),
        (piece("right", 0.3, 0.4, right=1.1, bottom=0.5), (0.2, 0.3, 1.0, 0.7)),
        (piece("below", 0.3, 0.4, right=0.4, bottom=1.1), (0.2, 0.3, 0.6, 1.0)),
    ],
)
def test_a_figure_reaches_around_its_picture_and_labels(label: Piece, edges: tuple[float, ...]) -> None:
    assert edges_around([Edges(0.2, 0.3, 0.6, 0.7), label]) == edges


def test_a_box_without_lines_is_no_box_of_text() -> None:
    assert box_failure(PageBox(page=1, x=0, y=0, w=0, h=0), []) is not None


LEFT_COLUMN = [piece("a", 0.1, 0.1), piece("b", 0.1, 0.8)]
RIGHT_COLUMN = [piece("c", 0.6, 0.1), piece("d", 0.6, 0.2)]


@pytest.mark.parametrize(
    ("groups", "failures"),
    [
        ([LEFT_COLUMN, RIGHT_COLUMN], 0),
        ([LEFT_COLUMN + RIGHT_COLUMN], 1),
        ([LEFT_COLUMN[:1], LEFT_COLUMN[1:]], 1),
        ([[*LEFT_COLUMN, piece("beside", 0.55, 0.79)]], 0),
    ],
)
def test_each_column_has_one_box(groups: list[list[Piece]], failures: int) -> None:
    box = PageBox(page=1, x=0, y=0, w=1, h=1, fragment_ids=("p1.f1",))
    assert len(list(column_failures([(box, group) for group in groups]))) == failures


@pytest.mark.parametrize(
    ("reference", "why"),
    [
        ("p1.f2", "no such line"),
        ("p1.f1[0:6]", "no part"),
        ("p1.f1[3:3]", "no part"),
        ("p1.f1[0:2] ", "no such line"),
        ("p2.f1[0:2]", "no such line"),
    ],
)
def test_a_reference_to_what_is_not_there_is_no_piece(reference: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        Lines([line("words", characters=(0.1, 0.2, 0.3, 0.4, 0.5, 0.6))]).pieces([reference])


def test_a_part_has_the_edges_of_its_characters_also_from_right_to_left() -> None:
    rising, falling = (0.1, 0.2, 0.35, 0.4, 0.5), (0.5, 0.4, 0.35, 0.2, 0.1)
    for edges in (rising, falling):
        (part,) = Lines([line("abcd", characters=edges)]).pieces(["p1.f1[1:3]"])
        assert (part.text, part.left, part.right) == ("bc", 0.2, 0.4)
    with pytest.raises(ValueError, match="do not stand one after the other"):
        Lines([line("abcd")]).pieces(["p1.f1[1:3]"])


# Pages made character by character: 10 pt wide, 10 pt high, base line 2 pt above the bottom.


def raw_line(text: str, x: float = 20, y: float = 30, size: float = 8) -> RawLine:
    boxes = [(x + 10 * n, y, x + 10 * n + 10, y + 10) for n in range(len(text))]
    characters = [RawCharacter(c, box, y + 8) for c, box in zip(text, boxes, strict=True)]
    span = RawSpan("Sans", size, True, (x, y, x + 10 * len(text), y + 10), y + 8, characters)
    return RawLine([span], (1.0, 0.0), False)


def raw_page(*lines: RawLine) -> RawPage:
    return RawPage(WIDTH, HEIGHT, 0, UNTURNED, list(lines))


def fragment(text: str, x: float, w: float, number: int = 1, **more: Any) -> Fragment:
    box = Rect(x=x / WIDTH, y=0.3, w=w / WIDTH, h=0.1)
    return Fragment(id=f"p1.f{number}", text=text, box=box, font="Sans", size=more.pop("size", 8.0), **more)


def page_file(*fragments: Fragment, **more: Any) -> PageFile:
    return PageFile(
        page=1, width_pt=WIDTH, height_pt=HEIGHT, route=more.pop("route", "text"), fragments=list(fragments),
        extractor_version="test", **more,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("fragments", "proven", "unread"),
    [
        ([fragment("ab cd", 20, 50)], {"p1.f1"}, []),
        ([fragment("ab", 20, 20), fragment("cd", 50, 20, 2)], {"p1.f1", "p1.f2"}, []),
        ([fragment("ab", 20, 30), fragment("cd", 50, 20, 2)], {"p1.f1", "p1.f2"}, []),
        ([fragment("ab", 20, 20)], {"p1.f1"}, ["cd"]),
        ([], set(), ["abcd"]),
        ([fragment("ab ce", 20, 50)], set(), ["abcd"]),
        ([fragment("abcd", 20, 50)], set(), ["abcd"]),
        ([fragment("ab cd", 20.01, 50)], set(), ["abcd"]),
        ([fragment("ab cd", 20, 50.5)], set(), ["abcd"]),
        ([fragment("ab", 20, 40), fragment("cd", 50, 20, 2)], {"p1.f2"}, ["ab"]),
        ([fragment("ab cd", 20, 50), fragment("ab cd", 20, 50, 2)], {"p1.f1"}, []),
        ([fragment("ab cd", 20, 50), fragment("cd", 50, 20, 2)], {"p1.f1"}, []),
        ([fragment("ab cd", 20, 50, ocr=True)], set(), ["abcd"]),
    ],
)
def test_each_fragment_takes_its_characters_and_each_character_is_taken_once(
    fragments: list[Fragment], proven: set[str], unread: list[str]
) -> None:
    reading = match(page_file(*fragments), raw_page(raw_line("ab cd")))
    assert set(reading.proven) == proven
    assert set(reading.unfounded) == {one.id for one in fragments if not one.ocr} - proven
    assert reading.unread == unread


def test_blanks_around_a_line_belong_to_none_of_its_parts() -> None:
    parts = [fragment("ab", 20, 20), fragment("cd", 50, 20, 2)]
    reading = match(page_file(*parts), raw_page(raw_line("  ab cd ", 0)))
    assert (set(reading.proven), reading.unread) == ({"p1.f1", "p1.f2"}, [])


@pytest.mark.parametrize(
    ("lefts", "edges"),
    [
        # Tens of points on a page of 200; the last edge is the end of the last character.
        ((2, 3, 4), (0.1, 0.15, 0.2, 0.25)),
        ((4, 3, 2), (0.25, 0.2, 0.15, 0.1)),
        # One that falls back by less than 0.35 of the type size stands where the one before it does.
        ((2, 3, 2.9, 4), (0.1, 0.15, 0.15, 0.2, 0.25)),
        ((2, 4, 3.75), (0.1, 0.2, 0.2, 0.2375)),
        ((2, 4, 3.6), ()),
        ((4, 2, 2.6), ()),
        ((2, 4, 3), ()),
        ((2,), (0.1, 0.15)),
    ],
)
def test_edges_of_characters_follow_each_other_from_either_side(
    lefts: tuple[float, ...], edges: tuple[float, ...]
) -> None:
    made = raw_line("x" * len(lefts))
    placed = [
        c._replace(box=(10 * x, 30, 10 * x + 10, 40)) for c, x in zip(made.spans[0].characters, lefts, strict=True)
    ]
    ground = GroundLine(RawLine([made.spans[0]._replace(characters=placed)], made.direction, False))
    assert character_edges(Frame(raw_page()), ground.characters, 8.0) == pytest.approx(edges)


def test_a_line_reaches_from_above_its_letters_to_below() -> None:
    # 20 pt type in boxes of 10 pt: .85 em above the base line and .25 em below it.
    box = Rect(x=0.1, y=0.21, w=0.1, h=0.22)
    reading = match(
        page_file(Fragment(id="p1.f1", text="ab", box=box, font="", size=20)), raw_page(raw_line("ab", size=20))
    )
    assert set(reading.proven) == {"p1.f1"}


def test_a_turned_page_is_proved_as_displayed() -> None:
    turned = RawPage(HEIGHT, WIDTH, 90, (0.0, 1.0, -1.0, 0.0, HEIGHT, 0.0), [raw_line("ab")])
    box = Rect(x=0.6, y=0.1, w=0.1, h=0.1)
    file = PageFile(
        page=1, width_pt=HEIGHT, height_pt=WIDTH, rotation=90, route="text", extractor_version="test",
        fragments=[Fragment(id="p1.f1", text="ab", box=box, font="", size=8)],
    )  # fmt: skip
    assert set(match(file, turned).proven) == {"p1.f1"}


def test_what_a_database_cannot_hold_is_matched_by_what_stands_for_it() -> None:
    reading = match(page_file(fragment("a\ufffd\ufffd", 20, 30)), raw_page(raw_line("a\0\ud800")))
    assert set(reading.proven) == {"p1.f1"}


# The second reader


@pytest.mark.parametrize(
    ("pairs", "wanted", "found", "other"),
    [
        ([("p", "p"), ("4", "4"), ("5", "8")], "p 45", "p48", True),
        ([("4", "4"), ("5", "5")], "45", "45", False),
        ([("l", "t"), ("i", "h"), ("1", "l")], "Line 1", "thighl", False),
        ([("a", "x"), ("b", "y")], "ab", "xy", True),
        ([("o", "o"), ("t", "h")], "other", "othe", False),
        ([], "", "", False),
    ],
)
def test_another_letter_in_the_place_of_one_is_another_text(
    pairs: list[tuple[str, str]], wanted: str, found: str, other: bool
) -> None:
    assert is_other_text(pairs, wanted, found) is other


@pytest.mark.parametrize(
    ("pairs", "other"),
    [
        ([("a", "x"), ("b", "y")] * 4, True),
        ([("a", "x"), ("b", "y")], False),
        ([("a", c) for c in "uvwxyz"], False),
        ([("a", "x")] * 4 + [("b", "b")] * 5, False),
        ([("a", "a")] * 9, False),
    ],
)
def test_a_font_is_decoded_otherwise_when_its_letters_change_one_for_one(
    pairs: Sequence[tuple[str, str]], other: bool
) -> None:
    assert is_other_decoding(pairs) is other


class Page:
    """A source of one page, and its second reader."""

    page_count = 1

    def __init__(
        self, raw: RawPage, glyphs: list[Glyph] | None, pictures: Sequence[Extent] = (), drawn: RawPage | None = None
    ) -> None:
        self._raw, self._glyphs, self._pictures, self._drawn = raw, glyphs, pictures, drawn or raw

    def raw_pages(self, page: int) -> Any:
        yield self._raw

    def drawn_page(self, page: int) -> RawPage:
        return self._drawn

    def form(self, page: int) -> RawForm:
        return RawForm([], [])

    def pictures(self, page: int) -> RawPictures:
        assert self._pictures, "nothing was recognised on this page"
        return RawPictures([*self._pictures], [])

    def glyphs(self, page: int, drawn: bool) -> list[Glyph] | None:
        return self._glyphs


def seen(text: str) -> list[Glyph]:
    marks = [(n, c) for n, c in enumerate(text) if not c.isspace()]
    return [Glyph(c, (25 + 10 * n) / WIDTH, 0.35, n > 0 and text[n - 1] == " ") for n, c in marks]


@pytest.mark.parametrize(
    ("theirs", "kind"),
    [("price 45", None), ("price 48", "other"), ("price 4", "missing"), ("", "missing"), ("pri ce45", "spacing")],
)
def test_the_second_reader_is_asked_about_every_line(theirs: str, kind: str | None) -> None:
    page = Page(raw_page(raw_line("price 45")), seen(theirs))
    proven = prove_page(page, page, 1, StoredPage(1, False, "text", []), page_file(fragment("price 45", 20, 80)))
    assert proven.wrong == []
    assert proven.second is not None
    assert {name: one.kind for name, one in proven.second.items()} == ({"p1.f1": kind} if kind else {})


STRIPS = [(0.0, 5.0 * n, WIDTH, 5.0 * n + 5) for n in range(20)]
STAMP = [(15.0, 28.0, 75.0, 42.0)]


@pytest.mark.parametrize(
    ("pictures", "printed", "checks"),
    [
        (STRIPS, (), []),
        (STAMP, (), []),
        (STRIPS, ("of its own",), []),
        ([(100.0, 0.0, WIDTH, HEIGHT)], (), ["ocr"]),
        (STRIPS[:3], (), ["ocr"]),
    ],
)
def test_a_recognised_line_stands_in_a_picture_of_any_size(
    pictures: list[Extent], printed: tuple[str, ...], checks: list[str]
) -> None:
    own = [fragment(text, 80, 100, 2) for text in printed]
    page = Page(raw_page(*[raw_line(text, 80) for text in printed]), None, pictures)
    route = "mixed" if printed else "ocr"
    file = page_file(fragment("stamp", 20, 50, ocr=True), *own, route=route)
    proven = prove_page(page, page, 1, StoredPage(1, False, route, []), file)
    assert [one.check for one in proven.wrong] == checks


@pytest.mark.parametrize(
    ("drawn", "checks"),
    [
        (["price 45"], []),
        (["price 48"], ["unread_text", "fragment"]),
        (["price", "45"], ["unread_text", "fragment"]),
        (["PRICE 45"], []),
        (["pri\ufffde 45"], []),
        (["pri\ue0a3e 45"], []),
        (["pri-e 45"], ["fragment"]),
        (["price  \ufb01"], ["unread_text", "fragment"]),
        (["price 45 and more"], ["unread_text"]),
        (["price"], ["fragment"]),
        ([""], ["fragment"]),
        (["price 45 ."], []),
        (["price 45", "fees"], ["unread_text"]),
    ],
)
def test_a_line_says_the_letters_that_are_drawn_in_its_place(drawn: list[str], checks: list[str]) -> None:
    """Whatever replacement text the source has for its glyphs."""
    ground = raw_page(*[raw_line(text, 20 + 40 * n) for n, text in enumerate(drawn)])
    page = Page(raw_page(raw_line("price 45")), None, drawn=ground)
    proven = prove_page(page, page, 1, StoredPage(1, False, "text", []), page_file(fragment("price 45", 20, 80)))
    assert [one.check for one in proven.wrong] == checks


@pytest.mark.parametrize(
    ("glyphs", "beyond"),
    [
        ([], ""),
        ([Glyph("7", 0.05, 0.8, True), Glyph("A", 0.02, 0.8, True)], "7A"),
        ([Glyph("-", 0.05, 0.8, True), Glyph("\ufffd", 0.06, 0.8, True)], ""),
        ([Glyph("a", 0.0985, 0.35, True), Glyph("b", 0.5, 0.2985, True), Glyph("c", 0.5015, 0.4015, True)], ""),
        ([Glyph("a", 0.0975, 0.35, True)], "a"),
        ([Glyph("a", 0.5025, 0.35, True)], "a"),
        ([Glyph("a", 0.3, 0.2975, True)], "a"),
        ([Glyph("a", 0.3, 0.4025, True)], "a"),
    ],
)
def test_letters_that_the_second_reader_alone_sees_are_told(glyphs: list[Glyph], beyond: str) -> None:
    """The line reaches from .1 to .5 and from .3 to .4."""
    page = Page(raw_page(raw_line("price 45")), [*glyphs, *seen("price 45")])
    proven = prove_page(page, page, 1, StoredPage(1, False, "text", []), page_file(fragment("price 45", 20, 80)))
    assert (proven.wrong, proven.beyond) == ([], beyond)
