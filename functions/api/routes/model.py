"""The model that answers: which one it is, and on one machine the choice of another."""

from functions.api.caller import Admin, Owner
from functions.api.pagination import PageOf
from functions.api.routing import v1_router
from shared.domain.model_choice import ModelState, ModelWish, TriedModel
from shared.library import model

router = v1_router("model", "/model")
local = v1_router("model", "/model")


@router.get("")
def get_model(caller: Admin) -> ModelState:
    """Which model answers, who decided it, and by which embedder and extraction model the others work. Nothing is
    called, and no key is told."""
    return model.get_model(caller.runtime, caller.identity)


@router.post("/check")
def check_models(caller: Owner) -> PageOf[TriedModel]:
    """Call the model in force and each further one, side by side. Those that do not answer, or that this deployment may
    not call, say why and what to do. What it costs counts towards the day's budget."""
    return PageOf(items=model.check_models(caller.runtime, caller.identity), next_cursor=None)


@local.put("")
def choose_model(caller: Owner, body: ModelWish) -> ModelState:
    """Answer with this model from the next question on. 409 where the environment decides. Its key is sealed on this
    machine and given out to nobody; without one, that which is kept for the same address stays."""
    return model.choose_model(caller.runtime, caller.identity, body)


@local.post("/test")
def try_model(caller: Owner, body: ModelWish | None = None) -> TriedModel:
    """Call a model before it is chosen, or without a body the one in force: once for an object by its schema, once for
    a tool. What goes wrong is in the answer, with what to do."""
    return model.try_model(caller.runtime, caller.identity, body)


@local.delete("")
def forget_model(caller: Owner) -> ModelState:
    """Answer by quotations again, and forget the model and its key."""
    return model.forget_model(caller.runtime, caller.identity)
