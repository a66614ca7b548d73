"""From operations to a document: every chunk, section and count of small documents, written out."""

import pytest

from shared.domain.draft import ChunkDraft, DocumentDraft
from shared.domain.geometry import PageBox, Rect
from shared.domain.operations import (
    AttributeClaim,
    CandidateAttribute,
    Operation,
    PageOperations,
    RegisterChunk,
    RegisterFigure,
    RegisterSection,
    Skip,
)
from shared.domain.page import Fragment, PageFile
from shared.extraction.assemble import assemble
from shared.extraction.compose import CODE_LINE, compose_boxes, compose_row, compose_text, line_join, text_join
from shared.extraction.references import Resolver
from shared.extraction.titles.tree import SectionTree, section_context, title_without

UNIT = 1 / 64  # sums of it are exact


def fragment(
    number: int, text: str, x: int = 4, y: int | None = None, w: int = 16, *, page: int = 1, h: int = 1, **more: object
) -> Fragment:
    box = Rect(x=x * UNIT, y=(4 * number if y is None else y) * UNIT, w=w * UNIT, h=h * UNIT)
    made: dict[str, object] = {"id": f"p{page}.f{number}", "text": text, "box": box, "font": "Sans", "size": 10.0}
    return Fragment.model_validate(made | more)


def page_of(*fragments: Fragment, number: int = 1) -> PageFile:
    return PageFile(
        page=number, width_pt=640, height_pt=640, route="text", fragments=list(fragments), extractor_version="test"
    )


def texts(*found: str, page: int = 1) -> PageFile:
    return page_of(*(fragment(n, text, page=page) for n, text in enumerate(found, 1)), number=page)


def ops(page: PageFile, *operations: Operation, **more: object) -> tuple[PageFile, PageOperations]:
    made: dict[str, object] = {"page": page.page, "operations": list(operations), "engine": "t", "engine_version": "1"}
    return page, PageOperations.model_validate(made | more)


def chunk(*numbers: int, page: int = 1, **more: object) -> RegisterChunk:
    ids = [f"p{page}.f{n}" for n in numbers]
    return RegisterChunk.model_validate({"fragment_ids": ids, "chunk_type": "text"} | more)


def title(number: int, depth: int = 1, address: str | None = None, page: int = 1) -> RegisterSection:
    return RegisterSection(address=address, title_fragment_ids=[f"p{page}.f{number}"], depth=depth)


def edges(box: object) -> tuple[int, float, float, float, float]:
    """Page, left, top, right, bottom, in units."""
    assert isinstance(box, PageBox)
    return box.page, box.x / UNIT, box.y / UNIT, (box.x + box.w) / UNIT, (box.y + box.h) / UNIT


def sections(draft: DocumentDraft) -> list[tuple[str | None, str, int | None, int]]:
    return [(s.address, s.title, s.parent, s.depth) for s in draft.sections]


def contents(draft: DocumentDraft) -> list[tuple[str, str, int | None]]:
    return [(c.chunk_type, c.content, c.section) for c in draft.chunks]


def composed(joiner: str, *fragments: Fragment) -> str:
    return compose_text(Resolver(page_of(*fragments)).resolve_all([f.id for f in fragments]), joiner)


@pytest.mark.parametrize(
    ("pieces", "joiner", "expected"),
    [
        (("The wing", "is closed."), " ", "The wing is closed."),
        (("hyphen-", "ated"), " ", "hyphen- ated"),
        (("a = 1", "b = 2"), CODE_LINE, "a = 1\nb = 2"),
        (("\u6d77\u4e0a", "\u6709\u8239"), " ", "\u6d77\u4e0a\u6709\u8239"),
        (("\u6d77\u4e0a", "\u6709\u8239"), CODE_LINE, "\u6d77\u4e0a\n\u6709\u8239"),
        (("\u6d77\u4e0a", "boat"), " ", "\u6d77\u4e0a boat"),
        (("boat", "\u6709\u8239"), " ", "boat \u6709\u8239"),
        (("\ud55c\uad6d", "\ubc30"), " ", "\ud55c\uad6d \ubc30"),
        (("one",), " ", "one"),
        ((), " ", ""),
        (("one", "two", "three"), " ", "one two three"),
    ],
)
def test_the_text_of_lines(pieces: tuple[str, ...], joiner: str, expected: str) -> None:
    assert composed(joiner, *(fragment(n, text) for n, text in enumerate(pieces, 1))) == expected


