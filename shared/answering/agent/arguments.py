"""What the tools take and what each is for; and arguments that cannot be used as they are, in words that a model can
act on."""

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, cast
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails

from shared.domain.storable import is_storable
from shared.errors import BadInput

PASSAGES_MAX: Final = 20
CHOOSE: Final = "choose_evidence"
# Of errors that pydantic tells in words of Python.
_WORDS: Final = {"missing": "is missing", "extra_forbidden": "is not taken", "model_type": "should be an object"}
CURSOR: Final = "`next_cursor` of the page before"


class Arguments(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class SearchArguments(Arguments):
    """Search by words and by meaning: the best passages, verbatim, each with the chunk_id that it is cited by."""

    query: str = Field(min_length=1, max_length=1_000)
    knowledge_base_ids: list[UUID] = Field(default=[], description="none: all of the question's")
    documents: list[UUID] | None = Field(default=None, description="ids of document versions to look in")
    where: str | None = Field(default=None, description="a filter over attributes: `mass >= 10 kg`")
    include_superseded: bool = Field(default=False, description="older versions too")
    recency_days: float | None = Field(default=None, gt=0, le=36_500, description="prefer recent; half-life in days")
    k: int = Field(default=8, ge=1, le=PASSAGES_MAX)


class LookUpArguments(Arguments):
    """Read a section by its number as printed, `C7.6.2` or `Table 3`. Better than a search where a number is known."""

    address: str = Field(min_length=1, max_length=200)
    knowledge_base_ids: list[UUID] = Field(default=[], description="none: all of the question's")
    documents: list[UUID] | None = Field(default=None, description="ids of document versions to look in")
    recursive: bool = Field(default=False, description="everything below it too")
    include_superseded: bool = Field(default=False, description="older versions too")


class ListBasesArguments(Arguments):
    """List the knowledge bases that may be read, with what each is for. Choose by that before searching."""


class ListDocumentsArguments(Arguments):
    """List documents, newest first, each with the tree of its versions, oldest first, and which of them is current."""

    knowledge_base_id: UUID | None = None
    cursor: UUID | None = Field(default=None, description=CURSOR)


class GetChunkArguments(Arguments):
    """Read a passage with those before and after it, and look at it on its page where layout or a drawing matters."""

    chunk_id: UUID
    neighbours: int = Field(default=2, ge=0, le=5)
    page_image: bool = Field(default=False, description="the crop of its page too, as an image")


class CompareArguments(Arguments):
    """Compare two versions of a document by their document ids: which passages were changed, added and removed, and
    whether numbers, limits, negations or obligations differ."""

    before: UUID
    after: UUID
    cursor: int = Field(default=0, ge=0, description=CURSOR)


class TableRowsArguments(Arguments):
    """Read a table as a small data set, by the chunk_id of the table or of one of its rows: columns with their types
    and units, rows with the chunk_id that each is cited by."""

    chunk_id: UUID
    cursor: int = Field(default=-1, ge=-1, description=CURSOR)
    limit: int = Field(default=40, ge=1, le=100, description="how many rows at most")


class ChooseArguments(Arguments):
    """Choose the passages that bear on the question, the best first, by their chunk_ids. It ends the search, unless
    there is more to look for."""

    chunk_ids: list[UUID] = Field(max_length=50)
    done: bool = Field(default=True, description="false: keep these in sight, and go on searching")


ARGUMENTS: Final[Mapping[str, type[Arguments]]] = MappingProxyType({
    "search": SearchArguments,
    "look_up": LookUpArguments,
    "get_chunk": GetChunkArguments,
    "list_documents": ListDocumentsArguments,
    "list_knowledge_bases": ListBasesArguments,
    "compare_versions": CompareArguments,
    "table_rows": TableRowsArguments,
    CHOOSE: ChooseArguments,
})  # fmt: skip


def description_of(tool: str) -> str:
    """What a tool is for, in the words of every door that has it."""
    return " ".join((ARGUMENTS[tool].__doc__ or "").split())


def schema_of(tool: str) -> dict[str, Any]:
    """The JSON schema of its arguments, without the description that stands beside it."""
    return {name: value for name, value in ARGUMENTS[tool].model_json_schema().items() if name != "description"}


def check_storable(arguments: Any) -> None:
    """Raises BadInput where a text in the arguments holds what neither UTF-8 nor Postgres can."""
    if not all(is_storable(text) for text in _texts(arguments)):
        raise BadInput("The call holds a NUL character or a lone surrogate, which cannot be searched. Leave it out.")


def _texts(value: Any) -> Iterator[str]:
    """Every text in arguments as JSON has them, names included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, BaseModel):
        yield from _texts(value.model_dump())
    elif isinstance(value, Mapping):
        for name, one in cast("Mapping[Any, Any]", value).items():
            yield from (*_texts(name), *_texts(one))
    elif isinstance(value, Sequence):
        for one in cast("Sequence[Any]", value):
            yield from _texts(one)


def unfit(error: ValidationError, described: Mapping[str, str] | None = None) -> str:
    """What is wrong with which argument, and what it is for where `described` says so by its name."""
    wrong = "; ".join(_wrong(one, described or {}) for one in error.errors(include_url=False, include_input=False))
    return f"These arguments do not fit the tool: {wrong}. Call it again with others."


def _wrong(one: ErrorDetails, described: Mapping[str, str]) -> str:
    place = one["loc"]
    purpose = f" ({described[str(place[0])]})" if len(place) == 1 and str(place[0]) in described else ""
    said = _WORDS.get(one["type"]) or one["msg"].replace("Input should", "should").replace("Value error, ", "")
    return f"`{'.'.join(map(str, place)) or 'arguments'}`: {said[:1].lower()}{said[1:]}{purpose}"
