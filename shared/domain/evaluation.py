"""Gold questions, and the results of evaluation runs: the JSON models of the API, the CLI and the database."""

import hashlib
import unicodedata
from datetime import datetime
from typing import Annotated, Any, Literal, cast
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

Kind = Literal["answerable", "negative"]
Level = Literal["chunk", "page", "document"]
Measured = Literal["fts", "vector", "hybrid", "lookup"]
RunStatus = Literal["running", "done"]
Verdict = Literal["right", "wrong", "incomplete"]

QUESTION_MAX = 4000
QUOTE_MAX = 2000
NAME_MAX = 500
PLACES_MAX = 5000
# Most questions of a run, which is stored in one row and scored in memory.
QUESTIONS_MAX = 3000
BATCH_MAX = 500
DEPTH_MAX = 100
STORED = "stored"

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=QUESTION_MAX)]
Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=NAME_MAX)]


class GoldPlace(BaseModel):
    """Where an answer stands. `document` is a file name, a title or an id; the finer fields are all that is known.

    A chunk is named by the hash of its content or by a quote from it: both survive a new reading of the document.
    `grade` is the relevance of TREC judgements.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    document: Name
    page: int | None = Field(default=None, ge=1, lt=2**31)
    quote: str | None = Field(default=None, min_length=1, max_length=QUOTE_MAX)
    content_hash: str | None = Field(default=None, pattern="^[0-9a-f]{64}$")
    grade: int = Field(default=1, ge=1, le=100)

    @property
    def level(self) -> Level:
        return "chunk" if self.quote or self.content_hash else "page" if self.page else "document"


class GoldInput(BaseModel):
    """A question as it comes in. A negative one has no place: the knowledge base does not answer it.

    `pin` is the document that is asked, where the text does not say which one.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    question: Text
    kind: Kind = "answerable"
    expected: list[GoldPlace] = Field(default=[], max_length=PLACES_MAX)
    pin: Name | None = None
    answer: str | None = Field(default=None, max_length=20_000)
    attribute: Text | None = Field(default=None, description="`power = 15 hp`: what is to be read at its places")

    @model_validator(mode="after")
    def _kind_agrees(self) -> "GoldInput":
        if self.attribute is not None and (self.kind == "negative" or self.question != self.attribute):
            raise ValueError("gold of an attribute has its value as its question, and places where that stands")
        if (self.kind == "negative") != (not self.expected):
            raise ValueError("an answerable question needs a place in `expected`, and a negative one has none")
        return self

    @property
    def key(self) -> str:
        """Identifies a question about a document, ignoring white space and letter case."""
        parts = (
            " ".join(unicodedata.normalize("NFKC", text).casefold().split()) for text in (self.question, self.pin or "")
        )
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()

    @property
    def level(self) -> Level:
        """The finest level (document, page, chunk) that all of its places specify."""
        levels = {place.level for place in self.expected}
        return "document" if "document" in levels or not levels else "page" if "page" in levels else "chunk"


class NewGold(BaseModel):
    """A question with the places that answer it: chunks by their id, or places by document, page and quote."""

    model_config = ConfigDict(extra="forbid")

    question: Text
    kind: Kind = "answerable"
    chunk_ids: list[UUID] = Field(default=[], max_length=20, description="chunks that answer the question")
    expected: list[GoldPlace] = Field(default=[], max_length=PLACES_MAX)
    pin: Name | None = None
    answer: str | None = Field(default=None, max_length=20_000)
    attribute: Text | None = Field(
        default=None, description="`power = 15 hp` in place of a question: what is to be read in the chunks"
    )

    @model_validator(mode="before")
    @classmethod
    def _asks_for_its_attribute(cls, given: Any) -> Any:
        if isinstance(given, dict) and "attribute" in given and "question" not in given:
            return {**cast(dict[str, Any], given), "question": given["attribute"]}
        return given


class GoldQuestion(BaseModel):
    """A stored question."""

    id: UUID
    question: str
    kind: Kind
    expected: list[GoldPlace]
    pin: str | None
    answer: str | None
    attribute: str | None = None
    source: str
    author: str
    created_at: datetime


class CandidatePassage(BaseModel):
    """What an answer cites, as it is read now. `page` is null for what has none."""

    chunk_id: UUID
    document_id: UUID
    document: str
    page: int | None
    content: str


