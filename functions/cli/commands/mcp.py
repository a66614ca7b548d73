"""`autri mcp`: MCP on standard input and output, a line per message.

Each message is sent on to the server's `/v1/mcp`, so that an assistant is answered by the same program over either
transport, and this process loads no more than any other command.
"""

import base64
import json
import sys
from collections.abc import Callable
from functools import partial
from typing import Any, Final

from functions.cli.api import open_channel
from functions.cli.channel import Channel, HttpAnswer
from functions.cli.mcp_session import CALLS_MAX, INTERNAL_ERROR, McpSession, Message, failure, own_version, params_of
from functions.cli.options import Token, Url
from shared.contract import MCP_PATH
from shared.errors import AutriError

VERSION: Final = "MCP-Protocol-Version"
NAMED: Final = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}


def mcp(url: Url = None, token: Token = None) -> None:
    """Serve the knowledge bases to an assistant by MCP on standard input and output."""
    with open_channel(url, token) as channel:
        path = MCP_PATH if url is not None else f"/v1{MCP_PATH}"
        calls = CALLS_MAX if channel.concurrent else 1
        session = McpSession(partial(answer_to, channel, path), _write, calls)
        try:
            session.run(sys.stdin)
        finally:
            # One that is interrupted in a call ends with the process.
            if not session.busy:
                channel.close()


def _write(answer: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(answer, ensure_ascii=False) + "\n")
    sys.stdout.flush()


def answer_to(
    channel: Channel, path: str, message: Message, negotiated: str | None, tell: Callable[[Message], None]
) -> Message | None:
    """What the server says to a message; None to one that wants no answer. What it tells before is told."""
    asked = message.get("id")
    try:
        said = channel.send_for_events(path, message, lambda _name, told: tell(told), headers_of(message, negotiated))
    except AutriError as error:
        return None if asked is None else failure(asked, INTERNAL_ERROR, str(error))
    return None if asked is None else _read(said, asked)


def headers_of(message: dict[str, Any], negotiated: str | None) -> dict[str, str]:
    """What HTTP wants said beside the message: its revision, method and subject."""
    headers = {"Accept": "application/json, text/event-stream"}
    given, own = params_of(message), own_version(message)
    if version := own or negotiated:
        headers[VERSION] = version
    if own:
        method = str(message.get("method"))
        headers["Mcp-Method"] = method
        if method in NAMED and NAMED[method] in given:
            headers["Mcp-Name"] = _as_header(str(given[NAMED[method]]))
    return headers


def _as_header(value: str) -> str:
    """As it is where a header can hold it, else as the specification says: `=?base64?…?=`."""
    if value.isascii() and value.isprintable() and value == value.strip() and not value.startswith("=?"):
        return value
    return f"=?base64?{base64.b64encode(value.encode()).decode()}?="


def _read(said: HttpAnswer, asked: Any) -> dict[str, Any]:
    """The server's answer; what refuses before it is a problem document, whose sentence is passed on."""
    if said.is_of("application/problem+json"):
        return failure(asked, INTERNAL_ERROR, said.json()["detail"])
    if not said.is_of("application/json"):
        return failure(asked, INTERNAL_ERROR, f"{said.host} answered {said.status} {said.reason}, which is no MCP.")
    answer: dict[str, Any] = said.json()
    return answer | {"id": asked} if answer.get("id") is None else answer
