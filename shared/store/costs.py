"""Rows of costs: the usage of each page's model calls."""

import logging
from typing import Any

from shared.domain.model_calls import Usage
from shared.store import plans
from shared.store.audit import note_model_call
from shared.store.connect import Connection
from shared.store.named_queries import load_queries

_SQL = load_queries("costs")
logger = logging.getLogger("autri.costs")


def record_call(connection: Connection, owner: dict[str, Any], model: str, usage: Usage, usd: float) -> None:
    """Adds one call to the cost row of its page, to its document, to its organization's day and to the audit log.

    `owner` has organization_id, knowledge_base_id, document_id, ingestion_id, stage and page. Logged as well: the alarm
    on the cost of models adds up the `usd` of these lines.
    """
    values = {**owner, "model": model, "usd": usd, **usage.model_dump()}
    connection.execute(_SQL["record"], values)
    connection.execute(_SQL["add_to_document"], values)
    plans.spend(connection, owner["organization_id"], owner["stage"], model, usd, 0.0)
    note_model_call(connection, owner, model, usage, usd)
    logger.info("model call", extra={**{name: str(value) for name, value in owner.items()}, "model": model, "usd": usd})
