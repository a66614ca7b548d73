import random
from collections.abc import Callable, Sequence

import pytest

from shared.domain.knowledge import tier_of
from shared.domain.page import Fragment
from shared.extraction.confidence import flags_of_chunk
from shared.extraction.layout import extract_page
from shared.extraction.profile import build_profile
from shared.readers.sketch import sketch_page
from tests.bench.confidence import DAMAGES, Page, spearman
from tests.unit.test_extraction_headings import Sheet

TEXT = (
    "Every boat is weighed before the first start of the season, with its crew on board.",
    "The scales of the harbour master are used, and he writes down what they show.",
    "A boat that is lighter than her certificate says carries lead in a sealed box.",
    "Nobody opens the box until the last race has been sailed and the prizes are given.",
)


def confidence_of(damage: Callable[[list[Fragment]], list[Fragment]]) -> tuple[float, list[str]]:
    sheet = Sheet()
    for row in range(24):
        sheet.line(TEXT[row % 4])
    page = sheet.page.model_copy(update={"fragments": damage(sheet.fragments)})
    operations = extract_page(page, build_profile([sketch_page(sheet.page)]))
    return operations.confidence, operations.flags


def test_a_clean_page_is_green_and_has_no_flag() -> None:
    assert confidence_of(lambda fragments: fragments) == (1.0, [])


@pytest.mark.parametrize(
    ("kind", "flag"),
    [
        ("shuffled", "order_conflict"),
        ("lost", "unmapped_characters"),
        ("remapped", "garbled_text"),
        ("spread", "odd_spacing"),
        ("glued", "odd_spacing"),
        ("overlaid", "text_over_text"),
    ],
)
def test_a_damaged_page_is_not_green_and_says_why(kind: str, flag: str) -> None:
    confidence, flags = confidence_of(lambda fragments: DAMAGES[kind](fragments, 0.7, random.Random(1)))
    assert tier_of(confidence) != "green"
    assert flag in flags


def read_lines(texts: Sequence[str]) -> tuple[float, list[str]]:
    sheet = Sheet()
    for text in texts:
        sheet.line(text)
    operations = extract_page(sheet.page, build_profile([sketch_page(sheet.page)]))
    return operations.confidence, operations.flags


def test_rows_of_amounts_before_their_labels_that_are_in_no_table_are_no_prose() -> None:
    rows = ["$ 4,756 Depreciation", "(584) Income tax benefit", "1,189 Increase in payable", "(223) Other"]
    confidence, flags = read_lines([*TEXT, *rows, *rows])
    assert (tier_of(confidence), flags) == ("yellow", ["unread_tables"])


@pytest.mark.parametrize(
    "rows",
    [
        ["$ 4,756 Depreciation", "(584) Income tax benefit", "1,189 Increase in payable"],
        ["(1) Weigh the boat", "(2) Seal the box", "(3) Sail the race", "(4) Give the prizes", "$ 50 Fee"],
        ["1,200 boats", "1,300 sails", "1,400 crews", "1,500 prizes"],
    ],
)
def test_few_amounts_numbers_of_lists_and_counts_in_sentences_are_prose(rows: list[str]) -> None:
    assert "unread_tables" not in read_lines([*TEXT, *rows])[1]


def test_uncertain_boxes_of_a_page_flag_none_of_its_other_chunks() -> None:
    assert flags_of_chunk(["uncertain_ticks", "odd_spacing"], "text", ocr=True) == ["odd_spacing"]


def test_rank_correlation_is_minus_one_where_worse_pages_are_trusted_less() -> None:
    pages = [Page("x", confidence, 1 - confidence) for confidence in (0.2, 0.5, 0.9)]
    assert spearman(pages) == pytest.approx(-1.0)


@pytest.mark.parametrize(
    ("sure", "confidence", "flags"),
    [
        (1.0, 0.9, ["ocr"]),
        (0.99, 0.8757, ["ocr"]),  # .9 x (1 - .4 x 6.75 x .01): what it loses is no flag yet
        (0.96, 0.8028, ["low_ocr_confidence", "ocr"]),
        (0.7, 0.54, ["low_ocr_confidence", "ocr"]),
    ],
)
def test_a_recognised_page_is_trusted_as_far_as_its_words_are_sure(
    sure: float, confidence: float, flags: list[str]
) -> None:
    def recognised(fragments: list[Fragment]) -> list[Fragment]:
        return [f.model_copy(update={"ocr": True, "confidence": sure}) for f in fragments]

    assert confidence_of(recognised) == (confidence, flags)
