"""Starting an ingestion on one machine: the runner polls the `ingestions` table, so there is nothing to send."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID


class PolledWorkflow:
    """The row is the message."""

    leases = True

    def start(self, event: Mapping[str, Any]) -> None:
        pass

    def end_of(self, ingestion_id: UUID) -> str | None:
        return None

    def idle(self, seconds: float) -> bool:
        return False
