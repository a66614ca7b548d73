"""One page against its source, and what is counted and told of what was found."""

from collections.abc import Iterator, Sequence
from typing import Any
from uuid import UUID

import pytest

from shared.domain.geometry import PageBox, Rect
from shared.domain.knowledge import TableCell, TableGrid
from shared.domain.page import PageFile
from shared.domain.raw_page import Extent, Glyph, RawPage, RawPictures
from shared.domain.verify import Difference, StoredChunk, StoredPage, StoredSkip, VerifyReport
from shared.errors import RefusedFile
from shared.verify.boxes import are_equal, box_failure, column_failures, edges_around, edges_of, told
from shared.verify.chunks import by_page, compare_text
from shared.verify.claims import Held, PageClaims, claim_failures, skip_failures
from shared.verify.ground import Edges, Frame
from shared.verify.page import ProvenPage, Wrong, is_picture, prove_page
from shared.verify.pieces import Lines, Piece
from shared.verify.report import Checked, count_beyond, count_chunk, count_page
from shared.verify.tables import ProvenTable, cells_on, row_failures
from tests.unit.test_verify_rules import Page, fragment, line, page_file, piece, raw_line, raw_page, seen

READ = StoredPage(1, False, "text", [])


def proven(page: Page, file: PageFile | None, row: StoredPage | None = READ) -> ProvenPage:
    return prove_page(page, page, 1, row, file)


def wrongs(found: ProvenPage) -> list[tuple[str, str, str]]:
    return [(one.check, one.expected, one.actual) for one in found.wrong]


PRICE = "price 45"
PRICED = fragment(PRICE, 20, 80)


@pytest.mark.parametrize(
    ("file", "route", "told"),
    [
        (page_file(PRICED), "text", []),
        (page_file(PRICED).model_copy(update={"width_pt": 200.0019}), "text", []),
        (page_file(PRICED).model_copy(update={"width_pt": 200.0021}), "text", [("page", "(1, 200.0, 100.0, 0)")]),
        (page_file(PRICED).model_copy(update={"height_pt": 100.0021}), "text", [("page", "(1, 200.0, 100.0, 0)")]),
        (page_file(PRICED).model_copy(update={"height_pt": 99.9979}), "text", [("page", "(1, 200.0, 100.0, 0)")]),
        (page_file(PRICED).model_copy(update={"rotation": 180}), "text", [("page", "(1, 200.0, 100.0, 0)")]),
        (page_file(PRICED).model_copy(update={"page": 2}), "text", [("page", "(1, 200.0, 100.0, 0)")]),
        (page_file(PRICED), "ocr", [("page", "route text")]),
        (page_file(PRICED, route="mixed"), "mixed", []),
        (page_file(PRICED, route="ocr"), "ocr", []),
        (page_file(PRICED, route="empty"), "empty", [("ocr", "no recognised text on route empty")]),
        (page_file(fragment(PRICE, 20, 80, 2)), "text", [("page", "lines p1.f1 to p1.f1")]),
        (page_file(fragment(PRICE, 20, 80, size=8.01)), "text", [("fragment", "p1.f1 of 8 pt")]),
        (page_file(fragment(PRICE, 20, 80, invisible=True)), "text", [("fragment", "p1.f1 is drawn")]),
        (page_file(), "text", [("unread_text", "price45"), ("unread_text", "price45, which is drawn")]),
        (page_file(PRICED, fragment("x", 150, 10, 2)), "text", [("fragment", "")]),
    ],
)
def test_the_stored_page_is_the_one_of_the_source(file: PageFile, route: str, told: list[tuple[str, str]]) -> None:
    found = proven(Page(raw_page(raw_line(PRICE)), None), file, StoredPage(1, False, route, []))
    assert [(check, expected) for check, expected, _ in wrongs(found)] == told


