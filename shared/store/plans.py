"""Rows of plans: what an organization may use, what is counted of it, what it spent, and its requests."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, NamedTuple
from uuid import UUID

from shared.contract import PlanName
from shared.domain.ids import new_id
from shared.domain.plans import PagePack, UsageDay
from shared.domain.scope import Scope
from shared.store.connect import Connection, Database, Row
from shared.store.named_queries import load_queries
from shared.store.upsert import json_rows

_SQL = load_queries("plans")
COMPUTE = "compute"


class CountedPages(NamedTuple):
    """The pages of a document, and the run that they are counted for."""

    document_id: UUID
    run_id: UUID
    pages: int


@dataclass(frozen=True)
class CountedRequest:
    """A request that was counted, or not: `a_minute` requests are allowed in a minute (None: any number). The buckets
    are full again in so many seconds; None where nothing was taken."""

    a_minute: int | None
    key_full_s: float | None
    whole_full_s: float | None


def forget_full_buckets(connection: Connection) -> int:
    """Deletes buckets of the organization that are full, as one that is not there is; returns how many."""
    return connection.execute(_SQL["forget_full_buckets"]).rowcount


def given_plan(connection: Connection, organization_id: UUID) -> PlanName | None:
    """The plan that an operator gave to the organization."""
    row = connection.execute(_SQL["plan"], {"organization_id": organization_id}).fetchone()
    return row["plan"] if row else None


def lock(connection: Connection, organization_id: UUID) -> None:
    """Until the transaction ends nobody else counts anything of the organization against a limit."""
    connection.execute(_SQL["lock"], {"organization_id": organization_id})


def count_stored(connection: Connection) -> tuple[int, int]:
    """Knowledge bases and chunks of the whole organization, whoever may see them."""
    row = _row(connection, "stored")
    return row["knowledge_bases"], row["chunks"]


def pages_this_month(connection: Connection) -> int:
    return int(_row(connection, "pages_counted")["pages"])


def pages_of_packs(connection: Connection) -> int:
    """Pages that were bought for this month."""
    return int(_row(connection, "pages_of_packs")["pages"])


def list_packs(connection: Connection) -> list[PagePack]:
    return [PagePack.model_validate(row) for row in connection.execute(_SQL["packs"])]


def count_pages(connection: Connection, organization_id: UUID, counted: Sequence[CountedPages]) -> int | None:
    """How many pages were counted; None where all were counted already."""
    values = {"organization_id": organization_id, "rows": json_rows([one._asdict() for one in counted])}
    found = connection.execute(_SQL["count_pages"], values).fetchall()
    return sum(row["pages"] for row in found) if found else None


def uncount_pages(connection: Connection, run_ids: Sequence[UUID]) -> None:
    """Gives back what was counted for these runs."""
    connection.execute(_SQL["uncount_pages"], {"run_ids": list(run_ids)})


def questions_this_month(connection: Connection) -> int:
    return int(_row(connection, "questions_counted")["questions"])


def count_question(connection: Connection, organization_id: UUID) -> date:
    """Returns the day that it counts for."""
    return _row(connection, "count_question", organization_id=organization_id)["day"]


def uncount_question(connection: Connection, day: date) -> None:
    connection.execute(_SQL["uncount_question"], {"day": day})


def calls_this_month(connection: Connection) -> int:
    """How many calls assistants made."""
    return int(_row(connection, "calls_counted")["calls"])


def count_call(connection: Connection, organization_id: UUID) -> None:
    """Counts a call of an assistant for today."""
    connection.execute(_SQL["count_call"], {"organization_id": organization_id})


def list_days(connection: Connection) -> list[UsageDay]:
    """Days of this month on which anything was counted."""
    return [UsageDay.model_validate(row) for row in connection.execute(_SQL["days"])]


def today(connection: Connection) -> tuple[date, float]:
    """The day by UTC, and the seconds since the month began."""
    row = _row(connection, "today")
    return row["day"], row["seconds"]


def add_runs_seconds(
    connection: Connection, scope: Scope, ingestion_ids: Sequence[UUID], stages: Mapping[str, float]
) -> None:
    """Adds an attempt at each of the stages, of so many seconds, to each of the runs, and all of them to the
    organization's day."""
    rows = [
        {"ingestion_id": one, "stage": stage, "seconds": seconds}
        for one in ingestion_ids
        for stage, seconds in stages.items()
    ]
    values = {"organization_id": scope.organization_id, "resource": COMPUTE, "rows": json_rows(rows)}
    connection.execute(_SQL["add_runs_seconds"], values)


