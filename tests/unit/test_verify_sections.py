"""Sections against what a page prints of them; operations against what is stored; exact composition."""

import dataclasses
from collections.abc import Sequence
from typing import Any

import pytest

from shared.domain.geometry import PageBox, Rect
from shared.domain.operations import (
    Cell,
    Operation,
    PageOperations,
    RegisterChunk,
    RegisterFigure,
    RegisterSection,
    RegisterTable,
    Skip,
    SkipReason,
    Standing,
)
from shared.domain.verify import StoredSection, StoredSkip
from shared.verify.claims import Held, Row
from shared.verify.operations import operation_failures
from shared.verify.pieces import Lines, Piece, SourceLine
from shared.verify.sections import (
    Headline,
    by_page,
    headlines_of,
    is_heading_of,
    path_failures,
    repeated_headings,
    section_failures,
)
from shared.verify.wording import running

WORDS = ("C1 Masses", "C2", "Every wing", "Table C3: Loads", "§ 4.", "is weighed", "")


def line(number: int, text: str) -> SourceLine:
    edges = tuple(0.1 + 0.01 * n for n in range(len(text) + 1))
    return SourceLine(f"p1.f{number}", text, 0.1, 0.1, 0.5, 0.2, 10, False, lambda: edges, None)


LINES = Lines([line(number, text) for number, text in enumerate(WORDS, start=1)])


def names(*numbers: int) -> list[str]:
    return [f"p1.f{number}" for number in numbers]


def cell(*numbers: int, **spans: int) -> Cell:
    return Cell(fragment_ids=names(*numbers), **spans)


def operations(*said: Operation) -> PageOperations:
    return PageOperations(page=1, operations=list(said), engine="test", engine_version="1")


HEADING = RegisterSection(address="C1", title_fragment_ids=names(1), depth=1)
RULE = RegisterChunk(fragment_ids=names(3), chunk_type="text", section="C2")
FIGURE = RegisterFigure(box=Rect(x=0, y=0, w=1, h=1), caption_fragment_ids=names(4))
TABLE = RegisterTable(rows=[[cell(), cell(5), cell(6)], [cell(), cell()]], caption_fragment_ids=names(4))


@pytest.mark.parametrize(
    ("said", "headlines"),
    [
        ([HEADING], [("heading", "C1", "C1 Masses")]),
        ([RULE], [("rule", "C2", "Every wing")]),
        ([RegisterChunk(fragment_ids=names(3), chunk_type="text")], [("clause", None, "Every wing")]),
        ([RegisterChunk(fragment_ids=names(3), chunk_type="code")], []),
        ([FIGURE], [("caption", None, "Table C3: Loads")]),
        ([TABLE], [("caption", None, "Table C3: Loads"), ("row", None, "§ 4.")]),
        ([RegisterTable(rows=[[cell(3, 6)]])], [("caption", None, ""), ("row", None, "Every wing is weighed")]),
        ([Skip(fragment_ids=names(1), reason="footer")], []),
        (
            [RegisterSection(address=None, title_fragment_ids=names(99), depth=1), RULE],
            [("rule", "C2", "Every wing")],
        ),
    ],
)
def test_what_a_page_prints_of_sections(said: list[Operation], headlines: list[tuple[str, str | None, str]]) -> None:
    assert headlines_of(operations(*said), LINES) == [Headline(*one) for one in headlines]
    assert headlines_of(None, LINES) == []


def section(address: str | None, title: str, captioned: bool = False) -> StoredSection:
    return StoredSection("s", None, address, title, 1, 1, captioned, [("s", address, title)], [])


