"""Which model answers: shown to owners and admins, tried and chosen by the owner of one machine."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from typing import Final

from shared.access import require_admin, require_owner
from shared.domain.chat import ChatReply, ChatRequest, ChatTurn, ToolSpec
from shared.domain.model_choice import ModelState, ModelWish, Told, TriedModel
from shared.domain.scope import Identity
from shared.errors import AutriError, BadInput
from shared.plans.calling import call_model
from shared.ports import Answerer
from shared.runtime import Runtime
from shared.store.audit import note

WAIT_S: Final = 30.0
# API Gateway waits 30 s for the whole answer.
WAIT_FOR_ALL_S: Final = 20.0
AT_ONCE: Final = 4
COUNTED: Final = ToolSpec(
    "count",
    "The numbers that were asked for, in words.",
    {
        "type": "object",
        "properties": {"numbers": {"type": "array", "items": {"type": "string"}}},
        "required": ["numbers"],
        "additionalProperties": False,
    },
)
ASKED: Final = ChatRequest(
    "Answer with the object that is asked for.", (ChatTurn("user", "Count from one to five."),), output=COUNTED,
    max_tokens=512,
)  # fmt: skip
CALLING: Final = ChatRequest(
    "Call the tool `count`, and write nothing.", (ChatTurn("user", "Count from one to three."),), tools=(COUNTED,),
    max_tokens=512,
)  # fmt: skip


def get_model(runtime: Runtime, identity: Identity) -> ModelState:
    """Raises Forbidden below admin."""
    require_admin(identity)
    return runtime.models.state()


def choose_model(runtime: Runtime, identity: Identity, wish: ModelWish) -> ModelState:
    """Answers with this model from the next question on. Raises Forbidden for anybody but the owner, Conflict where
    the environment decides, BadInput for a model that cannot be called as it is named."""
    require_owner(identity)
    runtime.models.choose(wish)
    return _changed(runtime, identity, wish.name)


def forget_model(runtime: Runtime, identity: Identity) -> ModelState:
    """Answers by quotations again, and forgets the key. Raises Forbidden and Conflict as above."""
    require_owner(identity)
    runtime.models.forget()
    return _changed(runtime, identity, "")


def _changed(runtime: Runtime, identity: Identity, name: str) -> ModelState:
    runtime.forget_answerer()
    with runtime.database.transaction(identity.scope()) as connection:
        note(connection, identity, "model.choose", None, None, model=name)
    return runtime.models.state()


def try_model(runtime: Runtime, identity: Identity, wish: ModelWish | None) -> TriedModel:
    """Calls the model of a wish, else the one in force, within the day's budget; what goes wrong is in the answer.
    Raises Forbidden."""
    require_owner(identity)
    name = wish.name if wish else "the model in force"
    return _try(runtime, identity, partial(_usual, runtime, wish), name, time.monotonic() + WAIT_S)


def check_models(runtime: Runtime, identity: Identity) -> list[TriedModel]:
    """Calls the model in force and each further one, side by side, within the day's budget; what goes wrong is in the
    answer. Empty where quotations answer alone. Raises Forbidden."""
    require_owner(identity)
    state = runtime.models.state()
    loads = list[tuple[str, Callable[[], Answerer]]]()
    if state.model:
        loads.append((f"{state.service}:{state.model}", partial(_usual, runtime, None)))
    try:
        loads += [(one.name, partial(_itself, one)) for one in runtime.further_answerers]
    except AutriError as error:
        lacking = TriedModel(ok=False, name=", ".join(state.further), took_ms=0, problem=str(error))
    else:
        lacking = None
    deadline = time.monotonic() + WAIT_FOR_ALL_S
    with ThreadPoolExecutor(AT_ONCE, thread_name_prefix="model") as pool:
        begun = [pool.submit(copy_context().run, _try, runtime, identity, load, name, deadline) for name, load in loads]
        return [*(one.result() for one in begun), *([lacking] if lacking else [])]


def _usual(runtime: Runtime, wish: ModelWish | None) -> Answerer:
    answerer = runtime.models.load(wish)
    if answerer is None:
        raise BadInput("No model is set: questions are answered by quotations. Choose one first.")
    return answerer


def _itself(answerer: Answerer) -> Answerer:
    return answerer


def _try(runtime: Runtime, identity: Identity, load: Callable[[], Answerer], name: str, deadline: float) -> TriedModel:
    started = time.monotonic()
    try:
        return _tried(runtime, identity, load(), started, deadline)
    except AutriError as error:
        return TriedModel(ok=False, name=name, took_ms=_since(started), problem=str(error))


def _tried(runtime: Runtime, identity: Identity, answerer: Answerer, started: float, deadline: float) -> TriedModel:
    parts = list[str]()
    first, _ = call_model(runtime, identity, answerer, ASKED, deadline, parts.append)
    took = _since(started)
    called, usd = _call_tool(runtime, identity, answerer, deadline)
    return TriedModel(
        ok=True,
        name=answerer.name,
        took_ms=took,
        usd=first.usd + usd,
        price_known=answerer.price is not None,
        json_schema="yes" if answerer.capabilities.json_schema and _is_counted(first) else "no",
        tools=called,
        streaming="yes" if len([*filter(None, parts)]) > 1 else "no",
    )


def _call_tool(runtime: Runtime, identity: Identity, answerer: Answerer, deadline: float) -> tuple[Told, float]:
    """Whether it calls a tool, and what asking has cost."""
    try:
        reply, _ = call_model(runtime, identity, answerer, CALLING, deadline)
    except BadInput:
        return "no", 0.0
    except AutriError:
        return "unknown", 0.0
    return ("yes" if reply.calls else "no"), reply.usd


def _is_counted(reply: ChatReply) -> bool:
    return '"numbers"' in reply.text


def _since(started: float) -> int:
    return round(1000 * (time.monotonic() - started))
