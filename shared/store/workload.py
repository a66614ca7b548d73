"""An organization's ingestion as its operator sees it: states, costs, what is stuck."""

from collections.abc import Sequence
from uuid import UUID

from shared.domain.workload import MOST, CostLine, StateCount, StuckRun, WorkloadStatus
from shared.store.connect import Connection
from shared.store.named_queries import load_queries

_SQL = load_queries("workload")


def count_states(connection: Connection) -> WorkloadStatus:
    rows = connection.execute(_SQL["states"]).fetchall()
    return WorkloadStatus(
        open=[StateCount.model_validate(row) for row in rows if not row["ended"]],
        ended=[StateCount.model_validate(row) for row in rows if row["ended"]],
    )


def sum_costs(connection: Connection, days: int) -> list[CostLine]:
    """Of today and the `days - 1` days before (UTC), newest first."""
    return [CostLine.model_validate(row) for row in connection.execute(_SQL["costs"], {"days": days})]


def stuck_runs(connection: Connection, seconds: float) -> list[StuckRun]:
    """Runs under way for longer than `seconds`, failed documents, and files that failed unread within a week; of each
    at most MOST, oldest first."""
    values = {"seconds": seconds, "limit": MOST}
    overdue = connection.execute(_SQL["overdue"], values).fetchall()
    unread = connection.execute(_SQL["unread"], values).fetchall()
    return [
        *(StuckRun.model_validate(row) for row in overdue),
        *failed_documents(connection, None, MOST),
        *(StuckRun.model_validate(row) for row in unread),
    ]


def failed_documents(connection: Connection, ids: Sequence[UUID] | None, limit: int) -> list[StuckRun]:
    """The present runs of failed documents, oldest first: of those named, or of all."""
    values = {"ids": None if ids is None else list(ids), "limit": limit}
    return [StuckRun.model_validate(row) for row in connection.execute(_SQL["failed"], values)]
