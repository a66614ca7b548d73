"""Arguments of a tool's call as models write them."""

import json
from typing import Any


def read_arguments(raw: str) -> dict[str, Any] | None:
    """The arguments of a call; None where they are no JSON object. No text at all is the empty object."""
    try:
        found: Any = json.loads(raw or "{}")
    except ValueError:
        return None
    return found if isinstance(found, dict) else None
