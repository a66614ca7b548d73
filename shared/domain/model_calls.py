"""Calls of models: what they use and cost; what one that groups a page is asked, and what it answers."""

from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

PER_MILLION = 1_000_000


class Usage(BaseModel):
    """Tokens as the model's provider counts them: `input_tokens` are those neither read from nor written to a cache."""

    model_config = ConfigDict(frozen=True)

    input_tokens: int = Field(default=0, ge=0)
    cache_read_tokens: int = Field(default=0, ge=0)
    cache_write_tokens: int = Field(default=0, ge=0)
    output_tokens: int = Field(default=0, ge=0)


class Price(BaseModel):
    """US dollars per million tokens."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    input: float = Field(ge=0)
    cache_read: float = Field(ge=0)
    cache_write: float = Field(ge=0)
    output: float = Field(ge=0)

    def usd(self, usage: Usage) -> float:
        """What `usage` costs."""
        parts = (
            self.input * usage.input_tokens,
            self.cache_read * usage.cache_read_tokens,
            self.cache_write * usage.cache_write_tokens,
            self.output * usage.output_tokens,
        )
        return sum(parts) / PER_MILLION

    def times(self, factor: float) -> "Price":
        return Price(**{name: value * factor for name, value in self.model_dump().items()})


class GroupingContext(BaseModel):
    """What a page's grouping may depend on beside the page: never on what was decided for another page.

    `sections` is the path of bookmarks that leads to the page, outermost first; `previous_tail` the last words of the
    page before; `heading_sizes` the document's sizes of heading type in points, largest first.
    """

    model_config = ConfigDict(frozen=True)

    document: str
    sections: tuple[str, ...] = ()
    previous_tail: str = ""
    heading_sizes: tuple[float, ...] = ()


@dataclass(frozen=True)
class Grouping:
    """A model's answer, unchecked. `problem` says in words why there is no `raw` to read; `turn` is the adapter's own
    record of the answer, handed back when it must be corrected."""

    raw: Any
    usage: Usage
    usd: float
    problem: str | None = None
    turn: Any = None


@dataclass(frozen=True)
class Correction:
    """A former answer about the same page and what was wrong with it."""

    grouping: Grouping
    errors: tuple[str, ...]
