import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.domain.geometry import PageBox, Rect, union
from shared.domain.operations import AttributeClaim, PageOperations, RegisterChunk, RegisterFigure, RegisterSection
from shared.domain.page import Fragment, PageFile, PageImage, Rule
from shared.domain.sketch import PageSketch
from shared.extraction.assemble import assemble
from shared.extraction.layout import extract_page
from shared.extraction.profile import build_profile
from shared.extraction.references import Resolver
from shared.extraction.validate import unclaimed_fragments, validate_operations
from shared.readers.sketch import sketch_page

WORDS = (
    "The",
    "wing",
    "must",
    "1.2",
    "C7.6.2",
    "•",
    "Table 1",
    "Figure 2",
    "(a)",
    "12",
    "$",
    "680",
    "rear.",
    "Notes:",
    "x",
)


def fragment(
    number: int, text: str, x: float, y: float, w: float = 0.3, size: float = 10.0, bold: bool = False
) -> Fragment:
    h = min(0.015, 1 - y)
    box = Rect(x=x, y=y, w=min(w, 1 - x), h=h)
    return Fragment(id=f"p1.f{number}", text=text, box=box, font="Sans-Bold" if bold else "Sans", size=size, bold=bold)


def page_of(
    fragments: list[Fragment], rules: list[Rule] | None = None, images: list[PageImage] | None = None
) -> PageFile:
    return PageFile(
        page=1, width_pt=595, height_pt=842, route="text", fragments=fragments, rules=rules or [], images=images or [],
        extractor_version="test",
    )  # fmt: skip


def operations_of(page: PageFile, *operations: RegisterChunk | RegisterFigure | RegisterSection) -> PageOperations:
    return PageOperations(page=page.page, operations=list(operations), engine="test", engine_version="1")


places = st.floats(min_value=0.0, max_value=0.95)
fragments = st.lists(
    st.tuples(
        st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join),
        places,
        places,
        st.floats(min_value=0.01, max_value=0.9),
        st.sampled_from((7.0, 10.0, 10.0, 16.0)),
        st.booleans(),
    ),
    max_size=40,
).map(lambda found: [fragment(n, *one) for n, one in enumerate(found, 1)])
rules = st.lists(
    st.tuples(places, places, st.booleans(), st.floats(min_value=0.02, max_value=0.9), st.booleans()).map(
        lambda r: Rule(
            x0=r[0],
            y0=r[1],
            x1=min(1.0, r[0] + (r[3] if r[2] else 0)),
            y1=min(1.0, r[1] + (0 if r[2] else r[3])),
            fill=r[4],
        )
    ),
    max_size=16,
)
images = st.lists(
    st.tuples(places, places).map(
        lambda p: PageImage(id="p1.i1", box=Rect(x=p[0], y=p[1], w=0.05, h=0.05), kind="vector")
    ),
    max_size=2,
)


@settings(max_examples=300, deadline=None)
@given(fragments, rules, images)
def test_any_page_becomes_valid_operations_that_claim_every_character(
    fragments: list[Fragment], rules: list[Rule], images: list[PageImage]
) -> None:
    page = page_of(fragments, rules, images)
    operations = extract_page(page, build_profile([sketch_page(page)]))
    assert validate_operations(page, operations) == []
    assert unclaimed_fragments(page, operations) == []


@settings(max_examples=150, deadline=None)
@given(fragments, rules)
def test_every_chunk_holds_its_fragments_and_its_box_is_their_union(
    fragments: list[Fragment], rules: list[Rule]
) -> None:
    page = page_of(fragments, rules)
    draft = assemble([(page, extract_page(page, build_profile([sketch_page(page)])))])
    resolver = Resolver(page)
    for chunk in draft.chunks:
        for box in chunk.boxes:
            assert isinstance(box, PageBox)
            parts = resolver.resolve_all(box.fragment_ids)
            around = union([part.box for part in parts])
            assert (box.x, box.y, box.w, box.h) == (around.x, around.y, around.w, around.h)
            assert all(part.text in chunk.content for part in parts)
    assert sum(p.claimed + p.skipped + p.unclaimed for p in draft.pages) == len(fragments)


@given(st.permutations(range(1, 7)))
def test_the_profile_does_not_depend_on_the_order_of_sketches(order: list[int]) -> None:
    sketches = {n: _sketch(n) for n in range(1, 7)}
    assert build_profile([sketches[n] for n in order]) == build_profile([sketches[n] for n in range(1, 7)])


def _sketch(number: int) -> PageSketch:
    page = page_of([fragment(1, "Kestrel Cup", 0.1, 0.03), fragment(2, f"Body text of page {number}", 0.1, 0.4)])
    return sketch_page(page.model_copy(update={"page": number}))


def test_validation_names_what_is_wrong() -> None:
    page = page_of([fragment(1, "Hello there", 0.1, 0.2), fragment(2, "General", 0.1, 0.3)])
    twice = RegisterChunk(fragment_ids=["p1.f1", "p1.f1"], chunk_type="text")
    assert any("claimed before" in e for e in validate_operations(page, operations_of(page, twice)))
    unknown = RegisterChunk(fragment_ids=["p1.f9"], chunk_type="text")
    assert any("no such fragment" in e for e in validate_operations(page, operations_of(page, unknown)))
    beyond = RegisterChunk(fragment_ids=["p1.f1[0:99]"], chunk_type="text")
    assert any("11 characters" in e for e in validate_operations(page, operations_of(page, beyond)))
    missing = RegisterChunk(fragment_ids=["p1.f1"], chunk_type="text")
    assert any(e.startswith("p1.f2") for e in validate_operations(page, operations_of(page, missing)))


