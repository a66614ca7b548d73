"""What ends in a request, and not in a run that the state machine tells of, has webhooks told of it at once."""

import logging
from collections.abc import Generator
from contextlib import contextmanager
from uuid import UUID

from shared.domain.scope import Identity
from shared.runtime import Runtime
from shared.store.webhooks import is_due_here

logger = logging.getLogger("autri.told")


@contextmanager
def telling(runtime: Runtime, identity: Identity, knowledge_base_id: UUID) -> Generator[None]:
    """Behind what happens within, well or not: nothing where this process looks for what is due by itself. It has
    happened, so that what fails here is not raised."""
    try:
        yield
    finally:
        if runtime.wake_sending is not None and _is_due(runtime, identity, knowledge_base_id):
            runtime.tell_webhooks()


def _is_due(runtime: Runtime, identity: Identity, knowledge_base_id: UUID) -> bool:
    try:
        with runtime.database.transaction(identity.scope(knowledge_base_id)) as connection:
            return is_due_here(connection, knowledge_base_id)
    except Exception as error:  # noqa: BLE001 whatever the database meets: then it is asked for in vain at most
        logger.warning("what webhooks are told was not looked at: %s", type(error).__name__)
        return True