@pytest.mark.parametrize(
    ("kind", "address", "text", "of", "opens"),
    [
        ("heading", "C1", "C1 Masses", section("C1", "Masses"), True),
        ("heading", "C1", "C1 Masses", section("C1", "Masses", captioned=True), False),
        ("heading", "C1", "C1 Masses", section("C1", "Mass"), False),
        ("heading", "C2", "C1 Masses", section("C1", "Masses"), False),
        ("heading", None, "C1 Masses", section("C1", "Masses"), False),
        ("heading", None, "Masses", section(None, "Masses"), True),
        ("rule", "C1", "Any text", section("C1", ""), True),
        ("rule", "C2", "Any text", section("C1", ""), False),
        ("rule", "C1", "Any text", section("C1", "Any text"), False),
        ("rule", "C1", "Any text", section("C1", "", captioned=True), False),
        ("row", None, "§ 4.", section("4", ""), True),
        ("row", None, "4", section("§ 4.", ""), True),
        ("row", None, "5", section("4", ""), False),
        ("row", None, "4", section("4", "Loads"), False),
        ("row", None, "4", section("4", "", captioned=True), False),
        ("row", None, "§ ", section(None, ""), True),
        ("row", None, "4", section(None, ""), False),
        ("clause", None, "8. Loads. They are.", section("8", "Loads"), True),
        ("clause", None, "\u00a7 8 Loads", section("8", "Loads"), True),
        ("clause", None, "8. They are.", section("8", ""), True),
        ("clause", None, "8. Loads. They are.", section("8", "Load"), False),
        ("clause", None, "8. Loads are. They do.", section("8", "Loads"), False),
        ("clause", None, "88. Loads. They are.", section("8", "Loads"), False),
        ("clause", None, "12. Loads. They are.", section("2", "Loads"), False),
        ("clause", None, "8.1 They are.", section("8", ""), False),
        ("clause", None, "10. U.S. Users. They are.", section("10", "U"), False),
        ("clause", None, "\u00a7 8) Loads", section("8", "Loads"), True),
        ("clause", None, "Article 8\u2014 Loads", section("Article 8", "Loads"), True),
        ("clause", None, "\u00a7 8 \u2013 Loads", section("8", "Loads"), True),
        ("clause", None, "As in 8. Loads.", section("8", "Loads"), False),
        ("clause", None, "8. Loads.", section(None, "Loads"), False),
        ("clause", None, "8. Loads.", section("8", "Loads", captioned=True), False),
        ("caption", None, "Table 3: Loads", section("Table 3", "Loads", captioned=True), True),
        ("caption", None, "Table 3: Loads", section("Table 3", "Loads"), False),
        ("caption", None, "Table 3: Loads", section("Table 3", "Load", captioned=True), False),
        ("caption", None, "A Table 3: Loads", section("Table 3", "Loads", captioned=True), False),
        ("caption", None, "Loads", section(None, "Loads", captioned=True), False),
    ],
)
def test_a_section_is_opened_by_what_names_it(
    kind: str, address: str | None, text: str, of: StoredSection, opens: bool
) -> None:
    headings = int(kind == "heading")
    wrong = list(section_failures(1, [of], [Headline(kind, address, text)], 0 if opens else headings))
    named = f"{of.address} {of.title}" if of.address and of.title else of.address or of.title
    assert [(one.check, one.expected, one.actual) for one in wrong] == (
        [] if opens else [("section", "a heading of the page", named)]
    )


HEADLINE = Headline("heading", None, "Notes")


@pytest.mark.parametrize(
    ("stored", "headlines", "repeated", "told"),
    [
        (2, 2, 0, []),
        (1, 2, 1, []),
        (2, 1, 0, [("a heading of the page", "Notes")]),
        (1, 2, 0, [("2 sections that headings open on page 7", "1")]),
        (2, 3, 0, [("3 sections that headings open on page 7", "2")]),
        (1, 3, 1, [("2 sections that headings open on page 7", "1")]),
        (0, 0, 0, []),
        (1, 1, 1, [("0 sections that headings open on page 7", "1")]),
    ],
)
def test_each_heading_opens_one_section(
    stored: int, headlines: int, repeated: int, told: list[tuple[str, str]]
) -> None:
    wrong = section_failures(7, [section(None, "Notes")] * stored, [HEADLINE] * headlines, repeated)
    assert [(one.expected, one.actual) for one in wrong] == told


@pytest.mark.parametrize(
    ("content", "address", "title", "right"),
    [
        ("C1 Masses", "C1", "Masses", True),
        ("C1:\u00a0 \t.)-\u2013\u2014|Masses", "C1", "Masses", True),
        ("C1.\u00a0Masses", "C1", "\u00a0Masses", True),
        ("\u00a0Masses", None, "Masses", False),
        ("C1Masses", "C1", "Masses", True),
        ("C1 Masses ", "C1", "Masses", False),
        ("C1 \u201eMasses", "C1", "Masses", False),
        ("§ (C1) Masses", "C1", "Masses", True),
        ("§§ (C1) Masses", "C1", "Masses", False),
        ("Part C1 Masses", "C1", "Masses", False),
        ("Part C1 Masses", "C1", "Part C1 Masses", True),
        ("Masses", None, "Masses", True),
        ("Masses", "C1", "Masses", True),
        ("C1 Masses", None, "Masses", False),
        (" Masses", None, "Masses", False),
        ("C1", "C1", "", True),
    ],
)
def test_a_heading_is_number_and_title(content: str, address: str | None, title: str, right: bool) -> None:
    assert is_heading_of(content, (address, title)) is right


