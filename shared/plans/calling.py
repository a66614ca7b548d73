"""One call of a model that answers, within the organization's budget, to which it is counted also where it is broken
off."""

import json
import time
from typing import Any, Final

from shared.domain.chat import ChatReply, ChatRequest, ChatTurn
from shared.domain.listening import HungUp, listening
from shared.domain.model_calls import Price, Usage
from shared.domain.scope import Identity
from shared.plans.quota import check_model_budget
from shared.ports import Answerer, Heard, unheard
from shared.runtime import Runtime
from shared.store.plans import spend

STAGE: Final = "answer"
CHARACTERS: Final = 4


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
    started, parts = time.monotonic(), list[str]()

    def hear(part: str) -> None:
        parts.append(part)
        heard(part)

    def count(usd: float) -> float:
        seconds = time.monotonic() - started
        with runtime.database.transaction(identity.scope()) as connection:
            spend(connection, identity.organization_id, STAGE, model.name, usd, seconds)
        return seconds

    listening().check()
    try:
        reply = model.chat(request, deadline, hear)
    except BaseException as error:
        # A reply that has begun costs, also one without a word so far; whoever hangs up while the model still reads has
        # been charged for what it read.
        if parts or isinstance(error, HungUp):
            count(estimated_usd(model.price, request, "".join(parts)))
        raise
    seconds = count(reply.usd)
    used = {**reply.usage.model_dump(), "usd": reply.usd, "seconds": round(seconds, 3), "stop": reply.stop}
    return reply, used


def estimated_usd(price: Price | None, request: ChatRequest, said: str) -> float:
    """What a reply has cost that broke off before the service told its tokens: a token is taken for four characters,
    as the services' own guides say of English."""
    if price is None:
        return 0.0
    tools = sum(len(json.dumps(tool.parameters)) for tool in (*request.tools, *filter(None, [request.output])))
    asked = len(request.system) + tools + sum(turn_characters(turn) for turn in request.turns)
    return price.usd(Usage(input_tokens=asked // CHARACTERS, output_tokens=len(said) // CHARACTERS))


def turn_characters(turn: ChatTurn) -> int:
    """The length of a turn's text, with its calls and results; pictures are not counted."""
    return len(turn.text) + sum(len(call.raw) for call in turn.calls) + sum(len(one.text) for one in turn.results)
