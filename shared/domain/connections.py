"""Assistants that people have connected by OAuth: what is asked for, what is listed, what is handed out."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

from pydantic import BaseModel, Field

from shared.domain.people import KEY_BASES_MAX, StrictBody

ConnectionScope = Literal["read", "write"]


class NewConnection(StrictBody):
    """What a person allows an assistant on the consent page. `scope` limits what it may do, `knowledge_base_ids` what
    it sees (null: all that the person sees); the rest is what the assistant asked with."""

    client_id: str = Field(max_length=4000)
    redirect_uri: str = Field(max_length=2000)
    code_challenge: str = Field(max_length=128)
    state: str | None = Field(default=None, max_length=4000)
    scope: ConnectionScope = "read"
    knowledge_base_ids: list[UUID] | None = Field(default=None, min_length=1, max_length=KEY_BASES_MAX)


class MadeConnection(BaseModel):
    """Where the browser goes with the code; null where the request is sent again."""

    id: UUID
    redirect_to: str | None


class ConnectedClient(BaseModel):
    """A connected assistant as it is listed; `last_used_at` is to the hour. It ends where it is not used until
    `expires_at`."""

    id: UUID
    client_name: str
    client_id: str
    user_id: UUID
    scope: ConnectionScope
    knowledge_base_ids: list[UUID] | None
    created_at: datetime
    last_used_at: datetime | None
    expires_at: datetime | None
    revoked_at: datetime | None


@dataclass(frozen=True)
class OAuthClient:
    """An assistant as it introduces itself; nothing of it is proved but that it is answered at its addresses."""

    client_id: str
    name: str
    redirect_uris: tuple[str, ...]


class IssuedTokens(BaseModel):
    """Answer of the token endpoint (RFC 6749, 5.1)."""

    access_token: str
    token_type: Literal["Bearer"] = "Bearer"  # noqa: S105 a kind of token, none itself
    expires_in: int
    refresh_token: str
    scope: str
