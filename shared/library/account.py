"""The signed-in user, and whether the system is well."""

from shared.domain.account import Health, Profile
from shared.domain.scope import Identity
from shared.errors import NotFound
from shared.library.access import open_library
from shared.runtime import Runtime
from shared.store import identities


def check_health(runtime: Runtime, version: str) -> Health:
    """Raises Unavailable when the database does not answer."""
    with runtime.database.unscoped() as connection:
        connection.execute("select 1")
    return Health(service="autri", status="ok", version=version, database="ok")


def get_profile(runtime: Runtime, identity: Identity) -> Profile:
    """Raises NotFound when the user was removed while signed in."""
    with open_library(runtime, identity) as connection:
        found = identities.get_profile(connection, identity.user_id)
    if found is None:
        raise NotFound("Your user was removed. Ask the organization's owner for an invitation.")
    return found
