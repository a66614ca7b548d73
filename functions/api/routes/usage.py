"""What the organization has used of its plan, and what it cost."""

from datetime import date
from typing import Annotated

from fastapi import Query
from pydantic import StringConstraints

from functions.api.caller import Admin, Reader
from functions.api.routing import v1_router
from shared.domain.plans import MonthCosts, PlanUsage
from shared.plans import usage

router = v1_router("usage", "/usage")

Month = Annotated[
    Annotated[str, StringConstraints(pattern=r"^2\d{3}-(0[1-9]|1[0-2])$")] | None,
    Query(description="`2026-11`; the present one if left out"),
]


@router.get("")
def get_usage(caller: Reader) -> PlanUsage:
    """This month (UTC) against the plan: counts, limits, where the pace so far leads, and each day."""
    return usage.get_usage(caller.runtime, caller.identity)


@router.get("/costs")
def get_costs(caller: Admin, month: Month = None) -> MonthCosts:
    """What models and run time cost in a month (UTC), by stage and by document."""
    return usage.get_costs(caller.runtime, caller.identity, date.fromisoformat(f"{month}-01") if month else None)
