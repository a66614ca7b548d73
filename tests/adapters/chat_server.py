"""Models behind the wire formats of OpenAI's Chat Completions and Anthropic's Messages, streamed as they stream, with
their refusals; what they say is scripted, or the work of a function that reads what they were told."""

import json
import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

from tests.aws.serving import Silent, serving

KEY = "sk-made-up"
MODEL = "made-up-1"
OPENAI_FIELDS = {
    "model", "messages", "stream", "stream_options", "max_completion_tokens", "max_tokens", "response_format",
    "tools", "tool_choice",
}  # fmt: skip
ANTHROPIC_FIELDS = {"model", "messages", "max_tokens", "stream", "system", "tools", "tool_choice"}
PART = 7
Json = dict[str, Any]
Fault = Literal["", "cut", "garbage", "error_event", "endless", "nonsense"]


@dataclass(frozen=True)
class Said:
    """A model's reply. `text` is the output's JSON where an output was asked for."""

    text: str = ""
    calls: tuple[tuple[str, Any], ...] = ()
    cut_off: bool = False
    fault: Fault = ""
    thought: int = 0  # Tokens that are in the total alone, as some endpoints have it.


@dataclass(frozen=True)
class Told:
    """What a model was told, whatever the protocol: instructions, turns as (role, text), names of tools."""

    system: str
    turns: list[tuple[str, str]]
    tools: list[str]
    output: Json | None


@dataclass(frozen=True)
class Refusal:
    """A status with the service's words."""

    status: int
    message: str
    code: str = ""
    headers: Json = field(default_factory=dict[str, Any])


Mind = Callable[[Told], Said]


@dataclass
class ChatServer:
    """`first`: refusals before anything else. `script` is used up, then `mind` replies. `refused_fields`: what this
    server does not take. `pause_s`: before each part."""

    url: str = ""
    key: str | None = KEY
    first: list[Refusal] = field(default_factory=list[Refusal])
    script: list[Said] = field(default_factory=list[Said])
    mind: Mind = lambda told: Said("Nothing was scripted.")
    refused_fields: set[str] = field(default_factory=set[str])
    pause_s: float = 0
    asked: list[Json] = field(default_factory=list[dict[str, Any]])
    told: list[Told] = field(default_factory=list[Told])
    hung_up: threading.Event = field(default_factory=threading.Event)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def reply(self, body: Json, told: Told) -> Said:
        with self.lock:
            self.told.append(told)
            if self.script:
                return self.script.pop(0)
        return self.mind(told)

    def refusal(self, body: Json, key: str | None, known: set[str]) -> Refusal | None:
        with self.lock:
            self.asked.append(body)
            if self.first:
                return self.first.pop(0)
        if self.key and key != self.key:
            return Refusal(401, "Incorrect API key provided.")
        if body.get("model") != MODEL:
            return Refusal(404, f"The model `{body.get('model')}` does not exist.", "model_not_found")
        for name in sorted(set(body)):
            if name not in known or name in self.refused_fields:
                return Refusal(400, f"Unrecognized request argument supplied: {name}")
        return None


def told_by_openai(body: Json) -> Told:
    turns = list[tuple[str, str]]()
    for turn in body["messages"]:
        calls = "".join(json.dumps(call) for call in turn.get("tool_calls", []))
        content = turn["content"] or ""
        text = content if isinstance(content, str) else "".join(_text(block) for block in content)
        turns.append((turn["role"], text + calls))
    assert turns[0][0] == "system"
    output = (body.get("response_format") or {}).get("json_schema")
    tools = [tool["function"]["name"] for tool in body.get("tools", [])]
    return Told(turns[0][1], turns[1:], tools, output and output["schema"])


def told_by_anthropic(body: Json) -> Told:
    """Roles alternate, and results stand in the turn behind their calls, as the service demands."""
    roles = [turn["role"] for turn in body["messages"]]
    assert roles == [["user", "assistant"][at % 2] for at in range(len(roles))], roles
    turns = [(turn["role"], "".join(_text(block) for block in turn["content"])) for turn in body["messages"]]
    forced = (body.get("tool_choice") or {}).get("name")
    output = next((tool["input_schema"] for tool in body.get("tools", []) if tool["name"] == forced), None)
    tools = [tool["name"] for tool in body.get("tools", []) if not forced]
    return Told("".join(block["text"] for block in body["system"]), turns, tools, output)


def _text(block: Json) -> str:
    content = block.get("text") or block.get("content") or json.dumps(block.get("input", ""))
    return content if isinstance(content, str) else "".join(_text(one) for one in content)


def parts(text: str) -> list[str]:
    return [text[at : at + PART] for at in range(0, len(text), PART)]


