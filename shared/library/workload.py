"""What an operator asks about an organization. For owners and admins."""

from shared.access import reading, require_admin
from shared.domain.scope import Identity
from shared.domain.workload import CostReport, StuckRun, WorkloadStatus
from shared.runtime import Runtime
from shared.store import workload


def get_status(runtime: Runtime, identity: Identity) -> WorkloadStatus:
    """How many ingestions are under way or ended within a day, by state. Raises Forbidden for editors and viewers."""
    require_admin(identity)
    with reading(runtime, identity) as connection:
        return workload.count_states(connection)


def get_costs(runtime: Runtime, identity: Identity, days: int) -> CostReport:
    """What models cost in the last `days` days. Raises Forbidden as `get_status`."""
    require_admin(identity)
    with reading(runtime, identity) as connection:
        lines = workload.sum_costs(connection, days)
    return CostReport(days=days, usd=sum(line.usd for line in lines), lines=lines)


def get_stuck(runtime: Runtime, identity: Identity, minutes: int) -> list[StuckRun]:
    """Runs under way for longer than `minutes`, and what failed. Raises Forbidden as `get_status`."""
    require_admin(identity)
    with reading(runtime, identity) as connection:
        return workload.stuck_runs(connection, minutes * 60.0)
