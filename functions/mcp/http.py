"""MCP over streamable HTTP, without sessions: each POST is served on its own, so that any process may answer it.

`/mcp` wants a token and says where one is to be had; `/v1/mcp` is for whoever `/v1` knows, as `autri mcp` is.
"""

from typing import Final

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from functions.api.caller import Caller
from functions.api.errors import NotSignedIn
from functions.api.identity import presented_token
from functions.api.rate_limit import identify_sender
from shared.contract import MCP_PATH
from shared.plans.quota import check_mcp

OWN_PATH: Final = f"/v1{MCP_PATH}"


class McpEndpoint:
    """The ASGI application behind both addresses."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        if scope["path"] == MCP_PATH and presented_token(request) is None:
            raise NotSignedIn("Send a token: an API key, or one that your assistant asks for by itself (OAuth).")
        identity = getattr(request.state, "identity", None) or await run_in_threadpool(identify_sender, request)
        request.state.identity = identity
        runtime = request.app.state.runtime
        await run_in_threadpool(check_mcp, runtime, identity)
        from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

        from functions.mcp.calls import CALLER
        from functions.mcp.server import mcp_server

        CALLER.set(Caller(runtime, identity))
        # Its tasks end with the request. An answer leaves when it is whole.
        server = await run_in_threadpool(mcp_server)
        manager = StreamableHTTPSessionManager(server, stateless=True, json_response=True)
        async with manager.run():
            await manager.handle_request(scope, receive, send)


def mcp_routes() -> list[Route]:
    """POST alone: without sessions there is no stream to open by GET, and nothing to DELETE."""
    endpoint = McpEndpoint()
    return [Route(path, endpoint, methods=["POST"], name=f"mcp {path}") for path in (MCP_PATH, OWN_PATH)]
