"""The lines of the Assistants page are what each assistant's own configuration takes.

Shapes as of October 2026: code.claude.com/docs/en/mcp, cursor.com/docs/mcp, code.visualstudio.com/docs (MCP reference).
"""

import json
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from functions.api.pages import own_command
from functions.api.static_files import STATIC

WAYS = STATIC / "js/settings/connect/ways.js"
ORIGIN = "http://127.0.0.1:8000"
# A folder and a home that a shell would take apart.
PLACES = {"command": "/opt/o'neil & sons/bin/autri", "home": "/home/ada lovelace/.autri"}
TEXT: dict[str, Any] = {"type": "string", "minLength": 1}


def servers(server: dict[str, Any]) -> dict[str, Any]:
    """A file whose `mcpServers` has one server by its name, and nothing that the assistant does not know."""
    named = {"type": "object", "patternProperties": {"^[a-zA-Z0-9_-]+$": server}, "additionalProperties": False}
    whole = {"mcpServers": named | {"minProperties": 1}}
    return {"type": "object", "properties": whole, "required": ["mcpServers"], "additionalProperties": False}


STDIO: dict[str, Any] = {
    "type": "object",
    "properties": {
        "command": TEXT, "args": {"type": "array", "items": TEXT},
        "env": {"type": "object", "additionalProperties": TEXT},
    },
    "required": ["command"], "additionalProperties": False,
}  # fmt: skip
REMOTE: dict[str, Any] = {
    "type": "object", "properties": {"url": TEXT, "headers": {"type": "object"}}, "required": ["url"],
    "additionalProperties": False,
}  # fmt: skip
VS_CODE: dict[str, Any] = {
    "type": "object", "properties": {"name": TEXT, "type": {"enum": ["http", "sse"]}, "url": TEXT},
    "required": ["name", "type", "url"], "additionalProperties": False,
}  # fmt: skip


def ways(tmp_path: Path, here: bool) -> dict[str, str]:
    node = shutil.which("node")
    if node is None:
        pytest.skip("Node is not installed")
    shutil.copy(WAYS, tmp_path / "ways.mjs")
    given = json.dumps({"origin": ORIGIN} | (PLACES if here else {}))
    program = f"import('./ways.mjs').then(m => console.log(JSON.stringify(m.waysOf({given}, {json.dumps(here)}))))"
    made = subprocess.run([node, "-e", program], cwd=tmp_path, capture_output=True, text=True, check=True)
    return {way["name"]: way["text"] for way in json.loads(made.stdout)}


def fits(schema: dict[str, Any], text: str) -> Any:
    value = json.loads(text)
    Draft202012Validator(schema).validate(value)
    return value


@pytest.mark.parametrize("here", [True, False])
def test_each_line_is_taken_by_its_assistant(tmp_path: Path, here: bool) -> None:
    lines = ways(tmp_path, here)
    assert shlex.split(lines["Claude Code"]) == [
        *("claude", "mcp", "add", "--transport", "http", "autri", f"{ORIGIN}/mcp")
    ]  # fmt: skip
    assert fits(servers(REMOTE), lines["Cursor"]) == {"mcpServers": {"autri": {"url": f"{ORIGIN}/mcp"}}}
    program, option, server = shlex.split(lines["VS Code"])
    assert (program, option) == ("code", "--add-mcp")
    assert fits(VS_CODE, server)["url"] == f"{ORIGIN}/mcp"
    if not here:
        assert lines["Claude Desktop"] == f"{ORIGIN}/mcp"
        assert "Claude Code, without signing in" not in lines
        return
    started = fits(servers(STDIO), lines["Claude Desktop"])["mcpServers"]["autri"]
    assert started == {"command": PLACES["command"], "args": ["mcp"], "env": {"AUTRI_HOME": PLACES["home"]}}
    # The name stands before --env, which takes all that follows up to `--`.
    assert shlex.split(lines["Claude Code, without signing in"]) == [
        *("claude", "mcp", "add", "autri", "--env", f"AUTRI_HOME={PLACES['home']}", "--", PLACES["command"], "mcp")
    ]  # fmt: skip


def test_the_command_that_they_start_is_there() -> None:
    command = own_command()
    assert shutil.which(command["command"]) is not None
    assert Path(command["home"]).is_absolute()
