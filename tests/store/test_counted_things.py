"""Where a number of something is asked for, nothing without one answers."""

from uuid import UUID

import pytest

from shared.answering.service import ask
from shared.domain.knowledge import Answer
from shared.domain.scope import Identity
from shared.retrieval.requests import AskRequest
from shared.runtime import Runtime
from tests.pipeline import make_knowledge_base, run_all, upload

REPORT = """# Northfield report

## Employees

Northfield wrote the 2022 plan for the employees of Northfield, which tells what employees of Northfield get.

How many employees Northfield has depends on the employees that Northfield has to have.

1. What employees of Northfield have is told on Form 10-K of July 1, 2023.

## Stores

How many stores Northfield has is known to those who know how many stores Northfield has had.

People could go to any of 47 of them on the first day of the year for bread, for cheese and for some other things.
"""


@pytest.fixture(scope="module")
def base(runtime: Runtime, identity: Identity) -> UUID:
    base = make_knowledge_base(runtime, identity, "counted things")
    run_all(runtime, upload(runtime, identity, base, REPORT.encode(), "report.md"))
    return base


def asked(runtime: Runtime, identity: Identity, base: UUID, question: str) -> Answer:
    return ask(runtime, identity, AskRequest(question=question, knowledge_base_ids=[base]))


def test_where_no_statement_has_a_number_of_it_that_is_said(runtime: Runtime, identity: Identity, base: UUID) -> None:
    found = asked(runtime, identity, base, "How many employees does Northfield have?")
    assert found.sentences == []
    assert found.insufficiency is not None
    assert (found.insufficiency.reason, found.insufficiency.missing) == ("no_value", ["employees"])
    assert found.insufficiency.nearest


def test_the_statement_with_the_number_is_quoted_however_near_others_are(
    runtime: Runtime, identity: Identity, base: UUID
) -> None:
    found = asked(runtime, identity, base, "How many stores does Northfield have?")
    assert ["47 of them" in one.text for one in found.sentences] == [True]
