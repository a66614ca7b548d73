"""A conversation with a model that answers: what it is told, what it may call, and what it replies."""

from dataclasses import dataclass, field
from typing import Any, Literal

from shared.domain.model_calls import Usage

Schema = dict[str, Any]
Stop = Literal["end", "tools", "length", "refused"]


@dataclass(frozen=True)
class ToolSpec:
    """A tool by name, with what it does and the JSON schema (of an object) of its arguments."""

    name: str
    description: str
    parameters: Schema


@dataclass(frozen=True)
class ToolCall:
    """A call that a model asks for. `arguments` is None where `raw`, what it wrote, is no JSON object."""

    id: str
    name: str
    arguments: dict[str, Any] | None
    raw: str = ""


@dataclass(frozen=True)
class ToolResult:
    """What a call gave, as text; `failed` where it says what went wrong. `image`: a JPEG, for models that see."""

    call_id: str
    text: str
    failed: bool = False
    image: bytes | None = None


@dataclass(frozen=True)
class ChatTurn:
    """One turn: of a person (`text`), of the model (`text`, `calls`), or the results of the calls before it."""

    role: Literal["user", "assistant"]
    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    results: tuple[ToolResult, ...] = ()


@dataclass(frozen=True)
class ChatRequest:
    """`output`: the reply is to be one JSON object of this tool's parameters (then `tools` are not offered).
    `grows`: more turns follow behind these, so that they are worth keeping in a service's cache."""

    system: str
    turns: tuple[ChatTurn, ...]
    tools: tuple[ToolSpec, ...] = ()
    output: ToolSpec | None = None
    max_tokens: int = 2048
    grows: bool = False


@dataclass(frozen=True)
class ChatReply:
    """`text` is what the model wrote; with `ChatRequest.output` the JSON of the object, unchecked."""

    text: str
    calls: tuple[ToolCall, ...]
    usage: Usage
    usd: float
    stop: Stop


@dataclass(frozen=True)
class Capabilities:
    """What a model can do by its interface, as far as it is known: an endpoint that refuses is not asked again."""

    tools: bool = True
    json_schema: bool = True
    streaming: bool = True
    images: bool = True
    notes: tuple[str, ...] = field(default=())
