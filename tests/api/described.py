"""What operations answer is what the OpenAPI document says that they may."""

import re
from functools import cache

import httpx
from fastapi import FastAPI

from tests.api.attempts import PATH_PARAMETER, operations

_KNOWN: dict[bool, dict[str, list[tuple[re.Pattern[str], str, set[str]]]]] = {}


@cache
def _pattern(template: str) -> re.Pattern[str]:
    return re.compile(PATH_PARAMETER.sub("[^/]+", template))


def check_described(app: FastAPI, method: str, path: str, answer: httpx.Response) -> None:
    """Fails for a status that the document of `app` does not list for the operation; other addresses pass."""
    local: bool = app.state.local
    if local not in _KNOWN:
        table = _KNOWN.setdefault(local, {})
        for verb, template, operation in operations(app.openapi()):
            table.setdefault(verb, []).append((_pattern(template), template, set(operation["responses"])))
        for found in table.values():
            found.sort(key=lambda row: row[1].count("{"))
    bare = path.partition("?")[0]
    said = next((row for row in _KNOWN[local].get(method, ()) if row[0].fullmatch(bare)), None)
    if said is not None:
        assert str(answer.status_code) in said[2], (method, said[1], answer.status_code, answer.text)
