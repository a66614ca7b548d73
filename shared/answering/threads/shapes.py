"""Conversations as they are asked for and shown: the JSON models of the API and the CLI."""

from datetime import datetime
from typing import Annotated, Any, Final, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from shared.domain.knowledge import Answer, AnswerSentence
from shared.retrieval.requests import QUERY_LENGTH_MAX, AskScope

TITLE_MAX: Final = 200
NOTE_MAX: Final = 2000
Verdict = Literal["right", "wrong", "incomplete"]
Title = Annotated[str, StringConstraints(strip_whitespace=True, max_length=TITLE_MAX)]


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid")


class NewThread(_Body):
    """A conversation to begin. Without a `title` its first question names it."""

    title: Title = ""
    scope: AskScope = Field(default=AskScope(), description="how its questions are asked, until one says otherwise")


class ThreadChange(_Body):
    """A new title."""

    title: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=TITLE_MAX)]


class ThreadQuestion(_Body):
    """A question in a conversation. `scope` holds for it and for those that follow; none: as the one before.
    `rewrite`: where it follows upon another it may be asked so that it stands alone, which is shown."""

    question: str = Field(max_length=QUERY_LENGTH_MAX)
    scope: AskScope | None = None
    rewrite: bool = True


class Thread(BaseModel):
    """A conversation as it is listed; `questions` is how many there are."""

    id: UUID
    title: str
    scope: AskScope
    questions: int
    created_at: datetime
    updated_at: datetime


class ShownSentence(AnswerSentence):
    """A statement of an answer; without its text where something that it cites is gone or hidden from whoever reads."""

    no_longer_visible: bool = False


class ShownAnswer(Answer):
    """An answer as it was given, as far as whoever reads may see now what it cites. `no_longer_visible` are the chunks
    that it cited and that are gone or hidden from them. `hits` are those that it cites; the trace has all."""

    sentences: list[ShownSentence]  # pyrefly: ignore[bad-override] its readers get more
    no_longer_visible: list[UUID] = Field(default=[])


class Feedback(BaseModel):
    """What its asker says of an answer."""

    verdict: Verdict
    note: str | None
    judged_at: datetime


class ThreadAnswer(BaseModel):
    """One answer to a question of a conversation."""

    id: UUID
    answer: ShownAnswer
    feedback: Feedback | None
    created_at: datetime


class ThreadMessage(BaseModel):
    """A question as it was typed, and as it was asked where that is another text; its answers, the first one first:
    none where it could not be answered."""

    id: UUID
    question: str
    asked_as: str | None
    scope: AskScope
    answers: list[ThreadAnswer]
    created_at: datetime


class WholeThread(Thread):
    """A conversation with its messages, oldest first."""

    messages: list[ThreadMessage]


def scope_of(stored: dict[str, Any]) -> AskScope:
    return AskScope.model_validate(stored)
