"""An attribute filter as the store takes it: names normalised, values read in every way that they can be meant.

Which way is meant depends on what the attribute is declared as; `declared.py` decides.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from shared.domain.filters import Op


@dataclass(frozen=True)
class Span:
    """The time that a date stands for: from `start` up to and without `end`."""

    start: datetime
    end: datetime


@dataclass(frozen=True)
class Value:
    """A value of a filter: what was written, and each way to read it.

    `number` is as written; with a unit there are also `canonical`, in the canonical unit `unit` (or currency), and
    `measure`, what units of that kind measure.
    """

    shown: str
    number: float | None = None
    canonical: float | None = None
    unit: str | None = None
    measure: str | None = None
    text: str | None = None
    time: Span | None = None
    boolean: bool | None = None


@dataclass(frozen=True)
class Term:
    """One comparison. `attr` is the name as asked for, `names` the normalised names that it can mean, best first."""

    attr: str
    names: tuple[str, ...]
    op: Op
    values: tuple[Value, ...] = ()


@dataclass(frozen=True)
class Group:
    """`all`: every part holds; `any`: one does; `none`: not one does."""

    kind: Literal["all", "any", "none"]
    parts: tuple["Tree", ...]


Tree = Term | Group


def terms(tree: Tree) -> Iterator[Term]:
    """Every comparison, from left to right."""
    if isinstance(tree, Term):
        yield tree
        return
    for part in tree.parts:
        yield from terms(part)
