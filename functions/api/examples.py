"""One example of each operation, for the API's document: what real calls were asked and answered.

`examples.json` is recorded by `make examples` (clients/record.py). An entry has `path` and `query` (values of
parameters), `body`, `status` and `answer`, as far as the operation has them.
"""

import json
from functools import cache
from pathlib import Path
from typing import Any

EXAMPLES = Path(__file__).parent / "examples.json"
TYPES = ("application/json", "text/csv")


@cache
def examples() -> dict[str, dict[str, Any]]:
    """By `METHOD /path`, with the names of parameters in braces."""
    return json.loads(EXAMPLES.read_bytes())


def add_examples(address: str, operation: dict[str, Any]) -> None:
    """Writes the example of the operation at `METHOD /path` into its description."""
    example = examples().get(address)
    if example is None:
        return
    given: dict[str, Any] = example.get("path", {}) | example.get("query", {})
    for parameter in operation.get("parameters", ()):
        if parameter["name"] in given:
            parameter["example"] = given[parameter["name"]]
    if "body" in example:
        operation["requestBody"]["content"]["application/json"]["example"] = example["body"]
    content = operation["responses"][str(example["status"])].get("content", {})
    for media in TYPES:
        if media in content and "answer" in example:
            content[media]["example"] = example["answer"]
