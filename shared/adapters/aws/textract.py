"""OCR on AWS: Textract's text detection, so that no model weights ride in a layer."""

import io
from collections.abc import Iterator
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError
from PIL import Image

from shared.adapters.aws.clients import make_client
from shared.errors import Unavailable
from shared.ports import OcrWord

# Waited out with jitter, below the time that a page has.
ATTEMPTS = 4
# What the service says of a picture that it cannot read; such a page has no text for us.
UNREADABLE = {"UnsupportedDocumentException", "BadDocumentException"}
# What it takes in a request (API_Document, "Bytes") and on a side ("Set Quotas in Amazon Textract").
MAX_BYTES = 5_000_000
MAX_SIDE = 10_000
JPEG_QUALITY = 80


class TextractOcr:
    """`DetectDocumentText` on one page's picture: printed Latin scripts, English, German, French, Italian, Spanish and
    Portuguese."""

    @property
    def version(self) -> str:
        return "textract/detect-document-text"

    def read(self, image: bytes) -> list[OcrWord]:
        """Raises Unavailable when the service still throttles or fails after all tries."""
        client = make_client("textract", ATTEMPTS)
        try:
            answer = client.detect_document_text(Document={"Bytes": fitting(image)})
        except ClientError as error:
            if error.response.get("Error", {}).get("Code") in UNREADABLE:
                return []
            raise Unavailable(f"The OCR service does not answer: {error}") from error
        except BotoCoreError as error:
            raise Unavailable(f"The OCR service does not answer: {error}") from error
        return list(_words(answer["Blocks"]))


def fitting(image: bytes) -> bytes:
    """The same bytes where the service takes them, else the picture in grey as JPEG, as large as it may be."""
    with Image.open(io.BytesIO(image)) as opened:
        if len(image) <= MAX_BYTES and max(opened.size) <= MAX_SIDE:
            return image
        picture = opened.convert("L")
    picture.thumbnail((MAX_SIDE, MAX_SIDE))
    while len(found := _jpeg(picture)) > MAX_BYTES:
        picture = picture.resize((picture.width * 4 // 5, picture.height * 4 // 5))
    return found


def _jpeg(picture: Image.Image) -> bytes:
    stream = io.BytesIO()
    picture.save(stream, "JPEG", quality=JPEG_QUALITY)
    return stream.getvalue()


def _words(blocks: list[dict[str, Any]]) -> Iterator[OcrWord]:
    """The words of each LINE block, in its order."""
    by_id = {block["Id"]: block for block in blocks if block["BlockType"] == "WORD"}
    for number, line in enumerate(block for block in blocks if block["BlockType"] == "LINE"):
        children = (r["Ids"] for r in line.get("Relationships", ()) if r["Type"] == "CHILD")
        for word in (by_id[i] for ids in children for i in ids):
            box = word["Geometry"]["BoundingBox"]
            yield OcrWord(
                word["Text"], box["Left"], box["Top"], box["Left"] + box["Width"], box["Top"] + box["Height"],
                word["Confidence"] / 100, number,
            )  # fmt: skip
