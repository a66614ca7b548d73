"""What an operator asks about an organization, and whether the deployment's parts answer. For owners and admins."""

import time
from collections.abc import Callable

from shared.access import reading, require_admin
from shared.domain.scope import Identity
from shared.domain.workload import CostReport, DeepHealth, HealthCheck, StuckRun, WorkloadStatus
from shared.errors import AutriError
from shared.runtime import Runtime
from shared.store import workload

# Nothing is stored there: asked for, a store that answers says no.
NOWHERE = "work/health"


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


def check_parts(runtime: Runtime, version: str) -> DeepHealth:
    """Asks database and store; a part that does not answer is said, not raised. No model is called, as that costs."""
    checks = [_check("database", runtime.database.check), _check("store", lambda: runtime.blobs.exists(NOWHERE))]
    return DeepHealth(status="ok" if all(c.ok for c in checks) else "degraded", version=version, checks=checks)


def _check(name: str, ask: Callable[[], object]) -> HealthCheck:
    started, error = time.perf_counter(), None
    try:
        ask()
    except AutriError as failure:
        error = str(failure)
    except Exception as failure:  # noqa: BLE001 whatever the part met is the answer
        error = type(failure).__name__
    milliseconds = round(1000 * (time.perf_counter() - started), 1)
    return HealthCheck(name=name, ok=error is None, milliseconds=milliseconds, error=error)
