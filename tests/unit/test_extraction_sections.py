"""What opens a section of its own and how deep, on made pages: labels, wrapped titles, remarks, terms, running
heads."""

import pytest

from shared.domain.draft import DocumentDraft
from shared.domain.page import OutlineEntry
from shared.domain.sketch import OutlineHint, Profile, TitleMark
from shared.domain.standing import reads_like_title
from shared.extraction.titles.headings import HeadingJudge
from tests.unit.test_extraction_headings import PITCH, PROSE, Sheet, draft_of, titles_of

WORDS = ("quay", "boat", "crew", "mast", "rope", "sail", "keel", "helm")
BOLD, CODE = "Serif-Bold", "Courier"


def depths(draft: DocumentDraft) -> list[tuple[str | None, str, int]]:
    return [(s.address, s.title, s.depth) for s in draft.sections]


def talk(sheet: Sheet, rows: int = 5, x: float = 0.1) -> Sheet:
    """Prose that no other page has at the same height."""
    for row in range(rows):
        said = WORDS[(3 * sheet.number + row) % 8] * sheet.number
        sheet.line(f"{said.title() if row == 0 else said} and then {PROSE.lower()[:60]}", x=x)
    return sheet.line("and that is all there is to say.", x=x)


def book(*sheets: Sheet) -> DocumentDraft:
    """The pages behind one of prose, which says what the text's style is."""
    return draft_of([talk(Sheet(1), 30), *sheets])


def test_a_label_with_its_number_and_the_title_below_it_are_one_heading() -> None:
    sheet = Sheet(2).title("Chapter 7", BOLD, 20).line("Basics of the harbour", font=BOLD, size=24, step=0.04)
    assert depths(book(sheet.prose())) == [("Chapter 7", "Basics of the harbour", 1)]


@pytest.mark.parametrize(
    ("title", "size", "step"),
    [("Basics of the harbour", 14, 0.04), ("Basics of the harbour", 24, 0.2), ("8 Basics of the harbour", 24, 0.04)],
)
def test_a_smaller_a_distant_or_a_numbered_title_is_one_by_itself(title: str, size: float, step: float) -> None:
    sheet = Sheet(2).title("Chapter 7", BOLD, 20).line(title, font=BOLD, size=size, step=step)
    assert titles_of(book(sheet.prose())) == ["Chapter 7", title]


def test_a_label_with_its_title_beside_it_takes_no_title_below() -> None:
    sheet = Sheet(2).title("Chapter 7 Harbours", BOLD, 20).line("Of the north", font=BOLD, size=24, step=0.04)
    assert titles_of(book(sheet.prose())) == ["Chapter 7 Harbours", "Of the north"]


def test_a_label_with_text_between_it_and_a_title_is_one_by_itself() -> None:
    sheet = Sheet(2).title("Chapter 7", BOLD, 20).line("Said by the crews of all boats, and by nobody else.", step=0.03)
    sheet.line("Basics of the harbour", font=BOLD, size=24, step=0.03)
    assert titles_of(book(sheet.prose())) == ["Chapter 7", "Basics of the harbour"]


def test_a_title_that_a_sequence_proves_goes_on_in_its_next_row() -> None:
    sheet = Sheet(2)
    for number, rest in (("1", "lengths"), ("2", "widths"), ("3", "heights")):
        sheet.title(f"{number} Treatment of boats at the quay with fixed", BOLD, 14).line(rest, font=BOLD, size=14)
        sheet.prose()
    assert titles_of(book(sheet)) == [
        f"{n} Treatment of boats at the quay with fixed {rest}"
        for n, rest in ((1, "lengths"), (2, "widths"), (3, "heights"))
    ]


@pytest.mark.parametrize("size", [10, 14])
@pytest.mark.parametrize("said", ["Note", "Note:", "WARNING", "Hinweis", "Attention !"])
def test_what_stands_above_a_remark_titles_no_section(said: str, size: float) -> None:
    sheet = Sheet(2).title("Moorings", BOLD, 14).prose().title(said, BOLD, size).prose()
    assert titles_of(book(sheet)) == ["Moorings"]


def test_a_section_that_is_called_notes_or_notes_on_something_is_one() -> None:
    for title in ("Notes on moorings", "Notes"):
        assert titles_of(book(Sheet(2).title(title, BOLD, 14).prose())) == [title]


