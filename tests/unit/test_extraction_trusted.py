from pathlib import Path

from shared.domain.page import PageFile
from shared.readers.pdf.document import open_pdf

SAMPLE = Path(__file__).parents[2] / "samples/tarnwick-price-list-2026.pdf"


def test_a_page_read_without_validation_is_the_page_that_validation_makes_of_it() -> None:
    with open_pdf(SAMPLE) as source:
        for number in range(1, source.page_count + 1):
            page = source.read_page(number)
            validated = PageFile.model_validate(page.model_dump())
            assert validated == page
            assert PageFile.model_validate_json(page.model_dump_json()) == page
            assert page.fragments
            assert page.rules
            assert page.model_fields_set == set(PageFile.model_fields)
            assert page.fragments[0].model_copy(update={"bold": True}).bold
