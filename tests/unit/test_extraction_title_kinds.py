"""Kinds of titles that manuals have, and of rows that only look like one, on made pages."""

import pytest

from shared.domain.geometry import Rect
from shared.domain.page import Fragment, PageFile
from shared.domain.sketch import OutlineHint, Profile, TitleMark
from shared.domain.standing import reads_like_title
from shared.extraction.page_view import PageView
from shared.extraction.titles.headings import HeadingJudge
from shared.values.addresses import normalise, printed_address
from tests.unit.test_extraction_headings import PITCH, PROSE, Sheet, draft_of, titles_of
from tests.unit.test_extraction_sections import BOLD, CODE, book, depths, talk

QUESTION = ("Why is the harbour closed for boats that have been measured abroad?", "What may their crews do about it?")


def asked(count: int, *, apart: bool = True) -> Sheet:
    """Questions of two rows in larger type above a text, or many rows of such type without white space."""
    sheet = Sheet(2)
    for _ in range(count):
        sheet.title(QUESTION[0], "Serif-Bold", 13).line(QUESTION[1], font=BOLD, size=13, step=0.02)
        for _ in range(0 if apart else 3):
            sheet.line(f"{QUESTION[0].lower()} {QUESTION[1].lower()}", font=BOLD, size=13, step=0.02)
        sheet.line(PROSE, step=1.8 * PITCH).line("and that is all there is to say about it.")
    return sheet


def test_questions_of_several_rows_are_titles() -> None:
    assert titles_of(book(asked(4))) == [" ".join(QUESTION)] * 4


def test_paragraphs_in_larger_type_are_none() -> None:
    assert titles_of(book(asked(4, apart=False))) == []


def test_three_questions_at_least_are_titles() -> None:
    long = [talk(Sheet(1), 30), asked(2)]
    assert titles_of(draft_of(long)) == [" ".join(QUESTION)] * 2  # their text is short enough for a document's title
    wide = Sheet(2)
    for _ in range(2):
        wide.title(PROSE.lower() * 2, BOLD, 13).prose()
    assert titles_of(book(wide)) == []


def test_a_numbered_title_in_larger_type_may_be_a_long_sentence() -> None:
    said = "Why does nobody measure the boats? They came in, and nothing happened."
    assert titles_of(book(Sheet(2).title(f"2 {said}", BOLD, 14).prose())) == [f"2 {said}"]
    assert titles_of(book(Sheet(2).title(said, BOLD, 14).prose())) == []


@pytest.mark.parametrize(("numbers", "titles"), [(("2.1", "2.2"), 2), (("2", "3"), 0)])
def test_names_in_other_type_behind_a_number_of_parts_are_titles(numbers: tuple[str, str], titles: int) -> None:
    sheet = Sheet(2)
    names = ("moor.boat.", "leave.boat.")
    for number, name in zip(numbers, names, strict=True):
        sheet.title(number, BOLD, 14)
        sheet.fragments.append(
            Fragment(
                id=f"p2.f{len(sheet.fragments) + 1}", text=f"The file {name}", font="Courier-BoldItalic", size=9,
                bold=True, box=sheet.fragments[-1].box.model_copy(update={"x": 0.16, "w": 0.3}),
            )
        )  # fmt: skip
        sheet.prose()
    found = [(number, f"The file {name}", 1) for number, name in zip(numbers, names, strict=True)]
    assert depths(book(sheet)) == found[:titles]


@pytest.mark.parametrize("prompt", ["$", "#", ">", "%"])
def test_commands_behind_a_prompt_are_no_titles(prompt: str) -> None:
    for font, size in (("Courier-Bold", 9), (BOLD, 14)):
        assert titles_of(book(Sheet(2).title(f"{prompt} Moor all boats", font, size).prose())) == []
    assert titles_of(book(Sheet(2).title("#1 Moor all boats", BOLD, 14).prose())) == ["#1 Moor all boats"]


@pytest.mark.parametrize("font", ["Emmentaler-20", "SkakNew-Diagram", "ZapfDingbats"])
def test_rows_of_signs_in_place_of_letters_are_no_titles(font: str) -> None:
    assert titles_of(book(Sheet(2).title("Qh hn Hk", font, 14).prose())) == []
    assert titles_of(book(Sheet(2).title("Qh hn Hk", BOLD, 14).prose())) == ["Qh hn Hk"]


def test_numbered_lines_of_code_among_numbered_titles_are_no_titles() -> None:
    sheet = Sheet(2)
    for number, line in ((1, "Priority: optional"), (2, "Boats: all"), (3, "Crews: none")):
        sheet.title(f"{number} Harbours", BOLD, 14).prose().title(f"{number} {line}", CODE, 9).prose()
    assert titles_of(book(sheet)) == ["1 Harbours", "2 Harbours", "3 Harbours"]


