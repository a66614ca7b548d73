"""What may answer a question: quotations, and the models that are set up."""

from typing import Final

from shared.answering.threads.shapes import AnsweringModel
from shared.errors import BadInput
from shared.ports import Answerer
from shared.runtime import Runtime

QUOTATIONS: Final = "quotations"


def list_models(runtime: Runtime) -> list[AnsweringModel]:
    """The usual one first. Raises BadInput with what to set."""
    usual = _name(runtime.answerer)
    names = dict.fromkeys([usual, *(one.name for one in runtime.further_answerers), QUOTATIONS])
    return [AnsweringModel(name=name, usual=name == usual) for name in names]


def pick_model(runtime: Runtime, name: str | None) -> Answerer | None:
    """The one of that name; None: quotations. Raises BadInput for a name that is not listed."""
    if name is None:
        return runtime.answerer
    known = {_name(one): one for one in (None, *runtime.further_answerers, runtime.answerer)}
    if name not in known:
        raise BadInput(f"No model {name} is set up. These may answer: {', '.join(known)}.")
    return known[name]


def _name(model: Answerer | None) -> str:
    return QUOTATIONS if model is None else model.name
