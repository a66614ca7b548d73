"""The head of a stored note: lines of a name and a JSON value between `---`, which YAML reads too."""

import json
import re
from collections.abc import Mapping
from typing import Any, Final

FENCE: Final = "---"
_LINE: Final = re.compile(r"([a-z_]+): (.*)")


def with_head(head: Mapping[str, Any], text: str) -> str:
    """The stored form of a note; values that are None are left out."""
    lines = [f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in head.items() if value is not None]
    return "\n".join([FENCE, *lines, FENCE, text])


def divide(stored: str) -> tuple[dict[str, Any], int]:
    """The head, and the offset at which the text begins; ({}, 0) for a text without a head."""
    if not stored.startswith(f"{FENCE}\n"):
        return {}, 0
    at = len(FENCE) + 1
    head: dict[str, Any] = {}
    while (end := stored.find("\n", at)) >= 0:
        line = stored[at:end]
        at = end + 1
        if line == FENCE:
            return head, at
        found = _LINE.fullmatch(line)
        if found is None:
            return {}, 0
        head[found[1]] = json.loads(found[2])
    return {}, 0
