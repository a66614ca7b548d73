"""The list of maintenance tasks: run by `autri maintain`, by the local server, and by a schedule on AWS.

A task is a function of a MaintenanceRun that does what is due and returns what it did, as JSON. It may be interrupted
at any time and run again. A task is added by a line in `TASKS`. Tasks that read tenants' rows do so as the application
role within that organization's scope; the owner's connection is for indexes alone.
"""

import logging
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from itertools import groupby
from typing import Any, Final, NamedTuple

from shared.archive.erasing import start_idle
from shared.archive.import_jobs import end_stopped
from shared.digest.updates import keep_digest
from shared.digest.written import write_summaries
from shared.domain.scope import Scope
from shared.ingestion import backfill, reap
from shared.ingestion.web.watch import look_at_due
from shared.lexical import index as lexical
from shared.library import embedder_change, retention, storage
from shared.runtime import Runtime
from shared.store import plans, webhooks
from shared.store.audit import forget_audit
from shared.store.maintenance import JOB_LOCK, list_bases, locked
from shared.store.traces import forget_traces
from shared.vectors.indexes import keep_vector_indexes

logger = logging.getLogger("autri.maintenance")
# Below the fifteen minutes of a Lambda function, with time left for the statement under way.
SECONDS: Final = 600.0
SWEEP_S: Final = 180.0
# How long after the deadline a task still looks for a knowledge base in which something is due.
GRACE_S: Final = 60.0


class Pace(NamedTuple):
    """The size of a unit of work, and what happens between units: `rest` gets the seconds that the unit took, and
    returns whether to stop."""

    texts: int = embedder_change.BATCH
    documents: int = lexical.DOCUMENTS_FOLLOWING
    rest: Callable[[float], bool] = lambda _: False


FULL_PACE: Final = Pace()


@dataclass
class MaintenanceRun:
    """The resources of tasks. `deadline` is a time of `time.monotonic` after which nothing new is begun; a task that
    leaves work for the next run sets `more`."""

    runtime: Runtime
    owner_dsn: str
    deadline: float
    pace: Pace
    more: bool = False

    def sleep(self, seconds: float) -> bool:
        """Whether to stop, after that time at most."""
        stop = self.pace.rest(0)
        time.sleep(0 if stop else seconds)
        return stop

    def organizations(self) -> Iterator[Scope]:
        """Every organization, with all of its knowledge bases."""
        for organization, rows in groupby(list_bases(self.owner_dsn), key=lambda row: row["organization_id"]):
            bases = tuple(row["knowledge_base_id"] for row in rows if row["knowledge_base_id"])
            yield Scope(organization_id=organization, knowledge_base_ids=bases)

    def knowledge_bases(self, *, changing: bool = False) -> Iterator[Scope]:
        """A scope per knowledge base; with `changing`, only those whose embedder is being changed. In no order, so that
        those before which one run's time ends are reached in another."""
        rows = list(list_bases(self.owner_dsn))
        for row in random.sample(rows, len(rows)):
            if row["knowledge_base_id"] and (row["embedder_target"] or not changing):
                bases = (row["knowledge_base_id"],)
                yield Scope(organization_id=row["organization_id"], knowledge_base_ids=bases)

    def work_through(self, scopes: Iterator[Scope], unit: Callable[[Scope], int]) -> int:
        """Repeats a unit of work in each scope until it returns 0, or until the time is over; returns the sum.

        Of one knowledge base at least a unit is done per call where it is due, so that other tasks cannot keep a task
        from ever finishing; those that find nothing due are no work, until `GRACE_S` after the deadline. What a unit
        raises ends the work in its scope alone, and the first of it is raised when the others are done.
        """
        total, over, failures = 0, False, list[Exception]()
        for at, scope in enumerate(scopes):
            started = time.monotonic()
            if at and started >= self.deadline + GRACE_S:
                self.more = True
                break
            try:
                while done := unit(scope):
                    total += done
                    stop = self.pace.rest(time.monotonic() - started)
                    started = time.monotonic()
                    if over := stop or started >= self.deadline:
                        self.more = True
                        break
            except Exception as failure:  # noqa: BLE001 one tenant's fault stops no other's work, whatever it is
                logger.warning("maintenance: knowledge base %s: %s", scope.knowledge_base_ids[0], _told(failure))
                failures.append(failure)
            if over:
                break
        if failures:
            raise failures[0]
        return total


