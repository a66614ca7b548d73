"""The layout engine's operations as a model would have to write them: the best-behaved answer there is."""

import re
from collections.abc import Sequence
from itertools import groupby
from typing import Any

from shared.domain.geometry import union
from shared.domain.operations import PageOperations, RegisterFigure
from shared.domain.page import PageFile
from shared.extraction.references import Resolver
from shared.prompts.tool_schema import EXCLUDED, IMAGE_ID

WHOLE = re.compile(r"p\d+\.f(\d+)")
Json = dict[str, Any]


def wire_of(page: PageFile, operations: PageOperations) -> Json:
    """The tool's input; runs of three fragments and more as ranges."""
    drawn: set[str] = set()
    written: list[Json] = []
    for operation in operations.operations:
        values = _short(operation.model_dump(mode="json", exclude_defaults=True))
        kept = {name: value for name, value in values.items() if (operation.op, name) not in EXCLUDED}
        if isinstance(operation, RegisterFigure):
            kept[IMAGE_ID] = _image_of(page, operation, drawn)
        written.append({"op": operation.op, **kept})
    return {"operations": written, "confidence": operations.confidence}


def _short(values: Json) -> Json:
    found = dict(values)
    for name, value in values.items():
        if name.endswith("fragment_ids"):
            found[name] = _runs(value)
        elif name == "rows":
            found[name] = [[_short(cell) for cell in row] for row in value]
        elif name == "attributes":
            found[name] = [_short(one) for one in value]
    return found


def _runs(references: Sequence[str]) -> list[str]:
    """Numbers that rise by one have one distance from their positions."""
    keyed = [(_distance(at, reference), reference) for at, reference in enumerate(references)]
    short: list[str] = []
    for _, members in groupby(keyed, key=lambda pair: pair[0]):
        run = [reference.partition(".")[2] for _, reference in members]
        short += [f"{run[0]}-{run[-1]}"] if len(run) > 2 else run
    return short


def _distance(position: int, reference: str) -> int | str:
    matched = WHOLE.fullmatch(reference)
    return int(matched[1]) - position if matched else f"part {position}"


def _image_of(page: PageFile, figure: RegisterFigure, drawn: set[str]) -> str:
    labels = [part.box for part in Resolver(page).resolve_all(figure.label_fragment_ids)]
    image = next(i for i in page.images if i.id not in drawn and union([i.box, *labels]) == figure.box)
    drawn.add(image.id)
    return image.id.partition(".")[2]
