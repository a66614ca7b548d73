"""The finer rules about titles: what counts, what does not, and where one rule gives way to another."""

import pytest

from shared.domain.sketch import HeadingStyle, OutlineHint, Profile, StandingLine, TitleMark
from shared.extraction.titles.evidence import contents_marks, is_plain_title, is_short, sequence_marks
from shared.extraction.titles.headings import HeadingJudge
from shared.extraction.titles.joined import joined_titles
from shared.extraction.titles.styles import title_styles
from shared.values.numbering import Numbered, longest_sequences, numbers_of
from tests.unit.test_titles import (
    BODY,
    HEAVY,
    LARGE,
    LONG,
    PROFILE,
    Page,
    chains,
    columned,
    entries,
    evidence,
    found,
    judged,
    led,
    marks,
    skipped,
    standing,
    styles_of,
)

ITALIC: dict[str, object] = {"font": "Italic"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("IV.  Scope", [("I", (4,), "IV")]),
        ("2.  Scope", [("", (2,), "2")]),
        ("LXXIX Scope", [("I", (79,), "LXXIX")]),
        ("IV Scope\nof it", []),
        ("II K., Ada", []),
        ("2 K. B. Kestrel", []),
    ],
)
def test_numbers_before_wide_gaps_and_names(text: str, expected: list[tuple[str, tuple[int, ...], str]]) -> None:
    assert numbers_of(text) == expected


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (["1", "2", "2.2"], ["1", "2"]),  # the first below is 2.1 or 2.0
        (["2", "1"], ["1"]),  # only 1 begins a sequence for free
        (["1.1", "1"], ["1"]),
        (["1", "2.1.1", "2"], ["1", "2"]),
    ],
)
def test_where_a_sequence_begins_and_steps_down(rows: list[str], expected: list[str]) -> None:
    assert chains(*rows) == [expected]


def test_of_rows_with_one_number_and_of_equal_sequences_the_first_is_taken() -> None:
    rows = [Numbered(row, "", (number,), str(number), 1.0) for row, number in enumerate((1, 1, 2, 2, 3))]
    assert [one.row for one in longest_sequences(rows)[0]] == [0, 2, 4]
    # A style of its own counts as much as two rows' white space; a late start costs a row.
    late, early = ([standing(f"V{n} Aa", above=1.2) for n in (5, 6)], [standing(f"V{n} Aa", BODY) for n in (1, 2)])
    assert [key for key, _, _ in marks(*late, *early)] == ["v5aa", "v6aa"]
    assert [key for key, _, _ in marks(*early, *late)] == ["v1aa", "v2aa"]


def test_gaps_and_late_starts_cost_no_more_than_they_do() -> None:
    assert chains("1", "3", weights={"1": 1.0, "3": 0.502}) == [["1", "3"]]
    assert chains("1", "5", "6", weights={"1": 0.995}) == [["5", "6"]]


def test_letters_after_chapters_with_a_letter_of_their_own_are_addresses() -> None:
    rows = [standing(text) for text in ("V1 Aa", "V2 Bb", "V3 Cc", "A Dd", "B Ee")]
    assert marks(*rows)[3:] == [("add", 1, "A"), ("bee", 1, "B")]


def test_numbered_paragraphs_in_the_style_of_the_text_are_no_titles() -> None:
    rows = [(1, standing(f"{n} Boats {'x' * 70}", BODY)) for n in (1, 2, 3)]
    assert sequence_marks(rows, BODY, 1.2) == []


def test_short_and_plain_at_the_edge() -> None:
    assert not is_short(standing("x" * 50, following=62))  # 49.6
    words = "Boats Wear Large Flags Every Sunny Weekend Morning during parades"
    assert is_plain_title(standing(words, BODY), 1.2)  # eight words of ten
    assert not is_plain_title(standing(words.replace("Morning", "morning"), BODY), 1.2)


def test_in_a_long_document_a_running_line_is_on_a_tenth_of_its_pages() -> None:
    pages = [(["Rules"] * (n < 5) + ["Crews", "Crews"] * (n < 4), entries()) for n in range(50)]
    assert [line.text for _, line in evidence(*pages).candidates([])] == ["Crews"] * 8


def at(*places: tuple[str, int]) -> list[tuple[int, StandingLine]]:
    return [(page, standing(text)) for text, page in places]


