"""Fiscal periods in documents and in questions."""

import pytest

from shared.lexical.periods import abbreviate_quarters, numbered_dates, quarters, spell_period
from shared.lexical.tokenizer import tokenize


@pytest.mark.parametrize(
    ("written", "spelled"),
    [
        ("fy2022", ["2022"]),
        ("cy24", ["2024"]),
        ("3q22", ["q3", "2022"]),
        ("q32022", ["q3", "2022"]),
        ("2022q3", ["q3", "2022"]),
        ("5q22", list[str]()),
        ("1998q3", list[str]()),
        ("ta37v", list[str]()),
        ("10k", list[str]()),
    ],
)
def test_a_period_is_its_quarter_and_its_year(written: str, spelled: list[str]) -> None:
    assert spell_period(written) == spelled


@pytest.mark.parametrize("text", ["JPM_2021Q1_10Q", "net income 1Q21", "Q1 2021"])
def test_documents_and_questions_share_the_terms_of_a_period(text: str) -> None:
    assert {"q1", "2021"} <= tokenize(text).counts.keys()


def test_a_quarter_in_words_is_abbreviated() -> None:
    text = "In the Third fiscal quarter of 2022, not a quarter of it"
    assert abbreviate_quarters(text) == "In the Q3 of 2022, not a quarter of it"
    assert quarters(text) == ["q3"]


def test_a_day_is_numbered_as_sheets_write_it() -> None:
    text = "Between 7 January 2024 and March 12, 2024, in May 2024"
    assert dict(numbered_dates(text)) == {"7 January 2024": "2024-01-07", "March 12, 2024": "2024-03-12"}