Task = Callable[[MaintenanceRun], Any]


def embed_for_changes(run: MaintenanceRun) -> int:
    def embed(scope: Scope) -> int:
        return embedder_change.backfill(run.runtime, scope, run.pace.texts)

    return run.work_through(run.knowledge_bases(changing=True), embed)


def keep_indexes(run: MaintenanceRun) -> dict[str, Any]:
    return keep_vector_indexes(run.owner_dsn)


def switch_embedders(run: MaintenanceRun) -> int:
    """Runs after the index task, so that a large knowledge base is switched to vectors that have an index."""
    return sum(embedder_change.finish_change(run.runtime, s) for s in list(run.knowledge_bases(changing=True)))


def forget_former_vectors(run: MaintenanceRun) -> int:
    def forget(scope: Scope) -> int:
        return embedder_change.forget_former_vectors(run.runtime, scope)

    return run.work_through(run.knowledge_bases(), forget)


def index_text_anew(run: MaintenanceRun) -> int:
    def index(scope: Scope) -> int:
        with run.runtime.database.transaction(scope) as connection:
            return lexical.reindex_stale(connection, scope.knowledge_base_ids[0], run.pace.documents)

    return run.work_through(run.knowledge_bases(), index)


def read_declared(run: MaintenanceRun) -> int:
    """What a new version of a schema declares, in documents that are there; returns how many chunks were looked at."""

    def fill(scope: Scope) -> int:
        return backfill.fill_next(run.runtime, scope)

    return run.work_through(run.knowledge_bases(), fill)


def keep_digests(run: MaintenanceRun) -> int:
    """What digests say follows their sources; returns how many files changed."""

    def keep(scope: Scope) -> int:
        done = keep_digest(run.runtime, scope)
        return 0 if done is None else len(done.added) + len(done.changed) + len(done.removed) + done.more

    return run.work_through(run.knowledge_bases(), keep)


def write_digests(run: MaintenanceRun) -> int:
    """Summaries that a model was wanted to write; runs last, since a model takes its time."""

    def write(scope: Scope) -> int:
        return write_summaries(run.runtime, scope)

    return run.work_through(run.knowledge_bases(), write)


def forget_old_traces(run: MaintenanceRun) -> int:
    def forget(scope: Scope) -> int:
        with run.runtime.database.transaction(scope) as connection:
            return forget_traces(connection)

    return sum(map(forget, run.organizations()))


def forget_old_audit(run: MaintenanceRun) -> int:
    def forget(scope: Scope) -> int:
        with run.runtime.database.transaction(scope) as connection:
            return forget_audit(connection)

    return sum(map(forget, run.organizations()))


def forget_full_buckets(run: MaintenanceRun) -> int:
    """Whose key was revoked asks no more, and would leave its bucket for ever."""

    def forget(scope: Scope) -> int:
        with run.runtime.database.transaction(scope) as connection:
            return plans.forget_full_buckets(connection)

    return sum(map(forget, run.organizations()))


def forget_old_deliveries(run: MaintenanceRun) -> int:
    """What webhooks were told, and what was given up. Nothing is sent from here, where one receiver would keep all
    other tasks waiting."""

    def forget(scope: Scope) -> int:
        with run.runtime.database.transaction(scope) as connection:
            return webhooks.forget_deliveries(connection)

    return sum(map(forget, run.organizations()))


def forget_abandoned_uploads(run: MaintenanceRun) -> int:
    return sum(retention.forget_abandoned_uploads(run.runtime, scope) for scope in run.organizations())


def end_untaken_uploads(run: MaintenanceRun) -> int:
    return sum(retention.end_untaken_uploads(run.runtime, scope) for scope in run.organizations())


def end_lost_runs(run: MaintenanceRun) -> int:
    return sum(reap.end_lost_runs(run.runtime, scope) for scope in run.organizations())


def look_at_sites(run: MaintenanceRun) -> int:
    """Sites that are watched: a page after the other, with the pauses that the sites ask for."""

    def pause(seconds: float) -> bool:
        if time.monotonic() + seconds >= run.deadline:
            run.more = True
            return True
        return run.sleep(seconds)

    return sum(look_at_due(run.runtime, scope, pause) for scope in run.organizations())


