"""Turns a model's raw answer into operations: resolves ids, computes boxes, and refuses everything else with a message.

The model uses short ids (`f3`, `f3[0:17]`, and `f3-f9` for a range of the page's list); operations hold full
references. Nothing that the model wrote becomes content: addresses, attribute values and units must occur in the
fragments that they name; keywords, which need not occur there, are few and short and never content.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from pydantic import TypeAdapter, ValidationError

from shared.domain.geometry import union
from shared.domain.operations import (
    AttributeClaim,
    CandidateAttribute,
    Operation,
    PageOperations,
    RegisterChunk,
    RegisterSection,
)
from shared.domain.page import PageFile
from shared.extraction.references import Resolver
from shared.extraction.validate import validate_operations
from shared.prompts.tool_schema import EXCLUDED, IMAGE_ID

MAX_ERRORS: Final = 20
MAX_KEYWORDS: Final = 5
KEYWORD: Final = re.compile(r"[^\W_][\w'./+-]*( [\w'./+-]+){0,3}")
MAX_KEYWORD_LENGTH: Final = 40
ATTRIBUTE_NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,39}")
ENGINE: Final = "bedrock"

_RUN: Final = re.compile(r"(?:p\d+\.)?f(\d{1,6})\s*-\s*(?:p\d+\.)?f(\d{1,6})")
_SHORT: Final = re.compile(r"(?:p(?P<page>\d+)\.)?(?P<rest>[fi]\d+(?:\[\d+:\d+\])?)")
_SPACES: Final = "\u2009\u00a0\u202f '\u2019"
_NUMBER: Final = re.compile(rf"\d+(?:[.,{_SPACES}]\d+)*")
_OPERATION: Final[TypeAdapter[Operation]] = TypeAdapter(Operation)


def read_grouping(page: PageFile, raw: Any, version: str) -> tuple[PageOperations | None, list[str]]:
    """Returns (operations, []) for the tool input `raw`, or (None, what is wrong with it, one sentence each)."""
    if not isinstance(raw, Mapping) or not isinstance(raw.get("operations"), list):
        return None, ["The tool's input must be an object with a list `operations`."]
    unknown = sorted(str(name) for name in raw if name not in ("operations", "confidence"))
    if unknown:
        return None, [f"The tool's input has properties that it may not have: {', '.join(unknown)[:200]}."]
    reader = _Reader(page)
    operations = [reader.read(position, item) for position, item in enumerate(raw["operations"])]
    if reader.errors:
        return None, _first(reader.errors)
    found = PageOperations(
        page=page.page,
        operations=[operation for operation in operations if operation is not None],
        confidence=_share(raw.get("confidence")),
        engine=ENGINE,
        engine_version=version,
    )
    errors = validate_operations(page, found) + list(_invented(page, found.operations))
    return (None, _first(errors)) if errors else (found, [])


def _first(errors: Sequence[str]) -> list[str]:
    more = len(errors) - MAX_ERRORS
    return [*errors[:MAX_ERRORS], f"… and {more} more of the kind"] if more > 0 else [*errors]


def _share(value: Any) -> float:
    """A confidence as a number from 0 to 1; 1 where none was given (the page's own signs lower it later)."""
    usable = isinstance(value, int | float) and not isinstance(value, bool) and value == value
    return min(1.0, max(0.0, float(value))) if usable else 1.0


class _Reader:
    """Parses operations one by one and collects what is wrong with them."""

    def __init__(self, page: PageFile) -> None:
        self.errors: list[str] = []
        self._page = page
        self._order = {fragment.id: position for position, fragment in enumerate(page.fragments)}
        self._resolver = Resolver(page)
        self._images = {image.id: image for image in page.images}
        self._drawn: set[str] = set()

    def read(self, position: int, item: Any) -> Operation | None:
        name = item.get("op") if isinstance(item, Mapping) else None
        where = f"operation {position} ({str(name)[:40]})"
        if not isinstance(item, Mapping):
            self.errors.append(f"{where}: is not an object")
            return None
        try:
            refused = [key for key in item if (name, key) in EXCLUDED]
            if refused:
                raise ValueError(f"may not have `{refused[0]}`")
            values = self._expand({str(key): value for key, value in item.items()})
            if name == "register_figure":
                values = self._with_box(values)
            return self._tidy(_OPERATION.validate_python(values))
        except ValidationError as error:
            self.errors += [f"{where}: {problem}" for problem in _problems(error)]
        except ValueError as error:
            self.errors.append(f"{where}: {error}")
        return None

    def _expand(self, value: dict[str, Any]) -> dict[str, Any]:
        """Replaces short ids by full references in every property that names fragments."""
        expanded = dict(value)
        for key, inner in value.items():
            if key.endswith("fragment_ids"):
                expanded[key] = self._references(inner)
            elif key == "rows" and isinstance(inner, list):
                expanded[key] = [self._row(row) for row in inner]
            elif key == "attributes" and isinstance(inner, list):
                expanded[key] = [self._expand(one) if isinstance(one, dict) else one for one in inner]
            elif key == "confidence":
                expanded[key] = _share(inner)
        return expanded

    def _row(self, row: Any) -> Any:
        if not isinstance(row, list):
            return row
        return [self._expand(cell) if isinstance(cell, dict) else cell for cell in row]

    def _references(self, ids: Any) -> Any:
        if not isinstance(ids, list) or not all(isinstance(one, str) for one in ids):
            raise ValueError("fragment ids are a list of strings such as `f3`")
        return [reference for one in ids for reference in self._reference(one.strip())]

    def _reference(self, short: str) -> list[str]:
        run = _RUN.fullmatch(short)
        if run:
            return self._run(short, int(run[1]), int(run[2]))
        matched = _SHORT.fullmatch(short)
        if matched is None or (matched["page"] and int(matched["page"]) != self._page.page):
            raise ValueError(f"{short[:60]!r} is no id of this page")
        return [f"p{self._page.page}.{matched['rest']}"]

    def _run(self, short: str, first: int, last: int) -> list[str]:
        ends = [f"p{self._page.page}.f{number}" for number in (first, last)]
        unknown = [end for end in ends if end not in self._order]
        if unknown:
            raise ValueError(f"{short}: no such fragment on this page")
        start, end = (self._order[end] for end in ends)
        if end < start:
            raise ValueError(f"{short}: runs backwards; name the fragments one by one")
        return [fragment.id for fragment in self._page.fragments[start : end + 1]]

    def _with_box(self, values: dict[str, Any]) -> dict[str, Any]:
        """Adds the figure's box, computed as that of its image and its labels; the model's own is ignored."""
        short = str(values.pop(IMAGE_ID, ""))
        matched = _SHORT.fullmatch(short)
        image = self._images.get(f"p{self._page.page}.{matched['rest']}") if matched else None
        if image is None:
            raise ValueError(f"image_id {short[:60]!r}: no such image on this page")
        if image.id in self._drawn:
            raise ValueError(f"image_id {short}: is a figure already")
        self._drawn.add(image.id)
        labels = values.get("label_fragment_ids")
        parts = self._resolver.resolve_all(labels if isinstance(labels, list) else [])
        return {**values, "box": union([image.box, *(part.box for part in parts)])}

    def _tidy(self, operation: Operation) -> Operation:
        """Drops invalid keywords silently, as they are a search aid and never content."""
        if not isinstance(operation, RegisterChunk) or not operation.keywords:
            return operation
        kept = [k for k in (" ".join(k.split()) for k in operation.keywords) if _is_keyword(k)]
        return operation.model_copy(update={"keywords": list(dict.fromkeys(kept))[:MAX_KEYWORDS]})


def _is_keyword(text: str) -> bool:
    return len(text) <= MAX_KEYWORD_LENGTH and KEYWORD.fullmatch(text) is not None


def _problems(error: ValidationError) -> Iterator[str]:
    for one in error.errors():
        place = ".".join(str(step) for step in one["loc"][1:])
        yield f"{place}: {one['msg']}" if place else one["msg"]


def _invented(page: PageFile, operations: Sequence[Operation]) -> Iterator[str]:
    """Complaints about addresses, values and units that occur in no named fragment."""
    resolver = Resolver(page)
    for position, operation in enumerate(operations):
        where = f"operation {position} ({operation.op})"
        match operation:
            case RegisterSection(address=str(address)):
                yield from _printed(f"{where}: address", address, resolver, operation.title_fragment_ids)
            case RegisterChunk():
                if operation.section is not None:
                    yield from _printed(f"{where}: section", operation.section, resolver, operation.fragment_ids)
                for attribute in operation.attributes:
                    yield from (f"{where}: attribute: {problem}" for problem in _attribute_problems(attribute))
            case CandidateAttribute():
                yield from _printed(f"{where}: raw", operation.raw, resolver, operation.fragment_ids, anywhere=True)
            case _:
                continue


def _printed(
    what: str, wanted: str, resolver: Resolver, references: Sequence[str], anywhere: bool = False
) -> Iterator[str]:
    """A complaint unless the named fragments start with (or, with `anywhere`, contain) `wanted`, white space
    ignored."""
    try:
        text = "".join("".join(part.text for part in resolver.resolve_all(references)).split())
    except ValueError as error:
        yield f"{what}: {error}"
        return
    letters = "".join(wanted.split())
    if not letters or not (letters in text if anywhere else text.startswith(letters)):
        yield f"{what} {wanted[:60]!r} is not what its fragments {'hold' if anywhere else 'start with'}"


def _attribute_problems(attribute: AttributeClaim) -> Iterator[str]:
    """Checks what is derived from an attribute's `raw` (which `validate_operations` checks). Its name may be chosen
    freely."""
    if not ATTRIBUTE_NAME.fullmatch(attribute.name):
        yield f"the name {attribute.name[:60]!r} is not lower case with underscores"
    if isinstance(attribute.value, str):
        if attribute.value not in attribute.raw:
            yield f"the value {attribute.value[:60]!r} is not in {attribute.raw[:60]!r}"
    elif not any(_is_number(printed, attribute.value) for printed in _NUMBER.findall(attribute.raw)):
        yield f"the value {attribute.value} is not a number in {attribute.raw[:60]!r}"
    if attribute.unit is not None and attribute.unit not in attribute.raw:
        yield f"the unit {attribute.unit[:60]!r} is not in {attribute.raw[:60]!r}"


def _is_number(printed: str, value: float) -> bool:
    """Whether `printed` can be read as `value`, with either convention for decimals and thousands; signs are not
    compared, as they are printed in many ways."""
    readings = (
        re.sub(rf"[{re.escape(grouping)}{_SPACES}]", "", printed).replace(decimal, ".")
        for grouping, decimal in ((",", "."), (".", ","))
        if re.fullmatch(rf"(?:\d+|\d{{1,3}}(?:[{grouping}{_SPACES}]\d{{3}})+)(?:[{decimal}]\d+)?", printed)
    )
    return any(float(reading) == abs(value) for reading in readings)
