"""Gold questions of a knowledge base, and the runs that measure retrieval on them.

What measures is loaded by the first of these requests: most processes of the API never see one.
"""

from functools import partial
from typing import Annotated, Self
from uuid import UUID

from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field, model_validator

from functions.api.caller import Editor, Reader
from functions.api.idempotency import Change
from functions.api.pagination import DEFAULT_LIMIT, Cursor, Limit, PageOf, listed, number_cursor, page_of
from functions.api.routing import v1_router
from shared.domain.evaluation import (
    BATCH_MAX,
    STORED,
    CandidateConfirmation,
    EvalRun,
    GoldCandidate,
    GoldInput,
    GoldQuestion,
    Name,
    NewGold,
    Parameters,
    QuestionResult,
)

# NaN and infinities are out of bounds too.
Least = Annotated[float, Field(ge=0, le=1)]
router = v1_router("evaluation", "/knowledge-bases/{knowledge_base_id}")


class GoldImport(BaseModel):
    """Questions of a file, which `source` names."""

    model_config = ConfigDict(extra="forbid")

    source: Name = "import"
    questions: list[GoldInput] = Field(default=[], max_length=BATCH_MAX)


class Imported(BaseModel):
    """How many of the questions are stored now; those that were here before are among them."""

    questions: int


class NewRun(Parameters):
    """What to measure: the questions kept in the knowledge base, or with `questions` those of a file, named `gold`."""

    floors: dict[Name, Least] = Field(default={}, max_length=50, description="measure → least value, from 0 to 1")
    gold: Name = STORED
    questions: list[GoldInput] | None = Field(default=None, min_length=1, max_length=BATCH_MAX)

    @model_validator(mode="after")
    def _is_told_apart(self) -> Self:
        """A file is never compared with, nor taken for, the questions that are kept."""
        if (self.questions is None) != (self.gold == STORED):
            raise ValueError(f"`questions` need the name of their file as `gold`, and `{STORED}` is not one")
        if len(set(self.indexes)) < len(self.indexes):
            raise ValueError("each of `indexes` is named once")
        return self


class MoreQuestions(BaseModel):
    """Further questions of the same file."""

    model_config = ConfigDict(extra="forbid")

    questions: list[GoldInput] = Field(default=[], max_length=BATCH_MAX)


class Removed(BaseModel):
    """What is no longer there."""

    id: UUID


@router.get("/gold")
def list_gold(
    caller: Reader, knowledge_base_id: UUID, cursor: Cursor = None, limit: Limit = DEFAULT_LIMIT
) -> PageOf[GoldQuestion]:
    """Its gold questions, oldest first."""
    from shared.evaluation import gold

    return listed("gold", cursor, limit, partial(gold.list_gold, caller.runtime, caller.identity, knowledge_base_id))


@router.post("/gold", status_code=201, response_model=GoldQuestion)
def add_gold(change: Change, knowledge_base_id: UUID, body: NewGold) -> JSONResponse:
    """Keep a question with what answers it. The same question again takes the new places too."""
    from shared.evaluation import gold

    who = (change.runtime, change.identity, knowledge_base_id)
    return change.answer(201, lambda: gold.add_gold(*who, body, "added"), body)


@router.post("/gold/import", response_model=Imported)
def import_gold(change: Change, knowledge_base_id: UUID, body: GoldImport) -> JSONResponse:
    """Keep many at once: all or none. Doing it twice changes nothing."""
    from shared.evaluation import gold

    who = (change.runtime, change.identity, knowledge_base_id)
    return change.answer(
        200, lambda: Imported(questions=len(gold.import_gold(*who, body.questions, body.source))), body
    )


@router.delete("/gold/{gold_id}", response_model=Removed)
def delete_gold(change: Change, knowledge_base_id: UUID, gold_id: UUID) -> JSONResponse:
    """Forget a question. Runs that measured it stay as they are."""
    from shared.evaluation import gold

    def act() -> Removed:
        gold.delete_gold(change.runtime, change.identity, knowledge_base_id, gold_id)
        return Removed(id=gold_id)

    return change.answer(200, act)


