"""Arguments of tools that cannot be used as they are, in words that a model can act on."""

import json
from typing import Any

from pydantic import ValidationError

from shared.errors import BadInput


def check_storable(arguments: Any) -> None:
    """Raises BadInput where a text in the arguments holds what neither UTF-8 nor Postgres can."""
    written = json.dumps(arguments, ensure_ascii=False, default=str)
    if "\\u0000" in written or any("\ud800" <= c <= "\udfff" for c in written):
        raise BadInput("The call holds a NUL character or a lone surrogate, which cannot be searched. Leave it out.")


def unfit(error: ValidationError) -> str:
    """What is wrong with which argument."""
    wrong = "; ".join(f"{'.'.join(map(str, one['loc'])) or 'arguments'}: {one['msg']}" for one in error.errors())
    return f"These arguments do not fit the tool: {wrong}. Call it again with others."
