"""Conversations as they are asked for and shown: the JSON models of the API and the CLI."""

from datetime import datetime
from typing import Annotated, Any, Final, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from shared.domain.evaluation import Verdict
from shared.domain.knowledge import Answer, AnswerSentence, Contradiction, KeptRow, QuotedCell
from shared.retrieval.requests import QUERY_LENGTH_MAX, AskScope

TITLE_MAX: Final = 200
NOTE_MAX: Final = 2000
SHARE_DAYS_MAX: Final = 30
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


class NewFeedback(_Body):
    """What its asker says of an answer: editors of the knowledge bases that it cites are told so, with the question.
    Without a `verdict` what was said is withdrawn."""

    verdict: Verdict | None = None
    note: Annotated[str, StringConstraints(strip_whitespace=True, max_length=NOTE_MAX)] | None = None


class NewAnswer(_Body):
    """By which of the models that `GET /v1/models` lists a further answer is to be; null: by the usual one."""

    model: str | None = Field(default=None, max_length=300)


class NewShare(_Body):
    """For how many days a link is to show a conversation or a notebook."""

    days: int = Field(default=7, ge=1, le=SHARE_DAYS_MAX)


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


class AskedMessage(BaseModel):
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

    messages: list[AskedMessage]


class AnsweringModel(BaseModel):
    """What may answer: `quotations`, or a model by its name; `usual` is what answers unless one says otherwise."""

    name: str
    usual: bool


class Share(BaseModel):
    """A link that shows a conversation or a notebook, as it is listed: without its secret, which nobody has but who
    made it. `revision`: of a notebook the version that it shows."""

    id: UUID
    revision: int | None = None
    author: str | None = Field(default=None, description="who made it")
    own: bool = Field(default=True, description="whether you made it")
    created_at: datetime
    expires_at: datetime
    revoked_at: datetime | None
    opened: int = Field(default=0, description="how often what it shows was read")
    opened_at: datetime | None = Field(default=None, description="when last")


class ListedShare(Share):
    """A link with what it shows; `title` is null where that is not to be seen by who lists it."""

    title: str | None
    thread_id: UUID | None
    notebook_id: UUID | None
    knowledge_base_id: UUID | None = Field(description="of the notebook")


class MadeShare(Share):
    """A link as it is made. `path` is where the page shows it, with the secret, once; null where the request is sent
    again."""

    path: str | None


class SharedCitation(BaseModel):
    """Where a statement stands, and what stands there."""

    chunk_id: UUID
    document: str
    version: str | None
    section: str = Field(description="its path, from the top; empty: none")
    page: int | None
    text: str
    kept_row: KeptRow | None = Field(default=None, description="of a row of a long table that is no passage")


class SharedSentence(BaseModel):
    """A statement of a shared answer; `citations` are chunks. Without its text where it is no longer visible."""

    text: str
    citations: list[UUID]
    marks: list[tuple[int, int]]
    hidden: list[tuple[int, int]]
    cells: list[QuotedCell]
    no_longer_visible: bool


class SharedAnswer(BaseModel):
    """An answer for whoever has the link, as far as who shares it may see it now."""

    answer: str
    mode: Literal["quotations", "answer"]
    model: str | None
    insufficient_evidence: bool
    sentences: list[SharedSentence]
    citations: list[SharedCitation]
    contradictions: list[Contradiction]
    created_at: datetime


class SharedMessage(BaseModel):
    """A question of a shared conversation, with its answers."""

    question: str
    asked_as: str | None
    answers: list[SharedAnswer]


class SharedThread(BaseModel):
    """A conversation as it was when it was shared."""

    title: str
    shared_at: datetime
    expires_at: datetime
    messages: list[SharedMessage]


def scope_of(stored: dict[str, Any]) -> AskScope:
    return AskScope.model_validate(stored)