def test_a_numbered_title_that_names_a_package_in_typewriter_letters_stays_in_its_sequence() -> None:
    sheet = Sheet(2).title("1 Harbours", BOLD, 14).prose().title("2 KESTREL Package", CODE).prose()
    draft = book(sheet.title("2.1 Boats", BOLD, 12).prose().title("3 Crews", BOLD, 14).prose())
    assert titles_of(draft) == ["1 Harbours", "2 KESTREL Package", "2.1 Boats", "3 Crews"]


def test_a_typed_name_a_step_larger_than_the_text_is_no_title_and_a_large_one_is() -> None:
    names = Sheet(2)
    for name in ("Struct sha_context", "Struct aes_context"):
        names.title(name, "CMSLTT10", 11).prose()
    assert titles_of(book(names)) == []
    assert titles_of(book(Sheet(2).title("Elastix", "CMTT12", 20).prose())) == ["Elastix"]


def test_numbered_notes_in_smaller_type_are_no_titles() -> None:
    sheets = [Sheet(number) for number in (2, 3, 4)]
    for sheet in sheets:
        sheet.prose().title(f"{sheet.number - 1} Boats from abroad, as told above", "Serif", 8).line("of all", size=8)
    assert titles_of(book(*sheets)) == []


def test_small_capitals_are_titles_as_they_were() -> None:
    sheet = Sheet(2)
    for number, title in (("1", "HARBOURS"), ("2", "BOATS"), ("3", "CREWS")):
        sheet.title(f"{number} {title}", "Serif", 8).prose()
    assert titles_of(book(sheet)) == ["1 HARBOURS", "2 BOATS", "3 CREWS"]


def test_items_of_a_list_do_not_fill_the_gaps_among_titles() -> None:
    sheet = Sheet(2)
    for title in ("2.1 Harbours", "2.2 Boats", "2.3 Crews"):
        sheet.title(title, BOLD, 12).prose()
    sheet.title("3. Configure the quays").line(PROSE, step=1.8 * PITCH).line("and no more.")
    assert titles_of(book(sheet)) == ["2.1 Harbours", "2.2 Boats", "2.3 Crews"]


def test_the_end_of_a_paragraph_that_says_a_title_of_the_contents_is_none() -> None:
    contents = Sheet(1).title("Contents", BOLD, 14)
    for number, title in enumerate(("Pilots", "Permissions", "Dues")):
        contents.line(f"3.{number + 1} {title} . . . . . . . . {number + 2}")
    pages = [Sheet(2).title("3.1 Pilots", BOLD, 12).prose(), Sheet(3), Sheet(4).title("3.3 Dues", BOLD, 12).prose()]
    pages[1].line(PROSE).line(PROSE.lower()).line("permissions.").title("3.2 Permissions", BOLD, 12).prose()
    assert titles_of(draft_of([contents, *pages]))[1:] == ["3.1 Pilots", "3.2 Permissions", "3.3 Dues"]


@pytest.mark.parametrize("said", ["permissions", "Permissions."])
def test_only_rows_that_end_a_paragraph_are_no_marked_titles(said: str) -> None:
    mark, bookmark = TitleMark(page=1, key="permissions", level=2), OutlineHint(level=2, page=1, key="permissions")
    page = Sheet(1).line(PROSE).line(said).line(PROSE, step=2 * PITCH).page
    apart = Sheet(1).line(PROSE).line(said, step=2 * PITCH).line(PROSE, step=2 * PITCH).page
    profile = Profile(body_style="Serif|10", marks=[mark])

    def titles(page: PageFile, profile: Profile) -> list[str]:
        return [lines[0].text for lines, _ in HeadingJudge(profile, 1).find(PageView(page))]

    assert titles(page, profile) == []
    assert titles(apart, profile) == [said]
    assert titles(page, Profile(body_style="Serif|10", outline=[bookmark])) == [said]


def test_titles_without_a_number_are_below_the_numbered_ones_of_their_style() -> None:
    sheet = Sheet(2)
    for title in ("1 Harbours", "1.1 North", "See also", "1.2 South", "Summary"):
        sheet.title(title, BOLD, 16 if title[1] == " " else 13).prose(3)
    assert [(title, depth) for _, title, depth in depths(book(sheet))] == [
        ("Harbours", 1), ("North", 2), ("See also", 3), ("South", 2), ("Summary", 3)
    ]  # fmt: skip


