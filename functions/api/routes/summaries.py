"""Experiment summaries: what documents state of their experiments, field by field, and their results side by side."""

from functools import partial
from typing import Annotated
from uuid import UUID

from fastapi import Depends, Query
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field

from functions.api.caller import Reader
from functions.api.idempotency import Change
from functions.api.pagination import DEFAULT_LIMIT, Cursor, Limit, PageOf, listed
from functions.api.routing import v1_router
from shared.domain.experiments import (
    ExperimentComparison,
    ExperimentSummary,
    GroupSummary,
    GroupWish,
    ListedSummary,
    NewSummaryEdit,
    RestoredSummary,
    SummaryChanges,
    SummaryEdit,
    SummaryField,
    SummaryFilter,
    SummaryVersion,
    WrittenGroupVersion,
)
from shared.lab.summaries import groups, service

router = v1_router("experiment summaries")


class SummaryWish(BaseModel):
    """How a summary is made."""

    model: str | None = Field(
        default=None, max_length=200, description="which model writes, of /v1/models; null: the usual one"
    )


def _wish(
    field: Annotated[SummaryField | None, Query(description="with a statement of this field")] = None,
    words: Annotated[str, Query(max_length=500, description="all of them in one statement")] = "",
    metric: Annotated[str | None, Query(max_length=200, description="words of a cell's metric")] = None,
    system: Annotated[str | None, Query(max_length=200, description="words of a cell's system")] = None,
    low: Annotated[float | None, Query(description="the least value, in the canonical unit")] = None,
    high: Annotated[float | None, Query(description="the greatest value, in the canonical unit")] = None,
    unit: Annotated[str | None, Query(max_length=50, description="UCUM code of the canonical unit, as `%`")] = None,
) -> SummaryFilter:
    return SummaryFilter(field=field, words=words, metric=metric, system=system, low=low, high=high, unit=unit)


Wish = Annotated[SummaryFilter, Depends(_wish)]


@router.get("/summaries")
def list_experiment_summaries(
    caller: Reader,
    wish: Wish,
    knowledge_base_id: Annotated[UUID | None, Query(description="of this knowledge base; else of all")] = None,
    cursor: Cursor = None,
    limit: Limit = DEFAULT_LIMIT,
) -> PageOf[ListedSummary]:
    """Summaries with what passes the filter, those of the newest documents first."""
    read = partial(service.list_summaries, caller.runtime, caller.identity, knowledge_base_id, wish)
    return listed("summaries", cursor, limit, read)


@router.get("/summaries/compare")
def compare_experiments(
    caller: Reader,
    document_id: Annotated[list[UUID], Query(min_length=1, max_length=service.COMPARED_MAX, description="repeatable")],
    metric: Annotated[str, Query(max_length=200, description="only metrics with these words")] = "",
    system: Annotated[str, Query(max_length=200, description="only systems with these words")] = "",
) -> ExperimentComparison:
    """The summaries of some documents side by side, and metric by system from their result tables. Whether more is
    better is not known: nothing is ranked."""
    return service.compare(caller.runtime, caller.identity, document_id, metric, system)


@router.get("/summaries/group")
def summarize_group(
    caller: Reader,
    document_id: Annotated[list[UUID], Query(min_length=1, max_length=service.COMPARED_MAX, description="repeatable")],
    metric: Annotated[str, Query(max_length=200, description="only metrics with these words")] = "",
    system: Annotated[str, Query(max_length=200, description="only systems with these words")] = "",
    version: Annotated[
        int | None, Query(ge=1, le=2**31 - 1, description="of what a model wrote; null: the newest")
    ] = None,
) -> GroupSummary:
    """One summary of several documents, from theirs as they are now: each statement with every document that says it,
    and values that disagree side by side. `written` is what a model wrote of them, and whether it still holds."""
    return groups.group_summary(caller.runtime, caller.identity, document_id, metric, system, version)