TOP = StoredSection("a", None, "C1", "Masses", 1, 3, False, [("a", "C1", "Masses")], ["c1"])
PATH = [*TOP.path, ("b", "C1.2", "Wings")]
UNDER = StoredSection("b", "a", "C1.2", "Wings", 2, 4, False, PATH, ["c12"])


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({}, []),
        ({"path": PATH[1:], "depth": 1}, [str(PATH)]),
        ({"parent_id": None}, [str(PATH[1:])]),
        ({"parent_id": None, "path": PATH[1:], "depth": 1}, []),
        ({"parent_id": "z", "path": PATH[1:], "depth": 1}, [str(PATH[1:])]),
        ({"depth": 1}, ["depth 2"]),
        ({"keys": []}, ["found by C1.2"]),
        ({"keys": ["x", "c12"]}, []),
        ({"keys": ["c1"]}, ["found by C1.2"]),
        ({"keys": ["12"]}, ["found by C1.2"]),
        ({"keys": ["Section C 1.2"]}, []),
        ({"address": None, "keys": [], "path": [*TOP.path, ("b", None, "Wings")]}, []),
        ({"address": "Art. \uff15 bis", "keys": ["5BIS"], "path": [*TOP.path, ("b", "Art. \uff15 bis", "Wings")]}, []),
        ({"address": "Art. 5 ter", "keys": ["5bis"], "path": [*TOP.path, ("b", "Art. 5 ter", "Wings")]},
         ["found by Art. 5 ter"]),
        ({"address": "PART TWO", "keys": ["part2"], "path": [*TOP.path, ("b", "PART TWO", "Wings")]}, []),
        ({"address": "PART TWO", "keys": ["part3"], "path": [*TOP.path, ("b", "PART TWO", "Wings")]},
         ["found by PART TWO"]),
        ({"address": "Part Twenty", "keys": ["part20"], "path": [*TOP.path, ("b", "Part Twenty", "Wings")]}, []),
        ({"address": " ", "keys": ["x"], "path": [*TOP.path, ("b", " ", "Wings")]}, []),
        ({"address": " ", "keys": ["x1"], "path": [*TOP.path, ("b", " ", "Wings")]}, ["found by  "]),
    ],
)  # fmt: skip
def test_a_path_ends_in_the_section_below_its_parents(changed: dict[str, Any], expected: list[str]) -> None:
    wrong = list(path_failures([TOP, dataclasses.replace(UNDER, **changed)]))
    assert [(page, one.check, one.expected) for page, one in wrong] == [(4, "section", one) for one in expected]


def test_sections_by_page_and_headings_that_only_go_on() -> None:
    assert by_page([TOP, UNDER, TOP]) == {3: [TOP, TOP], 4: [UNDER]}
    said = operations(HEADING, HEADING, RULE, RegisterSection(address=None, title_fragment_ids=names(2), depth=1))
    left_out: list[set[tuple[str, ...]]] = [{("p1.f1",)}, {("p1.f3",)}, set()]
    assert [repeated_headings(said, left) for left in left_out] == [2, 0, 0]
    assert repeated_headings(None, {("p1.f1",)}) == 0


# Operations and stored rows of tables


def left_out(reason: SkipReason, *numbers: int) -> StoredSkip:
    return StoredSkip(reason, "", PageBox(page=1, x=0, y=0, w=1, h=1, fragment_ids=tuple(names(*numbers))))


def row(*cells: tuple[tuple[int, ...], int, int]) -> Row:
    return tuple([(tuple(names(*numbers)), height, width) for numbers, height, width in cells])


def table(*rows: Row, header: int = 0, begins: bool = True) -> Held:
    references = tuple(reference for found in rows for named, _, _ in found for reference in named)
    return Held("t", "table", begins, references, (), rows, header)


def text(*numbers: int, kind: str = "text", begins: bool = True) -> Held:
    return Held("x", kind, begins, tuple(names(*numbers)))


FIRST, SECOND = row(((1,), 1, 1), ((2,), 1, 1)), row(((3,), 1, 1), ((4,), 1, 1))
ROWS = [[cell(1), cell(2)], [cell(3), cell(4)]]
WITH_HEADER = RegisterTable(rows=ROWS, header_rows=1)
TALL = RegisterTable(rows=[[cell(1, row_span=2), cell(2)], [cell(), cell()], [cell(3), cell(4, col_span=2)]])


