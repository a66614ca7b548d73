"""Models on Bedrock that answer, by ConverseStream; by Converse where a model does not stream."""

import json
import random
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from typing import Any, Final

from botocore.eventstream import ParserError as EventStreamFault
from botocore.exceptions import (
    ClientError,
    HTTPClientError,
    NoCredentialsError,
    NoRegionError,
    PartialCredentialsError,
)
from botocore.exceptions import ConnectionError as EndpointError
from botocore.parsers import ResponseParserError
from urllib3.exceptions import HTTPError as StreamFault

from shared.adapters.aws.bedrock_grouper import BUSY
from shared.adapters.aws.bedrock_messages import read_usage
from shared.adapters.aws.bedrock_stream import BrokeOff, gather
from shared.adapters.aws.clients import make_client
from shared.adapters.aws.models import Model, find_model
from shared.domain.chat import Capabilities, ChatReply, ChatRequest, ChatTurn, Stop, ToolCall, ToolResult, ToolSpec
from shared.domain.listening import listening
from shared.domain.model_calls import Price
from shared.errors import BadInput, Unavailable
from shared.ports import Heard, unheard

WAIT_BASE_S: Final = 0.5
WAIT_CAP_S: Final = 8.0
# A try with less than this left is not begun, and none waits longer than that for a reply.
LEAST_LEFT_S: Final = 1.0
READ_TIMEOUT_S: Final = 60
CACHE_POINT: Final = {"cachePoint": {"type": "default"}}
WHAT_TO_DO: Final = {
    "AccessDeniedException": "Open the model in the Bedrock console of this region (Model access), and let the caller"
    " use bedrock:InvokeModelWithResponseStream on it, and bedrock:InvokeModel.",
    "ResourceNotFoundException": "Check the model's id and region: Bedrock does not know it (any more) there.",
    "UnrecognizedClientException": "The AWS credentials are not valid; sign in again.",
    "ExpiredTokenException": "The AWS credentials have expired; sign in again.",
}
_STOPS: Final[dict[str, Stop]] = {
    "max_tokens": "length", "model_context_window_exceeded": "length", "guardrail_intervened": "refused",
    "content_filtered": "refused", "tool_use": "tools",
}  # fmt: skip
# Of the connection, or of what comes by it.
FAULTS: Final = (BrokeOff, EndpointError, HTTPClientError, EventStreamFault, ResponseParserError, StreamFault)
Json = dict[str, Any]


class BedrockAnswerer:
    """One model by its id or inference profile. `sleep` can be replaced, so that tests need not wait."""

    def __init__(self, model_id: str, sleep: Callable[[float], None] = time.sleep) -> None:
        self._model: Model = find_model(model_id)
        self._sleep = sleep
        self.name = f"bedrock:{model_id}"
        self._streams = True
        self.price: Price | None = self._model.price

    @property
    def capabilities(self) -> Capabilities:
        """A model that has refused to stream is not asked to again."""
        return Capabilities(streaming=self._streams)

    def chat(self, request: ChatRequest, deadline: float, heard: Heard = unheard) -> ChatReply:
        """See `Answerer.chat`."""
        started = False

        def hear(part: str) -> None:
            nonlocal started
            started = started or bool(part)
            heard(part)

        made = converse_request(self._model, request)
        attempt = 0
        while True:
            listening().check()
            left = deadline - time.monotonic()
            if left < LEAST_LEFT_S:
                raise Unavailable(f"The model {self._model.id} does not answer in time. Nothing is lost; ask again.")
            try:
                return self._reply(request, self._call(made, deadline, hear, output=request.output is not None))
            except ClientError as error:
                if not started and self._learns(error):
                    continue
                self._check(error)
                reason: Exception = error
            except (NoCredentialsError, PartialCredentialsError, NoRegionError) as error:
                raise BadInput(f"Bedrock cannot be called: {error}. Set AWS credentials and a region.") from error
            except FAULTS as error:
                reason = error
            if started:
                raise Unavailable(f"The reply of {self.name} broke off. Nothing is lost; ask again.") from reason
            wait = random.uniform(0, min(WAIT_CAP_S, WAIT_BASE_S * 2**attempt))  # noqa: S311 jitter
            if time.monotonic() + wait + LEAST_LEFT_S > deadline:
                raise Unavailable(f"The model {self._model.id} is busy: {reason}. Ask again.") from reason
            self._sleep(wait)
            attempt += 1

    def _call(self, made: Json, deadline: float, hear: Heard, *, output: bool) -> Json:
        """The answer as Converse has it."""
        client = _client(max(1, int(min(READ_TIMEOUT_S, deadline - time.monotonic()))))
        if not self._streams:
            answer: Json = client.converse(**made)
            content: list[Json] = (answer.get("output", {}).get("message") or {}).get("content") or []
            part = "".join(_said(block, output=output) for block in content)
            if part:
                hear(part)
            return answer
        with closing(client.converse_stream(**made)["stream"]) as stream:
            return gather(self._until(stream, deadline), hear, output=output)

    def _until(self, stream: Iterable[Json], deadline: float) -> Iterator[Json]:
        for event in stream:
            listening().check()
            if time.monotonic() > deadline:
                raise Unavailable(f"The model {self._model.id} does not answer in time. Nothing is lost; ask again.")
            yield event

    def _learns(self, error: ClientError) -> bool:
        """Whether the model has just said that it does not stream, or not with tools."""
        told = error.response.get("Error", {})
        refused = told.get("Code") == "ValidationException" and "stream" in told.get("Message", "").lower()
        if not self._streams or not refused:
            return False
        self._streams = False
        return True

    def _reply(self, request: ChatRequest, answer: Json) -> ChatReply:
        content: list[Json] = (answer.get("output", {}).get("message") or {}).get("content") or []
        calls = tuple(_call(block["toolUse"]) for block in content if "toolUse" in block)
        text = "".join(block["text"] for block in content if "text" in block)
        usage = read_usage(answer)
        stop: Stop = _STOPS.get(str(answer.get("stopReason", "")), "end")
        if request.output is not None:
            text = "".join(call.raw for call in calls if call.name == request.output.name)
            calls, stop = (), "end" if stop == "tools" else stop
        return ChatReply(text, calls, usage, self._model.price.usd(usage), stop)

    def _check(self, error: ClientError) -> None:
        """Raises BadInput unless the service is only busy."""
        told = error.response.get("Error", {}).get("Code", "")
        # Within a stream the first letter is a small one.
        code = told[:1].upper() + told[1:]
        if code not in BUSY and code != "ModelStreamErrorException":
            advice = WHAT_TO_DO.get(code, "Choose another model id.")
            raise BadInput(f"The model {self._model.id} refuses: {error}. {advice}") from error