@pytest.mark.parametrize(
    ("first", "second", "gap", "size", "expected"),
    [
        ("T", "he wing", 0.0, 16.0, "The wing"),
        ("T", "he wing", 0.5, 16.0, "The wing"),
        ("T", "he wing", 0.6, 16.0, "T he wing"),  # six tenths of its height away
        ("T", "he wing", 0.0, 15.9, "T he wing"),
        ("Th", "e wing", 0.0, 30.0, "Th e wing"),
        ("1", "he wing", 0.0, 30.0, "1 he wing"),
        ("T", "1st wing", 0.0, 30.0, "T 1st wing"),
    ],
)
def test_a_large_initial_begins_the_word_beside_it(
    first: str, second: str, gap: float, size: float, expected: str
) -> None:
    initial = fragment(1, first, 4, 8, 2, size=size)
    word = fragment(2, second, h=2).model_copy(
        update={"box": Rect(x=(6 + 2 * gap) * UNIT, y=8 * UNIT, w=16 * UNIT, h=2 * UNIT)}
    )
    assert composed(" ", initial, word) == expected


def test_parts_of_a_fragment_that_follow_each_other_are_joined_by_nothing() -> None:
    exact = fragment(1, "abcdef", w=6, char_x=tuple((4 + n) * UNIT for n in range(7)))
    first, second, last = Resolver(page_of(exact)).resolve_all(["p1.f1[0:2]", "p1.f1[2:4]", "p1.f1[5:6]"])
    assert line_join(first, second) == ""
    assert line_join(second, last) == " "
    assert line_join(second, first) == " "
    assert compose_text([first, second, last]) == "abcd f"


def test_pieces_over_a_page_break_are_joined_by_their_script() -> None:
    assert [text_join(*pair) for pair in (("a", "b"), ("\u6d77", "\u3002"), ("\u6d77", "b"), ("", "\u6d77"))] == [
        " ", "", " ", " ",
    ]  # fmt: skip


def test_a_row_is_its_cells_that_hold_text() -> None:
    assert compose_row(["a", "", "b"]) == "a | b"
    assert compose_row(["", "a"]) == "a"
    assert compose_row([]) == ""


def boxes(*places: tuple[int, int, int]) -> list[tuple[int, float, float, float, float]]:
    """Lines of height 1 at (x, y, w)."""
    fragments = [fragment(n, "text", x, y, w) for n, (x, y, w) in enumerate(places, 1)]
    return [edges(b) for b in compose_boxes(1, Resolver(page_of(*fragments)).resolve_all([f.id for f in fragments]))]


@pytest.mark.parametrize(
    ("places", "expected"),
    [
        ([(4, 8, 16)], [(1, 4, 8, 20, 9)]),
        ([(4, 8, 16), (4, 10, 12), (2, 12, 10)], [(1, 2, 8, 20, 13)]),
        ([(4, 40, 16), (30, 8, 16)], [(1, 4, 40, 20, 41), (1, 30, 8, 46, 9)]),  # up, and to the right
        ([(30, 40, 16), (4, 8, 16)], [(1, 30, 40, 46, 41), (1, 4, 8, 20, 9)]),  # or to the left
        ([(4, 40, 16), (20, 8, 16)], [(1, 4, 40, 20, 41), (1, 20, 8, 36, 9)]),  # right at its edge
        ([(4, 40, 16), (19, 8, 16)], [(1, 4, 8, 35, 41)]),  # not beside all of it
        ([(4, 38, 30), (4, 40, 16), (20, 8, 10)], [(1, 4, 8, 34, 41)]),  # beside the last line, not the first
        ([(10, 38, 4), (4, 40, 4), (20, 8, 4)], [(1, 4, 38, 14, 41), (1, 20, 8, 24, 9)]),
        ([(4, 40, 16), (30, 39, 16)], [(1, 4, 40, 20, 41), (1, 30, 39, 46, 40)]),  # by its own height
        ([(4, 40, 16), (30, 40, 16)], [(1, 4, 40, 46, 41)]),
        ([(4, 40, 8), (20, 8, 8), (40, 4, 8)], [(1, 4, 40, 12, 41), (1, 20, 8, 28, 9), (1, 40, 4, 48, 5)]),
    ],
)
def test_a_box_for_each_column(
    places: list[tuple[int, int, int]], expected: list[tuple[int, float, float, float, float]]
) -> None:
    assert boxes(*places) == expected