def spend(connection: Connection, organization_id: UUID, stage: str, resource: str, usd: float, seconds: float) -> None:
    """Adds one call to the organization's day, unless the organization is gone."""
    values = {"stage": stage, "resource": resource, "seconds": seconds, "usd": usd}
    connection.execute(_SQL["spend"], {"organization_id": organization_id, **values})


def spent_today(connection: Connection) -> float:
    """US dollars that models cost today."""
    return float(_row(connection, "spent_today")["usd"])


def add_seconds(connection: Connection, scope: Scope, ingestion_id: UUID, stage: str, seconds: float) -> None:
    """Adds one attempt at a stage to its run, and to the organization's day."""
    connection.execute(_SQL["add_seconds"], {"ingestion_id": ingestion_id, "stage": stage, "seconds": seconds})
    spend(connection, scope.organization_id, stage, COMPUTE, 0.0, seconds)


def spending_of(connection: Connection, month: date) -> list[Row]:
    """`{stage, resource, calls, seconds, usd}` of the month that begins with `month`."""
    return connection.execute(_SQL["spending_of_month"], {"month": month}).fetchall()


def documents_of(connection: Connection, month: date, limit: int) -> list[Row]:
    """`{document_id, name, knowledge_base_id, pages, model_usd, seconds, stages}` of what was read in the month."""
    return connection.execute(_SQL["documents_of_month"], {"month": month, "limit": limit}).fetchall()


def take_request(
    database: Database, scope: Scope, rates: Mapping[PlanName, int | None], default: PlanName
) -> CountedRequest:
    """Takes one request out of the key's bucket and out of the organization's: one statement, one round trip."""
    values: dict[str, Any] = {"organization_id": scope.organization_id, "key_id": scope.key_id, "default": default}
    with database.at_once(scope) as connection:
        taken = connection.execute(_SQL["take"], {**values, "rates": json.dumps(dict(rates))})
    row = taken.fetchone()
    return CountedRequest(**row) if row else CountedRequest(None, None, None)


def full_in(database: Database, scope: Scope, subjects: Sequence[UUID]) -> dict[UUID, float]:
    """In how many seconds each of the buckets that are there is full again, in one round trip."""
    with database.at_once(scope) as connection:
        found = connection.execute(_SQL["full_in"], {"subjects": list(subjects)})
    return {row["subject_id"]: float(row["seconds"]) for row in found}


def is_operator(connection: Connection) -> bool:
    """Whether whoever acts operates the deployment."""
    return bool(_row(connection, "operates")["is_operator"])


def set_plan(connection: Connection, slug: str, plan: PlanName | None) -> bool:
    """Returns False where there is no such organization. Only an operator may: the database looks, too."""
    return bool(_row(connection, "set_plan", slug=slug, plan=plan)["found"])


def add_page_pack(connection: Connection, slug: str, pages: int, permanent: bool) -> bool:
    """The same for pages of this month, or of every one."""
    values = {"slug": slug, "id": new_id(), "pages": pages, "permanent": permanent}
    return bool(_row(connection, "add_page_pack", **values)["found"])


def _row(connection: Connection, name: str, **values: Any) -> Row:
    row = connection.execute(_SQL[name], values).fetchone()
    assert row is not None  # noqa: S101 each of these statements has one row
    return row
