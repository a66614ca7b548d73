"""What is left to read under the present version of a schema: looked at, stopped, taken up again."""

from uuid import UUID

from shared.access import changing, check_knowledge_base, reading
from shared.domain.attribute_schema import Backfill
from shared.domain.scope import Identity
from shared.errors import Conflict, NotFound
from shared.runtime import Runtime
from shared.store import attribute_schema as rows
from shared.store.audit import note
from shared.store.connect import Connection


def get_backfill(runtime: Runtime, identity: Identity, knowledge_base_id: UUID) -> Backfill | None:
    """The latest; None where no schema was ever declared. Raises NotFound."""
    with reading(runtime, identity) as connection:
        check_knowledge_base(connection, knowledge_base_id)
        return rows.find_backfill(connection, knowledge_base_id)


def cancel_backfill(runtime: Runtime, identity: Identity, knowledge_base_id: UUID) -> Backfill:
    """Stops it behind the document that it reads: what is read stays. Raises Conflict where none runs."""
    return _set(runtime, identity, knowledge_base_id, "cancelled", "running")


def resume_backfill(runtime: Runtime, identity: Identity, knowledge_base_id: UUID) -> Backfill:
    """Goes on with what is left. Raises Conflict where it was not stopped."""
    return _set(runtime, identity, knowledge_base_id, "running", "cancelled")


def _set(runtime: Runtime, identity: Identity, knowledge_base_id: UUID, status: str, former: str) -> Backfill:
    with changing(runtime, identity) as connection:
        check_knowledge_base(connection, knowledge_base_id)
        present = _find(connection, knowledge_base_id)
        if not rows.set_status(connection, knowledge_base_id, status, (former,)):
            raise Conflict(f"The backfill of version {present.version} is {present.status}, not {former}.")
        note(
            connection, identity, "schema.backfill", knowledge_base_id, knowledge_base_id,
            version=present.version, status=status,
        )  # fmt: skip
        return _find(connection, knowledge_base_id)


def _find(connection: Connection, knowledge_base_id: UUID) -> Backfill:
    found = rows.find_backfill(connection, knowledge_base_id)
    if found is None:
        raise NotFound("No schema was declared here, so that nothing had to be read for one.")
    return found