@pytest.mark.parametrize(("letters", "told"), [(39, []), (40, [("ocr", "a text layer of 40 characters", "route ocr")])])
def test_a_page_with_a_text_layer_is_no_scan(letters: int, told: list[tuple[str, str, str]]) -> None:
    made = raw_page(raw_line("x" * 10 + "  " + "x" * 8, 0), raw_line("x" * (letters - 18), 0, 60))
    file = page_file(route="ocr")
    found = proven(Page(made, None), file, StoredPage(1, False, "ocr", []))
    assert [one for one in wrongs(found) if one[0] == "ocr"] == told


class Unreadable(Page):
    def raw_pages(self, page: int) -> Iterator[RawPage]:
        raise RefusedFile("broken", "it is broken")
        yield


def test_a_page_that_cannot_be_read_is_told_with_the_reason() -> None:
    page = Page(raw_page(raw_line(PRICE), raw_line("  ", 20, 60), raw_line("more", 20, 80)), [])
    reason = "page 1 is read"
    assert wrongs(proven(page, None, None)) == [("unread_page", reason, "not recorded")]
    assert wrongs(proven(page, None, StoredPage(1, True, None, []))) == [("unread_page", reason, "recorded as failed")]
    assert wrongs(proven(page, None)) == [("unread_text", "price 45 more", "no stored page")]
    refused = proven(Unreadable(raw_page(), []), page_file())
    assert (refused.page, refused.file, refused.lines.by_id) == (1, None, {})
    ((check, expected, actual),) = wrongs(refused)
    assert (check, expected, "broken" in actual) == ("unread_page", reason, True)


class Twice(Page):
    """The library reads it in two ways."""

    def __init__(self, *raws: RawPage) -> None:
        super().__init__(raws[0], None)
        self._raws = raws
        self.read = 0

    def raw_pages(self, page: int) -> Iterator[RawPage]:
        for raw in self._raws:
            self.read += 1
            yield raw


PARTED = raw_page(raw_line("price"), raw_line("45", 80))
WHOLE = raw_page(raw_line(PRICE))
ODD = raw_page(raw_line("price 45"), raw_line("7", 20, 60), raw_line("8", 20, 80))


@pytest.mark.parametrize(
    ("raws", "read", "unread"),
    [((WHOLE, PARTED), 1, []), ((PARTED, WHOLE), 2, []), ((ODD, PARTED), 2, ["7 8"]), ((PARTED, ODD), 2, ["7 8"])],
)
def test_the_stored_page_agrees_with_one_reading_as_a_whole(
    raws: Sequence[RawPage], read: int, unread: list[str]
) -> None:
    page = Twice(*raws)
    found = proven(page, page_file(PRICED))
    assert page.read == read
    assert [expected for check, expected, _ in wrongs(found) if check == "unread_text"][:1] == unread


def test_a_line_of_a_proven_page_has_what_the_source_says_of_it() -> None:
    file = page_file(PRICED, fragment("no", 150, 20, 2), fragment("stamp", 20, 50, 3, ocr=True), route="mixed")
    page = Page(raw_page(raw_line(PRICE)), None, [(0.0, 0.0, 1.0, 1.0)])
    found = proven(page, file, StoredPage(1, False, "mixed", [])).lines.by_id
    assert [one.why for one in found.values()] == [None, "", None]
    assert found["p1.f1"].edges() == pytest.approx([0.1 + 0.05 * n for n in range(9)])
    assert found["p1.f2"].edges() == ()
    assert (found["p1.f1"].right, found["p1.f1"].bottom, found["p1.f1"].size) == pytest.approx((0.5, 0.4, 8.0))


# Recognised text: its box reaches from 20 to 70 and from 30 to 40 points, so that its middle is at (45, 35).
STAMP = fragment("stamp", 20, 50, 1, ocr=True)


