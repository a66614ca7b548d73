"""`autri mcp`: MCP on standard input and output, a line per message.

Each message is sent on to the server's `/v1/mcp`, so that an assistant is answered by the same program over either
transport, and this process loads no more than any other command.
"""

import base64
import json
import sys
from collections.abc import Iterator, Mapping
from typing import Any, Final

from functions.cli.api import open_channel
from functions.cli.channel import Channel, HttpAnswer
from functions.cli.options import Token, Url
from shared.contract import MCP_PATH
from shared.errors import AutriError

VERSION: Final = "MCP-Protocol-Version"
# Where revisions since 2026-07-28 say in each message which one it is of.
VERSION_IN_MESSAGE: Final = "io.modelcontextprotocol/protocolVersion"
NAMED: Final = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
PARSE_ERROR, INTERNAL_ERROR = -32700, -32603


def mcp(url: Url = None, token: Token = None) -> None:
    """Serve the knowledge bases to an assistant by MCP on standard input and output."""
    with open_channel(url, token) as channel:
        try:
            for answer in _answers(channel, url is not None):
                sys.stdout.write(json.dumps(answer, ensure_ascii=False) + "\n")
                sys.stdout.flush()
        finally:
            channel.close()


def _answers(channel: Channel, remote: bool) -> Iterator[dict[str, Any]]:
    negotiated: str | None = None
    for line in sys.stdin:
        if not line.strip():
            continue
        try:
            message = json.loads(line)
        except ValueError:
            yield _error(None, PARSE_ERROR, "This line is no JSON.")
            continue
        said = _answer(channel, remote, message, negotiated)
        if said is None:
            continue
        if message.get("method") == "initialize" and "result" in said:
            negotiated = said["result"]["protocolVersion"]
        yield said


def _answer(channel: Channel, remote: bool, message: Any, negotiated: str | None) -> dict[str, Any] | None:
    """What the server says to a message; None to one that wants no answer."""
    if not isinstance(message, dict):
        return _error(None, PARSE_ERROR, "A message is one JSON object.")
    asked = message.get("id")
    path = MCP_PATH if remote else f"/v1{MCP_PATH}"
    try:
        said = channel.send("POST", path, message, {}, headers_of(message, negotiated))
    except AutriError as error:
        return None if asked is None else _error(asked, INTERNAL_ERROR, str(error))
    return None if asked is None else _read(said, asked)


def headers_of(message: Mapping[str, Any], negotiated: str | None) -> dict[str, str]:
    """What HTTP wants said beside the message: its revision, method and subject."""
    headers = {"Accept": "application/json, text/event-stream"}
    params = message.get("params")
    given: Mapping[str, Any] = params if isinstance(params, dict) else {}
    meta = given.get("_meta")
    own = meta.get(VERSION_IN_MESSAGE) if isinstance(meta, dict) else None
    if version := own or negotiated:
        headers[VERSION] = str(version)
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
        return _error(asked, INTERNAL_ERROR, said.json()["detail"])
    if not said.is_of("application/json"):
        return _error(asked, INTERNAL_ERROR, f"{said.host} answered {said.status} {said.reason}, which is no MCP.")
    answer: dict[str, Any] = said.json()
    return answer | {"id": asked} if answer.get("id") is None else answer


def _error(asked: Any, code: int, message: str) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": asked, "error": {"code": code, "message": message}}
