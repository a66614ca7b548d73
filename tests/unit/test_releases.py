"""Which questions a release answers, and which titles are one."""

import pytest

from shared.answering.releases import release_of, releases_of
from shared.domain.ids import new_id
from shared.domain.knowledge import Hit, Section, SectionStep
from tests.unit.test_answer_evidence import hit

DROPPED, CAME = "Which version dropped it?", "When did it come?"


def entry(*titles: str) -> Hit:
    steps = [SectionStep(id=new_id(), address=None, title=title) for title in titles]
    section = Section(id=steps[-1].id, address=None, title=titles[-1], path=steps, depth=len(steps))
    found = hit("- Drop it.", "list")
    return found.model_copy(update={"chunk": found.chunk.model_copy(update={"section": section})})


@pytest.mark.parametrize(
    ("question", "asks"),
    [
        (DROPPED, True),
        ("Since which version of it is that so?", True),
        ("In what pump firmware release was it renamed?", True),
        (CAME, True),
        ("When was it fixed?", True),
        ("Which pump was it?", False),
        ("When does it run?", False),
        ("What does version 2.1.0 say?", False),
    ],
)
def test_a_question_asks_for_a_release_or_when_it_was(question: str, asks: bool) -> None:
    found = entry("2.1.0 - 3 May 2020")
    assert bool(releases_of(question, [found])) is asks


@pytest.mark.parametrize(
    ("titles", "release", "dated"),
    [
        (["Changes", "1.33.0 - 2026-10-27 ## {: #pump-v1.33.0 }"], 1, 1),
        (["v9.19.1 (2026-10-13)", "Fix"], 0, 0),
        (["[10.6.1](2026-11-20)"], 0, 0),
        (["Pump 0.37 (2022-08-21)"], 0, 0),
        (["7.0.4", "Bug Fixes"], 0, None),
        (["2.0.0-rc1"], 0, None),
        (["Pump 3.0.0 (2026-01-01)", "Pump 3.0.0-rc1 (2025-12-01)"], 1, 1),
        (["5.1 Scope"], None, None),
        (["Upgrading to version 2.0.0+"], None, None),
        (["5"], None, None),
        (["Changes of 3 May 2020"], None, None),
    ],
)
def test_a_title_is_a_release_where_it_says_nothing_more_than_its_day(
    titles: list[str], release: int | None, dated: int | None
) -> None:
    found = entry(*titles)
    path = found.chunk.section.path if found.chunk.section else []
    assert release_of(DROPPED, found) == (None if release is None else path[release].id)
    assert release_of(CAME, found) == (None if dated is None else path[dated].id)
