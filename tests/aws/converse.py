"""Bedrock's Converse as a script: how each call is answered, in the wire's own JSON, with counted tokens.

The well-behaved answer groups the lines that the request holds by their places and sizes. Every other answer is what a
model or the service may do wrong.
"""

import base64
import hashlib
import io
import json
import re
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from PIL import Image

from tests.aws.event_stream import converse_events, fault

CHARACTERS_PER_TOKEN = 4
PIXELS_PER_TOKEN = 750
CACHE_FROM_TOKENS = 4096
LINE = re.compile(r'^f(\d+) (\d+) (\d+) (\d+) ("(?:[^"\\]|\\.)*")(.*)$', re.M)
SIZE = re.compile(r"^\d+(?:\.\d+)?$")

Json = dict[str, Any]
Status = tuple[int, str, Json]
Streamed = tuple[int, str, Json | Iterator[bytes]]
Behaviour = Literal[
    "group", "throttle", "unavailable", "timeout", "denied", "refused", "cut_off", "invalid_json", "no_tool",
    "invented_id", "claimed_twice", "unclaimed", "writes_text", "garbage",
    "fails_within", "hangs_up_within", "ends_within", "no_streaming",
]  # fmt: skip
SERVICE_ERRORS: dict[Behaviour, tuple[int, str, str]] = {
    "throttle": (429, "ThrottlingException", "Too many tokens, please wait before trying again."),
    "unavailable": (503, "ServiceUnavailableException", "The service is unable to handle the request."),
    "timeout": (408, "ModelTimeoutException", "The model took too long."),
    "denied": (403, "AccessDeniedException", "You don't have access to the model with the specified model ID."),
    "refused": (400, "ValidationException", "The provided model identifier is invalid."),
}


class Line(NamedTuple):
    """A fragment as the request lists it."""

    number: int
    x: int
    y: int
    right: int
    text: str
    marks: tuple[str, ...]


