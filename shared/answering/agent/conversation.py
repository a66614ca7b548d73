"""The turns of a planning model inside a window: what tools gave long ago is shortened to ids and a line."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from uuid import UUID

from shared.answering.agent.outcomes import ToolOutcome
from shared.domain.chat import ChatReply, ChatTurn, ToolCall, ToolResult
from shared.plans.calling import CHARACTERS, turn_characters


@dataclass
class _Exchange:
    """What the model said with its calls, and what these gave, one for each."""

    reply: ChatReply
    outcomes: Sequence[ToolOutcome]
    shortened: bool = False

    def turns(self, kept: Collection[UUID]) -> tuple[ChatTurn, ChatTurn]:
        results = tuple(
            self._result(call, one, kept) for call, one in zip(self.reply.calls, self.outcomes, strict=True)
        )
        return ChatTurn("assistant", self.reply.text, calls=self.reply.calls), ChatTurn("user", results=results)

    def _result(self, call: ToolCall, one: ToolOutcome, kept: Collection[UUID]) -> ToolResult:
        if self.shortened:
            return ToolResult(call.id, one.shortened(call.name, kept), one.failed)
        return ToolResult(call.id, one.text, one.failed, one.image)


class Conversation:
    """`window`: tokens that the turns may have, a token taken for four characters."""

    def __init__(self, question: str, window: int) -> None:
        self._question = ChatTurn("user", question)
        self._window = window
        self._exchanges = list[_Exchange]()
        # Passages that are chosen so far: they stay in sight.
        self.kept = dict[UUID, None]()

    def add(self, reply: ChatReply, outcomes: Sequence[ToolOutcome]) -> None:
        self._exchanges.append(_Exchange(reply, outcomes))

    def turns(self) -> tuple[ChatTurn, ...]:
        """All of them, the same as before and more behind, so that services find them in their caches. Where they
        exceed the window the oldest results are shortened until half of it is free; the last ones never are."""
        if self._tokens() > self._window:
            for one in self._exchanges[:-1]:
                one.shortened = True
                if self._tokens() <= self._window // 2:
                    break
        return self._all()

    def _all(self) -> tuple[ChatTurn, ...]:
        return (self._question, *(turn for one in self._exchanges for turn in one.turns(self.kept)))

    def _tokens(self) -> int:
        return sum(turn_characters(turn) for turn in self._all()) // CHARACTERS