def test_what_stands_beside_labelled_chapters_is_as_deep_as_they_are() -> None:
    sheets = [Sheet(2), Sheet(3), Sheet(4)]
    for sheet, title in zip(sheets[:2], ("Harbours", "Boats"), strict=True):
        sheet.title(f"Chapter {sheet.number - 1}", BOLD, 20).line(title, font=BOLD, size=25, step=0.04).prose()
    sheets[2].title("References", BOLD, 25).prose()
    cover = Sheet(1).title("Kestrel", BOLD, 50).prose(30)
    assert [depth for *_, depth in depths(draft_of([cover, *sheets]))] == [1, 1, 1, 1]
    beside = [Sheet(2).title("Chapter 1 Harbours", BOLD, 20).prose(), Sheet(3).title("References", BOLD, 20).prose()]
    assert [depth for *_, depth in depths(book(*beside))] == [1, 1]


def test_chapters_lie_below_their_part_and_an_appendix_does_not() -> None:
    sheet = Sheet(2)
    for title in ("Part I Harbours", "1 North", "2 South", "Part II Boats", "3 Large", "Appendix A Dues"):
        sheet.title(title, BOLD, 14).prose(2)
    assert [(title, depth) for _, title, depth in depths(book(sheet))] == [
        ("Harbours", 1), ("North", 2), ("South", 2), ("Boats", 1), ("Large", 2), ("Dues", 1)
    ]  # fmt: skip


def test_numbers_that_count_anew_in_smaller_type_are_no_addresses() -> None:
    sheets = [Sheet(2), Sheet(3)]
    for title in ("1 Harbours", "2 Boats", "3 Crews", "4 Dues"):
        sheets[0].title(title, BOLD, 16).prose(3)
    sheets[1].title("A Licence", BOLD, 16).prose(2)
    for title in ("0. Preamble", "1. Scope", "2. Copies"):
        sheets[1].title(title, BOLD, 12).prose(2)
    found = depths(book(*sheets))
    assert [address for address, *_ in found[:4]] == ["1", "2", "3", "4"]
    assert [(address, title) for address, title, _ in found[-3:]] == [
        (None, "0. Preamble"), (None, "1. Scope"), (None, "2. Copies")
    ]  # fmt: skip
    assert len({depth for *_, depth in found[-3:]}) == 1
    assert found[-1][2] > found[4][2]


def test_numbers_in_the_type_of_the_chapters_are_addresses_wherever_they_count() -> None:
    sheets = [Sheet(2), Sheet(3)]
    for sheet, part in zip(sheets, ("Harbours", "Boats"), strict=True):
        sheet.title(f"Part {'I' * (sheet.number - 1)} {part}", BOLD, 20).prose(2)
        for number in (1, 2, 3):
            sheet.title(f"{number} {part}", BOLD, 16).prose(2)
    assert [address for address, *_ in depths(book(*sheets)) if address and address.isdigit()] == list("123123")


def placed(sheet: Sheet, text: str, x: float, y: float, size: float) -> None:
    sheet.fragments.append(
        Fragment(
            id=f"p{sheet.number}.f{len(sheet.fragments) + 1}", text=text, font=BOLD, size=size, bold=True,
            box=Rect(x=x, y=y, w=0.03 * len(text), h=size / 842),
        )
    )  # fmt: skip


@pytest.mark.parametrize("rows", [("Constructing", "block designs"), ("Constructing", "good", "block designs")])
def test_the_large_number_beside_a_title_comes_first(rows: tuple[str, ...]) -> None:
    sheet = Sheet(2)
    for at, row in enumerate(rows):
        placed(sheet, row, 0.5, 0.1 + 0.05 * at, 36)
        if at == len(rows) - 2:
            placed(sheet, "3", 0.1, 0.1 + 0.05 * at - 0.02, 95)
    assert depths(book(sheet.line(PROSE, step=0.3).prose())) == [("3", " ".join(rows), 1)]


def test_a_number_of_the_size_of_its_title_stays_where_it_is() -> None:
    sheet = Sheet(2)
    placed(sheet, "Boats of the year", 0.2, 0.1, 36)
    placed(sheet, "1999", 0.2, 0.15, 36)
    assert titles_of(book(sheet.line(PROSE, step=0.3).prose())) == ["Boats of the year 1999"]