def test_each_volume_shifts_its_page_numbers_and_the_commonest_shift_comes_first() -> None:
    one, two = (("A a", 1), ("B b", 2), ("C c", 3), ("D d", 4)), (("E e", 1), ("F f", 2), ("G g", 3))
    rows = at(*((text, n + 2) for text, n in one), *((text, n + 9) for text, n in two))
    both, _ = contents_marks({1: entries(*one, *two)}, [*rows, *at(("A a", 10))])
    assert {mark.key: mark.page for mark in both if len(mark.key) == 2} == {
        "aa": 3, "bb": 4, "cc": 5, "dd": 6, "ee": 10, "ff": 11, "gg": 12,
    }  # fmt: skip
    twice = at(*((text, n + more) for text, n in two for more in (4, 0)))
    assert {mark.page for mark in contents_marks({1: entries(*two)}, twice)[0]} == {1, 2, 3}


def test_an_entry_finds_its_title_without_the_number() -> None:
    listed = entries(("1 Boats", 2), ("2 Crews", 3), ("3 Prizes", 4))
    named = contents_marks({1: listed}, at(("Boats", 2), ("Crews", 3), ("Prizes", 4)))[0]
    assert {(mark.page, mark.key) for mark in named} >= {(2, "boats"), (3, "crews"), (4, "prizes")}


def test_entries_that_share_a_left_edge_are_three_and_four_points_are_no_step() -> None:
    listed = [
        *entries(("Boats", 2), ("Crews", 3), ("Sails", 4)), *entries(("Oars", 5), ("Ropes", 6), x=81.0),
        *entries(("Masts", 7), ("Cups", 8), ("Flags", 9), x=90.0),
        *entries(("Nets", 9), x=76.0), *entries(("Buoys", 9), x=76.5),
    ]  # fmt: skip
    rows = at(*((line.text, line.number) for line in listed))
    levels = {mark.key: mark.level for mark in contents_marks({1: listed}, rows)[0]}
    assert levels["oars"] == levels["flags"] == levels["buoys"] == 2
    assert levels["boats"] == levels["nets"] == 1


def test_sizes_are_compared_with_that_of_the_text() -> None:
    def large(body: str, *sizes: float) -> set[str]:
        counts = {body or "Serif|9": 900} | {f"Sans|{size:g}": 4 for size in sizes}
        return {one.style for one in title_styles(counts, {}, body, [], lambda _: None)}

    assert large("Serif|12", 12.5, 13) == {"Sans|13"}
    assert large("", 10.5, 11) == {"Sans|11"}  # where the text has no style it counts as ten points


def test_rows_of_the_text_itself_and_of_the_seventeenth_size_make_no_style_of_titles() -> None:
    many = {BODY: 150} | {f"Font{n}|9": 100 for n in range(9)}
    assert styles_of(many, titles=[standing("x" * 60, BODY, following=90)] * 3) == {}
    sizes = {BODY: 90_000} | {f"Serif|{size}": 20 for size in range(20, 37)}
    assert "Serif|20" not in styles_of(sizes, titles=[standing("abcdefghij", "Serif|20")] * 2)


def test_six_tenths_of_a_style_stand_alone() -> None:
    rows = [standing("abcdefghij", "Bold|10")] * 3
    assert styles_of({BODY: 900, "Bold|10": 50}, titles=rows) == {"Bold|10": (1, False)}
    assert styles_of({BODY: 900, "Bold|10": 51}, titles=rows) == {}


@pytest.mark.parametrize("slanted", ["Minion-It", "Minion-Italic", "Minion-Oblique"])
def test_a_slanted_style_lies_below_the_upright_one_of_its_size(slanted: str) -> None:
    counts = {BODY: 9000, f"{slanted}|14": 40, "Zapf|14": 40}
    assert styles_of(counts) == {"Zapf|14": (1, True), f"{slanted}|14": (2, True)}


