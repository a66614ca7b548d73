"""Where this server is for assistants, and what it answers to one without a token that is in force (RFC 6750, 9728)."""

from typing import Final

from starlette.requests import Request

from shared.contract import MCP_PATH, READ_SCOPE, WRITE_SCOPE

RESOURCE_METADATA: Final = f"/.well-known/oauth-protected-resource{MCP_PATH}"
SCOPES: Final = (READ_SCOPE, WRITE_SCOPE)


def origin_of(request: Request) -> str:
    """The deployment's own; on one machine the address that was asked."""
    return request.app.state.origin or f"{request.url.scheme}://{request.headers.get('host', '')}"


def challenge_headers(request: Request, status: int) -> dict[str, str]:
    """How to get a token, for an assistant that is refused for want of one; nothing for anybody else."""
    if status != 401 or request.url.path != MCP_PATH:
        return {}
    parts = [f'resource_metadata="{origin_of(request)}{RESOURCE_METADATA}"', f'scope="{" ".join(SCOPES)}"']
    if "authorization" in request.headers:
        parts.insert(0, 'error="invalid_token"')
    return {"WWW-Authenticate": f"Bearer {', '.join(parts)}"}