@pytest.mark.parametrize(
    ("bitmap", "right"),
    [
        ((45.0, 35.0, 50.0, 40.0), True),
        ((40.0, 30.0, 45.0, 35.0), True),
        ((45.1, 30.0, 60.0, 40.0), False),
        ((30.0, 30.0, 44.9, 40.0), False),
        ((30.0, 35.1, 60.0, 40.0), False),
        ((30.0, 30.0, 60.0, 34.9), False),
    ],
)
@pytest.mark.parametrize("kind", ["bitmap", "drawn", "drawn beside text"])
def test_recognised_text_has_its_middle_in_a_picture(bitmap: Extent, right: bool, kind: str) -> None:
    class Pictured(Page):
        def pictures(self, page: int) -> RawPictures:
            return RawPictures([bitmap], []) if kind == "bitmap" else RawPictures([], [bitmap])

    printed = kind == "drawn beside text"
    lines = [raw_line("ab", 150, 80)] if printed else []
    own = [fragment("ab", 150, 20, 2).model_copy(update={"box": Rect(x=0.75, y=0.8, w=0.1, h=0.1)})] if printed else []
    found = proven(
        Pictured(raw_page(*lines), None), page_file(STAMP, *own, route="mixed"), StoredPage(1, False, "mixed", [])
    )
    allowed = right and not printed
    assert wrongs(found) == ([] if allowed else [("ocr", "a picture of text", "p1.f1: stamp")])


@pytest.mark.parametrize(
    ("text", "x", "y", "inside"),
    [
        ("ab", 20, 30, 2),
        ("a  b", 30, 30, 2),
        ("a", 20, 30, 0),
        ("ab", 10, 30, 0),
        ("ab", 60, 30, 0),
        ("abcd", 0, 30, 2),
        ("abcd", 50, 30, 2),
        ("ab", 20, 24, 0),
        ("ab", 20, 36, 0),
        ("ab", 20, 26, 2),
        ("ab", 20, 34, 2),
    ],
)
def test_recognised_text_stands_where_the_text_layer_has_nothing(text: str, x: float, y: float, inside: int) -> None:
    """A character of five may be there, not two."""
    page = Page(raw_page(raw_line(text, x, y)), None, [(0.0, 0.0, 200.0, 100.0)])
    own = fragment(text, x, 10 * len(text), 2)
    own = own.model_copy(update={"box": own.box.model_copy(update={"y": y / 100})})
    found = proven(page, page_file(STAMP, own, route="mixed"), StoredPage(1, False, "mixed", []))
    assert wrongs(found) == ([("ocr", f"{inside} characters of the text layer", "p1.f1: stamp")] if inside else [])


FRAME = Frame(raw_page())
PARTS = RawPictures([(20.0, 30.0, 60.0, 50.0)], [(60.0, 20.0, 100.0, 70.0)])


@pytest.mark.parametrize(
    ("edges", "right"),
    [
        ((0.1, 0.3, 0.3, 0.5), True),
        ((0.1, 0.2, 0.5, 0.7), True),
        ((0.11, 0.2, 0.5, 0.7), False),
        ((0.1, 0.21, 0.5, 0.7), False),
        ((0.1, 0.2, 0.51, 0.7), False),
        ((0.1, 0.2, 0.5, 0.71), False),
    ],
)
def test_each_edge_of_a_picture_is_one_of_something_drawn(
    edges: tuple[float, float, float, float], right: bool
) -> None:
    assert is_picture(Edges(*edges), PARTS, FRAME) is right
    assert not is_picture(Edges(*edges), PARTS, None)


@pytest.mark.parametrize(
    ("theirs", "fonts", "kinds"),
    [
        # In one font everything differs, one for one.
        (["bcbcbcb", "bcb"], ("A", "A"), ["decoding", "decoding"]),
        (["bcbcbcb", "8"], ("A", "B"), ["decoding", "other"]),
        (["abababa", "abx"], ("A", "A"), ["other"]),
    ],
)
def test_a_font_that_one_reader_decodes_otherwise_is_no_other_text(
    theirs: list[str], fonts: tuple[str, str], kinds: list[Difference]
) -> None:
    ours = ["abababa", "aba" if len(theirs[1]) == 3 else "4"]
    lines = [raw_line(text, 20, 30 + 30 * n) for n, text in enumerate(ours)]
    made = [fragment(text, 20, 10 * len(text), n + 1) for n, text in enumerate(ours)]
    placed = [
        one.model_copy(update={"font": font, "box": one.box.model_copy(update={"y": 0.3 + 0.3 * n})})
        for n, (one, font) in enumerate(zip(made, fonts, strict=True))
    ]
    glyphs = [one._replace(y=0.35 + 0.3 * n) for n, text in enumerate(theirs) for one in seen(text)]
    found = proven(Page(raw_page(*lines), glyphs), page_file(*placed))
    assert found.second is not None
    assert [(one.kind) for one in found.second.values()] == kinds
    assert all(one.found in theirs for one in found.second.values())


