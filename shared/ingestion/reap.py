"""Ends runs that no process will end any more, with a reason, so that `reingest` can start another."""

from shared.contract import RUN_LIMIT_S
from shared.domain.scope import Scope
from shared.ingestion import mark_failed
from shared.runtime import Runtime
from shared.store import ingestions

# The state machine ends a run at its time limit and reports it; this is for runs whose report was lost.
GRACE_S = 600
LOST = f"The run did not end within {RUN_LIMIT_S // 86400} days and nothing is heard of it"


def end_lost_runs(runtime: Runtime, organization: Scope) -> int:
    """Ends runs without a lease that began too long ago; returns how many. Leased runs are taken over or ended by the
    runners."""
    if runtime.workflow.leases:
        return 0
    with runtime.database.transaction(organization) as connection:
        lost = ingestions.lost_runs(connection, RUN_LIMIT_S + GRACE_S)
    for ingestion_id, base in lost:
        ids = {"organization_id": organization.organization_id, "knowledge_base_id": base, "ingestion_id": ingestion_id}
        mark_failed.run(runtime, {**ids, "error": {"Cause": LOST}})
    if lost:
        runtime.tell_webhooks()
    return len(lost)