def openai_events(said: Said) -> Iterator[Json]:
    head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": MODEL}
    yield head | {"choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}, "finish_reason": None}]}
    for part in parts(said.text):
        yield head | {"choices": [{"index": 0, "delta": {"content": part}, "finish_reason": None}]}
    for at, (name, given) in enumerate(said.calls):
        raw = given if isinstance(given, str) else json.dumps(given)
        first = {"index": at, "id": f"call_{at}", "type": "function", "function": {"name": name, "arguments": ""}}
        yield head | {"choices": [{"index": 0, "delta": {"tool_calls": [first]}, "finish_reason": None}]}
        for part in parts(raw):
            more = {"index": at, "function": {"arguments": part}}
            yield head | {"choices": [{"index": 0, "delta": {"tool_calls": [more]}, "finish_reason": None}]}
    finish = "length" if said.cut_off else "tool_calls" if said.calls else "stop"
    yield head | {"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]}
    usage = {"prompt_tokens": 100, "completion_tokens": 20, "prompt_tokens_details": {"cached_tokens": 40}}
    if said.thought:
        usage |= {"total_tokens": 120 + said.thought, "completion_tokens_details": {"reasoning_tokens": said.thought}}
    yield head | {"choices": [], "usage": usage}


def anthropic_events(said: Said, output: str | None) -> Iterator[Json]:
    usage = {
        "input_tokens": 60, "cache_read_input_tokens": 40, "cache_creation_input_tokens": 10, "output_tokens": 1
    }  # fmt: skip
    yield {"type": "message_start", "message": {"id": "msg_1", "role": "assistant", "content": [], "usage": usage}}
    yield {"type": "ping"}
    at = -1
    if said.text and output is None:
        at += 1
        yield {"type": "content_block_start", "index": at, "content_block": {"type": "text", "text": ""}}
        for part in parts(said.text):
            yield {"type": "content_block_delta", "index": at, "delta": {"type": "text_delta", "text": part}}
        yield {"type": "content_block_stop", "index": at}
    for name, given in [*([(output, said.text)] if output else []), *said.calls]:
        at += 1
        block = {"type": "tool_use", "id": f"toolu_{at}", "name": name, "input": {}}
        yield {"type": "content_block_start", "index": at, "content_block": block}
        for part in parts(given if isinstance(given, str) else json.dumps(given)):
            yield {
                "type": "content_block_delta",
                "index": at,
                "delta": {"type": "input_json_delta", "partial_json": part},
            }
        yield {"type": "content_block_stop", "index": at}
    stop = "max_tokens" if said.cut_off else "tool_use" if said.calls or output else "end_turn"
    yield {
        "type": "message_delta",
        "delta": {"stop_reason": stop, "stop_sequence": None},
        "usage": {"output_tokens": 20},
    }
    yield {"type": "message_stop"}


AZURE = "/openai/deployments/made-up/chat/completions?api-version=2024-10-21"


@contextmanager
def running_chat() -> Generator[ChatServer]:
    """A server for both protocols, on a free loopback port: `url` for Anthropic's, `url` and `/v1` for OpenAI's; a
    deployment of Azure's too."""
    chat = ChatServer()

    class Handler(Silent):
        def do_POST(self) -> None:  # noqa: N802 the base class calls it so
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            anthropic = self.path == "/v1/messages"
            azure = self.path == AZURE
            assert anthropic or azure or self.path == "/v1/chat/completions", self.path
            assert not anthropic or self.headers["anthropic-version"] == "2023-06-01"
            bearer = (self.headers.get("Authorization") or "").removeprefix("Bearer ") or None
            key = self.headers.get("x-api-key" if anthropic else "api-key") if anthropic or azure else bearer
            known = ANTHROPIC_FIELDS if anthropic else OPENAI_FIELDS
            if refusal := chat.refusal(body, key, known):
                self._refuse(refusal, anthropic=anthropic)
                return
            told = told_by_anthropic(body) if anthropic else told_by_openai(body)
            said = chat.reply(body, told)
            forced = (body.get("tool_choice") or {}).get("name") if anthropic else None
            events = list(anthropic_events(said, forced) if anthropic else openai_events(said))
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            try:
                self._stream(said, events, anthropic=anthropic)
            except (BrokenPipeError, ConnectionResetError):
                chat.hung_up.set()

        def _stream(self, said: Said, events: list[Json], *, anthropic: bool) -> None:
            for at, event in enumerate(events):
                if said.fault and at == len(events) // 2:
                    if said.fault == "cut":
                        return
                    if said.fault == "endless":
                        while True:
                            self._write(": keep-alive\n\n")
                            time.sleep(0.02)
                    self._write(f"data: {FAULTS[said.fault]}\n\n")
                time.sleep(chat.pause_s)
                named = f"event: {event['type']}\n" if anthropic else ""
                self._write(f"{named}data: {json.dumps(event)}\n\n")
            if not anthropic:
                self._write("data: [DONE]\n\n")

        def _write(self, text: str) -> None:
            self.wfile.write(text.encode())
            self.wfile.flush()

        def _refuse(self, refusal: Refusal, *, anthropic: bool) -> None:
            error = {"message": refusal.message, "type": refusal.code or "invalid_request_error"}
            wrapped: Json = {"error": error | ({} if anthropic else {"param": None, "code": refusal.code or None})}
            payload = json.dumps(({"type": "error"} if anthropic else {}) | wrapped).encode()
            self.send_response(refusal.status)
            for name, value in {"Content-Length": str(len(payload)), **refusal.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(payload)

    with serving(Handler) as chat.url:
        yield chat


FAULTS: dict[Fault, str] = {
    "garbage": "{not json",
    "error_event": json.dumps({"error": {"message": "Overloaded", "type": "overloaded_error"}}),
    "nonsense": json.dumps({"choices": [7], "type": "content_block_delta", "index": 99}),
}
