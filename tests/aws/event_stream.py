"""AWS's event stream encoding (application/vnd.amazon.eventstream), as a service writes it."""

import json
import struct
from binascii import crc32
from collections.abc import Iterator
from typing import Any

TYPE = "application/vnd.amazon.eventstream"
STRING = 7
PART = 7


def frame(headers: dict[str, str], payload: bytes) -> bytes:
    """One message: lengths, their checksum, headers, payload, checksum of all."""
    written = b"".join(
        bytes([len(name)]) + name.encode() + struct.pack(">BH", STRING, len(value)) + value.encode()
        for name, value in headers.items()
    )
    lengths = struct.pack(">II", len(written) + len(payload) + 16, len(written))
    message = lengths + struct.pack(">I", crc32(lengths)) + written + payload
    return message + struct.pack(">I", crc32(message))


def event(name: str, value: dict[str, Any]) -> bytes:
    headers = {":event-type": name, ":content-type": "application/json", ":message-type": "event"}
    return frame(headers, json.dumps(value).encode())


def fault(name: str, message: str) -> bytes:
    """An exception that the service sends within a stream."""
    headers = {":exception-type": name, ":content-type": "application/json", ":message-type": "exception"}
    return frame(headers, json.dumps({"message": message}).encode())


def converse_events(answer: dict[str, Any]) -> Iterator[bytes]:
    """An answer of Converse as ConverseStream sends it, in parts of a few characters."""
    yield event("messageStart", {"role": "assistant"})
    for place, block in enumerate(answer["output"]["message"]["content"]):
        where = {"contentBlockIndex": place}
        if "toolUse" in block:
            call = block["toolUse"]
            begun = {"toolUseId": call["toolUseId"], "name": call["name"]}
            yield event("contentBlockStart", {**where, "start": {"toolUse": begun}})
            given = call["input"]
            said = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
        else:
            said = block["text"]
        for at in range(0, len(said), PART):
            part = said[at : at + PART]
            delta = {"toolUse": {"input": part}} if "toolUse" in block else {"text": part}
            yield event("contentBlockDelta", {**where, "delta": delta})
        yield event("contentBlockStop", where)
    yield event("messageStop", {"stopReason": answer["stopReason"]})
    yield event("metadata", {"usage": answer["usage"], "metrics": answer["metrics"]})
