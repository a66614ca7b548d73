"""A server that speaks Textract's wire format for `DetectDocumentText`, throttling included."""

import base64
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.message import Message
from typing import Any

from tests.aws.serving import serving_json

TARGET = "Textract.DetectDocumentText"


@dataclass
class FakeTextract:
    """What it was sent, and what it answers: `lines` of words, or the AWS error `error`."""

    url: str = ""
    lines: list[list[str]] = field(default_factory=list[list[str]])
    throttle_first: int = 0
    error: str = ""
    calls: int = 0
    images: list[bytes] = field(default_factory=list[bytes])

    def answer(self, target: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        self.calls += 1
        if target != TARGET:
            return 400, {"__type": "UnknownOperationException"}
        if self.calls <= self.throttle_first:
            return 400, {"__type": "ThrottlingException", "message": "Rate exceeded"}
        if self.error:
            return 400, {"__type": self.error, "message": "no"}
        self.images.append(base64.b64decode(body["Document"]["Bytes"]))
        return 200, {"DocumentMetadata": {"Pages": 1}, "Blocks": blocks_of(self.lines)}


def blocks_of(lines: list[list[str]]) -> list[dict[str, Any]]:
    """PAGE, then LINE blocks, then their WORD blocks, as the service orders them."""
    page: list[dict[str, Any]] = [{"BlockType": "PAGE", "Id": "page", "Geometry": geometry(0, 0, 1, 1)}]
    listed: list[dict[str, Any]] = []
    words: list[dict[str, Any]] = []
    for row, texts in enumerate(lines):
        ids = [f"w{row}.{n}" for n in range(len(texts))]
        listed.append(
            {
                "BlockType": "LINE", "Id": f"l{row}", "Text": " ".join(texts), "Confidence": 99.0,
                "Geometry": geometry(0.1, 0.1 * row, 0.8, 0.05), "Relationships": [{"Type": "CHILD", "Ids": ids}],
            }
        )  # fmt: skip
        words += [
            {
                "BlockType": "WORD", "Id": identifier, "Text": text, "Confidence": 90.5, "TextType": "PRINTED",
                "Geometry": geometry(0.1 + 0.2 * n, 0.1 * row, 0.15, 0.05),
            }
            for n, (identifier, text) in enumerate(zip(ids, texts, strict=True))
        ]  # fmt: skip
    return [*page, *listed, *words]


def geometry(left: float, top: float, width: float, height: float) -> dict[str, Any]:
    return {"BoundingBox": {"Left": left, "Top": top, "Width": width, "Height": height}}


@contextmanager
def running_textract() -> Generator[FakeTextract]:
    """The server on a free loopback port, until the context ends."""
    textract = FakeTextract()

    def answer(_path: str, headers: Message, body: dict[str, Any]) -> tuple[int, dict[str, str], dict[str, Any]]:
        status, answered = textract.answer(headers["X-Amz-Target"], body)
        return status, {"Content-Type": "application/x-amz-json-1.1"}, answered

    with serving_json(answer) as textract.url:
        yield textract
