"""What people and programs declare by hand: a name that does not exist is answered with those that do."""

from collections.abc import Mapping
from typing import Any, cast

from pydantic import BaseModel, ConfigDict, model_validator
from pydantic_core import PydanticCustomError


class Closed(BaseModel):
    """Refuses names that it does not have, and says which there are."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _names_exist(cls, given: Any) -> Any:
        if isinstance(given, Mapping):
            names = cast("Mapping[Any, Any]", given)
            if unknown := [str(name)[:60] for name in names if name not in cls.model_fields]:
                raise PydanticCustomError(
                    "unknown_name", "there is no `{unknown}` here; there are {known}",
                    {"unknown": "`, `".join(unknown[:3]), "known": ", ".join(cls.model_fields)},
                )  # fmt: skip
        return given
