"""Notes beside running text are no labels of rows; labels that wrap, and names with what they mean, still are."""

from tests.unit.test_table_places import Page

TEXT = ["The length between the caption and the table", "can be set by hand where a page has too little",
        "room for both, and is never less than a point", "in any class of documents that we have read."]  # fmt: skip


def noted(*notes: str, text: list[str] = TEXT) -> Page:
    """Text of four lines that end at one edge, with notes left of it."""
    page = Page()
    for n, (note, line) in enumerate(zip(notes, text, strict=True)):
        page.row(100 + 12 * n, note, line.ljust(46, "x") if n < 3 else line, at=(60, 160))
    return page


def test_notes_beside_the_lines_of_one_sentence_make_no_table() -> None:
    assert noted("above", "below", "New in 2", "").shapes == []


def test_the_text_may_stand_left_of_its_notes() -> None:
    page = Page()
    for n, line in enumerate(TEXT):
        page.row(100 + 12 * n, line.ljust(46, "x") if n < 3 else line, f"{5 * n}R" if n < 3 else "", at=(60, 320))
    assert page.shapes == []


def test_another_text_with_a_note_makes_them_rows() -> None:
    ends = [*TEXT[:2], TEXT[2].ljust(45, "x") + ".", "In any class of documents."]
    page = Page()
    for n, (note, line) in enumerate(zip(("above", "below", "", "beside"), ends, strict=True)):
        page.row(100 + 12 * n, note, line.ljust(46, "x") if n < 2 else line, at=(60, 160))
    assert [row[0] for row in page.shapes[0]] == ["above", "below", "beside"]


MEANINGS = (("D", "molecular diffusion coefficient in square metres"), ("d", "diameter in metres"),
            ("k", "discrete time"), ("m", "mass in kilogrammes, without the vessel"))  # fmt: skip
WRAPPED = (("Purchases of property and of all the equipment", "held for use"),
           ("Proceeds from the issuance of our common stock", "net of taxes"),
           ("Payments for acquired businesses in other lands", "net of cash"))  # fmt: skip


def test_names_with_meanings_in_lower_case_are_rows() -> None:
    assert len(Page().rows(100, *MEANINGS, step=12, at=(60, 160)).shapes[0]) == 4


def test_labels_of_two_lines_with_a_number_beside_the_second_are_rows() -> None:
    page = Page()
    for n, (upper, lower) in enumerate(WRAPPED):
        page.text(60, 100 + 24 * n, upper).row(112 + 24 * n, lower, "(120)", "94", at=(60, 320, 400))
    assert [row[1] for row in page.shapes[0]].count("(120)") == 3


def test_long_labels_at_edges_of_their_own_are_rows() -> None:
    page = Page()
    for n, label in enumerate(
        ("Deferred revenue of the years before", "Other accrued liabilities of this year", "Leases")
    ):
        page.row(100 + 14 * n, label, "120", "94", at=(160 - 2.5 * len(label), 320, 400))
    assert len(page.shapes[0]) == 3