@pytest.mark.parametrize(
    ("said", "stored", "skipped", "told"),
    [
        ([WITH_HEADER], [table(FIRST, SECOND, header=1)], [], None),
        (
            [WITH_HEADER],
            [table(FIRST, SECOND, header=2)],
            [],
            (
                "table, 2 rows, 1 of them header: p1.f1 p1.f2 p1.f3 p1.f4",
                "table, 2 rows, 2 of them header: p1.f1 p1.f2 p1.f3 p1.f4",
            ),
        ),
        ([WITH_HEADER], [], [], ("table, 2 rows, 1 of them header: p1.f1 p1.f2 p1.f3 p1.f4", "nothing")),
        ([], [text(1)], [], ("nothing", "text: p1.f1")),
        # A row without text is none, and nothing spans it.
        ([TALL], [table(row(((1,), 1, 1), ((2,), 1, 1)), row(((3,), 1, 1), ((4,), 1, 2)))], [], None),
        ([TALL], [table(row(((1,), 2, 1), ((2,), 1, 1)), row(((3,), 1, 1), ((4,), 1, 2)))], [], ("", "")),
        ([TALL], [table(row(((1,), 1, 1), ((2,), 1, 1)), row(((3,), 1, 1), ((4,), 1, 1)))], [], ("", "")),
        (
            [RegisterTable(rows=[[cell(1, row_span=2), cell(2)], [cell(3)]])],
            [table(row(((1,), 2, 1), ((2,), 1, 1)), row(((3,), 1, 1)))],
            [],
            None,
        ),
        ([RegisterTable(rows=[[cell(), cell(1)]])], [table(row(((), 1, 1), ((1,), 1, 1)))], [], None),
        # A caption is a chunk of its own before the table.
        (
            [RegisterTable(rows=ROWS, caption_fragment_ids=names(5))],
            [text(5, kind="caption"), table(FIRST, SECOND)],
            [],
            None,
        ),
        (
            [RegisterTable(rows=ROWS, caption_fragment_ids=names(5))],
            [table(FIRST, SECOND)],
            [],
            ("caption: p1.f5", "table, 2 rows, 0 of them header: p1.f1 p1.f2 p1.f3 p1.f4"),
        ),
        # It goes on from the page before, with or without a header that was left out.
        ([RegisterTable(rows=ROWS)], [table(FIRST, SECOND, header=1, begins=False)], [], None),
        ([WITH_HEADER], [table(SECOND, header=1, begins=False)], [left_out("repeated_table_header", 1, 2)], None),
        ([WITH_HEADER], [table(header=1, begins=False)], [left_out("repeated_table_header", 1, 2, 3, 4)], None),
        ([WITH_HEADER], [table(SECOND)], [left_out("repeated_table_header", 1, 2)], ("", "")),
        ([WITH_HEADER], [table(FIRST, header=1)], [left_out("repeated_table_header", 3, 4)], ("", "")),
        (
            [WITH_HEADER, WITH_HEADER],
            [table(SECOND), table(SECOND)],
            [left_out("repeated_table_header", 1, 2)],
            ("", ""),
        ),
        ([], [text(5, begins=False)], [], ("nothing that goes on from the page before", "text: p1.f5")),
        # What is left out
        ([HEADING], [text(1, kind="heading")], [], None),
        ([HEADING], [], [left_out("header", 1)], None),
        ([HEADING], [], [left_out("footer", 1)], ("heading: p1.f1", "nothing")),
        ([HEADING, HEADING], [], [left_out("header", 1), left_out("header", 1)], None),
        ([HEADING, HEADING], [], [left_out("header", 1)], ("heading: p1.f1", "nothing")),
        ([Skip(fragment_ids=names(1), reason="header")], [], [left_out("header", 1)], None),
        ([Skip(fragment_ids=names(1), reason="header")], [], [], ("skip header: p1.f1", "nothing")),
        (
            [RegisterChunk(fragment_ids=names(1), chunk_type="text")],
            [],
            [left_out("header", 1)],
            ("text: p1.f1", "nothing"),
        ),
        ([], [], [left_out("header", 1, 2)], ("no such text left out", "header: p1.f1 p1.f2")),
        ([FIGURE], [Held("f", "figure", True, ("p1.f4",), ("p1.f6",))], [], ("figure: p1.f4", "figure: p1.f4 p1.f6")),
        # A part that is all of its line is the line.
        ([RegisterChunk(fragment_ids=["p1.f2[0:2]"], chunk_type="text")], [text(2)], [], None),
        (
            [RegisterChunk(fragment_ids=["p1.f2[0:1]"], chunk_type="text")],
            [text(2)],
            [],
            ("text: p1.f2[0:1]", "text: p1.f2"),
        ),
    ],
)
def test_what_is_stored_of_a_page_is_what_its_operations_say(
    said: list[Operation], stored: list[Held], skipped: list[StoredSkip], told: tuple[str, str] | None
) -> None:
    wrong = list(operation_failures(1, LINES, operations(*said), stored, skipped))
    assert [one.check for one in wrong] == ([] if told is None else ["operations"])
    if told and told[0]:
        assert [(one.expected, one.actual) for one in wrong] == [told]


