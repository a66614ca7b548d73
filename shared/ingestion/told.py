"""What ends in a request, and not in a run that the state machine tells of, has webhooks told of it at once."""

from collections.abc import Generator
from contextlib import contextmanager
from uuid import UUID

from shared.domain.scope import Identity
from shared.runtime import Runtime
from shared.store.webhooks import is_due_here


@contextmanager
def telling(runtime: Runtime, identity: Identity, knowledge_base_id: UUID) -> Generator[None]:
    """Behind what happens within, well or not: nothing where this process looks for what is due by itself."""
    try:
        yield
    finally:
        if runtime.wake_sending is not None:
            with runtime.database.transaction(identity.scope(knowledge_base_id)) as connection:
                due = is_due_here(connection, knowledge_base_id)
            if due:
                runtime.wake_sending()
