"""What an organization has used of its plan this month, where that leads, and what it cost."""

import calendar
import math
import tomllib
from collections.abc import Mapping
from datetime import date, timedelta
from functools import cache
from pathlib import Path
from typing import Any, Final

from shared.access import reading, require_admin
from shared.contract import STAGES
from shared.domain.plans import DocumentCost, MonthCosts, PlanUsage, StageCost, UsageLine
from shared.domain.scope import Identity
from shared.plans.quota import first_of_next, plan_of
from shared.runtime import Runtime
from shared.store import plans as rows
from shared.store.connect import Connection, Row

DAY_S: Final = 86_400.0
DOCUMENTS: Final = 50
PRICES: Final = Path(__file__).parents[1] / "adapters" / "aws" / "prices.toml"
MEMORY_GB: Final[Mapping[str, float]] = {stage.name: stage.memory_mb / 1024 for stage in STAGES}


def get_usage(runtime: Runtime, identity: Identity) -> PlanUsage:
    """Counts are the whole organization's, for each of its members."""
    with runtime.database.transaction(identity.scope()) as connection:
        plan = plan_of(connection, identity.organization_id, runtime.limits)
        bases, chunks = rows.count_stored(connection)
        day, seconds = rows.today(connection)
        return PlanUsage(
            plan=plan.name,
            month=day.replace(day=1),
            resets_on=first_of_next(day),
            mcp=plan.mcp,
            mcp_calls=rows.calls_this_month(connection),
            requests_a_minute=plan.requests_a_minute,
            lines=[
                forecast("pages", rows.pages_this_month(connection), plan.pages, day, seconds),
                forecast("questions", rows.questions_this_month(connection), plan.questions, day, seconds),
                UsageLine(name="chunks", used=chunks, limit=plan.chunks),
                UsageLine(name="knowledge_bases", used=bases, limit=plan.knowledge_bases),
            ],
            packs=rows.list_packs(connection),
            days=rows.list_days(connection),
            model_usd_today=rows.spent_today(connection),
            model_usd_per_day=runtime.limits.model_usd_per_day,
            operator=identity.role in ("owner", "admin") and rows.is_operator(connection),
        )


def forecast(name: Any, used: int, limit: int | None, day: date, seconds: float) -> UsageLine:
    """The month's end at the rate of its first `seconds`, of which at least a day is taken: the first hour of a month
    says nothing of it."""
    elapsed = max(seconds, DAY_S) / DAY_S
    length = calendar.monthrange(day.year, day.month)[1]
    line = UsageLine(name=name, used=used, limit=limit, forecast=max(used, round(used / elapsed * length)))
    if limit is None or not used or used >= limit:
        return line
    left = math.ceil((limit - used) / (used / elapsed))
    out = day + timedelta(days=min(left, 366))
    return line if out >= first_of_next(day) else line.model_copy(update={"runs_out_on": out})


def get_costs(runtime: Runtime, identity: Identity, month: date | None = None) -> MonthCosts:
    """Of the month that has the day `month`; None: the present one, by UTC. Raises Forbidden for editors and
    viewers."""
    require_admin(identity)
    price = _compute_price(runtime.limits.region)
    with reading(runtime, identity) as connection:
        first = (month or rows.today(connection)[0]).replace(day=1)
        stages = [_stage(row, price) for row in rows.spending_of(connection, first)]
        documents = _documents(connection, first, price)
    compute = None if price is None else sum(s.usd or 0.0 for s in stages if s.resource == rows.COMPUTE)
    return MonthCosts(
        month=first,
        model_usd=sum(s.usd or 0.0 for s in stages if s.resource != rows.COMPUTE),
        compute_usd=compute,
        prices_of=None if price is None else f"Lambda in {runtime.limits.region}, {price['looked_up']}",
        stages=stages,
        documents=documents,
    )


def _documents(connection: Connection, month: date, price: Row | None) -> list[DocumentCost]:
    found = rows.documents_of(connection, month, DOCUMENTS)
    return [
        DocumentCost(
            **{
                name: row[name]
                for name in ("document_id", "knowledge_base_id", "name", "pages", "seconds", "model_usd")
            },
            compute_usd=None if price is None else sum(compute_usd(price, **stage) for stage in row["stages"]),
        )
        for row in found
    ]


def _stage(row: Row, price: Row | None) -> StageCost:
    if row["resource"] != rows.COMPUTE:
        return StageCost.model_validate(row)
    usd = None if price is None else compute_usd(price, row["stage"], row["calls"], row["seconds"])
    return StageCost.model_validate({**row, "usd": usd})


def compute_usd(price: Row, stage: str, calls: int, seconds: float) -> float:
    """US dollars of a stage's run time as Lambda charges it: by memory and time, and by call."""
    by_time = seconds * MEMORY_GB.get(stage, 0.0) * price["function_gb_second"]
    return by_time + calls * price["function_million"] / 1_000_000


@cache
def _compute_price(region: str | None) -> Row | None:
    """What Lambda asks in the region; None for one without prices, and on one's own machine."""
    table: dict[str, Any] = tomllib.loads(PRICES.read_text(encoding="utf-8"))
    found = table["regions"].get(region)
    return None if found is None else {**found, "looked_up": table["looked_up"]}
