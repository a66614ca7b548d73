"""Models of Anthropic by the Messages API, streamed; an output is asked for as the one tool that must be called."""

import base64
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from shared.adapters.chat.calls import ChatEndpoint, Json, read_arguments
from shared.domain.chat import Capabilities, ChatReply, ChatRequest, ChatTurn, Stop, ToolCall, ToolResult, ToolSpec
from shared.domain.model_calls import Price, Usage
from shared.errors import Unavailable
from shared.ports import Heard, unheard

VERSION: Final = "2023-06-01"
CACHED: Final = {"type": "ephemeral"}
_STOPS: Final[dict[str, Stop]] = {
    "max_tokens": "length", "model_context_window_exceeded": "length", "refusal": "refused", "tool_use": "tools"
}  # fmt: skip


@dataclass
class _Said:
    """What came of a reply so far: its blocks by index, and what was counted."""

    blocks: dict[int, Json] = field(default_factory=dict[int, dict[str, Any]])
    stop: str | None = None
    usage: Json = field(default_factory=dict[str, Any])
    ended: bool = False


class AnthropicAnswerer:
    """A model of Anthropic. Safe to use from several threads."""

    def __init__(self, model: str, endpoint: ChatEndpoint, price: Price | None = None) -> None:
        self.name = f"anthropic:{model}"
        self.capabilities = Capabilities()
        self._model, self._endpoint, self.price = model, endpoint, price

    def chat(self, request: ChatRequest, deadline: float, heard: Heard = unheard) -> ChatReply:
        """See `Answerer.chat`."""
        said = _Said()
        with self._endpoint.stream(self._body(request), deadline) as events:
            for part in _parts(events, said, output=request.output is not None):
                heard(part)
        if not said.ended:
            raise Unavailable(f"The reply of {self.name} broke off. Nothing is lost; ask again.")
        return self._reply(request, said)

    def _reply(self, request: ChatRequest, said: _Said) -> ChatReply:
        usage = _usage(said.usage)
        blocks = [said.blocks[at] for at in sorted(said.blocks)]
        calls = tuple(
            ToolCall(b["id"], b["name"], read_arguments(b["raw"]), b["raw"]) for b in blocks if b["type"] == "tool_use"
        )
        text = "".join(b["raw"] for b in blocks if b["type"] == "text")
        stop: Stop = _STOPS.get(said.stop or "", "end")
        usd = self.price.usd(usage) if self.price else 0.0
        if request.output is not None:
            text = "".join(call.raw for call in calls if call.name == request.output.name)
            return ChatReply(text, (), usage, usd, "end" if stop == "tools" else stop)
        return ChatReply(text, calls, usage, usd, stop)

    def _body(self, request: ChatRequest) -> Json:
        """Tools and instructions come first and do not change: a cache point ends them, and another the turns so far
        where more follow."""
        system = {"type": "text", "text": request.system, "cache_control": CACHED}
        turns: list[Json] = [{"role": turn.role, "content": _content(turn)} for turn in request.turns]
        if request.grows:
            turns[-1]["content"][-1]["cache_control"] = CACHED
        body: Json = {
            "model": self._model, "max_tokens": request.max_tokens, "stream": True, "system": [system],
            "messages": turns,
        }  # fmt: skip
        tools = (request.output,) if request.output else request.tools
        if tools:
            body["tools"] = [_tool(tool) for tool in tools]
        if request.output:
            body["tool_choice"] = {"type": "tool", "name": request.output.name}
        return body


def _tool(tool: ToolSpec) -> Json:
    return {"name": tool.name, "description": tool.description, "input_schema": tool.parameters}


def _content(turn: ChatTurn) -> list[Json]:
    content: list[Json] = [
        {"type": "tool_result", "tool_use_id": one.call_id, "content": _result(one), "is_error": one.failed}
        for one in turn.results
    ]
    if turn.text:
        content.append({"type": "text", "text": turn.text})
    content += [{"type": "tool_use", "id": c.id, "name": c.name, "input": c.arguments or {}} for c in turn.calls]
    return content


def _result(one: ToolResult) -> str | list[Json]:
    if one.image is None:
        return one.text
    source = {"type": "base64", "media_type": "image/jpeg", "data": base64.b64encode(one.image).decode()}
    return [{"type": "text", "text": one.text}, {"type": "image", "source": source}]


def _parts(events: Iterator[Json], said: _Said, *, output: bool) -> Iterator[str]:
    """ "" first, then the parts of the text, or of the output's JSON; what else the events say is kept in `said`."""
    wanted = "tool_use" if output else "text"
    try:
        for event in events:
            kind = event["type"]
            if kind == "message_start":
                said.usage |= event["message"].get("usage") or {}
                yield ""
            elif kind == "content_block_start":
                said.blocks[event["index"]] = {**event["content_block"], "raw": event["content_block"].get("text", "")}
            elif kind == "content_block_delta":
                block, delta = said.blocks[event["index"]], event["delta"]
                part = delta.get("text", delta.get("partial_json", ""))
                block["raw"] += part
                if part and block["type"] == wanted:
                    yield part
            elif kind == "message_delta":
                said.stop = event["delta"].get("stop_reason") or said.stop
                said.usage |= event.get("usage") or {}
            elif kind == "message_stop":
                said.ended = True
    except (AttributeError, TypeError, KeyError) as error:
        raise Unavailable(f"The endpoint answers something else than a message ({error!r}).") from error


def _usage(counted: Json) -> Usage:
    return Usage(
        input_tokens=int(counted.get("input_tokens") or 0),
        cache_read_tokens=int(counted.get("cache_read_input_tokens") or 0),
        cache_write_tokens=int(counted.get("cache_creation_input_tokens") or 0),
        output_tokens=int(counted.get("output_tokens") or 0),
    )
