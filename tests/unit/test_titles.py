"""What makes a row a title, rule by rule: numbers, styles, printed contents, the row itself."""

import pytest

from shared.domain.geometry import Rect
from shared.domain.page import Fragment, PageFile
from shared.domain.sketch import (
    ContentsLine,
    HeadingStyle,
    OutlineHint,
    PageSketch,
    Profile,
    StandingLine,
    TitleMark,
)
from shared.extraction.page_view import PageView
from shared.extraction.titles.contents import skip_contents
from shared.extraction.titles.evidence import (
    TitleEvidence,
    bare_key,
    contents_marks,
    has_plain_titles,
    is_plain_title,
    is_short,
    outline_levels,
    repeated_numbers,
    sequence_marks,
    title_key,
)
from shared.extraction.titles.headings import HeadingJudge, runs_on
from shared.extraction.titles.joined import front_matter, joined_titles
from shared.extraction.titles.styles import title_styles
from shared.readers.sketch_titles import contents_lines
from shared.values.numbering import Numbered, longest_sequences, numbers_of

BODY = "Serif|10"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1 Scope", [("", (1,), "1")]),
        ("1. Scope", [("", (1,), "1")]),
        ("1) Scope", [("", (1,), "1")]),
        ("2.10.3 Scope", [("", (2, 10, 3), "2.10.3")]),
        ("AB12 Scope", [("AB", (12,), "AB12")]),
        ("V1.2: Scope", [("V", (1, 2), "V1.2")]),
        ("B Scope", [("A", (2,), "B")]),
        ("B.3 Scope", [("A", (2, 3), "B.3")]),
        ("IV. Scope", [("I", (4,), "IV")]),
        ("IX Scope", [("I", (9,), "IX")]),
        ("XL Scope", [("I", (40,), "XL")]),
        ("XIV Scope", [("I", (14,), "XIV")]),
        ("III-B Scope", [("I", (3, 2), "III-B")]),
        ("C. Scope", [("A", (3,), "C"), ("I", (100,), "C")]),
        ("1 scope", []),
        ("1 (Scope", []),
        ("A B. C. Kestrel", []),
        ("1Scope", []),
        ("1", []),
        ("1234 Scope", []),
        ("ABCD1 Scope", []),
        ("Scope 1", []),
        ("1 Scope\nof it", []),
        ("2.1.2.3.4 Scope", [("", (2, 1, 2, 3, 4), "2.1.2.3.4")]),
        ("CD Scope", []),
        ("MC Scope", []),
    ],
)
def test_the_number_that_a_row_begins_with(text: str, expected: list[tuple[str, tuple[int, ...], str]]) -> None:
    assert numbers_of(text) == expected


def chains(*printed: str, weights: dict[str, float] | None = None) -> list[list[str]]:
    numbered = [
        Numbered(row, scheme, steps, number, (weights or {}).get(number, 1.0))
        for row, one in enumerate(printed)
        for scheme, steps, number in numbers_of(f"{one} Scope")
    ]
    return [[one.printed for one in chain] for chain in longest_sequences(numbered)]


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (["1", "2", "3"], [["1", "2", "3"]]),
        (["1", "1.1", "1.2", "2"], [["1", "1.1", "1.2", "2"]]),
        (["1", "2.1", "2"], [["1", "2"]]),
        (["1", "2", "2.1.1"], [["1", "2"]]),  # a step down begins at one below what is there
        (["1", "3", "4"], [["1", "3", "4"]]),  # one may be left out
        (["1", "4"], [["1"]]),  # not two
        (["3", "2", "1"], [["1"]]),
        (["1", "9", "2", "8", "3"], [["1", "2", "3"]]),
        (["1", "2", "A", "B"], [["1", "2"], ["A", "B"]]),
        (["V1", "V2", "V2.1"], [["V1", "V2", "V2.1"]]),
        (["4", "5", "6"], [["4", "5", "6"]]),
        (["1", "1", "2"], [["1", "2"]]),
        (["0", "1", "2"], [["0", "1", "2"]]),
        (["1", "1.0", "1.1"], [["1", "1.0", "1.1"]]),
        (["1.1", "1.2", "2.1"], [["1.1", "1.2"]]),
    ],
)
def test_a_sequence_goes_on_number_by_number(rows: list[str], expected: list[list[str]]) -> None:
    assert chains(*rows) == expected


def test_of_two_sequences_the_heavier_one_wins_and_gaps_and_late_starts_cost() -> None:
    assert chains("1", "5", "6", weights={"1": 1.1, "5": 1.0, "6": 1.0}) == [["1"]]  # 1.1 against 2.0 less one
    assert chains("1", "5", "6", weights={"1": 0.9, "5": 1.0, "6": 1.0}) == [["5", "6"]]
    assert chains("1", "3", weights={"1": 1.0, "3": 0.6}) == [["1", "3"]]  # the gap costs a half
    assert chains("1", "3", weights={"1": 1.0, "3": 0.4}) == [["1"]]
    assert chains("1", "2", "2", "3", weights={"2": 1.0}) == [["1", "2", "3"]]
    assert chains("1", "5", weights={"1": 1.0, "5": 2.0}) == [["1"]]  # of equals the first


@pytest.mark.parametrize(
    ("text", "key", "bare"),
    [
        ("2.1 Boats & Crews!", "21boatscrews", "boatscrews"),
        ("Boats", "boats", "boats"),
        ("II-A Boats", "iiaboats", "boats"),
        ("Note 3 - Boats", "note3boats", "boats"),
        ("B Boats", "bboats", "boats"),
        ("§ 4 Größe", "4größe", "größe"),
        ("", "", ""),
    ],
)
def test_titles_are_compared_by_letters_and_digits(text: str, key: str, bare: str) -> None:
    assert (title_key(text), bare_key(text)) == (key, bare)


def standing(text: str, style: str = "Bold|12", **more: object) -> StandingLine:
    made: dict[str, object] = {
        "text": text,
        "style": style,
        "above": 2.0,
        "below": 2.0,
        "following": 90,
        "aligned": True,
    }
    return StandingLine.model_validate(made | more)


