"""Which run is next: slots shared fairly among organizations, and whose a knowledge base is."""

from dataclasses import dataclass
from uuid import UUID

from shared.domain.scope import Scope
from shared.store.connect import Connection
from shared.store.named_queries import load_queries

_SQL = load_queries("admission")


@dataclass(frozen=True)
class Slots:
    """How many runs may be under way at once: of all organizations, and of one."""

    total: int
    per_organization: int


@dataclass(frozen=True)
class Admitted:
    """A run that has a slot; with `document_id` a further run of that document."""

    organization_id: UUID
    knowledge_base_id: UUID
    ingestion_id: UUID
    document_id: UUID | None = None
    source_key: str = ""

    @property
    def scope(self) -> Scope:
        return Scope(organization_id=self.organization_id, knowledge_base_ids=(self.knowledge_base_id,))


def admit(connection: Connection, slots: Slots) -> Admitted | None:
    """Gives the next run a slot; None while none is free or nothing waits.

    Until the transaction ends nobody else is admitted, and where it is rolled back the run waits as before.
    """
    row = connection.execute(_SQL["admit"], {"total": slots.total, "share": slots.per_organization}).fetchone()
    return Admitted(**row) if row else None


def runs_in_slots(connection: Connection, age_s: float) -> list[Admitted]:
    """The runs that have a slot for longer than `age_s` seconds, oldest first."""
    return [Admitted(**row) for row in connection.execute(_SQL["in_slots"], {"seconds": age_s})]


def organization_of(connection: Connection, knowledge_base_id: UUID) -> UUID | None:
    """The organization that the knowledge base belongs to; None where there is no such knowledge base."""
    row = connection.execute(_SQL["organization_of"], {"id": knowledge_base_id}).fetchone()
    return row["id"] if row else None
