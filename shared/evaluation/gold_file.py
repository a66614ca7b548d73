"""Gold files of JSON lines: one question a line, or one JSON list of them."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from shared.domain.evaluation import GoldInput
from shared.errors import BadInput
from shared.evaluation.gold_rows import NoPlace, read_row


@dataclass
class GoldFile:
    """The questions of a file in order; `left_out` says, line by line, which were not used and why."""

    name: str
    questions: list[GoldInput] = field(default_factory=list[GoldInput])
    left_out: list[str] = field(default_factory=list[str])


def read_gold(path: Path) -> GoldFile:
    """Raises BadInput naming the file and the line where a row cannot be used."""
    found = GoldFile(path.name)
    for place, row in _rows(path):
        try:
            found.questions.append(read_row(row))
        except NoPlace as error:
            found.left_out.append(f"{place}: {error}")
        except BadInput as error:
            raise BadInput(f"{place} cannot be used: {error}.") from error
    return checked(found)


def checked(found: GoldFile) -> GoldFile:
    """Raises BadInput where there is no question."""
    if not found.questions:
        why = f" The first: {found.left_out[0]}." if found.left_out else ""
        raise BadInput(f"{found.name} has no question that can be measured.{why}")
    return found


def read_text(path: Path) -> str:
    """Raises BadInput for a file that is no UTF-8 text."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInput(f"{path} is not UTF-8 text ({error.reason} at byte {error.start}).") from error


def _rows(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    text = read_text(path)
    if text.lstrip().startswith("["):
        for number, row in enumerate(cast(list[Any], _parse(text, str(path))), start=1):
            yield _object(f"{path}, item {number}", row)
        return
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            place = f"{path}, line {number}"
            yield _object(place, _parse(line, place))


def _parse(text: str, place: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise BadInput(f"{place} is not JSON ({error}). Give one JSON object a line.") from error


def _object(place: str, row: Any) -> tuple[str, dict[str, Any]]:
    if not isinstance(row, dict):
        raise BadInput(f'{place} is not an object such as {{"question": …, "document": …, "page": …}}.')
    return place, cast(dict[str, Any], row)
