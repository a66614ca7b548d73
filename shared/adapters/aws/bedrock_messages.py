"""Requests of Bedrock's Converse for one page, and what its answers say."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from shared.adapters.aws.models import Model
from shared.domain.model_calls import Correction, GroupingContext, Usage
from shared.domain.page import PageFile
from shared.prompts.page_prompt import correction_text, page_text, prompts
from shared.prompts.tool_schema import TOOL_DESCRIPTION, TOOL_NAME, tool_schema

# A page of 60 lines takes some 700 tokens of operations, a dense table of 400 cells about 6,000.
MAX_OUTPUT_TOKENS: Final = 8_192
# A conversation may not hold an empty turn.
NO_ANSWER: Final = "(no answer)"
CUT_OFF: Final = frozenset({"max_tokens", "model_context_window_exceeded"})

Request = dict[str, Any]


def build_request(
    model: Model, page: PageFile, image: bytes | None, context: GroupingContext, correction: Correction | None
) -> Request:
    """Arguments of `converse`. Tools and instructions come first and never change: the cache point ends them."""
    tool: Request = {
        "name": TOOL_NAME,
        "description": TOOL_DESCRIPTION,
        "inputSchema": {"json": tool_schema()},
        **({"strict": True} if model.strict else {}),
    }
    limits: Request = {"maxTokens": min(MAX_OUTPUT_TOKENS, model.max_output_tokens)}
    if model.temperature is not None:
        limits["temperature"] = model.temperature
    request: Request = {
        "modelId": model.id,
        "system": [{"text": prompts()[0].text}, {"cachePoint": {"type": "default"}}],
        "toolConfig": {"tools": [{"toolSpec": tool}], "toolChoice": {"tool": {"name": TOOL_NAME}}},
        "inferenceConfig": limits,
        "messages": [_page_turn(page, image, context), *(_correction_turns(correction) if correction else [])],
    }
    if model.request_fields:
        request["additionalModelRequestFields"] = model.request_fields
    return request


def _page_turn(page: PageFile, image: bytes | None, context: GroupingContext) -> Request:
    """The picture comes first: models read what follows with it in context."""
    content: list[Request] = [{"text": page_text(page, context)}]
    if image is not None:
        content.insert(0, {"image": {"format": "jpeg", "source": {"bytes": image}}})
    return {"role": "user", "content": content}


def _correction_turns(correction: Correction) -> list[Request]:
    """The previous answer unchanged, and the errors as the result of that tool call."""
    answer: list[Request] = correction.grouping.turn or []
    text = correction_text(correction.errors)
    calls = [block["toolUse"]["toolUseId"] for block in answer if "toolUse" in block]
    results: list[Request] = [
        {"toolResult": {"toolUseId": call, "status": "error", "content": [{"text": text}]}} for call in calls
    ]
    if not answer:
        return [
            {"role": "assistant", "content": [{"text": "(no answer)"}]},
            {"role": "user", "content": [{"text": text}]},
        ]
    return [{"role": "assistant", "content": answer}, {"role": "user", "content": results or [{"text": text}]}]


def read_usage(answer: Mapping[str, Any]) -> Usage:
    usage = answer.get("usage") or {}
    return Usage(
        input_tokens=usage.get("inputTokens", 0),
        cache_read_tokens=usage.get("cacheReadInputTokens", 0),
        cache_write_tokens=usage.get("cacheWriteInputTokens", 0),
        output_tokens=usage.get("outputTokens", 0),
    )


def read_answer(answer: Mapping[str, Any]) -> tuple[Any, str | None, list[Request]]:
    """The tool's input, why there is none to read (in words for the model), and the answer's content to hand back."""
    content: list[Request] = (answer.get("output", {}).get("message") or {}).get("content") or []
    turn = [block for block in content if "toolUse" in block or block.get("text", "").strip()]
    calls = [block["toolUse"] for block in content if "toolUse" in block]
    stop = str(answer.get("stopReason", ""))
    if stop in CUT_OFF:
        return None, f"The answer was cut off ({stop}); use ranges and fewer, larger operations.", _closed(turn)
    if len(calls) != 1 or calls[0].get("name") != TOOL_NAME:
        return None, f"The tool {TOOL_NAME} was called {len(calls)} times ({stop}); call it exactly once.", turn
    if not isinstance(calls[0].get("input"), Mapping):
        return None, "The tool's input is not valid JSON.", _closed(turn)
    return calls[0]["input"], None, turn


def _closed(turn: Sequence[Request]) -> list[Request]:
    """Replaces tool calls with an invalid input by an empty object, as a conversation may only contain objects."""
    return [{"toolUse": {**block["toolUse"], "input": {}}} if "toolUse" in block else block for block in turn]
