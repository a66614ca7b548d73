"""Whether each part of a deployment answers: what an operator looks at first when something is wrong."""

from collections.abc import Callable
from functools import partial
from time import monotonic, perf_counter
from weakref import WeakKeyDictionary

from shared.access import reading, require_admin
from shared.domain.scope import Identity
from shared.domain.workload import DeepHealth, HealthCheck
from shared.errors import AutriError, Unavailable
from shared.ports import Embedder
from shared.runtime import Runtime
from shared.store import health
from shared.store.admission import runs_in_slots
from shared.store.migrate import load_migrations

# Nothing is stored there: asked for, a store that answers says no.
NOWHERE = "work/health"
# A run that waits for a slot that is free is taken up within ten minutes (docs/decisions/0032).
WAITS_S = 900.0
SOME_TEXT = "health"
# Whoever asks often pays for one call in this time, in each process.
MODEL_EVERY_S = 60.0
_model_checks: WeakKeyDictionary[Embedder, tuple[float, HealthCheck]] = WeakKeyDictionary()


def check_parts(runtime: Runtime, identity: Identity, version: str) -> DeepHealth:
    """Asks every part; one that does not answer is said, not raised. The embedder is called with one word at most once
    in MODEL_EVERY_S, and what it did then is said again until then. Raises Forbidden for editors and viewers."""
    require_admin(identity)
    parts: dict[str, Callable[[], object]] = {
        "database": runtime.database.check,
        "schema": partial(_check_schema, runtime),
        "indexes": partial(_check_indexes, runtime),
        "store": lambda: runtime.blobs.exists(NOWHERE),
        "queue": partial(_check_queue, runtime, identity),
    }
    checks = [*(_check(name, ask) for name, ask in parts.items()), _check_model(runtime.embedder)]
    return DeepHealth(status="ok" if all(c.ok for c in checks) else "degraded", version=version, checks=checks)


def _check_schema(runtime: Runtime) -> None:
    """A newer schema is no fault: an older version serves on it after a roll-back."""
    with runtime.database.unscoped() as connection:
        applied = health.applied_migrations(connection)
    missing = sorted({migration.name for migration in load_migrations()} - applied)
    if missing:
        raise Unavailable(f"Not applied: {', '.join(missing)}. Deploy again, or run `autri migrate`.")


def _check_indexes(runtime: Runtime) -> None:
    with runtime.database.unscoped() as connection:
        broken = health.invalid_indexes(connection)
    if broken:
        raise Unavailable(
            f"{len(broken)} vector indexes are half made, and not used. `autri maintain` makes them anew."
        )


def _check_queue(runtime: Runtime, identity: Identity) -> None:
    """The state machine answers, and nothing waits while slots are free."""
    if not runtime.workflow.leases:
        runtime.workflow.idle(0.0)
    with runtime.database.unscoped() as connection:
        taken = runs_in_slots(connection, 0.0)
    with reading(runtime, identity) as connection:
        waiting = health.count_waiting(connection)
    waits = (waiting.oldest_seconds or 0.0) > WAITS_S
    if waits and not taken and not waiting.running:
        minutes = round((waiting.oldest_seconds or 0.0) / 60)
        raise Unavailable(f"A file has waited for {minutes} min, and nothing runs. Invoke `admit` (docs/deploy.md).")


def _check_model(embedder: Embedder) -> HealthCheck:
    asked_at, known = _model_checks.get(embedder, (0.0, None))
    now = monotonic()
    if known is None or now - asked_at >= MODEL_EVERY_S:
        known = _check("model", lambda: embedder.embed_query(SOME_TEXT))
        _model_checks[embedder] = (now, known)
    return known


def _check(name: str, ask: Callable[[], object]) -> HealthCheck:
    started, error = perf_counter(), None
    try:
        ask()
    except AutriError as failure:
        error = str(failure)
    except Exception as failure:  # noqa: BLE001 whatever the part met is the answer
        error = type(failure).__name__
    milliseconds = round(1000 * (perf_counter() - started), 1)
    return HealthCheck(name=name, ok=error is None, milliseconds=milliseconds, error=error)