# What is counted


def checked(differences: set[Difference] | None = None, ocr: bool = False, fails: Sequence[Any] = ()) -> Checked:
    made = Checked(StoredChunk("c", "", "text", [], ocr))
    made.differences |= differences or set()
    for check in fails:
        made.fail(check, 3, "one", "other")
    return made


@pytest.mark.parametrize(
    ("one", "counts"),
    [
        (checked(), (1, 1, 1, 0, 0, 1)),
        (checked({"ligature", "spacing", "hyphen", "order"}), (1, 1, 1, 0, 0, 1)),
        (checked({"ligature", "missing"}), (1, 1, 1, 0, 0, 0)),
        (checked({"unreadable"}), (1, 1, 1, 0, 0, 0)),
        (checked(ocr=True), (1, 0, 1, 1, 0, 0)),
        (checked(fails=["verbatim"]), (1, 0, 1, 0, 1, 0)),
        (checked(fails=["box"]), (1, 0, 0, 0, 1, 0)),
        (checked(fails=["fragment", "verbatim"], ocr=True), (1, 0, 0, 0, 1, 0)),
    ],
)
def test_each_chunk_is_counted_once(one: Checked, counts: tuple[int, ...]) -> None:
    def of(report: VerifyReport) -> tuple[int, ...]:
        return (
            report.chunks, report.verbatim, report.boxes_exact, report.ocr, report.failed, report.second_reader,
        )  # fmt: skip

    report = VerifyReport()
    count_chunk(report, one)
    assert of(report) == counts
    count_chunk(report, one)
    assert of(report) == tuple(2 * count for count in counts)
    assert report.second_reader_differences == dict.fromkeys(one.differences, 2)
    assert len(report.failures) == 2 * len(one.failures)


def test_a_hundred_examples_of_two_hundred_characters_are_told() -> None:
    report = VerifyReport()
    one = checked(fails=["box"] * 99)
    one.warn("second_reader", 4, "a" * 200, "b" * 201)
    count_chunk(report, one)
    count_page(report, None, [Wrong("page", "p", "q")] * 3)
    assert [len(report.failures), len(report.warnings)] == [100, 1]
    assert [(f.chunk_id, f.page, f.check, f.expected) for f in report.failures[98:]] == [
        ("c", 3, "box", "one"),
        (None, None, "page", "p"),
    ]
    assert report.warnings[0].model_dump(exclude={"document_id"}) == {
        "chunk_id": "c", "page": 4, "check": "second_reader", "expected": "a" * 200, "actual": "b" * 200 + "…",
    }  # fmt: skip
    for letters in ("ab", "c"):
        count_beyond(report, 2, letters)
    assert report.second_reader_differences == {"beyond": 2}
    assert [(w.chunk_id, w.page, w.expected, w.actual) for w in report.warnings[1:]] == [
        (None, 2, "no line", "beyond: ab"),
        (None, 2, "no line", "beyond: c"),
    ]


@pytest.mark.parametrize(
    ("content", "expected", "told"),
    [
        ("same", "same", None),
        ("ab", "ac", ("ac", "ab")),
        ("x" * 60 + "a", "x" * 60 + "b", ("x" * 50 + "b", "x" * 50 + "a")),
        ("x" * 60, "x" * 62, ("x" * 52, "x" * 50)),
        ("x" * 62, "x" * 60, ("x" * 50, "x" * 52)),
    ],
)
def test_text_is_told_from_shortly_before_where_it_parts(
    content: str, expected: str, told: tuple[str, str] | None
) -> None:
    one = Checked(StoredChunk("c", content, "text", []))
    compare_text(one, 5, expected)
    found = [(f.check, f.page, f.expected, f.actual) for f in one.failures]
    assert found == ([("verbatim", 5, *told)] if told else [])


