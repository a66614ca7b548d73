"""The signed-in user and the organization."""

from pydantic import BaseModel, ConfigDict, Field

from shared.access import changing, reading, require_admin
from shared.domain.account import AccountProfile
from shared.domain.characters import OneLine
from shared.domain.people import NAME_MAX
from shared.domain.scope import Identity
from shared.errors import NotFound
from shared.runtime import Runtime
from shared.store import identities
from shared.store.audit import keep_audit, note
from shared.store.connect import Connection

TRACE_DAYS_MAX = 3650
AUDIT_DAYS_MIN = 30


class OrganizationChange(BaseModel):
    """What its owners and admins decide; what is left out stays. With 0 a trace is gone with the next maintenance."""

    model_config = ConfigDict(extra="forbid")

    name: OneLine | None = Field(default=None, min_length=1, max_length=NAME_MAX)
    trace_days: int | None = Field(default=None, ge=0, le=TRACE_DAYS_MAX)
    audit_days: int | None = Field(default=None, ge=AUDIT_DAYS_MIN, le=TRACE_DAYS_MAX)


def get_profile(runtime: Runtime, identity: Identity) -> AccountProfile:
    """Raises NotFound when the user was removed while signed in."""
    with reading(runtime, identity) as connection:
        return _find_profile(connection, identity)


def change_organization(runtime: Runtime, identity: Identity, change: OrganizationChange) -> AccountProfile:
    """Raises Forbidden for editors and viewers, NotFound as `get_profile`."""
    require_admin(identity)
    with changing(runtime, identity) as connection:
        if change.name is not None:
            identities.rename_organization(connection, change.name)
        if change.trace_days is not None:
            identities.keep_traces(connection, change.trace_days)
        if change.audit_days is not None:
            keep_audit(connection, change.audit_days)
        note(connection, identity, "organization.change", **change.model_dump(exclude_none=True))
        return _find_profile(connection, identity)


def _find_profile(connection: Connection, identity: Identity) -> AccountProfile:
    found = identities.get_profile(connection, identity.user_id)
    if found is None:
        raise NotFound("Your user was removed. Ask the organization's owner for an invitation.")
    user = found.user.model_copy(update={"role": identity.role})
    profile = found.model_copy(update={"user": user, "groups_untold": identity.groups_untold})
    if identity.key_id is None:
        return profile
    # A key is of one organization, and tells nothing of the others of its member.
    own = [one for one in found.organizations if one.id == identity.organization_id]
    return profile.model_copy(update={"organizations": own})