def test_styles_of_one_size_share_a_depth_unless_they_have_their_own() -> None:
    counts = {BODY: 9000, "Aa|14": 40, "Bb|14": 40, "Cc|14": 40}
    rows = [standing("Boats", "Bb|14"), standing("Crews", "Cc|14"), standing("Sails", "Aa|14")]
    assert styles_of(counts, titles=rows, levels={"Boats": 5, "Crews": 4}) == {
        "Aa|14": (4, True), "Bb|14": (5, True), "Cc|14": (4, True),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("titles", "rank"),
    [
        (["Part I", "Item 2 Boats"], 3),
        ([f"{n}.1.1 Boats" for n in (1, 2)] + ["Boats"] * 8, 1),
        ([f"{n}.1.1 Boats" for n in (1, 2, 3)] + ["Boats"] * 7, 3),
    ],
)
def test_the_depth_of_a_style_by_labels_and_numbers(titles: list[str], rank: int) -> None:
    rows = [standing(text, "Serif|14") for text in titles]
    assert styles_of({BODY: 9000, "Serif|14": 400}, titles=rows) == {"Serif|14": (rank, True)}


def test_a_style_of_the_size_of_labels_lies_below_them() -> None:
    labels = [standing(text, "Bold|16") for text in ("Note 1 Boats", "Note 2 Crews")]
    counts = {BODY: 9000, "Bold|16": 2000, "Serif|16": 40}
    assert styles_of(counts, {"Bold|16": 2000}, labels) == {"Serif|16": (4, True)}


@pytest.mark.parametrize(
    "title",
    ["Abstract", "References", "Bibliography", "Acknowledgements", "Acknowledgments", "Acknowledgement", "Appendix",
     "Appendices", "Introduction", "Conclusion", "Conclusions", "Glossary", "Foreword", "Preface", "Summary", "Index",
     "Executive Summary", "Acknowledgment", "Contents", "Table of Contents", "Signatures"],
)  # fmt: skip
def test_titles_that_are_set_without_a_number_by_convention(title: str) -> None:
    assert [one[0] for one in found(Page().add(LONG, 72, 100).add(title, 72, 120))] == [title]


@pytest.mark.parametrize(
    ("text", "more", "expected"),
    [
        ("1. Boats", LARGE, ("1", 1)),
        ("1. (F) Boats", LARGE, None),
        ("(Boats) of the harbour", LARGE, (None, 2)),
        ("Boats (old)", LARGE, (None, 2)),
        ("Boats https://kestrel.example", LARGE, None),
        ("abc", HEAVY, (None, 4)),
        ("2.3 Boats,", HEAVY, None),
        ("2.3 Boats.", HEAVY, None),
        ("AB2.1 14", LARGE, (None, 2)),
    ],
)
def test_what_numbers_and_brackets_make_of_a_heading(
    text: str, more: dict[str, object], expected: tuple[object, ...] | None
) -> None:
    assert judged(text, more) == expected


def block(*texts: str, beside: int = 0) -> bool:
    """Whether large lines, the last `beside` of them next to the first, are one heading."""
    page = Page()
    for place, text in enumerate(texts):
        row = place - (len(texts) - beside)
        page.add(text, 72 if row < 0 else 330, 100 + 15 * (place if row < 0 else row), w=100, **LARGE)
    return HeadingJudge(PROFILE, 1).judge(page.view.lines) is not None


def test_a_form_is_no_heading() -> None:
    assert not block("Owner: Ada", "Boat:  Kestrel", "Sail: White")
    assert block("Owner: Ada", "Boat: Kestrel", "Sails")
    assert not block("Owner: Ada", "Boat: Kestrel", "Sail: White", "Aa", "Bb", "Cc", beside=2)
    assert block("Owner: Ada", "Boat: Kestrel", "Sail: White", "Aa", "Bb", "Cc", "Dd", beside=3)
    assert block("Aa", "Bb", "Cc", "Dd", "Ee")
    assert not block("Aa", "Bb", "Cc", "Dd", "Ee", "Ff")


def test_all_lines_of_a_heading_are_set_as_one() -> None:
    for style in (LARGE, HEAVY):
        assert (
            HeadingJudge(PROFILE, 1).judge(Page().add("Boats", 72, 100, **style).add("Aa", 72, 115).view.lines) is None
        )


def test_without_styles_of_titles_bold_is_the_first_depth_and_where_the_text_is_bold_it_is_no_style() -> None:
    assert judged("Boats", HEAVY, Profile(body_style=BODY)) == (None, 1)
    line = Page().add("Boats", 72, 100, **HEAVY).view.lines[0]
    assert not HeadingJudge(Profile(body_style="Serif-Bold|10"), 1).is_styled(line)