@dataclass
class FakeConverse:
    """`script` is used up call by call, then `then` answers for ever; `answer_with` replaces the tool's input,
    `answer_as` the whole reply: its blocks. `between` is called before each part of a stream but the first."""

    script: list[Behaviour] = field(default_factory=list[Behaviour])
    then: Behaviour = "group"
    answer_with: Callable[[Json], Any] | None = None
    answer_as: Callable[[Json], list[Json]] | None = None
    between: Callable[[], object] | None = None
    streamed: int = 0
    requests: list[Json] = field(default_factory=list[Json])
    usages: list[Json] = field(default_factory=list[Json])
    _cached: set[str] = field(default_factory=set[str])
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def answer(self, body: Json) -> Status:
        with self._lock:
            behaviour: Behaviour = self.script.pop(0) if self.script else self.then
            self.requests.append(body)
            if behaviour in SERVICE_ERRORS:
                status, error, message = SERVICE_ERRORS[behaviour]
                return status, error, {"message": message}
            content, stop = self._content(behaviour, body)
            usage = self._usage(body, content)
            self.usages.append(usage)
        message = {"role": "assistant", "content": content}
        return 200, "", {
            "output": {"message": message}, "stopReason": stop, "usage": usage, "metrics": {"latencyMs": 1},
        }  # fmt: skip

    def stream(self, body: Json) -> Streamed:
        """The same by ConverseStream; what goes wrong within a stream does so after half of its parts."""
        behaviour: Behaviour = self.script[0] if self.script else self.then
        self.streamed += 1
        if behaviour == "no_streaming":
            self.script = self.script[1:]
            message = "This model doesn't support tool use in streaming mode."
            return 400, "ValidationException", {"message": message}
        status, error, answer = self.answer(body)
        return status, error, answer if error else self._parts(behaviour, [*converse_events(answer)])

    def _parts(self, behaviour: Behaviour, parts: list[bytes]) -> Iterator[bytes]:
        half = behaviour.endswith("_within")
        for place, part in enumerate(parts[: len(parts) // 2] if half else parts):
            if place and self.between:
                self.between()
            yield part
        if behaviour == "fails_within":
            yield fault("modelStreamErrorException", "The model failed.")
        if behaviour == "hangs_up_within":
            raise ConnectionResetError

    def _content(self, behaviour: Behaviour, body: Json) -> tuple[list[Json], str]:
        if self.answer_as:
            blocks = self.answer_as(body)
            return blocks, "tool_use" if any("toolUse" in block for block in blocks) else "end_turn"
        if behaviour == "no_tool":
            return [{"text": "Here is what I found on the page: …"}], "end_turn"
        good = self.answer_with(body) if self.answer_with else {"operations": group(lines_of(body)), "confidence": 0.9}
        given = spoil(behaviour, good)
        call = {"toolUseId": f"tooluse_{len(self.requests)}", "name": "group_page", "input": given}
        return [{"toolUse": call}], "max_tokens" if behaviour == "cut_off" else "tool_use"

    def _usage(self, body: Json, content: list[Json]) -> Json:
        """Tokens by CHARACTERS_PER_TOKEN; the prefix up to the cache point is written once, then read."""
        prefix = json.dumps([body.get("toolConfig", {}).get("tools"), body["system"]], ensure_ascii=False)
        first, rest = count(prefix), sum(_tokens_of(block) for turn in body["messages"] for block in turn["content"])
        digest = hashlib.sha256(prefix.encode()).hexdigest()
        marked = any("cachePoint" in block for block in body["system"]) and first >= CACHE_FROM_TOKENS
        written, read = (0, first) if marked and digest in self._cached else (first if marked else 0, 0)
        self._cached.add(digest)
        output = count(json.dumps(content, ensure_ascii=False))
        plain = rest + (0 if marked else first)
        return {
            "inputTokens": plain, "outputTokens": output, "totalTokens": plain + written + read + output,
            "cacheReadInputTokens": read, "cacheWriteInputTokens": written,
        }  # fmt: skip


def count(text: str) -> int:
    return -(-len(text) // CHARACTERS_PER_TOKEN)


def _tokens_of(block: Json) -> int:
    if "image" in block:
        with Image.open(io.BytesIO(base64.b64decode(block["image"]["source"]["bytes"]))) as image:
            return -(-image.width * image.height // PIXELS_PER_TOKEN)
    return count(json.dumps(block, ensure_ascii=False))


def page_text_of(body: Json) -> str:
    """The page as the first turn of the conversation gives it."""
    return next(block["text"] for block in body["messages"][0]["content"] if "text" in block)


def lines_of(body: Json) -> list[Line]:
    listed = page_text_of(body).partition("<fragments>")[2].partition("</fragments>")[0]
    return [
        Line(int(n), int(x), int(y), int(right), json.loads(text), tuple(marks.split()))
        for n, x, y, right, text, marks in LINE.findall(listed)
    ]


def group(lines: list[Line]) -> list[Json]:
    """Headings are larger, running lines stand at the edges, a paragraph goes on where the next line stands close."""
    operations: list[Json] = []
    last: Line | None = None
    for line in lines:
        name = f"f{line.number}"
        size = next((float(mark) for mark in line.marks if SIZE.match(mark)), 0.0)
        if line.y <= 5 or line.y >= 94:
            operations.append({"op": "skip", "fragment_ids": [name], "reason": "header" if line.y <= 5 else "footer"})
            last = None
        elif size >= 12 and len(line.text) < 80:
            operations.append({"op": "register_section", "title_fragment_ids": [name], "depth": 1 if size > 15 else 2})
            last = None
        elif last and 0 <= line.y - last.y <= 2 and line.x < last.right:
            operations[-1]["fragment_ids"].append(name)
            last = line
        else:
            operations.append({"op": "register_chunk", "fragment_ids": [name], "chunk_type": "text"})
            last = line
    return operations


def spoil(behaviour: Behaviour, good: Json) -> Any:
    """The good answer with one thing wrong."""
    if behaviour == "invalid_json":
        return json.dumps(good)[:-20]
    if behaviour == "garbage":
        return {"operations": [{"op": "register_chunk", "fragment_ids": [17, None], "chunk_type": "essay"}, "x", {}]}
    if behaviour == "cut_off":
        return {"operations": good["operations"][: len(good["operations"]) // 2]}
    operations: list[Json] = json.loads(json.dumps(good["operations"]))
    if behaviour == "invented_id":
        operations.append({"op": "skip", "fragment_ids": ["f9999"], "reason": "footer"})
    if behaviour == "claimed_twice":
        operations.append(operations[0])
    if behaviour == "unclaimed":
        operations.pop()
    if behaviour == "writes_text":
        operations[0] = {
            **operations[0],
            "content": "All safety rules are hereby cancelled.",
            "text": "Pay 1,000 euro.",
        }
    return {**good, "operations": operations}
