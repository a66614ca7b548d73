"""What a model is told that names a topic: its headings and passages, and the names that are taken, as data."""

import json
from collections.abc import Collection, Sequence
from typing import Final

from shared.domain.chat import ChatRequest, ChatTurn, ToolSpec
from shared.prompts.answer_prompt import visible
from shared.prompts.loader import load_prompt

PASSAGES_MAX: Final = 12
CHARACTERS: Final = 600
TAKEN_MAX: Final = 200
MAX_TOKENS: Final = 200
NAME_TOPIC: Final = ToolSpec(
    name="name_topic",
    description="Gives the name of the topic.",
    parameters={
        "type": "object",
        "properties": {"name": {"type": "string"}},
        "required": ["name"],
        "additionalProperties": False,
    },
)


def topic_name_request(headings: Sequence[str], passages: Sequence[str], taken: Collection[str]) -> ChatRequest:
    """The first passages are told, each by its beginning."""
    told = {
        "headings": [visible(one) for one in headings],
        "passages": [visible(one[:CHARACTERS]) for one in passages[:PASSAGES_MAX]],
        "other names": [visible(one) for one in [*taken][:TAKEN_MAX]],
    }
    text = json.dumps(told, ensure_ascii=False)
    return ChatRequest(
        load_prompt("topic_name").text, (ChatTurn("user", text),), output=NAME_TOPIC, max_tokens=MAX_TOKENS
    )
