"""Of documents of one kind, the newest is asked for by "latest" and its like."""

from datetime import date
from uuid import uuid4

import pytest

from shared.retrieval.documents import EVIDENCE_MAX
from shared.retrieval.newest import asks_for_newest, lower_older

OLD, NEW, OTHER, UNDATED = (uuid4() for _ in range(4))
DATES = {OLD: date(2022, 7, 1), NEW: date(2023, 8, 4), OTHER: date(2024, 1, 1)}
NAMING = {"acme": frozenset({OLD, NEW, UNDATED}), "pumps": frozenset({OTHER})}


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("What was the margin in the latest report?", True),
        ("Most recent price of the TA-37V", True),
        ("the most up-to-date edition", True),
        ("What does the current edition say of starts?", True),
        ("What current may flow, and what are current assets?", False),
        ("Compare the most recent quarter with previous ones", False),
        ("What did the report of 2023 say?", False),
    ],
)
def test_which_words_ask_for_the_newest_document(text: str, asked: bool) -> None:
    assert asks_for_newest(text) is asked


def test_a_document_is_older_than_a_later_one_that_the_same_words_name() -> None:
    evidence = {OLD: 0.5, NEW: 0.4, OTHER: -0.1, UNDATED: 0.3}
    assert lower_older(evidence, NAMING, DATES) == evidence | {OLD: 0.5 - EVIDENCE_MAX}


def test_what_more_words_name_is_not_older_than_what_fewer_name() -> None:
    naming = {"acme": frozenset({OLD, NEW}), "pumps": frozenset({OLD})}
    evidence = {OLD: 0.5, NEW: 0.4}
    assert lower_older(evidence, naming, DATES) == evidence
    assert lower_older(evidence, {}, {OLD: DATES[OLD], NEW: DATES[NEW]}) == {OLD: 0.5 - EVIDENCE_MAX, NEW: 0.4}


def test_documents_of_one_day_are_neither_older() -> None:
    assert lower_older({OLD: 0.5, NEW: 0.4}, NAMING, {OLD: DATES[NEW], NEW: DATES[NEW]}) == {OLD: 0.5, NEW: 0.4}