def defined(sheet: Sheet, *terms: str, rows: int = 2, x: float = 0.16) -> Sheet:
    for term in terms:
        sheet.title(term, BOLD)
        for _ in range(rows):
            sheet.line(PROSE[:70], x=x)
    return sheet


def test_terms_above_their_meaning_are_no_titles() -> None:
    sheet = defined(Sheet(2).prose(), "Anchor", "Bollard", "Cleat").prose()
    assert titles_of(book(sheet)) == []
    assert titles_of(book(defined(Sheet(2).prose(), "Anchor", "Bollard", "Cleat", rows=1).prose())) == []


def test_one_bold_row_and_rows_above_text_at_their_edge_or_above_a_list_are_titles() -> None:
    assert titles_of(book(defined(Sheet(2).prose(), "Anchor").prose())) == ["Anchor"]
    assert titles_of(book(defined(Sheet(2).prose(), "Anchor", "Bollard", x=0.1))) == ["Anchor", "Bollard"]
    listed = Sheet(2).prose()
    for title in ("Anchor", "Bollard"):
        listed.title(title, BOLD).line("\u2022 a first item of the list", x=0.16).line("of boats", x=0.16)
    assert titles_of(book(listed)) == ["Anchor", "Bollard"]


def test_rows_above_code_numbered_rows_and_bookmarks_are_titles() -> None:
    above_code, numbered = Sheet(2).prose(), Sheet(2).prose()
    for title in ("Anchor", "Bollard"):
        above_code.title(title, BOLD).line("Moor(boat)", 0.16, CODE).line("Leave(boat)", 0.16, CODE)
    assert titles_of(book(above_code)) == ["Anchor", "Bollard"]
    defined(numbered, "Rule 1 Anchor", "Rule 2 Bollard")
    assert titles_of(book(numbered)) == ["Rule 1 Anchor", "Rule 2 Bollard"]
    sheet = defined(Sheet(2).prose(), "Anchor", "Bollard", "Cleat")
    outline = [OutlineEntry(level=1, title="Bollard", page=2)]
    assert titles_of(draft_of([talk(Sheet(1), 30), sheet], outline)) == ["Bollard"]


@pytest.mark.parametrize("rows", [1, 5])
def test_titles_left_of_all_text_are_titles_however_many_there_are(rows: int) -> None:
    sheet = Sheet(2)
    for title in ("Anchor", "Bollard", "Cleat"):
        talk(sheet.title(title, BOLD), rows, x=0.2)
    assert titles_of(draft_of([talk(Sheet(1), 5, x=0.2), sheet])) == ["Anchor", "Bollard", "Cleat"]


def test_lines_of_code_are_no_titles_and_bold_ones_are() -> None:
    sheet = Sheet(2)
    for call in ("Moor(boat)", "Leave(boat)", "Weigh(anchor)"):
        sheet.title(call, CODE).prose()
    assert titles_of(book(sheet)) == []
    assert titles_of(book(Sheet(2).title("Moor(boat)", "Courier-Bold").prose())) == ["Moor(boat)"]


def test_in_a_document_that_is_typed_titles_are_typed_too() -> None:
    sheet = Sheet(1)
    for title in ("Moorings", "Pilots", "Dues"):
        sheet.title(title, CODE).line(PROSE, font=CODE, step=1.8 * PITCH).line(PROSE.lower(), font=CODE)
    assert titles_of(draft_of([sheet])) == ["Moorings", "Pilots", "Dues"]


def test_an_item_that_names_a_title_of_its_page_is_none_but_for_a_bookmark() -> None:
    mark, bookmark = TitleMark(page=1, key="boats", level=2), OutlineHint(level=2, page=1, key="boats")
    for said in ("\u2014 boats;", "\u2022 boats", "Boats,"):
        assert not HeadingJudge(Profile(marks=[mark]), 1).is_marked(said)
        assert HeadingJudge(Profile(outline=[bookmark]), 1).is_marked(said)
    assert HeadingJudge(Profile(marks=[mark]), 1).is_marked("Boats")


def test_larger_titles_without_a_number_lie_beside_those_with_one() -> None:
    sheet = Sheet(2)
    for title in ("1 Harbours", "2 Boats", "Farewell"):
        sheet.title(title, BOLD, 14).prose(3)
    assert [depth for *_, depth in depths(book(sheet))] == [1, 1, 1]


