"""One call of a model that answers, within the organization's budget, to which it is counted whatever comes of it."""

import time
from typing import Any, Final

from shared.domain.chat import ChatReply, ChatRequest
from shared.domain.scope import Identity
from shared.plans.quota import check_model_budget
from shared.ports import Answerer, Heard, unheard
from shared.runtime import Runtime
from shared.store.plans import spend

STAGE: Final = "answer"


def call_model(
    runtime: Runtime,
    identity: Identity,
    model: Answerer,
    request: ChatRequest,
    deadline: float,
    heard: Heard = unheard,
) -> tuple[ChatReply, dict[str, Any]]:
    """The reply, and what the call used, for the trace. Raises BudgetSpent, and what `Answerer.chat` does."""
    with runtime.database.transaction(identity.scope()) as connection:
        check_model_budget(connection, runtime.limits)
    started = time.monotonic()
    reply = model.chat(request, deadline, heard)
    seconds = time.monotonic() - started
    with runtime.database.transaction(identity.scope()) as connection:
        spend(connection, identity.organization_id, STAGE, model.name, reply.usd, seconds)
    used = {**reply.usage.model_dump(), "usd": reply.usd, "seconds": round(seconds, 3), "stop": reply.stop}
    return reply, used