def test_a_box_names_its_own_fragments() -> None:
    fragments = [fragment(1, "a", 4, 40, 8), fragment(2, "b", 4, 42, 8), fragment(3, "c", 30, 8, 8)]
    found = compose_boxes(7, Resolver(page_of(*fragments)).resolve_all(["p1.f1", "p1.f2", "p1.f3"]))
    assert [(box.page, box.fragment_ids) for box in found] == [(7, ("p1.f1", "p1.f2")), (7, ("p1.f3",))]


def test_a_document_in_full() -> None:
    page = texts("2 Boats", "Crews sail.", "2.1 Sails are white.", "Page 7", "see below")
    claim = AttributeClaim(name="colour", value_fragment_ids=["p1.f3"], raw="white", value="white", unit=None)
    draft = assemble([
        ops(
            page,
            title(1, address="2"),
            chunk(2, confidence=0.5, keywords=["crew"]),
            chunk(3, section="2.1", attributes=[claim]),
            Skip(fragment_ids=["p1.f4"], reason="footer"),
            CandidateAttribute(name="x", raw="y", fragment_ids=["p1.f2"]),
            chunk(5, chunk_type="footnote"),
            confidence=0.75, flags=["order_conflict", "uncertain_tables", "ocr"],
        )
    ])  # fmt: skip
    assert contents(draft) == [
        ("heading", "2 Boats", 0), ("text", "Crews sail.", 0), ("text", "2.1 Sails are white.", 1),
        ("footnote", "see below", 1),
    ]  # fmt: skip
    assert sections(draft) == [("2", "Boats", None, 1), ("2.1", "", 0, 2)]
    assert [s.address_key for s in draft.sections] == ["2", "2.1"]
    assert [c.confidence for c in draft.chunks] == [0.75, 0.5, 0.75, 0.75]
    assert [c.flags for c in draft.chunks] == [["order_conflict"]] * 4
    assert [c.context for c in draft.chunks] == ["", "2 Boats", "2 Boats > 2.1", "2 Boats > 2.1"]
    assert [c.keywords for c in draft.chunks] == [[], ["crew"], [], []]
    assert draft.chunks[2].attrs == {"colour": {"raw": "white", "value": "white", "unit": None}}
    assert [[edges(b) for b in c.boxes] for c in draft.chunks] == [
        [(1, 4, 4 * n, 20, 4 * n + 1)] for n in (1, 2, 3, 5)
    ]  # fmt: skip
    assert [(s.page, s.reason, s.text, s.box.fragment_ids) for s in draft.skipped] == [
        (1, "footer", "Page 7", ("p1.f4",))
    ]
    summary = draft.pages[0]
    assert (summary.page, summary.fragments, summary.claimed, summary.skipped, summary.unclaimed) == (1, 5, 4, 1, 0)
    assert (summary.confidence, summary.flags) == (0.75, ["order_conflict", "uncertain_tables", "ocr"])
    assert draft.confidence == 0.75


def test_what_nobody_claims_is_counted() -> None:
    draft = assemble([ops(texts("a", "b", "c"), chunk(2), Skip(fragment_ids=["p1.f3"], reason="footer"))])
    summary = draft.pages[0]
    assert (summary.fragments, summary.claimed, summary.skipped, summary.unclaimed) == (3, 1, 1, 1)


def test_the_confidence_of_a_document_is_that_of_its_pages_by_their_text() -> None:
    long = ops(texts("x" * 250), chunk(1), confidence=1.0)
    short = ops(texts("y" * 50, page=2), chunk(1, page=2), confidence=0.5)
    assert assemble([long, short]).confidence == 0.875  # weights of 300 and 100
    assert assemble([]).confidence == 0.0
    assert assemble([ops(page_of(), confidence=0.25)]).confidence == 0.25


