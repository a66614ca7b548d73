"""Models of `/v1`: the signed-in user, the system's health, and the result of deletions."""

from uuid import UUID

from pydantic import BaseModel

from shared.domain.scope import Role


class OrganizationRef(BaseModel):
    """An organization as its members see it. Traces, which hold queries, are deleted after `trace_days` days."""

    id: UUID
    slug: str
    name: str
    trace_days: int


class UserRef(BaseModel):
    """A signed-in person."""

    id: UUID
    email: str
    name: str
    role: Role


class AccountProfile(BaseModel):
    """Answer of `GET /v1/me`."""

    organization: OrganizationRef
    user: UserRef


class Health(BaseModel):
    """Answer of `GET /v1/health`."""

    service: str
    status: str
    version: str
    database: str


class Deleted(BaseModel):
    """How much a deletion removed. `objects` counts stored files: sources, page images, page files, operations."""

    id: UUID
    documents: int
    chunks: int
    objects: int
