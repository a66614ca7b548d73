"""What an engine that groups by a model is asked, and what it answers."""

from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict

from shared.domain.usage import Usage


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