def resume_erasures(run: MaintenanceRun) -> int:
    """Deletions whose run was stopped, or whose start was not heard of."""
    return start_idle(run.runtime, run.owner_dsn)


def end_stopped_archives(run: MaintenanceRun) -> int:
    """Exports and imports whose runs were stopped for good."""
    return sum(end_stopped(run.runtime, scope) for scope in run.organizations())


def sweep_storage(run: MaintenanceRun) -> dict[str, Any]:
    """Runs last, with a time limit of its own, as it reads the whole list of objects.

    It begins with a random knowledge base, so that those for which one day's time does not suffice come first on
    another. Objects of organizations that do not exist are left to a person: the database may be newer or older than
    the files.
    """
    organizations = list(run.organizations())
    owners = storage.owners_of(organizations)
    first = random.choice(sorted(owners)) if owners else None  # noqa: S311 nobody gains by guessing it
    known = {str(organization.organization_id) for organization in organizations}
    deadline = time.monotonic() + SWEEP_S

    def stop() -> bool:
        return run.pace.rest(0) or time.monotonic() >= deadline

    found = storage.sweep(run.runtime, owners, remove=True, within=known, first=first, stop=stop)
    return {"orphans": len(found.orphans), "removed": found.removed, "complete": found.complete}


TASKS: Final[tuple[Task, ...]] = (
    embed_for_changes,
    keep_indexes,
    switch_embedders,
    forget_former_vectors,
    index_text_anew,
    read_declared,
    forget_old_traces,
    forget_old_audit,
    forget_full_buckets,
    forget_old_deliveries,
    forget_abandoned_uploads,
    end_untaken_uploads,
    end_lost_runs,
    end_stopped_archives,
    resume_erasures,
    keep_digests,
    look_at_sites,
    write_digests,
)
# Tasks whose cost depends on everything that is stored, not on what is due.
DAILY: Final[tuple[Task, ...]] = (sweep_storage,)


def maintain(
    runtime: Runtime, owner_dsn: str, seconds: float = SECONDS, pace: Pace = FULL_PACE, *, daily: bool = False
) -> dict[str, Any]:
    """Does what is due, with `daily` also what is due once a day.

    Returns `{busy, more, failed, tasks: [{task, seconds, result, error}]}`. `more`: time ran out, or an embedder's
    change is still under way, so run it again. A failing task does not stop the others.
    """
    with locked(owner_dsn, JOB_LOCK) as alone:
        if alone is None:
            return {"busy": True, "more": False, "failed": 0, "tasks": []}
        run = MaintenanceRun(runtime, owner_dsn, time.monotonic() + seconds, pace)
        done = [_run(task, run) for task in (*TASKS, *(DAILY if daily else ()))]
        more = run.more or any(True for _ in run.knowledge_bases(changing=True))
    return {"busy": False, "more": more, "failed": sum(one["error"] is not None for one in done), "tasks": done}


def look_at_storage(
    runtime: Runtime, owner_dsn: str, grace: timedelta, *, remove: bool = False
) -> storage.StorageReport:
    """Reports what is in the store, which of it no row refers to, and what rows miss, everywhere; with `remove` what no
    row refers to is deleted."""
    run = MaintenanceRun(runtime, owner_dsn, time.monotonic() + SECONDS, FULL_PACE)
    owners = storage.owners_of(run.organizations())
    report = storage.sweep(runtime, owners, remove=remove, grace=grace)
    report.missing = storage.find_missing(runtime, owners)
    return report


def _run(task: Task, run: MaintenanceRun) -> dict[str, Any]:
    name, started = getattr(task, "__name__", "task"), time.monotonic()
    result, error = None, None
    try:
        result = task(run)
    except Exception as failure:  # noqa: BLE001 a task that fails stops no other, whatever it met
        error = _told(failure)
        logger.warning("maintenance: %s failed: %s", name, error)
    return {"task": name, "seconds": round(time.monotonic() - started, 3), "result": result, "error": error}


def _told(failure: Exception) -> str:
    return f"{type(failure).__name__}: {failure}".strip()
