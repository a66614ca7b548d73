"""The table of models (`models.toml`), read and checked."""

import re
import tomllib
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field

from shared.domain.model_calls import Price
from shared.errors import BadInput

TABLE: Final = Path(__file__).with_name("models.toml")
_PROFILE: Final = re.compile(r"^(?:(?P<place>[a-z]{2,6})\.)?(?P<model>[a-z0-9-]+\..+)$")
GLOBAL: Final = "global"


class Model(BaseModel):
    """A model as deployed: its id in requests, what they may hold, and its price there."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    end_of_life: date
    cache_from_tokens: int = Field(ge=0)
    max_output_tokens: int = Field(ge=1)
    strict: bool
    temperature: float | None = None
    request_fields: dict[str, Any] = {}
    price: Price


@cache
def find_model(model_id: str) -> Model:
    """The model of a plain id or of an inference profile (`eu.…`, `global.…`); raises BadInput when it has no entry."""
    table = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    matched = _PROFILE.match(model_id)
    place, name = (matched["place"], matched["model"]) if matched else (None, model_id)
    entry = table["models"].get(name)
    if entry is None:
        raise BadInput(
            f"The model {model_id!r} has no entry in {TABLE.name}, so neither its limits nor its price are known."
            f" Use one of {', '.join(sorted(table['models']))}, or add it there with its price."
        )
    model = Model.model_validate({"id": model_id, **entry})
    if place in (None, GLOBAL):
        return model
    return model.model_copy(update={"price": model.price.times(float(table["geographic"]))})


def rerank_price(model_id: str) -> float:
    """US dollars per call; raises BadInput when the reranker has no entry."""
    return _price("rerankers", model_id)["usd_per_call"]


def embedding_price(model_id: str) -> Price:
    """Of a model or an inference profile of it; raises BadInput when it has no entry."""
    matched = _PROFILE.match(model_id)
    name = matched["model"] if matched else model_id
    return Price(input=_price("embedders", name)["usd_per_million"], cache_read=0, cache_write=0, output=0)


def _price(kind: str, name: str) -> dict[str, float]:
    table: dict[str, dict[str, float]] = tomllib.loads(TABLE.read_text(encoding="utf-8"))[kind]
    if name not in table:
        raise BadInput(f"{name!r} has no entry in {TABLE.name}. Use one of {', '.join(sorted(table))}.")
    return table[name]