def converse_request(model: Model, request: ChatRequest) -> Json:
    """Arguments of `converse`. Tools and instructions come first and do not change: a cache point ends them, and
    another the turns so far where more follow."""
    limits: Json = {"maxTokens": min(request.max_tokens, model.max_output_tokens)}
    if model.temperature is not None:
        limits["temperature"] = model.temperature
    turns: list[Json] = [{"role": turn.role, "content": _content(turn)} for turn in request.turns]
    if request.grows:
        turns[-1]["content"].append(CACHE_POINT)
    made: Json = {
        "modelId": model.id,
        "system": [{"text": request.system}, CACHE_POINT],
        "inferenceConfig": limits,
        "messages": turns,
    }
    tools = (request.output,) if request.output else request.tools
    if tools:
        made["toolConfig"] = {"tools": [_tool(tool) for tool in tools]}
    if request.output:
        made["toolConfig"]["toolChoice"] = {"tool": {"name": request.output.name}}
    if model.request_fields:
        made["additionalModelRequestFields"] = model.request_fields
    return made


def _tool(tool: ToolSpec) -> Json:
    about = {"name": tool.name, "description": tool.description, "inputSchema": {"json": tool.parameters}}
    return {"toolSpec": about}


def _content(turn: ChatTurn) -> list[Json]:
    content: list[Json] = [
        {
            "toolResult": {
                "toolUseId": one.call_id,
                "status": "error" if one.failed else "success",
                "content": _result(one),
            }
        }
        for one in turn.results
    ]
    if turn.text:
        content.append({"text": turn.text})
    content += [{"toolUse": {"toolUseId": c.id, "name": c.name, "input": c.arguments or {}}} for c in turn.calls]
    return content


def _said(block: Json, *, output: bool) -> str:
    return _call(block["toolUse"]).raw if output and "toolUse" in block else "" if output else block.get("text", "")


def _result(one: ToolResult) -> list[Json]:
    picture: list[Json] = [{"image": {"format": "jpeg", "source": {"bytes": one.image}}}] if one.image else []
    return [{"text": one.text}, *picture]


def _call(block: Json) -> ToolCall:
    given: Any = block.get("input")
    raw = block.get("raw") or (given if isinstance(given, str) else json.dumps(given, ensure_ascii=False))
    return ToolCall(block["toolUseId"], block["name"], given if isinstance(given, dict) else None, raw)


def _client(read_timeout_s: int) -> Any:
    """Retries are ours, because only they know the deadline."""
    return make_client("bedrock-runtime", attempts=1, read_timeout_s=read_timeout_s)
