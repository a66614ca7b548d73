"""`autri mcp` as an assistant starts it: the SDK's own client over standard input and output."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp_types import CallToolResult

from shared.contract import Env
from tests.processes import new_base, serving

ENTRY = "from functions.cli.main import run; run()"


def call(home: Path, mode: str, name: str, arguments: dict[str, Any]) -> tuple[str, CallToolResult]:
    """The revision that was agreed on, and the tool's result."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("AUTRI_")}
    command = StdioServerParameters(
        command=sys.executable, args=["-c", ENTRY, "mcp"], env=environment | {Env.HOME: str(home)}
    )

    async def connect() -> tuple[str, CallToolResult]:
        async with Client(stdio_client(command), mode=mode) as client:
            assert len((await client.list_tools()).tools) >= 10
            return client.protocol_version, await client.call_tool(name, arguments)

    return anyio.run(connect)


@pytest.fixture(scope="module")
def home(test_home: Path) -> Path:
    return test_home / "stdio"


def test_it_answers_beside_a_server_and_without_one_in_every_revision(home: Path) -> None:
    with serving(home) as (_, client):
        new_base(client, "Assistant")
        revisions = {"legacy": "2025-11-25", "auto": "2026-07-28"}
        for mode, revision in revisions.items():
            agreed, found = call(home, mode, "list_knowledge_bases", {})
            assert agreed == revision
            assert found.structured_content is not None
            assert [one["name"] for one in found.structured_content["items"]] == ["Assistant"]
    note = {"knowledge_base": "assistant", "text": "Écru is a colour of raw silk."}
    _, added = call(home, "auto", "add_note", note)
    assert not added.is_error, added.content
    _, found = call(home, "auto", "search", {"query": "écru silk"})
    assert found.structured_content is not None
    assert found.structured_content["passages"][0]["text"] == note["text"]


def test_the_command_loads_no_sdk_and_prints_nothing_but_messages(home: Path) -> None:
    program = (
        "import sys; from functions.cli.main import call\n"
        "call(['mcp']); print(sorted({'mcp', 'fastapi', 'httpx2'} & set(sys.modules)), file=sys.stderr)"
    )
    with serving(home):
        done = subprocess.run(
            [sys.executable, "-c", program],
            input="\n".join(
                (
                    "no json",
                    "",
                    '{"jsonrpc":"2.0","method":"notifications/initialized"}',
                    '{"jsonrpc":"2.0","id":"a","method":"x"}',
                )
            ),
            env=os.environ | {Env.HOME: str(home)},
            capture_output=True,
            text=True,
            check=True,
        )
    broken, unknown = (json.loads(line) for line in done.stdout.splitlines())
    assert broken["error"]["code"] == -32700
    assert (unknown["id"], unknown["error"]["code"]) == ("a", -32601)
    assert done.stderr.strip() == "[]"