def test_authors_and_versions_below_the_title_of_a_document_are_no_titles() -> None:
    def first(*below: tuple[str, float]) -> list[str]:
        sheet = Sheet(1).title("Measures of boats", BOLD, 25)
        for text, size in below:
            sheet.title(text, BOLD, size)
        return titles_of(draft_of([sheet.prose(30), Sheet(2).title("1 Harbours", BOLD, 17).prose()]))

    assert first(("Ada Kestrel", 17), ("Release 7", 13), ("1 Boats", 17)) == [
        "Measures of boats", "1 Boats", "1 Harbours"
    ]  # fmt: skip
    assert first(("Boats of the north", 17)) == ["Measures of boats", "Boats of the north", "1 Harbours"]
    assert first(("Preface", 17), ("Boats", 13)) == ["Measures of boats", "Preface", "Boats", "1 Harbours"]
    assert first(("7 Boats", 17), ("Crews", 13)) == ["Measures of boats", "7 Boats", "Crews", "1 Harbours"]
    assert first(("Ada Kestrel", 17), ("Contents", 13)) == ["Measures of boats", "Contents", "1 Harbours"]
    second = Sheet(2).title("Measures", BOLD, 25).title("Boats", BOLD, 17).title("Crews", BOLD, 13).prose()
    assert titles_of(book(second)) == ["Measures", "Boats", "Crews"]


def test_titles_on_the_first_page_stay_below_text_or_where_their_style_is_used_again() -> None:
    def page() -> Sheet:
        return Sheet(1).title("Measures of boats", BOLD, 25)

    after_text = page().prose().title("Boats", BOLD, 17).title("Crews", BOLD, 13).prose(30)
    assert titles_of(draft_of([after_text])) == ["Measures of boats", "Boats", "Crews"]
    again = page().title("Boats", BOLD, 17).title("Crews", BOLD, 13).prose().title("Harbours", BOLD, 17).prose(30)
    assert titles_of(draft_of([again])) == ["Measures of boats", "Boats", "Crews", "Harbours"]
    names = (
        page().title("Ada Kestrel", BOLD, 17).line("Release 7", font=BOLD, size=13).title("Boats", BOLD, 17).prose(30)
    )
    assert titles_of(draft_of([names])) == ["Measures of boats", "Boats"]
    last = page().title("Boats", BOLD, 17).prose(30).title("Harbours", BOLD, 17)
    assert titles_of(draft_of([last, Sheet(2).prose()])) == ["Measures of boats", "Boats", "Harbours"]


def test_a_label_that_its_title_says_again_is_one_heading_with_it() -> None:
    sheet = Sheet(2).title("Appendix A", BOLD, 20)
    sheet.line("Appendix A. Dues of the harbour", font=BOLD, size=24, step=0.04).prose()
    assert titles_of(book(sheet)) == ["Appendix A Appendix A. Dues of the harbour"]
    other = Sheet(2).title("Appendix A", BOLD, 20)
    other.line("Appendix B. Dues of the harbour", font=BOLD, size=24, step=0.04).prose()
    assert len(titles_of(book(other))) == 2


@pytest.mark.parametrize("end", "\u3001\u3002\uff0c\uff0e\uff1a\uff1b")
def test_rows_that_end_in_the_signs_of_other_scripts_are_no_titles(end: str) -> None:
    assert reads_like_title("\u8239\u306e\u6e2c\u5b9a")
    assert not reads_like_title(f"\u8239\u306e\u6e2c\u5b9a{end}")


@pytest.mark.parametrize("sign", "\\{}<>=;\u27e8\u27e9")
def test_short_rows_of_code_above_text_are_no_titles(sign: str) -> None:
    sheet = Sheet(1)
    for title in ("Moorings", f"Pilots {sign} Dues", "Dues", "Quays"):
        sheet.title(title).line(PROSE, step=1.8 * PITCH).line(PROSE.lower())
    assert titles_of(draft_of([sheet])) == ["Moorings", "Dues", "Quays"]


def test_a_host_behind_a_number_of_parts_is_a_title_and_alone_none() -> None:
    for text, title in (("4.2 boats.example.org", True), ("4.2. Boats.org", True), ("Boats.org", False)):
        assert reads_like_title(text) is title
    assert not reads_like_title("555.123.4567 Kestrel")
    assert not reads_like_title("55.123.4567 Kestrel")


@pytest.mark.parametrize(
    ("printed", "key"),
    [
        ("Cap\u00edtol 3", "chapter3"), ("\u0413\u043b\u0430\u0432\u0430 3", "chapter3"),
        ("Rozdzia\u0142 3", "chapter3"), ("Ap\u00e8ndix B", "appendixb"),
    ],
)  # fmt: skip
def test_further_labels_of_other_languages(printed: str, key: str) -> None:
    assert printed_address(f"{printed} Boats") == (printed, len(printed))
    assert normalise(printed) == key
