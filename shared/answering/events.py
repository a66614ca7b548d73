"""What is told while a question is answered, in this order: plan, each tool's call where a model plans, hits, evidence,
each sentence, where else to ask if nothing answers, rows that are no passages, the whole answer. In a conversation:
before that how it is asked, behind it the message that is kept."""

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

EventName = Literal["asked", "plan", "tool", "hits", "evidence", "sentence", "widening", "rows", "final", "message"]


class AskEvent(NamedTuple):
    """One step and what it gave, as JSON. `final` has the whole answer."""

    name: EventName
    data: dict[str, Any]


# Called with each event; what it raises ends the answering.
Tell = Callable[[AskEvent], None]


def tell_nobody(_event: AskEvent) -> None:
    """For callers that wait for the answer alone."""