# First and last code point of each block of a script without spaces, and what stands beside it.
@pytest.mark.parametrize(
    ("first", "last"),
    [
        (0x2E80, 0x30FF), (0x31F0, 0x31FF), (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0xFE30, 0xFE4F),
        (0xFF01, 0xFF60),
    ],
)  # fmt: skip
def test_scripts_without_spaces_are_joined_without_one(first: int, last: int) -> None:
    def joined(pages: Sequence[Sequence[str]]) -> str:
        made = [[line(n, word) for n, word in enumerate(words)] for words in pages]
        return running([[Piece(one, 0, len(one.text), *one[2:6]) for one in lines] for lines in made])

    for inside in (chr(first), chr(last)):
        assert joined([[inside, "漢"]]) == inside + "漢"
        assert joined([["漢"], [inside]]) == "漢" + inside
        assert joined([["a" + inside, "漢b"]]) == "a" + inside + "漢b"
        assert joined([[inside + "a", "漢"]]) == inside + "a 漢"
        assert joined([["漢", "a" + inside]]) == "漢 a" + inside
    for outside in (chr(first - 1), chr(last + 1)):
        assert joined([[outside, "漢"]]) == outside + " 漢"
        assert joined([["漢"], [outside]]) == "漢 " + outside


DEFINES = RegisterChunk(
    fragment_ids=names(3, 6), chunk_type="code", stands=Standing(depth=1, title="p1.f3[6:10]", key="wing")
)


def named(**changed: Any) -> StoredSection:
    whole = StoredSection("w", None, None, "wing", 1, 1, False, [("w", None, "wing")], ["wing"])
    return dataclasses.replace(whole, **changed)


def failures_of_names(*sections: StoredSection, said: RegisterChunk = DEFINES) -> list[str]:
    found = headlines_of(operations(said), LINES)
    return [f"{one.expected} / {one.actual}" for one in section_failures(1, sections, found, 0)]


def test_the_section_of_a_definition_has_the_name_that_its_passage_prints() -> None:
    assert failures_of_names(named()) == []
    assert failures_of_names(named(title="Every", path=[("w", None, "Every")]))[0] == "a heading of the page / Every"
    assert failures_of_names(named(address="7"))[0] == "a heading of the page / 7 wing"


def test_a_definition_without_its_section_is_told() -> None:
    assert failures_of_names() == ["1 sections that headings open on page 1 / 0"]


def test_a_name_outside_of_the_passage_names_nothing() -> None:
    outside = DEFINES.model_copy(update={"fragment_ids": names(6)})
    assert failures_of_names(named(), said=outside)[0] == "a heading of the page / wing"


@pytest.mark.parametrize("keys", [[], ["every"], ["wing", "other.wing"], ["other"]])
def test_a_definition_is_found_by_its_printed_names_alone(keys: list[str]) -> None:
    assert failures_of_names(named(keys=keys)) == [f"found by wing / {' '.join(keys)}"]


def test_a_definition_within_another_is_found_by_both_names() -> None:
    path = [("p", None, "Plane"), ("w", None, "wing")]
    assert failures_of_names(named(depth=2, parent_id="p", path=path, keys=["plane.wing", "wing"])) == []


def test_a_heading_without_a_number_is_found_by_no_key() -> None:
    found = [Headline("heading", None, "wing")]
    assert [one.expected for one in section_failures(1, [named()], found, 0)] == ["found by wing"]
    assert list(section_failures(1, [named(keys=[])], found, 0)) == []


def test_a_number_that_nobody_typed_begins_a_clause() -> None:
    numbered = line(1, "Loads. They are.")._replace(marker="8.")
    said = operations(RegisterChunk(fragment_ids=names(1), chunk_type="list"))
    assert headlines_of(said, Lines([numbered])) == [Headline("clause", None, "8. Loads. They are.")]
