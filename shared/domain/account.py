"""Models of `/v1`: the signed-in user, the system's health, and the result of deletions."""

from uuid import UUID

from pydantic import BaseModel

from shared.domain.scope import Role


class OrganizationRef(BaseModel):
    """An organization as its members see it. Traces, which hold queries, are deleted after `trace_days` days, the
    audit log after `audit_days`."""

    id: UUID
    slug: str
    name: str
    trace_days: int
    audit_days: int


class UserRef(BaseModel):
    """A signed-in person, or a machine with its key, which has no address. `role` is what this request may do."""

    id: UUID
    email: str
    name: str
    role: Role


class Membership(BaseModel):
    """An organization that a person belongs to, or (not `joined`) is invited by. `X-Autri-Organization` chooses it by
    its slug, and accepts the invitation."""

    id: UUID
    slug: str
    name: str
    role: Role
    joined: bool


class AccountProfile(BaseModel):
    """Answer of `GET /v1/me`: the organization that the request acts for, and all that the person may choose.
    `groups_untold`: the identity provider left the person's groups out, so no role comes from one."""

    organization: OrganizationRef
    user: UserRef
    organizations: list[Membership]
    groups_untold: bool = False


class Health(BaseModel):
    """Answer of `GET /v1/health`: the service itself answers."""

    service: str
    status: str
    version: str


class Readiness(Health):
    """Answer of `GET /v1/ready`: its database answers too."""

    database: str


class Deleted(BaseModel):
    """How much a deletion removed. `objects` counts stored files: sources, page images, page files, operations."""

    id: UUID
    documents: int
    chunks: int
    objects: int