def test_what_a_recognised_line_becomes_is_flagged() -> None:
    page = page_of(fragment(1, "read", ocr=True), fragment(2, "printed"), fragment(3, "fig", ocr=True))
    figure = RegisterFigure(box=Rect(x=0.5, y=0.5, w=0.25, h=0.25), label_fragment_ids=["p1.f3"])
    draft = assemble([ops(page, chunk(1), chunk(2), figure, flags=["ocr", "low_ocr_confidence"])])
    assert [(c.ocr, c.flags) for c in draft.chunks] == [
        (True, ["ocr", "low_ocr_confidence"]), (False, []), (True, []),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("flagged", "clean", "page"), [(2, 1, 0.84), (1, 1, 0.95), (1, 0, 0.84), (0, 1, 0.95), (0, 0, 0.95)]
)
def test_a_page_with_most_chunks_flagged_is_not_green_nor_is_its_document(
    flagged: int, clean: int, page: float
) -> None:
    texts = [fragment(n, f"Line {n}", ocr=n <= flagged) for n in range(1, flagged + clean + 1)]
    chunks = [chunk(n) for n in range(1, flagged + clean + 1)]
    draft = assemble([ops(page_of(*texts), *chunks, flags=["low_ocr_confidence"], confidence=0.95)])
    assert [c.confidence for c in draft.chunks] == [0.84] * flagged + [0.95] * clean
    assert (draft.pages[0].confidence, draft.confidence) == (page, page)


def test_recognised_text_is_trusted_as_surely_as_it_was_read() -> None:
    draft = assemble([ops(page_of(fragment(1, "read", ocr=True)), chunk(1), flags=["ocr"], confidence=0.9)])
    assert (draft.chunks[0].flags, draft.chunks[0].confidence, draft.confidence) == (["ocr"], 0.9, 0.9)


def test_what_is_trusted_less_than_its_flags_allow_stays_so() -> None:
    draft = assemble([ops(page_of(fragment(1, "read", ocr=True)), chunk(1), flags=["ocr"], confidence=0.5)])
    assert (draft.chunks[0].confidence, draft.confidence) == (0.5, 0.5)


def second(text: str, **more: object) -> tuple[PageFile, PageOperations]:
    return ops(texts(text, page=2), chunk(1, page=2, continues_previous_page=True, **more))


@pytest.mark.parametrize(
    ("first", "joined"),
    [
        ("A sentence goes", True), ("A sentence goes,", True), ("It ends.", False), ("It asks?", False), ("So:", False),
        ('He said "no."', False), ("It ends\u3002", False),
    ],
)  # fmt: skip
def test_a_paragraph_goes_on_where_no_sentence_has_ended(first: str, joined: bool) -> None:
    draft = assemble([ops(texts(first), chunk(1, confidence=0.5)), second("on and on", confidence=0.25)])
    if not joined:
        assert [c.content for c in draft.chunks] == [first, "on and on"]
        return
    (whole,) = draft.chunks
    assert (whole.content, whole.confidence) == (f"{first} on and on", 0.25)
    assert [edges(box)[0] for box in whole.boxes] == [1, 2]


def test_what_stands_between_ends_a_paragraph() -> None:
    open_page = ops(texts("A sentence goes"), chunk(1))
    assert len(assemble([open_page, second("on")]).chunks) == 1
    third = ops(texts("on", page=3), chunk(1, page=3, continues_previous_page=True))
    assert len(assemble([open_page, third]).chunks) == 2  # a page is missing
    assert len(assemble([open_page, second("on"), third]).chunks) == 1
    plain = ops(texts("on", page=2), chunk(1, page=2))
    assert len(assemble([open_page, plain]).chunks) == 2
    assert len(assemble([second("on")]).chunks) == 1
    titled = ops(texts("A sentence goes", "Boats"), chunk(1), title(2))
    assert len(assemble([titled, second("on")]).chunks) == 3
    note = ops(texts("A sentence goes", "1 note"), chunk(1), chunk(2, chunk_type="footnote"))
    found = assemble([note, second("on")])
    assert [c.content for c in found.chunks] == ["A sentence goes on", "1 note"]


def test_chinese_goes_on_without_a_space() -> None:
    draft = assemble([ops(texts("boat \u6d77"), chunk(1)), second("\u6709\u8239")])
    assert [c.content for c in draft.chunks] == ["boat \u6d77\u6709\u8239"]


def test_code_goes_on_in_a_line_of_its_own() -> None:
    draft = assemble([ops(texts("a = ("), chunk(1, chunk_type="code")), second("b)", chunk_type="code")])
    assert [c.content for c in draft.chunks] == ["a = (\nb)"]


@pytest.mark.parametrize(("kind", "next_kind"), [("code", "text"), ("text", "code"), ("list", "code")])
def test_code_and_running_text_do_not_go_on_in_each_other(kind: str, next_kind: str) -> None:
    draft = assemble([ops(texts("a goes"), chunk(1, chunk_type=kind)), second("on", chunk_type=next_kind)])
    assert [c.content for c in draft.chunks] == ["a goes", "on"]


