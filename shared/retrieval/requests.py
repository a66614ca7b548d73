"""The requests that retrieval takes: the same fields in the API, the CLI and a stored trace."""

from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from shared.domain.operations import ChunkType
from shared.filters.selection import Filters
from shared.filters.tree import Filter

Index = Literal["hybrid", "fts", "vector"]
QUERY_LENGTH_MAX = 4000
HITS_MAX = 100
EXPORT_MAX = 5000
COLUMNS_MAX = 60
KNOWLEDGE_BASES_MAX = 100
# Parsed by `filters()` and not by pydantic, whose error would list every alternative of the union.
Where = Annotated[
    str | dict[str, Any] | None,
    Field(
        description="Attribute filter: written, `hp >= 10 and lubrication = oilless`, or as a tree of"
        " `{all|any|not: [...]}` over `{attr, op: eq|ne|in|lt|le|gt|ge|between|exists, value, unit?}`",
        examples=["mass >= 10 kg", {"attr": "mass", "op": "ge", "value": 10, "unit": "kg"}],
    ),
]


class _Request(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    knowledge_base_ids: list[UUID] = Field(
        default=[], max_length=KNOWLEDGE_BASES_MAX, description="none: all that the caller may read"
    )
    include_superseded: bool = False


class SearchRequest(_Request):
    """A ranked search. Without `query` it lists what passes the filters: newest first with `recency_days`, else in
    document order.

    `documents` pins versions: their chunks are searched whether current or not. `recency_days` is a half-life in days.
    """

    query: str = Field(default="", max_length=QUERY_LENGTH_MAX)
    index: Index = "hybrid"
    k: int = Field(default=10, ge=1, le=HITS_MAX)
    types: list[ChunkType] | None = None
    documents: list[UUID] | None = Field(default=None, max_length=1000)
    recency_days: float | None = Field(default=None, gt=0, le=36_500)
    where: Where = None
    min_score: float | None = Field(default=None, ge=-1, le=10_000, description="of one index: cosine, or BM25")
    sort: str | None = Field(
        default=None, max_length=200, description="`price`, `price desc`, `newest`, `oldest`; without a value: last"
    )
    facets: bool | list[str] = Field(
        default=False, description="counts by the values of these attributes, or of those that most hits have"
    )
    columns: list[str] | None = Field(
        default=None, max_length=COLUMNS_MAX, description="the hits as a table of these; empty: of what they have"
    )

    def filters(self) -> Filters:
        types = None if self.types is None else tuple(self.types)
        return Filters(types, _pinned(self.documents), self.include_superseded, _read(self.where))


class ExportRequest(SearchRequest):
    """A search whose result is written as CSV: without a query all that passes, else the hits of the query."""

    k: int = Field(default=EXPORT_MAX, ge=1, le=EXPORT_MAX)


class LookupRequest(_Request):
    """A section by its address, with its tables, its figures and what below it has no address; `recursive` includes all
    its subsections."""

    address: str = Field(max_length=200)
    recursive: bool = False
    documents: list[UUID] | None = Field(default=None, max_length=1000)

    def filters(self) -> Filters:
        return Filters(None, _pinned(self.documents), self.include_superseded)


class AskScope(_Request):
    """How questions are asked: from the `k` best chunks; `documents` pins versions, as for a search."""

    k: int = Field(default=10, ge=1, le=HITS_MAX)
    documents: list[UUID] | None = Field(default=None, max_length=1000)
    plan: bool = Field(default=False, description="have the model search for itself first; needs one that calls tools")


class AskRequest(AskScope):
    """A question to answer from the `k` best chunks; `documents` pins versions, as for a search."""

    question: str = Field(max_length=QUERY_LENGTH_MAX)


def _pinned(documents: list[UUID] | None) -> tuple[UUID, ...] | None:
    return None if documents is None else tuple(documents)


def _read(where: str | dict[str, Any] | None) -> Filter | None:
    """The filter's tree; what parses one is loaded with the first."""
    if where is None:
        return None
    from shared.filters.text import read_where

    return read_where(where)