# Boxes and what is held


def boxed(*pieces: Piece, page: int = 1) -> tuple[PageBox, list[Piece]]:
    names = tuple(one.line.id for one in pieces)
    return PageBox(page=page, x=0, y=0, w=1, h=1, fragment_ids=names), list(pieces)


A, B = piece("a", 0.1, 0.1, name="a"), piece("b", 0.1, 0.8, name="b")
C, D = piece("c", 0.5, 0.1, name="c"), piece("d", 0.5, 0.2, name="d")
LEFT = piece("l", 0.0, 0.1, name="l", right=0.1)


@pytest.mark.parametrize(
    ("groups", "told"),
    [
        ([boxed(A, B), boxed(C, D)], []),
        ([boxed(A, B, C, D)], [("a box that begins with c", "a b c d")]),
        ([boxed(A, B, LEFT)], [("a box that begins with l", "a b l")]),
        ([boxed(A, piece("m", 0.3, 0.8, name="m"), piece("x", 0.0, 0.1, name="x", right=0.2))], []),
        ([boxed(A), boxed(B)], [("one box with b", "a b")]),
        ([boxed(A), boxed(B, page=2)], []),
        ([boxed(A), boxed()], []),
        ([boxed(A, B, piece("x", 0.49, 0.1, name="x"))], []),
        ([boxed(A, B, piece("x", 0.0, 0.1, name="x", right=0.11))], []),
        ([boxed(A, B, piece("x", 0.5, 0.76, name="x"))], []),
        ([boxed(A, B, piece("x", 0.5, 0.75, name="x", bottom=0.8))], [("a box that begins with x", "a b x")]),
        ([boxed(A, piece("w", 0.3, 0.5, name="w", right=0.9), B, piece("x", 0.6, 0.1, name="x"))], []),
    ],
)
def test_a_column_begins_higher_and_beside_all_that_came_before(
    groups: list[tuple[PageBox, list[Piece]]], told: list[tuple[str, str]]
) -> None:
    assert list(column_failures(groups)) == told


def test_boxes_are_told_by_their_edges_and_extent() -> None:
    box = PageBox(page=1, x=0.1, y=0.2, w=0.3, h=0.4)
    assert edges_of(box) == pytest.approx((0.1, 0.2, 0.4, 0.6))
    assert told(edges_of(box)) == "0.100000 0.200000 0.300000 0.400000"
    assert box_failure(box, []) == ("lines in the box", "0.100000 0.200000 0.300000 0.400000")
    assert box_failure(box, [A]) == ("0.100000 0.100000 0.400000 0.050000", "0.100000 0.200000 0.300000 0.400000")
    assert not are_equal(Edges(0, 0, 1, 1), Edges(0, 0, 1, 1.1))
    assert edges_around([A, C]) == pytest.approx((0.1, 0.1, 0.9, 0.15))


def test_pieces_of_one_page_come_together_and_empty_boxes_do_not_count() -> None:
    groups = [boxed(A), boxed(B), boxed(page=2), boxed(C, page=3), boxed(D, page=1)]
    assert by_page(groups) == [[A, B], [C], [D]]


HELD = ProvenPage(1, None, Lines([line("one two", name="p1.f1", characters=tuple(n / 10 for n in range(8)))]))