def test_a_figure_has_its_box_first_then_that_of_its_caption() -> None:
    page = texts("Figure 3 Boats", "bow", "stern", "no caption")
    with_caption = RegisterFigure(
        box=Rect(x=0.5, y=0.25, w=0.25, h=0.125), caption_fragment_ids=["p1.f1"],
        label_fragment_ids=["p1.f2", "p1.f3"], figure_type="diagram", confidence=0.5,
    )  # fmt: skip
    bare = RegisterFigure(box=Rect(x=0.5, y=0.5, w=0.25, h=0.125))
    draft = assemble([ops(page, with_caption, bare, chunk(4))])
    assert contents(draft) == [
        ("figure", "Figure 3 Boats\nbow stern", 0),
        ("figure", "", None),
        ("text", "no caption", None),
    ]
    assert [edges(box) for box in draft.chunks[0].boxes] == [(1, 32, 16, 48, 24), (1, 4, 4, 20, 5)]
    assert [box.fragment_ids for box in draft.chunks[0].boxes if isinstance(box, PageBox)] == [
        ("p1.f2", "p1.f3"), ("p1.f1",),
    ]  # fmt: skip
    assert [(f.page, f.caption, f.figure_type, f.chunk) for f in draft.figures] == [
        (1, "Figure 3 Boats", "diagram", 0), (1, "", "other", 1),
    ]  # fmt: skip
    assert edges(draft.figures[0].box) == (1, 32, 16, 48, 24)
    assert (draft.chunks[0].confidence, draft.chunks[1].confidence) == (0.5, 1.0)
    assert [(s.address, s.title, s.captioned) for s in draft.sections] == [("Figure 3", "Boats", True)]


def test_a_continued_heading_is_a_running_line_and_opens_its_section_again() -> None:
    page = texts("Note 1 Boats", "Sails", "Crews (Continued)", "Note 1 Boats (cont'd)", "text")
    draft = assemble([
        ops(page, title(1, 1, "Note 1"), title(2, 2), title(3, 1), title(4, 1, "Note 1"), chunk(5))
    ])  # fmt: skip
    assert sections(draft) == [
        ("Note 1", "Boats", None, 1),
        (None, "Sails", 0, 2),
        (None, "Crews (Continued)", None, 1),
    ]
    assert contents(draft)[-1] == ("text", "text", 0)
    assert [(s.reason, s.text) for s in draft.skipped] == [("header", "Note 1 Boats (cont'd)")]


class Grown(SectionTree):
    """A tree that is told headings (`2.1 Boats`, depth) and rules (`2.1`)."""

    def heading(self, title: str, depth: int = 1, address: str | None = None) -> "Grown":
        self.open_heading(address, title, depth, 1)
        return self

    def rule(self, *addresses: str) -> "Grown":
        for address in addresses:
            self.open_rule(address, 1)
        return self

    @property
    def shape(self) -> list[tuple[str, int | None]]:
        return [(s.address or s.title, s.parent) for s in self.sections]


def test_headings_lie_below_what_is_above_them() -> None:
    tree = Grown().heading("A").heading("B", 2).heading("C", 3).heading("D", 2).heading("E", 4).heading("F", 1)
    assert tree.shape == [("A", None), ("B", 0), ("C", 1), ("D", 0), ("E", 3), ("F", None)]
    assert [s.depth for s in tree.sections] == [1, 2, 3, 2, 3, 1]
    assert [s.index for s in tree.path(4)] == [0, 3, 4]
    assert tree.current == 5
    assert SectionTree().current is None
    assert SectionTree().path(None) == []


def test_numbers_lie_below_the_numbers_that_they_extend_whatever_their_style() -> None:
    tree = Grown().heading("Boats", 5, "2").heading("Sails", 1, "2.1").heading("Crews", 1, "2.2").heading("End", 1, "3")
    assert tree.shape == [("2", None), ("2.1", 0), ("2.2", 0), ("3", None)]
    deep = Grown().heading("Boats", 1, "V2").heading("Sails", 9, "V3")
    assert deep.shape == [("V2", None), ("V3", None)]  # of one family, however deep its style
    other = Grown().heading("Boats", 1, "V2").heading("Sails", 2, "Appendix A")
    assert other.shape == [("V2", None), ("Appendix A", 0)]
    part = Grown().heading("Boats", 1, "Part C").heading("Sails", 1, "C7").heading("Ropes", 1, "C7.6")
    assert part.shape == [("Part C", None), ("C7", 0), ("C7.6", 1)]
    chapter = Grown().heading("Boats", 1, "Chapter 3").heading("Sails", 1, "3.1").heading("Ropes", 1, "4.1")
    assert chapter.shape == [("Chapter 3", None), ("3.1", 0), ("4.1", None)]
    lettered = Grown().heading("Boats", 1, "V5").heading("Sails", 1, "5.3")
    assert lettered.shape == [("V5", None), ("5.3", 0)]


