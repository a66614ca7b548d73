"""What an operator asks: states, costs, what is stuck, and running it again. For owners and admins."""

from functools import partial
from typing import Annotated

from fastapi import Query, Request
from fastapi.responses import JSONResponse

from functions.api.caller import Admin
from functions.api.idempotency import Administration
from functions.api.pagination import PageOf
from functions.api.routing import v1_router
from shared.domain.plans import NewPack, OrganizationPlan, PlanChange
from shared.domain.workload import CostReport, DeepHealth, Redrive, RedriveReport, StuckRun, WorkloadStatus
from shared.ingestion.redrive import redrive
from shared.library import workload
from shared.library.health import check_parts
from shared.plans import operating

router = v1_router("operation", "/ops")

Days = Annotated[int, Query(ge=1, le=366, description="today and the days before, by UTC")]
Minutes = Annotated[int, Query(ge=1, le=100_000, description="a run under way for longer counts as stuck")]


@router.get("/health")
def health(caller: Admin, request: Request) -> DeepHealth:
    """Whether each part answers, and how fast: database, schema, indexes, store, queue, model (what it
    did within the last minute). It wakes a paused database, as `/v1/ready` does."""
    return check_parts(caller.runtime, caller.identity, request.app.version)


@router.get("/status")
def status(caller: Admin) -> WorkloadStatus:
    """Ingestions by state: those under way, and those that ended within a day."""
    return workload.get_status(caller.runtime, caller.identity)


@router.get("/costs")
def costs(caller: Admin, days: Days = 30) -> CostReport:
    """What models cost, by day, knowledge base, stage and model."""
    return workload.get_costs(caller.runtime, caller.identity, days)


@router.get("/stuck")
def stuck(caller: Admin, minutes: Minutes = 60) -> PageOf[StuckRun]:
    """Runs that take too long, and what failed; of each kind the oldest 200."""
    return PageOf(items=workload.get_stuck(caller.runtime, caller.identity, minutes), next_cursor=None)


@router.put("/plans", response_model=OrganizationPlan)
def set_plan(change: Administration, body: PlanChange) -> JSONResponse:
    """Give an organization a plan. For who operates the deployment."""
    plan = None if body.plan == "default" else body.plan
    return change.answer(
        200, lambda: operating.set_plan(change.runtime, change.identity, body.organization, plan), body
    )


@router.post("/packs", response_model=OrganizationPlan, status_code=201)
def add_pages(change: Administration, body: NewPack) -> JSONResponse:
    """Give an organization pages beside its plan, for this month or for every one. For who operates the deployment."""
    act = partial(operating.add_pages, change.runtime, change.identity, body.organization, body.pages, body.permanent)
    return change.answer(201, act, body)


@router.post("/redrive", response_model=RedriveReport, status_code=202)
def run_again(change: Administration, body: Redrive) -> JSONResponse:
    """Run failed documents again, each with the engine that it had."""
    return change.answer(202, lambda: redrive(change.runtime, change.identity, body), body)
