"""Starting an ingestion on one machine: the runner polls the `ingestions` table, so there is nothing to send."""

from collections.abc import Mapping
from typing import Any


class PolledWorkflow:
    """The row is the message."""

    leases = True

    def start(self, event: Mapping[str, Any]) -> None:
        pass