def test_a_series_holds_what_its_plural_names() -> None:
    for title, address in (
        ("Notes to the Accounts", "Note 1"), ("NOTES", "1"), ("Appendices", "Appendix A"), ("Annexes", "Annex B"),
        ("Exhibits", "Exhibit 1"),
    ):  # fmt: skip
        assert Grown().heading(title).heading("Boats", 1, address).shape == [(title, None), (address, 0)]
    assert Grown().heading("Noted boats").heading("Boats", 1, "Note 1").shape == [
        ("Noted boats", None),
        ("Note 1", None),
    ]
    chapters = (
        Grown().heading("Boats", 1, "2").heading("Sails", 2, "2.9").heading("Notes", 3).heading("Crews", 2, "2.10")
    )
    assert chapters.heading("Ports", 1, "3").shape == [("2", None), ("2.9", 0), ("Notes", 1), ("2.10", 0), ("3", None)]
    assert Grown().heading("Notes", 1, "3").heading("Boats", 1, "4").shape == [("3", None), ("4", None)]
    accounts = Grown().heading("Accounts", 1, "2").heading("Notes", 2).heading("Boats", 3, "1").heading("Crews", 3, "2")
    assert accounts.shape == [("2", None), ("Notes", 0), ("1", 1), ("2", 1)]
    assert Grown().heading("ABCs").heading("Boats", 1, "ABC").shape == [("ABCs", None), ("ABC", None)]


def test_rules_lie_below_the_rules_that_they_extend_and_headings_end_them() -> None:
    tree = Grown().heading("Wing", 1, "C7.6").rule("C7.6.1", "C7.6.1.1", "C7.6.2", "D1")
    assert tree.shape == [("C7.6", None), ("C7.6.1", 0), ("C7.6.1.1", 1), ("C7.6.2", 0), ("D1", 0)]
    tree.heading("Deep", 9)
    assert tree.shape[-1] == ("Deep", 0)
    assert Grown().rule("1", "1.1").heading("Wing", 9).shape == [("1", None), ("1.1", 0), ("Wing", None)]


def test_in_a_list_of_changes_rules_are_only_named() -> None:
    for title in ("Revision history", "Summary of changes", "List of the amendments", "What's new in 2026", "Errata"):
        tree = Grown().heading(title).rule("7.1", "7.2")
        assert tree.shape == [(title, None)]
        assert (tree.open_rule("7.3", 1), tree.add_row("7.4", 1)) == (0, 0)
        assert Grown().heading(title).heading("Wing", 2, "7").shape == [(title, None), ("7", None)]
    below = Grown().heading("Changes").heading("Wing", 2).rule("7.1")
    assert below.shape == [("Changes", None), ("Wing", 0)]
    assert Grown().heading("Exchanges").rule("7.1").shape == [("Exchanges", None), ("7.1", 0)]
    assert Grown().heading("Changes", 1, "3").rule("3.1").shape == [("3", None), ("3.1", 0)]


def test_a_row_that_mentions_a_rule_with_text_is_no_section_beside_it() -> None:
    tree = SectionTree()
    chapter, told, silent = (
        tree.open_heading("5", "Boats", 1, 1), tree.open_heading("5.1", "Axles", 2, 1),
        tree.open_heading("5.2", "Brakes", 2, 1),
    )  # fmt: skip
    mention, empty, top = tree.add_row("5.1", 2), tree.add_row("5.2", 2), tree.add_row("5", 2)
    last = tree.open_rule("5.2.1", 3)
    moved = tree.settle({chapter, told, mention, empty, top, last})
    assert moved == {chapter: 0, told: 1, silent: 2, mention: 2, empty: 3, top: 4, last: 5}
    assert [(s.index, s.parent, s.address) for s in tree.sections] == [
        (0, None, "5"), (1, 0, "5.1"), (2, 0, "5.2"), (3, 2, "5.2"), (4, 2, "5"), (5, 2, "5.2.1"),
    ]  # fmt: skip


