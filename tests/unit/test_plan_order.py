"""In which order what a plan found is read: a search that repeats the question takes nothing's place, what reads
elsewhere comes in turn."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, cast
from uuid import UUID

import pytest

from shared.answering.agent import planning
from shared.answering.agent.outcomes import ToolOutcome
from shared.domain.chat import ChatReply, ToolCall
from shared.domain.ids import new_id
from shared.domain.model_calls import Usage
from shared.domain.scope import Identity

WHO = Identity(organization_id=new_id(), user_id=new_id(), role="viewer")
ASKED = [new_id() for _ in range(4)]
OTHER = [new_id() for _ in range(4)]


def planned(monkeypatch: pytest.MonkeyPatch, *given: tuple[str, Sequence[UUID]]) -> list[UUID]:
    """What comes of a first search that finds ASKED, and of tools that find what is `given`, each by its name."""
    calls = tuple(ToolCall(str(at), name, {}) for at, (name, _) in enumerate(given))
    replies = [ChatReply("", one, Usage(input_tokens=1, output_tokens=1), 0.0, "end") for one in (calls, ())]
    monkeypatch.setattr(planning, "call_model", lambda *_: (replies.pop(0), {"usd": 0.0}))
    monkeypatch.setattr(planning, "_asked", lambda *_: "")
    tools: Any = SimpleNamespace(
        seen={},
        specs=lambda: (),
        knows=lambda _: True,
        take_rows=lambda _: None,
        call=lambda call: ToolOutcome("", tuple(given[int(call.id)][1])),
    )
    first: Any = [SimpleNamespace(chunk=SimpleNamespace(id=one)) for one in ASKED]
    model = cast(Any, SimpleNamespace(name="scripted"))
    return planning.plan_evidence(cast(Any, None), WHO, model, "?", tools, first, lambda _: None).chunk_ids


def test_a_search_in_other_words_adds_behind_what_the_questions_own_words_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reworded = [OTHER[0], ASKED[3], ASKED[2], ASKED[1]]
    assert planned(monkeypatch, ("search", reworded)) == [*ASKED, OTHER[0]]


def test_a_search_of_something_else_takes_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    half = [OTHER[0], ASKED[3], OTHER[1], ASKED[0]]
    assert planned(monkeypatch, ("search", half)) == [ASKED[0], OTHER[0], ASKED[1], ASKED[3], ASKED[2], OTHER[1]]


def test_a_section_that_is_looked_up_comes_in_turn_though_it_was_found_already(monkeypatch: pytest.MonkeyPatch) -> None:
    assert planned(monkeypatch, ("look_up", [ASKED[3]])) == [ASKED[0], ASKED[3], ASKED[1], ASKED[2]]
