"""Models of `/v1`: members, invitations, API keys, who sees a knowledge base, the audit log."""

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from shared.domain.characters import OneLine
from shared.domain.scope import Role

Email = Annotated[OneLine, StringConstraints(strip_whitespace=True, max_length=254, pattern=r"^[^@\s]+@[^@\s]+$")]
KeyScope = Literal["read", "write", "admin"]
NAME_MAX = 120
SUBJECT_MAX = 500
KEY_BASES_MAX = 100
EXPIRES_DAYS_MAX = 3650


class StrictBody(BaseModel):
    """A request: a field that nobody knows is refused."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)


class Member(BaseModel):
    """A person of the organization; `invited_at` (when the invitation was sent last) is null once they have joined."""

    id: UUID
    email: str
    name: str
    role: Role
    created_at: datetime
    invited_at: datetime | None


class WaitingSignIn(BaseModel):
    """Somebody signed in with an invited address that their identity provider does not vouch for."""

    invitation_id: UUID
    issuer: str
    subject: str
    claimed_email: str
    last_seen_at: datetime


class Invitation(Member):
    """An invitation that nobody has accepted so far, and who may be meant by it."""

    waiting: list[WaitingSignIn]


class NewInvitation(StrictBody):
    """Who is invited, and to do what."""

    email: Email
    role: Role = "viewer"


class RoleChange(StrictBody):
    """A member's new role."""

    role: Role


class Binding(StrictBody):
    """The waiting sign-in that is to be the invited person: ask them first."""

    issuer: OneLine = Field(min_length=1, max_length=SUBJECT_MAX)
    subject: OneLine = Field(min_length=1, max_length=SUBJECT_MAX)


class RemovedMember(BaseModel):
    """Who was removed, or whose invitation was taken back."""

    id: UUID
    email: str


class NewKey(StrictBody):
    """A key for yourself, or for a machine. Its scope limits what it may do, never widens it; `knowledge_base_ids`
    limits what it sees (null: all that you see)."""

    name: OneLine = Field(min_length=1, max_length=NAME_MAX)
    scope: KeyScope = "read"
    knowledge_base_ids: list[UUID] | None = Field(default=None, min_length=1, max_length=KEY_BASES_MAX)
    expires_days: int | None = Field(default=None, ge=1, le=EXPIRES_DAYS_MAX)
    machine: bool = False


class ApiKey(BaseModel):
    """A key as it is listed; `prefix` is the beginning of its secret, `last_used_at` is to the hour. A machine's key
    has no `user_id`."""

    id: UUID
    name: str
    prefix: str
    scope: KeyScope
    user_id: UUID | None
    knowledge_base_ids: list[UUID] | None
    created_by: UUID
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None
    revoked_at: datetime | None


class MadeKey(ApiKey):
    """A new key with its secret, which is shown this once."""

    secret: str | None


class PermittedMember(BaseModel):
    """A member who sees a restricted knowledge base; `may_write` as far as their role lets them change anything."""

    id: UUID
    email: str
    name: str
    role: Role
    may_write: bool


class Permission(StrictBody):
    """A member, and whether they may write."""

    user_id: UUID
    may_write: bool = False


class AccessChange(StrictBody):
    """Who sees a knowledge base from now on: everybody, or these members (and owners and admins)."""

    restricted: bool
    members: list[Permission] = Field(default_factory=list[Permission], max_length=1000)


class BaseAccess(BaseModel):
    """Who sees a knowledge base: everybody of the organization, or (`restricted`) these members, owners and admins."""

    knowledge_base_id: UUID
    restricted: bool
    members: list[PermittedMember]


class AuditEntry(BaseModel):
    """One act. `person` is empty where a machine did it, or somebody who is no member any more."""

    id: UUID
    at: datetime
    user_id: UUID | None
    person: str
    key_id: UUID | None
    act: str
    subject_type: str
    subject_id: str | None
    knowledge_base_id: UUID | None
    request_id: str | None
    details: dict[str, Any]