def test_depths_by_contents_give_way_to_styles_and_those_of_bookmarks_do_not() -> None:
    listed = PROFILE.model_copy(update={"marks": [TitleMark(page=1, key="boats", level=5)], "outline": []})
    assert judged("Boats", {}, listed) == (None, 5)
    assert judged("Boats", LARGE, listed) == (None, 2)
    assert judged("Marked", LARGE) == (None, 4)
    empty = PROFILE.model_copy(update={"outline": [OutlineHint(level=1, page=1, key="")]})
    assert judged("Boats", {}, empty) is None


def on(page: Page, *taken: int, profile: Profile = PROFILE) -> list[str]:
    """Titles of a page on which something else has claimed the lines `taken`."""
    view = page.view
    view.take([view.lines[place] for place in taken])
    return [" ".join(line.text for line in lines) for lines, _ in HeadingJudge(profile, 1).find(view)]


def test_lines_that_are_taken_are_no_titles_and_no_part_of_one() -> None:
    page = Page().add(LONG, 72, 60).add("Boats", 72, 100, **ITALIC).add(LONG, 72, 140)
    assert on(page, 0) == on(page, 2) == ["Boats"]
    assert on(page, 1) == []
    assert on(Page().add("Boats here", 72, 100, **ITALIC).add("Harbour", 72, 112, **ITALIC), 1) == []


@pytest.mark.parametrize(("rows", "is_title"), [(5, True), (6, False)])
def test_a_title_below_text_has_five_rows_at_most(rows: int, is_title: bool) -> None:
    page = Page().add(LONG, 72, 60)
    for n in range(rows):
        page.add(f"Boats here {n + 10}", 72, 100 + 12 * n, **ITALIC)
    assert (len(on(page)[0].split()) == 3 * rows) is is_title


def test_titles_in_a_style_of_their_own_may_be_longer_than_bold_ones() -> None:
    page = Page().add("Boats " + "x" * 100, 72, 100, w=400, **ITALIC)
    assert len(on(page.add("Crews " + "y" * 100, 72, 112, w=400, **ITALIC))) == 1


@pytest.mark.parametrize(
    ("second", "step", "count"),
    [
        ("Harbour", 16.1, 2), ("(old) Harbour", 12, 1), ("Harbour (old)", 12, 1), ("Marked", 12, 2),
        ("b) Harbour", 12, 1),
    ],
)  # fmt: skip
def test_what_goes_on_a_title(second: str, step: float, count: int) -> None:
    page = Page().add(LONG, 72, 60).add("Boats here", 72, 100, **ITALIC).add(second, 72, 100 + step, **ITALIC)
    titles = on(page)
    assert len(titles) == count
    assert (titles[0] == "Boats here") is (count == 2 or second.startswith("b)"))


def test_marked_rows_that_end_unfinished_or_begin_as_items() -> None:
    marked = PROFILE.model_copy(update={"marks": [TitleMark(page=1, key="boatsofthe", level=1)]})
    page = Page().add("Boats of the", 72, 100, **ITALIC)
    assert on(page, profile=marked) == ["Boats of the"]
    assert on(page.add("Harbour", 72, 112, **ITALIC), profile=marked) == ["Boats of the Harbour"]
    other = Page().add("Boats of the", 72, 100, **ITALIC).add(LONG, 72, 112)
    assert on(other, profile=marked) == ["Boats of the"]
    assert on(Page().add("• Marked", 72, 100)) == []
    numbered = PROFILE.model_copy(update={"outline": [OutlineHint(level=1, page=1, key="3marked")]})
    assert on(Page().add("2.7", 72, 100).add("3 Marked", 72, 112), profile=numbered) == ["3 Marked"]


def test_plain_titles_are_found_where_the_document_has_them_and_labels_in_large_type() -> None:
    page = Page().add(LONG, 72, 100).add("Boats of the Bay", 72, 120).add(LONG, 72, 132)
    assert on(page) == []
    assert on(page, profile=PROFILE.model_copy(update={"plain_titles": True})) == ["Boats of the Bay"]
    assert on(Page().add("Part II", 72, 100, **LARGE)) == ["Part II"]
    assert on(Page().add("2.2 BOATS", 72, 100)) == []
    assert on(Page().add("a) Boats", 72, 100, **ITALIC)) == []
    assert on(Page().add(LONG, 72, 60).add("Boats", 72, 100, **(HEAVY | {"size": 9.0}))) == ["Boats"]