@router.post("/summaries/group", status_code=201, response_model=GroupSummary)
def write_group_summary(change: Change, body: GroupWish) -> JSONResponse:
    """Have a model write one summary of several documents, from the statements of theirs: a new version, each sentence
    borne out by the passages that it cites."""
    return change.answer(201, lambda: groups.write_summary(change.runtime, change.identity, body), body)


@router.get("/summaries/group/versions")
def list_group_summary_versions(
    caller: Reader,
    document_id: Annotated[list[UUID], Query(min_length=1, max_length=service.COMPARED_MAX, description="repeatable")],
) -> list[WrittenGroupVersion]:
    """What a model wrote of the group, oldest first."""
    return groups.list_group_versions(caller.runtime, caller.identity, document_id)


@router.post("/documents/{document_id}/summary", status_code=201, response_model=ExperimentSummary)
def make_experiment_summary(change: Change, document_id: UUID, body: SummaryWish) -> JSONResponse:
    """Summarize the document as it is now. Where that says the same as before, the version stays; people's edits are
    laid over it."""
    who = (change.runtime, change.identity, document_id)
    return change.answer(201, lambda: service.make_summary(*who, body.model), body)


@router.get("/documents/{document_id}/summary")
def get_experiment_summary(
    caller: Reader,
    document_id: UUID,
    version: Annotated[int | None, Query(ge=1, le=2**31 - 1, description="another version than the one shown")] = None,
) -> ExperimentSummary:
    """The document's summary: each statement with its passage, values and boxes; missing fields say so."""
    return service.get_summary(caller.runtime, caller.identity, document_id, version)


@router.get("/documents/{document_id}/summary/versions")
def list_summary_versions(caller: Reader, document_id: UUID) -> list[SummaryVersion]:
    """The summary's versions, oldest first."""
    return service.list_versions(caller.runtime, caller.identity, document_id)


@router.get("/documents/{document_id}/summary/changes")
def get_summary_changes(
    caller: Reader,
    document_id: UUID,
    former: Annotated[
        int | None, Query(ge=0, le=2**31 - 1, description="null: the one before `later`; 0: none")
    ] = None,
    later: Annotated[int | None, Query(ge=1, le=2**31 - 1, description="null: the one that is shown")] = None,
) -> SummaryChanges:
    """Statements that were added, removed or changed from one version of the summary to another."""
    return service.get_changes(caller.runtime, caller.identity, document_id, former, later)


@router.post("/documents/{document_id}/summary/restore", response_model=ExperimentSummary)
def restore_summary_version(change: Change, document_id: UUID, body: RestoredSummary) -> JSONResponse:
    """Show an older version again, as a new one; people's changes are again those that it had."""
    who = (change.runtime, change.identity, document_id, body.version)
    return change.answer(200, lambda: service.restore_version(*who), body)


@router.get("/documents/{document_id}/summary/edits")
def list_summary_edits(caller: Reader, document_id: UUID) -> list[SummaryEdit]:
    """What people changed in it, oldest first."""
    return service.list_edits(caller.runtime, caller.identity, document_id)


@router.post("/documents/{document_id}/summary/edits", status_code=201, response_model=ExperimentSummary)
def edit_experiment_summary(change: Change, document_id: UUID, body: NewSummaryEdit) -> JSONResponse:
    """Add, replace or take out a statement. A statement cites passages of the document, which have to bear it out."""
    who = (change.runtime, change.identity, document_id)
    return change.answer(201, lambda: service.edit_summary(*who, body), body)


@router.delete("/documents/{document_id}/summary/edits/{summary_edit_id}", response_model=ExperimentSummary)
def take_back_summary_edit(change: Change, document_id: UUID, summary_edit_id: UUID) -> JSONResponse:
    """Take an edit back: what the rules find stands there again."""
    who = (change.runtime, change.identity, document_id, summary_edit_id)
    return change.answer(200, lambda: service.take_back(*who))
