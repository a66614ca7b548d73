"""Stored summaries as people read them."""

from typing import Any

from shared.domain.experiments import SummaryBody
from shared.values.hyphenation import Rejoiner


def read_body(stored: dict[str, Any]) -> SummaryBody:
    """With words joined that are hyphenated at a line's end, by the words of all its statements; `text` stays as the
    source has it."""
    body = SummaryBody.model_validate(stored)
    words = Rejoiner(one.text for one in (*body.statements, *body.taken_out))
    for one in body.statements:
        one.shown = words.show(one.text)
    return body