def marks(*lines: StandingLine, pages: bool = False) -> list[tuple[str, int, str | None]]:
    candidates = [(at if pages else 1, line) for at, line in enumerate(lines, 1)]
    return [(mark.key, mark.level, mark.address) for mark in sequence_marks(candidates, BODY, 1.2)]


def test_three_numbers_two_letters_or_two_of_a_prefix_of_one_prove_each_other() -> None:
    assert marks(standing("1 Aa"), standing("2 Bb")) == []
    assert marks(standing("1 Aa"), standing("2 Bb"), standing("2.1 Cc")) == [
        ("1aa", 1, "1"), ("2bb", 1, "2"), ("21cc", 2, "2.1"),
    ]  # fmt: skip
    assert marks(standing("A Aa"), standing("B Bb")) == [("aaa", 1, "A"), ("bbb", 1, "B")]
    assert marks(standing("A Aa")) == []
    assert marks(standing("V1 Aa"), standing("V2 Bb")) == [("v1aa", 1, "V1"), ("v2bb", 1, "V2")]
    assert marks(standing("AB1 Aa"), standing("AB2 Bb")) == []
    assert len(marks(standing("AB1 Aa"), standing("AB2 Bb"), standing("AB3 Cc"))) == 3


def test_letters_below_roman_numbers_are_a_level_deeper_and_no_addresses() -> None:
    assert marks(*map(standing, ["A Bb", "B Cc", "1 Dd", "2 Ee", "3 Ff"])) == [
        ("abb", 1, "A"), ("bcc", 1, "B"), ("1dd", 1, "1"), ("2ee", 1, "2"), ("3ff", 1, "3"),
    ]  # fmt: skip
    rows = ["II Aa", "A Bb", "B Cc", "III Dd", "IV Ee"]
    assert marks(*map(standing, rows)) == [
        ("iiaa", 1, "II"), ("abb", 2, None), ("bcc", 2, None), ("iiidd", 1, "III"), ("ivee", 1, "IV"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("more", "proved"),
    [
        ({}, True),
        ({"above": 1.5}, True),  # 1.25 times the pitch of 1.2
        ({"above": 1.49}, False),
        ({"following": 40}, True),
        ({"following": 39}, False),
        ({"aligned": False}, True),
    ],
)
def test_numbered_rows_in_the_style_of_the_text_stand_apart_above_text(more: dict[str, object], proved: bool) -> None:
    rows = [standing(f"{n} Aa", BODY, **more) for n in (1, 2, 3)]
    assert len(marks(*rows)) == (3 if proved else 0)
    assert len(marks(*(row.model_copy(update={"style": "Bold|12"}) for row in rows))) == 3


@pytest.mark.parametrize(
    ("style", "bold", "proved"),
    [
        ("Serif|8.9", False, False),
        ("Serif|9", False, True),
        ("Serif-Bold|8", True, True),
        # A thing's name in a typewriter's letters, and code.
        ("Courier|10", False, True),
        ("Courier|10", True, True),
        ("Courier|14", False, True),
    ],
)
def test_notes_and_code_prove_no_sequence(style: str, bold: bool, proved: bool) -> None:
    assert bool(marks(*(standing(f"{n} Aa", style, bold=bold) for n in (1, 2, 3)))) is proved


def test_code_in_typewriter_letters_proves_no_sequence() -> None:
    assert marks(*(standing(f"{n} print(x)", "Courier|10") for n in (1, 2, 3))) == []
    assert marks(*(standing(f"{n} Aa(x)", "Courier|10") for n in (1, 2, 3))) == []


def test_small_capitals_and_a_typed_document_prove_one() -> None:
    assert len(marks(*(standing(f"{n} BOATS", "Serif|8") for n in (1, 2, 3)))) == 3
    rows = [(1, standing(f"{n} Aa", "Courier|9.5")) for n in (1, 2, 3)]
    assert len(sequence_marks(rows, "Courier|10", 1.2)) == 3


def test_numbers_in_smaller_type_count_anew_where_three_chapters_prove_it() -> None:
    chapters = [(at, standing(f"{at} Aa", "Bold|16")) for at in (1, 2, 3)]
    anew = [(4, standing("1 Bb", "Bold|12")), (4, standing("1.1 Cc", "Bold|12")), (4, standing("2 Dd", BODY))]
    proof = sequence_marks(chapters, BODY, 1.2)
    found = [(mark.key, mark.level) for mark in repeated_numbers([*chapters, *anew], proof, BODY)]
    assert found == [("1bb", 2)]
    assert repeated_numbers([*chapters[:2], *anew], proof[:2], BODY) == []
    below = [*proof, TitleMark(page=4, key="1bb", level=2, address="1.1")]
    assert repeated_numbers([*chapters, *anew], below, BODY) == []


def test_a_mark_knows_the_page_of_its_row() -> None:
    candidates = [(page, standing(f"{n} Aa")) for n, page in ((1, 4), (2, 4), (3, 9))]
    assert [mark.page for mark in sequence_marks(candidates, BODY, 1.2)] == [4, 4, 9]


@pytest.mark.parametrize(
    ("length", "following", "short"), [(70, 90, True), (71, 90, False), (8, 10, True), (9, 10, False), (1, 0, False)]
)
def test_a_short_row_is_shorter_than_the_text_below(length: int, following: int, short: bool) -> None:
    assert is_short(standing("x" * length, following=following)) is short


@pytest.mark.parametrize(
    ("text", "more", "plain"),
    [
        ("Boats of the Harbour", {}, True),
        ("Boats of the Harbour", {"aligned": False}, False),
        ("Boats of the Harbour", {"above": 1.49}, False),
        ("Boats of the Harbour", {"above": 1.5}, True),
        ("Boats of the Harbour", {"following": 39}, False),
        ("Boats of the Harbour", {"following": 40}, True),
        ("The boats wear flags every sunny weekend", {}, False),
        ("The boats wear flags every sunny weekend?", {}, True),
        ("The boats wear flags every weekend", {}, True),  # six words
        ("The Boats Wear Flags and the Crews Are Proud", {}, True),
    ],
)
def test_a_title_in_the_style_of_the_text_looks_like_one(text: str, more: dict[str, object], plain: bool) -> None:
    assert is_plain_title(standing(text, BODY, **more), 1.2) is plain


def test_a_document_has_plain_titles_where_it_has_three_in_its_own_style() -> None:
    rows = [(1, standing("Boats of the Harbour", BODY))] * 3
    assert has_plain_titles(rows, BODY, 1.2)
    assert not has_plain_titles(rows[:2], BODY, 1.2)
    assert not has_plain_titles(rows, "Other|9", 1.2)


def test_bookmarks_by_page_and_key() -> None:
    hints = [OutlineHint(level=2, page=3, key="boats"), OutlineHint(level=1, page=4, key="")]
    assert outline_levels(hints) == {(3, "boats"): 2}


def entries(*rows: tuple[str, int], x: float = 72.0, leader: bool = False) -> list[ContentsLine]:
    return [ContentsLine(text=text, number=number, x=x, leader=leader) for text, number in rows]


THREE = (("Boats", 2), ("Crews", 3), ("Prizes", 4))


def evidence(*pages: tuple[list[str], list[ContentsLine]]) -> TitleEvidence:
    found = TitleEvidence()
    for number, (titles, contents) in enumerate(pages, 1):
        rows = [standing(text) for text in titles]
        found.add(PageSketch(page=number, characters=1, titles=rows, contents=contents))
    return found


@pytest.mark.parametrize(
    ("titles", "contents", "is_contents"),
    [
        (["Contents"], entries(*THREE), True),
        (["Table of Contents"], entries(*THREE), True),
        (["Harbour"], entries(*THREE), False),
        (["Harbour"], entries(*THREE, leader=True), True),
        (["Contents"], entries(*THREE[:2]), False),
        (["Contents"], entries(("Boats", 4), ("Crews", 3), ("Prizes", 2)), False),
        (["Contents"], entries(*((f"T{n}", n) for n in (1, 2, 2, 4, 5)), ("Last", 1)), True),  # four steps of five
        (["Contents"], entries(*((f"T{n}", n) for n in (1, 2, 4, 5)), ("Last", 1)), False),  # three of four
        (["Contents"], entries(*THREE[:2], ("Sold", 26)), True),  # twice the pages and twenty
        (["Contents"], entries(*THREE[:2], ("Sold", 27)), False),
    ],
)
def test_a_page_of_contents_has_climbing_numbers_below_its_title_or_behind_dots(
    titles: list[str], contents: list[ContentsLine], is_contents: bool
) -> None:
    assert set(evidence((titles, contents)).contents_pages(3)) == ({1} if is_contents else set())


def test_contents_go_on_over_the_page() -> None:
    found = evidence((["Contents"], entries(*THREE)), ([], entries(*THREE)), ([], []), ([], entries(*THREE)))
    assert set(found.contents_pages(4)) == {1, 2}


def test_half_of_the_entries_and_three_at_least_are_led_by_dots() -> None:
    mixed = [*entries(*THREE, leader=True), *entries(("U", 5), ("V", 6), ("W", 7))]
    assert set(evidence(([], mixed)).contents_pages(9)) == {1}
    assert set(evidence(([], [*mixed, *entries(("X", 8))])).contents_pages(9)) == set()
    two = [*entries(*THREE[:2], leader=True), *entries(("U", 5))]
    assert set(evidence(([], two)).contents_pages(9)) == set()


def test_candidates_are_rows_of_other_pages_that_do_not_run() -> None:
    found = evidence(*((["Harbour rules", f"Boats {n}"], []) for n in range(1, 5)))
    assert [(page, line.text) for page, line in found.candidates([2])] == [
        (1, "Boats 1"), (3, "Boats 3"), (4, "Boats 4"),
    ]  # fmt: skip
    thrice = evidence(*((["Harbour rules"] if n < 4 else ["Boats"], []) for n in range(1, 5)))
    assert [line.text for _, line in thrice.candidates([])] == ["Harbour rules"] * 3 + ["Boats"]


def test_entries_mark_the_titles_on_the_pages_that_they_name_shifted_as_several_need() -> None:
    candidates = [(n + 2, standing(text)) for text, n in THREE]
    found, proven = contents_marks({1: entries(*THREE)}, candidates)
    assert [(m.page, m.key, m.level) for m in found] == [(4, "boats", 1), (5, "crews", 1), (6, "prizes", 1)]
    assert proven == [1]
    found, proven = contents_marks({1: entries(*THREE)}, [*candidates[:2], (9, standing("Prizes"))])
    assert (found, proven) == ([], [])  # two need a shift of two: no proof


def test_dots_prove_a_page_of_contents_whose_titles_are_not_there() -> None:
    assert contents_marks({1: entries(*THREE, leader=True)}, []) == ([], [1])
    many = entries(*((f"T{n}", n) for n in range(2, 12)))
    right = [(n, standing(f"T{n}")) for n in (2, 3, 4)]
    assert contents_marks({1: many}, right)[1] == [1]  # three of ten
    assert contents_marks({1: [*many, *entries(("T12", 12))]}, right)[1] == []


def test_the_depth_of_an_entry_is_that_of_its_number_or_its_indentation() -> None:
    lines = [
        *entries(("Boats", 2), ("Crews", 3), ("Sails", 4)),
        *entries(("Oars", 5), ("Ropes", 6), ("Masts", 7), x=90.0),
        *entries(("2.1 Prizes", 8), ("Note 4 Cups", 9), x=90.0),
    ]
    found, _ = contents_marks({1: lines}, [(line.number, standing(line.text)) for line in lines])
    levels = {mark.key: mark.level for mark in found}
    assert levels == {
        "boats": 1, "crews": 1, "sails": 1, "oars": 2, "ropes": 2, "masts": 2, "21prizes": 2, "prizes": 2,
        "note4cups": 3, "cups": 3,
    }  # fmt: skip


def styles_of(
    counts: dict[str, int], long_lines: dict[str, int] | None = None, titles: list[StandingLine] | None = None,
    levels: dict[str, int] | None = None,
) -> dict[str, tuple[int, bool]]:  # fmt: skip
    found = title_styles(counts, long_lines or {}, BODY, titles or [], lambda line: (levels or {}).get(line.text))
    return {one.style: (one.rank, one.larger) for one in found}


@pytest.mark.parametrize(
    ("counts", "long_lines", "expected"),
    [
        ({BODY: 900, "Serif|14": 40}, {}, {"Serif|14": (1, True)}),
        ({BODY: 900, "Serif|18": 20, "Serif|14": 40}, {}, {"Serif|18": (1, True), "Serif|14": (2, True)}),
        ({BODY: 900, "Serif|11": 40}, {}, {"Serif|11": (1, True)}),
        ({BODY: 900, "Serif|10.5": 40}, {}, {}),  # no visible step
        ({BODY: 900, "Serif|9": 40}, {}, {}),
        ({BODY: 800, "Serif|14": 200}, {}, {"Serif|14": (1, True)}),  # a fifth of the text
        ({BODY: 799, "Serif|14": 201}, {}, {}),
        ({BODY: 90_000, "Serif|14": 1000}, {"Serif|14": 500}, {"Serif|14": (1, True)}),
        ({BODY: 90_000, "Serif|14": 1000}, {"Serif|14": 501}, {}),
        ({BODY: 90_000, "Serif|14": 300}, {"Serif|14": 240}, {"Serif|14": (1, True)}),  # one long title
        ({BODY: 90_000, "Serif|14": 300}, {"Serif|14": 241}, {}),
        ({BODY: 900, "Sans|14": 4, "Serif|14": 4}, {}, {"Sans|14": (1, True), "Serif|14": (1, True)}),
        ({BODY: 900, "Serif-Italic|14": 4, "Serif|14": 4}, {}, {"Serif|14": (1, True), "Serif-Italic|14": (2, True)}),
    ],
)
def test_rare_and_larger_styles_are_those_of_titles(
    counts: dict[str, int], long_lines: dict[str, int], expected: dict[str, tuple[int, bool]]
) -> None:
    assert styles_of(counts, long_lines) == expected


@pytest.mark.parametrize(
    ("characters", "above", "count", "long"),
    [(420, 1.5, 3, True), (421, 1.5, 3, False), (420, 1.49, 3, False), (280, 1.5, 2, False), (560, 1.5, 4, True)],
)
def test_a_larger_style_may_be_that_of_long_titles_apart(characters: int, above: float, count: int, long: bool) -> None:
    titles = [standing("A question", "Serif|14", above=above) for _ in range(count)]
    found = styles_of({BODY: 90_000, "Serif|14": characters}, {"Serif|14": characters}, titles)
    assert found == ({"Serif|14": (1, True)} if long else {})


@pytest.mark.parametrize(
    ("style", "larger"), [("CMTT10|12", False), ("CMTT10|12.5", True), ("Mono-Bold|11", True), ("SFTT1000|12", False)]
)
def test_a_typed_style_is_one_of_titles_where_it_is_bold_or_much_larger(style: str, larger: bool) -> None:
    assert styles_of({BODY: 900, style: 40}) == ({style: (1, True)} if larger else {})


def test_titles_below_labels_alone_are_as_deep_as_these() -> None:
    def ranks(*rows: tuple[str, str]) -> dict[str, tuple[int, bool]]:
        titles = [standing(text, style) for text, style in rows]
        return styles_of({BODY: 900, "Serif|50": 4, "Serif|25": 40, "Serif|20": 40}, titles=titles)

    alone = [("Chapter 1", "Serif|20"), ("Boats", "Serif|25"), ("Chapter 2", "Serif|20"), ("Crews", "Serif|25")]
    assert ranks(*alone)["Serif|25"] == (1, True)
    assert ranks(*alone[:2])["Serif|25"] == (2, True)
    named = [(text.replace("1", "1 Dues").replace("2", "2 Quays"), style) for text, style in alone]
    assert ranks(*named)["Serif|25"] == (2, True)
    smaller = [("Chapter 1", "Serif|25"), ("Boats", "Serif|20"), ("Chapter 2", "Serif|25"), ("Crews", "Serif|20")]
    assert ranks(*smaller)["Serif|20"] == (2, True)


def test_no_more_than_sixteen_sizes_are_those_of_titles() -> None:
    counts = {BODY: 90_000} | {f"Serif|{size}": 10 for size in range(20, 40)}
    found = styles_of(counts)
    assert set(found) == {f"Serif|{size}" for size in range(24, 40)}
    assert found["Serif|39"] == (1, True)
    assert found["Serif|28"] == (12, True)
    assert found["Serif|24"] == (12, True)  # as deep as sections go


@pytest.mark.parametrize(
    ("rows", "characters", "style", "found"),
    [
        (2, 20, "Bold|10", True),
        (1, 10, "Bold|10", False),
        (2, 33, "Bold|10", True),  # six tenths of 33 are 19.8
        (2, 34, "Bold|10", False),
        (2, 20, "Bold|9", True),
        (2, 20, "Bold|8.5", False),
    ],
)
def test_a_style_that_is_not_larger_stands_alone_in_its_rows(
    rows: int, characters: int, style: str, found: bool
) -> None:
    lines = [standing("abcdefghij", style, following=25) for _ in range(rows)]
    assert styles_of({BODY: 900, style: characters}, titles=lines) == ({style: (1, False)} if found else {})
    assert (
        styles_of({BODY: 900, style: characters}, titles=[x.model_copy(update={"following": 24}) for x in lines]) == {}
    )


def test_half_of_the_rows_of_a_style_have_text_below() -> None:
    lines = [standing("abcdefghij", "Bold|10", following=following) for following in (30, 30, 0, 0)]
    assert styles_of({BODY: 900, "Bold|10": 40}, titles=lines) == {"Bold|10": (1, False)}
    lines[0] = standing("abcdefghij", "Bold|10", following=0)
    assert styles_of({BODY: 900, "Bold|10": 40}, titles=lines) == {}


def test_the_depth_of_a_style_is_that_of_its_bookmarks_numbers_or_labels() -> None:
    counts = {BODY: 9000, "Serif|18": 20, "Serif|14": 40}
    rows = [standing("Boats", "Serif|14"), standing("Crews", "Serif|14"), standing("Sails", "Serif|14")]
    assert styles_of(counts, titles=rows, levels={"Boats": 4})["Serif|14"] == (4, True)
    ten = [standing(f"Row {'x' * n}", "Serif|14") for n in range(10)]
    two, three = {"Row ": 4, "Row x": 4}, {"Row ": 4, "Row x": 4, "Row xx": 5}
    assert styles_of(counts, titles=ten, levels=two)["Serif|14"] == (2, True)  # a fifth says nothing
    assert styles_of(counts, titles=ten, levels=three)["Serif|14"] == (4, True)
    numbered = [standing(text, "Serif|14") for text in ("1.1.1 Boats", "1.1.2 Crews")]
    assert styles_of(counts, titles=numbered)["Serif|14"] == (3, True)
    assert styles_of(counts, titles=numbered[:1])["Serif|14"] == (2, True)
    labelled = [standing(text, "Serif|14") for text in ("Note 1 Boats", "Boats")]
    assert styles_of(counts, titles=labelled)["Serif|14"] == (4, True)
    parts = [standing(text, "Serif|18") for text in ("Part I", "Part II")]
    assert styles_of(counts, titles=parts) == {"Serif|18": (2, True), "Serif|14": (3, True)}


def test_a_style_lies_below_labels_of_its_size_or_larger() -> None:
    labels = [standing(text, "Bold|16") for text in ("Note 1 Boats", "Note 2 Crews")]
    counts = {BODY: 9000, "Bold|16": 2000, "Serif|14": 40}
    assert styles_of(counts, {"Bold|16": 2000}, labels) == {"Serif|14": (4, True)}
    assert styles_of(counts, {"Bold|16": 2000}, labels[:1]) == {"Serif|14": (1, True)}
    above = {BODY: 9000, "Bold|16": 2000, "Serif|18": 40}
    assert styles_of(above, {"Bold|16": 2000}, labels) == {"Serif|18": (1, True)}


class Page:
    """Rows in points from the top left of a page of 600 × 800."""

    def __init__(self, number: int = 1) -> None:
        self.number = number
        self.made: list[Fragment] = []

    def add(self, text: str, x: float, y: float, w: object = None, **more: object) -> "Page":
        width = w if isinstance(w, int | float) else min(500.0, 5.0 * len(text))
        box = Rect(x=x / 600, y=y / 800, w=width / 600, h=10 / 800)
        name = f"p{self.number}.f{len(self.made) + 1}"
        made: dict[str, object] = {"id": name, "text": text, "box": box, "font": "Serif", "size": 10.0}
        self.made.append(Fragment.model_validate(made | more))
        return self

    @property
    def view(self) -> PageView:
        return PageView(
            PageFile(
                page=self.number, width_pt=600, height_pt=800, route="text", fragments=self.made, extractor_version="t"
            )
        )


def skipped(page: Page, profile: Profile | None = None) -> list[str]:
    view = page.view
    found = skip_contents(view, profile or Profile())
    texts = {line.id: line.text for line in view.lines}
    assert all(skip.reason == "contents" for skip in found)
    assert len(view.free) + sum(len(skip.fragment_ids) for skip in found) == len(view.lines)
    return [texts[name] for skip in found for name in skip.fragment_ids]


def led(*numbers: str) -> Page:
    page = Page()
    for at, number in enumerate(numbers):
        page.add(f"T{at} .......... {number}", 72, 100 + 20 * at)
    return page


@pytest.mark.parametrize(
    ("numbers", "count"),
    [
        (("1", "2", "3"), 3),
        (("1", "2"), 0),
        (("1", "2", "3", "1"), 0),  # one of four falls: beyond a fifth
        (("1", "2", "3", "4", "1"), 5),  # one of five
        (("iv", "x", "1"), 3),
        (("A-1", "A-2", "B-1"), 3),
        (("1", "2", "3", "", ""), 5),  # three of five lead to a page
        (("1", "2", "", "", ""), 0),
        (("5", "5", "5"), 3),
    ],
)
def test_three_rows_with_dots_that_lead_to_climbing_pages_are_contents(numbers: tuple[str, ...], count: int) -> None:
    assert len(skipped(led(*numbers))) == count


def test_entries_between_and_numbers_in_the_same_column_belong_to_them() -> None:
    page = led("1", "2", "3")
    right = 72 + 5.0 * len("T0 .......... 1")
    page.add("A long entry", 72, 111, 50).add("on the right", 300, 111, 50)  # begins an entry; beyond the column
    page.add("Last", 72, 200).add("9", right - 5, 200).add("Other", 72, 230).add("9", right + 5, 230)
    assert "A long entry" not in skipped(page)
    assert {"Last"} <= set(skipped(page))
    assert "Other" not in skipped(page)


def columned(*rows: str, title: str = "Contents", bare: int = 0) -> Page:
    page = Page().add(title, 72, 60)
    for at, text in enumerate(rows):
        page.add(text, 72, 100 + 20 * at).add(str(at + 2), 500, 100 + 20 * at)
    for at in range(bare):
        page.add("words and words", 72, 500 + 20 * at)
    return page


def test_rows_that_end_in_pages_are_contents_below_their_title() -> None:
    three = ("Boats", "Crews", "Prizes")
    assert len(skipped(columned(*three))) == 6
    assert skipped(columned(*three, title="Harbour")) == []
    assert skipped(columned(*three[:2])) == []
    assert len(skipped(columned(*three, bare=2))) == 6  # half of the rows
    assert skipped(columned(*three, bare=3)) == []


@pytest.mark.parametrize(
    ("number", "entry"),
    [
        ("7", True), ("1234", True), ("12345", False), ("xiv", True), ("A-12", True), ("ABC-1", False),
        ("seven", False),
        ("7.", False),
    ],
)  # fmt: skip
def test_what_stands_in_the_column_of_page_numbers(number: str, entry: bool) -> None:
    page = Page().add("Contents", 72, 60)
    for at in range(3):
        page.add("Boats", 72, 100 + 20 * at).add(number, 500, 100 + 20 * at)
    assert len(skipped(page)) == (6 if entry else 0)


def test_rows_that_are_bookmarks_are_contents_without_a_title() -> None:
    ten = tuple(f"Boat {'x' * n}" for n in range(1, 11))

    def known(count: int) -> Profile:
        return Profile(outline=[OutlineHint(level=1, page=9, key=title_key(t)) for t in ten[:count]])

    assert len(skipped(columned(*ten, title="Harbour"), known(7))) == 20
    assert skipped(columned(*ten, title="Harbour"), known(6)) == []
    assert skipped(columned(*ten), known(6)) == []  # with bookmarks the title alone is no proof


def test_on_a_proven_page_all_is_contents_from_below_its_title_to_the_last_entry() -> None:
    page = Page().add("Harbour", 72, 40).add("Contents", 72, 60).add("Part one", 72, 80)
    page.add("Boats 2", 72, 100).add("and crews", 72, 120).add("Prizes 4", 72, 140).add("A note", 72, 160)
    assert skipped(page, Profile(contents_pages=[1])) == ["Part one", "Boats 2", "and crews", "Prizes 4"]
    untitled = Page().add("Harbour", 72, 40).add("Boats 2", 72, 100).add("Prizes 4", 72, 140).add("A note", 72, 160)
    assert skipped(untitled, Profile(contents_pages=[1])) == ["Boats 2", "Prizes 4"]
    assert skipped(Page().add("Harbour", 72, 40), Profile(contents_pages=[1])) == []
    assert skipped(untitled, Profile(contents_pages=[2])) == []


PROFILE = Profile(
    pages=9, body_size=10.0, body_style=BODY, body_pitch=1.2,
    headings=[HeadingStyle(style="Sans|14", rank=2), HeadingStyle(style="Italic|10", rank=3, larger=False)],
    outline=[OutlineHint(level=4, page=1, key="marked"), OutlineHint(level=2, page=2, key="elsewhere")],
    marks=[TitleMark(page=1, key="21proved", level=2, address="2.1"), TitleMark(page=2, key="other", level=1)],
)  # fmt: skip
LARGE: dict[str, object] = {"font": "Sans", "size": 14.0}
HEAVY: dict[str, object] = {"font": "Serif-Bold", "bold": True}


def judged(text: str, more: dict[str, object] | None = None, profile: Profile = PROFILE) -> tuple[object, ...] | None:
    view = Page().add(text, 72, 100, **(more or {})).view
    found = HeadingJudge(profile, 1).judge(view.lines)
    return (found.address, found.depth) if found else None


@pytest.mark.parametrize(
    ("text", "more", "expected"),
    [
        ("Boats", {}, None),
        ("Boats", LARGE, (None, 2)),
        ("Boats", HEAVY, (None, 4)),  # one below the deepest style
        ("Boats", HEAVY | {"size": 9.0}, (None, 4)),
        ("Boats", HEAVY | {"size": 8.9}, None),
        ("2.3 Boats", LARGE, ("2.3", 2)),
        ("2.3.1 Boats", HEAVY, ("2.3.1", 3)),
        ("Note 2 Boats", HEAVY, ("Note 2", 3)),
        ("1.2.3.4.5.6.7.8.9.10.11.12.13 Boats", LARGE, ("1.2.3.4.5.6.7.8.9.10.11.12.13", 12)),
        ("Part I", LARGE, ("Part I", 1)),
        ("2.3", LARGE, None),
        ("2.3 (F) boats", HEAVY, None),
        ("Marked", {}, (None, 4)),
        ("7.2 Marked", {}, ("7.2", 4)),
        ("Elsewhere", {}, None),
        ("Other", {}, None),
        ("2.1 Proved", {}, ("2.1", 2)),
        ("Boats,", LARGE, None),
        ("Boats;", LARGE, None),
        ("Boats.", LARGE, (None, 2)),
        ("x" * 60 + ".", LARGE, None),
        ("x" * 59 + ".", LARGE, (None, 2)),
        ("x" * 220, LARGE, (None, 2)),
        ("x" * 221, LARGE, None),
        ("x" * 120, HEAVY, (None, 4)),
        ("x" * 121, HEAVY, None),
        ("Boats.", HEAVY, None),
        ("Boats:", HEAVY, None),
        ("Boats and", HEAVY, None),
        ("ab", HEAVY, None),
        ("a", LARGE, None),
        ("ab", LARGE, (None, 2)),
        ("14", LARGE, None),
        ("...", LARGE, None),
        ("(Boats)", LARGE, None),
        ("• Boats", LARGE, None),
        ("(a) Boats", LARGE, None),
        ("1 March 2026", LARGE, None),
        ("info@kestrel.example", LARGE, None),
        ("Ada K1, Bo A2", LARGE, None),
        ("Figure 3: Boats", HEAVY, None),
        ("Boats", LARGE | {"direction": "rotated"}, None),
        ("Boats", LARGE | {"direction": "ttb"}, None),
    ],
)
def test_what_reads_and_looks_like_a_heading(
    text: str, more: dict[str, object], expected: tuple[object, ...] | None
) -> None:
    assert judged(text, more) == expected


def test_where_the_text_is_bold_bold_says_nothing() -> None:
    assert judged("Boats", HEAVY, PROFILE.model_copy(update={"body_style": "Serif-Bold|10"})) is None


def test_styles_and_marks_as_asked_for_single_lines() -> None:
    judge = HeadingJudge(PROFILE, 1)
    large, heavy, plain, italic = (
        Page().add("Boats", 72, 100, **more).view.lines[0] for more in (LARGE, HEAVY, {}, {"font": "Italic"})
    )
    assert [judge.is_styled(line) for line in (large, heavy, plain, italic)] == [True, True, False, False]
    assert [judge.is_large(line) for line in (large, heavy, plain, italic)] == [True, False, False, False]
    assert [judge.is_marked(text) for text in ("Marked", "3 Marked", "Elsewhere", "Boats", "")] == [
        True, True, False, False, False,
    ]  # fmt: skip


def found(page: Page, profile: Profile = PROFILE) -> list[tuple[str, str | None, int]]:
    titles = HeadingJudge(profile, 1).find(page.view)
    return [(" ".join(line.text for line in lines), heading.address, heading.depth) for lines, heading in titles]


LONG = "the committee measures every boat at the quay before the first start"


def test_titles_that_stand_alone_are_found_and_rows_that_run_on_are_not() -> None:
    page = Page().add(LONG, 72, 100).add("Boats", 72, 140, **HEAVY).add(LONG.capitalize(), 72, 160)
    assert found(page) == [("Boats", None, 4)]
    on = Page().add(LONG, 72, 100).add("Boats", 72, 140, **HEAVY).add(LONG, 72, 152)
    assert found(on) == []
    assert found(Page().add(LONG, 72, 100).add("Boats", 72, 140, font="Italic").add(LONG.upper(), 72, 160)) == [
        ("Boats", None, 3)
    ]
    assert found(Page().add("Boats", 72, 140, **HEAVY).add("Crews", 400, 140, **HEAVY)) == []  # side by side
    assert found(Page().add("Figure 2: Boats", 72, 140, **HEAVY)) == []
    assert found(Page().add("Boats", 72, 140, **LARGE)) == []  # large styles are judged with their block


def test_a_title_goes_on_in_the_next_row_of_its_style() -> None:
    def two(second: str, step: float = 12, **more: object) -> Page:
        return Page().add("Boats of the", 72, 140, font="Italic").add(second, 72, 140 + step, font="Italic", **more)

    assert found(Page().add("Boats here", 72, 140, font="Italic").add("Harbour", 72, 152, font="Italic")) == [
        ("Boats here Harbour", None, 3)
    ]
    assert len(found(Page().add("Boats here", 72, 140, font="Italic").add("Harbour", 72, 157, font="Italic"))) == 2
    assert found(two("Harbour")) == [("Harbour", None, 3)]  # the row before ends in a word that ends no title
    numbered = Page().add("Boats here", 72, 140, font="Italic").add("2.2 Harbour", 72, 152, font="Italic")
    assert [one[0] for one in found(numbered)] == ["Boats here", "2.2 Harbour"]
    remark = Page().add("Boats here", 72, 140, font="Italic").add("(in miles)", 72, 152, font="Italic")
    assert [one[0] for one in found(remark)] == ["Boats here"]


def test_conventional_titles_need_white_space_only_and_labels_capitals() -> None:
    assert found(Page().add(LONG, 72, 100).add("References", 72, 120)) == [("References", None, 4)]
    assert found(Page().add(LONG, 72, 100).add("References", 72, 112)) == []
    assert found(Page().add(LONG, 72, 100).add("PART II", 72, 112)) == [("PART II", "PART II", 1)]
    assert found(Page().add(LONG, 72, 100).add("Part II", 72, 112)) == []


@pytest.mark.parametrize(("gap", "alone"), [(15.1, True), (14.9, False)])
def test_conventional_titles_stand_as_far_below_as_a_pitch_and_a_quarter(gap: float, alone: bool) -> None:
    page = Page().add(LONG, 72, 100).add("References", 72, 100 + gap)
    assert (found(page) != []) is alone


@pytest.mark.parametrize("body", [8.0, 10.0, 12.0])
def test_bold_rows_are_about_as_large_as_the_text(body: float) -> None:
    profile = PROFILE.model_copy(update={"body_size": body})

    def is_found(size: float) -> bool:
        return found(Page().add(LONG, 72, 100).add("Boats", 72, 140, **(HEAVY | {"size": size})), profile) != []

    assert is_found(0.91 * body)
    assert not is_found(0.89 * body)
    assert judged("Boats", HEAVY | {"size": 0.91 * body}, profile) is not None
    assert judged("Boats", HEAVY | {"size": 0.89 * body}, profile) is None


@pytest.mark.parametrize(("rows", "is_title"), [(1, True), (4, True), (6, False)])
def test_a_title_has_few_rows(rows: int, is_title: bool) -> None:
    page = Page()
    for at in range(rows):
        page.add(f"Boats here {at + 10}", 72, 100 + 12 * at, font="Italic")
    assert (found(page)[:1] == [(" ".join(f.text for f in page.made), None, 3)]) is is_title


def test_a_title_of_several_rows_is_no_longer_than_one_of_its_kind() -> None:
    titles = [
        found(Page().add("Boats " + "x" * 60, 72, 100, **HEAVY).add("Crews " + "y" * n, 72, 112, **HEAVY))
        for n in (48, 49)
    ]
    assert titles[0] == [("Boats " + "x" * 60 + " Crews " + "y" * 48, None, 4)]
    assert [one[0] for one in titles[1]] == ["Crews " + "y" * 49]


def test_a_marked_title_that_ends_unfinished_takes_the_next_row_of_its_style() -> None:
    profile = PROFILE.model_copy(update={"marks": [TitleMark(page=1, key="boatsofthe", level=1), *PROFILE.marks]})
    page = Page().add("Boats of the", 72, 100, font="Italic").add("Harbour", 72, 112, font="Italic").add(LONG, 72, 140)
    assert [one[0] for one in found(page, profile)] == ["Boats of the Harbour"]
    finished = profile.model_copy(update={"marks": [TitleMark(page=1, key="boats", level=1)]})
    page = Page().add("Boats", 72, 100, font="Italic").add("Harbour", 72, 112, font="Italic")
    assert found(page, finished)[0][0] == "Boats"


def test_a_text_without_letters_or_digits_is_no_mark() -> None:
    assert not HeadingJudge(PROFILE, 1).is_marked("...")
    assert not HeadingJudge(PROFILE, 1).is_marked("2.1")
    assert not HeadingJudge(Profile(), 1).is_marked("Boats")


def test_marked_rows_are_titles_alone_or_as_a_run() -> None:
    assert found(Page().add("Marked", 72, 100).add(LONG, 72, 112)) == [("Marked", None, 4)]
    assert found(Page().add("Mar", 72, 100).add("ked", 72, 112)) == [("Mar ked", None, 4)]
    assert found(Page().add("2.7", 72, 100).add("Marked", 72, 112)) == [("2.7 Marked", "2.7", 4)]
    assert found(Page().add("Elsewhere", 72, 100)) == []


def test_rows_of_one_large_style_close_below_each_other_are_one_title() -> None:
    judge = HeadingJudge(PROFILE, 1)

    def joined(*rows: tuple[str, float], **more: object) -> list[str]:
        page = Page()
        for text, y in rows:
            page.add(text, 72, y, **(LARGE | more))
        titles = [([line], heading) for line in page.view.lines if (heading := judge.judge([line]))]
        return [" ".join(line.text for line in lines) for lines, _ in joined_titles(titles[::-1], judge)]

    assert joined(("How Boats are", 100), ("Measured", 122)) == ["How Boats are Measured"]
    assert joined(("How Boats are", 100), ("Measured", 123)) == ["How Boats are", "Measured"]
    assert joined(("How Boats are", 100), ("Measured", 100)) == ["How Boats are", "Measured"]
    assert joined(("How Boats are", 100), ("2.2 Measured", 115)) == ["How Boats are", "2.2 Measured"]
    assert joined(("2.2 How Boats are", 100), ("Measured", 115)) == ["2.2 How Boats are", "Measured"]
    assert joined(("How Boats are", 100), ("Marked", 115)) == ["How Boats are", "Marked"]
    assert joined(("Boats", 100), ("Marked", 115), ("Crews", 130)) == ["Boats", "Marked", "Crews"]
    assert joined(("Boats", 100), ("Crews", 115), font="Serif-Bold", bold=True, size=10.0) == ["Boats", "Crews"]
    assert joined(("x" * 150, 100), ("y" * 69, 115)) == ["x" * 150 + " " + "y" * 69]
    assert joined(("x" * 150, 100), ("y" * 70, 115)) == ["x" * 150, "y" * 70]


def test_above_an_abstract_only_the_largest_rows_are_the_title() -> None:
    judge = HeadingJudge(
        PROFILE.model_copy(update={"headings": [HeadingStyle(style=f"Sans|{s}", rank=1) for s in (20, 19, 18, 12)]}), 1
    )

    def split(page: Page) -> tuple[list[str], list[str]]:
        view = page.view
        titles = [([line], heading) for line in view.lines if (heading := judge.judge([line]))]
        kept, names = front_matter(titles, view, judge)
        return [lines[0].text for lines, _ in kept], [lines[0].text for lines in names]

    small = Page().add("Boats", 72, 100, font="Sans", size=12.0).add("Ada Kestrel", 72, 140, font="Sans", size=12.0)
    small.add("Abstract", 72, 180, font="Sans", size=18.0)
    assert split(small) == (["Abstract"], ["Boats", "Ada Kestrel"])  # smaller than the abstract's title
    below = Page().add("Boats", 72, 100, font="Sans", size=20.0).add("Abstract", 72, 140, font="Sans", size=12.0)
    assert split(below.add("Crews", 72, 180, font="Sans", size=12.0)) == (["Boats", "Abstract", "Crews"], [])

    def paper(number: int = 1, third: str = "Abstract") -> Page:
        page = Page(number)
        for at, (text, size) in enumerate(
            (("Boats", 20), ("Sails", 19), ("Ada Kestrel", 18), (third, 12), ("End", 12))
        ):
            page.add(text, 72, 100 + 40 * at, font="Sans", size=float(size))
        return page

    assert split(paper()) == (["Boats", "Sails", "Abstract", "End"], ["Ada Kestrel"])
    assert split(paper(third="Summary")) == (["Boats", "Sails", "Ada Kestrel", "Summary", "End"], [])
    assert split(paper(2)) == (["Boats", "Sails", "Ada Kestrel", "Abstract", "End"], [])


def test_a_bold_beginning_runs_on_in_lower_case_close_below() -> None:
    def runs(text: str, y: float, **more: object) -> bool:
        view = Page().add("Boats", 72, 100, **HEAVY).add(text, 72, y, **more).view
        return runs_on(view, view.lines[0], view.lines[0].style)

    assert runs("and crews", 112)
    assert runs("and crews", 116)
    assert not runs("and crews", 117)
    assert not runs("And crews", 112)
    assert not runs("and crews", 112, **HEAVY)
    assert not runs("and crews", 100)
    view = Page().add("Boats", 72, 100).view
    assert not runs_on(view, view.lines[0], BODY)


@pytest.mark.parametrize(
    ("ends", "found"),
    [
        (("2", "19", "21"), 3),
        (("2", "19", "21", "(479)", "60.5"), 3),
        (("2", "19", "21", "(479)", "60.5", "$ 1,091"), 0),
    ],
)
def test_leaders_to_values_are_those_of_a_table(ends: tuple[str, ...], found: int) -> None:
    page = Page()
    for n, end in enumerate(ends):
        page.add(f"Row {'. ' * 12}{end}", 60, 100 + 14 * n)
    assert len(contents_lines(page.view.page)) == found