def test_the_ninth_letter_begins_no_other_letters_anew() -> None:
    sheets = [Sheet(2), Sheet(3)]
    for at, letter in enumerate("ABCDEFGHIJ"):
        sheets[at // 5].title(f"{letter}. Harbours", BOLD, 12).prose(3)
    assert [address for address, *_ in depths(book(*sheets))] == list("ABCDEFGHIJ")


def test_titles_of_the_size_of_the_text_without_a_number_are_below_those_with_one() -> None:
    sheet = Sheet(2)
    for title in ("1 Harbours", "1.1 North", "Pilots", "1.2 South", "Tugs", "References", "2 Boats"):
        sheet.title(title, BOLD, 14 if title[1:2] == " " else 10).prose(3)
    assert depths(book(sheet)) == [
        ("1", "Harbours", 1), ("1.1", "North", 2), (None, "Pilots", 3), ("1.2", "South", 2), (None, "Tugs", 3),
        (None, "References", 2), ("2", "Boats", 1),
    ]  # fmt: skip


def test_letters_below_roman_numbers_are_below_them_however_many_there_are() -> None:
    sheet, second = Sheet(2), Sheet(3)
    for title in ("I. Harbours", "II. Boats", "A. Large boats", "B. Small boats", "C. Other boats"):
        sheet.title(title, BOLD, 12).prose(3)
    for title in ("D. No boats", "III. Crews", "A. Pilots", "B. Others"):
        second.title(title, BOLD, 12).prose(3)
    assert [(title, depth) for _, title, depth in depths(book(sheet, second))] == [
        ("Harbours", 1), ("Boats", 1), ("A. Large boats", 2), ("B. Small boats", 2), ("C. Other boats", 2),
        ("D. No boats", 2), ("Crews", 1), ("A. Pilots", 2), ("B. Others", 2),
    ]  # fmt: skip


def test_a_number_of_three_parts_counts_neither_as_a_value_nor_against_the_letters_of_a_title() -> None:
    sheet = Sheet(2)
    for title in ("2.11.1 moor", "C.2.1 Boat: general information"):
        sheet.title(title, BOLD, 12).prose(3)
    assert titles_of(book(sheet)) == ["2.11.1 moor", "C.2.1 Boat: general information"]
    assert [reads_like_title(said) for said in ("2.11.1 moor", "C.2.1 Boat: red", "2.4 kg", "2.4 km", "C.2: red")] == [
        True, True, False, False, False,
    ]  # fmt: skip


def headed(number: int, head: str, title: str, size: float = 16, top: float = 0.04) -> Sheet:
    """A page with a running head, and a title further down."""
    sheet = Sheet(number)
    talk(sheet.line(head, step=top - 0.08), 6)
    return talk(sheet.title(title, BOLD, size), 6)


TITLES = ["Moorings and quays", "Pilots of the north", "Dues for large boats", "Winter in the harbour"]


@pytest.mark.parametrize("head", ["{}", "3.{n}. {}", "CHAPTER 3. HARBOURS 3.{n}. {}", "{} | Handbook"])
def test_rows_at_the_edge_that_say_in_smaller_type_what_a_title_says_are_running_heads(head: str) -> None:
    pages = [headed(n, head.format(t.upper(), n=n), f"3.{n} {t}") for n, t in enumerate(TITLES, 2)]
    draft = book(*pages)
    assert [s.text for s in draft.skipped] == [head.format(t.upper(), n=n) for n, t in enumerate(TITLES, 2)]
    assert titles_of(draft) == [f"3.{n} {t}" for n, t in enumerate(TITLES, 2)]


def test_a_head_that_is_cut_off_names_its_title() -> None:
    pages = [headed(n, f"{t[:14]} \u2026", t) for n, t in enumerate(TITLES, 2)]
    assert [s.text for s in book(*pages).skipped] == [f"{t[:14]} \u2026" for t in TITLES]


@pytest.mark.parametrize(
    ("heads", "size"),
    [
        (TITLES[:2], 16),  # of few pages
        (TITLES, 10.5),  # as large as the title
        ([title.split()[0] for title in TITLES], 16),  # says less
        (["Rules of " + title.lower() for title in TITLES], 16),  # says more
        ([*TITLES[1:], "Moorings"], 16),  # the title comes later, or is longer
    ],
)
def test_other_rows_at_the_edge_are_content(heads: list[str], size: float) -> None:
    pages = [headed(n, head, t, size) for n, (head, t) in enumerate(zip(heads, TITLES, strict=False), 2)]
    assert book(*pages).skipped == []


def test_titles_of_pages_that_other_pages_name_in_larger_type_are_content() -> None:
    pages: list[Sheet] = []
    for n, title in enumerate(TITLES):
        pages.append(Sheet(2 * n + 2).line(title, font=BOLD, size=30, step=0.3))
        pages.append(talk(Sheet(2 * n + 3).line(title, font=BOLD, size=16, step=-0.04)))
    draft = book(*pages)
    assert draft.skipped == []
    assert titles_of(draft) == [title for title in TITLES for _ in range(2)]


def test_a_running_head_above_a_title_with_its_number_apart_is_no_header_of_a_table() -> None:
    pages: list[Sheet] = []
    for number, title in enumerate(TITLES, 2):
        sheet = Sheet(number).line("C3", step=-0.04).line(title.upper(), x=0.16, step=0)
        sheet.line(f"3.{number}", font=BOLD, size=16, step=2 * PITCH).line(title, x=0.16, font=BOLD, size=16, step=0)
        pages.append(talk(sheet, 8))
    assert [s.text for s in book(*pages).skipped] == [f"C3 {title.upper()}" for title in TITLES]


def rules_of(draft: DocumentDraft) -> list[str | None]:
    return [s.address for s in draft.sections]


LONG = "Whoever moors a boat over night pays for it as is told in"


@pytest.mark.parametrize("label", ["Section 3.2", "Chapter 3.2", "Abschnitt 3.2"])
def test_a_section_that_a_sentence_mentions_over_a_line_is_no_rule(label: str) -> None:
    sheet = talk(Sheet(2)).line(LONG, step=2 * PITCH).line(f"{label}, The dues of boats, before it leaves.")
    assert rules_of(book(sheet)) == []


@pytest.mark.parametrize(
    ("before", "step"), [("Nobody moors a boat here over night, ever.", PITCH), ("Told in", PITCH), (LONG, 2 * PITCH)]
)
def test_a_rule_begins_behind_a_sentence_a_short_row_or_white_space(before: str, step: float) -> None:
    sheet = talk(Sheet(2)).line(before, step=2 * PITCH).line("Section 3.2 The dues of boats are paid.", step=step)
    assert rules_of(book(sheet)) == ["Section 3.2"]


def test_a_number_without_a_label_begins_a_rule_within_a_sentence_too() -> None:
    sheet = talk(Sheet(2)).line(LONG, step=2 * PITCH).line("3.2 The dues of boats, before it leaves.")
    assert rules_of(book(sheet)) == ["3.2"]


@pytest.mark.parametrize(
    ("rest", "mentions"),
    [
        ("[Dues], page 71, says so.", True),
        ("[Dues] on page 71 says so.", True),
        ("[Dues] Boats pay on page 71.", False),
    ],
)
def test_a_number_with_a_title_in_brackets_and_its_page_is_a_mention(rest: str, mentions: bool) -> None:
    sheet = talk(Sheet(2)).line(f"Section 4.3 {rest}", step=2 * PITCH)
    assert rules_of(book(sheet)) == ([] if mentions else ["Section 4.3"])


def test_a_row_without_a_letter_above_a_proved_title_is_no_part_of_it() -> None:
    sheet = Sheet(2)
    for number, title in ((1, "Harbours"), (2, "Boats"), (3, "Crews")):
        sheet.line("}", font=CODE, step=2 * PITCH).line(f"{number} {title}", font=BOLD, size=14, step=0.03).prose(3)
    assert titles_of(book(sheet)) == ["1 Harbours", "2 Boats", "3 Crews"]


def test_a_number_that_ends_a_sentence_above_a_lettered_title_is_no_part_of_it() -> None:
    sheet = Sheet(2)
    for title in ("I. Harbours", "II. Boats"):
        sheet.title(title, BOLD, 12).prose(3)
    for letter in "AB":
        sheet.line("The crews of boats pay the sum of").line("300.").title(f"{letter}. Evaluation", BOLD, 12).prose(3)
    assert titles_of(book(sheet)) == ["I. Harbours", "II. Boats", "A. Evaluation", "B. Evaluation"]


def test_labels_of_other_languages_are_those_that_they_mean() -> None:
    sheet = Sheet(2).title("KAPITEL 1", BOLD, 20).line("Der Hafen", font=BOLD, size=24, step=0.04).prose()
    draft = book(sheet.title("1.1 Boote", BOLD, 14).prose())
    assert [(s.address_key, s.title, s.depth) for s in draft.sections] == [
        ("chapter1", "Der Hafen", 1), ("1.1", "Boote", 2),
    ]  # fmt: skip