def test_a_part_needs_the_positions_of_its_characters() -> None:
    page = page_of([fragment(1, "Hello", 0.1, 0.2)])
    part = RegisterChunk(fragment_ids=["p1.f1[0:2]", "p1.f1[2:5]"], chunk_type="text")
    assert any("positions" in e for e in validate_operations(page, operations_of(page, part)))
    edges = (0.1, 0.12, 0.14, 0.16, 0.18, 0.2)
    exact = page.model_copy(update={"fragments": [page.fragments[0].model_copy(update={"char_x": edges})]})
    assert validate_operations(exact, operations_of(exact, part)) == []


def test_an_attribute_must_occur_in_its_fragments() -> None:
    page = page_of([fragment(1, "Power 15 hp", 0.1, 0.2)])
    claim = AttributeClaim(name="hp", value_fragment_ids=["p1.f1"], raw="16 hp", value=16.0, unit="hp")
    chunk = RegisterChunk(fragment_ids=["p1.f1"], chunk_type="text", attributes=[claim])
    assert any("does not occur" in e for e in validate_operations(page, operations_of(page, chunk)))


def test_a_figure_box_that_no_image_has_is_rejected() -> None:
    image = PageImage(id="p1.i1", box=Rect(x=0.1, y=0.1, w=0.3, h=0.3), kind="bitmap")
    page = page_of([], images=[image])
    wider = RegisterFigure(box=Rect(x=0.1, y=0.1, w=0.4, h=0.3))
    assert validate_operations(page, operations_of(page, wider))
    assert validate_operations(page, operations_of(page, RegisterFigure(box=image.box))) == []


def test_numbered_rules_become_sections_of_their_own() -> None:
    lines = [
        fragment(1, "C7.6 Wing profile", 0.1, 0.1, size=14, bold=True),
        fragment(2, "C7.6.1 The wing must be closed.", 0.1, 0.2, w=0.5),
        fragment(3, "C7.6.2 The gap must not exceed 14 mm.", 0.1, 0.26, w=0.5),
    ]
    draft = assemble([(page := page_of(lines), extract_page(page, build_profile([sketch_page(page)])))])
    assert [(s.address, s.title, s.parent) for s in draft.sections] == [
        ("C7.6", "Wing profile", None), ("C7.6.1", "", 0), ("C7.6.2", "", 0),
    ]  # fmt: skip
    assert [c.chunk_type for c in draft.chunks] == ["heading", "text", "text"]


@pytest.mark.parametrize("ending", ["and goes on", "and ends."])
def test_a_paragraph_goes_on_over_the_page_only_where_its_sentence_does(ending: str) -> None:
    first = page_of([fragment(1, f"A sentence starts {ending}", 0.1, 0.8, w=0.6)])
    lower = fragment(1, "lower case on the next page.", 0.1, 0.1, w=0.6)
    second = page_of([lower.model_copy(update={"id": "p2.f1"})]).model_copy(update={"page": 2})
    profile = build_profile(map(sketch_page, [first, second]))
    draft = assemble([(page, extract_page(page, profile)) for page in (first, second)])
    joined = [c for c in draft.chunks if len(c.boxes) == 2]
    assert len(joined) == (0 if ending.endswith(".") else 1)


def test_chinese_text_goes_on_over_the_page_without_a_space() -> None:
    first = page_of([fragment(1, "\u6d77\u4e0a\u6709\u8239", 0.1, 0.8)])
    second = page_of([fragment(1, "\u548c\u98ce\u3002", 0.1, 0.1).model_copy(update={"id": "p2.f1"})])
    chunks = [
        RegisterChunk(fragment_ids=[f"p{n}.f1"], chunk_type="text", continues_previous_page=n == 2, confidence=1)
        for n in (1, 2)
    ]
    pages = (first, second.model_copy(update={"page": 2}))
    draft = assemble([(page, operations_of(page, chunk)) for page, chunk in zip(pages, chunks, strict=True)])
    assert [chunk.content for chunk in draft.chunks] == ["\u6d77\u4e0a\u6709\u8239\u548c\u98ce\u3002"]


def test_a_ruled_table_gives_a_chunk_for_each_row_and_one_for_the_whole() -> None:
    cells = [("Item", "Class S"), ("Entry", "350"), ("Surcharge", "150")]
    lines = [
        fragment(2 * i + j + 1, text, 0.12 + 0.4 * j, 0.205 + 0.05 * i, w=0.1)
        for i, row in enumerate(cells)
        for j, text in enumerate(row)
    ]
    drawn = [Rule(x0=0.1, y0=0.2 + 0.05 * i, x1=0.9, y1=0.2 + 0.05 * i) for i in range(4)]
    drawn += [Rule(x0=x, y0=0.2, x1=x, y1=0.35) for x in (0.1, 0.5, 0.9)]
    page = page_of(lines, drawn)
    draft = assemble([(page, extract_page(page, build_profile([sketch_page(page)])))])
    assert [(c.chunk_type, c.content) for c in draft.chunks] == [
        ("table", "Item | Class S\nEntry | 350\nSurcharge | 150"),
        ("table_row", "Entry | 350"),
        ("table_row", "Surcharge | 150"),
    ]
    assert draft.tables[0].header_rows == 1
    assert draft.chunks[1].labelled == "Item: Entry | Class S: 350"
