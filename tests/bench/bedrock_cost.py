"""What the Bedrock engine costs per page, from counted tokens and the price table; no model is called.

`python -m tests.bench.bedrock_cost FOLDER… [--pages 20] [--model ID]…`: the requests that would be sent for the first
pages of every PDF, answered by the fake with the layout engine's own operations. Tokens are counted as the fake counts
them: four characters of JSON a token, 750 pixels of a picture a token. Claude's tokenizer finds more in short ids and
numbers and less in prose; nothing but a bill tells the true figure. `tokens` are means per page sent.
"""

import argparse
import base64
import io
import json
import statistics
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from PIL import Image

from shared.adapters.aws.bedrock_messages import build_request, read_answer, read_usage
from shared.adapters.aws.models import find_model
from shared.domain.model_calls import GroupingContext
from shared.domain.operations import PageOperations
from shared.domain.page import PageFile
from shared.errors import RefusedFile
from shared.extraction.engine_choice import AUTO_BELOW, fits_model, wants_image
from shared.extraction.grouping import read_grouping
from shared.extraction.layout import extract_page
from shared.extraction.profile import build_profile
from shared.ingestion.grouping import IMAGE_PIXELS
from shared.readers.pdf.document import open_pdf
from shared.readers.sketch import sketch_page
from tests.aws.converse import FakeConverse
from tests.aws.wire import wire_of

MODELS = ("global.anthropic.claude-haiku-4-5-20251001-v1:0", "eu.anthropic.claude-haiku-4-5-20251001-v1:0")
TAIL = "the last words of the page before, as many as a request holds of them: a hundred and sixty characters of text"
NAMES = ("input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens")


def pages_of(path: Path, limit: int) -> Iterator[tuple[PageFile, PageOperations]]:
    with open_pdf(path) as source:
        pages = [source.read_page(n) for n in range(1, min(limit, source.page_count) + 1)]
        profile = build_profile(map(sketch_page, pages), source.outline)
    for page in pages:
        yield page, extract_page(page, profile)


@cache
def blank(width: int, height: int) -> bytes:
    """A picture in the size that is sent."""
    factor = (IMAGE_PIXELS / (width * height)) ** 0.5
    stream = io.BytesIO()
    Image.new("L", (int(width * factor), int(height * factor)), 255).save(stream, "JPEG")
    return stream.getvalue()


def measure(path: Path, limit: int, fake: FakeConverse, model_id: str) -> Iterator[dict[str, Any]]:
    """A row per page of which something would be sent."""
    model, context = (
        find_model(model_id),
        GroupingContext(document=path.stem, sections=("Part", "Chapter"), previous_tail=TAIL),
    )
    for page, layout in pages_of(path, limit):
        if not page.fragments:
            continue
        if not fits_model(page):
            yield {"sent": False, "confidence": layout.confidence}
            continue
        picture = blank(round(page.width_pt), round(page.height_pt)) if wants_image(page) else None
        request = build_request(model, page, picture, context, None)
        fake.answer_with = lambda _, page=page, layout=layout: wire_of(page, layout)
        _, _, answer = fake.answer(json.loads(json.dumps(request, default=lambda b: base64.b64encode(b).decode())))
        usage, (raw, problem, _) = read_usage(answer), read_answer(answer)
        _, errors = read_grouping(page, raw, "bench") if problem is None else (None, [problem])
        row = {"sent": True, "image": picture is not None, "confidence": layout.confidence, "errors": errors[:1]}
        yield row | {name: getattr(usage, name) for name in NAMES} | {"usd": model.price.usd(usage)}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--pages", type=int, default=20)
    parser.add_argument("--model", action="append")
    arguments = parser.parse_args()
    for model_id in arguments.model or MODELS:
        print(model_id)
        everything: list[dict[str, Any]] = []
        for folder in arguments.folders:
            fake, rows = FakeConverse(), list[dict[str, Any]]()
            for file in sorted([folder] if folder.is_file() else folder.rglob("*.pdf")):
                try:
                    rows += measure(file, arguments.pages, fake, model_id)
                except RefusedFile:
                    continue
            everything += rows
            print_row(folder.name, rows)
        print_row("all", everything)


def print_row(folder: str, rows: list[dict[str, Any]]) -> None:
    sent = [row for row in rows if row["sent"]]
    if not sent:
        return
    usd = sorted(row["usd"] for row in sent)
    unsure = [row for row in sent if row["confidence"] < AUTO_BELOW]
    told = {
        "pages": len(sent),
        "too_full": len(rows) - len(sent),
        "not_valid": sum(bool(row["errors"]) for row in sent),
        "with_picture": round(sum(row["image"] for row in sent) / len(sent), 3),
        "tokens": {
            field.removesuffix("_tokens"): round(statistics.mean(row[field] for row in sent)) for field in NAMES
        },
        "usd_per_page": {
            "mean": round(statistics.mean(usd), 5),
            "median": round(statistics.median(usd), 5),
            "p95": round(usd[int(0.95 * len(usd))], 5),
        },
        "auto": {
            "sent": round(len(unsure) / len(sent), 3),
            "usd_per_page": round(sum(row["usd"] for row in unsure) / len(rows), 5),
        },
    }
    print(f"  {folder[:28]:28} {json.dumps(told)}", flush=True)


if __name__ == "__main__":
    main()
