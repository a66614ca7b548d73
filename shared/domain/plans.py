"""What an organization may use: the plans, what a deployment says of them, and the models of `/v1/usage`."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from types import MappingProxyType
from typing import Final, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from shared.contract import PlanName

PACK_MAX: Final = 1_000_000
SLUG_MAX: Final = 60


@dataclass(frozen=True)
class Plan:
    """Limits of one organization; None: there is none. `pages` and `questions` are a month's (UTC).

    `requests_a_minute` is a bucket that refills evenly; one API key has half of it. `mcp`: whether assistants may be
    connected by MCP; `webhooks`: how many addresses are told what happens; `shares`: whether conversations may be
    shared by a link.
    """

    name: PlanName
    knowledge_bases: int | None
    chunks: int | None
    pages: int | None
    questions: int | None
    requests_a_minute: int | None
    mcp: bool
    webhooks: int | None
    shares: bool = True


# The tiers of the launch plan. It leaves the rates open: what a person with a few pages open needs stays far below the
# smallest. `unlimited` is no tier: one machine, and whoever runs it.
PLANS: Final[Mapping[PlanName, Plan]] = MappingProxyType(
    {
        plan.name: plan
        for plan in (
            Plan("free", 1, 5_000, 50, 50, 300, mcp=False, webhooks=0, shares=False),
            Plan("personal", 3, 50_000, 500, 500, 600, mcp=True, webhooks=3),
            Plan("pro", 10, 500_000, 5_000, 2_000, 1_800, mcp=True, webhooks=20),
            Plan("enterprise", None, None, None, None, 6_000, mcp=True, webhooks=None),
            Plan("unlimited", None, None, None, None, None, mcp=True, webhooks=None),
        )
    }
)


@dataclass(frozen=True)
class PlanSettings:
    """What a deployment says: the plan of organizations that were given none, what an organization may spend on models
    in a day (UTC, US dollars; None: as much as it likes), and the region whose prices its run time has (None: its own
    machine's, which asks for nothing)."""

    default_plan: PlanName = "unlimited"
    model_usd_per_day: float | None = None
    region: str | None = None


class UsageLine(BaseModel):
    """One of the things that a plan limits; `limit` null: none. `forecast` is the month's end at the pace so far, null
    for what does not begin anew each month; `runs_out_on` the day on which that pace meets the limit."""

    name: Literal["pages", "questions", "chunks", "knowledge_bases"]
    used: int
    limit: int | None
    forecast: int | None = None
    runs_out_on: date | None = None


class UsageDay(BaseModel):
    """What was counted on a day (UTC); `usd` is what models cost."""

    day: date
    pages: int
    questions: int
    usd: float


class PagePack(BaseModel):
    """Pages beside the plan: for `month` (its first day), or with null for every month."""

    pages: int
    month: date | None
    created_at: datetime


class PlanUsage(BaseModel):
    """Answer of `GET /v1/usage`: this month against the plan. `limit` of pages has the packs in it. `operator`: whether
    whoever asks gives plans to all organizations."""

    plan: PlanName
    month: date
    resets_on: date
    mcp: bool
    mcp_calls: int = Field(description="calls of assistants this month")
    requests_a_minute: int | None
    lines: list[UsageLine]
    packs: list[PagePack]
    days: list[UsageDay]
    model_usd_today: float
    model_usd_per_day: float | None
    operator: bool


class StageCost(BaseModel):
    """What a stage took: `resource` is a model, or `compute` for its own run time. `usd` is null where run time has no
    price, on one's own machine."""

    stage: str
    resource: str
    calls: int
    seconds: float
    usd: float | None


class DocumentCost(BaseModel):
    """What the runs of a document that began in the month cost."""

    document_id: UUID
    knowledge_base_id: UUID
    name: str
    pages: int
    seconds: float
    model_usd: float
    compute_usd: float | None


class MonthCosts(BaseModel):
    """Answer of `GET /v1/usage/costs`. The sums and stages are the organization's, deleted documents included;
    `documents` are those that are there, the dearest first. `prices_of` says whose prices the run time has."""

    month: date
    model_usd: float
    compute_usd: float | None
    prices_of: str | None
    stages: list[StageCost]
    documents: list[DocumentCost]


class PlanChange(BaseModel):
    """The plan that an organization gets; `default`: the deployment's own."""

    model_config = ConfigDict(extra="forbid")

    organization: str = Field(max_length=SLUG_MAX, description="its slug")
    plan: Literal[PlanName, "default"]


class NewPack(BaseModel):
    """Pages for this month, or with `permanent` for every month from now on."""

    model_config = ConfigDict(extra="forbid")

    organization: str = Field(max_length=SLUG_MAX, description="its slug")
    pages: int = Field(ge=1, le=PACK_MAX)
    permanent: bool = False


class OrganizationPlan(BaseModel):
    """What an operator has given to an organization."""

    organization: str
    plan: PlanName | None = None
    pages: int | None = None
    permanent: bool = False
