from collections.abc import Sequence

import pytest

from shared.domain.draft import DocumentDraft
from shared.domain.geometry import Rect
from shared.domain.page import Fragment, OutlineEntry, PageFile
from shared.domain.standing import reads_like_title
from shared.extraction.assemble import assemble
from shared.extraction.layout import extract_page
from shared.extraction.profile import build_profile
from shared.readers.sketch import sketch_page
from shared.values.numbering import Numbered, longest_sequences, numbers_of

PROSE = "The committee measures every boat at the quay before the first start of the season and again"
PITCH = 0.016


class Sheet:
    """A page that is written from the top: `line` sets the next row, `gap` leaves white space."""

    def __init__(self, number: int = 1) -> None:
        self.number = number
        self.fragments: list[Fragment] = []
        self._y = 0.08

    def line(self, text: str, x: float = 0.1, font: str = "Serif", size: float = 10.0, step: float = PITCH) -> "Sheet":
        self._y += step
        box = Rect(x=x, y=self._y, w=min(0.85, 0.0085 * len(text)), h=0.012)
        identifier = f"p{self.number}.f{len(self.fragments) + 1}"
        self.fragments.append(
            Fragment(
                id=identifier, text=text, box=box, font=font, size=size, bold="Bold" in font, italic="Italic" in font
            )
        )
        return self

    def title(self, text: str, font: str = "Serif", size: float = 10.0) -> "Sheet":
        return self.line(text, font=font, size=size, step=2 * PITCH)

    def prose(self, rows: int = 4) -> "Sheet":
        self.line(PROSE, step=1.8 * PITCH)
        for _ in range(rows - 2):
            self.line(PROSE.lower())
        return self.line("and that is all there is to say about it.")

    @property
    def page(self) -> PageFile:
        return PageFile(
            page=self.number, width_pt=595, height_pt=842, route="text", fragments=self.fragments,
            extractor_version="test",
        )  # fmt: skip


def draft_of(sheets: Sequence[Sheet], outline: Sequence[OutlineEntry] = ()) -> DocumentDraft:
    pages = [sheet.page for sheet in sheets]
    profile = build_profile(map(sketch_page, pages), outline)
    return assemble((page, extract_page(page, profile)) for page in pages)


def titles_of(draft: DocumentDraft) -> list[str]:
    return [chunk.content for chunk in draft.chunks if chunk.chunk_type == "heading"]


def test_a_sequence_of_numbers_proves_titles_in_the_style_of_the_text() -> None:
    sheet = Sheet()
    for title in ("1 Scope", "2 Terms", "2.1 Boats", "3 Measuring"):
        sheet.title(title).prose(3)
    draft = draft_of([sheet])
    assert [(s.address, s.title, s.depth) for s in draft.sections] == [
        ("1", "Scope", 1), ("2", "Terms", 1), ("2.1", "Boats", 2), ("3", "Measuring", 1),
    ]  # fmt: skip


def test_a_list_whose_items_are_sentences_is_no_sequence_of_titles() -> None:
    sheet = Sheet().prose()
    for number in (1, 2, 3, 4):
        sheet.line(
            f"{number}. Every boat carries an anchor that weighs no less than ten kilograms and a", step=2 * PITCH
        )
        sheet.line("rope that is as long as the boat.", x=0.13)
    assert titles_of(draft_of([sheet.prose()])) == []


def test_a_style_that_stands_alone_is_one_of_titles() -> None:
    sheet = Sheet()
    for title in ("Weighing", "Sails and Spars", "Protests"):
        sheet.title(title, font="Serif-Italic").prose(5)
    draft = draft_of([sheet.prose(8)])
    assert titles_of(draft) == ["Weighing", "Sails and Spars", "Protests"]


def test_short_rows_above_paragraphs_are_titles_where_the_document_has_several() -> None:
    sheet = Sheet()
    for title in ("Who Is Covered", "What is a deductible?", "Exceptions"):
        sheet.title(title).prose(3)
    assert titles_of(draft_of([sheet])) == ["Who Is Covered", "What is a deductible?", "Exceptions"]
    assert titles_of(draft_of([Sheet().title("Exceptions").prose(3)])) == []


def test_a_bookmark_finds_a_title_that_wraps_and_gives_its_depth() -> None:
    sheet = Sheet().prose().title("Rules for boats that were").line("built before the war").prose(4)
    outline = [OutlineEntry(level=3, title="Rules for Boats that were built before the War", page=1)]
    draft = draft_of([sheet], outline)
    assert titles_of(draft) == ["Rules for boats that were built before the war"]
    assert titles_of(draft_of([sheet])) == []


