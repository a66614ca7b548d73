"""Updates of digests: asked for by somebody, or by themselves."""

from typing import Final
from uuid import UUID

from shared.access import changing
from shared.digest.updating import is_due, update_files
from shared.digest.written import write_summaries
from shared.domain.digest import DigestUpdate, UpdateWish
from shared.domain.scope import Identity, Scope
from shared.errors import BadInput
from shared.runtime import Runtime
from shared.store import digest_writes as rows
from shared.store.audit import note
from shared.store.connect import tried_again
from shared.store.planner import follow_growth

NO_MODEL: Final = "No model is set that could write: see Settings, Model, or `autri model set`. Leave `write` out."


def update_digest(runtime: Runtime, identity: Identity, knowledge_base_id: UUID, wish: UpdateWish) -> DigestUpdate:
    """Reads what has changed, at most so much as one transaction may: with `more`, call again. Then, where that is
    wanted, a model writes summaries. Raises NotFound, Forbidden for whoever may not write here, and BadInput where
    there is no model to write."""
    if wish.write and runtime.answerer is None:
        raise BadInput(NO_MODEL)
    done = _update(runtime, identity, knowledge_base_id, wish)
    written = 0 if done.more else write_summaries(runtime, identity.scope(knowledge_base_id))
    return done.model_copy(update={"written": written})


@tried_again
def _update(runtime: Runtime, identity: Identity, knowledge_base_id: UUID, wish: UpdateWish) -> DigestUpdate:
    with changing(runtime, identity, [knowledge_base_id]) as connection:
        if wish.write is not None:
            rows.lock_digest(connection, identity.organization_id, knowledge_base_id)
            rows.set_writes(connection, knowledge_base_id, writes=wish.write)
        done = update_files(connection, identity.organization_id, knowledge_base_id)
        told = {"files": len(done.added) + len(done.changed) + len(done.removed), "units": done.units}
        note(connection, identity, "digest.update", knowledge_base_id, knowledge_base_id, **told)
    follow_growth(runtime.database)
    return done


def follow_digest(runtime: Runtime, scope: Scope) -> int:
    """Whatever is due of the scope's one knowledge base, in as many transactions as it takes; returns how many files
    changed."""
    files = 0
    while done := keep_digest(runtime, scope):
        files += len(done.added) + len(done.changed) + len(done.removed)
        if not done.more:
            break
    return files


@tried_again
def keep_digest(runtime: Runtime, scope: Scope) -> DigestUpdate | None:
    """The same by itself, for the scope's one knowledge base; None where nothing has changed."""
    with runtime.database.transaction(scope) as connection:
        if not is_due(connection, scope.knowledge_base_ids[0]):
            return None
        done = update_files(connection, scope.organization_id, scope.knowledge_base_ids[0])
    follow_growth(runtime.database)
    return done
