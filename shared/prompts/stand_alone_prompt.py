"""What a model is told that makes a question stand alone: questions alone, and nothing of any document."""

import json
from collections.abc import Sequence
from typing import Final

from shared.domain.chat import ChatRequest, ChatTurn, ToolSpec
from shared.prompts.answer_prompt import visible
from shared.prompts.loader import load_prompt

FORMER_MAX: Final = 5
MAX_TOKENS: Final = 400
STAND_ALONE: Final = ToolSpec(
    name="stand_alone",
    description="Gives the last question as it stands alone.",
    parameters={
        "type": "object",
        "properties": {"question": {"type": "string"}},
        "required": ["question"],
        "additionalProperties": False,
    },
)


def stand_alone_request(question: str, former: Sequence[str]) -> ChatRequest:
    """`former`, oldest first; the last few are told."""
    told = {"before": [visible(one) for one in former[-FORMER_MAX:]], "last": visible(question)}
    text = json.dumps(told, ensure_ascii=False)
    return ChatRequest(
        load_prompt("stand_alone").text, (ChatTurn("user", text),), output=STAND_ALONE, max_tokens=MAX_TOKENS
    )