class GoldCandidate(BaseModel):
    """What an asker said of an answer: a gold question, once an editor confirms it. `chunk_ids` are what the answer
    cites in this knowledge base, `passages` those of them that are still there."""

    id: UUID
    question: str
    verdict: Verdict
    note: str | None
    chunk_ids: list[UUID]
    author: str
    created_at: datetime
    passages: list[CandidatePassage] = []


class CandidateConfirmation(BaseModel):
    """How a candidate becomes gold. `question`: how it is better asked; null: as it was. `chunk_ids`: what answers it;
    null: what its answer cites, which has to have been right. `answer`: the right one, for people."""

    model_config = ConfigDict(extra="forbid")

    question: Text | None = None
    answer: str | None = Field(default=None, max_length=20_000)
    kind: Kind = "answerable"
    chunk_ids: list[UUID] | None = Field(default=None, max_length=20)


class Parameters(BaseModel):
    """How a run measures. `depth` is how many hits are read per question; `ask` whether answers are tried too."""

    model_config = ConfigDict(extra="forbid")

    indexes: list[Measured] = Field(default=["fts", "vector", "hybrid"], min_length=1, max_length=4)
    depth: int = Field(default=40, ge=1, le=DEPTH_MAX)
    ask: bool | None = Field(default=None, description="null: where the gold has negative questions")
    skip_missing: bool = Field(default=False, description="leave out what expects a document that is not here")
    baseline: bool = Field(default=False, description="later runs of this gold are compared with this one")
    floors: dict[str, float] = Field(default={}, max_length=50, description="measure → least value")


class RunVersions(BaseModel):
    """The versions with which the measured index was built."""

    embedder: str
    tokenizer: str
    extractors: list[str]


class FoundPlace(BaseModel):
    """One of the first hits: where it stands, and whether that was expected."""

    chunk_id: UUID
    document: str
    document_id: UUID
    page: int | None
    right: bool


class IndexResult(BaseModel):
    """What one index made of a question. `ranks`: per expected place its rank (from 1), null where it was not found;
    `document_ranks`: per expected document the first hit from it."""

    ranks: list[int | None]
    document_ranks: list[int | None]
    found: list[FoundPlace] = []


class FoundValue(BaseModel):
    """A value that was read at a place of an attribute's gold, by which route, and whether it is the right one."""

    raw: str
    route: str
    right: bool


class AttributeResult(BaseModel):
    """What was read of an attribute, place by place. `disagree`: two routes read different values at one of them."""

    name: str
    places: list[list[FoundValue]] = []
    disagree: bool = False


class QuestionResult(BaseModel):
    """One question, measured.

    `missing` are documents of its gold that the knowledge base does not have; `skipped` means that no other place was
    left to find, and that the run leaves out such questions.
    """

    key: str
    question: str
    kind: Kind
    level: Level
    pin: str | None = None
    expected: list[str] = []
    grades: list[int] = []
    missing: list[str] = []
    skipped: bool = False
    indexes: dict[Measured, IndexResult] = {}
    attribute: AttributeResult | None = None
    refused: bool | None = None
    confidence: float | None = None


class Score(BaseModel):
    """A measure's mean over `n` questions with its 95 % interval. `level` is null for all, each question at its own."""

    index: str
    level: Level | None
    metric: str
    value: float
    low: float
    high: float
    n: int

    @property
    def name(self) -> str:
        """`hybrid.recall@5`, `hybrid.page.recall@5`."""
        return ".".join(filter(None, (self.index, self.level, self.metric)))


class Floor(BaseModel):
    """A measure that has to reach `least`; `value` is null where the run does not have it."""

    measure: str
    least: float
    value: float | None
    met: bool


class EvalRun(BaseModel):
    """A run. `deltas` are differences to the baseline over the questions that both have."""

    id: UUID
    knowledge_base_id: UUID
    gold: str
    status: RunStatus
    parameters: Parameters
    versions: RunVersions
    total: int
    measured: int
    scores: list[Score]
    deltas: list[Score]
    floors: list[Floor]
    left_out: dict[str, int]
    baseline: bool
    baseline_id: UUID | None
    seconds: float
    author: str
    created_at: datetime
    finished_at: datetime | None