def test_the_row_of_an_article_stays_beside_its_description() -> None:
    tree = SectionTree()
    told, row = tree.open_heading("TF-7", "Compressor", 1, 1), tree.add_row("TF-7", 2)
    assert tree.settle({told, row}) == {told: 0, row: 1}


def test_an_entry_of_the_contents_is_no_section_beside_its_heading() -> None:
    page = texts("4.4. Hosts 4.5. Mirrors", "Foreword", "4.4.1. Keys", "4.4. Hosts", "They run.", "4.4 Hosts are few")
    rules = [chunk(1, section="4.4"), chunk(2), chunk(3, section="4.4.1"), chunk(6, section="4.4")]
    draft = assemble([ops(page, title(2), *rules[:3], title(4, address="4.4"), chunk(5), rules[3])])
    assert sections(draft) == [
        (None, "Foreword", None, 1), ("4.4.1", "", 0, 2), ("4.4", "Hosts", None, 1), ("4.4", "", 2, 2)
    ]  # fmt: skip
    assert [one[2] for one in contents(draft)] == [0, 0, 0, 1, 2, 2, 3]


def test_a_number_alone_is_no_heading_that_a_rule_repeats() -> None:
    page = texts("4.4", "4.4 Hosts are few")
    draft = assemble([ops(page, title(1, address="4.4"), chunk(2, section="4.4"))])
    assert [one[2] for one in contents(draft)] == [0, 1]


def test_rows_and_captions_stay_closed() -> None:
    tree = Grown().heading("Wing", 1, "V5")
    row = tree.add_row("5.3.1", 4)
    caption = tree.add_caption("Table 3: Boats", 4)
    assert (row, caption, tree.current, tree.add_caption("Boats", 4)) == (1, 2, 0, 0)
    assert [(s.address, s.title, s.page, s.captioned) for s in tree.sections[1:]] == [
        ("5.3.1", "", 4, False), ("Table 3", "Boats", 4, True),
    ]  # fmt: skip
    assert tree.sections[1].aliases == ["v5.3.1"]
    assert tree.sections[2].address_key == "table3"


@pytest.mark.parametrize(
    ("again", "continues", "current"),
    [
        ("Boats (Continued)", True, 0), ("Boats - continued", True, 0), ("BOATS CONT'D", True, 0),
        ("2.1 Sails (cont.)", True, 1), ("Sails (continued)", False, 2), ("Boats", False, 2),
        ("Ropes (Continued)", True, 2), ("(Continued)", False, 2),
    ],
)  # fmt: skip
def test_what_continues_an_earlier_heading(again: str, continues: bool, current: int) -> None:
    tree = Grown().heading("Boats and crews").heading("Sails", 2, "2.1").heading("Ropes", 1)
    assert tree.continues(again) is continues
    assert tree.current == current


@pytest.mark.parametrize(
    ("address", "printed", "expected"),
    [
        ("2.1", "2.1 Boats", "Boats"), ("2.1", "2.1. Boats", "Boats"), ("2.1", "2.1 \u2013 Boats", "Boats"),
        ("2.1", "2.1.\u00a0Boats", "Boats"),
        ("2.1", "§ 2.1 Boats", "Boats"), ("2.1", "See 2.1 Boats", "See 2.1 Boats"), ("2.1", "No 2.1 Boats", "Boats"),
        (None, "2.1 Boats", "2.1 Boats"), ("2.1", "Boats", "Boats"), ("2.1", "2.1", ""), ("", "Boats", "Boats"),
    ],
)  # fmt: skip
def test_a_title_less_its_number(address: str | None, printed: str, expected: str) -> None:
    assert title_without(address, printed) == expected


def test_the_context_is_the_path_of_titles() -> None:
    tree = Grown().heading("x" * 200).heading("Boats", 2, "2").rule("2.1")
    assert section_context(tree, 2) == f"{'x' * 160} > 2 Boats > 2.1"
    assert section_context(tree, 2, own=True) == f"{'x' * 160} > 2 Boats"
    assert section_context(tree, None) == ""
    untitled = ChunkDraft(section=None, chunk_type="text", content="", boxes=[])
    assert untitled.context == ""
