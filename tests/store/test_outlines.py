"""Sections of an outline are found by their steps together, chapters that are counted in words by their numbers."""

from uuid import UUID

import pytest

from shared.answering.service import ask
from shared.domain.scope import Identity
from shared.retrieval.requests import AskRequest
from shared.runtime import Runtime
from tests.pipeline import make_knowledge_base, run_all, upload

TEXT = """# CHAPTER ONE The harbour

The harbour is open from six to ten on all days of the week.

# CHAPTER TWO The boats

The boats are painted blue and white before each summer season.

# III. Guests

## A. Arrival

Guests report to the office in the tower before they go on land.

# IV. Rules

## A. Fees

Each boat pays a fee of twelve crowns for every night in the harbour.

## B. Quiet hours

No engine may run from ten at night to six in the morning.
"""


@pytest.fixture(scope="module")
def base(runtime: Runtime, identity: Identity) -> UUID:
    base = make_knowledge_base(runtime, identity, "outlines")
    run_all(runtime, upload(runtime, identity, base, TEXT.encode(), "harbour.md"))
    return base


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("What does chapter one say?", "The harbour is open"),
        ("What does Chapter 2 say?", "The boats are painted"),
        ("What does section IV.A say?", "Each boat pays"),
        ("IV.B", "No engine may run"),
        ("III.A", "Guests report"),
    ],
)
def test_a_section_is_quoted_by_its_steps(
    runtime: Runtime, identity: Identity, base: UUID, question: str, said: str
) -> None:
    found = ask(runtime, identity, AskRequest(question=question, knowledge_base_ids=[base]))
    assert [one.text.startswith(said) for one in found.sentences] == [True]
