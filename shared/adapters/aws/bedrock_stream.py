"""A reply of Bedrock's ConverseStream, gathered to what Converse would have answered."""

from collections.abc import Iterator, Mapping
from typing import Any

from shared.adapters.arguments import read_arguments
from shared.ports import Heard

Json = dict[str, Any]


class BrokeOff(Exception):
    """The stream has ended, and the reply has not."""


def gather(events: Iterator[Mapping[str, Any]], heard: Heard, *, output: bool) -> Json:
    """The answer; `heard` gets "" with the first event, then the parts of its text, or with `output` of the called
    tool's JSON, as they come.

    Raises BrokeOff, and what reading the events raises: ClientError for an exception that the service sends.
    """
    blocks = dict[int, Json]()
    stop: str | None = None
    usage: Json = {}
    for at, event in enumerate(events):
        if at == 0:
            heard("")
        if "contentBlockStart" in event:
            begun = event["contentBlockStart"]
            blocks[begun["contentBlockIndex"]] = dict(begun["start"].get("toolUse", {}))
        elif "contentBlockDelta" in event:
            told = event["contentBlockDelta"]
            # A text begins with its first part.
            part = _add(blocks.setdefault(told["contentBlockIndex"], {}), told["delta"], output=output)
            if part:
                heard(part)
        elif "messageStop" in event:
            stop = event["messageStop"]["stopReason"]
        elif "metadata" in event:
            usage = event["metadata"].get("usage") or {}
    if stop is None:
        raise BrokeOff
    content = [_whole(blocks[at]) for at in sorted(blocks)]
    return {"output": {"message": {"content": content}}, "stopReason": stop, "usage": usage}


def _add(block: Json, delta: Mapping[str, Any], *, output: bool) -> str:
    """Joins the part to its block; what of it is to be heard. Reasoning is neither."""
    text, given = delta.get("text", ""), delta.get("toolUse", {}).get("input", "")
    block["said"] = block.get("said", "") + text + given
    return given if output else text


def _whole(block: Json) -> Json:
    said = block.pop("said", "")
    if "toolUseId" not in block:
        return {"text": said}
    arguments = read_arguments(said)
    return {"toolUse": {**block, "input": said if arguments is None else arguments, "raw": said or "{}"}}
