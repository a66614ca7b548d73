"""What cases of test_statements_acting.py are made of: upon which rows a stored statement acts."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID


@dataclass(frozen=True)
class Own:
    """The value that the set's own row has in a column; `listed`: as a list of one."""

    table: str
    column: str = "id"
    listed: bool = False


@dataclass(frozen=True)
class At:
    """A time, in seconds from now."""

    seconds: float


@dataclass(frozen=True)
class Case:
    """Columns and parameters → the values for which the statement acts, or those and the ones for which it does not.

    `told` says of the first row of the answer whether the statement acts; else any value or change does.
    """

    statement: str
    values: Mapping[str, list[Any] | tuple[list[Any], list[Any]]]
    told: Callable[[Any], Any] | None = None


OTHER, FIRST, LAST = UUID(int=7), UUID(int=0), UUID(int=2**128 - 1)
# The set's knowledge base, and the organization's other one.
BASE, OTHER_BASE = object(), object()
IN_BASE = {"%knowledge_base_id": ([BASE], [OTHER_BASE])}
OPEN = {"%base": ([BASE], [OTHER_BASE])}
DAY = 86_400
ENDED = ["ready", "ready_with_errors", "refused", "failed"]
VECTOR_OF = {"%version": (["v"], ["w"]), "chunk_vectors.embedder_version": (["v"], ["w"])}


def behind(table: str, name: str = "%after") -> dict[str, Any]:
    """Only rows behind one."""
    return {name: ([None, FIRST], [Own(table), LAST])}


def before(table: str) -> dict[str, Any]:
    """Only rows before one."""
    return {"%before": ([None, LAST], [Own(table), FIRST])}


def link(column: str, table: str, key: str = "id") -> dict[str, Any]:
    """Only rows that belong to the set's row of another table."""
    return {column: ([Own(table, key)], [OTHER])}


SERVED = {"documents.serving": [True]}
# Of all documents that are served, those that nobody rejected answer.
ANSWERING: dict[str, Any] = SERVED | {"documents.review": (["unreviewed", "approved"], ["rejected"])}
# Where the knowledge base asks for that, those that somebody approved.
APPROVED: dict[str, Any] = SERVED | {
    "documents.review": (["approved"], ["unreviewed", "rejected"]),
    "knowledge_bases.approved_only": ([True], []),
}
RUN = {"%id": ([Own("ingestions")], [OTHER])}
GOLD = IN_BASE | {"%id": ([Own("gold_questions")], [OTHER])}
EVAL = IN_BASE | {"%id": ([Own("eval_runs")], [OTHER])}