def test_printed_contents_name_titles_and_are_skipped() -> None:
    contents = Sheet(1).title("Contents", size=14)
    for number, title in enumerate(("Boats of the harbour and their crews", "Sails", "Prizes"), 2):
        contents.line(f"{title} .......... {number}", step=2 * PITCH)
    sheets = [contents]
    for number, title in enumerate(("Boats of the harbour and their crews", "Sails", "Prizes"), 2):
        sheets.append(Sheet(number).prose(3).line(title).prose(6))
    draft = draft_of(sheets)
    assert titles_of(draft) == ["Contents", "Boats of the harbour and their crews", "Sails", "Prizes"]
    assert [s.text.split(" ")[0] for s in draft.skipped if s.reason == "contents"] == ["Boats"]


def test_notes_lie_below_the_title_that_announces_them_and_items_below_their_part() -> None:
    sheet = Sheet()
    for title in (
        "PART I. FIGURES",
        "Item 1. Statements",
        "NOTES TO THE STATEMENTS",
        "Note 1 - Methods",
        "Item 2. Risks",
    ):
        sheet.title(title, font="Serif-Bold").prose(3)
    parents = {s.title: s.parent for s in draft_of([sheet]).sections}
    assert parents == {"FIGURES": None, "Statements": 0, "NOTES TO THE STATEMENTS": 1, "Methods": 2, "Risks": 0}


@pytest.mark.parametrize(
    "text",
    ["October 29, 2023", "(in millions)", "Delivery: 3 weeks", "• Oars", "and of the", "info@acme.example", "14.5"],
)
def test_dates_remarks_values_items_and_numbers_are_no_titles(text: str) -> None:
    assert not reads_like_title(text)


def test_the_heaviest_sequence_wins_over_a_number_that_breaks_it() -> None:
    rows = ["1 Scope", "7 Boats Sank", "2 Terms", "2.1 Boats", "2.2 Crews", "3 Prizes"]
    numbered = [Numbered(n, *numbers_of(text)[0], weight=1.0) for n, text in enumerate(rows)]
    assert [one.printed for one in longest_sequences(numbered)[0]] == ["1", "2", "2.1", "2.2", "3"]


def test_one_letter_may_be_a_letter_and_a_roman_number() -> None:
    assert {scheme for scheme, _, _ in numbers_of("I Introduction")} == {"A", "I"}
    assert numbers_of("II-A Boats")[0][1] == (2, 1)
    assert numbers_of("A boat sank") == []


def test_a_continued_heading_goes_on_with_its_section_and_is_a_running_line() -> None:
    first = Sheet(1).title("NOTES TO THE ACCOUNTS", "Serif-Bold", 12).title("Note 1 - Boats", "Serif-Bold", 12).prose()
    second = Sheet(2).title("NOTES TO THE ACCOUNTS (Continued)", "Serif-Bold", 12).prose()
    second.title("Note 2 - Quays", "Serif-Bold", 12).prose()
    draft = draft_of([first, second])
    assert titles_of(draft) == ["NOTES TO THE ACCOUNTS", "Note 1 - Boats", "Note 2 - Quays"]
    assert [section.depth for section in draft.sections] == [1, 2, 2]
    assert [skip.text for skip in draft.skipped] == ["NOTES TO THE ACCOUNTS (Continued)"]
    assert [c.section for c in draft.chunks if c.chunk_type == "text"] == [1, 1, 2]


def test_names_above_the_abstract_of_a_paper_are_no_titles_and_rows_of_its_title_are_one() -> None:
    paper = Sheet().line("How Boats are", size=18).line("Measured at the Quay", size=18, step=0.03)
    paper.title("Ada Kestrel, Bo Acme and Cy Heron", "Serif-Bold", 12).title("Abstract", "Serif-Bold", 12).prose(6)
    paper.title("Introduction", "Serif-Bold", 12).prose(8)
    assert titles_of(draft_of([paper])) == ["How Boats are Measured at the Quay", "Abstract", "Introduction"]


def test_bold_words_that_begin_a_paragraph_are_no_title() -> None:
    sheet = Sheet().title("Measuring", "Serif-Bold").prose()
    sheet.title("Crews of boats. They are", "Serif-Bold").line("weighed as well, and " + PROSE).prose()
    assert titles_of(draft_of([sheet])) == ["Measuring"]


@pytest.mark.parametrize(
    "text", ["Kestrel Lane 7, Maryland 20814", "Call 301-555-0100 today", "Cos(xT\u03a91)", "It was what we"]
)
def test_places_telephones_terms_and_unfinished_words_are_no_titles(text: str) -> None:
    assert not reads_like_title(text)


def test_a_numbered_paragraph_that_begins_with_its_title_is_no_title() -> None:
    assert not reads_like_title("2. Delivery. Lead times count from the date of the order confirmation. They")
    assert reads_like_title("2. Delivery and lead times")
    assert reads_like_title("Kestrel, Inc. Consolidated Balance Sheets")