@pytest.mark.parametrize(
    ("references", "told"),
    [
        (["p1.f1"], []),
        (["p1.f1[0:7]"], []),
        (["p1.f1[4:7]", "p1.f1[0:3]"], []),
        (["p1.f1[0:3]", "p1.f1[3:7]"], []),
        (["p1.f1[0:4]", "p1.f1[3:7]"], [("claimed_twice", "each line held once", "p1.f1[3:7]")]),
        (["p1.f1[3:7]", "p1.f1[0:4]"], [("claimed_twice", "each line held once", "p1.f1[0:4]")]),
        (["p1.f1[0:6]"], [("unclaimed", "every line held", "p1.f1")]),
        (["p1.f1[1:7]"], [("unclaimed", "every line held", "p1.f1")]),
        (["p1.f1", "p1.f2"], [("fragment", "a line of the stored page", "p1.f2: no such line on this page")]),
    ],
)
def test_what_is_held_of_a_line_is_told(references: list[str], told: list[tuple[str, str, str]]) -> None:
    for held in (Held("1", "text", True, tuple(references)), Held("1", "figure", True, (), tuple(references))):
        wrong, count = claim_failures(HELD, PageClaims([held]), [])
        assert [(one.check, one.expected, one.actual) for one in wrong] == told
        assert count == sum(check == "unclaimed" for check, *_ in told)
    box = PageBox(page=1, x=0, y=0, w=1, h=1, fragment_ids=tuple(references))
    lost = any(check == "fragment" for check, *_ in told)
    assert bool(list(skip_failures(HELD, [StoredSkip("footer", "else", box)]))) is not lost


# Tables


def cell(*places: tuple[int, int], row_span: int = 1, col_span: int = 1) -> TableCell:
    boxes = [PageBox(page=page, x=0, y=0, w=1, h=1, fragment_ids=(f"p{page}.f{n}",)) for page, n in places]
    return TableCell(text="x", boxes=boxes, row_span=row_span, col_span=col_span)


GRID = TableGrid(
    id=UUID(int=1), caption="", header_rows=1, first_page=1, last_page=2,
    rows=[[cell((1, 1), col_span=2)], [cell((1, 2), (2, 1), row_span=2), cell((1, 3))], [cell((2, 2))], [cell()]],
)  # fmt: skip


def test_rows_of_a_page_hold_what_stands_there() -> None:
    assert cells_on(GRID, 1) == [((("p1.f1",), 1, 2),), ((("p1.f2",), 1, 1), (("p1.f3",), 1, 1))]
    assert cells_on(GRID, 2) == [((("p2.f1",), 2, 1), ((), 1, 1)), ((("p2.f2",), 1, 1),)]
    assert cells_on(GRID, 3) == []


@pytest.mark.parametrize(
    ("counts", "told"),
    [
        ({1: 1, 2: 1, 3: 1}, []),
        ({0: 1, 1: 1, 2: 1, 3: 1}, [(1, "0 chunk of row 0", "1")]),
        ({1: 2, 3: 1}, [(1, "1 chunk of row 1", "2"), (2, "1 chunk of row 2", "0")]),
        ({1: 1, 2: 1}, [(1, "1 chunk of row 3", "0")]),
    ],
)
def test_each_row_of_the_body_has_one_chunk(counts: dict[int, int], told: list[tuple[int, str, str]]) -> None:
    table = ProvenTable(GRID)
    table.rows.update(counts)
    assert [(page, one.expected, one.actual) for page, one in row_failures(table)] == told
    assert table.pages == [1, 2]


@pytest.mark.parametrize(
    ("reference", "canonical"),
    [("p1.f1[0:7]", "p1.f1"), ("p1.f1[0:6]", "p1.f1[0:6]"), ("p1.f1[1:7]", "p1.f1[1:7]"), ("p1.f9[0:7]", "p1.f9[0:7]"),
     ("p1.f1", "p1.f1"), ("?", "?")],
)  # fmt: skip
def test_a_part_that_is_all_of_its_line_has_the_name_of_the_line(reference: str, canonical: str) -> None:
    assert HELD.lines.canonical([reference]) == (canonical,)
    if canonical == "p1.f1":
        (found,) = HELD.lines.pieces([reference])
        assert (found.start, found.end, found.left, found.right) == (0, 7, 0.1, 0.5)


def test_glyphs_are_asked_for_as_the_page_was_read() -> None:
    asked: list[bool] = []

    class Asked(Page):
        def glyphs(self, page: int, drawn: bool) -> list[Glyph] | None:
            asked.append(drawn)
            return None

    for drawn in (True, False):
        page = Asked(raw_page(raw_line(PRICE))._replace(drawn=drawn), None)
        assert proven(page, page_file(PRICED)).second is None
    assert asked == [True, False]
