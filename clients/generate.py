"""Writes the clients' types from the API's own OpenAPI document: `make clients`.

Python gets the models of the answers that operations return, and keeps them in its sources; TypeScript gets every path
when it is built. Generators are run in environments of their own, pinned here and in `typescript/package-lock.json`.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from functions.api.app import create_app
from functions.api.openapi import openapi_document

HERE: Final = Path(__file__).parent
BESIDE: Final = Path(sys.executable).parent
MODELS: Final = HERE / "python" / "src" / "autri" / "models.py"
TYPESCRIPT: Final = HERE / "typescript"
CODEGEN: Final = "datamodel-code-generator==0.89.0"
# The server has checked what it says; a client that checks it again refuses what a newer server may send.
LIMITS: Final = (
    "title", "maxLength", "minLength", "maximum", "minimum", "exclusiveMaximum", "exclusiveMinimum", "maxItems",
    "minItems", "pattern",
)  # fmt: skip
OPTIONS: Final = (
    "--input-file-type=openapi", "--output-model-type=pydantic_v2.BaseModel", "--target-python-version=3.11",
    "--use-standard-collections", "--use-union-operator", "--use-annotated", "--enum-field-as-literal=all",
    "--use-schema-description", "--strict-nullable", "--disable-timestamp", "--collapse-root-models",
    "--base-class=autri.base.Model", "--formatters=builtin",
)  # fmt: skip


def main() -> None:
    document = api_document()
    MODELS.write_text(python_models(document))
    build_typescript(document)


def api_document() -> dict[str, Any]:
    return openapi_document(create_app(None, None, local=False))  # pyrefly: ignore[bad-argument-type] none is asked


def python_models(document: dict[str, Any]) -> str:
    """The source of `autri.models`: every answer of the API that is JSON, and what it consists of."""
    schemas: dict[str, Any] = document["components"]["schemas"]
    wanted = answers(document, schemas)
    kept = {name: without_limits(schemas[name]) for name in sorted(wanted)}
    trimmed = {"openapi": document["openapi"], "info": document["info"], "paths": {}, "components": {"schemas": kept}}
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "answers.json"), Path(folder, "models.py")
        source.write_text(json.dumps(trimmed))
        run(str(BESIDE / "uv"), "tool", "run", "--quiet", "--from", CODEGEN, "datamodel-codegen", f"--input={source}",
            f"--output={target}", *OPTIONS)  # fmt: skip
        made = target.read_text()
    lines = [line for line in made.splitlines(keepends=True) if not line.startswith("#")]
    told = '"""The API\'s answers. Made by clients/generate.py from its OpenAPI document; not edited by hand."""\n\n'
    return formatted(told + "".join(lines).lstrip())


def formatted(source: str) -> str:
    for command in (("check", "--quiet", "--fix"), ("format", "--quiet")):
        ruff = (BESIDE / "ruff", *command, "--stdin-filename", MODELS, "-")
        source = subprocess.run(ruff, input=source, stdout=subprocess.PIPE, text=True, check=False).stdout
    return source


def answers(document: dict[str, Any], schemas: dict[str, Any]) -> set[str]:
    """Names of the schemas that successful answers are made of; pages of lists are what the client goes through."""
    found: set[str] = set()
    left: list[str] = []
    for path in document["paths"].values():
        for operation in path.values():
            for status, answer in operation["responses"].items():
                if status.startswith("2"):
                    left += references(answer)
    while left:
        name = left.pop()
        if name not in found:
            found.add(name)
            left += references(schemas[name])
    return {name for name in found if not name.startswith("PageOf_")}


def references(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        if "$ref" in node:
            yield node["$ref"].rsplit("/", 1)[1]
        for value in node.values():
            yield from references(value)
    elif isinstance(node, list):
        for value in node:
            yield from references(value)


def without_limits(node: Any, *, names: bool = False) -> Any:
    """A schema without titles and limits; below `properties` the keys are names of fields and stay."""
    if isinstance(node, dict):
        return {
            key: without_limits(value, names=key == "properties" and not names)
            for key, value in node.items()
            if names or not (key in LIMITS or (key, value) == ("additionalProperties", False))
        }
    return [without_limits(value) for value in node] if isinstance(node, list) else node


def build_typescript(document: dict[str, Any]) -> None:
    """Installs what the package is built with, writes its types and compiles it. Errors are told once: all are
    problems."""
    told = json.loads(json.dumps(document))
    content = told["components"]["responses"]["Problem500"]["content"]
    for path in told["paths"].values():
        for operation in path.values():
            said = operation["responses"]
            problem = {"description": "what is wrong", "content": content}
            operation["responses"] = {code: one for code, one in said.items() if code.startswith("2")}
            operation["responses"]["default"] = problem
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "openapi.json")
        source.write_text(json.dumps(told))
        run("npm", "ci", "--silent", "--no-audit", "--no-fund", cwd=TYPESCRIPT)
        run("npx", "openapi-typescript", str(source), "--output", "src/schema.ts", cwd=TYPESCRIPT)
        run("npx", "tsc", cwd=TYPESCRIPT)


def run(*command: str, cwd: Path | None = None) -> None:
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=cwd)


if __name__ == "__main__":
    main()