@router.get("/evaluation/candidates")
def list_candidates(
    caller: Editor, knowledge_base_id: UUID, cursor: Cursor = None, limit: Limit = DEFAULT_LIMIT
) -> PageOf[GoldCandidate]:
    """What people said of answers from it, oldest first: each becomes gold or goes, as an editor decides."""
    from shared.evaluation import candidates

    read = partial(candidates.list_candidates, caller.runtime, caller.identity, knowledge_base_id)
    return listed("candidates", cursor, limit, read)


@router.post("/evaluation/candidates/{candidate_id}/confirm", status_code=201, response_model=GoldQuestion)
def confirm_candidate(
    change: Change, knowledge_base_id: UUID, candidate_id: UUID, body: CandidateConfirmation
) -> JSONResponse:
    """Make a gold question of it, with what its answer cites or other chunks as its places."""
    from shared.evaluation import candidates

    who = (change.runtime, change.identity, knowledge_base_id, candidate_id)
    return change.answer(201, lambda: candidates.confirm_candidate(*who, body), body)


@router.delete("/evaluation/candidates/{candidate_id}", response_model=Removed)
def reject_candidate(change: Change, knowledge_base_id: UUID, candidate_id: UUID) -> JSONResponse:
    """Leave it; the answer's asker still sees what they said."""
    from shared.evaluation import candidates

    def act() -> Removed:
        candidates.reject_candidate(change.runtime, change.identity, knowledge_base_id, candidate_id)
        return Removed(id=candidate_id)

    return change.answer(200, act)


@router.get("/evaluations")
def list_evaluations(
    caller: Reader, knowledge_base_id: UUID, cursor: Cursor = None, limit: Limit = DEFAULT_LIMIT
) -> PageOf[EvalRun]:
    """Runs with their scorecards, newest first."""
    from shared.evaluation import runs

    read = partial(runs.list_runs, caller.runtime, caller.identity, knowledge_base_id)
    return listed("evaluations", cursor, limit, read)


@router.post("/evaluations", status_code=201, response_model=EvalRun)
def start_evaluation(change: Change, knowledge_base_id: UUID, body: NewRun) -> JSONResponse:
    """Start a run; nothing is measured yet. Continue it until its `status` is `done`: a call measures for seconds."""
    from shared.evaluation import runs

    parameters = Parameters.model_validate(body.model_dump(exclude={"gold", "questions"}))
    who = (change.runtime, change.identity, knowledge_base_id)
    return change.answer(201, lambda: runs.start_run(*who, body.gold, parameters, body.questions), body)


@router.get("/evaluations/{run_id}")
def get_evaluation(caller: Reader, knowledge_base_id: UUID, run_id: UUID) -> EvalRun:
    """A run: its scorecard where it is done, else how far it is."""
    from shared.evaluation import runs

    return runs.get_run(caller.runtime, caller.identity, knowledge_base_id, run_id)


@router.get("/evaluations/{run_id}/results")
def list_results(
    caller: Reader, knowledge_base_id: UUID, run_id: UUID, cursor: Cursor = None, limit: Limit = DEFAULT_LIMIT
) -> PageOf[QuestionResult]:
    """What was found for each question, those with the worst ranks first."""
    from shared.evaluation import runs

    after = number_cursor("results", cursor)
    found = runs.list_results(caller.runtime, caller.identity, knowledge_base_id, run_id)[after : after + limit + 1]
    return page_of("results", found, limit, lambda _: [after + limit])


@router.post("/evaluations/{run_id}/questions", response_model=EvalRun)
def add_questions(change: Change, knowledge_base_id: UUID, run_id: UUID, body: MoreQuestions) -> JSONResponse:
    """Further questions for a run that has not measured any: a large file comes in several requests."""
    from shared.evaluation import runs

    who = (change.runtime, change.identity, knowledge_base_id, run_id)
    return change.answer(200, lambda: runs.add_questions(*who, body.questions), body)


@router.post("/evaluations/{run_id}/continue", response_model=EvalRun)
def continue_evaluation(change: Change, knowledge_base_id: UUID, run_id: UUID) -> JSONResponse:
    """Measure for some seconds, and store what was found; the last such call scores the run."""
    from shared.evaluation import runs

    who = (change.runtime, change.identity, knowledge_base_id, run_id)
    return change.answer(200, lambda: runs.continue_run(*who))
