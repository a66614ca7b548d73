"""What a tool knows of the request that it runs in, and how its errors reach the assistant."""

import logging
from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar
from uuid import UUID

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ResourceNotFoundError, ToolError
from mcp_types import CallToolResult, InputRequiredResult, Tool
from pydantic import ValidationError

from functions.api.caller import Caller
from functions.api.unexpected import describe
from functions.mcp.exchange import CALLER
from shared.answering.agent.arguments import check_storable, unfit
from shared.domain.ids import REQUEST_ID
from shared.domain.listening import HungUp
from shared.errors import AutriError, NotFound
from shared.library import knowledge_bases as library
from shared.plans.quota import count_mcp_call

P = ParamSpec("P")
T = TypeVar("T")
logger = logging.getLogger("autri.mcp")


class Tools(MCPServer[Any]):
    """The SDK's server with refusals of arguments that an assistant can act on; a name that a tool does not have is
    refused too, as leaving it out would answer another question, and schemas say so."""

    async def list_tools(self) -> list[Tool]:
        closed = {"additionalProperties": False}
        return [
            one.model_copy(update={"input_schema": one.input_schema | closed}) for one in await super().list_tools()
        ]

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        schema = self._tool_input_schema(name) or {}
        taken: dict[str, Any] = schema.get("properties", {})
        # Clients add names of their own that begin with an underscore (_meta), and send null for what they leave out.
        needed = schema.get("required", ())
        arguments = {
            one: value
            for one, value in arguments.items()
            if not one.startswith("_") and (value is not None or one in needed)
        }
        unknown = ", ".join(f"`{one}`" for one in arguments if schema and one not in taken)
        if unknown:
            raise ToolError(f"{name} takes no {unknown}. It takes: {', '.join(taken) or 'nothing'}.")
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            if not isinstance(error.__cause__, ValidationError):
                raise
            described = {one: said["description"] for one, said in taken.items() if "description" in said}
            raise ToolError(unfit(error.__cause__, described)) from None


def caller() -> Caller:
    """Who asks, and the runtime that answers."""
    return CALLER.get()


def told(tool: Callable[P, T]) -> Callable[P, T]:
    """The tool with errors that an assistant can act on: our own sentences as they are; of anything else nothing but
    that it happened, as its text may quote a document."""

    @wraps(tool)
    def call(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            count_mcp_call(caller().runtime, caller().identity)
            check_storable([*args, kwargs])
            return tool(*args, **kwargs)
        except NotFound as error:
            raise (ResourceNotFoundError if tool.__module__.endswith("resources") else ToolError)(str(error)) from None
        except ValidationError as error:
            raise ToolError(unfit(error)) from None
        except AutriError as error:
            raise ToolError(str(error)) from None
        except HungUp:
            raise ToolError("This call was cancelled.") from None
        except Exception as error:  # noqa: BLE001 whatever it is, the call ends with an answer
            request = REQUEST_ID.get()
            logger.error("call of request %s failed: %s", request, describe(error))
            text = f"Something failed on our side. Try again, and quote the request id {request} if it stays."
            raise ToolError(text) from None

    return call


def find_bases(wanted: list[str] | None) -> list[UUID]:
    """The ids of knowledge bases that are named by id, slug or name. Raises NotFound with those there are."""
    who = caller()
    return library.find_named(who.runtime, who.identity, wanted) if wanted else []
