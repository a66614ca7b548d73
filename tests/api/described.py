"""What operations answer is what the OpenAPI document says that they may."""

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from functions.api.app import create_app
from shared.runtime import Runtime
from tests.api.attempts import PATH_PARAMETER, operations
from tests.once import made_once

_KNOWN: dict[bool, dict[str, list[tuple[re.Pattern[str], str, set[str]]]]] = {}


def document_of(local: bool, runtime: Runtime) -> dict[str, Any]:
    """The OpenAPI document of the application as it is on one machine or on AWS: derived once per run, as that takes as
    long as hundreds of requests."""

    def derive(folder: Path) -> None:
        app = create_app(runtime, lambda _: pytest.fail("nobody is asked"), local=local)
        (folder / "openapi.json").write_text(json.dumps(app.openapi()), encoding="utf-8")

    made = made_once("openapi-local" if local else "openapi-cloud", derive)
    return json.loads((made / "openapi.json").read_text(encoding="utf-8"))


@cache
def _pattern(template: str) -> re.Pattern[str]:
    return re.compile(PATH_PARAMETER.sub("[^/]+", template))


def check_described(app: FastAPI, method: str, path: str, answer: httpx.Response) -> None:
    """Fails for a status that the document of such an application does not list for the operation; other addresses
    pass."""
    local: bool = app.state.local
    if local not in _KNOWN:
        table = _KNOWN.setdefault(local, {})
        for verb, template, operation in operations(document_of(local, app.state.runtime)):
            table.setdefault(verb, []).append((_pattern(template), template, set(operation["responses"])))
        for found in table.values():
            found.sort(key=lambda row: row[1].count("{"))
    bare = path.partition("?")[0]
    said = next((row for row in _KNOWN[local].get(method, ()) if row[0].fullmatch(bare)), None)
    if said is not None:
        assert str(answer.status_code) in said[2], (method, said[1], answer.status_code, answer.text)