def test_three_large_rows_are_one_title_and_a_line_between_divides_them() -> None:
    judge = HeadingJudge(PROFILE, 1)

    def joined(page: Page) -> list[str]:
        titles = [([line], heading) for line in page.view.lines if (heading := judge.judge([line]))]
        return [" ".join(line.text for line in lines) for lines, _ in joined_titles(titles, judge)]

    rows = [("How Boats", 100), ("are", 115), ("Measured", 130)]
    page = Page()
    for text, y in rows:
        page.add(text, 72, y, **LARGE)
    assert joined(page) == ["How Boats are Measured"]
    parted = Page().add("Boats", 72, 100, **LARGE).add("in June", 400, 108).add("Crews", 72, 115, **LARGE)
    assert joined(parted) == ["Boats", "Crews"]
    far = Page().add("Boats", 72, 100, **LARGE).add("Crews", 72, 122.5, **LARGE)
    assert joined(far) == ["Boats", "Crews"]


def test_dots_that_lead_to_several_figures_are_no_contents() -> None:
    page = led("1", "2", "3")
    for n in range(3):
        page.add("17", 300, 100 + 20 * n)
    assert skipped(page) == []


def test_entries_with_and_without_dots_below_one_title() -> None:
    page = Page().add(" Contents ", 72, 60)
    for n, text in enumerate(("Boats ..... 2", "Crews ..... 3", "Sails  4", "Oars 5", "Ropes 6")):
        page.add(text, 72, 100 + 20 * n, w=100)
    assert len(skipped(page)) == 5


def test_a_title_beside_other_words_announces_no_contents() -> None:
    assert skipped(columned("Boats", "Crews", "Sails", title="Index").add("Points", 400, 60)) == []


def test_bookmarks_may_have_numbers_in_their_middle() -> None:
    rows = ("Boats of 1998 and later", "Rules 12 to 14", "Crews 7 and up")
    keys = ("boatsof1998andlater", "rules12to14", "crews7andup")
    outline = [OutlineHint(level=1, page=9, key=key) for key in keys]
    assert len(skipped(columned(*rows, title="Harbour"), Profile(outline=outline))) == 6


def test_lone_numbers_are_no_entries_and_contents_may_list_contents_and_index() -> None:
    page = Page().add("7", 500, 20, w=5).add("Contents", 72, 40).add("Contents", 72, 80).add("1", 500, 80, w=5)
    page.add("Boats", 72, 100).add("2", 500, 100, w=5).add("Index", 72, 120).add("9", 500, 120, w=5)
    page.add("iv", 500, 140, w=5)
    listed = ["Contents", "1", "Boats", "2", "Index", "9"]
    assert skipped(page, Profile(contents_pages=[1])) == listed
    untitled = Page().add("7", 500, 20, w=5).add("Boats", 72, 100).add("2", 500, 100, w=5)
    assert skipped(untitled, Profile(contents_pages=[1])) == ["Boats", "2"]


@pytest.mark.parametrize(
    ("x", "right", "y", "belongs"),
    [
        (72, 126.5, 111, True),  # the beginning of an entry: more than twenty points short of the column
        (72, 127.5, 111, False),
        (72, 100, 80, False),
        (72, 100, 160, False),
        (142, 147, 170, False),  # the number of the page itself
    ],
)
def test_a_row_without_dots_among_the_entries(x: float, right: float, y: float, belongs: bool) -> None:
    page = led("1", "2", "3").add("44", x, y, w=right - x)
    assert ("44" in skipped(page)) is belongs


@pytest.mark.parametrize(("off", "belongs"), [(3.9, True), (4.02, False)])
def test_a_number_in_the_column_stands_within_four_points(off: float, belongs: bool) -> None:
    page = led("1", "2", "3").add("Last", 72, 180).add("9", 142, 180, w=5 + off)
    assert ("Last" in skipped(page)) is belongs


def test_styles_of_headings_that_are_large_and_bold_are_judged_with_their_block() -> None:
    heads = [HeadingStyle(style="Serif-Bold|14", rank=1)]
    page = Page().add("Boats", 72, 100, **(HEAVY | {"size": 14.0}))
    assert on(page, profile=PROFILE.model_copy(update={"headings": heads})) == []
