"""What may be composed: each case says what is wrong in words written here."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.domain.geometry import Rect
from shared.domain.operations import (
    MAX_COLUMNS,
    AttributeClaim,
    CandidateAttribute,
    Cell,
    Operation,
    PageOperations,
    RegisterChunk,
    RegisterFigure,
    RegisterSection,
    RegisterTable,
    Skip,
)
from shared.domain.page import Fragment, PageFile, PageImage
from shared.extraction.references import Resolver, claimed_references
from shared.extraction.validate import unclaimed_fragments, validate_operations

STEP = 1 / 64


def fragment(number: int, text: str, *, exact: bool = True, **more: object) -> Fragment:
    """Each character a 64th of the page wide, from a 64th on; rows a 16th apart."""
    edges = tuple(STEP * (n + 1) for n in range(len(text) + 1)) if exact else ()
    box = Rect(x=STEP, y=number / 16, w=STEP * len(text), h=STEP)
    made = {"id": f"p2.f{number}", "text": text, "box": box, "font": "Sans", "size": 10.0, "char_x": edges}
    return Fragment.model_validate(made | more)


def page_of(*fragments: Fragment, images: tuple[PageImage, ...] = ()) -> PageFile:
    return PageFile(
        page=2, width_pt=595, height_pt=842, route="text", fragments=list(fragments), images=list(images),
        extractor_version="test",
    )  # fmt: skip


def errors_of(page: PageFile, *operations: Operation) -> list[str]:
    return validate_operations(
        page, PageOperations(page=2, operations=list(operations), engine="test", engine_version="1")
    )


def unclaimed(page: PageFile, *operations: Operation) -> list[str]:
    return unclaimed_fragments(
        page, PageOperations(page=2, operations=list(operations), engine="test", engine_version="1")
    )


def chunk(*references: str, **more: object) -> RegisterChunk:
    return RegisterChunk.model_validate({"fragment_ids": list(references), "chunk_type": "text"} | more)


def table(*rows: list[Cell], **more: object) -> RegisterTable:
    return RegisterTable.model_validate({"rows": list(rows)} | more)


TEN = page_of(fragment(1, "abcdefghij"))


@pytest.mark.parametrize(
    ("references", "expected"),
    [
        (["p2.f1"], []),
        (["p2.f1[0:10]"], []),
        (["p2.f1[0:4]", "p2.f1[4:10]"], []),
        (["p2.f1[4:10]", "p2.f1[0:4]"], []),
        (["p2.f1[0:1]", "p2.f1[9:10]", "p2.f1[1:9]"], []),
        (["p2.f1", "p2.f1"], ["p2.f1: claimed before"]),
        (["p2.f1", "p2.f1[3:4]"], ["p2.f1[3:4]: claimed before"]),
        (["p2.f1[0:6]", "p2.f1[5:10]"], ["p2.f1[5:10]: claimed before", "4 of 10"]),  # one character shared
        (["p2.f1[5:10]", "p2.f1[0:6]"], ["p2.f1[0:6]: claimed before", "5 of 10"]),
        (["p2.f1[2:8]", "p2.f1[0:10]"], ["p2.f1[0:10]: claimed before", "4 of 10"]),
        (["p2.f1[2:8]", "p2.f1[4:5]"], ["p2.f1[4:5]: claimed before", "4 of 10"]),
        (["p2.f1[0:3]", "p2.f1[5:10]", "p2.f1[2:6]"], ["p2.f1[2:6]: claimed before", "2 of 10"]),
        (["p2.f1[0:9]"], ["1 of 10"]),
        (["p2.f1[1:10]"], ["1 of 10"]),
        (["p2.f1[0:4]", "p2.f1[6:10]"], ["2 of 10"]),
        (["p2.f1[0:11]"], ["the fragment has 10 characters", "10 of 10"]),
        (["p2.f1[4:4]"], ["the fragment has 10 characters", "10 of 10"]),
        (["p2.f1[6:4]"], ["the fragment has 10 characters", "10 of 10"]),
        (["p2.f2"], ["p2.f2: no such fragment on this page", "10 of 10"]),
        (["p1.f1"], ["p1.f1: no such fragment on this page", "10 of 10"]),
        (["p2.f2[0:1]"], ["p2.f2[0:1]: no such fragment on this page", "10 of 10"]),
    ],
)
def test_every_character_is_claimed_exactly_once(references: list[str], expected: list[str]) -> None:
    found = errors_of(TEN, chunk(*references))
    assert len(found) == len(expected)
    assert all(text in error for text, error in zip(expected, found, strict=True))
    nothing_left = not any(" of 10" in text for text in expected)
    assert unclaimed(TEN, chunk(*references)) == ([] if nothing_left else ["p2.f1"])


def test_a_claim_of_another_operation_counts_and_its_place_is_named() -> None:
    found = errors_of(TEN, chunk("p2.f1[0:5]"), Skip(fragment_ids=["p2.f1[4:10]"], reason="footer"))
    assert found[0] == "operation 1 (skip): p2.f1[4:10]: claimed before"
    assert found[1:] == ["p2.f1: 5 of 10 characters are claimed by no operation"]


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(1, 10)).filter(lambda s: s[0] < s[1]), max_size=5))
def test_operations_pass_exactly_when_a_count_per_character_is_one_everywhere(found: list[tuple[int, int]]) -> None:
    counts = [sum(start <= place < end for start, end in found) for place in range(10)]
    errors = errors_of(TEN, *(chunk(f"p2.f1[{start}:{end}]") for start, end in found))
    assert (errors == []) == (counts == [1] * 10)


@pytest.mark.parametrize(
    ("text", "references", "missing"),
    [
        ("ab cd", ["p2.f1[0:2]", "p2.f1[3:5]"], 0),  # white space at the edge of a part
        ("ab cd", ["p2.f1[0:2]"], 2),
        ("ab  d", ["p2.f1[0:2]", "p2.f1[4:5]"], 0),
        ("a b c", ["p2.f1[0:3]"], 1),
        ("   ", [], 3),  # of a fragment of which nothing is claimed, all counts
        ("a b", [], 3),
        ("", [], 0),
    ],
)
def test_white_space_between_parts_may_stay(text: str, references: list[str], missing: int) -> None:
    page = page_of(fragment(1, text))
    expected = [f"p2.f1: {missing} of {len(text)} characters are claimed by no operation"] if missing else []
    assert errors_of(page, *(chunk(one) for one in references)) == expected
    assert unclaimed(page, *(chunk(one) for one in references)) == (["p2.f1"] if missing else [])


def test_every_fragment_that_nobody_claims_is_named() -> None:
    page = page_of(fragment(1, "one"), fragment(2, "two"), fragment(3, "three"))
    assert unclaimed(page, chunk("p2.f2")) == ["p2.f1", "p2.f3"]
    assert [error.split(":")[0] for error in errors_of(page, chunk("p2.f2"))] == ["p2.f1", "p2.f3"]


def test_operations_about_another_page_are_refused_whole() -> None:
    found = validate_operations(TEN, PageOperations(page=3, operations=[], engine="test", engine_version="1"))
    assert found == ["the operations are about page 3, not 2"]


def test_which_fragments_an_operation_claims() -> None:
    names = [f"p2.f{n}" for n in range(1, 9)]
    grid = [[Cell(fragment_ids=[names[1], names[2]]), Cell()], [Cell(fragment_ids=[names[3]])]]
    operations: list[tuple[Operation, list[str]]] = [
        (RegisterSection(title_fragment_ids=names[:2], depth=1), names[:2]),
        (chunk(*names[:3]), names[:3]),
        (Skip(fragment_ids=names[1:3], reason="header"), names[1:3]),
        (table(*grid, caption_fragment_ids=[names[0]]), names[:4]),
        (
            RegisterFigure(box=TEN.fragments[0].box, caption_fragment_ids=names[:1], label_fragment_ids=names[4:6]),
            [names[0], *names[4:6]],
        ),
        (CandidateAttribute(name="x", raw="y", fragment_ids=names[:1]), []),
    ]
    assert [list(claimed_references(one)) for one, _ in operations] == [expected for _, expected in operations]
    claim = AttributeClaim(name="x", value_fragment_ids=["p2.f7"], raw="7", value=7.0)
    assert list(claimed_references(chunk("p2.f1", attributes=[claim]))) == ["p2.f1"]


@pytest.mark.parametrize(
    ("raw", "references", "good"),
    [
        ("15 hp", ["p2.f1"], True),
        ("hp 3", ["p2.f1", "p2.f2"], True),  # over the space that joins its fragments
        ("16 hp", ["p2.f1"], False),
        ("3 pieces", ["p2.f1"], False),
        ("15 HP", ["p2.f1"], False),
        (" ", ["p2.f1"], False),
        ("", ["p2.f1"], False),
    ],
)
def test_an_attributes_raw_text_stands_in_its_own_fragments(raw: str, references: list[str], good: bool) -> None:
    page = page_of(fragment(1, "Power 15 hp"), fragment(2, "3 pieces"))
    claim = AttributeClaim(name="power", value_fragment_ids=references, raw=raw, value=15.0, unit="hp")
    found = errors_of(page, chunk("p2.f1", "p2.f2", attributes=[claim]))
    expected = f"operation 0 (register_chunk): attribute power: {raw!r} does not occur in its fragments"
    assert found == ([] if good else [expected])


def test_an_attribute_of_no_fragment_is_named_and_the_next_one_is_judged_all_the_same() -> None:
    claims = [
        AttributeClaim(name=name, value_fragment_ids=[reference], raw="zz", value="zz")
        for name, reference in (("lost", "p2.f9"), ("wrong", "p2.f1"))
    ]
    assert errors_of(TEN, chunk("p2.f1", attributes=claims)) == [
        "operation 0 (register_chunk): attribute lost: p2.f9: no such fragment on this page",
        "operation 0 (register_chunk): attribute wrong: 'zz' does not occur in its fragments",
    ]


CELL = Cell(fragment_ids=["p2.f1"])


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (table([CELL]), []),
        (table([Cell(), CELL]), []),
        (table([Cell()], [CELL]), []),
        (table([CELL], header_rows=1), []),
        (table([CELL], header_rows=2), ["2 header rows in a table of 1"]),
        (table([CELL, Cell(row_span=2)], [Cell()]), []),
        (table([CELL], [Cell(row_span=2)]), ["row 1: a cell spans beyond the last row"]),
        (table([CELL, Cell(row_span=3)], [Cell()]), ["row 0: a cell spans beyond the last row"]),
        (table([CELL, Cell(col_span=MAX_COLUMNS - 1)]), []),
        (table([CELL, Cell(col_span=MAX_COLUMNS)]), ["row 0: more than 400 columns"]),
        (table([CELL, Cell(col_span=200), Cell(col_span=200)]), ["row 0: more than 400 columns"]),
        (table([CELL], [Cell(col_span=401)]), ["row 1: more than 400 columns"]),
    ],
)
def test_a_table_keeps_inside_its_grid(made: RegisterTable, expected: list[str]) -> None:
    assert errors_of(TEN, made) == [f"operation 0 (register_table): {text}" for text in expected]


def test_a_table_without_text_is_none() -> None:
    assert errors_of(page_of(), table([Cell(), Cell()], [Cell()])) == [
        "operation 0 (register_table): a table without any text"
    ]


IMAGES = (
    PageImage(id="p2.i1", box=Rect(x=0.25, y=0.25, w=0.25, h=0.25), kind="bitmap"),
    PageImage(id="p2.i2", box=Rect(x=0.5, y=0.625, w=0.125, h=0.125), kind="vector"),
)
NOT_AN_IMAGE = "the figure's box is not that of an image of the page with its labels"
OFF_THE_PAGE = "the figure's box is not on the page"


@pytest.mark.parametrize(
    ("box", "labels", "expected"),
    [
        ((0.25, 0.25, 0.25, 0.25), [], []),
        ((0.5, 0.625, 0.125, 0.125), [], []),
        ((0.25, 0.25, 0.25, 0.251), [], [NOT_AN_IMAGE]),
        ((0.25, 0.25, 0.375, 0.5), [], [NOT_AN_IMAGE]),  # two images are two figures
        ((0.125, 0.25, 0.375, 0.25), ["p2.f4"], []),  # with its label, which begins further left
        ((0.25, 0.25, 0.25, 0.25), ["p2.f4"], [NOT_AN_IMAGE]),
        ((0.25, 0.25, 0.0, 0.25), [], [OFF_THE_PAGE]),
        ((0.25, 0.25, 0.25, 0.0), [], [OFF_THE_PAGE]),
        ((0.875, 0.25, 0.25, 0.25), [], [OFF_THE_PAGE]),
        ((0.25, 0.875, 0.25, 0.25), [], [OFF_THE_PAGE]),
        ((0.752, 0.25, 0.25, 0.25), [], [OFF_THE_PAGE]),
        ((0.25, 0.752, 0.25, 0.25), [], [OFF_THE_PAGE]),
        ((0.75, 0.75, 0.25, 0.25), [], [NOT_AN_IMAGE]),  # up to the very edge
        ((0.75001, 0.75001, 0.25, 0.25), [], [NOT_AN_IMAGE]),  # rounding is no fault
    ],
)
def test_a_figure_is_an_image_of_the_page_with_its_labels(
    box: tuple[float, float, float, float], labels: list[str], expected: list[str]
) -> None:
    x, y, w, h = box
    label = fragment(4, "abcdefgh", exact=False, box=Rect(x=0.125, y=0.375, w=0.25, h=0.0625))
    page = page_of(label, images=IMAGES)
    figure = RegisterFigure(box=Rect(x=x, y=y, w=w, h=h), label_fragment_ids=labels)
    claimed = [] if labels else [chunk("p2.f4")]
    assert errors_of(page, figure, *claimed) == [f"operation 0 (register_figure): {text}" for text in expected]


def test_a_figure_whose_label_is_not_there_has_one_fault() -> None:
    figure = RegisterFigure(box=Rect(x=0.25, y=0.25, w=0.3, h=0.25), label_fragment_ids=["p2.f9"])
    assert errors_of(page_of(images=IMAGES), figure) == [
        "operation 0 (register_figure): p2.f9: no such fragment on this page"
    ]


@pytest.mark.parametrize(
    ("reference", "text", "named", "left", "right"),
    [
        ("p2.f1", "abcdefghij", "p2.f1", 1, 11),
        ("p2.f1[0:10]", "abcdefghij", "p2.f1", 1, 11),
        ("p2.f1[0:1]", "a", "p2.f1[0:1]", 1, 2),
        ("p2.f1[3:7]", "defg", "p2.f1[3:7]", 4, 8),
        ("p2.f1[9:10]", "j", "p2.f1[9:10]", 10, 11),
        ("p2.f1[1:10]", "bcdefghij", "p2.f1[1:10]", 2, 11),
        ("p2.f1[0:9]", "abcdefghi", "p2.f1[0:9]", 1, 10),
    ],
)
def test_a_part_is_its_characters_between_their_edges(
    reference: str, text: str, named: str, left: int, right: int
) -> None:
    part = Resolver(TEN).resolve(reference)
    assert (part.text, part.reference, part.whole) == (text, named, named == "p2.f1")
    assert (part.box.x, part.box.x + part.box.w) == (left * STEP, right * STEP)
    assert (part.box.y, part.box.h) == (1 / 16, STEP)


@pytest.mark.parametrize("reference", ["", "figure 1", "p2", "p2.f1[0]", "p2.f1[a:b]", "p2.f1[0:5", " p2.f1"])
def test_what_is_no_reference_names_nothing(reference: str) -> None:
    with pytest.raises(ValueError, match="no such fragment on this page"):
        Resolver(TEN).resolve(reference)


def test_a_part_of_text_from_right_to_left_has_the_edges_of_its_characters_as_well() -> None:
    edges = tuple(STEP * (11 - n) for n in range(11))
    part = Resolver(page_of(fragment(1, "abcdefghij", char_x=edges, direction="rtl"))).resolve("p2.f1[0:3]")
    assert (part.box.x, part.box.w) == (8 * STEP, 3 * STEP)


@pytest.mark.parametrize(
    ("direction", "edges", "expected"),
    [
        ("ttb", (), "parts of vertical or rotated text have no box"),
        ("rotated", (), "parts of vertical or rotated text have no box"),
        ("ltr", (), "the positions of single characters are not known"),
        ("rtl", (), "the positions of single characters are not known"),
        ("ltr", (0.1,) * 10, "the positions of single characters are not known"),
        ("ltr", (0.1,) * 12, "the positions of single characters are not known"),
    ],
)
def test_a_part_without_positions_cannot_be_named_but_the_whole_can(
    direction: str, edges: tuple[float, ...], expected: str
) -> None:
    resolver = Resolver(page_of(fragment(1, "abcdefghij", char_x=edges, direction=direction)))
    with pytest.raises(ValueError, match=rf"^p2\.f1\[0:5\]: {expected}.*; refer to p2\.f1$"):
        resolver.resolve("p2.f1[0:5]")
    assert resolver.resolve("p2.f1[0:10]").text == "abcdefghij"
    assert [part.reference for part in resolver.resolve_all(["p2.f1", "p2.f1[0:10]"])] == ["p2.f1", "p2.f1"]
